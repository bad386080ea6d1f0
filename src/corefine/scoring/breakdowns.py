"""Scores by part: by the kind of mentions, by semantic type, by the words that pairs share.

``kind`` divides what a metric counts by the kind of the mention that it is counted for:

- mention detection, B³, CEAFm, LB³ and LEA are sums over mentions, and each kind has its own sum
  (in LEA a mention bears an equal part of its entity's importance, and earns the share of its own
  links that was found);
- in MUC each mention but the first of an entity has one link, to what stands before it;
- in PARENT the referring mention of a pair decides;
- pairs are divided by the kinds of both mentions (``name-pronoun``).

The parts add up to the whole. The other metrics see entities or links that belong to no one
mention: they are left out.

``type`` scores the mentions of each semantic type on their own, on both sides, as MCORES does for
persons, problems, treatments and tests: it is defined for every metric. Pairs across types are
``mixed``, and mentions without a type are ``untyped``.

``overlap`` divides pairs by the words of the two mentions: ``exact``, ``partial`` or ``none``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from corefine.errors import UsageError, choose
from corefine.metrics.base import Metric, Statistics, Triple
from corefine.metrics.registry import resolve
from corefine.metrics.table import Table
from corefine.scoring.statistics import CorpusStatistics

BY = ("kind", "type", "overlap")
MIXED, UNTYPED = "mixed", "untyped"

Parts = dict[str, dict[str, Statistics]]
"""Statistics by document, by group and metric."""


@dataclass(frozen=True, eq=False)
class Breakdown:
    """The statistics of the parts of a corpus: for each group and metric, numbers by document."""

    by: str
    metrics: dict[str, Metric]
    """The metrics that can be divided so, by canonical name."""
    documents: tuple[str, ...]
    parts: Parts

    @classmethod
    def of(cls, by: str, table: Table, metrics: Iterable[Metric]) -> Breakdown:
        """Divide what these metrics count; those that cannot be divided so are left out."""
        asked = {str(metric): metric for metric in metrics if can_divide(metric, by)}
        if by == "overlap" and not asked:
            asked = resolve("pairs")
        needed = {str(part): part for metric in asked.values() for part in metric.needs()}
        divide = {"kind": _by_kind, "type": _by_type, "overlap": _by_overlap}[by]
        return cls(by, asked, table.documents, divide(table, needed))

    @classmethod
    def concatenate(cls, breakdowns: Sequence[Breakdown]) -> Breakdown:
        """The breakdown of all documents; a group that a part lacks has nothing to count there."""
        if len(breakdowns) == 1:
            return breakdowns[0]
        groups: dict[str, dict[str, list[str]]] = {}
        for breakdown in breakdowns:
            for group, metrics in breakdown.parts.items():
                for metric, statistics in metrics.items():
                    groups.setdefault(group, {})[metric] = list(statistics)
        return cls(
            breakdowns[0].by,
            breakdowns[0].metrics,
            tuple(name for breakdown in breakdowns for name in breakdown.documents),
            {
                group: {
                    metric: {
                        name: np.concatenate([b._column(group, metric, name) for b in breakdowns])
                        for name in names
                    }
                    for metric, names in metrics.items()
                }
                for group, metrics in groups.items()
            },
        )

    def _column(self, group: str, metric: str, name: str) -> np.ndarray:
        try:
            return self.parts[group][metric][name]
        except KeyError:
            return np.zeros(len(self.documents))

    def statistics(self, group: str) -> CorpusStatistics:
        """The statistics of one group."""
        return CorpusStatistics(self.documents, self.parts[group])

    def asked(self, group: str) -> dict[str, Metric]:
        """The metrics that count anything in a group."""
        counted = self.parts[group].keys()
        return {
            name: metric
            for name, metric in self.metrics.items()
            if all(str(part) in counted for part in metric.needs())
        }


def pair_breakdown(table: Table, by: str = "overlap") -> dict[str, dict[str, Triple]]:
    """Precision, recall and F1 of coreferent and non-coreferent pairs, by group of pairs.

    ``by`` is ``overlap``, ``kind`` or ``type``; the metrics are by name.
    """
    divided = Breakdown.of(choose("by", by, BY), table, resolve("pairs").values())
    return {
        group: {
            name: metric.score(divided.statistics(group).totals()[name])
            for name, metric in divided.asked(group).items()
        }
        for group in divided.parts
    }


def with_types(breakdowns: tuple[Breakdown, ...]) -> tuple[Breakdown, ...]:
    """The breakdowns, unless one is by semantic type where no mention has any."""
    for breakdown in breakdowns:
        if breakdown.by == "type" and list(breakdown.parts) == [UNTYPED]:
            raise UsageError(
                "scores by type need the semantic types of mentions, which neither side gives",
                remedy="Give them in the column 'type' of a file: --kinds FILE (kinds=…).",
            )
    return breakdowns


def can_divide(metric: Metric, by: str) -> bool:
    """Whether a metric can be divided in this way."""
    if by == "type":
        return True
    if by == "overlap":
        return metric.divides_by_overlap
    return all(part.divides_by_kind for part in metric.needs())


def breakdowns_asked(by: str | Sequence[str] | None) -> tuple[str, ...]:
    """The breakdowns that are asked for: one, several, or several with commas between them."""
    words = [] if by is None else by.split(",") if isinstance(by, str) else list(by)
    return tuple(dict.fromkeys(choose("by", word, BY) for word in words))


def _by_kind(table: Table, metrics: Mapping[str, Metric]) -> Parts:
    parts: Parts = {}
    for name, metric in metrics.items():
        for group, statistics in _kinds_of(metric, table).items():
            if _counts(statistics):
                parts.setdefault(group, {})[name] = statistics
    # Single kinds before pairs of kinds, and what is not known last.
    return dict(sorted(parts.items(), key=lambda part: ("-" in part[0], "unknown" in part[0])))


def _kinds_of(metric: Metric, table: Table) -> dict[str, Statistics]:
    tables = table.twinless_tables if metric.properties.splits_twinless else None
    if tables is None:
        return metric.by_kind(table)
    precision, recall = (metric.by_kind(part) for part in tables)
    return {
        group: {
            name: (precision if name.startswith("precision") else recall)[group][name]
            for name in statistics
        }
        for group, statistics in precision.items()
    }


def _by_type(table: Table, metrics: Mapping[str, Metric]) -> Parts:
    types = np.full(len(table.document), -1) if table.type is None else table.type
    parts: Parts = {}
    for number, group in [*enumerate(table.types), (-1, UNTYPED)]:
        rows = types == number
        if rows.any():
            part = table.restricted(rows)
            parts[group] = {name: metric.count(part) for name, metric in metrics.items()}
    mixed = {
        name: _rest(metric.count(table), [part[name] for part in parts.values()])
        for name, metric in metrics.items()
        if metric.divides_by_overlap
    }
    mixed = {name: statistics for name, statistics in mixed.items() if _counts(statistics)}
    return parts | ({MIXED: mixed} if mixed else {})


def _rest(whole: Statistics, parts: Sequence[Statistics]) -> Statistics:
    """What no part has."""
    return {
        name: column - sum((part[name] for part in parts), np.zeros(len(column)))
        for name, column in whole.items()
    }


def _by_overlap(table: Table, metrics: Mapping[str, Metric]) -> Parts:
    parts: Parts = {}
    for name, metric in metrics.items():
        if metric.divides_by_overlap:
            for group, statistics in metric.by_overlap(table).items():
                parts.setdefault(group, {})[name] = statistics
    return parts


def _counts(statistics: Statistics) -> bool:
    """Whether there is anything in a group."""
    return any(column.any() for column in statistics.values())
