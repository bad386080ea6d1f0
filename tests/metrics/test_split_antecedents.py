"""Split antecedents: the worked cases, the definition by brute force, and what must not change."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given

import corefine
from corefine.corpus.columns import Relation
from corefine.metrics.split_antecedents import sets_of
from corefine.scoring.count import tabulate
from corefine.scoring.request import Request
from tests.building.partitions import entity_lists
from tests.building.refusals import refused
from tests.building.split_corpora import split_corpus
from tests.conftest import CASES

WORKED = json.loads((CASES / "split_antecedents.json").read_text("utf-8"))
RANDOM = json.loads((CASES / "split_antecedents_random.json").read_text("utf-8"))


def entity(mentions: str, split: str | None = None) -> dict[str, Any]:
    return {"mentions": list(mentions), "split": None if split is None else list(split)}


def value(written: str) -> float:
    numerator, _, denominator = written.partition("/")
    return float(numerator) / float(denominator or 1)


@pytest.mark.parametrize("case", WORKED, ids=lambda case: case["name"])
def test_the_worked_cases_of_the_universal_anaphora_scorer(case):
    sides = split_corpus({"": case["key"]}), split_corpus({"": case["response"]})
    scores = corefine.score(*sides, list(case["expected"]), split_antecedents="score")
    for metric, expected in case["expected"].items():
        for name, written in expected.items():
            found = getattr(scores[metric], name)
            assert found == pytest.approx(value(written), abs=6e-6), (metric, name)


@pytest.mark.parametrize("case", RANDOM)
def test_random_cases_by_the_definition(case):
    """Expected values by brute force over all alignments, in fractions."""
    sides = split_corpus({"": case["key"]}), split_corpus({"": case["response"]})
    for mode, expected in case["expected"].items():
        scores = corefine.score(*sides, list(expected), split_antecedents=mode)
        for name, written in expected.items():
            assert tuple(scores[name])[:3] == pytest.approx(tuple(map(value, written))), name
    counts = corefine.score(*sides, "blanc", split_antecedents="score").counts.values["blanc"]
    for half, written in case["blanc"].items():
        got = [float(counts[f"{half}_{of}"][0]) for of in ("common", "key", "response")]
        assert got == pytest.approx(list(map(value, written))), half


@given(key=entity_lists(), response=entity_lists())
def test_without_sets_nothing_changes(key, response):
    plain = corefine.score(key, response, "all")
    scored = corefine.score(key, response, "all", split_antecedents="score")
    assert {name: plain[name] for name in plain} == {name: scored[name] for name in scored}
    assert all(score.f1 == 0 for score in corefine.score(
        key, response, split_antecedents="only").values())  # fmt: skip


def test_sets_of_sets_are_resolved_and_circles_are_none():
    nested = [entity("a"), entity("b"), entity("c"), entity("d", "ab"), entity("e", "dc")]
    flat = [entity("a"), entity("b"), entity("c"), entity("d", "ab"), entity("e", "abc")]
    sides = split_corpus({"": nested}), split_corpus({"": flat})
    scores = corefine.score(*sides, "b3,lea,blanc", split_antecedents="score")
    assert all(score.f1 == 1 for score in scores.values())
    circle = split_corpus({"": [entity("a"), entity("b")]})
    circle = replace(
        circle, relations=(Relation("split", 0, "e0", "e1"), Relation("split", 0, "e1", "e0"))
    )
    table = tabulate(circle, circle, Request.of("b3", split_antecedents="score"))
    assert not sets_of(table)


def test_equal_sets_make_one_entity():
    apart = [entity("a"), entity("b"), entity("f", "ab"), entity("g", "ba")]
    joined = [entity("a"), entity("b"), entity("fg", "ab")]
    sides = split_corpus({"": joined}), split_corpus({"": apart})
    scores = corefine.score(*sides, split_antecedents="score")
    assert all(scores[name].f1 == 1 for name in scores if name != "mentions")
    assert corefine.score(*sides)["muc"].recall == 0


@pytest.mark.parametrize(("antecedent", "right"), [(3, 1), (1, 0)])
def test_either_of_equal_sets_is_an_antecedent_in_bridging(antecedent, right):
    sets = {0: None, 1: None, 2: [0, 1], 3: [1, 0]}
    side = split_corpus({"": [{"mentions": [one], "split": sets[one]} for one in sets]})
    links = (Relation("bridge", 0, "e0", f"e{one}") for one in (2, antecedent))
    key, response = (replace(side, relations=(*side.relations, link)) for link in links)
    scores = corefine.score(key, response, "bridging.entity", split_antecedents="score")
    assert scores["bridging.entity"].f1 == right


@pytest.mark.parametrize(
    ("key", "response", "metric", "mode", "recall"),
    [
        # Equal sets without links are right by the rule of 2014.
        ({"a": None, "f": "a"}, {"a": None, "f": "a"}, "blanc(rule=luo2014)", "only", 1),
        # A link weighs what its ends are worth; the set is worth 1/2. The scorer of Universal
        # Anaphora goes on to weigh links by the set once it has met it, and gives 7/10.
        ({"a": None, "b": None, "fg": "ab"}, {"a": None, "b": None, "fg": "a"}, "lea", "score",
         (1 + 1 + 3 * (1 + 1 / 2 + 1 / 2) / 3) / 5),
    ],
)  # fmt: skip
def test_sets_by_hand(key, response, metric, mode, recall):
    ours, theirs = (
        split_corpus({"": [entity(mentions, split) for mentions, split in side.items()]})
        for side in (key, response)
    )
    found = corefine.score(ours, theirs, metric, split_antecedents=mode)[metric]
    assert found.recall == pytest.approx(recall)


def test_averages_and_signature():
    case = WORKED[4]
    sides = split_corpus({"": case["key"]}), split_corpus({"": case["response"]})
    scores = corefine.score(*sides, split_antecedents="score")
    parts = [scores[name].f1 for name in ("muc", "b3", "ceafe")]
    assert scores["conll"].f1 == pytest.approx(np.mean(parts))
    assert "|split:score|" in str(scores["muc"].signature)
    assert "split" not in str(corefine.score(*sides)["muc"].signature)
    assert "mentions" not in corefine.score(*sides, split_antecedents="only")


@pytest.mark.parametrize(
    "options",
    [
        *({"singletons": "drop"}, {"twinless": "drop"}, {"scope": "corpus"}, {"window": 5}),
        *({"by": "kind"}, {"metrics": "parent"}, {"metrics": "lea(importance=information)"}),
    ],
    ids=str,
)
def test_what_would_need_another_definition_is_refused(options):
    with refused("usage"):
        corefine.score([["a"]], [["a"]], split_antecedents="only", **options)


def test_metrics_and_analyses_without_a_definition():
    scores = corefine.score([["a", "b"]], [["a", "b"]], "muc,parent", split_antecedents="score")
    assert any("parent" in warning for warning in scores.warnings)
    with refused("usage"):
        corefine.explain([["a"]], [["a"]], split_antecedents="score")
