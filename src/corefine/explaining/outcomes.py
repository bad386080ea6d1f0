"""Outcomes: which mentions, links and entities of the key a response gets right; two responses.

- A **mention** is right if the response has it. The F1 of these is mention detection.
- A **link** joins a mention to what stands before it in its entity: every mention but the first
  has one. It is right if the response entity of the mention holds an earlier mention of the same
  key entity. The F1 of these is MUC.
- An **entity** is right if a response entity has just its mentions.

What is right in both responses, in one of them and in none are four cells. A right item is worth
2 / (K + R) of a response's F1, with K items in the key and R in the response, so that the cells
add up to the scores of both.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from corefine.corpus.arrays import IntArray
from corefine.explaining.diagnosis import TYPES, Diagnosis, ErrorType, MentionStatus
from corefine.metrics.table import MentionTable

Level = Literal["mentions", "links", "entities"]
LEVELS: tuple[Level, ...] = ("mentions", "links", "entities")
RIGHT, NONE = 0, -1
"""Codes of outcomes: right, and nothing to get right. Wrong is 1 + the number of the error type."""

Codes = NDArray[np.int8]


def _wrong(type_: ErrorType) -> int:
    return 1 + TYPES.index(type_)


_OF_STATUS = {
    MentionStatus.WRONG_BOUNDARIES: _wrong(ErrorType.SPAN),
    MentionStatus.MISSING: _wrong(ErrorType.MISSING_MENTION),
    MentionStatus.IN_MISSING_ENTITY: _wrong(ErrorType.MISSING_ENTITY),
}


@dataclass(frozen=True, slots=True, eq=False)
class Outcomes:
    """Outcomes of the key's mentions, links and entities."""

    codes: dict[Level, Codes]
    found: dict[Level, int]
    """The number of items of the response per level."""
    errors: dict[Level, tuple[int, int]]
    """Missing and wrong mentions and links. All pairs of mentions of an entity are links here, so
    that merging costs as much as it joins."""

    @classmethod
    def of(cls, diagnosis: Diagnosis) -> Outcomes:
        """Judge every mention, link and entity of the key."""
        table = diagnosis.table
        ours = np.flatnonzero(table.key_entity >= 0)
        mention = np.zeros(len(ours), np.int8)
        for status, code in _OF_STATUS.items():
            mention[diagnosis.status[ours] == status] = code
        return cls(
            {
                "mentions": mention,
                "links": _links(table, ours, mention),
                "entities": _entities(diagnosis),
            },
            {
                "mentions": int(table.response.size.sum()),
                "links": int((table.response.size - 1).sum()),
                "entities": len(table.response),
            },
            _errors(table),
        )

    def total(self, level: Level) -> int:
        """The number of items of this level in the key."""
        return int(np.count_nonzero(self.codes[level] != NONE))

    def right(self, level: Level) -> int:
        """The number of correct items of this level."""
        return int(np.count_nonzero(self.codes[level] == RIGHT))


def _errors(table: MentionTable) -> dict[Level, tuple[int, int]]:
    """Missing and wrong mentions, and missing and wrong pairs of mentions."""

    def both(key: int, response: int, shared: int) -> tuple[int, int]:
        return key - shared, response - shared

    sizes = table.key.size, table.response.size, table.cells.count
    return {
        "mentions": both(*(int(size.sum()) for size in sizes)),
        "links": both(*(int((size * (size - 1) // 2).sum()) for size in sizes)),
    }


def _links(table: MentionTable, ours: IntArray, mention: Codes) -> Codes:
    entity, response = table.key_entity[ours], table.response_entity[ours]
    order = np.lexsort((table.order[ours], entity))
    entity, response, status = entity[order], response[order], mention[order].astype(np.int64)
    first = np.ones(len(order), bool)
    first[1:] = entity[1:] != entity[:-1]
    # Right: an earlier row has the same key entity and response entity.
    cell = np.where(response >= 0, entity * (len(table.response) + 1) + response, -1)
    _, seen = np.unique(cell, return_index=True)
    earliest = np.zeros(len(order), bool)
    earliest[seen] = True
    # An earlier mention was found; unless it is in the same response entity, it was split off.
    found: IntArray = np.cumsum(response >= 0) - (response >= 0)
    begin = np.maximum.accumulate(np.where(first, np.arange(len(order)), 0))
    parted = (found - found[begin]) > 0
    before = np.append(status[:1], status[:-1])[: len(status)]
    split, missing = _wrong(ErrorType.SPLIT), _wrong(ErrorType.MISSING_MENTION)
    reason = np.where(parted, split, np.where(before > 0, before, missing))
    code = np.where(response < 0, status, np.where(earliest, reason, RIGHT))
    code = np.where(first, NONE, code)
    result = np.empty(len(order), np.int8)
    result[order] = code
    return result


def _entities(diagnosis: Diagnosis) -> Codes:
    """The first of these that an entity has: missing, split, merged, a wrong span, a missing and an
    extra mention."""
    table, cells, count = diagnosis.table, diagnosis.table.cells, len(diagnosis.table.key)
    whole = (table.key.size[cells.key] == cells.count) & (
        table.response.size[cells.response] == cells.count
    )
    code = np.full(count, _wrong(ErrorType.EXTRA_MENTION))
    ours = np.flatnonzero(table.key_entity >= 0)
    for status in (MentionStatus.MISSING, MentionStatus.WRONG_BOUNDARIES):
        code[table.key_entity[ours][diagnosis.status[ours] == status]] = _OF_STATUS[status]
    parts = diagnosis.parts
    shared = np.bincount(parts.response, minlength=max(len(table.response), 1))
    code[parts.key[shared[parts.response] > 1]] = _wrong(ErrorType.MERGED)
    code[np.bincount(parts.key, minlength=count) > 1] = _wrong(ErrorType.SPLIT)
    code[diagnosis.largest < 0] = _wrong(ErrorType.MISSING_ENTITY)
    code[cells.key[whole]] = RIGHT
    return code.astype(np.int8)
