"""Breakdown of links by level: within a document, a subtopic, a topic, and across topics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from corefine.errors import UsageError
from corefine.matching.settings import Settings
from corefine.matching.units import levels_of
from corefine.metrics.base import Metric
from corefine.metrics.pairs import PairMetric
from corefine.metrics.table import MentionTable
from corefine.scoring.breakdowns.breakdown import Breakdown, Parts, counts_anything
from corefine.scoring.breakdowns.registry import register

LEVELS = ("document", "subtopic", "topic", "corpus")


@register
class Level(Breakdown):
    """Pairs by the smallest unit that holds both mentions (ECB+; Cattan et al. 2021).

    ``document``: one document; ``subtopic``: two documents of one subtopic; ``topic``: two
    subtopics of one topic; ``corpus``: two topics. Where documents have no subtopics, links across
    the documents of a topic are at the level ``topic``.
    """

    name = "level"
    usual_metrics = "pairs.coreferent"

    def can_divide(self, metric: Metric) -> bool:
        return isinstance(metric, PairMetric)

    def refusal(self, settings: Settings) -> UsageError | None:
        if settings.scope != "document":
            return None
        return UsageError(
            "scores by level need entities across documents",
            remedy="Use --scope topic or --scope corpus.",
        )

    def parts(self, table: MentionTable, metrics: Mapping[str, Metric]) -> Parts:
        assert table.origin is not None
        levels = levels_of(table.matched.key)
        units = {
            "document": table.origin,
            "subtopic": levels.subtopic[table.origin],
            "topic": levels.topic[table.origin],
            "corpus": np.zeros_like(table.origin),
        }
        parts: Parts = {}
        for name, metric in metrics.items():
            if isinstance(metric, PairMetric):
                for level, statistics in metric.by_unit(table, units).items():
                    if counts_anything(statistics):
                        parts.setdefault(level, {})[name] = statistics
        return {level: parts[level] for level in self.order(parts)}

    def order(self, groups: Iterable[str]) -> list[str]:
        present = set(groups)
        return [level for level in LEVELS if level in present]
