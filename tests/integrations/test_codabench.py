"""The scoring program for Codabench in the documentation, run as Codabench runs it."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import corefine
from tests.building.sample import sample_path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "shared-tasks.md"


@pytest.fixture
def competition(tmp_path: Path) -> Path:
    """The program, and folders with a key, a submission and the output."""
    section = PAGE.read_text("utf-8").partition("## A task on Codabench")[2]
    program = section.partition("```python\n")[2].partition("```")[0]
    (tmp_path / "score.py").write_text(program, "utf-8")
    for folder in ("ref", "res", "output"):
        (tmp_path / folder).mkdir()
    shutil.copy(sample_path("key"), tmp_path / "ref" / "letter.conll")
    return tmp_path


def run_program(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, folder / "score.py", folder, folder / "output"],
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_program_scores_a_submission(competition):
    shutil.copy(sample_path("careful"), competition / "res" / "letter.conll")
    (competition / "res" / "metadata").write_text("submitted: 2026\n")
    done = run_program(competition)
    assert done.returncode == 0, done.stderr
    written = json.loads((competition / "output" / "scores.json").read_text("utf-8"))
    scores = corefine.score(
        sample_path("key"), sample_path("careful"), "conll,lea", singletons="drop"
    )
    assert written == {name: 100 * scores[name].f1 for name in ("conll", "lea")}


def test_a_missing_file_scores_zero_and_a_broken_one_is_refused(competition):
    shutil.copy(sample_path("key"), competition / "ref" / "missing.conll")
    shutil.copy(sample_path("key"), competition / "res" / "letter.conll")
    done = run_program(competition)
    assert done.returncode == 0, done.stderr
    assert "missing" in done.stderr
    written = json.loads((competition / "output" / "scores.json").read_text("utf-8"))
    assert written == {"conll": 50, "lea": 50}
    (competition / "res" / "letter.conll").write_text("#begin document (the-letter);\n0 (1\n")
    done = run_program(competition)
    assert done.returncode == 1
    assert done.stderr.startswith("corefine: error: ")
