"""Scores by part: the statistics of the groups that a division makes (see ``divisions/``).

Where a metric counts by mention (mention detection, B³, CEAFm, LB³, LEA, MUC) its parts add up to
the whole in every division: in LEA a mention bears an equal part of its entity's importance, and
earns the share of its own links that was found; in MUC each mention but the first of an entity has
one link, to what stands before it. Metrics whose counts belong to no one mention, entity or
document are left out where they cannot be divided.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from corefine.metrics.base import Metric
from corefine.metrics.registry import resolve
from corefine.metrics.table import MentionTable
from corefine.scoring.breakdowns import Breakdown, Parts


@dataclass(frozen=True, eq=False)
class BreakdownCounts:
    """The statistics of the parts of a corpus: for each group and metric, numbers by document."""

    division: Breakdown
    metrics: dict[str, Metric]
    """The metrics that can be divided so, by canonical name."""
    documents: tuple[str, ...]
    parts: Parts

    @property
    def by(self) -> str:
        """The name of the division, with its parameters."""
        return str(self.division)

    @classmethod
    def of(
        cls, division: Breakdown, table: MentionTable, metrics: Iterable[Metric]
    ) -> BreakdownCounts:
        """Divide what these metrics count; those that cannot be divided so are left out."""
        asked = {str(metric): metric for metric in metrics if division.can_divide(metric)}
        if not asked and division.usual_metrics:
            asked = resolve(division.usual_metrics)
        needed = {str(part): part for metric in asked.values() for part in metric.needs()}
        return cls(division, asked, table.documents, division.parts(table, needed))

    @classmethod
    def concatenate(cls, breakdowns: Sequence[BreakdownCounts]) -> BreakdownCounts:
        """The breakdown of all documents; a group that a part lacks has nothing to count there."""
        if len(breakdowns) == 1:
            return breakdowns[0]
        groups: dict[str, dict[str, list[str]]] = {}
        for breakdown in breakdowns:
            for group, metrics in breakdown.parts.items():
                for metric, statistics in metrics.items():
                    groups.setdefault(group, {})[metric] = list(statistics)
        division = breakdowns[0].division
        return cls(
            division,
            breakdowns[0].metrics,
            tuple(name for breakdown in breakdowns for name in breakdown.documents),
            {
                group: {
                    metric: {
                        name: np.concatenate([b.column(group, metric, name) for b in breakdowns])
                        for name in names
                    }
                    for metric, names in groups[group].items()
                }
                for group in division.order(groups)
            },
        )

    def column(self, group: str, metric: str, name: str) -> np.ndarray:
        """A statistic by document; zeros where nothing of a group is counted."""
        try:
            return self.parts[group][metric][name]
        except KeyError:
            return np.zeros(len(self.documents))

    def asked(self, group: str) -> dict[str, Metric]:
        """The metrics that count anything in a group."""
        counted = self.parts[group].keys()
        return {
            name: metric
            for name, metric in self.metrics.items()
            if all(str(part) in counted for part in metric.needs())
        }


def checked(breakdowns: tuple[BreakdownCounts, ...]) -> tuple[BreakdownCounts, ...]:
    """The breakdowns, unless one has only groups that say that nothing was known."""
    for breakdown in breakdowns:
        if (nothing := breakdown.division.nothing_known(list(breakdown.parts))) is not None:
            raise nothing
    return breakdowns
