"""Corrected responses, and the F1 lost to each error type.

All mentions of both sides are in one pool, from which each corrected response takes its mentions. A
corrected response is thus a corpus like any other, and is scored by the same code.

An error type is corrected by relabelling rows of the table
(:meth:`~corefine.explaining.diagnosis.Diagnosis.corrected_labels`). *Alone*: only this type is
corrected, so the gains of several types overlap and do not add up. *In sequence*: one type after
another, so the gains add up from the response's score to that of the key against itself, but depend
on the order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from corefine.corpus.arrays import IntArray
from corefine.corpus.columns import Entities
from corefine.corpus.corpus import Corpus
from corefine.corpus.selection import keep_mentions, take_mentions
from corefine.errors import UsageError
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
        """Add the mentions that only the key has to those of the response."""
        matching = table.matching
        assert matching is not None, "corrections need matched corpora"
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
        entity = np.full(len(labels), -1)
        _, inverse, size = np.unique(labels[labels >= 0], return_inverse=True, return_counts=True)
        entity[labels >= 0] = inverse.reshape(-1)
        if not keep_singletons:
            several = size > 1
            entity = np.append(np.where(several, np.cumsum(several) - 1, -1), -1)[entity]
        # The mentions of a corpus are ordered by document, and so are those of the pool.
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


@dataclass(frozen=True, slots=True, eq=False)
class Attribution:
    """Scores of the response as it is and with errors corrected."""

    base: Scores
    """The response as it is."""
    alone: dict[ErrorType, Scores]
    """Only the errors of this type corrected."""
    sequence: dict[ErrorType, Scores]
    """The errors of this type and of all types before it corrected."""

    @classmethod
    def of(
        cls,
        table: MentionTable,
        request: Request,
        diagnosis: Diagnosis,
        order: Sequence[ErrorType | str] = TYPES,
    ) -> Attribution:
        """Correct each type alone and in this order, and score as the response was scored."""
        types = check_order(order)
        pool = Pool.of(table)
        keep = request.settings.singletons == "keep"
        whole = replace(request, by=())

        def scores(*corrected: ErrorType) -> Scores:
            labels = diagnosis.corrected_labels(corrected)
            return count_table(pool.table(labels, keep_singletons=keep), whole).scores()

        alone = {type_: scores(type_) for type_ in types}
        sequence = {types[0]: alone[types[0]]}
        for count in range(2, len(types) + 1):
            sequence[types[count - 1]] = scores(*types[:count])
        return cls(count_table(table, request).scores(), alone, sequence)

    @property
    def order(self) -> tuple[ErrorType, ...]:
        """The types in the order in which they are corrected."""
        return tuple(self.sequence)

    @property
    def metrics(self) -> tuple[str, ...]:
        """The canonical names of the metrics."""
        return tuple(self.base.by_name)

    @property
    def final(self) -> Scores:
        """Everything corrected: the key against itself."""
        return self.sequence[self.order[-1]]

    def gain_alone(self, type: ErrorType | str, metric: str) -> float:
        """The gain of F1, from 0 to 1, if only this type is corrected; it may be negative."""
        return self.alone[ErrorType(type)][metric].f1 - self.base[metric].f1

    def gain_in_sequence(self, type: ErrorType | str, metric: str) -> float:
        """The gain of F1 if this type is corrected after those before it."""
        place = self.order.index(ErrorType(type))
        before = self.sequence[self.order[place - 1]] if place else self.base
        return self.sequence[self.order[place]][metric].f1 - before[metric].f1

    def to_dict(self) -> dict[str, Any]:
        """Metric → F1 at the start and the end, and the gains per error type."""
        return {
            metric: {
                "response": self.base[metric].f1,
                "key": self.final[metric].f1,
                "alone": {str(type_): self.gain_alone(type_, metric) for type_ in self.order},
                "sequence": {
                    str(type_): self.gain_in_sequence(type_, metric) for type_ in self.order
                },
            }
            for metric in self.metrics
        }


def check_order(order: Sequence[ErrorType | str]) -> tuple[ErrorType, ...]:
    """The error types in this order; an error if it does not name every type once."""
    if sorted(map(str, order)) != sorted(map(str, TYPES)):
        raise UsageError(
            "the order of corrections must contain every error type once, not "
            f"{', '.join(map(str, order)) or 'none'}",
            remedy=f"The error types are: {', '.join(TYPES)}.",
        )
    return tuple(map(ErrorType, order))
