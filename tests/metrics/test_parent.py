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
