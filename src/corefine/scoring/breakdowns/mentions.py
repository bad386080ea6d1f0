"""Divisions by mention kind, by semantic type, and by the words that pairs share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from corefine.corpus.columns import Kind
from corefine.errors import UsageError
from corefine.metrics.base import Metric, RowLabels, Statistics
from corefine.metrics.pairs import PairMetric
from corefine.metrics.table import MentionTable
from corefine.scoring.breakdowns.breakdown import Breakdown, LabelDivision, Parts, counts_anything
from corefine.scoring.breakdowns.registry import register

MIXED, UNTYPED = "mixed", "untyped"


@register
class MentionType(LabelDivision):
    """By the kind of the mention that a metric counts (name, nominal, pronoun).

    In MUC each mention but the first of an entity has one link, to what stands before it; in
    PARENT the referring mention of a pair decides; pairs are divided by the kinds of both mentions
    (``name-pronoun``).
    """

    name = "kind"
    needs_kinds = True

    def can_divide(self, metric: Metric) -> bool:
        return all(part.divides_by_kind for part in metric.needs())

    def labels(self, table: MentionTable) -> RowLabels:
        names = tuple(kind.name.lower() for kind in Kind)
        return RowLabels(names, table.kinds, table.kinds)

    def divided(self, metric: Metric, table: MentionTable) -> dict[str, Statistics]:
        return metric.by_kind(table)

    def order(self, groups: Iterable[str]) -> list[str]:
        # Single kinds before pairs of kinds, and what is not known last.
        return sorted(groups, key=lambda group: ("-" in group, "unknown" in group))


@register
class SemanticType(Breakdown):
    """The mentions of each semantic type on their own, on both sides, as MCORES does.

    It is defined for every metric of identity. Pairs across types are ``mixed``.
    """

    name = "type"
    needs_kinds = True

    def can_divide(self, metric: Metric) -> bool:
        # The types are those of the mentions of identity, which other annotations do not have.
        return all(part.properties.layer == "identity" for part in metric.needs())

    def parts(self, table: MentionTable, metrics: Mapping[str, Metric]) -> Parts:
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
            if isinstance(metric, PairMetric)
        }
        mixed = {name: counts for name, counts in mixed.items() if counts_anything(counts)}
        return parts | ({MIXED: mixed} if mixed else {})

    def order(self, groups: Iterable[str]) -> list[str]:
        return sorted(groups, key=lambda group: (group == MIXED, group == UNTYPED))

    def nothing_known(self, groups: Sequence[str]) -> UsageError | None:
        if list(groups) != [UNTYPED]:
            return None
        return UsageError(
            "scores by type need semantic types, which neither side has",
            remedy="Give them in a 'type' column: --kinds FILE (kinds=…).",
        )


def _rest(whole: Statistics, parts: Sequence[Statistics]) -> Statistics:
    """What no part has."""
    return {
        name: column - sum((part[name] for part in parts), np.zeros(len(column)))
        for name, column in whole.items()
    }


@register
class WordOverlap(Breakdown):
    """Pairs by the words of the two mentions: ``exact``, ``partial`` or ``none``."""

    name = "overlap"
    usual_metrics = "pairs"

    def can_divide(self, metric: Metric) -> bool:
        return isinstance(metric, PairMetric)

    def parts(self, table: MentionTable, metrics: Mapping[str, Metric]) -> Parts:
        parts: Parts = {}
        for name, metric in metrics.items():
            if isinstance(metric, PairMetric):
                for group, statistics in metric.by_overlap(table).items():
                    parts.setdefault(group, {})[name] = statistics
        return parts
