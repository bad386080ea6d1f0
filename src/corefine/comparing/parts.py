"""Scores by part with their intervals: for each group of a breakdown, every system and metric."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from corefine.comparing.bootstrap import bootstrap
from corefine.comparing.panel import F1, Panel
from corefine.comparing.plan import Plan
from corefine.comparing.standings import Interval
from corefine.scoring.breakdowns import Breakdown
from corefine.scoring.scores import Score, Scores
from corefine.scoring.statistics import CorpusStatistics
from corefine.showing.grid import Column, Grid
from corefine.showing.progress import Progress, silent


@dataclass(frozen=True, slots=True)
class PartStanding:
    """A system under a metric in one group, with the percentile interval of F1 over documents."""

    by: str
    group: str
    metric: str
    system: str
    score: Score
    interval: Interval | None
    """None where there are fewer than two documents."""

    def to_dict(self) -> dict[str, Any]:
        """The standing as plain values."""
        return {
            "by": self.by,
            "group": self.group,
            "metric": self.metric,
            "system": self.system,
            **self.score.to_dict(),
            "percentile": None if self.interval is None else list(self.interval),
        }


def part_standings(
    scores: Mapping[str, Scores], plan: Plan, progress: Progress = silent
) -> tuple[PartStanding, ...]:
    """The standings of all systems in all groups, group by group; all were scored alike.

    The same documents are drawn for every group, so parts move as the whole does.
    """
    found: list[PartStanding] = []
    for breakdowns in zip(*(one.breakdowns for one in scores.values()), strict=True):
        by_system = dict(zip(scores, breakdowns, strict=True))
        division = breakdowns[0].division
        for group in division.order({name for one in breakdowns for name in one.parts}):
            for one in _standings(by_system, group, plan, progress):
                # The same bits, and the signature, of the score where it stands alone.
                known = scores[one.system].breakdown[one.by].get(group, {}).get(one.metric)
                found.append(one if known is None else replace(one, score=known))
    return tuple(found)


def _standings(
    by_system: Mapping[str, Breakdown], group: str, plan: Plan, progress: Progress
) -> list[PartStanding]:
    breakdowns = list(by_system.values())
    # A metric counts in the group if it does for any of the systems.
    counted = {
        part: tuple(statistics)
        for one in breakdowns
        for part, statistics in one.parts.get(group, {}).items()
    }
    metrics = {
        name: metric
        for name, metric in breakdowns[0].metrics.items()
        if all(str(part) in counted for part in metric.needs())
    }
    if not metrics:
        return []
    panel = Panel.of_statistics(
        {
            system: CorpusStatistics(
                one.documents,
                {
                    part: {name: one.column(group, part, name) for name in names}
                    for part, names in counted.items()
                },
            )
            for system, one in by_system.items()
        },
        metrics,
    )
    values = panel.scores().tolist()
    several = len(panel.documents) > 1
    drawn = bootstrap(
        panel,
        replicates=plan.resamples if several else 1,
        confidence=plan.confidence,
        seed=plan.seed,
        progress=progress,
    )
    return [
        PartStanding(
            breakdowns[0].by,
            group,
            metric,
            system,
            Score(f1) if precision != precision else Score(f1, precision, recall),
            Interval(*drawn.scores.percentile[row, column, F1].tolist()) if several else None,
        )
        for column, metric in enumerate(panel.names)
        for row, system in enumerate(panel.systems)
        for precision, recall, f1 in [values[row][column]]
    ]


def part_grid(standings: Sequence[PartStanding], by: str, confidence: float) -> Grid:
    """One row a group, metric and system, with the interval of F1."""
    return Grid.of(
        [one for one in standings if one.by == by],
        {
            Column(by): "group",
            Column("metric"): "metric",
            Column("system"): "system",
            Column("P", "percent", "precision"): "score.precision",
            Column("R", "percent", "recall"): "score.recall",
            Column("F1", "percent", "f1"): "score.f1",
            Column("low", "percent", "percentile_low"): lambda one: (
                None if one.interval is None else one.interval[0]
            ),
            Column("high", "percent", "percentile_high"): lambda one: (
                None if one.interval is None else one.interval[1]
            ),
        },
        f"By {by}, with {100 * confidence:g}% intervals of F1 (bootstrap over documents)",
    )
