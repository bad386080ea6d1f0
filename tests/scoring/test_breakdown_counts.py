"""Scores by kind and by type: the parts add up, and each is what it is said to be."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import corefine
from corefine.cli import main
from corefine.cli.samples import sample_path
from corefine.corpus.corpus import Corpus
from corefine.errors import UsageError
from tests.building.partitions import Entities, corpora, entity_lists

BY_KIND = "mentions,muc,b3,ceafm,lea,lea(importance=uniform),lb3,parent,pairs"
KINDS = {m: ("name", "nominal", "pronoun", "zero", "unknown")[m % 5] for m in range(12)}


def typed(side: Entities, types: list[int]) -> Corpus:
    corpus = Corpus.from_entities(side)
    column = np.array([types[mention] for entity in side for mention in entity], np.int64)
    return replace(
        corpus, types=("person", "place"), mentions=replace(corpus.mentions, type=column)
    )


@pytest.mark.parametrize("twinless", ["none", "cai-strube"])
@given(key=entity_lists(), response=entity_lists())
def test_the_kinds_add_up_to_the_whole(key: Entities, response: Entities, twinless: str) -> None:
    scores = corefine.score(key, response, BY_KIND, kinds=KINDS, by="kind", twinless=twinless)
    (breakdown,) = scores.breakdowns
    for metric, whole in scores.counts.values.items():
        for name, column in whole.items():
            parts = [part[metric][name][0] for part in breakdown.parts.values() if metric in part]
            assert sum(parts) == pytest.approx(column[0], abs=1e-9), (metric, name)


def test_kinds_by_hand() -> None:
    """Rome, it | Anna, she, her: the response joins Anna with she, and her with Rome."""
    key = [["Rome", "it"], ["Anna", "she", "her"]]
    response = [["Anna", "she"], ["Rome", "her"], ["it"]]
    kinds = {"Anna": "name", "Rome": "name"} | dict.fromkeys(("she", "her", "it"), "pronoun")
    scores = corefine.score(key, response, "muc,b3,lea,parent,mentions", kinds=kinds, by="kind")
    by = scores.breakdown["kind"]
    # Three pronouns stand behind another mention of their entity, one of them is joined to it.
    assert by["pronoun"]["muc"].recall == 1 / 3
    # In the response the two pronouns that follow another mention are joined, one rightly.
    assert by["pronoun"]["muc"].precision == 1 / 2
    assert "muc" not in by["name"]
    assert by["name"]["b3"].recall == pytest.approx((2 / 3 + 1 / 2) / 2)
    assert by["pronoun"]["b3"].recall == pytest.approx((2 / 3 + 1 / 3 + 1 / 2) / 3)
    # Anna is joined with one of two, Rome with none.
    assert by["name"]["lea"].recall == pytest.approx((1 / 2 + 0) / 2)
    assert by["pronoun"]["parent"] == scores["parent"]
    assert by["name"]["mentions"].f1 == 1


@settings(max_examples=30)
@given(entity_lists(), entity_lists(), st.lists(st.integers(-1, 1), min_size=12, max_size=12))
def test_a_type_is_scored_on_its_own(key: Entities, response: Entities, types: list[int]) -> None:
    types[0] = 0
    if not any(0 in entity for entity in key):
        key = [*key, [0]]
    sides = typed(key, types), typed(response, types)
    scores = corefine.score(*sides, "all", by="type", kinds=KINDS)
    groups = {0: "person", 1: "place", -1: "untyped"}
    for number, group in groups.items():
        ours, theirs = (
            [[m for m in entity if types[m] == number] for entity in side]
            for side in (key, response)
        )
        if not any(ours) and not any(theirs):
            assert group not in scores.breakdown["type"]
            continue
        expected = corefine.score(ours, theirs, "all", kinds=KINDS)
        assert scores.breakdown["type"][group] == expected.by_name


@settings(max_examples=30)
@given(corpora())
def test_shards_equal_the_whole(sides: tuple[dict[str, Entities], dict[str, Entities]]) -> None:
    key, response = sides
    whole = corefine.score(key, response, BY_KIND, kinds=KINDS, by="kind")
    one, other = (corefine.Evaluator(BY_KIND, kinds=KINDS, by="kind") for _ in range(2))
    for number, document in enumerate(key):
        (one, other)[number % 2].update(key[document], response[document], document)
    merged = other.merge(one).compute()
    assert merged.breakdown == whole.breakdown
    assert merged.signature == whole.signature


def test_an_evaluator_with_nothing_has_empty_breakdowns() -> None:
    scores = corefine.Evaluator("b3,muc", by="kind,type").compute()
    assert scores.breakdown == {"kind": {}, "type": {}}
    with pytest.raises(UsageError, match="cannot merge evaluators with"):
        corefine.Evaluator("b3", by="kind").merge(corefine.Evaluator("b3"))


def test_metrics_that_cannot_be_divided_are_named() -> None:
    scores = corefine.score([["a", "b"]], [["a"]], "b3,ceafe,conll", kinds={"a": "name"}, by="kind")
    assert scores.warnings[-1] == "by kind: ceafe, conll cannot be broken down by mention kind"
    assert list(scores.breakdown["kind"]["name"]) == ["b3"]


def test_words_for_breakdowns() -> None:
    with pytest.raises(UsageError, match="by cannot be 'colour'"):
        corefine.score([["a"]], [["a"]], by="colour")
    with pytest.raises(UsageError, match="scores by type need semantic"):
        corefine.score([["a"]], [["a"]], by="type")


def test_json_csv_and_tables_on_the_command_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    files = [sample_path("key"), sample_path("careful")]
    arguments = ["score", *files, "-m", "b3,pairs", "--by", "kind", "--by", "overlap"]
    assert main([*arguments, "--output", "json"]) == 0
    result: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert set(result["by"]) == {"kind", "overlap"}
    assert 0 < result["by"]["kind"]["pronoun"]["b3"]["f1"] < 1
    assert "kinds:pos" in result["signature"]
    assert main([*arguments, "--output", "csv"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "document,by,part,metric,precision,recall,f1"
    assert any(line.startswith(",overlap,exact,pairs.coreferent,") for line in lines)
    assert main(arguments) == 0
    assert "By overlap" in capsys.readouterr().out
    assert main(["score", *files, "--by", "type"]) == 2
    assert "semantic types" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.parametrize("name", ["gum", "ontogum", "craft", "litbank"])
def test_everything_runs_on_every_pair(data: Path, name: str) -> None:
    folder = data / name
    kinds = f"{folder / 'types.tsv'},pos"
    key = corefine.read(folder / "key.conll")
    systems = sorted(path for path in folder.glob("*.conll") if path.name != "key.conll")
    assert systems
    for system in systems:
        response = corefine.read(system)
        scores = corefine.score(
            key,
            response,
            "all,lmuc(weights=W1),lea(importance=information)",
            kinds=kinds,
            by="kind,overlap,type" if name != "ontogum" else "kind,overlap",
        )
        assert scores.signature.settings["kinds"].startswith("types.tsv")
        assert all(0 <= score.f1 <= 1 for score in scores.values())
        for groups in scores.breakdown.values():
            assert len(groups) > 2
        whole, parts = scores.counts.values["b3"]["recall_part"], scores.breakdowns[0]
        summed = sum(parts.column(group, "b3", "recall_part") for group in parts.parts)
        assert np.allclose(summed, whole)
    perfect = corefine.score(key, key, "linguistic,lea(importance=information)", kinds=kinds)
    assert all(score.f1 == pytest.approx(1) for score in perfect.values())


def test_a_genre_per_document_takes_linear_space() -> None:
    key = {f"g{number}/x": [["a", "b"], ["c"]] for number in range(300)}
    scores = corefine.score(key, key, "default", by="genre")
    (breakdown,) = scores.breakdowns
    assert len(breakdown.parts) == 300
    stored = [
        column
        for metrics in breakdown.parts.values()
        for statistics in metrics.values()
        for column in statistics.values()
    ]
    assert all(len(column) == 1 for column in stored)
    assert scores.part_intervals() == {"genre": {}}


def test_groups_of_documents_are_available_for_a_saved_result(tmp_path: Path) -> None:
    key = {f"{genre}/{n}": [["a", "b"], ["c", "d"]] for genre in ("bc", "nw") for n in range(3)}
    response = {name: [["a", "b"], ["c"]] if name[0] == "b" else [["a", "d"]] for name in key}
    path = tmp_path / "saved.json"
    corefine.score(key, response).save(path)
    saved = corefine.load_scores(path)
    expected = corefine.score(key, response, by="genre")
    assert saved.broken_down("genre").breakdown == expected.breakdown
    genres = {name: name[-1] for name in key}
    other = corefine.score(key, response, by="genre", genres=genres)
    assert saved.broken_down("genre", genres).breakdown == other.breakdown
    for by in ("size", "length"):
        with pytest.raises(UsageError):
            saved.broken_down(by)


def test_topics_are_groups_of_documents() -> None:
    key = {f"{topic}_{n}": [["a", "b"], ["c", "d"]] for topic in (1, 2) for n in range(2)}
    scores = corefine.score(key, {**key, "2_0": [["a", "c"]]}, "muc", by="topic")
    assert {group: found["muc"].f1 for group, found in scores.breakdown["topic"].items()} == {
        "1": 1,
        "2": pytest.approx(2 * (2 / 3) * (2 / 4) / (2 / 3 + 2 / 4)),
    }
