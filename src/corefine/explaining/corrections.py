"""Corrected responses, and the F1 lost to each error type.

All mentions of both sides are in one pool, from which each corrected response takes its mentions. A
corrected response is thus a corpus like any other, and is scored by the same code.

An error type is corrected by relabelling rows of the table
(:meth:`~corefine.explaining.diagnosis.Diagnosis.corrected_labels`). *Alone*: only this type is
corrected, so the gains of several types overlap and do not add up. *In sequence*: one type after
another, in the order of ``TYPES``, so the gains add up from the response's score to that of the key
against itself, but depend on the order.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from corefine.corpus.arrays import IntArray, numbered
from corefine.corpus.columns import Entities
from corefine.corpus.corpus import Corpus
from corefine.corpus.selection import keep_mentions, take_mentions
from corefine.explaining.diagnosis import TYPES, Diagnosis, ErrorType
from corefine.matching.matching import Matching
from corefine.matching.twinless import add_singletons
from corefine.metrics.table import MentionTable
from corefine.scoring.count import count_table
from corefine.scoring.request import Request
from corefine.scoring.scores import Scores


@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """All mentions of a table, for responses that have some of them in other entities."""

    matching: Matching
    corpus: Corpus
    """The response with all mentions that only the key has."""
    mention: IntArray
    """The mention in the pool of each row of the table."""

    @classmethod
    def of(cls, table: MentionTable) -> Pool:
        """Add the mentions that only the key has to the response."""
        matching = table.matching
        missed = np.flatnonzero(matching.response_mention < 0)
        wanted = np.zeros(len(matching.key.mentions), bool)
        wanted[matching.key_mention[missed]] = True
        corpus, place = add_singletons(matching.response, keep_mentions(matching.key, wanted))
        added = np.cumsum(wanted) - 1
        number = matching.response_mention.copy()
        number[missed] = len(matching.response.mentions) + added[matching.key_mention[missed]]
        return cls(matching, corpus, place[number])

    def table(self, labels: IntArray, *, keep_singletons: bool = True) -> MentionTable:
        """The table of the key and a response whose entities are the rows with equal labels.

        Rows with label -1 are left out.
        """
        entity, known = np.full(len(labels), -1), labels >= 0
        if not keep_singletons:
            _, inverse, size = np.unique(labels[known], return_inverse=True, return_counts=True)
            known[known] = (size > 1)[inverse.reshape(-1)]
        entity[known] = np.unique(labels[known], return_inverse=True)[1].reshape(-1)
        # The mentions of a corpus are ordered by document, like the mentions of the pool.
        present = np.full(len(self.corpus.mentions), -1)
        present[self.mention[entity >= 0]] = np.flatnonzero(entity >= 0)
        present = present[present >= 0]
        mentions = take_mentions(self.corpus.mentions, self.mention[present])
        entity = entity[present]
        first_document = np.empty(int(entity.max(initial=-1)) + 1, np.int64)
        first_document[entity[::-1]] = mentions.document[::-1]
        response = replace(
            self.corpus,
            entities=Entities(first_document),
            mentions=replace(mentions, entity=entity),
        )
        response_mention = np.full(len(labels), -1)
        response_mention[present] = np.arange(len(present))
        kept = (self.matching.key_mention >= 0) | (response_mention >= 0)
        return MentionTable.of(
            replace(
                self.matching,
                response=response,
                key_mention=self.matching.key_mention[kept],
                response_mention=response_mention[kept],
            )
        )


Gains = dict[str, dict[ErrorType, float]]
"""Metric → error type → the gain of F1, from 0 to 1, if the type is corrected."""


@dataclass(frozen=True, eq=False)
class Attribution:
    """Scores of the response as it is and with errors corrected."""

    table: MentionTable
    request: Request
    diagnosis: Diagnosis

    @cached_property
    def base(self) -> Scores:
        """The response as it is."""
        return count_table(self.table, self.request).scores()

    @cached_property
    def alone(self) -> dict[ErrorType, Scores]:
        """Only the errors of this type corrected."""
        return {type_: self._corrected((type_,)) for type_ in TYPES}

    @cached_property
    def sequence(self) -> dict[ErrorType, Scores]:
        """The errors of this type and of all types before it corrected."""
        return {type_: self._corrected(TYPES[: n + 1]) for n, type_ in enumerate(TYPES)}

    @property
    def final(self) -> Scores:
        """Everything corrected: the key against itself."""
        return self.sequence[TYPES[-1]]

    @property
    def metrics(self) -> tuple[str, ...]:
        """The canonical names of the metrics."""
        return tuple(self.base.by_name)

    @cached_property
    def gains_alone(self) -> Gains:
        """The gains if only one type is corrected; they overlap, and may be negative."""
        return self._gains([self.base] * len(TYPES), self.alone)

    @cached_property
    def gains(self) -> Gains:
        """The gains if each type is corrected after those before it."""
        return self._gains([self.base, *self.sequence.values()], self.sequence)

    def to_dict(self) -> dict[str, Any]:
        """Metric → F1 at the start and the end, and the gains per error type."""
        return {
            metric: {
                "response": self.base[metric].f1,
                "key": self.final[metric].f1,
                "alone": self.gains_alone[metric],
                "sequence": gains,
            }
            for metric, gains in self.gains.items()
        }

    def _gains(self, before: Sequence[Scores], after: Mapping[ErrorType, Scores]) -> Gains:
        return {
            metric: {
                type_: new.by_name[metric].f1 - old.by_name[metric].f1
                for old, (type_, new) in zip(before, after.items(), strict=False)
            }
            for metric in self.metrics
        }

    @cached_property
    def _pool(self) -> Pool:
        return Pool.of(self.table)

    @cached_property
    def _known(self) -> dict[bytes, Scores]:
        """Scores by entities of the rows: a type without errors changes none."""
        return {}

    def _corrected(self, types: Collection[ErrorType]) -> Scores:
        """The response with these types corrected, scored as it was scored."""
        keep = self.request.settings.singletons == "keep"
        labels = self.diagnosis.corrected_labels(types)
        entities = np.where(labels < 0, -1, numbered(labels)[1]).tobytes()
        if entities not in self._known:
            table = self._pool.table(labels, keep_singletons=keep)
            scores = count_table(table, replace(self.request, by=())).scores()
            self._known[entities] = scores
        return self._known[entities]
