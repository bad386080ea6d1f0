"""Matching by head, by part, by minimum span, and of zeros."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import permutations
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import corefine
from corefine.corpus.corpus import Corpus
from corefine.corpus.document import Document, Mention, merged
from corefine.errors import UsageError
from corefine.matching import nearest
from corefine.matching.settings import Settings
from corefine.scoring.count import match
from tests.building.refusals import refused

Expression = tuple[tuple[int, ...], int]
"""The tokens of a mention, and its head."""


def corpus(
    mentions: Sequence[Expression],
    length: int = 12,
    empty: Sequence[int] = (),
    deps: Sequence[str] = (),
    sentences: Sequence[int] = (0,),
) -> Corpus:
    """One document in which every mention is an entity of its own."""
    numbers = iter(range(length))
    document = Document(
        "d",
        ["_" if token in empty else f"w{next(numbers)}" for token in range(length)],
        [
            Mention(row, merged((word, word + 1) for word in words), head)
            for row, (words, head) in enumerate(mentions)
        ],
        starts=list(sentences),
        layers={"deps": list(deps)} if deps else {},
        empty_nodes=list(empty),
    )
    return Corpus.from_documents([document])


def pairs(key: Corpus, response: Corpus, **settings: Any) -> dict[int, int]:
    matching = match(key, response, Settings(**settings))
    ours = matching.key_mention.tolist()
    theirs = matching.response_mention.tolist()
    return {k: r for k, r in zip(ours, theirs, strict=True) if k >= 0 and r >= 0}


@st.composite
def expressions(draw: st.DrawFn) -> list[Expression]:
    found: dict[tuple[int, ...], int] = {}
    for _ in range(draw(st.integers(0, 5))):
        words = tuple(sorted(draw(st.sets(st.integers(0, 5), min_size=1, max_size=4))))
        found[words] = draw(st.sampled_from(words))
    return list(found.items())


def may_match(key: Expression, response: Expression, how: str) -> bool:
    if how == "head":
        return key[1] == response[1]
    return set(response[0]) <= set(key[0]) and key[1] in response[0]


@pytest.mark.parametrize("largest", [nearest.LARGEST_TABLE, 0])
@pytest.mark.parametrize("how", ["head", "partial"])
@given(ours=expressions(), theirs=expressions())
def test_it_takes_equals_first_and_then_the_greatest_overlap(how, largest, ours, theirs):
    with mock.patch.object(nearest, "LARGEST_TABLE", largest):
        found = pairs(corpus(ours), corpus(theirs), match=how)
    same = {
        (k, r)
        for k, key in enumerate(ours)
        for r, response in enumerate(theirs)
        if (key == response if how == "head" else key[0] == response[0])
    }
    assert same <= set(found.items())
    rest = {k: r for k, r in found.items() if (k, r) not in same}
    assert all(may_match(ours[k], theirs[r], how) for k, r in rest.items())
    keys = [k for k in range(len(ours)) if k not in dict(same)]
    responses = [r for r in range(len(theirs)) if r not in {r for _, r in same}]
    total = sum((share(ours[k], theirs[r]) for k, r in rest.items()), Fraction(0))
    assert total == best(ours, theirs, keys, responses, how)


def share(key: Expression, response: Expression) -> Fraction:
    return Fraction(len(set(key[0]) & set(response[0])), len(key[0]))


def best(
    ours: list[Expression],
    theirs: list[Expression],
    keys: list[int],
    responses: list[int],
    how: str,
) -> Fraction:
    padded = [*responses, *[-1] * len(keys)]
    return max(
        sum(
            (
                share(ours[k], theirs[r])
                for k, r in zip(keys, order, strict=True)
                if r >= 0 and may_match(ours[k], theirs[r], how)
            ),
            Fraction(0),
        )
        for order in set(permutations(padded, len(keys)))
    )


@pytest.mark.parametrize("largest", [nearest.LARGEST_TABLE, 0])
def test_ties_go_to_the_mention_that_starts_then_ends_earlier(largest, monkeypatch):
    monkeypatch.setattr(nearest, "LARGEST_TABLE", largest)
    key = corpus([((3, 4, 5), 4)])
    response = corpus([((4, 5, 6), 4), ((4, 5), 4), ((2, 3, 4), 4)])
    assert pairs(key, response, match="head") == {0: 2}
    response = corpus([((4, 5, 6), 4), ((4, 5), 4)])
    assert pairs(key, response, match="head") == {0: 1}
    keys = corpus([((4, 5), 4), ((3, 4), 4)])
    assert pairs(keys, corpus([((4,), 4)]), match="head") == {1: 0}


SETTINGS = {"exact": {}, "head": {"match": "head"}, "by place": {"zeros": "linear"}}
CASES = [
    # The first key has no candidate and holds the first column, so the second prefers the other.
    (corpus([((0,), 0), ((4,), 4)]), corpus([((2, 3, 4, 5), 4), ((4, 5), 4)]), {"head": {1: 1}}),
    # The same words with another head are another mention.
    (corpus([((3, 4), 3)]), corpus([((3, 4), 4)]), {"head": {}, "exact": {0: 0}}),
    # Empty nodes do not move the words behind them.
    (corpus([((0,), 0), ((3, 4), 3)], 6, [1, 2]), corpus([((0,), 0), ((1, 2), 1)], 4),
     {"exact": {0: 0, 1: 1}, "head": {0: 0, 1: 1}}),
    # A span with an empty node is not the same words without it, nor its parts around the node.
    (corpus([((0, 1, 2), 0)], 3, [1]), corpus([((0, 1), 0)], 2), {"exact": {}, "head": {0: 0}}),
    (corpus([((0, 2), 0)], 3, [1]), corpus([((0, 1, 2), 0)], 3, [1]), {"exact": {}}),
    # These parts are the same words as one span without the node.
    (corpus([((0, 2), 0)], 3, [1]), corpus([((0, 1), 0)], 2), {"exact": {0: 0}}),
    # Zeros match by dependency or by place.
    (corpus([((1,), 1)], 4, [1], ["", "2:nsubj", "", ""]),
     corpus([((2,), 2)], 4, [2], ["", "", "2:nsubj", ""]), {"by place": {}, "exact": {0: 0}}),
    (corpus([((1,), 1)], 4, [1], ["", "2:nsubj", "", ""]),
     corpus([((1,), 1)], 4, [1], ["", "3:obj", "", ""]), {"by place": {0: 0}, "exact": {0: 0}}),
    # Zeros prefer the same relation and stay in their sentence.
    (corpus([((0,), 0), ((1,), 1)], 6, [0, 1, 4], ["2:nsubj", "2:obj", "", "", "2:obj", ""],
            [0, 3]),
     corpus([((0,), 0), ((4,), 4), ((1,), 1)], 6, [0, 1, 4],
            ["2:obj", "2:nsubj", "", "", "2:obj", ""], [0, 3]), {"exact": {0: 2, 1: 0}}),
    # Zeros at the end and at the start of sentences are apart.
    (corpus([((2,), 2)], 5, [2], (), [0, 3]), corpus([((2,), 2)], 5, [2], (), [0, 2]),
     {"by place": {}}),
]  # fmt: skip


@pytest.mark.parametrize(("key", "response", "expected"), CASES)
def test_pairs_by_hand(key, response, expected):
    for name, found in expected.items():
        assert pairs(key, response, **SETTINGS[name]) == found, name
        turned = {theirs: ours for ours, theirs in found.items()}
        assert pairs(response, key, **SETTINGS[name]) == turned, name


def test_minimum_spans():
    key = corpus([((2, 3, 4, 5), 3), ((7, 8), 7)])
    minimum = (np.array([3, -1]), np.array([5, -1]))
    key = replace(key, mentions=replace(key.mentions, minimum=minimum))
    assert pairs(key, corpus([((3, 4), 3), ((7, 8), 7)]), match="min") == {0: 0, 1: 1}
    assert pairs(key, corpus([((3,), 3), ((7,), 7)]), match="min") == {}
    assert pairs(key, corpus([((1, 2, 3, 4), 3)]), match="min") == {}


def test_missing_heads_minimum_spans_and_dependencies_are_an_error():
    for how in ("head", "partial", "min"):
        with refused("usage"):
            corefine.score([["a", "b"]], [["a", "b"]], match=how)
    key = corpus([((1,), 1)], length=4, empty=[1])
    with pytest.raises(UsageError, match="--zeros linear"):
        pairs(key, key)
