"""``corefine score``: bad input, warnings, standard input and closed pipes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from corefine.cli import main
from tests.building.sample import sample_path

KEY, CAREFUL = map(sample_path, ("key", "careful"))


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    status = main(list(map(str, arguments)))
    captured = capsys.readouterr()
    return status, captured.out, captured.err


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "empty"),
        (b"#begin document (a)\na 0 0 Anna (1\n#end document\n", "2"),
        (b"#begin document (a)\na 0 0 Ann\xff (1)\n#end document\n", "UTF-8"),
        (b"#begin document (b)\nb 0 0 Anna (1)\n#end document\n", "not in"),
        (b"\x00\x01\x02 what is this", "bad.conll"),
    ],
)
def test_bad_input_gives_one_line_status_2_and_no_number(capsys, tmp_path, content, says):
    key, bad = tmp_path / "key.conll", tmp_path / "bad.conll"
    key.write_text("#begin document (a)\na 0 0 Anna (1)\n#end document\n")
    bad.write_bytes(content)
    for sides in ((key, bad), (bad, key)):
        status, out, err = run(capsys, "score", *sides)
        assert (status, out, err.count("\n")) == (2, "", 1)
        assert err.startswith("corefine: error: ")
        assert says in err


def test_warnings_go_to_standard_error_alone(capsys, tmp_path):
    key, response = tmp_path / "key.conll", tmp_path / "response.conll"
    key.write_text("#begin document (a)\na 0 0 Anna (1)\na 0 1 she (1)\n#end document\n")
    response.write_text("#begin document (a)\na 0 0 Anna (1)|(2)\na 0 1 she (1)\n#end document\n")
    status, out, err = run(capsys, "score", key, response, "--output", "json")
    assert status == 0
    assert len(json.loads(out)["warnings"]) == 1
    assert err.startswith("corefine: warning: response: mention 'Anna'")
    status, out, err = run(capsys, "score", key, response, "--duplicates", "error")
    assert (status, out) == (2, "")
    assert f"{response}:2" in err


@pytest.mark.slow
def test_standard_input_and_a_reader_that_goes_away():
    scoring = [sys.executable, "-m", "corefine", "score", KEY, "-", "-m", "muc", "--output", "csv"]
    done = subprocess.run(
        scoring, input=Path(CAREFUL).read_bytes(), capture_output=True, check=True
    )
    assert done.stdout.splitlines()[1].startswith(b"muc,1.0,0.565")
    reading, writing = os.pipe()
    os.close(reading)
    listing = [sys.executable, "-m", "corefine", "metrics"]
    done = subprocess.run(listing, stdout=writing, stderr=subprocess.PIPE)
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")
