"""PARENT: the paper's cases, brute force, and what must hold of it."""

from __future__ import annotations

import pytest
from hypothesis import example, given

import corefine
from corefine.metrics.parent import Parent
from tests.building.linguistic_reference import parent
from tests.building.partitions import entity_lists


@given(entity_lists(), entity_lists())
@example([[0, 2, 3], [4, 5, 6]], [[0, 2, 5], [3, 4, 6]])
def test_any_predicate_may_split_the_mentions(key, response):
    metric = Parent(
        defining=lambda expression: int(str(expression.id)) % 3 == 0,
        referring=lambda expression: int(str(expression.id)) % 2 == 0,
    )
    expected = parent(
        key,
        response,
        lambda mention: mention % 3 == 0,  # type: ignore[operator]
        lambda mention: mention % 2 == 0 and mention % 3 != 0,  # type: ignore[operator]
    )
    score = corefine.score(key, response, metric, kinds="none")[str(metric)]
    assert (score.precision, score.recall) == pytest.approx(expected, abs=1e-12)


def test_romeo_and_juliet():
    """The paper's introduction: two pronouns swapped, or the two names."""
    key = [["Romeo", "he1", "he2", "he3"], ["Juliet", "she1", "she2", "she3"]]
    pronouns = [["Romeo", "she1", "he2", "he3"], ["Juliet", "he1", "she2", "she3"]]
    names = [["Juliet", "he1", "he2", "he3"], ["Romeo", "she1", "she2", "she3"]]
    kinds = {m: "name" if m in ("Romeo", "Juliet") else "pronoun" for e in key for m in e}
    first = corefine.score(key, pronouns, "all", kinds=kinds)
    second = corefine.score(key, names, "all", kinds=kinds)
    for name in ("muc", "b3", "ceafm", "ceafe", "blanc", "lea", "conll"):
        assert first[name] == second[name]
    assert first["parent"].f1 == 2 / 3
    assert second["parent"].f1 == 0


def test_one_entity_of_invented_mentions_dilutes_precision():
    """Section 4.5: precision |R| / ((|R| + |I|) |key|) for one cluster with invented mentions."""
    key = [["A", "a1", "a2"], ["B", "b1"]]
    kinds = {"A": "name", "B": "name"} | dict.fromkeys(("a1", "a2", "b1", "i1", "i2"), "pronoun")
    score = corefine.score(key, [["A", "a1", "a2", "B", "b1", "i1", "i2"]], "parent", kinds=kinds)
    assert score["parent"].precision == 3 / ((3 + 2) * 2)
    assert score["parent"].recall == 1
