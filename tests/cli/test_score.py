"""The command line as a person meets it: outputs, statuses, and one clear line for each error."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import corefine
from corefine.cli import command_names, main
from corefine.cli.samples import sample_path
from corefine.metrics import registered

KEY, CAREFUL = sample_path("key"), sample_path("careful")


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    status = main(list(arguments))
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_score_prints_a_table_with_its_signature(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capsys, "score", KEY, CAREFUL)
    assert status == 0
    assert err == ""
    lines = out.splitlines()
    assert lines[0].split() == ["metric", "P", "R", "F1"]
    assert ["muc", "100.00", "56.52", "72.22"] in [line.split() for line in lines]
    assert lines[-1].startswith("match:exact")


def test_json_has_the_documented_form(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(
        capsys, "score", KEY, CAREFUL, "--output", "json", "--per-document", "-m", "muc,conll"
    )
    assert status == 0
    form = json.loads(out)
    assert list(form) == ["signature", "signatures", "scores", "documents", "warnings"]
    assert form["scores"]["muc"]["recall"] == 13 / 23
    assert list(form["scores"]["conll"]) == ["f1"]
    assert form["documents"]["the-letter"]["muc"] == form["scores"]["muc"]


def test_csv_has_full_precision(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "score", KEY, CAREFUL, "--output", "csv", "-m", "lea")
    (row,) = csv.DictReader(io.StringIO(out))
    assert float(row["f1"]) == corefine.score(KEY, CAREFUL)["lea"].f1


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        ("markdown", "| muc | 100.00 | 56.52 | 72.22 |"),
        ("latex", r"muc & 100.00 & 56.52 & 72.22 \\"),
        ("table", "the-letter  72.22"),
        ("csv", "the-letter,muc,1.0,0.5652173913043478,"),
    ],
)
def test_other_outputs(capsys: pytest.CaptureFixture[str], output: str, expected: str) -> None:
    status, out, _ = run(
        capsys, "score", KEY, CAREFUL, "-m", "muc", "--output", output, "--per-document"
    )
    assert status == 0
    assert expected in out


def test_warnings_go_to_standard_error_alone(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    key, response = tmp_path / "key.conll", tmp_path / "response.conll"
    key.write_text("#begin document (a)\na 0 0 Anna (1)\na 0 1 she (1)\n#end document\n")
    response.write_text("#begin document (a)\na 0 0 Anna (1)|(2)\na 0 1 she (1)\n#end document\n")
    status, out, err = run(capsys, "score", str(key), str(response), "--output", "json")
    assert status == 0
    assert len(json.loads(out)["warnings"]) == 1
    assert err.startswith("corefine: warning: response: mention 'Anna'")
    status, out, err = run(capsys, "score", str(key), str(response), "--duplicates", "error")
    assert (status, out) == (2, "")
    assert f"{response}:2" in err


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "empty"),
        (b"#begin document (a)\na 0 0 Anna (1\n#end document\n", "2"),
        (b"#begin document (a)\na 0 0 Anna 1)\n#end document\n", "2"),
        (b"#begin document (a)\na 0 0 Ann\xff (1)\n#end document\n", "UTF-8"),
        (b"#begin document (b)\nb 0 0 Anna (1)\n#end document\n", "not in"),
        (b"\x00\x01\x02 what is this", "bad.conll"),
        (b"just some text\nwithout anything\n", "bad.conll"),
    ],
)
def test_bad_input_gives_one_line_status_2_and_no_number(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, content: bytes, says: str
) -> None:
    key, bad = tmp_path / "key.conll", tmp_path / "bad.conll"
    key.write_text("#begin document (a)\na 0 0 Anna (1)\n#end document\n")
    bad.write_bytes(content)
    for arguments in ((str(key), str(bad)), (str(bad), str(key))):
        status, out, err = run(capsys, "score", *arguments)
        assert (status, out) == (2, "")
        assert err.count("\n") == 1
        assert err.startswith("corefine: error: ")
        assert says in err
        assert "Traceback" not in err


def test_unknown_metrics_and_options_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capsys, "score", KEY, CAREFUL, "-m", "leaa")
    assert (status, out) == (2, "")
    assert "Did you mean 'lea'?" in err
    assert run(capsys, "score", KEY, CAREFUL, "--singletons", "maybe")[0] == 2
    status, _, err = run(capsys, "scroe")
    assert status == 2
    assert "Did you mean 'score'?" in err


def test_only_one_side_can_be_standard_input(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "score", "-", "-")[0] == 2


def test_standard_input_is_read() -> None:
    result = subprocess.run(
        [sys.executable, "-m", "corefine", "score", KEY, "-", "-m", "muc", "--output", "csv"],
        input=Path(CAREFUL).read_bytes(),
        capture_output=True,
        check=True,
    )
    assert result.stdout.splitlines()[1].startswith(b"muc,1.0,0.565")


def test_a_reader_that_goes_away_is_no_error() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        result = subprocess.run(
            [sys.executable, "-m", "corefine", "metrics"], stdout=writing, stderr=subprocess.PIPE
        )
    finally:
        os.close(writing)
    assert (result.returncode, result.stderr) == (0, b"")


def test_metrics_lists_them_all(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "metrics")
    shown = " ".join(out.split())  # lines are broken as wide as the terminal is
    for metric in registered():
        assert metric.summary in shown
    _, out, _ = run(capsys, "metrics", "lea")
    assert {metric.name: metric for metric in registered()}["lea"].citation in " ".join(out.split())


def test_demo_shows_the_metrics_disagreeing(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "demo")
    assert status == 0
    story = out.partition("Try ")[0]
    rows = {line.split()[0]: line.split()[-1] for line in story.splitlines() if line}
    assert rows["muc"] == "eager"
    assert rows["lea"] == "careful"


@pytest.mark.parametrize("name", command_names())
def test_every_command_has_help(capsys: pytest.CaptureFixture[str], name: str) -> None:
    status, out, _ = run(capsys, name, "--help")
    assert status == 0
    assert "Usage: corefine" in out


def test_the_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert corefine.__version__ in run(capsys, "--version")[1]


def test_intervals_of_one_system(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    key = {f"d{n}": [[(0, 0), (2, 2), (4, 4)], [(6, 6), (8, 8)]] for n in range(6)}
    response = {name: [[(0, 0), (2, 2)], [(4, 4 + n % 2)]] for n, name in enumerate(key)}
    scores = corefine.score(key, response, "muc,lea")
    bounds = scores.intervals(replicates=200)
    assert all(low <= scores[name].f1 <= high for name, (low, high) in bounds.items())
    assert corefine.score([["a", "b"]], [["a", "b"]]).intervals() == {}
    status, out, _ = run(capsys, "score", sample_path("key"), sample_path("eager"), "--intervals")
    assert status == 0
    assert "fewer than two documents" in out


def test_a_table_of_a_breakdown_needs_the_breakdown(capsys: pytest.CaptureFixture[str]) -> None:
    sides = sample_path("key"), sample_path("eager")
    assert "needs --by kind" in run(capsys, "score", *sides, "--tables", "by-kind")[2]
    assert "'by-kinds'" in run(capsys, "score", *sides, "--tables", "by-kinds")[2]


def test_pages_are_html_and_folders_have_results(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    key, careful, eager = map(sample_path, ("key", "careful", "eager"))
    assert run(capsys, "report", key, careful, "-o", str(tmp_path / "y.pdf"))[0] == 2
    for name, response in (("a", careful), ("b", eager)):
        run(capsys, "score", key, response, "--save", str(tmp_path / f"{name}.json"))
    few = ("--trials", "9", "--replicates", "9")
    page = tmp_path / "page" / "index.html"
    page.parent.mkdir()
    assert run(capsys, "leaderboard", str(tmp_path), "-o", str(page), *few)[0] == 0
    assert page.read_text("utf-8").startswith("<!")
    assert run(capsys, "leaderboard", str(tmp_path), "-o", str(tmp_path / "b.md"), *few)[0] == 2
    assert run(capsys, "leaderboard", str(page.parent), "-o", str(page), *few)[0] == 2


def test_commands_as_functions(tmp_path: Path) -> None:
    key, careful = sample_path("key"), sample_path("careful")
    assert corefine.convert(key, tmp_path / "key.jsonl").documents == ("the-letter",)
    (checked,) = corefine.check(tmp_path / "key.jsonl")
    assert checked.problems == ()
    assert corefine.why_differs(key, careful, "coval", "muc").verdict.startswith("coval and ")
