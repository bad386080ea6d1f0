"""Scores of every system in the groups of a breakdown, with confidence intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from corefine.comparing.comparison import Interval, PartStanding
from corefine.comparing.plan import Plan
from corefine.comparing.runs import Runs, flattened
from corefine.output.progress import Progress, silent
from corefine.scoring.breakdowns import BreakdownCounts
from corefine.scoring.resampling import F1, bootstrap, part_panel
from corefine.scoring.scores import Score, Scores


def part_standings(
    scores: Mapping[str, Sequence[Scores]], plan: Plan, progress: Progress = silent
) -> tuple[PartStanding, ...]:
    """Standings of all systems, each with one or several runs, in all groups.

    Only documents with mentions of the group are resampled. Saved scores may have different
    breakdowns; those that all share are used.
    """
    runs = [one for of in scores.values() for one in of]
    shared = [one.by for one in runs[0].breakdowns]
    shared = [by for by in shared if all(by in one.breakdown for one in runs)]
    found: list[PartStanding] = []
    for by in shared:
        breakdowns = [next(b for b in one.breakdowns if b.by == by) for one in runs]
        for one in breakdown_standings(scores, breakdowns, plan, progress):
            # The exact score of the group, and its signature.
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
    """Standings in all groups of one breakdown, which is given per run."""
    names = list(flattened(scores))
    by_run = dict(zip(names, breakdowns, strict=True))
    found = dict.fromkeys(name for one in breakdowns for name in one.parts)
    standings = []
    for group in breakdowns[0].division.order(found):
        panel = part_panel(by_run, group)
        if panel is None:
            continue
        runs = Runs.of(scores, panel)
        intervals = {}
        for system, members in zip(scores, runs.members, strict=True):
            own = {names[number]: by_run[names[number]] for number in members.tolist()}
            intervals[system] = _intervals({system: scores[system]}, own, group, plan, progress)
        for column, metric in enumerate(panel.names):
            for row, system in enumerate(scores):
                precision, recall, f1 = runs.means[row, column].tolist()
                score = Score(f1) if precision != precision else Score(f1, precision, recall)
                interval = intervals[system].get(metric)
                standings.append(
                    PartStanding(breakdowns[0].by, group, metric, system, score, interval)
                )
    return standings


def _intervals(
    scores: Mapping[str, Sequence[Scores]],
    breakdowns: Mapping[str, BreakdownCounts],
    group: str,
    plan: Plan,
    progress: Progress,
) -> dict[str, Interval]:
    """Interval of each metric for one system, whatever it is compared with."""
    panel = part_panel(breakdowns, group)
    if panel is None or len(panel.documents) < 2:
        return {}
    if len(panel.systems) > 1:
        runs = Runs.of(scores, panel)
        bounds = runs.bootstrap(runs.mean_panel.pairs(), plan, progress).scores
    else:
        bounds = bootstrap(
            panel,
            replicates=plan.resamples,
            confidence=plan.confidence,
            seed=plan.seed,
            progress=progress,
        ).scores
    found = zip(panel.names, bounds[0, :, F1].tolist(), strict=True)
    return {metric: Interval(*ends) for metric, ends in found if ends[0] == ends[0]}
