"""Outputs at every sort of place, closed streams and signals; the inputs stay what they are.

That no output of any command replaces an input is a law (tests/laws/test_faults.py).
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

import pytest

import corefine
from corefine.cli import main
from tests.building.refusals import refused
from tests.building.sample import sample_path
from tests.building.signal_defaults import default_signals

pytestmark = pytest.mark.skipif(os.name != "posix", reason="devices, pipes and links of POSIX")

OUT = "OUT"
"""Where the place of the output stands in the arguments."""
PAIR = ("key.conll", "a.conll")
FILES: dict[str, tuple[str, ...]] = {
    "score": ("score", *PAIR, "--output", "json", "-o", OUT),
    "convert": ("convert", "key.conll", OUT, "--to", "e2e"),
    "report": ("report", *PAIR, "-o", OUT),
}
"""Outputs that are a file."""
FOLDERS: dict[str, tuple[str, ...]] = {
    "score --plots": ("score", *PAIR, "--plots", OUT),
    "suite --save": ("suite", "gold.toml", "ours.toml", "--save", OUT),
}
"""Outputs that are a folder."""
INPUTS = ("key.conll", "a.conll", "b.conll", "gold.toml", "ours.toml")
PLACES = ("device", "full", "pipe", "link", "missing", "limit")


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    """All inputs that the commands are given."""
    folder = tmp_path_factory.mktemp("inputs")
    for name, sample in {"key": "key", "a": "careful", "b": "eager"}.items():
        shutil.copy(sample_path(sample), folder / f"{name}.conll")
    (folder / "gold.toml").write_text('letter = "key.conll"\n')
    (folder / "ours.toml").write_text('letter = "a.conll"\n')
    return {name: (folder / name).read_bytes() for name in INPUTS}


@pytest.fixture(autouse=True)
def folder(inputs, tmp_path, monkeypatch):
    for name, data in inputs.items():
        (tmp_path / name).write_bytes(data)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(row: tuple[str, ...], place: str) -> int:
    return main([place if argument == OUT else argument for argument in row])


def left_behind(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.name.startswith(".corefine-")]


def untouched(folder: Path, inputs: dict[str, bytes]) -> bool:
    return all((folder / name).read_bytes() == data for name, data in inputs.items())


def one_error(said: str) -> bool:
    return sum("error: " in line for line in said.splitlines()) == 1 and "Traceback" not in said


@contextmanager
def small_files() -> Iterator[None]:
    """No file may grow beyond a few bytes, as on a disk that is full."""
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (16, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def placed(folder: Path, place: str, is_folder: bool) -> str:
    """Prepare a place of an output, and give its path."""
    target = {"device": "/dev/null", "full": "/dev/full", "input": "key.conll"}.get(place, place)
    if place in ("device", "full") and not os.path.exists(target):
        pytest.skip(f"there is no {target}")
    if place == "pipe":
        os.mkfifo(folder / "pipe")
    if place == "link":
        (folder / "link").symlink_to("real")
        if is_folder:
            (folder / "real").mkdir()
        else:
            (folder / "real").write_text("old")
    if place == "limit" and not is_folder:
        (folder / "limit").write_text("old")
    return "missing/out" if place == "missing" and not is_folder else target


EVERY_PLACE = [
    *((name, place) for name in FILES for place in PLACES),
    *((name, place) for name in FOLDERS for place in ("input", *PLACES)),
]


@pytest.mark.parametrize(("name", "place"), EVERY_PLACE)
def test_every_output_at_every_place(folder, inputs, capsys, name, place):
    is_folder = name in FOLDERS
    target = placed(folder, place, is_folder)
    received: list[bytes] = []
    reader = threading.Thread(
        target=lambda: received.append((folder / "pipe").read_bytes()), daemon=True
    )
    if place == "pipe" and not is_folder:
        reader.start()
    with small_files() if place == "limit" else nullcontext():
        status = run({**FILES, **FOLDERS}[name], target)
    said = capsys.readouterr().err
    assert untouched(folder, inputs)
    assert not left_behind(folder)
    works = ("link", "missing") if is_folder else ("device", "pipe", "link")
    assert status == (0 if place in works else 2), said
    assert status == 0 or one_error(said)
    if place == "limit" and not is_folder:
        assert (folder / "limit").read_text() == "old"
    if place == "missing":
        assert (folder / "missing").exists() is is_folder
    if place == "pipe" and not is_folder:
        reader.join(20)
        assert len(received[0]) > 10
    if place == "pipe":
        assert stat.S_ISFIFO((folder / "pipe").stat().st_mode)
    if place == "link":
        assert (folder / "link").is_symlink()
        assert is_folder or (folder / "real").read_text("latin-1") != "old"
    if place in ("device", "full"):
        assert stat.S_ISCHR(os.stat(target).st_mode)


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
    row = FOLDERS["score --plots"]
    assert run(row, "charts") == 0
    for chart in (folder / "charts").iterdir():
        chart.unlink()
        chart.symlink_to("../key.conll")
    capsys.readouterr()
    assert run(row, "charts") == 2
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
