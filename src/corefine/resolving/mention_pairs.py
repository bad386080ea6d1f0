"""Pairs of markables: which ones a classifier learns from, and which ones it judges.

Markables are rows in the order of the text, those of one document standing together; a pair is
(antecedent, anaphor), the antecedent being the earlier row. Ways to create training pairs:

``resolve``
    every pair of a document (McCarthy and Lehnert 1995).
``soon``
    for each markable that has an antecedent: the closest one is positive, and everything between
    the two is negative (Soon et al. 2001).
``ng-cardie``
    the same, but the positive antecedent of a markable that is not a pronoun is the closest one
    that is not a pronoun either (Ng and Cardie 2002). A pronoun of the same entity that stands in
    between makes no pair; a markable that has only pronouns before it makes none at all.
``farthest``
    the positive pairs of ``ng-cardie``, and negative ones back to the farthest antecedent (the
    selection of negative instances of Ng and Cardie's EMNLP paper of the same year).

Where markables have semantic types and the recipe keeps to them, pairs of two types are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from corefine.corpus.arrays import BoolArray, IntArray, ranges


@dataclass(frozen=True, slots=True, eq=False)
class MentionPairs:
    """Rows of markables, two by two; ordered by anaphor, then by antecedent."""

    antecedent: IntArray
    anaphor: IntArray

    def __len__(self) -> int:
        return len(self.anaphor)

    def where(self, wanted: BoolArray) -> MentionPairs:
        """Only these pairs."""
        return MentionPairs(self.antecedent[wanted], self.anaphor[wanted])

    @classmethod
    def joined(cls, parts: list[MentionPairs]) -> MentionPairs:
        """The pairs of all parts, one part after another."""
        empty = np.zeros(0, np.int64)
        return cls(
            np.concatenate([empty, *(part.antecedent for part in parts)]),
            np.concatenate([empty, *(part.anaphor for part in parts)]),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Annotated:
    """What pair creation looks at: columns with one row a markable, in the order of the text."""

    document: IntArray
    entity: IntArray
    pronominal: BoolArray
    type: IntArray | None = None
    """Semantic type, -1 where there is none; pairs of two types are left out."""


Pairing = Callable[[Annotated], MentionPairs]


def resolve(rows: Annotated) -> MentionPairs:
    """Every pair of a document.

    >>> columns = Annotated(np.zeros(3, int), np.array([0, 1, 0]), np.zeros(3, bool))
    >>> pairs = resolve(columns)
    >>> list(zip(pairs.antecedent.tolist(), pairs.anaphor.tolist()))
    [(0, 1), (0, 2), (1, 2)]
    """
    pairs = MentionPairs.joined(list(candidate_pairs(rows.document)))
    return pairs.where(same_type(pairs, rows.type))


def soon(rows: Annotated) -> MentionPairs:
    """The closest antecedent, and everything between it and the anaphor."""
    pairs = _from_antecedent_on(_closest(rows.entity, np.ones(len(rows.entity), bool)))
    return pairs.where(same_type(pairs, rows.type))


def ng_cardie(rows: Annotated) -> MentionPairs:
    """As ``soon``, from the closest antecedent that is no pronoun unless the anaphor is one."""
    antecedent = _most_confident(rows)
    return _with_one_positive(rows, antecedent, antecedent)


def farthest(rows: Annotated) -> MentionPairs:
    """As ``ng_cardie``, with negative pairs back to the first mention of the entity."""
    antecedent = _most_confident(rows)
    first = np.unique(rows.entity, return_index=True, return_inverse=True)
    return _with_one_positive(rows, antecedent, first[1][first[2].reshape(-1)])


def _most_confident(rows: Annotated) -> IntArray:
    """The closest antecedent, of a markable that is no pronoun the closest that is none either."""
    everything = np.ones(len(rows.entity), bool)
    return np.where(
        rows.pronominal,
        _closest(rows.entity, everything),
        _closest(rows.entity, ~rows.pronominal),
    )


def _with_one_positive(rows: Annotated, antecedent: IntArray, back_to: IntArray) -> MentionPairs:
    """Pairs back to a row; of those that are coreferent only the one with the antecedent."""
    pairs = _from_antecedent_on(np.where(antecedent >= 0, back_to, -1))
    coreferent = rows.entity[pairs.antecedent] == rows.entity[pairs.anaphor]
    pairs = pairs.where(~coreferent | (pairs.antecedent == antecedent[pairs.anaphor]))
    return pairs.where(same_type(pairs, rows.type))


PAIRINGS: dict[str, Pairing] = {
    "resolve": resolve,
    "soon": soon,
    "ng-cardie": ng_cardie,
    "farthest": farthest,
}


def candidate_pairs(
    document: IntArray, *, window: int | None = None, limit: int = 500_000
) -> Iterator[MentionPairs]:
    """Every markable with every earlier one of its document, in parts of about ``limit`` pairs.

    ``window`` is how many markables back a candidate may stand. A part holds all the candidates of
    each of its anaphors.
    """
    rows = np.arange(len(document))
    first = np.searchsorted(document, document, side="left")
    if window is not None:
        first = np.maximum(first, rows - window)
    counts = rows - first
    for part in _parts(np.cumsum(counts) - counts, limit):
        yield MentionPairs(ranges(first[part], counts[part]), np.repeat(rows[part], counts[part]))


def in_parts(pairs: MentionPairs, limit: int = 500_000) -> Iterator[MentionPairs]:
    """Pairs ordered by anaphor, in parts of about ``limit`` that cut no anaphor's pairs."""
    for part in _parts(np.searchsorted(pairs.anaphor, pairs.anaphor, side="left"), limit):
        yield MentionPairs(pairs.antecedent[part], pairs.anaphor[part])


def _parts(before: IntArray, limit: int) -> Iterator[slice]:
    """Rows cut where ``before``, the number of pairs before each row, passes multiples of limit."""
    bounds = np.flatnonzero(np.diff(before // max(limit, 1), prepend=-1, append=-1)).tolist()
    yield from map(slice, bounds[:-1], bounds[1:])


def same_type(pairs: MentionPairs, type: IntArray | None) -> BoolArray:
    """Of which pairs the markables have the same semantic type, or one of them has none."""
    if type is None:
        return np.ones(len(pairs), bool)
    left, right = type[pairs.antecedent], type[pairs.anaphor]
    same: BoolArray = (left == right) | (left < 0) | (right < 0)
    return same


def _closest(entity: IntArray, eligible: BoolArray) -> IntArray:
    """By row, the closest earlier eligible row of the same entity; -1 where there is none."""
    order = np.argsort(entity, kind="stable")
    place = np.where(eligible[order], np.arange(len(order)), -1)
    before = np.full(len(order), -1)
    before[1:] = np.maximum.accumulate(place)[:-1]
    groups = entity[order]
    # The last eligible place before this one may lie in the group of another entity.
    found = (before >= 0) & (groups[before] == groups)
    closest = np.full(len(order), -1)
    closest[order[found]] = order[before[found]]
    return closest


def _from_antecedent_on(closest: IntArray) -> MentionPairs:
    """Each row that has an antecedent, with that one and every row between the two."""
    anaphor = np.flatnonzero(closest >= 0)
    counts = anaphor - closest[anaphor]
    return MentionPairs(ranges(closest[anaphor], counts), np.repeat(anaphor, counts))
