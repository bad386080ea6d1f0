"""PARENT: the paper's cases, brute force, and what must hold of it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import corefine
from corefine.metrics.parent import Parent
from tests.building.linguistic_reference import parent
from tests.building.partitions import Entities, entity_lists

KINDS = ("name", "nominal", "pronoun", "zero", "unknown")
kinds_of_mentions = st.fixed_dictionaries(
    {mention: st.sampled_from(KINDS) for mention in range(12)}
)


@given(entity_lists(), entity_lists(), kinds_of_mentions, st.booleans())
def test_counted_pairs_equal_listed_pairs(
    key: Entities, response: Entities, kinds: dict[int, str], gold_all: bool
) -> None:
    metric = Parent(gold="all" if gold_all else "defined")
    expected = parent(
        key,
        response,
        lambda mention: kinds[mention] == "name",  # type: ignore[index]
        lambda mention: kinds[mention] in ("nominal", "pronoun", "zero"),  # type: ignore[index]
        gold_all,
    )
    score = corefine.score(key, response, metric, kinds=kinds)[str(metric)]
    assert (score.precision, score.recall) == pytest.approx(expected, abs=1e-12)


@given(entity_lists(), entity_lists())
@example([[0, 2, 3], [4, 5, 6]], [[0, 2, 5], [3, 4, 6]])
def test_any_predicate_may_split_the_mentions(key: Entities, response: Entities) -> None:
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


@given(entity_lists(), kinds_of_mentions, st.randoms(use_true_random=False))
def test_links_between_referring_mentions_do_not_count(
    key: Entities, kinds: dict[int, str], chance: Any
) -> None:
    """Joining entities that have no defining mention changes nothing, nor does cutting them."""
    named = [e for e in key if any(kinds[m] == "name" for m in e)]
    unnamed = [m for e in key if e not in named for m in e]
    chance.shuffle(unnamed)
    cut = chance.randint(0, len(unnamed))
    joined = [*named, *[part for part in (unnamed[:cut], unnamed[cut:]) if part]]
    apart = [*named, *[[mention] for mention in unnamed]]
    one = corefine.score(key, joined, "parent", kinds=kinds)
    other = corefine.score(key, apart, "parent", kinds=kinds)
    assert one.by_name == other.by_name


def test_romeo_and_juliet() -> None:
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


def test_one_entity_of_invented_mentions_dilutes_precision() -> None:
    """Section 4.5: precision |R| / ((|R| + |I|) |key|) for one cluster with invented mentions."""
    key = [["A", "a1", "a2"], ["B", "b1"]]
    kinds = {"A": "name", "B": "name"} | dict.fromkeys(("a1", "a2", "b1", "i1", "i2"), "pronoun")
    score = corefine.score(key, [["A", "a1", "a2", "B", "b1", "i1", "i2"]], "parent", kinds=kinds)
    assert score["parent"].precision == 3 / ((3 + 2) * 2)
    assert score["parent"].recall == 1
