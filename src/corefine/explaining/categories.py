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
    none of these: something is missing or too much, and the one does not stand for the other.

Two mentions overlap if they share a content word; pronouns do not overlap even with themselves, so
that an entity of which only pronouns are left has failed. A partial mention (2b) stands in part on
the same words of the text as the missed one: "African American" elsewhere is no part of "American
Indian". Only where mentions have no place in a text do shared content words decide.

Her formula for 2b asks only for a mention of K that overlaps with one of R, which may be the same
one: to the letter, 4 and 2b leave nothing over, and most of 2b has no partial mention. ``literal``
takes it so. ``lenient`` takes an entity of which no mention is exact, but which is paired with one
that overlaps, for 2b (NW0 in her Table 3), where her formula says 4.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import product

import numpy as np

from corefine.corpus.arrays import BoolArray, IntArray
from corefine.explaining.naming import Members
from corefine.explaining.pairing import Pairs
from corefine.explaining.phrases import Phrases
from corefine.metrics.table import MentionTable

CATEGORIES = ("1", "2a", "2b", "3", "4", "other")
Overlap = Callable[[str, str], bool]
"""A function that decides if the texts of a key and a response mention overlap."""


@dataclass(frozen=True, slots=True, eq=False)
class Conditions:
    """By key entity: what holds of its pair."""

    equal: BoolArray
    shares: BoolArray
    """A mention of K is in R."""
    subset: BoolArray
    """Every mention of R is in K, and K has more."""
    foreign: BoolArray
    """R has a mention of another key entity."""
    overlapping: BoolArray
    """A mention of K overlaps with one of R, which may be the same."""
    partial: BoolArray
    """A mention of K that is not in R overlaps with one of R that is not in K."""

    @classmethod
    def of(cls, pairs: Pairs, phrases: Phrases, overlap: Overlap | None = None) -> Conditions:
        """Look at all pairs; without ``overlap`` two mentions overlap by a content word."""
        table, shared, size = pairs.table, pairs.shared, pairs.table.key.size
        found = np.append(table.response_matched, 0)[pairs.response]
        equal = (shared == size) & (shared == pairs.response_size)
        if overlap is None:
            overlapping, partial = _by_words(pairs, phrases)
        else:
            overlapping, partial = _by_calls(pairs, overlap, ~equal)
        return cls(
            equal,
            shared > 0,
            (shared == pairs.response_size) & (shared < size) & (shared > 0),
            found > shared,
            overlapping,
            partial,
        )

    def categories(self, *, lenient: bool = False, literal: bool = False) -> IntArray:
        """By key entity: an index of ``CATEGORIES``."""
        found = self.shares | (self.overlapping & lenient)
        part = self.overlapping if literal else self.partial
        tests = (
            ("1", self.equal),
            ("4", ~(found & self.overlapping)),
            ("2a", self.subset),
            ("3", self.shares & self.foreign),
            ("2b", found & part),
        )
        return np.select(
            [test for _, test in tests],
            [CATEGORIES.index(name) for name, _ in tests],
            CATEGORIES.index("other"),
        )


def _by_words(pairs: Pairs, phrases: Phrases) -> tuple[BoolArray, BoolArray]:
    """Masks of pairs with a common content word, and of pairs with a partial mention."""
    table = pairs.table

    def common(words: IntArray, number: IntArray, *, apart: bool) -> BoolArray:
        """A mask of key entities that have a number in common with their response entity.

        ``apart`` ignores the mentions that they share.
        """
        owner = phrases.owner[words]
        key = table.key_entity[owner]
        paired = np.append(pairs.key_of, -1)[table.response_entity[owner]]
        counted = ~(apart & (key == paired))
        mine, other = (key >= 0) & counted, (paired >= 0) & counted
        width = int(number.max(initial=0)) + 1
        found = np.intersect1d((key * width + number)[mine], (paired * width + number)[other])
        marks = np.zeros(len(table.key), bool)
        marks[found // width] = True
        return marks

    content = np.flatnonzero(phrases.content)
    overlapping = common(content, phrases.word[content], apart=False)
    on_text = np.flatnonzero(phrases.place >= 0)
    if not len(on_text):
        return overlapping, common(content, phrases.word[content], apart=True)
    length = int(phrases.place.max()) + 1
    spot = phrases.document[phrases.owner[on_text]] * length + phrases.place[on_text]
    return overlapping, common(on_text, spot, apart=True)


def _by_calls(pairs: Pairs, overlap: Overlap, asked: BoolArray) -> tuple[BoolArray, BoolArray]:
    """The same by asking the user's function of every two mentions, until it says yes."""
    table = pairs.table
    overlapping, partial = np.zeros(len(asked), bool), np.zeros(len(asked), bool)
    key_rows = Members.of(table.key_entity, len(table.key))
    response_rows = Members.of(table.response_entity, len(table.response))
    answer = cache(overlap)

    def any_overlap(mine: IntArray, other: IntArray) -> bool:
        texts = (_texts(table, mine), _texts(table, other))
        return any(bool(answer(x, y)) for x, y in product(*texts))

    for key in np.flatnonzero(asked & (pairs.response >= 0)).tolist():
        mine, other = key_rows[key], response_rows[int(pairs.response[key])]
        missed = table.response_entity[mine] != pairs.response[key]
        outside = table.key_entity[other] != key
        partial[key] = any_overlap(mine[missed], other[outside])
        overlapping[key] = partial[key] or any_overlap(mine, other)
    return overlapping, partial


def _texts(table: MentionTable, rows: IntArray) -> list[str]:
    """The words of these rows, the key's where it has them, each once."""
    matched = table.matched
    assert matched is not None, "overlap needs matched corpora"
    return list(
        dict.fromkeys(
            matched.key.text_of(mine) if mine >= 0 else matched.response.text_of(other)
            for mine, other in zip(
                matched.key_mention[rows].tolist(),
                matched.response_mention[rows].tolist(),
                strict=True,
            )
        )
    )
