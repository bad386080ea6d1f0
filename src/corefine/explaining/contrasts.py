"""Contrasts: some mentions of an entity beside all its others, for many entities at once.

An error takes a part of an entity away from the rest, or puts it there. How hard that part was
can be seen from what the two have in common: the kinds of mentions in each, the sentences between
them, and whether the same words occur in both. Nothing is compared pair by pair: counts of a part
are taken from counts of its entity.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from corefine.corpus.arrays import BoolArray, IntArray
from corefine.corpus.columns import Kind
from corefine.explaining.phrases import Phrases

KINDS = (Kind.NAME, Kind.NOMINAL, Kind.PRONOUN, Kind.ZERO, Kind.UNKNOWN)
"""Kinds from the one that tells most to the one that tells least."""

MATCHES = ("none", "partial", "exact")
"""How the words of a part and of the rest agree: a content word in common, or a whole mention."""


@dataclass(frozen=True, slots=True, eq=False)
class Contrast:
    """One entry a part; -1 stands for "there is no rest", or for "not known"."""

    kind: IntArray
    """The most telling kind in the part, as an index of ``KINDS``."""
    rest_kind: IntArray
    """The most telling kind in the rest."""
    distance: IntArray
    """The fewest sentences from a mention of the part to one of the rest."""
    match: IntArray
    """The best agreement of a mention of the part with one of the rest, an index of ``MATCHES``."""

    @classmethod
    def of(
        cls, rows: IntArray, group: IntArray, part: IntArray, parts: int, phrases: Phrases,
        kind: IntArray,
    ) -> Contrast:  # fmt: skip
        """Contrast the parts with their groups; each row is in one part of one group.

        ``group`` and ``part`` are given for the rows, ``kind`` for all rows of the table.
        """
        groups = int(group.max(initial=0)) + 1
        group_of = np.zeros(parts, np.int64)
        group_of[part] = group
        level = _levels(kind)[rows]
        in_part = _counts(part, level, parts)
        in_rest = _counts(group, level, groups)[group_of] - in_part
        alone = ~in_rest.any(axis=1)

        words = np.isin(phrases.owner, rows) & phrases.content
        place = np.full(len(phrases), -1)
        place[rows] = np.arange(len(rows))
        owner = place[phrases.owner[words]]
        exact = _recurs(group, part, phrases.text[rows], parts)
        partial = _recurs(group[owner], part[owner], phrases.word[words], parts)
        match = np.where(exact, 2, np.where(partial, 1, 0))
        return cls(
            _first_present(in_part),
            _first_present(in_rest),
            _distances(rows, group, part, parts, phrases),
            np.where(alone, -1, match),
        )

    def take(self, parts: IntArray) -> Contrast:
        """The entries of these parts."""
        return Contrast(
            self.kind[parts], self.rest_kind[parts], self.distance[parts], self.match[parts]
        )

    def over(self, owner: IntArray, owners: int) -> Contrast:
        """What the single mentions of an entity have among them: its best kind, least distance,
        best agreement. There is no rest outside it."""
        kind = np.full(owners, len(KINDS) - 1)
        np.minimum.at(kind, owner, self.kind)
        far = np.iinfo(np.int64).max
        distance = np.full(owners, far)
        np.minimum.at(distance, owner, np.where(self.distance < 0, far, self.distance))
        match = np.full(owners, -1)
        np.maximum.at(match, owner, self.match)
        return Contrast(kind, np.full(owners, -1), np.where(distance == far, -1, distance), match)


def _levels(kind: IntArray) -> IntArray:
    level = np.empty(len(Kind), np.int64)
    level[list(KINDS)] = np.arange(len(KINDS))
    return level[kind]


def _counts(owner: IntArray, level: IntArray, owners: int) -> IntArray:
    width = len(KINDS)
    return np.bincount(owner * width + level, minlength=owners * width).reshape(owners, width)


def _first_present(counts: IntArray) -> IntArray:
    present = counts > 0
    return np.where(present.any(axis=1), present.argmax(axis=1), -1)


def _recurs(group: IntArray, part: IntArray, value: IntArray, parts: int) -> BoolArray:
    """By part: whether one of its values occurs in the rest of its group as well."""
    width = int(value.max(initial=0)) + 1
    wholes, in_group = np.unique(group * width + value, return_counts=True)
    codes, first, in_part = np.unique(part * width + value, return_index=True, return_counts=True)
    whole = (group * width + value)[first]
    more = in_group[np.searchsorted(wholes, whole)] > in_part
    result = np.zeros(parts, bool)
    result[(codes // width)[more]] = True
    return result


def _distances(
    rows: IntArray, group: IntArray, part: IntArray, parts: int, phrases: Phrases
) -> IntArray:
    """By part: the fewest sentences to the rest within a document.

    In the order of the text, the nearest two mentions of a part and the rest are neighbours: what
    lies between them would be in one or the other, and nearer.
    """
    order = np.lexsort((phrases.turn[rows], group))
    rows, group, part = rows[order], group[order], part[order]
    sentence, document = phrases.sentence[rows], phrases.document[rows]
    known = (sentence[1:] >= 0) & (sentence[:-1] >= 0)
    border = (group[1:] == group[:-1]) & (part[1:] != part[:-1])
    border &= known & (document[1:] == document[:-1])
    gap = (sentence[1:] - sentence[:-1])[border]
    far = np.iinfo(np.int64).max
    nearest = np.full(parts, far)
    np.minimum.at(nearest, part[1:][border], gap)
    np.minimum.at(nearest, part[:-1][border], gap)
    return np.where(nearest == far, -1, nearest)
