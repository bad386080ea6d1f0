"""Confidence intervals of F1 for every group of a breakdown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from corefine.output.progress import Progress, silent
from corefine.scoring.breakdowns.counts import BreakdownCounts
from corefine.scoring.resampling.bootstrap import bootstrap
from corefine.scoring.resampling.panel import F1, Panel
from corefine.scoring.scores import Scores

PartIntervals = dict[str, dict[str, dict[str, tuple[float, float]]]]
"""Interval of F1 by breakdown, group and canonical name of the metric."""


def part_panel(breakdowns: Mapping[str, BreakdownCounts], group: str) -> Panel | None:
    """Statistics of all systems in one group; None if no metric counts anything there.

    A metric counts in the group if it does for any of the systems. Documents without any statistics
    of the group are left out: a sample of these alone would have no score.
    """
    counted = {
        part: tuple(statistics)
        for one in breakdowns.values()
        for part, statistics in one.parts.get(group, {}).items()
    }
    metrics = {
        name: metric
        for name, metric in next(iter(breakdowns.values())).metrics.items()
        if all(str(part) in counted for part in metric.needs())
    }
    if not metrics:
        return None
    values = {
        system: {
            part: {name: one.column(group, part, name) for name in names}
            for part, names in counted.items()
        }
        for system, one in breakdowns.items()
    }
    panel = Panel.of_values(next(iter(breakdowns.values())).documents, values, metrics)
    present = np.flatnonzero(panel.statistics.any(axis=(0, 1)))
    return replace(
        panel,
        documents=tuple(panel.documents[number] for number in present.tolist()),
        statistics=panel.statistics[:, :, present],
    )


def part_intervals(
    scores: Scores,
    *,
    replicates: int = 10_000,
    confidence: float = 0.95,
    seed: int = 0,
    progress: Progress = silent,
) -> PartIntervals:
    """Bootstrap intervals of F1 for every group of every breakdown of the scores.

    Only documents with statistics of the group are drawn; groups with fewer than two such documents
    are left out.
    """
    found: PartIntervals = {}
    for breakdown in scores.breakdowns:
        found[breakdown.by] = {}
        for group in breakdown.parts:
            if len(breakdown.rows[group]) < 2:
                continue
            panel = part_panel({"": breakdown}, group)
            if panel is None or len(panel.documents) < 2:
                continue
            drawn = bootstrap(
                panel,
                replicates=replicates,
                confidence=confidence,
                seed=seed,
                progress=progress,
            )
            bounds = drawn.scores[0, :, F1].tolist()
            found[breakdown.by][group] = {
                name: (low, high) for name, (low, high) in zip(panel.names, bounds, strict=True)
            }
    return found
