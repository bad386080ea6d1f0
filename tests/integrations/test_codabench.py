"""The Codabench bundle: its files, and its scoring program run as Codabench runs it."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import corefine
from corefine.cli.samples import sample_path
from corefine.integrations.codabench import write_bundle


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    path = tmp_path / "bundle.zip"
    write_bundle(sample_path("key"), path, "conll,lea", title="Sample", singletons="drop")
    folder = tmp_path / "bundle"
    zipfile.ZipFile(path).extractall(folder)
    return folder


def run_program(bundle: Path, submission: Path, tmp_path: Path) -> subprocess.CompletedProcess[str]:
    source, output = tmp_path / "input", tmp_path / "output"
    (source / "res").mkdir(parents=True)
    output.mkdir()
    (source / "ref").symlink_to(bundle / "reference_data")
    (source / "res" / submission.name).write_bytes(submission.read_bytes())
    program = bundle / "scoring_program" / "score.py"
    return subprocess.run(
        [sys.executable, program, source, output], capture_output=True, text=True, check=False
    )


def test_program_scores_a_submission(bundle, tmp_path):
    competition = json.loads((bundle / "competition.yaml").read_text(encoding="utf-8"))
    task = competition["tasks"][0]
    named = [competition["image"], competition["terms"], task["reference_data"]]
    named += [task["scoring_program"], *(page["file"] for page in competition["pages"])]
    assert all((bundle / name).exists() for name in named)
    columns = [column["key"] for column in competition["leaderboards"][0]["columns"]]
    done = run_program(bundle, Path(sample_path("careful")), tmp_path)
    assert done.returncode == 0, done.stderr
    written = json.loads((tmp_path / "output" / "scores.json").read_text(encoding="utf-8"))
    scores = corefine.score(
        sample_path("key"), sample_path("careful"), "conll,lea", singletons="drop"
    )
    assert list(written) == columns == ["conll", "lea"]
    assert written == {name: 100 * scores[name].f1 for name in columns}


@pytest.mark.slow
def test_program_reports_a_bad_submission(bundle, tmp_path):
    bad = tmp_path / "bad.conll"
    bad.write_text("nonsense\n", encoding="utf-8")
    done = run_program(bundle, bad, tmp_path)
    assert done.returncode == 1
    assert "corefine: error:" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "output" / "scores.json").exists()
