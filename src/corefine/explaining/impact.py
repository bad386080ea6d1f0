"""Worth: how many points of LEA F1 the correction of a single error is worth.

Correcting one error changes at most two response entities and adds at most one, so that LEA of the
corrected response follows from a few counts, for all errors at once. With n the mentions that key
entity k and response entity r share, T the size of k and S that of r, LEA's sums are

- for precision, over response entities: 2 Σ pairs(n) / (S − 1), out of S;
- for recall, over key entities: 2 Σ pairs(n) / (T − 1), out of T;

and a singleton counts 1 where the other side has the same singleton. What single errors are worth
does not add up to what their type costs: corrections support each other.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from corefine.corpus.arrays import BoolArray, FloatArray, IntArray
from corefine.explaining.diagnosis import TYPES, Diagnosis, ErrorType, MentionStatus
from corefine.metrics.blanc import pairs
from corefine.metrics.table import MentionTable

METRIC = "LEA"
"""The metric whose points are told: the only one of entities that single errors change locally."""


@dataclass(frozen=True, slots=True, eq=False)
class _Entities:
    """Response entities as LEA sees them: size, links found, key singletons among the mentions."""

    size: FloatArray
    links: FloatArray
    singletons: FloatArray

    @classmethod
    def of(cls, table: MentionTable) -> _Entities:
        cells, count = table.cells, len(table.response)
        alone = (table.key.size[cells.key] == 1).astype(np.float64)
        return cls(
            table.response.size.astype(np.float64),
            np.bincount(cells.response, pairs(cells.count), minlength=count).astype(np.float64),
            np.bincount(cells.response, alone, minlength=count).astype(np.float64),
        )

    def take(self, rows: IntArray) -> _Entities:
        """These entities; an empty one for -1."""
        return _Entities(
            *(np.append(c, 0.0)[rows] for c in (self.size, self.links, self.singletons))
        )

    def changed(
        self, size: FloatArray, links: FloatArray, singletons: FloatArray | float = 0.0
    ) -> _Entities:
        return _Entities(self.size + size, self.links + links, self.singletons + singletons)

    def found(self) -> FloatArray:
        """Their part of the sum of precision."""
        several = self.size > 1
        linked = 2 * self.links / np.where(several, self.size - 1, 1)
        return np.where(several, linked, self.same_singleton())

    def same_singleton(self) -> FloatArray:
        """1 where the entity is a singleton of both sides: its part of the sum of recall, too."""
        return np.where(self.size == 1, self.singletons, 0.0)


def worth_of_errors(
    diagnosis: Diagnosis,
    type_: IntArray,
    rows: IntArray,
    offsets: IntArray,
    *,
    keep_singletons: bool = True,
) -> FloatArray:
    """By error: what LEA F1 gains, from 0 to 1, if only this error is corrected.

    Errors are given by type, and by their rows of the table. Without ``keep_singletons`` an entity
    that a correction leaves with one mention is dropped.
    """
    table, errors = diagnosis.table, len(type_)
    if not errors:
        return np.zeros(0)
    key_size = table.key.size.astype(np.float64)
    entities = _Entities.of(table)
    owner = np.repeat(np.arange(errors), np.diff(offsets))
    status = diagnosis.status[rows]
    matched = np.bincount(owner, status == MentionStatus.FOUND, minlength=errors)
    unmatched = np.bincount(owner, status == MentionStatus.WRONG_SPAN, minlength=errors)
    leading = rows[offsets[:-1]]
    key, response = diagnosis.key[leading], diagnosis.response[leading]

    def of(*types: ErrorType) -> BoolArray:
        return np.isin(type_, [TYPES.index(one) for one in types])

    span, merged, split = of(ErrorType.SPAN), of(ErrorType.MERGED), of(ErrorType.SPLIT)
    missing, missing_entity = of(ErrorType.MISSING_MENTION), of(ErrorType.MISSING_ENTITY)
    extra, extra_entity = of(ErrorType.EXTRA_MENTION), of(ErrorType.EXTRA_ENTITY)
    home = np.where(key >= 0, np.append(diagnosis.home, -1)[key], -1)
    # A missing mention stands nowhere and belongs into its home; a split part stands elsewhere.
    source = np.where(missing | missing_entity, -1, response)
    target = np.where(split | missing, home, -1)
    size = np.append(key_size, 0.0)[key]
    single = (size == 1).astype(np.float64)
    shared = _shared(table, key, source).astype(np.float64)
    at_home = _shared(table, key, target).astype(np.float64)

    before_source, before_target = entities.take(source), entities.take(target)
    moved = merged | split
    part = np.where(moved, matched + unmatched, 0.0)
    after_source = before_source.changed(
        np.where(extra, -1.0, np.where(extra_entity, -before_source.size, -part)),
        np.where(span, shared, np.where(moved, -pairs(matched), 0.0)),
        np.where(span, single, np.where(moved, -single * matched, 0.0)),
    )
    added = np.where(split, matched, np.where(missing, 1.0, 0.0))
    after_target = before_target.changed(
        np.where(split, part, added), pairs(at_home + added) - pairs(at_home)
    )
    fresh_matched = np.where(merged, matched, np.where(missing_entity, size, 0.0))
    fresh = _Entities(
        np.where(merged, part, fresh_matched), pairs(fresh_matched), single * fresh_matched
    )
    # New links of the key entity: a part of n mentions joined to one of m makes n·m.
    linked = np.where(
        span, shared, np.where(split | missing, at_home * added, pairs(fresh_matched))
    )
    linked = np.where(merged, 0.0, linked)
    recall = np.where(size > 1, 2 * linked / np.where(size > 1, size - 1, 1), 0.0)

    precision, whole = np.zeros(errors), np.zeros(errors)
    for entity, sign in (
        (before_source, -1),
        (before_target, -1),
        (after_source, 1),
        (after_target, 1),
        (fresh, 1),
    ):
        present = (entity.size > 1) | keep_singletons if sign > 0 else np.True_
        precision += sign * np.where(present, entity.found(), 0.0)
        recall += sign * np.where(present, entity.same_singleton(), 0.0)
        whole += sign * np.where(present, entity.size, 0.0)

    part_sum, response_sum = entities.found().sum(), entities.size.sum()
    key_links = np.bincount(table.cells.key, pairs(table.cells.count), minlength=len(key_size))
    several = key_size > 1
    recall_sum = (2 * key_links / np.where(several, key_size - 1, 1))[several].sum()
    recall_sum += entities.same_singleton().sum()
    key_sum = key_size.sum()
    after = _f1(part_sum + precision, response_sum + whole, recall_sum + recall, key_sum)
    return after - _f1(part_sum, response_sum, recall_sum, key_sum)


def _f1(
    precision_part: FloatArray | float,
    precision_whole: FloatArray | float,
    recall_part: FloatArray | float,
    recall_whole: float,
) -> FloatArray:
    precision = np.divide(precision_part, np.maximum(precision_whole, 1e-12))
    recall = np.divide(recall_part, max(recall_whole, 1e-12))
    total = precision + recall
    return np.asarray(np.where(total > 0, 2 * precision * recall / np.maximum(total, 1e-300), 0.0))


def _shared(table: MentionTable, key: IntArray, response: IntArray) -> IntArray:
    """How many mentions pairs of a key entity and a response entity share; -1 shares none."""
    cells, width = table.cells, max(len(table.response), 1)
    codes = cells.key * width + cells.response
    wanted = np.where((key >= 0) & (response >= 0), key * width + response, -1)
    place = np.minimum(np.searchsorted(codes, wanted), max(len(codes) - 1, 0))
    if not len(codes):
        return np.zeros(len(key), np.int64)
    return np.where((wanted >= 0) & (codes[place] == wanted), cells.count[place], 0)


def resolution_lost(table: MentionTable) -> FloatArray:
    """By key entity: its part of the LEA recall that is missing; together they are 1 − recall."""
    size = table.key.size.astype(np.float64)
    cells = table.cells
    alone = (table.key.size[cells.key] == 1) & (table.response.size[cells.response] == 1)
    links = np.bincount(cells.key, pairs(cells.count) + alone, minlength=len(size))
    found = size * links / np.maximum(pairs(size), 1)
    return (size - found) / max(float(size.sum()), 1.0)
