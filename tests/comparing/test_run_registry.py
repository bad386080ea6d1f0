"""Saved results of many trainings, by data set, experiment, epoch and seed."""

from __future__ import annotations

from statistics import mean

import pytest

import corefine
from corefine.cli import main
from corefine.comparing.plan import PlanOptions
from corefine.comparing.run_registry import registered_runs
from corefine.errors import UsageError
from tests.comparing.test_systems import many_documents

KEY, SYSTEMS = many_documents(documents=12)
FAST: PlanOptions = {"trials": 99, "replicates": 50}


@pytest.fixture
def folder(tmp_path):
    """Two systems, two epochs, two seeds; the first system gets worse in the last epoch."""
    saved = {
        ("ours", 1): ("good", "good"),
        ("ours", 2): ("middling", "good"),
        ("theirs", 1): ("poor", "poor"),
        ("theirs", 2): ("poor", "middling"),
    }
    for (system, epoch), names in saved.items():
        for seed, name in enumerate(names):
            place = tmp_path / f"{system}-dev-e{epoch}-s{seed}.json"
            corefine.score(KEY, SYSTEMS[name], "lea,muc").save(place)
    (tmp_path / "notes.json").write_text("{}")
    return tmp_path


def f1(*names):
    return mean(corefine.score(KEY, SYSTEMS[name], "lea")["lea"].f1 for name in names)


def test_last_and_best_epochs(folder):
    found = registered_runs(folder, metric="lea", **FAST)
    ours, theirs = found.tables("experiments")[0].rows
    assert ours[:4] == ("dev", "ours", 2, 2)
    assert list(ours[4:]) == pytest.approx([f1("middling", "good"), 1, f1("good")])
    assert list(theirs[4:]) == pytest.approx([f1("poor", "middling"), 2, f1("poor", "middling")])


def test_the_difference_is_that_of_the_runs_at_the_last_epoch(folder):
    found = registered_runs(folder, metric="lea", **FAST)
    runs = {
        system: [corefine.load_scores(folder / f"{system}-dev-e2-s{seed}.json") for seed in (0, 1)]
        for system in ("ours", "theirs")
    }
    expected = corefine.compare(runs, metrics="lea", trials=99, replicates=50)
    assert found.differences["dev"] == expected.difference("ours", "theirs", "lea")
    assert "On dev, ours leads theirs by" in found.verdict


def test_other_names_and_patterns(folder):
    found = registered_runs(folder, pattern="{data}_{system}", metric="muc", **FAST)
    assert len(found.systems) == 8
    assert len({run.data for run in found.runs}) == 1
    assert found.default_tables == ("experiments",)
    with pytest.raises(UsageError):
        registered_runs(folder, pattern="{model}")
    with pytest.raises(UsageError):
        registered_runs(folder, metric="ceafe")


def test_the_command(folder, capsys):
    few = ["--trials", "50", "--replicates", "50", "-m", "lea"]
    assert main(["runs", str(folder), *few]) == 0
    assert len(capsys.readouterr().out.splitlines()) <= 30
    page = folder / "index.html"
    assert main(["runs", str(folder), *few, "-o", str(page)]) == 0
    assert page.read_text("utf-8").lstrip().lower().startswith("<!doctype html>")
    empty = folder / "empty"
    empty.mkdir()
    assert main(["runs", str(empty)]) == 2
