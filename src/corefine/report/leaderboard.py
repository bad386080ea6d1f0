"""``corefine.leaderboard``: stored results of several systems as one sortable page.

The board shows the newest result of each system, with intervals and significance as in
:func:`corefine.compare`; older results are its history.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from corefine.comparing.comparison import Comparison
from corefine.comparing.plan import Plan
from corefine.comparing.suites import read_result
from corefine.comparing.systems import check_comparable, compare_scores
from corefine.errors import UsageError
from corefine.metrics.base import Metric
from corefine.metrics.registry import MetricSpec
from corefine.output.charts import Figure, Series, dot_chart, line_chart
from corefine.output.grid import Column, Grid, Marked, Value
from corefine.output.progress import Progress, silent
from corefine.output.result import Result, Tables
from corefine.report.analysis import intervals_of_f1
from corefine.report.page import Part, Section, render_leaderboard
from corefine.scoring.scores import Scores
from corefine.scoring.sides import names_of
from corefine.scoring.stored import Stored, with_metrics

Entry = Scores | str | os.PathLike[str]
"""A result: scores, or the file in which they are stored."""
DRAWN = 12
"""Maximum number of systems whose history is drawn; more lines would be hard to distinguish."""


@dataclass(frozen=True, slots=True, eq=False)
class Placed:
    """A result with the name of its system and its date."""

    name: str
    date: datetime
    scores: Scores

    @property
    def day(self) -> str:
        return self.date.date().isoformat()


@dataclass(frozen=True, eq=False, repr=False)
class Leaderboard(Result):
    """A ranking of systems, as returned by :func:`corefine.leaderboard`.

    :meth:`save` writes it as an HTML page.

    Tables: ``standings``, ``groups`` and ``history``.

    >>> from corefine import score
    >>> key = {"a": [[1, 2, 3]], "b": [[1, 2], [3, 4]]}
    >>> leaderboard({"gold": score(key, key, "lea")}, replicates=20).newest["gold"].scores["lea"].f1
    1.0
    """

    title: str
    results: tuple[Placed, ...]
    """All results by date, with the metrics that they share."""
    plan: Plan
    comparison: Comparison | None
    """The newest results compared; None if there is one system."""
    intervals: Mapping[tuple[str, str], tuple[float, float]]
    """The interval of F1 by system and metric; empty for one document."""
    inputs: tuple[str, ...] = ()
    """The files that were read, which :meth:`save` never overwrites."""

    @property
    def newest(self) -> dict[str, Placed]:
        """The newest result of each system, the best first."""
        latest = {one.name: one for one in self.results}
        f1 = {name: one.scores.by_name[self.lead].f1 for name, one in latest.items()}
        return {name: latest[name] for name in sorted(latest, key=lambda name: -f1[name])}

    @property
    def metrics(self) -> dict[str, Metric]:
        """The metrics that all results have, by canonical name; that which orders them first."""
        found = {str(metric): metric for metric in self.results[0].scores.metrics.values()}
        return dict(sorted(found.items(), key=lambda one: one[0] != "conll"))

    @property
    def lead(self) -> str:
        """The metric by which systems are ordered: the CoNLL average, or else the first."""
        return next(iter(self.metrics))

    @property
    def signature(self) -> str:
        """The signature of the newest results and the plan of their comparison."""
        if self.comparison is not None:
            return self.comparison.signature
        return str(next(iter(self.newest.values())).scores.signature)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Limits of the comparison, and results from different versions of corefine."""
        found = () if self.comparison is None else self.comparison.warnings
        versions = sorted({one.scores.version for one in self.results})
        if len(versions) > 1:
            return (f"results from several versions of corefine: {', '.join(versions)}", *found)
        return found

    def table_functions(self) -> Tables:
        return {"standings": standings_grid, "groups": groups_grid, "history": history_grid}

    @property
    def default_tables(self) -> tuple[str, ...]:
        return tuple(name for name in self.table_names if name != "groups" or self.comparison)

    def figures(self) -> dict[str, Figure]:
        """The order of the systems with intervals, and the history of their scores."""
        found = {"standings": standings_figure(self)}
        if len({one.date for one in self.results}) > 1:
            found["history"] = history_figure(self)
        return found

    @property
    def html(self) -> str:
        """The page, as one file that loads nothing."""
        figures = self.figures()
        sections = [Section("standings", "Standings", [standings_grid(self), figures["standings"]])]
        if self.comparison is not None:
            sections.append(Section("groups", "No significant difference", [groups_grid(self)]))
        history: list[Part] = [history_grid(self)]
        history += [figure for name, figure in figures.items() if name == "history"]
        sections.append(Section("history", "History", history))
        documents = len(self.results[0].scores.counts.documents)
        lead = (
            f"{_counted(len(self.newest), 'system')} on {_counted(documents, 'document')}, "
            f"in the order of {self.metrics[self.lead].title} F1. "
            "Click on a column heading to sort."
        )
        return render_leaderboard(self.title, lead, self.warnings, self.signature, sections)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page; a file that is there is replaced only by a whole new one."""
        from corefine.output.saving import check_page, write_atomically

        check_page(path)
        write_atomically(path, self.html, self.inputs)

    def to_dict(self) -> dict[str, Any]:
        """The form in which it is written as JSON."""
        return {
            "title": self.title,
            "signature": self.signature,
            **{name: grid.to_dict() for name, grid in self._grids()},
            "warnings": list(self.warnings),
        }

    def _grids(self) -> list[tuple[str, Grid]]:
        return list(zip(self.default_tables, self.tables(), strict=True))


def leaderboard(
    *results: Entry | Stored | Mapping[str, Entry | Sequence[Entry]],
    metrics: MetricSpec | None = None,
    title: str = "Coreference leaderboard",
    trials: int = 20_000,
    replicates: int = 10_000,
    alpha: float = 0.05,
    seed: int = 0,
    progress: Progress = silent,
) -> Leaderboard:
    """Rank systems from saved results, with confidence intervals, groups and history.

    A result is a file saved by ``corefine score --save``, or scores; in a dict, one or several
    results of a system under its name. Otherwise a system is named as in the file, or after it.
    Several results of one system are its history; the newest is ranked. All results must have the
    same key and settings; ``metrics`` selects among those that all of them have.

    >>> from corefine import score
    >>> key = {"a": [[1, 2, 3]], "b": [[1, 2], [3, 4]]}
    >>> good, poor = (score(key, one, "lea") for one in (key, {"a": [[1, 2]], "b": [[2, 3]]}))
    >>> list(leaderboard({"good": good, "poor": poor}, replicates=20).newest)
    ['good', 'poor']
    """
    plan = Plan(trials=trials, alpha=alpha, seed=seed, replicates=replicates)
    placed, inputs = _placed(results)
    if not placed:
        raise UsageError(
            "a leaderboard needs at least one result",
            remedy="Save results with: corefine score KEY RESPONSE --save FILE.",
        )
    placed = _with_shared_metrics(placed, metrics)
    named = {f"{one.name} of {one.day}": one.scores for one in placed}
    check_comparable(named, versions=True)
    latest = {one.name: one.scores for one in placed}
    comparison = compare_scores(latest, plan, progress=progress) if len(latest) > 1 else None
    intervals = intervals_of_f1(latest, comparison, plan)
    return Leaderboard(title, tuple(placed), plan, comparison, intervals, tuple(inputs))


def _placed(results: Sequence[Any]) -> tuple[list[Placed], list[str]]:
    """All results by date, and the files that they were read from."""
    listed: list[tuple[str | None, Any]] = []
    for one in results:
        if isinstance(one, Mapping) and not isinstance(one, Scores):
            for name, things in one.items():
                several = things if isinstance(things, list | tuple) else [things]
                listed += [(str(name), thing) for thing in several]
        else:
            listed += [(None, thing) for thing in (one if isinstance(one, list | tuple) else [one])]
    after_files = names_of([thing for _, thing in listed], "system")
    now = datetime.now(UTC)
    placed, inputs = [], []
    for (name, thing), after_file in zip(listed, after_files, strict=True):
        if isinstance(thing, Scores):
            stored = Stored(thing, now)
        elif isinstance(thing, Stored):
            stored = thing
        elif isinstance(thing, str | os.PathLike):
            stored = read_result(thing)
            inputs.append(os.fspath(thing))
        else:
            raise UsageError(
                f"{type(thing).__name__} is not a result",
                remedy="Give files of 'corefine score --save', or scores.",
            )
        placed.append(Placed(name or stored.name or after_file, stored.date, stored.scores))
    return sorted(placed, key=lambda one: one.date), inputs


def _with_shared_metrics(placed: Sequence[Placed], metrics: MetricSpec | None) -> list[Placed]:
    if metrics is None:
        shared = [
            metric
            for name, metric in ((str(m), m) for m in placed[0].scores.metrics.values())
            if all(name in one.scores.by_name for one in placed)
        ]
        if not shared:
            raise UsageError(
                "no metric is common to all results",
                remedy="Score all responses with the same metrics.",
            )
        metrics = shared
    return [Placed(one.name, one.date, with_metrics(one.scores, metrics)) for one in placed]


def standings_grid(board: Leaderboard) -> Grid:
    """One row per system, the best first: F1 with letters, interval and rank by metric."""
    columns = [Column("system"), Column("date")]
    for name, metric in board.metrics.items():
        columns += [
            Column("F1", "percent", f"{name}_f1", metric.title),
            Column("low", "percent", f"{name}_low", metric.title),
            Column("high", "percent", f"{name}_high", metric.title),
            Column("rank", "integer", f"{name}_rank", metric.title),
        ]
    rows: list[tuple[Value, ...]] = []
    for name, one in board.newest.items():
        row: list[Value] = [name, one.day]
        for metric_name in board.metrics:
            f1 = one.scores.by_name[metric_name].f1
            best = max(each.scores.by_name[metric_name].f1 for each in board.newest.values())
            compared = board.comparison
            standing = None if compared is None else compared.standing(name, metric_name)
            row += [
                Marked(f1, (standing and standing.letters) or "", best=f1 == best),
                *board.intervals.get((name, metric_name), (None, None)),
                1 if standing is None else standing.rank,
            ]
        rows.append(tuple(row))
    confidence = f"{100 * board.plan.confidence:g}%"
    notes: tuple[str, ...] = (
        f"low, high: {confidence} interval of F1 (bootstrap over documents).",
    )
    if board.comparison is not None:
        level = f"corrected p ≤ {board.plan.alpha:g}"
        notes += (
            "Systems that share a letter do not differ significantly under that metric.",
            f"rank: 1 + the number of systems that are significantly better ({level}).",
        )
    return Grid(tuple(columns), rows, "", notes)


def groups_grid(board: Leaderboard) -> Grid:
    """One row per metric and group of systems without significant differences, the best first."""
    if board.comparison is None:
        raise UsageError("there is only one system", remedy="Give the results of at least two.")
    rows: list[tuple[Value, ...]] = [
        (metric.title, number, ", ".join(group))
        for name, metric in board.metrics.items()
        for number, group in enumerate(board.comparison.groups(name), 1)
    ]
    columns = Column("metric"), Column("group", "integer"), Column("systems")
    notes = ("A system may be in several groups: non-significance is not transitive.",)
    return Grid(columns, rows, "", notes)


def history_grid(board: Leaderboard) -> Grid:
    """One row per result, the newest first, with the F1 of each metric."""
    columns = (Column(m.title, "percent", f"{n}_f1") for n, m in board.metrics.items())
    rows: list[tuple[Value, ...]] = [
        (one.day, one.name, *(one.scores.by_name[name].f1 for name in board.metrics))
        for one in reversed(board.results)
    ]
    return Grid((Column("date"), Column("system"), *columns), rows)


def standings_figure(board: Leaderboard) -> Figure:
    """F1 of the systems by the leading metric, with intervals."""
    systems = list(board.newest)
    ends = [board.intervals.get((name, board.lead), (None, None)) for name in systems]
    values = [board.newest[name].scores.by_name[board.lead].f1 for name in systems]
    title = board.metrics[board.lead].title
    series = Series(title, values, [low for low, _ in ends], [high for _, high in ends])
    return dot_chart(
        f"{title} F1 with {100 * board.plan.confidence:g}% intervals",
        systems,
        [series],
        value_title="F1 (%)",
        first="system",
    )


def history_figure(board: Leaderboard) -> Figure:
    """The F1 that stood on each date, by system; those that lead now."""
    begin = board.results[0].date
    days = sorted({_days(one.date, begin) for one in board.results})
    series = []
    for name in list(board.newest)[:DRAWN]:
        stood: list[float | None] = [None] * len(days)
        for one in board.results:
            if one.name == name:
                at = days.index(_days(one.date, begin))
                stood[at:] = [one.scores.by_name[board.lead].f1] * (len(days) - at)
        series.append(Series(name, stood))
    title = board.metrics[board.lead].title
    more = len(board.newest) - DRAWN
    left_out = f" {more} lower-ranked systems are not shown." if more > 0 else ""
    return line_chart(
        f"{title} F1 by date",
        days,
        series,
        place_title=f"days since {board.results[0].day}",
        value_title="F1 (%)",
        description=f"The newest result of each system on each date.{left_out}",
    )


def _days(date: datetime, begin: datetime) -> float:
    return round((date - begin).total_seconds() / 86400, 3)


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
