"""The impact of single errors: the gain of LEA F1 if only this error is corrected.

A response entity is represented by its number of mentions from each key entity. LEA's sums are

- for precision, over response entities r of size S: S · Σ_k pairs(n_kr) / pairs(S), out of S;
- for recall, over key entities k of size T: T · Σ_r pairs(n_kr) / pairs(T), out of T;

and a singleton counts 1 if the other side has the same singleton. Correcting one error changes at
most two response entities and adds at most one, so only their terms are recomputed. The impacts of
single errors do not add up to the cost of their type: corrections support each other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from corefine.corpus.arrays import FloatArray
from corefine.explaining.diagnosis import Diagnosis, ErrorType, MentionStatus
from corefine.metrics.blanc import pairs
from corefine.metrics.table import MentionTable

METRIC = "LEA"
"""The metric of the impact: the only entity-based one that a single error changes locally."""
NO_KEY = -1
"""The key entity of a mention that the key does not have."""

Composition = Counter[int]
"""Mentions of a response entity by key entity."""


class Impact:
    """Computes the impact of errors of one response."""

    def __init__(self, diagnosis: Diagnosis, *, keep_singletons: bool = True) -> None:
        table = diagnosis.table
        self._diagnosis = diagnosis
        self._keep_singletons = keep_singletons
        self._key_size: list[int] = table.key.size.tolist()
        self._entities: list[Composition] = [Counter() for _ in range(len(table.response))]
        self._extra_mentions: Counter[int] = Counter()
        columns = (table.key_entity, table.response_entity, diagnosis.status)
        for key, response, status in zip(*(c.tolist() for c in columns), strict=True):
            if response >= 0:
                self._entities[response][key if key >= 0 else NO_KEY] += 1
                self._extra_mentions[response] += status == MentionStatus.EXTRA
        self._sums = self._terms(self._entities)
        self._key_mentions = sum(self._key_size)
        self._f1 = self._f_measure(self._sums)

    def __call__(self, type_: ErrorType, rows: Sequence[int]) -> float:
        """The impact of an error, given by its rows of the table."""
        diagnosis = self._diagnosis
        response_entity = diagnosis.table.response_entity
        row = rows[0]
        key = int(diagnosis.key[row])
        source = int(diagnosis.response[row])
        before: dict[int, Composition] = {}
        after: list[Composition] = []
        moved = Counter(
            int(diagnosis.table.key_entity[one]) for one in rows if response_entity[one] >= 0
        )
        if type_ is ErrorType.MISSING_ENTITY:
            after = [Counter({key: len(rows)})]
        else:
            before[source] = self._entities[source]
        if type_ is ErrorType.SPAN:
            after = [_edited(before[source], {key: 1, NO_KEY: -1})]
        elif type_ is ErrorType.MISSING_MENTION:
            after = [_edited(before[source], {key: 1})]
        elif type_ is ErrorType.EXTRA_MENTION:
            after = [_edited(before[source], {NO_KEY: -1})]
        elif type_ is ErrorType.MERGED:
            after = [_edited(before[source], _negative(moved)), moved]
        elif type_ is ErrorType.SPLIT:
            if diagnosis.main[source] == key:
                # Extra mentions belong to the main part, and move with it.
                moved[NO_KEY] += self._extra_mentions[source]
            target = int(diagnosis.largest[key])
            before[target] = self._entities[target]
            after = [_edited(before[source], _negative(moved)), _edited(before[target], moved)]
        if not self._keep_singletons:
            after = [entity for entity in after if entity.total() > 1]
        change = self._terms(after) - self._terms(before.values())
        return self._f_measure(self._sums + change) - self._f1

    def _terms(self, entities: Iterable[Composition]) -> FloatArray:
        """Precision part, precision whole and recall part that these response entities add."""
        part = whole = recall = 0.0
        for entity in entities:
            size = entity.total()
            if not size:
                continue
            whole += size
            if size == 1:
                (key,) = +entity
                same = key != NO_KEY and self._key_size[key] == 1
                part, recall = part + same, recall + same
                continue
            links = 0
            for key, count in entity.items():
                if key != NO_KEY and count > 1:
                    shared = count * (count - 1) // 2
                    links += shared
                    recall += 2 * shared / (self._key_size[key] - 1)
            part += 2 * links / (size - 1)
        return np.array([part, whole, recall])

    def _f_measure(self, sums: FloatArray) -> float:
        part, whole, recall_part = sums.tolist()
        precision = part / whole if whole > 0 else 0.0
        recall = recall_part / self._key_mentions if self._key_mentions else 0.0
        total = precision + recall
        return 2 * precision * recall / total if total > 0 else 0.0


def _edited(entity: Composition, change: dict[int, int] | Composition) -> Composition:
    edited = Counter(entity)
    edited.update(change)
    return +edited


def _negative(entity: Composition) -> dict[int, int]:
    return {key: -count for key, count in entity.items()}


def resolution_lost(table: MentionTable) -> FloatArray:
    """The share of missing LEA recall per key entity; together they are 1 − recall."""
    size = table.key.size.astype(np.float64)
    cells = table.cells
    alone = (table.key.size[cells.key] == 1) & (table.response.size[cells.response] == 1)
    links = np.bincount(cells.key, pairs(cells.count) + alone, minlength=len(size))
    found = size * links / np.maximum(pairs(size), 1)
    return (size - found) / max(float(size.sum()), 1.0)
