"""Diagnosis: the status of every mention, and the response with some error types corrected.

Every response can be turned into the key by seven corrections (Kummerfeld & Klein 2013, who call
merged entities conflated and split entities divided). They are defined on rows of the table, so
that any set of them can be applied at once, in any order:

- the *parts* of a table are the pairs of a key entity k and a response entity r that share
  mentions; a mention with a span error counts as shared;
- the *largest* part of k is in one response entity, and the *main* key entity of r is the one with
  the largest part in r; ties go to the largest part of a key entity, then to the part that starts
  first in the text;
- an extra mention of r belongs to the main part of r; a missing mention of k belongs to the largest
  part of k.

Correcting merged entities divides every r into its parts; correcting split entities moves every
part to the largest one of its key entity; correcting spans replaces the response's mention by the
key's; extra mentions and entities are removed, missing ones added. All seven give the key, none
gives the response.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from enum import IntEnum, StrEnum

import numpy as np

from corefine.corpus.arrays import BoolArray, IntArray
from corefine.explaining.phrases import Phrases, overlapping_rows
from corefine.metrics.ceaf import align
from corefine.metrics.table import MentionTable


class ErrorType(StrEnum):
    """Error types in the order in which they are corrected by default."""

    SPAN = "span error"
    MERGED = "merged entities"
    SPLIT = "split entity"
    EXTRA_MENTION = "extra mention"
    EXTRA_ENTITY = "extra entity"
    MISSING_MENTION = "missing mention"
    MISSING_ENTITY = "missing entity"


TYPES = tuple(ErrorType)


class MentionStatus(IntEnum):
    """The status of a mention; a span error has two rows, one for each side's mention."""

    FOUND = 0
    WRONG_BOUNDARIES = 1
    """A key mention that the response has with another span."""
    WRONG_SPAN = 2
    """The mention of the response with that other span."""
    EXTRA = 3
    """A response mention without counterpart, in an entity that shares mentions with the key."""
    IN_EXTRA_ENTITY = 4
    MISSING = 5
    """A key mention without counterpart, of an entity that shares mentions with the response."""
    IN_MISSING_ENTITY = 6


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """Pairs of a key entity and a response entity that share mentions, span errors included."""

    key: IntArray
    response: IntArray
    count: IntArray
    first_row: IntArray
    """The first row of each part in text order."""

    def numbers(self, key: IntArray, response: IntArray) -> IntArray:
        """The numbers of the parts of these pairs of entities, which share mentions."""
        width = int(self.response.max(initial=0)) + 1
        return np.searchsorted(self.key * width + self.response, key * width + response)

    def __len__(self) -> int:
        return len(self.count)


@dataclass(frozen=True, slots=True, eq=False)
class Diagnosis:
    """The status of every row of a table, and the parts that it belongs to."""

    table: MentionTable
    status: IntArray
    """A :class:`MentionStatus` per row."""
    twin: IntArray
    """The other row of a span error; -1 for other rows."""
    key: IntArray
    """The key entity of each row, for an extra mention the one of the main part; or -1.
    """
    response: IntArray
    """The response entity of each row, for a missing mention the one of the largest part; or -1."""
    largest: IntArray
    """The response entity with the largest part of each key entity; -1 if it is missing."""
    main: IntArray
    """The key entity with the largest part in each response entity; -1 if it is extra."""
    parts: Parts

    @classmethod
    def of(cls, table: MentionTable, phrases: Phrases) -> Diagnosis:
        """Find span errors and parts, and with them the status of every row."""
        ours, theirs = span_errors(table, phrases)
        key, response = table.key_entity.copy(), table.response_entity.copy()
        twin = np.full(len(key), -1)
        twin[ours], twin[theirs] = theirs, ours
        key[theirs], response[ours] = table.key_entity[ours], table.response_entity[theirs]
        shared = (key >= 0) & (response >= 0)
        shared[theirs] = False
        parts = _parts(key, response, np.flatnonzero(shared), phrases.turn)
        turn = phrases.turn[parts.first_row]
        no_penalty = np.zeros(len(parts), bool)
        largest = _largest(parts.key, parts.response, parts.count, no_penalty, turn, len(table.key))
        away = largest[parts.key] != parts.response
        main = _largest(parts.response, parts.key, parts.count, away, turn, len(table.response))
        status = np.full(len(key), int(MentionStatus.FOUND))
        status[ours], status[theirs] = MentionStatus.WRONG_BOUNDARIES, MentionStatus.WRONG_SPAN
        extra, missing = np.flatnonzero(key < 0), np.flatnonzero(response < 0)
        key[extra] = main[response[extra]]
        response[missing] = largest[key[missing]]
        status[extra] = np.where(
            key[extra] >= 0, MentionStatus.EXTRA, MentionStatus.IN_EXTRA_ENTITY
        )
        status[missing] = np.where(
            response[missing] >= 0, MentionStatus.MISSING, MentionStatus.IN_MISSING_ENTITY
        )
        return cls(table, status, twin, key, response, largest, main, parts)

    def corrected_labels(self, types: Collection[ErrorType]) -> IntArray:
        """A label of the entity of each row with these types corrected; -1 if it is removed."""
        absent = {
            MentionStatus.WRONG_BOUNDARIES: ErrorType.SPAN not in types,
            MentionStatus.WRONG_SPAN: ErrorType.SPAN in types,
            MentionStatus.EXTRA: ErrorType.EXTRA_MENTION in types,
            MentionStatus.IN_EXTRA_ENTITY: ErrorType.EXTRA_ENTITY in types,
            MentionStatus.MISSING: ErrorType.MISSING_MENTION not in types,
            MentionStatus.IN_MISSING_ENTITY: ErrorType.MISSING_ENTITY not in types,
        }
        container = self.response
        if ErrorType.SPLIT in types:
            # Rows without a key entity look up the appended -1.
            container = np.where(self.key >= 0, np.append(self.largest, -1)[self.key], container)
        width = len(self.largest) + 1
        # A missing entity has a label of its own, after the labels of the response.
        label = np.where(container >= 0, container, len(self.main) + self.key) * width
        if ErrorType.MERGED in types:
            label = label + self.key + 1
        gone = [status for status, is_absent in absent.items() if is_absent]
        label[np.isin(self.status, gone)] = -1
        return label


def _parts(key: IntArray, response: IntArray, rows: IntArray, turn: IntArray) -> Parts:
    rows = rows[np.argsort(turn[rows])]
    width = int(response.max(initial=0)) + 1
    codes, first, count = np.unique(
        key[rows] * width + response[rows], return_index=True, return_counts=True
    )
    return Parts(codes // width, codes % width, count, rows[first])


def _largest(
    owner: IntArray,
    other: IntArray,
    count: IntArray,
    penalty: BoolArray,
    turn: IntArray,
    owners: int,
) -> IntArray:
    """The other side of the largest part of each owner; -1 if it has no part."""
    order = np.lexsort((turn, penalty, -count, owner))
    owner, other = owner[order], other[order]
    leading = np.ones(len(owner), bool)
    leading[1:] = owner[1:] != owner[:-1]
    result = np.full(owners, -1)
    result[owner[leading]] = other[leading]
    return result


def span_errors(table: MentionTable, phrases: Phrases) -> tuple[IntArray, IntArray]:
    """Rows of the key and the rows of the response with which they form span errors.

    Both rows are unmatched: the response found the expression, but with other boundaries. If the
    files annotate the heads of both mentions, they must have the same head (Kummerfeld & Klein
    2013). Otherwise they must overlap, and have a boundary, the head according to parts of speech,
    or at least half of their words in common. Of all one-to-one pairings, the one with the most
    pairs with the same head is taken and, among these, the one with the greatest similarity: the
    Dice coefficient plus half a point per common boundary.
    """
    if not (phrases.place >= 0).any():
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    key_only = np.flatnonzero((table.key_entity >= 0) & (table.response_entity < 0))
    response_only = np.flatnonzero((table.key_entity < 0) & (table.response_entity >= 0))
    ours, theirs, common, _ = overlapping_rows(phrases, key_only, response_only)
    length = np.bincount(phrases.owner[phrases.place >= 0], minlength=len(phrases))
    last = np.zeros(len(phrases), np.int64)
    np.maximum.at(last, phrases.owner, phrases.place)
    boundaries = (phrases.first[ours] == phrases.first[theirs]).astype(np.int64)
    boundaries += last[ours] == last[theirs]
    annotated = phrases.head_given[ours] & phrases.head_given[theirs]
    same_head = (phrases.head[ours] >= 0) & (phrases.head[ours] == phrases.head[theirs])
    sizes = length[ours] + length[theirs]
    near = (boundaries > 0) | (2 * common >= sizes - common)
    rows = np.flatnonzero(same_head | (~annotated & near))
    # Boundaries and words add up to less than 2 per pair: a common head outweighs them all.
    similarity = 2 * common / sizes + boundaries / 2 + 1024.0 * same_head
    # In text order: equally good pairings must not depend on the order of the file.
    rows = rows[np.lexsort((phrases.turn[theirs[rows]], phrases.turn[ours[rows]]))]
    chosen = rows[align(phrases.turn[ours[rows]], phrases.turn[theirs[rows]], similarity[rows])]
    return ours[chosen], theirs[chosen]
