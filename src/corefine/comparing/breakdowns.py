"""Scores of every system in the groups of a breakdown, with confidence intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean

from corefine.comparing.comparison import Interval, PartStanding
from corefine.comparing.plan import Plan
from corefine.scoring.scores import Score, Scores


def part_standings(scores: Mapping[str, Sequence[Scores]], plan: Plan) -> tuple[PartStanding, ...]:
    """Standings of all systems in all groups of the breakdowns that their scores share.

    Only documents with mentions of the group are resampled. Several runs of a system are averaged,
    and have no interval.
    """
    runs = [one for of in scores.values() for one in of]
    shared = [one for one in runs[0].breakdowns if all(one.by in run.breakdown for run in runs)]
    intervals = {
        name: of[0].part_intervals(**plan.bootstrap) if shared and len(of) == 1 else {}
        for name, of in scores.items()
    }
    found = []
    for breakdown in shared:
        by = breakdown.by
        groups = dict.fromkeys(group for run in runs for group in run.breakdown[by])
        for group in breakdown.division.order(groups):
            counted = [run.breakdown[by].get(group, {}) for run in runs]
            for metric in dict.fromkeys(name for one in counted for name in one):
                for system, of in scores.items():
                    score = _mean([run.breakdown[by].get(group, {}).get(metric) for run in of])
                    ends = intervals[system].get(by, {}).get(group, {}).get(metric)
                    known = ends is not None and ends[0] == ends[0]
                    interval = Interval(*ends) if known and ends is not None else None
                    found.append(PartStanding(by, group, metric, system, score, interval))
    return tuple(found)


def _mean(runs: Sequence[Score | None]) -> Score:
    """The mean score of several runs; a run that has nothing in the group scores 0."""
    if len(runs) == 1 and runs[0] is not None:
        return runs[0]
    values = [one or Score(0.0, 0.0, 0.0) for one in runs]
    halves = [[getattr(one, name) for one in values] for name in ("precision", "recall")]
    precision, recall = (None if None in half else fmean(half) for half in halves)
    signature = next((one.signature for one in runs if one is not None), None)
    return Score(fmean(one.f1 for one in values), precision, recall, signature)
