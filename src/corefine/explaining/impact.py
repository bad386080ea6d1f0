"""The impact of single errors: the gain of LEA F1 if only this error is corrected.

LEA's sums are, with n_kr the mentions that key entity k and response entity r share,

- for precision, over response entities r of size S: S · Σ_k pairs(n_kr) / pairs(S), out of S;
- for recall, over key entities k of size T: T · Σ_r pairs(n_kr) / pairs(T), out of T;

and a singleton counts 1 if the other side has the same singleton. Correcting one error moves
mentions of one key entity, and mentions that the key does not have, into or out of at most two
response entities: only their terms are recomputed. The impacts of single errors do not add up to
the cost of their type: corrections support each other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from corefine.corpus.arrays import FloatArray
from corefine.explaining.diagnosis import Diagnosis, ErrorType, MentionStatus
from corefine.metrics.blanc import pairs
from corefine.metrics.table import MentionTable

METRIC = "LEA"
"""The metric of the impact: the only entity-based one that a single error changes locally."""
NEW = -1
"""A response entity that a correction adds."""


class Impact:
    """Computes the impact of errors of one response."""

    def __init__(self, diagnosis: Diagnosis, *, keep_singletons: bool = True) -> None:
        table, cells = diagnosis.table, diagnosis.table.cells
        self._least = 1 if keep_singletons else 2
        self._key_entity: list[int] = table.key_entity.tolist()
        self._response_entity: list[int] = table.response_entity.tolist()
        self._key: list[int] = diagnosis.key.tolist()
        self._response: list[int] = diagnosis.response.tolist()
        self._main: list[int] = diagnosis.main.tolist()
        self._largest: list[int] = diagnosis.largest.tolist()
        self._key_size: list[int] = table.key.size.tolist()
        # By response entity, and 0 for a new one: size, correct links, mentions of key singletons.
        alone = table.key.size[cells.key] == 1
        columns = (
            table.response.size,
            np.bincount(cells.response, pairs(cells.count), minlength=len(table.response)),
            np.bincount(cells.response, alone, minlength=len(table.response)),
        )
        self._size, self._links, self._alone = ([*map(int, column), 0] for column in columns)
        names = zip(cells.key.tolist(), cells.response.tolist(), strict=True)
        self._shared = dict(zip(names, cells.count.tolist(), strict=True))
        extra = diagnosis.status == MentionStatus.EXTRA
        self._extra_mentions = Counter(table.response_entity[extra].tolist())
        lengths = zip(self._size, self._links, self._alone, strict=True)
        self._precision = sum(_resolved(*one) for one in lengths)
        self._recall = sum(self._key_size) * (1 - float(resolution_lost(table).sum()))
        self._whole, self._key_mentions = sum(self._size), sum(self._key_size)
        self._f1 = self._f_measure(self._precision, self._whole, self._recall)

    def __call__(self, type_: ErrorType, rows: Sequence[int]) -> float:
        """The impact of an error, given by its rows of the table."""
        key, source = self._key[rows[0]], self._response[rows[0]]
        # Response entities, and the mentions of the key entity and others that they gain.
        changes: list[tuple[int, int, int]]
        if type_ is ErrorType.SPAN:
            changes = [(source, 1, -1)]
        elif type_ is ErrorType.MISSING_MENTION:
            changes = [(source, 1, 0)]
        elif type_ is ErrorType.MISSING_ENTITY:
            changes = [(NEW, len(rows), 0)]
        elif type_ in (ErrorType.EXTRA_MENTION, ErrorType.EXTRA_ENTITY):
            changes = [(source, 0, -len(rows))]
        else:
            moved = [row for row in rows if self._response_entity[row] >= 0]
            own = sum(self._key_entity[row] >= 0 for row in moved)
            others, target = len(moved) - own, NEW
            if type_ is ErrorType.SPLIT:
                target = self._largest[key]
                if self._main[source] == key:
                    # Extra mentions belong to the main part, and move with it.
                    others += self._extra_mentions[source]
            changes = [(source, -own, -others), (target, own, others)]
        precision, whole, recall = self._precision, self._whole, self._recall
        for response, own, others in changes:
            terms = self._changed(response, key, own, others)
            precision, whole, recall = precision + terms[0], whole + terms[1], recall + terms[2]
        return self._f_measure(precision, whole, recall) - self._f1

    def _changed(self, response: int, key: int, own: int, others: int) -> tuple[float, int, float]:
        """Changes of precision part, precision whole and recall part."""
        old = self._size[response], self._links[response], self._alone[response]
        size, links, alone = old[0] + own + others, old[1], old[2]
        recall = 0.0
        if own:
            before = self._shared.get((key, response), 0)
            added = (before + own) * (before + own - 1) // 2 - before * (before - 1) // 2
            links += added
            recall += 2 * added / max(self._key_size[key] - 1, 1)
            alone += own if self._key_size[key] == 1 else 0
        new = (size, links, alone) if size >= self._least else (0, 0, 0)
        recall += (new[2] if new[0] == 1 else 0) - (old[2] if old[0] == 1 else 0)
        return _resolved(*new) - _resolved(*old), new[0] - old[0], recall

    def _f_measure(self, precision_part: float, size: int, recall_part: float) -> float:
        precision = precision_part / max(size, 1)
        recall = recall_part / max(self._key_mentions, 1)
        total = precision + recall
        return 2 * precision * recall / total if total > 0 else 0.0


def _resolved(size: int, links: int, alone: int) -> float:
    """The term of a response entity in the sum of precision."""
    return alone if size == 1 else 2 * links / max(size - 1, 1)


def resolution_lost(table: MentionTable) -> FloatArray:
    """The share of missing LEA recall per key entity; together they are 1 − recall."""
    size = table.key.size.astype(np.float64)
    cells = table.cells
    alone = (table.key.size[cells.key] == 1) & (table.response.size[cells.response] == 1)
    links = np.bincount(cells.key, pairs(cells.count) + alone, minlength=len(size))
    found = size * links / np.maximum(pairs(size), 1)
    return (size - found) / max(float(size.sum()), 1.0)
