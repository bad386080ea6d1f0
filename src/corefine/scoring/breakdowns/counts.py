"""Statistics of the groups of a breakdown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from corefine.corpus.arrays import FloatArray, IntArray
from corefine.metrics.base import Metric, Statistics
from corefine.metrics.registry import resolve
from corefine.metrics.table import MentionTable
from corefine.scoring.breakdowns.breakdown import Breakdown, DocumentBreakdown, Parts


@dataclass(frozen=True, eq=False)
class BreakdownCounts:
    """The statistics of each group and metric, for the documents that have any of the group."""

    division: Breakdown
    metrics: dict[str, Metric]
    """The metrics that can be broken down so, by canonical name."""
    documents: tuple[str, ...]
    parts: Parts
    """By group and metric: statistics of the documents in ``rows``."""
    rows: Mapping[str, IntArray]
    """By group: the numbers of the documents with anything to count."""

    @property
    def by(self) -> str:
        """The name of the breakdown, with its parameters."""
        return str(self.division)

    @classmethod
    def of(
        cls,
        division: Breakdown,
        table: MentionTable,
        metrics: Iterable[Metric],
        values: Mapping[str, Statistics] | None = None,
    ) -> BreakdownCounts:
        """Break down the metrics that can be; ``values`` are their statistics, if known."""
        chosen = {str(metric): metric for metric in metrics if division.can_divide(metric)}
        if not chosen and division.usual_metrics:
            chosen = resolve(division.usual_metrics)
        needed = {str(part): part for metric in chosen.values() for part in metric.needs()}
        if isinstance(division, DocumentBreakdown):
            known = {
                name: metric.count(table) if values is None else values[name]
                for name, metric in needed.items()
            }
            groups = division.groups_of(table)
            return cls.of_documents(division, chosen, table.documents, groups, known)
        parts: Parts = {}
        rows: dict[str, IntArray] = {}
        counted = division.parts(table, needed)
        for group in division.order(counted):
            columns = [one != 0 for of in counted[group].values() for one in of.values()]
            rows[group] = np.flatnonzero(np.logical_or.reduce(columns))
            parts[group] = _selected(counted[group], rows[group])
        return cls(division, chosen, table.documents, parts, rows)

    @classmethod
    def of_documents(
        cls,
        division: DocumentBreakdown,
        metrics: dict[str, Metric],
        documents: tuple[str, ...],
        groups: Sequence[str],
        values: Mapping[str, Statistics],
    ) -> BreakdownCounts:
        """The sums of the statistics of documents by group."""
        members: dict[str, list[int]] = {}
        for number, group in enumerate(groups):
            members.setdefault(group, []).append(number)
        rows = {group: np.array(members[group], np.int64) for group in division.order(members)}
        parts = {group: _selected(values, numbers) for group, numbers in rows.items()}
        return cls(division, metrics, documents, parts, rows)

    @classmethod
    def concatenate(cls, breakdowns: Sequence[BreakdownCounts]) -> BreakdownCounts:
        """The breakdown of the documents of all parts."""
        first = breakdowns[0]
        if len(breakdowns) == 1:
            return first
        found: dict[str, list[tuple[int, BreakdownCounts]]] = {}
        offset = 0
        for one in breakdowns:
            for group in one.parts:
                found.setdefault(group, []).append((offset, one))
            offset += len(one.documents)
        parts: Parts = {}
        rows: dict[str, IntArray] = {}
        for group in first.division.order(found):
            pieces = found[group]
            rows[group] = np.concatenate([start + one.rows[group] for start, one in pieces])
            names = {
                metric: list(statistics)
                for _, one in pieces
                for metric, statistics in one.parts[group].items()
            }
            parts[group] = {
                metric: {
                    name: np.concatenate([one._own(group, metric, name) for _, one in pieces])
                    for name in columns
                }
                for metric, columns in names.items()
            }
        documents = tuple(name for one in breakdowns for name in one.documents)
        return cls(first.division, first.metrics, documents, parts, rows)

    def _own(self, group: str, metric: str, name: str) -> FloatArray:
        """A statistic of the documents of a group; zeros if the metric counts nothing there."""
        if metric not in self.parts[group]:
            return np.zeros(len(self.rows[group]))
        return self.parts[group][metric][name]

    def column(self, group: str, metric: str, name: str) -> FloatArray:
        """A statistic of all documents."""
        column = np.zeros(len(self.documents))
        if group in self.parts:
            column[self.rows[group]] = self._own(group, metric, name)
        return column

    def asked(self, group: str) -> dict[str, Metric]:
        """The metrics that count anything in a group."""
        counted = self.parts[group].keys()
        return {
            name: metric
            for name, metric in self.metrics.items()
            if all(str(part) in counted for part in metric.needs())
        }


def _selected(values: Mapping[str, Statistics], rows: IntArray) -> dict[str, Statistics]:
    return {
        metric: {name: column[rows] for name, column in columns.items()}
        for metric, columns in values.items()
    }


def checked(breakdowns: tuple[BreakdownCounts, ...]) -> tuple[BreakdownCounts, ...]:
    """The breakdowns, or an error if one has only the group of unknown documents or mentions."""
    for breakdown in breakdowns:
        error = breakdown.division.error_without_groups(list(breakdown.parts))
        if error is not None:
            raise error
    return breakdowns
