"""Holen's categories of key entities.

With K a key entity and R the response entity that it is paired with (Holen 2013, section 6), tested
in this order since her formulas overlap:

1
    K = R: a perfect match.
4
    failed: nothing of K is in R, or there is something, but no mention of K overlaps with any of R.
2a
    R is a proper subset of K: a partial entity.
3
    R has mentions of K and of another key entity: merged entities.
2b
    R has a mention of K, and a mention of K that R misses overlaps with one of R that is not in K:
    partial mentions.
other
    none of these: mentions are missing or extra, and they do not overlap.

Two mentions overlap if they share a content word; pronouns do not overlap even with themselves, so
that an entity of which only pronouns are left has failed. A partial mention (2b) shares tokens of
the text with the missed one: "African American" elsewhere is no part of "American Indian". Without
a text, shared content words decide.

Her formula for 2b asks only for a mention of K that overlaps with one of R, which may be the same
one: to the letter, 4 and 2b leave nothing over, and most of 2b has no partial mention. ``literal``
takes it so. ``lenient`` takes an entity of which no mention is exact, but which is paired with one
that overlaps, for 2b (NW0 in her Table 3), where her formula says 4.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import product

import numpy as np

from corefine.corpus.arrays import BoolArray, IntArray
from corefine.explaining.naming import Members
from corefine.explaining.pairing import Pairs
from corefine.explaining.phrases import Phrases

CATEGORIES = ("1", "2a", "2b", "3", "4", "other")
Overlap = Callable[[str, str], bool]
"""A function that decides if the texts of a key and a response mention overlap."""


def categories_of(
    pairs: Pairs,
    phrases: Phrases,
    overlap: Overlap | None = None,
    *,
    lenient: bool = False,
    literal: bool = False,
) -> IntArray:
    """By key entity: an index of ``CATEGORIES``.

    Without ``overlap``, two mentions overlap by a content word.
    """
    table, shared, size = pairs.table, pairs.shared, pairs.table.key.size
    equal = (shared == size) & (shared == pairs.response_size)
    if overlap is None:
        # A mention of K overlaps with one of R, which may be the same.
        overlapping = _have_common(pairs, phrases, phrases.word, phrases.content)
        # A mention of K that is not in R overlaps with one of R that is not in K.
        partial = _have_common(pairs, phrases, phrases.spot, phrases.spot >= 0, apart=True)
    else:
        overlapping, partial = _by_calls(pairs, overlap, ~equal)
    shares, found = shared > 0, (shared > 0) | (overlapping & lenient)
    foreign = np.append(table.response_matched, 0)[pairs.response] > shared
    tests = {
        "1": equal,
        "4": ~(found & overlapping),
        "2a": shares & (shared == pairs.response_size) & (shared < size),
        "3": shares & foreign,
        "2b": found & (overlapping if literal else partial),
    }
    numbers = [CATEGORIES.index(name) for name in tests]
    return np.select(list(tests.values()), numbers, CATEGORIES.index("other"))


def _have_common(
    pairs: Pairs, phrases: Phrases, number: IntArray, counted: BoolArray, *, apart: bool = False
) -> BoolArray:
    """A mask of key entities that have a number of a word in common with their response entity.

    ``apart`` ignores the mentions that they share.
    """
    table = pairs.table
    key = table.key_entity[phrases.owner]
    paired = np.append(pairs.key_of, -1)[table.response_entity[phrases.owner]]
    counted = counted & ~(apart & (key == paired))
    mine, other = (key >= 0) & counted, (paired >= 0) & counted
    width = int(number.max(initial=0)) + 1
    found = np.intersect1d((key * width + number)[mine], (paired * width + number)[other])
    return np.isin(np.arange(len(table.key)), found // width)


def _by_calls(pairs: Pairs, overlap: Overlap, asked: BoolArray) -> tuple[BoolArray, BoolArray]:
    """Masks of overlapping and partial mentions by asking the user's function."""
    table = pairs.table
    overlapping, partial = np.zeros(len(asked), bool), np.zeros(len(asked), bool)
    key_rows = Members.of(table.key_entity, len(table.key))
    response_rows = Members.of(table.response_entity, len(table.response))
    answer = cache(overlap)

    def any_overlap(mine: IntArray, other: IntArray) -> bool:
        texts = [dict.fromkeys(map(table.matched.text_of, rows.tolist())) for rows in (mine, other)]
        return any(bool(answer(x, y)) for x, y in product(*texts))

    for key in np.flatnonzero(asked & (pairs.response >= 0)).tolist():
        mine, other = key_rows[key], response_rows[int(pairs.response[key])]
        missed = table.response_entity[mine] != pairs.response[key]
        outside = table.key_entity[other] != key
        partial[key] = any_overlap(mine[missed], other[outside])
        overlapping[key] = partial[key] or any_overlap(mine, other)
    return overlapping, partial
