"""Folds of a cross-validation: in several processes, and kept from an interrupted run."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from corefine.corpus.corpus import Corpus
from corefine.corpus.strings import Strings
from corefine.errors import CorefineError
from corefine.resolving import cross_validation
from corefine.resolving.cross_validation import cross_validate, resolve_fold
from tests.building.resolving_corpora import stories


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return stories(*range(4), sentences=8)


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
    reported: list[tuple[str, int, int]] = []

    def interrupt(task: str, done: int, total: int) -> None:
        reported.append((task, done, total))
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cross_validate(
            corpus, ["headmatch"], folds=3, jobs=1, resume=tmp_path / "folds", progress=interrupt
        )
    assert [done for task, done, _ in reported if task == "folds"] == [0, 1, 2]
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


def test_damaged_folds_and_those_of_another_run_are_refused(corpus: Corpus, tmp_path: Path) -> None:
    cross_validate(corpus, ["headmatch"], folds=3, resume=tmp_path)
    path = tmp_path / "fold-2.json"
    text = path.read_text()
    changes: list[dict[str, Any]] = [{"seed": 1}, {"folds": 2}, {"markables": "detected"}]
    for change in changes:
        with pytest.raises(CorefineError, match="another run"):
            cross_validate(corpus, ["headmatch"], resume=tmp_path, **{"folds": 3, **change})
    changed: list[dict[str, Any]] = [
        {"run": "another"}, {"entities": {"headmatch": [0]}}, {"entities": {"headmatch": "x"}},
        {"pairs": 3}, {"pairs": {"headmatch": {"all": [1, 2]}}},
    ]  # fmt: skip
    for damaged in ("{", "[]", *(json.dumps({**json.loads(text), **one}) for one in changed)):
        path.write_text(damaged)
        with pytest.raises(CorefineError, match="fold-2"):
            cross_validate(corpus, ["headmatch"], folds=3, resume=tmp_path)


def test_folds_are_not_reused_after_tags_or_mention_kinds_changed(
    corpus: Corpus, tmp_path: Path
) -> None:
    assert corpus.tokens is not None
    kinds = tmp_path / "kinds.tsv"
    mentions = corpus.mentions
    place = (str(mentions.start[0]), str(mentions.stop[0] - 1))
    first = "\t".join((corpus.documents[int(mentions.document[0])], *place, "name"))
    kinds.write_text(f"document\tstart\tend\tkind\n{first}\n", "utf-8")

    def run(corpus: Corpus) -> None:
        sources = f"{kinds},auto,guess"
        cross_validate(corpus, ["headmatch"], folds=3, kinds=sources, resume=tmp_path / "folds")

    run(corpus)
    run(corpus)
    tags = corpus.tokens.layers["pos"].tolist()
    layers = {**corpus.tokens.layers, "pos": Strings.from_list(["NN", *tags[1:]])}
    with pytest.raises(CorefineError, match="another run"):
        run(replace(corpus, tokens=replace(corpus.tokens, layers=layers)))
    kinds.write_text(kinds.read_text("utf-8").replace("name", "pronoun"), "utf-8")
    with pytest.raises(CorefineError, match="another run"):
        run(corpus)
