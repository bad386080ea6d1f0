"""Attribution: how many points of each metric each type of error costs.

A type is corrected by relabelling rows of the table (:mod:`~corefine.explaining.diagnosis`), and
what comes out is scored as the response was. *Alone*: only this type is corrected, so the gains of
several types overlap and do not add up. *In sequence*: one type after another, so the gains add up
to the way from the response's score to that of the key against itself, but depend on the order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from corefine.errors import UsageError
from corefine.explaining.corrections import Corrections
from corefine.explaining.diagnosis import TYPES, ErrorType
from corefine.metrics.table import MentionTable
from corefine.scoring.count import count_table
from corefine.scoring.request import Request
from corefine.scoring.scores import Scores


@dataclass(frozen=True, slots=True, eq=False)
class Attribution:
    """Scores of the response as it is and with errors corrected, from which gains are taken."""

    base: Scores
    """The response as it is."""
    alone: dict[ErrorType, Scores]
    """Only the errors of this type corrected."""
    sequence: dict[ErrorType, Scores]
    """The errors of this type corrected as well as those of all types before it."""

    @classmethod
    def of(
        cls,
        table: MentionTable,
        request: Request,
        corrections: Corrections,
        order: Sequence[ErrorType | str] = TYPES,
    ) -> Attribution:
        """Correct each type alone and in this order, and score as the response was scored."""
        types = check_corrections(order)
        whole = replace(request, by=())

        def scores(*corrected: ErrorType) -> Scores:
            return count_table(corrections.table(corrected), whole).scores()

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
        """What F1 gains, from 0 to 1, when only this type is corrected; it may be negative."""
        return self.alone[ErrorType(type)][metric].f1 - self.base[metric].f1

    def gain_in_sequence(self, type: ErrorType | str, metric: str) -> float:
        """What F1 gains when this type is corrected after those before it."""
        place = self.order.index(ErrorType(type))
        before = self.sequence[self.order[place - 1]] if place else self.base
        return self.sequence[self.order[place]][metric].f1 - before[metric].f1

    def to_dict(self) -> dict[str, Any]:
        """Metric → F1 at the start and the end and, by type, the gains."""
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


def check_corrections(order: Sequence[ErrorType | str]) -> tuple[ErrorType, ...]:
    """The types of errors in this order, if it names every type once."""
    if sorted(map(str, order)) != sorted(map(str, TYPES)):
        raise UsageError(
            "the order of corrections must contain every error type once, not "
            f"{', '.join(map(str, order)) or 'none'}",
            remedy=f"The error types are: {', '.join(TYPES)}.",
        )
    return tuple(map(ErrorType, order))
