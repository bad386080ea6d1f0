"""Mention pairs: creation of training pairs, candidates, links and entities.

Markables are rows in text order, document by document; a pair is (antecedent, anaphor), the
antecedent being the earlier row. Rules for training pairs:

``resolve``
    all pairs of a document (McCarthy and Lehnert 1995).
``soon``
    for each markable with an antecedent, the closest antecedent is positive, and all markables in
    between are negative (Soon et al. 2001).
``ng-cardie``
    the same, but the positive antecedent of a non-pronoun is the closest one that is not a pronoun
    (Ng and Cardie 2002). Pronouns of the same entity in between form no pair; a markable with only
    pronouns before it has no pairs.
``farthest``
    the positive pairs of ``ng-cardie``, and negative pairs back to the farthest antecedent (the
    negative instance selection of Ng and Cardie, EMNLP 2002).
``names``
    all pairs of a document whose antecedent is a name (Broda et al. 2012).

A pair is accepted if its score reaches the threshold. A clustering rule selects links among the
accepted pairs, and connected markables are an entity:

``aggressive-merge``
    all accepted pairs are links: single link (McCarthy and Lehnert 1995).
``closest-link``
    each markable is linked to the closest accepted antecedent (Soon et al. 2001).
``best-link``
    each markable is linked to the accepted antecedent with the highest score, or the closest of
    equal ones (Ng and Cardie 2002).
``name-entities``
    each markable gets the largest of the entities whose names are accepted, or the closest of
    equal ones: first names, then nominals, pronouns and zeros (Broda et al. 2012).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from corefine.corpus.arrays import BoolArray, FloatArray, IntArray, numbered, ranges


@dataclass(frozen=True, slots=True, eq=False)
class MentionPairs:
    """Pairs of rows of markables, ordered by anaphor, then by antecedent."""

    antecedent: IntArray
    anaphor: IntArray

    def __len__(self) -> int:
        return len(self.anaphor)

    def where(self, wanted: BoolArray) -> MentionPairs:
        """The pairs for which ``wanted`` is true."""
        return MentionPairs(self.antecedent[wanted], self.anaphor[wanted])

    @classmethod
    def back_to(cls, first: IntArray, anaphor: IntArray) -> MentionPairs:
        """Each anaphor with all rows from a first one on."""
        counts = anaphor - first
        return cls(ranges(first, counts), np.repeat(anaphor, counts))

    @classmethod
    def joined(cls, parts: list[MentionPairs]) -> MentionPairs:
        """Concatenate pairs."""
        empty = np.zeros(0, np.int64)
        return cls(
            np.concatenate([empty, *(part.antecedent for part in parts)]),
            np.concatenate([empty, *(part.anaphor for part in parts)]),
        )


@dataclass(frozen=True, slots=True, eq=False)
class PairColumns:
    """The columns that pair creation uses; one row per markable, in text order."""

    document: IntArray
    entity: IntArray
    pronominal: BoolArray
    name: BoolArray
    type: IntArray | None = None
    """Semantic type, -1 if unknown; pairs of two different types are left out."""


Pairing = Callable[[PairColumns], MentionPairs]


def resolve(rows: PairColumns) -> MentionPairs:
    """All pairs of a document.

    >>> columns = PairColumns(np.zeros(3, int), np.array([0, 1, 0]), *np.zeros((2, 3), bool))
    >>> pairs = resolve(columns)
    >>> list(zip(pairs.antecedent.tolist(), pairs.anaphor.tolist()))
    [(0, 1), (0, 2), (1, 2)]
    """
    pairs = MentionPairs.joined(list(candidate_pairs(rows.document)))
    return pairs.where(same_type(pairs, rows.type))


def soon(rows: PairColumns) -> MentionPairs:
    """The closest antecedent, and everything between it and the anaphor."""
    pairs = _from_antecedent_on(_closest(rows.entity, np.ones(len(rows.entity), bool)))
    return pairs.where(same_type(pairs, rows.type))


def ng_cardie(rows: PairColumns) -> MentionPairs:
    """As ``soon``, but non-pronouns start from the closest antecedent that is not a pronoun."""
    antecedent = _most_confident(rows)
    return _with_one_positive(rows, antecedent, antecedent)


def farthest(rows: PairColumns) -> MentionPairs:
    """As ``ng_cardie``, with negative pairs back to the first mention of the entity."""
    antecedent = _most_confident(rows)
    first = np.unique(rows.entity, return_index=True, return_inverse=True)
    return _with_one_positive(rows, antecedent, first[1][first[2].reshape(-1)])


def _most_confident(rows: PairColumns) -> IntArray:
    """The closest antecedent; for non-pronouns, the closest that is not a pronoun."""
    everything = np.ones(len(rows.entity), bool)
    return np.where(
        rows.pronominal,
        _closest(rows.entity, everything),
        _closest(rows.entity, ~rows.pronominal),
    )


def _with_one_positive(rows: PairColumns, antecedent: IntArray, back_to: IntArray) -> MentionPairs:
    """Pairs back to a row; the pair with the antecedent is the only coreferent one."""
    pairs = _from_antecedent_on(np.where(antecedent >= 0, back_to, -1))
    coreferent = rows.entity[pairs.antecedent] == rows.entity[pairs.anaphor]
    pairs = pairs.where(~coreferent | (pairs.antecedent == antecedent[pairs.anaphor]))
    return pairs.where(same_type(pairs, rows.type))


def names(rows: PairColumns) -> MentionPairs:
    """All pairs of a document whose antecedent is a name."""
    pairs = resolve(rows)
    return pairs.where(rows.name[pairs.antecedent])


PAIRINGS: dict[str, Pairing] = {
    "resolve": resolve,
    "soon": soon,
    "ng-cardie": ng_cardie,
    "farthest": farthest,
    "names": names,
}


def candidate_pairs(document: IntArray, limit: int = 500_000) -> Iterator[MentionPairs]:
    """Every markable with every earlier one of its document, in parts of about ``limit`` pairs.

    A part has all candidates of its anaphors.
    """
    rows = np.arange(len(document))
    first = np.searchsorted(document, document, side="left")
    for part in parts(rows - first, limit):
        yield MentionPairs.back_to(first[part], rows[part])


def in_parts(pairs: MentionPairs, limit: int = 500_000) -> Iterator[MentionPairs]:
    """Split pairs into parts of about ``limit``, keeping the pairs of an anaphor together."""
    for part in _parts(np.searchsorted(pairs.anaphor, pairs.anaphor, side="left"), limit):
        yield MentionPairs(pairs.antecedent[part], pairs.anaphor[part])


def parts(counts: IntArray, limit: int = 500_000) -> Iterator[slice]:
    """Slices of anaphors with about ``limit`` pairs, given the number of pairs of each."""
    return _parts(np.cumsum(counts) - counts, limit)


def _parts(before: IntArray, limit: int) -> Iterator[slice]:
    """Slices of rows at multiples of ``limit`` of ``before``, the number of pairs before a row."""
    bounds = np.flatnonzero(np.diff(before // max(limit, 1), prepend=-1, append=-1)).tolist()
    yield from map(slice, bounds[:-1], bounds[1:])


def same_type(pairs: MentionPairs, type: IntArray | None) -> BoolArray:
    """True for pairs of the same semantic type, or with an unknown type."""
    if type is None:
        return np.ones(len(pairs), bool)
    left, right = type[pairs.antecedent], type[pairs.anaphor]
    same: BoolArray = (left == right) | (left < 0) | (right < 0)
    return same


def _closest(entity: IntArray, eligible: BoolArray) -> IntArray:
    """The closest earlier eligible row of the same entity; -1 without one."""
    order = np.argsort(entity, kind="stable")
    place = np.where(eligible[order], np.arange(len(order)), -1)
    before = np.full(len(order), -1)
    before[1:] = np.maximum.accumulate(place)[:-1]
    groups = entity[order]
    # The last eligible place before this one may belong to another entity.
    found = (before >= 0) & (groups[before] == groups)
    closest = np.full(len(order), -1)
    closest[order[found]] = order[before[found]]
    return closest


def _from_antecedent_on(closest: IntArray) -> MentionPairs:
    """Each row with an antecedent, paired with it and with every row in between."""
    anaphor = np.flatnonzero(closest >= 0)
    return MentionPairs.back_to(closest[anaphor], anaphor)


def closest_link(pairs: MentionPairs) -> MentionPairs:
    """The pair with the closest antecedent of each anaphor."""
    last: BoolArray = np.ones(len(pairs), bool)
    last[:-1] = pairs.anaphor[1:] != pairs.anaphor[:-1]
    return pairs.where(last)


def best_link(pairs: MentionPairs, scores: FloatArray) -> MentionPairs:
    """The pair with the highest score of each anaphor, or the closest of equal ones.

    >>> pairs = MentionPairs(np.array([0, 1, 2]), np.array([3, 3, 3]))
    >>> best_link(pairs, np.array([0.3, 0.4, 0.1])).antecedent.tolist()
    [1]
    """
    if not len(pairs):
        return pairs
    starts = np.flatnonzero(np.append(True, pairs.anaphor[1:] != pairs.anaphor[:-1]))
    sizes = np.diff(starts, append=len(pairs))
    best = scores == np.repeat(np.maximum.reduceat(scores, starts), sizes)
    return closest_link(pairs.where(best))


def entities_of(count: int, links: MentionPairs) -> IntArray:
    """The entity of each of ``count`` markables, numbered by their first markables."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    ones = np.ones(len(links), np.int8)
    graph = coo_array((ones, (links.antecedent, links.anaphor)), shape=(count, count))
    labels = connected_components(graph, directed=False)[1]
    return numbered(labels.astype(np.int64))[1]
