"""Scores by part with their intervals: for each group of a breakdown, every system and metric."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from corefine.comparing.plan import Plan
from corefine.comparing.runs import Runs, flattened
from corefine.comparing.standings import Interval
from corefine.output.grid import Column, Grid
from corefine.output.progress import Progress, silent
from corefine.scoring.breakdowns.counts import BreakdownCounts
from corefine.scoring.resampling.bootstrap import bootstrap
from corefine.scoring.resampling.breakdowns import part_panel
from corefine.scoring.resampling.panel import F1
from corefine.scoring.scores import Score, Scores


@dataclass(frozen=True, slots=True)
class PartStanding:
    """A system under a metric in one group, with the percentile interval of F1 over documents."""

    by: str
    group: str
    metric: str
    system: str
    score: Score
    interval: Interval | None
    """None where fewer than two documents have anything of the group."""

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
    scores: Mapping[str, Sequence[Scores]], plan: Plan, progress: Progress = silent
) -> tuple[PartStanding, ...]:
    """The standings of all systems in all groups, group by group; each has one run or several.

    A group's documents are drawn from those that have something of it. Stored results may have
    been divided in different ways: those that all share are shown.
    """
    runs = [one for of in scores.values() for one in of]
    shared = [one.by for one in runs[0].breakdowns]
    shared = [by for by in shared if all(by in one.breakdown for one in runs)]
    found: list[PartStanding] = []
    for by in shared:
        breakdowns = [next(b for b in one.breakdowns if b.by == by) for one in runs]
        for one in breakdown_standings(scores, breakdowns, plan, progress):
            # The same bits, and the signature, of the score where it stands alone.
            of = scores[one.system]
            known = of[0].breakdown[by].get(one.group, {}).get(one.metric)
            if known is not None:
                score = known if len(of) == 1 else replace(one.score, signature=known.signature)
                one = replace(one, score=score)
            found.append(one)
    return tuple(found)


def breakdown_standings(
    scores: Mapping[str, Sequence[Scores]],
    breakdowns: Sequence[BreakdownCounts],
    plan: Plan,
    progress: Progress = silent,
) -> list[PartStanding]:
    """The standings in all groups of one division, of which there is a breakdown a run."""
    found = dict.fromkeys(name for one in breakdowns for name in one.parts)
    groups = breakdowns[0].division.order(found)
    return [
        one for group in groups for one in _standings(scores, breakdowns, group, plan, progress)
    ]


def _standings(
    scores: Mapping[str, Sequence[Scores]],
    breakdowns: Sequence[BreakdownCounts],
    group: str,
    plan: Plan,
    progress: Progress,
) -> list[PartStanding]:
    panel = part_panel(dict(zip(flattened(scores), breakdowns, strict=True)), group)
    if panel is None:
        return []
    runs = Runs.of_panel(panel, scores)
    intervals = {
        system: _intervals({system: of}, own, group, plan, progress)
        for (system, of), own in zip(scores.items(), _by_system(scores, breakdowns), strict=True)
    }
    return [
        PartStanding(
            breakdowns[0].by,
            group,
            metric,
            system,
            Score(f1) if precision != precision else Score(f1, precision, recall),
            intervals[system].get(metric),
        )
        for column, metric in enumerate(panel.names)
        for row, system in enumerate(scores)
        for precision, recall, f1 in [runs.means[row, column].tolist()]
    ]


def _by_system(
    scores: Mapping[str, Sequence[Scores]], breakdowns: Sequence[BreakdownCounts]
) -> Iterator[list[BreakdownCounts]]:
    """The breakdowns of each system's runs, which come one system after another."""
    rest = iter(breakdowns)
    for of in scores.values():
        yield list(islice(rest, len(of)))


def _intervals(
    scores: Mapping[str, Sequence[Scores]],
    breakdowns: Sequence[BreakdownCounts],
    group: str,
    plan: Plan,
    progress: Progress,
) -> dict[str, Interval]:
    """The interval of each metric of one system: the same whatever it is compared with."""
    panel = part_panel(dict(zip(flattened(scores), breakdowns, strict=True)), group)
    if panel is None or len(panel.documents) < 2:
        return {}
    if len(panel.systems) > 1:
        runs = Runs.of_panel(panel, scores)
        bounds = runs.bootstrap(runs.mean_panel.pairs(), plan, progress).scores
    else:
        bounds = bootstrap(
            panel,
            replicates=plan.resamples,
            confidence=plan.confidence,
            seed=plan.seed,
            progress=progress,
        ).scores
    return {
        metric: Interval(*bounds.percentile[0, column, F1].tolist())
        for column, metric in enumerate(panel.names)
    }


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
        f"By {by}, with {100 * confidence:g}% confidence intervals of F1 (bootstrap over "
        "documents)",
    )
