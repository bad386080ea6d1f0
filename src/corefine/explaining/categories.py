"""Holen's categories of key entities.

With K a key entity and R the response entity that it is paired with (Holen 2013, section 6), tested
in this order since her formulas overlap:

1
    K = R: a perfect match.
4
    failed: nothing of K is in R, or there is something, but no mention of K overlaps with any of R;
    4a without a response entity, 4b with one that has no correct mention of weight.
2a
    R is a proper subset of K: a partial entity.
3
    R has mentions of K and of another key entity: merged entities; 3a if a mention of another
    brings wrong information (:mod:`corefine.explaining.wrong_information`), 3b if not.
2b
    R has a mention of K, and a mention of K that R misses overlaps with one of R that is not in K:
    partial mentions.
other
    none of these: mentions are missing or extra, and they do not overlap.

Two mentions overlap if they share a content word; pronouns do not overlap even with themselves, so
that an entity of which only pronouns are left has failed. A partial mention (2b) shares tokens of
the text with the missed one: "African American" elsewhere is no part of "American Indian". Without
a text, shared content words decide.

Her formula for 2b requires only a mention of K that overlaps with one of R, possibly the same one:
to the letter, every entity is in some category, and most of 2b has no partial mention. ``literal``
follows the formula. ``lenient`` takes an entity of which no mention is exact, but which is paired
with one that overlaps, for 2b (NW0 in her Table 3); her formula says 4.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from itertools import product

import numpy as np

from corefine.corpus.arrays import BoolArray, IntArray
from corefine.errors import UsageError
from corefine.explaining.naming import Members
from corefine.explaining.pairing import Pairs
from corefine.explaining.phrases import Phrases
from corefine.explaining.wrong_information import head_words, wrong_rows

CATEGORIES = ("1", "2a", "2b", "3a", "3b", "4a", "4b", "other")
Overlap = Callable[[str, str], bool]
"""A function that decides if the texts of a key and a response mention overlap."""


def categories_of(
    pairs: Pairs,
    phrases: Phrases,
    overlap: Overlap | str | None = None,
    *,
    lenient: bool = False,
    literal: bool = False,
    correct: int = 1,
) -> IntArray:
    """By key entity: an index of ``CATEGORIES``.

    ``overlap`` is ``words``, ``substring(n)`` (n common characters), ``head`` (the same head word)
    or a function of two texts. ``correct`` is the number of correct mentions that 2b needs.
    """
    table, shared, size = pairs.table, pairs.shared, pairs.table.key.size
    equal = (shared == size) & (shared == pairs.response_size)
    overlap = overlap_named(overlap)
    if overlap == "head":
        head = head_words(phrases)
        rows = np.arange(len(head))
        overlapping, partial = (
            _have_common(pairs, rows, head, head >= 0, apart=apart) for apart in (False, True)
        )
    elif isinstance(overlap, str):
        # A mention of K overlaps with one of R, which may be the same.
        overlapping = _have_common(pairs, phrases.owner, phrases.word, phrases.content)
        # A mention of K that is not in R overlaps with one of R that is not in K.
        partial = _have_common(pairs, phrases.owner, phrases.spot, phrases.spot >= 0, apart=True)
    else:
        overlapping, partial = _by_calls(pairs, overlap, ~equal)
    shares, found = shared > 0, (shared > 0) | (overlapping & lenient)
    foreign = np.append(table.response_matched, 0)[pairs.response] > shared
    failed, merged = ~(found & overlapping), shares & foreign
    inside = table.key_entity >= 0
    wrong = np.isin(
        np.arange(len(size)),
        np.append(pairs.key_of, -1)[table.response_entity[wrong_rows(pairs, phrases) & inside]],
    )
    tests = {
        "1": equal,
        "4a": failed & (pairs.response < 0),
        "4b": failed,
        "2a": shares & (shared == pairs.response_size) & (shared < size),
        "3a": merged & wrong,
        "3b": merged,
        "2b": found & (shared >= correct - lenient) & (overlapping if literal else partial),
    }
    numbers = [CATEGORIES.index(name) for name in tests]
    return np.select(list(tests.values()), numbers, CATEGORIES.index("other"))


def overlap_named(overlap: Overlap | str | None) -> Overlap | str:
    """``words`` (also for None), ``head``, or a function, that of ``substring(n)`` or the given."""
    if overlap is None:
        return "words"
    if not isinstance(overlap, str) or overlap in ("words", "head"):
        return overlap
    given = re.fullmatch(r"substring\(([1-9][0-9]{0,3})\)", overlap)
    if not given:
        raise UsageError(f"unknown overlap {overlap!r}", remedy="Use words, head, or substring(4).")
    length = int(given[1])

    def common(one: str, other: str) -> bool:
        one, other = one.casefold(), other.casefold()
        return any(one[at : at + length] in other for at in range(len(one) - length + 1))

    return common


def _have_common(
    pairs: Pairs, owner: IntArray, number: IntArray, counted: BoolArray, *, apart: bool = False
) -> BoolArray:
    """A mask of key entities that have a number of a row in common with their response entity.

    ``apart`` ignores the mentions that they share.
    """
    table = pairs.table
    key = table.key_entity[owner]
    paired = np.append(pairs.key_of, -1)[table.response_entity[owner]]
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
        texts = [
            dict.fromkeys(map(table.matching.text_of, rows.tolist())) for rows in (mine, other)
        ]
        return any(bool(answer(x, y)) for x, y in product(*texts))

    for key in np.flatnonzero(asked & (pairs.response >= 0)).tolist():
        mine, other = key_rows[key], response_rows[int(pairs.response[key])]
        missed = table.response_entity[mine] != pairs.response[key]
        outside = table.key_entity[other] != key
        partial[key] = any_overlap(mine[missed], other[outside])
        overlapping[key] = partial[key] or any_overlap(mine, other)
    return overlapping, partial
