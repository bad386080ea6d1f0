"""Outputs that are inputs, closed streams and signals; the inputs stay what they are.

That no output of any command replaces an input is a law (tests/laws/test_faults.py).
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import corefine
from corefine.cli import main
from tests.building.refusals import refused
from tests.building.sample import sample_path
from tests.building.signal_defaults import default_signals

pytestmark = pytest.mark.skipif(os.name != "posix", reason="devices, pipes and links of POSIX")

PAIR = ("key.conll", "a.conll")
INPUTS = {"key.conll": "key", "a.conll": "careful", "b.conll": "eager"}
"""Files and the samples that they are."""


@pytest.fixture(scope="module")
def inputs():
    """The content of all inputs that the commands are given."""
    return {name: Path(sample_path(sample)).read_bytes() for name, sample in INPUTS.items()}


@pytest.fixture(autouse=True)
def folder(inputs, tmp_path, monkeypatch):
    for name, data in inputs.items():
        (tmp_path / name).write_bytes(data)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def untouched(folder: Path, inputs: dict[str, bytes]) -> bool:
    return all((folder / name).read_bytes() == data for name, data in inputs.items())


def test_two_outputs_are_not_one(folder, capsys):
    (folder / "link.json").symlink_to("out.json")
    (folder / "out.json").write_text("old")
    assert main(["score", *PAIR, "--save", "out.json", "-o", "link.json"]) == 2
    assert "two outputs" in capsys.readouterr().err
    assert (folder / "out.json").read_text() == "old"


def test_what_lies_beside_an_input_or_around_it_is_refused(folder, capsys):
    corefine.write(corefine.read(folder / "key.conll"), folder / "brat", "brat")
    annotation = next((folder / "brat").glob("*.ann"))
    text = annotation.with_suffix(".txt")
    before = text.read_bytes()
    assert main(["convert", str(annotation), str(text), "--to", "conll", "--lossy"]) == 2
    assert "an input file" in capsys.readouterr().err
    assert text.read_bytes() == before
    assert main(["convert", "brat", "brat", "--to", "brat"]) == 2
    assert "an input file" in capsys.readouterr().err
    kinds = folder / "kinds.tsv"
    kinds.write_text("d\t0\t0\tname\n")
    asked = ["score", *PAIR, "--kinds", f"guess,{kinds}", "--output", "json"]
    assert main([*asked, "-o", str(kinds)]) == 2
    assert kinds.read_text() == "d\t0\t0\tname\n"


@pytest.mark.parametrize(
    "command",
    [("suite", "keys.toml", "one.toml"),
     ("suite", "keys.toml", "A=one.toml", "two.toml"),
     ("report", "--suite", "keys.toml", "one.toml")],
)  # fmt: skip
def test_what_the_files_of_a_suite_list_is_an_input(folder, inputs, capsys, command):
    (folder / "keys.toml").write_text('[d]\nkey = "key.conll"\n')
    (folder / "one.toml").write_text('d = "a.conll"\n')
    (folder / "two.toml").write_text('d = "b.conll"\n')
    for listed in ("key.conll", "a.conll", "b.conll")[: len([a for a in command if "toml" in a])]:
        assert main([*command, "-o", listed]) == 2
        assert "an input file" in capsys.readouterr().err
        assert untouched(folder, inputs)


def test_a_link_to_an_input_among_charts_is_not_followed(folder, inputs, capsys):
    row = ["score", *PAIR, "--plots", "charts"]
    assert main(row) == 0
    for chart in (folder / "charts").iterdir():
        chart.unlink()
        chart.symlink_to("../key.conll")
    capsys.readouterr()
    assert main(row) == 2
    assert "an input file" in capsys.readouterr().err
    assert untouched(folder, inputs)


@pytest.mark.slow
def test_python_refuses_to_save_a_report_over_its_key(folder, inputs):
    made = corefine.report("key.conll", "a.conll", replicates=10)
    with refused("usage", "key.conll"):
        made.save("key.conll")
    assert untouched(folder, inputs)
    made.save("report.html")


@pytest.mark.slow
@pytest.mark.parametrize(
    "closed", [">&-", "<&-", "2>&-", ">&- 2>&- <&-", ">/dev/full", "2>/dev/full >&-"]
)
def test_closed_and_full_streams_give_no_traceback(folder, closed):
    line = f'"{sys.executable}" -m corefine score - a.conll {closed}'
    if "<&-" not in closed:
        line += " <key.conll"
    found = subprocess.run(["sh", "-c", line], capture_output=True, text=True)
    assert "Traceback" not in found.stderr
    assert "Exception ignored" not in found.stderr
    assert found.returncode == (0 if closed == "2>&-" else 2)


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["latin-1", "ascii"])
def test_every_encoding_can_be_written_to(folder, encoding):
    shutil.copy("key.conll", "kłucz.conll")
    for form in ("table", "json", "csv"):
        found = subprocess.run(
            [sys.executable, "-m", "corefine", "check", "kłucz.conll", "--output", form],
            capture_output=True,
            env={**os.environ, "PYTHONIOENCODING": encoding},
        )
        assert found.returncode == 0, found.stderr
        assert b"Traceback" not in found.stderr
        if form == "json":
            assert "kłucz" in json.dumps(json.loads(found.stdout), ensure_ascii=False)


@pytest.mark.slow
@pytest.mark.parametrize("out", ["report.html", "-"])
def test_names_that_are_not_utf8(folder, capfdbinary, out):
    names = [os.fsdecode(f"{name}".encode() + b"\xff.conll") for name in ("key", "a")]
    try:
        for old, new in zip(PAIR, names, strict=True):
            shutil.copy(old, new)
    except OSError:
        pytest.skip("this file system wants UTF-8")
    assert main(["report", *names, "-o", out]) == 0
    written = capfdbinary.readouterr().out if out == "-" else (folder / out).read_bytes()
    assert "<!doctype html>" in written.decode("utf-8")
    assert main(["check", *names]) == 0
    assert main(["compare", *names, names[0]]) == 0


@pytest.mark.slow
def test_head_may_leave(folder):
    for command in ("convert key.conll - --to e2e", "metrics", "report key.conll a.conll -o -"):
        line = f'"{sys.executable}" -m corefine {command} | head -c 5; echo ${{PIPESTATUS[0]}}'
        found = subprocess.run(["bash", "-c", line], capture_output=True, text=True)
        assert found.stdout.endswith("0\n")
        left = "corefine: warning: not carried over to e2e: the layer pos\n"
        assert found.stderr == (left if command.startswith("convert") else "")


@pytest.mark.parametrize(
    ("package", "extra", "arguments", "work"),
    [
        ("pyarrow", "parquet", ("convert", "KEY", "OUT.parquet", "--lossy"), "prepare.read"),
        ("sklearn", "resolve", ("resolve", "train", "KEY", "-o", "OUT.skops"), "resolve.train"),
    ],
)
def test_a_missing_extra_is_noticed_before_the_work_begins(
    package, extra, arguments, work, tmp_path, monkeypatch, capsys
):
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.setattr(f"corefine.cli.commands.{work}", lambda *_, **__: pytest.fail("began"))
    given = [word.replace("OUT", str(tmp_path / "out")) for word in arguments]
    assert main([str(sample_path("key")) if word == "KEY" else word for word in given]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert f"pip install 'corefine[{extra}]'" in printed.err
    assert list(tmp_path.glob("out*")) == []


@pytest.mark.skipif(not hasattr(signal, "SIGQUIT"), reason="there is no SIGQUIT here")
def test_quitting_leaves_no_traceback():
    waiting = (
        "import os, signal, sys; from corefine.cli import runtime\n"
        "try:\n"
        "    with runtime.unwound_by_signals():\n"
        "        os.kill(os.getpid(), signal.SIGQUIT)\n"
        "        signal.pause()\n"
        "except runtime.Ended as ended:\n"
        "    sys.exit(128 + ended.signal)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", waiting],
        capture_output=True,
        timeout=300,  # seconds; it must not wait for ever
        preexec_fn=default_signals,
    )
    assert (done.returncode, done.stderr) == (128 + signal.SIGQUIT, b"")
