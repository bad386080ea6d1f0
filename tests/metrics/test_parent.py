"""PARENT: the paper's cases, brute force, and what must hold of it."""

from __future__ import annotations

from hypothesis import given

import corefine
from corefine.metrics.parent import Parent
from tests.building.partitions import entity_lists


@given(entity_lists(), entity_lists())
def test_predicates_split_the_mentions_as_kinds_do(key, response):
    """Mentions that are both defining and referring are defining."""
    by_predicates = Parent(
        defining=lambda expression: int(str(expression.id)) % 3 == 0,
        referring=lambda expression: int(str(expression.id)) % 2 == 0,
    )
    kinds = {m: "unknown" if m % 2 else "pronoun" for m in range(12)}
    kinds |= dict.fromkeys(range(0, 12, 3), "name")
    scores = corefine.score(key, response, [by_predicates, "parent"], kinds=kinds)
    assert scores[str(by_predicates)] == scores["parent"]


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
