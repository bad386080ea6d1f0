"""``corefine.leaderboard``: stored results of several systems as one sortable page.

The board shows the newest result of each system, with intervals and significance as in
:func:`corefine.compare`; older results are its history.
"""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

import msgspec

from corefine.comparing.comparison import Comparison, p_text
from corefine.comparing.plan import Plan
from corefine.comparing.suites import SuiteScores
from corefine.comparing.systems import check_comparable, compare_scores, read_result
from corefine.errors import FormatError, Location, UsageError, closest
from corefine.metrics.base import Metric
from corefine.metrics.registry import MetricSpec
from corefine.output.charts import Figure, Series, line_chart
from corefine.output.grid import Column, Grid, Marked, Value
from corefine.output.html import Element, element
from corefine.output.plain_text import counted, showable
from corefine.output.progress import Progress, silent
from corefine.output.result import Result, Tables
from corefine.report.analysis import intervals_of_f1
from corefine.report.charts import Axis, matrix
from corefine.report.page import BOARD, Page, Part, Section, by_metric, card, scrolled
from corefine.report.page_data import pack
from corefine.scoring.resampling import Panel
from corefine.scoring.scores import Scores
from corefine.scoring.sides import names_of
from corefine.scoring.stored import Stored, with_metrics

Entry = Scores | str | os.PathLike[str]
"""A result: scores, or the file in which they are stored."""
DRAWN = 12
"""Maximum number of systems whose history is drawn; more lines would be hard to distinguish."""


class AboutSystem(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """Description of a system: everything but its results."""

    link: str = ""
    authors: str = ""
    description: str = ""


class AboutTask(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The task of a leaderboard: text, licence of the data, and how to submit results."""

    text: str = ""
    link: str = ""
    licence: str = ""
    submit: str = ""


class About(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The content of a file about a leaderboard."""

    task: AboutTask = AboutTask()
    systems: dict[str, AboutSystem] = {}


@dataclass(frozen=True, eq=False, repr=False)
class Leaderboard(Result):
    """A ranking of systems, as returned by :func:`corefine.leaderboard`.

    :meth:`save` writes it as an HTML page.

    Tables: ``standings`` and ``history``.

    >>> from corefine import score
    >>> key = {"a": [[1, 2, 3]], "b": [[1, 2], [3, 4]]}
    >>> leaderboard({"gold": score(key, key, "lea")}, replicates=20).newest["gold"].scores["lea"].f1
    1.0
    """

    title: str
    results: tuple[Stored, ...]
    """All results by date, with the metrics that they share."""
    plan: Plan
    comparison: Comparison | None
    """The newest results compared; None if there is one system."""
    intervals: Mapping[tuple[str, str], tuple[float, float]]
    """The interval of F1 by system and metric; empty for one document."""
    inputs: tuple[str, ...] = ()
    """The files that were read, which :meth:`save` never overwrites."""
    about: About = field(default_factory=lambda: About())

    @property
    def newest(self) -> dict[str, Stored]:
        """The newest result of each system, the best first."""
        latest = {one.name or "": one for one in self.results}
        f1 = {name: one.scores.by_name[self.lead].f1 for name, one in latest.items()}
        return {name: latest[name] for name in sorted(latest, key=lambda name: -f1[name])}

    @property
    def metrics(self) -> dict[str, Metric]:
        """The metrics that all results have, by canonical name; the one that ranks comes first."""
        found = {str(metric): metric for metric in self.results[0].scores.metrics.values()}
        first = self.plan.headline(list(found))
        return dict(sorted(found.items(), key=lambda one: one[0] != first))

    @property
    def lead(self) -> str:
        """The metric by which systems are ordered (:meth:`Plan.headline`)."""
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
        return {"standings": standings_grid, "history": history_grid}

    @property
    def html(self) -> str:
        """The page, as one file that loads nothing."""
        documents = len(self.results[0].scores.counts.documents)
        lead = (
            f"{counted(len(self.newest), 'system')} on {counted(documents, 'document')}, "
            "in the order of F1 under the chosen metric. Click on a column heading to sort; choose "
            "one system for its profile, two for their comparison."
        )
        if self.about.task.text:
            lead = f"{self.about.task.text} {lead}"
        tables = {name: _standings_table(self, name) for name in self.metrics}
        standings: list[Part] = [
            card([by_metric(tables, self.lead)]),
            _chosen(self),
            *_task(self.about.task),
            _downloads(self),
        ]
        sections = [Section("standings", "Standings", standings)]
        if len({one.date.date() for one in self.results}) > 1:
            drawn = {name: history_figure(self, name).to_html() for name in self.metrics}
            history: list[Part] = [card([by_metric(drawn, self.lead)]), history_grid(self)]
            sections.append(Section("history", "History", history))
        titles = {name: metric.title for name, metric in self.metrics.items()}
        page = Page(
            self.title, lead, sections, self.signature, metrics=titles, warnings=self.warnings,
            scripts=BOARD,
        )  # fmt: skip
        return page.render([("board", pack(_pairs(self)))])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page; a file that is there is replaced only by a whole new one."""
        from corefine.output.saving import write_page

        write_page(path, self.html, self.inputs)

    def to_dict(self) -> dict[str, Any]:
        """The form in which it is written as JSON."""
        return {
            "title": self.title,
            "signature": self.signature,
            **super().to_dict(),
            "warnings": list(self.warnings),
        }


def leaderboard(
    *results: Entry | Stored | Mapping[str, Entry | Sequence[Entry]],
    metrics: MetricSpec | None = None,
    title: str = "Coreference leaderboard",
    trials: int = 20_000,
    replicates: int = 10_000,
    alpha: float = 0.05,
    seed: int = 0,
    about: Mapping[str, Any] | str | os.PathLike[str] | None = None,
    progress: Progress = silent,
) -> Leaderboard:
    """Rank systems from saved results, with confidence intervals, groups and history.

    A result is a file saved by ``corefine score --save``, or scores; in a dict, one or several
    results of a system under its name. Otherwise a system is named as in the file, or after it.
    Several results of one system are its history; the newest is ranked. All results must have the
    same key and settings; ``metrics`` selects among those that all of them have, without those
    that do not apply to the key. ``about`` is a JSON file, or a dict: under ``task`` a ``text``, a
    ``link``, the ``licence`` of the data and how to ``submit``; under ``systems``, by name, a
    ``link``, ``authors`` and a ``description``.

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
            code="too-few-inputs",
        )
    placed = _with_shared_metrics(placed, metrics)
    named = {f"{one.name} of {_day(one)}": one.scores for one in placed}
    check_comparable(named, versions=True)
    latest = {one.name or "": one.scores for one in placed}
    comparison = compare_scores(latest, plan, progress=progress) if len(latest) > 1 else None
    intervals = intervals_of_f1(latest, comparison, plan)
    known = _about(about, latest)
    return Leaderboard(title, tuple(placed), plan, comparison, intervals, tuple(inputs), known)


def _about(given: Mapping[str, Any] | str | os.PathLike[str] | None, names: Iterable[str]) -> About:
    """Read what is said of task and systems from a file or a dict; systems must be known."""
    where = Location(os.fspath(given)) if isinstance(given, str | os.PathLike) else None
    try:
        if isinstance(given, str | os.PathLike):
            with open(given, "rb") as file:
                about = msgspec.json.decode(file.read(), type=About)
        else:
            about = msgspec.convert(given or {}, About)
    except OSError as error:
        raise UsageError(f"cannot read: {error.strerror}", where) from None
    except (msgspec.ValidationError, msgspec.DecodeError) as error:
        remedy = (
            'It is {"task": {"text", "link", "licence", "submit"}, "systems": {NAME: {"link", '
            '"authors", "description"}}}.'
        )
        raise FormatError(f"not a file about a leaderboard: {error}", where, remedy) from None
    unknown = [name for name in about.systems if name not in names]
    if unknown:
        hint = closest(unknown[0], list(names))
        raise UsageError(f"about: there is no system {unknown[0]!r}", where, hint.strip() or None)
    return about


def _placed(results: Sequence[Any]) -> tuple[list[Stored], list[str]]:
    """All results by date, and the files that were read."""
    listed: list[tuple[Any, Any]] = []
    for one in results:
        named = one if isinstance(one, Mapping) and not isinstance(one, Scores) else {None: one}
        for name, things in named.items():
            several = things if isinstance(things, list | tuple) else [things]
            listed += [(name, thing) for thing in several]
    after_files = names_of([thing for _, thing in listed], "system")
    now = datetime.now(UTC)
    placed, inputs = [], []
    for (name, thing), after_file in zip(listed, after_files, strict=True):
        if isinstance(thing, Scores):
            stored = Stored(thing, now)
        elif isinstance(thing, Stored):
            stored = thing
        elif isinstance(thing, str | os.PathLike):
            inputs.append(os.fspath(thing))
            stored = read_result(thing)
        else:
            raise UsageError(
                f"{type(thing).__name__} is not a result",
                remedy="Give files of 'corefine score --save', or scores.",
            )
        chosen = stored.name or after_file if name is None else str(name)
        placed.append(replace(stored, name=chosen))
    return sorted(placed, key=lambda one: one.date), inputs


def _data_sets(result: Stored) -> Mapping[str, Scores]:
    """The scores of each data set of a suite."""
    return result.scores.data_sets if isinstance(result.scores, SuiteScores) else {}


def _with_shared_metrics(placed: Sequence[Stored], metrics: MetricSpec | None) -> list[Stored]:
    """Results by the metrics that all of them have and that apply to the key."""
    if metrics is None:
        metrics = [
            metric
            for metric in placed[0].scores.metrics.values()
            if all(str(metric) in one.scores.by_name for one in placed)
        ]
    if not metrics:
        raise UsageError(
            "no metric is common to all results",
            remedy="Score all responses with the same metrics.",
        )
    chosen = [replace(one, scores=with_metrics(one.scores, metrics)) for one in placed]
    panel = Panel.of({str(at): one.scores for at, one in enumerate(chosen)})
    applies = panel.applicable.tolist()
    kept = [metric for metric, one in zip(panel.metrics, applies, strict=True) if one]
    if not kept or all(applies):
        return chosen
    return [replace(one, scores=with_metrics(one.scores, kept)) for one in chosen]


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
        row: list[Value] = [name, _day(one)]
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


def history_grid(board: Leaderboard) -> Grid:
    """One row per result, the newest first, with the F1 of each metric."""
    columns = (Column(m.title, "percent", f"{n}_f1") for n, m in board.metrics.items())
    rows: list[tuple[Value, ...]] = [
        (_day(one), one.name, *(one.scores.by_name[name].f1 for name in board.metrics))
        for one in reversed(board.results)
    ]
    return Grid((Column("date"), Column("system"), *columns), rows)


def history_figure(board: Leaderboard, metric: str) -> Figure:
    """The F1 that stood on each date under a metric, by system; those that lead now."""
    days = sorted({one.date.date() for one in board.results})
    series = []
    for name in list(board.newest)[:DRAWN]:
        stood: list[float | None] = [None] * len(days)
        for one in board.results:
            if one.name == name:
                at = days.index(one.date.date())
                stood[at:] = [one.scores.by_name[metric].f1] * (len(days) - at)
        series.append(Series(name, stood))
    title = board.metrics[metric].title
    more = len(board.newest) - DRAWN
    left_out = f" {more} lower-ranked systems are not shown." if more > 0 else ""
    return line_chart(
        f"{title} F1 by date",
        [day.toordinal() for day in days],
        series,
        dates=True,
        value_title="F1 (%)",
        description=f"The newest result of each system on each date.{left_out}",
        width=900,
    )


def _standings_table(board: Leaderboard, metric: str) -> Element:
    """Systems by F1 with its interval, then the data sets of a suite, and the other metrics."""
    found = {name: one.scores.by_name[metric].f1 for name, one in board.newest.items()}
    names = sorted(found, key=lambda name: -found[name])
    ends = [end for name in names for end in board.intervals.get((name, metric), ())]
    axis, compared = Axis([*found.values(), *ends]), board.comparison
    groups = [one for one in compared.groups(metric) if len(one) > 1] if compared else []
    sets = list(dict.fromkeys(one for of in board.newest.values() for one in _data_sets(of)))
    others = [name for name in board.metrics if name != metric]
    f1, numbers = Column("", "percent"), list(board.newest)
    rows = []
    for name in names:
        rank = 1 if compared is None else compared.standing(name, metric).rank
        scores = board.newest[name].scores.by_name
        parts = _data_sets(board.newest[name])
        values = [parts[one][metric].f1 if one in parts else None for one in sets]
        values += [scores[one].f1 for one in others]
        box = element("input", type="checkbox", aria_label=f"Choose {name}",
                      data_system=numbers.index(name), class_="needs-script")  # fmt: skip
        brackets = [element("td", "│" if name in group else "", class_="bracket",
                            title=", ".join(group)) for group in groups]  # fmt: skip
        rows.append(
            element(
                "tr",
                element("td", box),
                element("td", f"{rank}", class_="number"),
                brackets,
                element("th", _system(name, board.about.systems.get(name)), scope="row",
                        dir="auto"),
                element("td", f1.shown(found[name]), class_="number"),
                axis.cell(found[name], board.intervals.get((name, metric))),
                element("td", _day(board.newest[name]), class_="date"),
                [element("td", f1.shown(value), class_="number") for value in values],
            )
        )  # fmt: skip
    heads = [("", ""), ("rank", "number"), *[("", "")] * len(groups), ("system", "")]
    heads += [("F1", "number"), (f"{100 * board.plan.confidence:g}% interval", ""), ("date", "")]
    heads += [(one, "number") for one in (*sets, *(board.metrics[each].title for each in others))]
    cells = [element("th", text, scope="col", class_=class_ or None) if text else element("td", "")
             for text, class_ in heads]  # fmt: skip
    title, empty = f"{board.metrics[metric].title} F1", element("td", "")
    title += ", macro" if sets else ""
    foot = element("tr", [empty] * (4 + len(groups)), axis.foot(), [empty] * (1 + len(values)))
    table = element(
        "table",
        element("caption", title),
        element("thead", element("tr", cells)),
        element("tbody", rows),
        element("tfoot", foot),
        class_="sortable standings",
    )
    notes = standings_grid(board).notes[1:]
    bracket = ["A line next to the ranks joins systems that do not differ significantly."]
    said = [
        element("p", note, class_="note") for note in (*(bracket if groups else []), *notes[1:])
    ]
    return element("div", scrolled(table, title), said)


def _system(name: str, about: AboutSystem | None) -> list[Element | str]:
    """The name of a system with its link, authors and description, as far as given."""
    if about is None:
        return [name]
    known = [text for text in (about.authors, about.description) if text]
    return [_linked(name, about.link), *(element("small", text, class_="about") for text in known)]


def _linked(words: str, address: str) -> Element | str:
    """Words with a link to the web, if there is one."""
    is_web = address.startswith(("https://", "http://"))
    return element("a", words, href=address, rel="noopener") if is_web else words


def _task(task: AboutTask) -> list[Element]:
    """Licence and way of submission of a task, as far as given."""
    said = [("Task", _linked(task.link, task.link)), ("Licence", task.licence),
            ("How to submit", task.submit)]  # fmt: skip
    shown = [element("p", element("b", f"{what}: "), words) for what, words in said if words]
    return [card(shown)] if shown else []


def _chosen(board: Leaderboard) -> Element:
    """Points that the chosen systems lose by metric, and a place for their comparison."""
    profiles = []
    for number, (name, one) in enumerate(board.newest.items()):
        found = {
            board.metrics[metric].title: (score.recall, score.precision)
            for metric, score in one.scores.by_name.items()
            if score.recall is not None and score.precision is not None
        }
        lost = matrix(
            f"What {name} loses: points of recall and of precision",
            list(found),
            ("missing (100 − recall)", "wrong (100 − precision)"),
            [[1 - half for half in halves] for halves in found.values()],
            unit="percent",
            first="metric",
            limits=(0.0, 1.0),
        )
        profiles.append(element("div", lost, data_profile=number, hidden=""))
    return element("div", element("div", "", id="pair"), profiles, class_="card multiples",
                   id="chosen", hidden="")  # fmt: skip


def _pairs(board: Leaderboard) -> dict[str, Any]:
    """The differences of all systems by their numbers, for the comparison of two."""
    names, differences = list(board.newest), defaultdict[str, list[Any]](list)
    for found in () if board.comparison is None else board.comparison.differences:
        for one in (found, found.turned()):
            row = [
                board.metrics[one.metric].title,
                100 * one.difference,
                None if one.interval is None else [100 * end for end in one.interval],
                "not tested" if one.adjusted_p is None else p_text(one.adjusted_p),
            ]
            differences[f"{names.index(one.first)} {names.index(one.second)}"].append(row)
    return {"systems": list(map(showable, names)), "differences": differences}


def _downloads(board: Leaderboard) -> Element:
    """Links that hold the standings as CSV and JSON."""
    written = {
        "standings.csv": ("text/csv", standings_grid(board).to_csv()),
        "standings.json": ("application/json", json.dumps(board.to_dict(), default=str)),
    }
    links = [
        element("a", name, download=name, class_="cf-csv",
                href=f"data:{kind};charset=utf-8,{quote(showable(text), safe=',;.:_-')}")
        for name, (kind, text) in written.items()
    ]  # fmt: skip
    return element("div", "Standings as files: ", links[0], " · ", links[1], class_="note")


def _day(result: Stored) -> str:
    return result.date.date().isoformat()
