"""Diagnosis: for every mention what became of it, and the response with some errors corrected.

Every response can be turned into the key by seven corrections (Kummerfeld & Klein 2013, who call
merged entities conflated and split entities divided). They are stated here for columns of rows, so
that any set of them can be applied at once, in no order:

- the *parts* of a table are the pairs of a key entity k and a response entity r that share
  mentions, where a mention with a span error counts as shared;
- the *home* of k is the response entity with its largest part, and the *main* key entity of r is
  that with the largest part in r (ties: a part at home, then the part whose first mention is
  first);
- an extra mention of r stands with the main key entity of r, whatever happens to it, and a missing
  mention of k belongs into the home of k.

Correcting merged entities cuts every r into its parts; correcting split entities moves every part
to the home of its key entity; correcting spans puts the key's mention in the place of the
response's; extra mentions and entities are taken out, missing ones put in. All seven give the key,
none gives the response.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from enum import IntEnum, StrEnum

import numpy as np

from corefine.corpus.arrays import BoolArray, FloatArray, IntArray
from corefine.explaining.contrasts import Contrast
from corefine.explaining.phrases import Phrases, overlapping_rows
from corefine.matching.alignment import align
from corefine.metrics.table import MentionTable


class ErrorType(StrEnum):
    """What can have happened, in the order in which errors are corrected by default."""

    SPAN = "span error"
    MERGED = "merged entities"
    SPLIT = "split entity"
    EXTRA_MENTION = "extra mention"
    EXTRA_ENTITY = "extra entity"
    MISSING_MENTION = "missing mention"
    MISSING_ENTITY = "missing entity"


TYPES = tuple(ErrorType)


class MentionStatus(IntEnum):
    """What became of a mention; a span error has two rows, one for each side's mention."""

    FOUND = 0
    MISPLACED_EDGE = 1
    """A key mention that the response has with another span."""
    WRONG_SPAN = 2
    """The response mention that stands for it."""
    EXTRA = 3
    """A response mention without counterpart, in an entity that has something of the key."""
    IN_EXTRA_ENTITY = 4
    MISSING = 5
    """A key mention without counterpart, of an entity of which the response has something."""
    IN_MISSING_ENTITY = 6


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """What key entities and response entities share, span errors included; ordered by both."""

    key: IntArray
    response: IntArray
    count: IntArray
    first: IntArray
    """The first row of the part."""
    width: int
    """More than any number of a response entity."""

    def number(self, key: IntArray, response: IntArray) -> IntArray:
        """Which part is that of each of these key entities and response entities."""
        codes = self.key * self.width + self.response
        return np.searchsorted(codes, key * self.width + response)

    def __len__(self) -> int:
        return len(self.count)


@dataclass(frozen=True, slots=True, eq=False)
class Diagnosis:
    """What became of every row of a table."""

    table: MentionTable
    status: IntArray
    """By row: a :class:`MentionStatus`."""
    twin: IntArray
    """By row: the other row of a span error; -1 for all others."""
    key: IntArray
    """By row: the key entity that it belongs to or, an extra mention, stands with; -1: none."""
    response: IntArray
    """By row: the response entity that it stands in or, missing, belongs into; -1: none."""
    home: IntArray
    """By key entity: the response entity with its largest part; -1 where it is missing."""
    main: IntArray
    """By response entity: the key entity with the largest part in it; -1 where it is extra."""
    parts: Parts

    @classmethod
    def of(cls, table: MentionTable, phrases: Phrases) -> Diagnosis:
        """Find the span errors, the parts, the homes, and with them the status of every row."""
        ours, theirs = span_errors(table, phrases)
        key, response = table.key_entity.copy(), table.response_entity.copy()
        twin = np.full(len(key), -1)
        twin[ours], twin[theirs] = theirs, ours
        key[theirs], response[ours] = table.key_entity[ours], table.response_entity[theirs]
        counted = (key >= 0) & (response >= 0)
        counted[theirs] = False
        parts = _parts(key, response, np.flatnonzero(counted), len(table.response))
        home = _largest(
            parts.key, parts.response, parts, np.zeros(len(parts), bool), len(table.key)
        )
        away = home[parts.key] != parts.response
        main = _largest(parts.response, parts.key, parts, away, len(table.response))

        status = np.full(len(key), int(MentionStatus.FOUND))
        status[ours], status[theirs] = MentionStatus.MISPLACED_EDGE, MentionStatus.WRONG_SPAN
        extra, missing = np.flatnonzero(key < 0), np.flatnonzero(response < 0)
        key[extra] = main[response[extra]]
        response[missing] = home[key[missing]]
        status[extra] = np.where(
            key[extra] >= 0, MentionStatus.EXTRA, MentionStatus.IN_EXTRA_ENTITY
        )
        status[missing] = np.where(
            response[missing] >= 0, MentionStatus.MISSING, MentionStatus.IN_MISSING_ENTITY
        )
        return cls(table, status, twin, key, response, home, main, parts)

    def corrected_labels(self, types: Collection[ErrorType]) -> IntArray:
        """By row: a label of its entity once these types are corrected; -1 if it is not there."""
        absent = {
            MentionStatus.MISPLACED_EDGE: ErrorType.SPAN not in types,
            MentionStatus.WRONG_SPAN: ErrorType.SPAN in types,
            MentionStatus.EXTRA: ErrorType.EXTRA_MENTION in types,
            MentionStatus.IN_EXTRA_ENTITY: ErrorType.EXTRA_ENTITY in types,
            MentionStatus.MISSING: ErrorType.MISSING_MENTION not in types,
            MentionStatus.IN_MISSING_ENTITY: ErrorType.MISSING_ENTITY not in types,
        }
        container = self.response
        if ErrorType.SPLIT in types:
            # The appended -1 serves rows without a key entity, which are looked up at -1.
            container = np.where(self.key >= 0, np.append(self.home, -1)[self.key], container)
        width = len(self.home) + 1
        # A missing entity has no container: its own number, after those of the response.
        label = np.where(container >= 0, container, len(self.main) + self.key) * width
        if ErrorType.MERGED in types:
            label = label + self.key + 1
        gone = [status for status, is_absent in absent.items() if is_absent]
        label[np.isin(self.status, gone)] = -1
        return label


def _parts(key: IntArray, response: IntArray, rows: IntArray, responses: int) -> Parts:
    width = max(responses, 1)
    codes, first, count = np.unique(
        key[rows] * width + response[rows], return_index=True, return_counts=True
    )
    return Parts(codes // width, codes % width, count, rows[first], width)


def _largest(
    owner: IntArray, other: IntArray, parts: Parts, penalty: BoolArray, owners: int
) -> IntArray:
    """By owner: the other side of its largest part, with ties as the module says; -1: no part."""
    order = np.lexsort((parts.first, penalty, -parts.count, owner))
    owner, other = owner[order], other[order]
    leading = np.ones(len(owner), bool)
    leading[1:] = owner[1:] != owner[:-1]
    result = np.full(owners, -1)
    result[owner[leading]] = other[leading]
    return result


def span_errors(table: MentionTable, phrases: Phrases) -> tuple[IntArray, IntArray]:
    """Rows of the key and the rows of the response that they were found as, in the key's order.

    Both are without a partner: the response did find the expression, but with other words at its
    edges. Where the files give the heads of both mentions, two spans can only be the same
    expression if they have the same head (Kummerfeld & Klein 2013). Otherwise they can be if they
    stand in part on the same words, and have an edge, the head by their parts of speech or at least
    half of their words in common. Of all ways to pair them one to one, the one is taken that has
    the most pairs with the same head and, of these, the greatest sum of likeness: the Dice
    coefficient, and half a point for every edge in common.
    """
    couples = Couples.of(table, phrases)
    rows = np.flatnonzero(couples.obstacle == Obstacle.NONE)
    ours, theirs = couples.key[rows], couples.response[rows]
    chosen = align(ours, theirs, couples.likeness[rows])
    return ours[chosen], theirs[chosen]


class Obstacle(IntEnum):
    """Why a mention of the key and one of the response that overlap are no span error."""

    NONE = 0
    OTHER_HEAD = 1
    """The files give both heads, and they differ: these are two expressions."""
    NO_EDGE = 2
    """No edge, no head and less than half of the words in common: one lies inside the other."""


@dataclass(frozen=True, slots=True, eq=False)
class Couples:
    """A mention that only the key has and one that only the response has, on words in common."""

    key: IntArray
    """Rows of the table."""
    response: IntArray
    likeness: FloatArray
    obstacle: IntArray
    """Why they cannot be the same expression: an :class:`Obstacle`."""

    @classmethod
    def of(cls, table: MentionTable, phrases: Phrases) -> Couples:
        """All such couples of a table."""
        key_only = np.flatnonzero((table.key_entity >= 0) & (table.response_entity < 0))
        response_only = np.flatnonzero((table.key_entity < 0) & (table.response_entity >= 0))
        ours, theirs, common, _ = overlapping_rows(phrases, key_only, response_only)
        length = np.bincount(phrases.owner[phrases.place >= 0], minlength=len(phrases))
        last = np.zeros(len(phrases), np.int64)
        np.maximum.at(last, phrases.owner, phrases.place)
        edges = (phrases.first[ours] == phrases.first[theirs]).astype(np.int64)
        edges += last[ours] == last[theirs]
        head, other = phrases.head[ours], phrases.head[theirs]
        given = phrases.head_given[ours] & phrases.head_given[theirs]
        same = (head >= 0) & (head == other)
        sizes = length[ours] + length[theirs]
        near = same | (edges > 0) | (2 * common >= sizes - common)
        obstacle = np.select(
            [given & ~same, ~given & ~near], [Obstacle.OTHER_HEAD, Obstacle.NO_EDGE], Obstacle.NONE
        )
        # Edges and words add up to less than 2 a couple: a head outweighs those of a whole text.
        likeness = 2 * common / sizes + edges / 2 + 1024.0 * same
        return cls(ours, theirs, likeness, obstacle)


@dataclass(frozen=True, slots=True, eq=False)
class Listed:
    """The errors of one type; entities are those of the table."""

    type: int
    rows: IntArray
    lengths: IntArray
    key: IntArray
    response: IntArray
    other: IntArray
    """Merged: the main key entity. Split: the response entity at home. Else -1."""
    other_row: IntArray
    """A mention of what the error took its mentions from or put them to; -1: there is none."""
    contrast: Contrast

    def __len__(self) -> int:
        return len(self.lengths)


def list_errors(diagnosis: Diagnosis, phrases: Phrases) -> list[Listed]:
    table = diagnosis.table
    kind = table.kinds.astype(np.int64)
    by_key = _one_by_one(table.key_entity, phrases, kind)
    by_response = _one_by_one(table.response_entity, phrases, kind)

    # Missing and extra mentions are labelled with the part that they belong to or stand with.
    numbers = _part_numbers(diagnosis)
    at_home = np.append(diagnosis.parts.first, -1)[numbers]

    def single(type_: ErrorType, status: MentionStatus, contrast: Contrast) -> Listed:
        rows = np.flatnonzero(diagnosis.status == status)
        listed, lengths = rows, np.ones(len(rows), np.int64)
        if status is MentionStatus.MISPLACED_EDGE:
            listed, lengths = np.stack([rows, diagnosis.twin[rows]], axis=1).ravel(), lengths + 1
        # A missing mention stands in no entity of the response, an extra one in none of the key.
        return Listed(
            TYPES.index(type_),
            listed,
            lengths,
            table.key_entity[rows],
            table.response_entity[listed[lengths.cumsum() - 1]],
            np.full(len(rows), -1),
            at_home[rows]
            if status in (MentionStatus.MISSING, MentionStatus.EXTRA)
            else np.full(len(rows), -1),
            contrast.take(rows),
        )

    def whole(
        type_: ErrorType, status: MentionStatus, entity: IntArray, contrast: Contrast
    ) -> Listed:
        rows = np.flatnonzero(diagnosis.status == status)
        rows = rows[np.argsort(entity[rows], kind="stable")]
        entities, owner, lengths = np.unique(entity[rows], return_inverse=True, return_counts=True)
        none = np.full(len(entities), -1)
        missing = status is MentionStatus.IN_MISSING_ENTITY
        return Listed(
            TYPES.index(type_),
            rows,
            lengths,
            entities if missing else none,
            none if missing else entities,
            none,
            none,
            contrast.take(rows).over(owner.reshape(-1), len(entities)),
        )

    return [
        single(ErrorType.SPAN, MentionStatus.MISPLACED_EDGE, by_key),
        _misplaced_parts(ErrorType.MERGED, diagnosis, numbers, phrases, kind),
        _misplaced_parts(ErrorType.SPLIT, diagnosis, numbers, phrases, kind),
        single(ErrorType.EXTRA_MENTION, MentionStatus.EXTRA, by_response),
        whole(
            ErrorType.EXTRA_ENTITY,
            MentionStatus.IN_EXTRA_ENTITY,
            table.response_entity,
            by_response,
        ),
        single(ErrorType.MISSING_MENTION, MentionStatus.MISSING, by_key),
        whole(ErrorType.MISSING_ENTITY, MentionStatus.IN_MISSING_ENTITY, table.key_entity, by_key),
    ]


def _one_by_one(entity: IntArray, phrases: Phrases, kind: IntArray) -> Contrast:
    """Every mention of a side beside the rest of its entity; entries of other rows are void."""
    rows = np.flatnonzero(entity >= 0)
    return Contrast.of(rows, entity[rows], rows, len(entity), phrases, kind)


def _misplaced_parts(
    type_: ErrorType, diagnosis: Diagnosis, number: IntArray, phrases: Phrases, kind: IntArray
) -> Listed:
    """The parts that stand in another response entity, or beside another key entity."""
    table, parts = diagnosis.table, diagnosis.parts
    merged = type_ is ErrorType.MERGED
    status = diagnosis.status
    # Merged entities are seen in the response, extra mentions included, split ones in the key.
    seen = table.response_entity >= 0 if merged else table.key_entity >= 0
    seen &= number >= 0
    rows = np.flatnonzero(seen if merged else seen & (status != MentionStatus.MISSING))
    group = (diagnosis.response if merged else diagnosis.key)[rows]
    contrast = Contrast.of(rows, group, number[rows], len(parts), phrases, kind)
    other = diagnosis.main[parts.response] if merged else diagnosis.home[parts.key]
    wrong = np.flatnonzero(other != (parts.key if merged else parts.response))
    members = _rows_of_parts(number, status, wrong)
    key, response = (other, parts.response) if merged else (parts.key, other)
    beside = parts.first[parts.number(key[wrong], response[wrong])]
    return Listed(
        TYPES.index(type_),
        members,
        np.bincount(np.searchsorted(wrong, number[members]), minlength=len(wrong)),
        parts.key[wrong],
        parts.response[wrong],
        other[wrong],
        beside,
        contrast.take(wrong),
    )


def _part_numbers(diagnosis: Diagnosis) -> IntArray:
    """By row: its part; -1 for rows of missing and of extra entities."""
    number = np.full(len(diagnosis.key), -1)
    rows = np.flatnonzero((diagnosis.key >= 0) & (diagnosis.response >= 0))
    number[rows] = diagnosis.parts.number(diagnosis.key[rows], diagnosis.response[rows])
    return number


def _rows_of_parts(number: IntArray, status: IntArray, parts: IntArray) -> IntArray:
    """The rows that make up these parts, part by part: both rows of a span error, nothing extra."""
    own: BoolArray = np.isin(
        status, (MentionStatus.FOUND, MentionStatus.MISPLACED_EDGE, MentionStatus.WRONG_SPAN)
    )
    rows = np.flatnonzero(own & np.isin(number, parts))
    return rows[np.argsort(number[rows], kind="stable")]
