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

from corefine.corpus.arrays import BoolArray, IntArray
from corefine.explaining.phrases import Phrases
from corefine.explaining.spans import span_errors
from corefine.metrics.table import Table


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


class Fate(IntEnum):
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

    table: Table
    fate: IntArray
    """By row: a :class:`Fate`."""
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
    def of(cls, table: Table, phrases: Phrases) -> Diagnosis:
        """Find the span errors, the parts, the homes, and with them the fate of every row."""
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

        fate = np.full(len(key), int(Fate.FOUND))
        fate[ours], fate[theirs] = Fate.MISPLACED_EDGE, Fate.WRONG_SPAN
        extra, missing = np.flatnonzero(key < 0), np.flatnonzero(response < 0)
        key[extra] = main[response[extra]]
        response[missing] = home[key[missing]]
        fate[extra] = np.where(key[extra] >= 0, Fate.EXTRA, Fate.IN_EXTRA_ENTITY)
        fate[missing] = np.where(response[missing] >= 0, Fate.MISSING, Fate.IN_MISSING_ENTITY)
        return cls(table, fate, twin, key, response, home, main, parts)

    def corrected_labels(self, types: Collection[ErrorType]) -> IntArray:
        """By row: a label of its entity once these types are corrected; -1 if it is not there."""
        absent = {
            Fate.MISPLACED_EDGE: ErrorType.SPAN not in types,
            Fate.WRONG_SPAN: ErrorType.SPAN in types,
            Fate.EXTRA: ErrorType.EXTRA_MENTION in types,
            Fate.IN_EXTRA_ENTITY: ErrorType.EXTRA_ENTITY in types,
            Fate.MISSING: ErrorType.MISSING_MENTION not in types,
            Fate.IN_MISSING_ENTITY: ErrorType.MISSING_ENTITY not in types,
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
        gone = [fate for fate, is_absent in absent.items() if is_absent]
        label[np.isin(self.fate, gone)] = -1
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
