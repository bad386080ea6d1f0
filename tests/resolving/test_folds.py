"""Folds of a cross-validation: in several processes, and kept from an interrupted run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from corefine.corpus.corpus import Corpus
from corefine.errors import CorefineError
from corefine.resolving import cross_validation
from corefine.resolving.cross_validation import cross_validate
from corefine.resolving.folds import resolve_fold
from tests.building.resolving_corpora import stories


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return stories(*range(6))


def entities(result: Any) -> list[list[int]]:
    return [response.mentions.entity.tolist() for response in result.responses.values()]


def test_processes_do_not_change_the_result(corpus: Corpus) -> None:
    one, two = (
        cross_validate(corpus, ["headmatch", "sieve"], folds=3, jobs=jobs) for jobs in (1, 2)
    )
    assert entities(one) == entities(two)
    assert one.to_dict() == two.to_dict()


def test_an_interrupted_run_goes_on_where_it_stopped(
    corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = cross_validate(corpus, ["headmatch"], folds=3)
    told: list[tuple[str, int, int]] = []

    def interrupt(task: str, done: int, total: int) -> None:
        told.append((task, done, total))
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cross_validate(
            corpus, ["headmatch"], folds=3, jobs=1, resume=tmp_path / "folds", progress=interrupt
        )
    assert [done for task, done, _ in told if task == "folds"] == [0, 1, 2]
    assert sorted(path.name for path in (tmp_path / "folds").iterdir()) == [
        "fold-1.json",
        "fold-2.json",
    ]
    resolved: list[int] = []
    real = resolve_fold

    def watched(folds: Any, trainers: Any, fold: int) -> Any:
        resolved.append(fold)
        return real(folds, trainers, fold)

    monkeypatch.setattr(cross_validation, "resolve_fold", watched)
    result = cross_validate(corpus, ["headmatch"], folds=3, jobs=1, resume=tmp_path / "folds")
    assert resolved == [2]
    assert entities(result) == entities(whole)
    assert result.to_dict() == whole.to_dict()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda held: "{", "not a finished fold"),
        (lambda held: "[]", "not a finished fold"),
        (lambda held: json.dumps({**held, "run": "another"}), "a fold of another run"),
        (lambda held: json.dumps({**held, "entities": {"headmatch": [0]}}), "a damaged fold"),
        (lambda held: json.dumps({**held, "entities": {"headmatch": "x"}}), "a damaged fold"),
        (lambda held: json.dumps({**held, "pairs": 3}), "a damaged fold"),
    ],
)
def test_what_is_no_fold_of_the_run_is_refused(
    corpus: Corpus, tmp_path: Path, change: Any, message: str
) -> None:
    cross_validate(corpus, ["headmatch"], folds=3, resume=tmp_path)
    path = tmp_path / "fold-2.json"
    path.write_text(change(json.loads(path.read_text())))
    with pytest.raises(CorefineError, match=message):
        cross_validate(corpus, ["headmatch"], folds=3, resume=tmp_path)


def test_another_run_is_refused(corpus: Corpus, tmp_path: Path) -> None:
    cross_validate(corpus, ["headmatch"], folds=3, resume=tmp_path)
    changes: list[dict[str, Any]] = [{"seed": 1}, {"folds": 2}, {"markables": "detected"}]
    for change in changes:
        arguments: dict[str, Any] = {"folds": 3, **change}
        with pytest.raises(CorefineError, match="another run"):
            cross_validate(corpus, ["headmatch"], resume=tmp_path, **arguments)
