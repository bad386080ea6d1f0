"""Listing: the errors of a diagnosis, type by type, with the rows and entities of each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from corefine.corpus.arrays import BoolArray, IntArray
from corefine.corpus.columns import Kind
from corefine.explaining.contrasts import Contrast
from corefine.explaining.diagnosis import TYPES, Diagnosis, ErrorType, Fate
from corefine.explaining.phrases import Phrases


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
    kind = (
        np.full(len(phrases), int(Kind.UNKNOWN))
        if table.kind is None
        else table.kind.astype(np.int64)
    )
    by_key = _one_by_one(table.key_entity, phrases, kind)
    by_response = _one_by_one(table.response_entity, phrases, kind)

    # Missing and extra mentions are labelled with the part that they belong to or stand with.
    numbers = _part_numbers(diagnosis)
    at_home = np.append(diagnosis.parts.first, -1)[numbers]

    def single(type_: ErrorType, fate: Fate, contrast: Contrast) -> Listed:
        rows = np.flatnonzero(diagnosis.fate == fate)
        listed, lengths = rows, np.ones(len(rows), np.int64)
        if fate is Fate.MISPLACED_EDGE:
            listed, lengths = np.stack([rows, diagnosis.twin[rows]], axis=1).ravel(), lengths + 1
        # A missing mention stands in no entity of the response, an extra one in none of the key.
        return Listed(
            TYPES.index(type_),
            listed,
            lengths,
            table.key_entity[rows],
            table.response_entity[listed[lengths.cumsum() - 1]],
            np.full(len(rows), -1),
            at_home[rows] if fate in (Fate.MISSING, Fate.EXTRA) else np.full(len(rows), -1),
            contrast.take(rows),
        )

    def whole(type_: ErrorType, fate: Fate, entity: IntArray, contrast: Contrast) -> Listed:
        rows = np.flatnonzero(diagnosis.fate == fate)
        rows = rows[np.argsort(entity[rows], kind="stable")]
        entities, owner, lengths = np.unique(entity[rows], return_inverse=True, return_counts=True)
        none = np.full(len(entities), -1)
        missing = fate is Fate.IN_MISSING_ENTITY
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
        single(ErrorType.SPAN, Fate.MISPLACED_EDGE, by_key),
        _parts(ErrorType.MERGED, diagnosis, numbers, phrases, kind),
        _parts(ErrorType.SPLIT, diagnosis, numbers, phrases, kind),
        single(ErrorType.EXTRA_MENTION, Fate.EXTRA, by_response),
        whole(ErrorType.EXTRA_ENTITY, Fate.IN_EXTRA_ENTITY, table.response_entity, by_response),
        single(ErrorType.MISSING_MENTION, Fate.MISSING, by_key),
        whole(ErrorType.MISSING_ENTITY, Fate.IN_MISSING_ENTITY, table.key_entity, by_key),
    ]


def _one_by_one(entity: IntArray, phrases: Phrases, kind: IntArray) -> Contrast:
    """Every mention of a side beside the rest of its entity; entries of other rows are void."""
    rows = np.flatnonzero(entity >= 0)
    return Contrast.of(rows, entity[rows], rows, len(entity), phrases, kind)


def _parts(
    type_: ErrorType, diagnosis: Diagnosis, number: IntArray, phrases: Phrases, kind: IntArray
) -> Listed:
    """The parts that stand in another response entity, or beside another key entity."""
    table, parts = diagnosis.table, diagnosis.parts
    merged = type_ is ErrorType.MERGED
    fate = diagnosis.fate
    # Merged entities are seen in the response, extra mentions included, split ones in the key.
    seen = table.response_entity >= 0 if merged else table.key_entity >= 0
    seen &= number >= 0
    rows = np.flatnonzero(seen if merged else seen & (fate != Fate.MISSING))
    group = (diagnosis.response if merged else diagnosis.key)[rows]
    contrast = Contrast.of(rows, group, number[rows], len(parts), phrases, kind)
    other = diagnosis.main[parts.response] if merged else diagnosis.home[parts.key]
    wrong = np.flatnonzero(other != (parts.key if merged else parts.response))
    members = _members(number, fate, wrong)
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


def _members(number: IntArray, fate: IntArray, parts: IntArray) -> IntArray:
    """The rows that make up these parts, part by part: both rows of a span error, nothing extra."""
    own: BoolArray = np.isin(fate, (Fate.FOUND, Fate.MISPLACED_EDGE, Fate.WRONG_SPAN))
    rows = np.flatnonzero(own & np.isin(number, parts))
    return rows[np.argsort(number[rows], kind="stable")]
