"""Folds of a cross-validation: in several processes, and kept from an interrupted run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from corefine.corpus.arrays import Strings
from corefine.corpus.corpus import Corpus
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
    kept = sorted(path.name for path in (tmp_path / "folds").iterdir())
    assert [name.rpartition("-")[0] for name in kept] == ["fold-1", "fold-2"]
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


@pytest.mark.parametrize("damage", ["{", "[]", '{"entities": {"headmatch": "x"}}'])
def test_a_damaged_fold_is_computed_again(corpus: Corpus, tmp_path: Path, damage: str) -> None:
    whole = cross_validate(corpus, ["headmatch"], folds=3, resume=tmp_path)
    (path,) = tmp_path.glob("fold-2-*")
    path.write_text(damage)
    found = cross_validate(corpus, ["headmatch"], folds=3, resume=tmp_path)
    assert found.to_dict() == whole.to_dict()


def test_folds_of_another_run_are_not_used(corpus: Corpus, tmp_path: Path) -> None:
    cross_validate(corpus, ["headmatch"], folds=3, resume=tmp_path)
    changes: list[dict[str, Any]] = [{"seed": 1}, {"folds": 2}, {"markables": "detected"}]
    for change in changes:
        before = len(list(tmp_path.iterdir()))
        arguments: dict[str, Any] = {"folds": 3, **change}
        cross_validate(corpus, ["headmatch"], resume=tmp_path, **arguments)
        assert len(list(tmp_path.iterdir())) == before + arguments["folds"]


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

    def kept() -> int:
        return len(list((tmp_path / "folds").iterdir()))

    run(corpus)
    run(corpus)
    assert kept() == 3
    tags = corpus.tokens.layers["pos"].tolist()
    layers = {**corpus.tokens.layers, "pos": Strings.from_list(["NN", *tags[1:]])}
    run(replace(corpus, tokens=replace(corpus.tokens, layers=layers)))
    assert kept() == 6
    kinds.write_text(kinds.read_text("utf-8").replace("name", "pronoun"), "utf-8")
    run(corpus)
    assert kept() == 9
