"""``corefine.score_suite`` and ``compare_suite``: systems on many data sets.

The score of a system is the macro average over data sets. Documents are swapped between two
systems, or drawn, within data sets.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property, partial
from pathlib import Path
from typing import Any, ClassVar, Unpack, cast

import numpy as np

from corefine.comparing.comparison import Comparison, Interval, PartStanding, mean_score
from corefine.comparing.data_sets import DataSet, Suite, SuiteLike
from corefine.comparing.plan import Plan
from corefine.comparing.power import NARROW
from corefine.comparing.systems import CompareOptions, check_systems, compare_scores
from corefine.comparing.tables import ENDS, breakdown_grid
from corefine.corpus.columns import Entities
from corefine.corpus.corpus import Corpus
from corefine.corpus.joining import concatenate
from corefine.corpus.selection import keep_mentions, select_documents
from corefine.errors import Caution, FormatError, Location, UsageError, emitting, reworded
from corefine.kinds.kind_plan import KindSpec
from corefine.metrics.base import Metric
from corefine.metrics.registry import MetricSpec, leading
from corefine.output.charts import Figure, Series, dot_chart
from corefine.output.grid import Column, Grid, Value
from corefine.output.progress import Progress, silent
from corefine.output.result import Tables
from corefine.output.saving import write_atomically
from corefine.scoring.count import Counts, count
from corefine.scoring.drivers.processes import in_order
from corefine.scoring.request import Request
from corefine.scoring.score import request_for, require_tagged
from corefine.scoring.scores import Score, Scores, Signature
from corefine.scoring.sides import SUITE, named_sides
from corefine.scoring.stored import Stored, from_record, joined, to_record, with_metrics
from corefine.scoring.tables import metric_columns

MACRO, MICRO = "macro", "micro"
OFFICIAL: dict[str, dict[str, Any]] = {
    "head": {"match": "head"},
    "partial": {"match": "partial"},
    "exact": {"match": "exact"},
    "with singletons": {"match": "head", "singletons": "keep"},
}
"""Settings of the columns in the official table of the CRAC shared tasks."""
BY = "data set"


@emitting
def score_suite(
    keys: SuiteLike,
    responses: SuiteLike,
    metrics: MetricSpec = "default",
    *,
    kinds: KindSpec = "auto",
    key_format: str | None = None,
    response_format: str | None = None,
    jobs: int | None = None,
    official: bool = False,
    scorer: str | None = None,
    progress: Progress = silent,
    **options: Unpack[CompareOptions],
) -> SuiteScores:
    """Score the responses of a system to the keys of many data sets.

    Keys and responses are folders whose files have the same relative paths, TOML files that list
    them, or dicts from data sets to corpora (:mod:`corefine.comparing.data_sets`). A missing
    response scores 0, and so do documents that a response lacks. Data sets are scored in ``jobs``
    processes, one per core by default. Confidence intervals cover 1 − ``alpha`` and come from
    ``replicates`` bootstrap samples of documents within data sets. ``official`` also scores with
    the other settings that CRAC publishes. All other arguments are those of :func:`corefine.score`.

    >>> keys = {"en": [["a", "b", "c"]], "de": {"1": [["x", "y"]], "2": [["x", "y"]]}}
    >>> suite = score_suite(keys, {"en": [["a", "b"], ["c"]]}, "muc")
    >>> suite["muc"].recall, suite.micro["muc"].recall, suite.missing
    (0.25, 0.25, ('de',))
    """
    settings: dict[str, Any] = {**options}
    plan = Plan.taken_from(settings)
    suite = Suite.of(keys, {"response": responses}, key_format, response_format)
    requests = _requests(metrics, kinds, scorer, settings, official)
    (found,) = _score_systems(suite, requests, plan, jobs, progress).values()
    return replace(found, warnings=(*suite.warnings, *found.warnings))


def _requests(
    metrics: MetricSpec,
    kinds: KindSpec,
    scorer: str | None,
    settings: Mapping[str, Any],
    official: bool,
) -> list[Request]:
    """The request of the user and, for the official table, one for each of its columns."""
    columns = OFFICIAL.values() if official else ()
    return [
        request_for(scorer, metrics, kinds, None, settings),
        *(request_for(scorer, "conll", kinds, None, {**settings, **own}) for own in columns),
    ]


def _score_systems(
    suite: Suite, requests: Sequence[Request], plan: Plan, jobs: int | None, progress: Progress
) -> dict[str, SuiteScores]:
    """Scores of every system under the first request, and its CoNLL F1 under the others."""
    found, *others = (_scored(suite, request, plan, jobs, progress) for request in requests)
    if not others:
        return found
    return {
        name: replace(
            one,
            official={
                column: scores[name]["conll"].f1
                for column, scores in zip(OFFICIAL, others, strict=True)
            },
        )
        for name, one in found.items()
    }


def _scored(
    suite: Suite, request: Request, plan: Plan, jobs: int | None, progress: Progress
) -> dict[str, SuiteScores]:
    """Score the data sets, the largest first so that processes finish at the same time."""
    ordered = sorted(suite.data_sets, key=lambda data_set: -data_set.size)
    processes = min(jobs or os.cpu_count() or 1, len(ordered))
    tasks = [(data_set, request) for data_set in ordered]
    scores: dict[str, list[Scores]] = {}
    missing: dict[str, list[str]] = {system: [] for system in suite.systems}
    for data_set, counted in zip(ordered, in_order(_count, tasks, processes), strict=True):
        scores[data_set.name] = [replace(one, request=request).scores() for one, _ in counted]
        for system, (_, is_missing) in zip(suite.systems, counted, strict=True):
            missing[system] += [data_set.name] * is_missing
        progress("scoring data sets", len(scores), len(ordered))
    require_tagged(request.settings.align, [one.copies for of in scores.values() for one in of])
    names = [one.name for one in suite.data_sets]
    return {
        system: SuiteScores.of(
            {name: scores[name][number] for name in names},
            [name for name in names if name in missing[system]],
            plan,
        )
        for number, system in enumerate(suite.systems)
    }


def _count(data_set: DataSet, request: Request) -> list[tuple[Counts, bool]]:
    """Counts of every system, with True for a response that counts as missing."""
    key, responses = data_set.read(request.settings, request.source_layers)
    return [count_response(key, response, request) for response in responses]


def count_response(key: Corpus, response: Corpus | None, request: Request) -> tuple[Counts, bool]:
    """Counts of a response to one data set, and whether it counts as missing.

    A response that has none of the documents is missing. Documents that it lacks are missed; the
    signature stays that of the suite.
    """
    if response is not None and key.named and response.named:
        response = response if set(key.documents) & set(response.documents) else None
    if response is None:
        return count(key, empty(key), request), True
    counting = replace(request.settings, missing_documents="count")
    counts = count(key, response, replace(request, settings=counting))
    return replace(counts, request=request), False


def completed(key: Corpus, response: Corpus | None) -> Corpus:
    """The response with the documents of the key alone; those that it lacks have no mentions."""
    if response is None:
        return empty(key)
    if not (key.named and response.named) or set(response.documents) == set(key.documents):
        return response
    known = {name: row for row, name in enumerate(key.documents)}
    own = [row for row, name in enumerate(response.documents) if name in known]
    lacking = sorted(known[name] for name in known.keys() - set(response.documents))
    parts = [select_documents(response, own)] if own else []
    return concatenate([*parts, *([empty(select_documents(key, lacking))] if lacking else [])])


def empty(key: Corpus) -> Corpus:
    """A response to a key without any mentions."""
    corpus = keep_mentions(key, np.zeros(len(key.mentions), bool))
    entities = Entities(np.zeros(0, np.int64))
    return replace(
        corpus, entities=entities, relations=(), annotations={}, warnings=(), copies=None
    )


@dataclass(frozen=True, eq=False, repr=False)
class SuiteScores(Scores):
    """Scores of a system on a suite, as returned by :func:`corefine.score_suite`.

    The score of a metric is the macro average over data sets, the ranking score of the CRAC shared
    tasks. The documents of the data sets follow one another. Tables: ``scores`` (F1 by data set),
    ``long`` and ``official``.

    >>> key = {"en": {"d": [[1, 2, 3]]}, "cs": {"d": [[1, 2]]}}
    >>> score_suite(key, key, "lea")["lea"].f1
    1.0
    """

    csv_table = "long"
    default_rows: ClassVar[Mapping[str, int]] = {"scores": 20}

    data_sets: Mapping[str, Scores] = field(default_factory=dict)
    """Scores of each data set, as if it were scored alone."""
    missing: tuple[str, ...] = ()
    """Data sets without a response."""
    plan: Plan = field(default_factory=Plan)
    """Options of the confidence intervals."""
    official: Mapping[str, float] | None = None
    """Macro CoNLL F1 under the settings that CRAC publishes."""

    @classmethod
    def of(cls, data_sets: Mapping[str, Scores], missing: Sequence[str], plan: Plan) -> SuiteScores:
        """Average the scores of data sets."""
        said: list[str] = []
        renamed = []
        for name, one in data_sets.items():
            if name in missing:
                text = f"no response to {name}: all its mentions count as missed"
                said.append(Caution(text, "missing-response", data_set=name))
            else:
                said += [reworded(text, f"{name}: {text}") for text in dict.fromkeys(one.warnings)]
            names = tuple(f"{name}/{document}" for document in one.counts.documents)
            request = replace(one.request, by=())
            counts = replace(one.counts, documents=names, breakdowns=(), request=request)
            renamed.append(replace(one, counts=counts))
        whole = joined(renamed)
        return cls(
            whole.counts, whole.kind_sources, tuple(said), whole.version,
            data_sets=dict(data_sets), missing=tuple(missing), plan=plan,
        )  # fmt: skip

    @property
    def macro(self) -> SuiteScores:
        """Mean over data sets of precision, recall and F1: these scores."""
        return self

    @cached_property
    def micro(self) -> Scores:
        """Scores of all documents together."""
        return Scores(self.counts, self.kind_sources, (), self.version)

    @cached_property
    def rows(self) -> dict[str, Scores]:
        """Scores of the averages and of each data set."""
        metrics = list(self.metrics.values())
        parts = {name: with_metrics(one, metrics) for name, one in self.data_sets.items()}
        return {MACRO: self, MICRO: self.micro, **parts}

    @property
    def strata(self) -> tuple[int, ...]:
        """Documents per data set."""
        return tuple(len(one.counts.documents) for one in self.data_sets.values())

    @cached_property
    def by_name(self) -> dict[str, Score]:
        """Mean scores by canonical name."""
        metrics = self.request.canonical
        parts = [self._scored(one.counts.values, metrics) for one in self.data_sets.values()]
        return {name: mean_score([part[name] for part in parts]) for name in metrics}

    def _signature(
        self, name: str | None = None, metric: Metric | None = None, **part: str
    ) -> Signature:
        signature = super()._signature(name, metric, **part)
        return replace(signature, average=f"macro({len(self.data_sets)})")

    def score(self, row: str, metric: str) -> Score:
        """Score of a data set, or of ``macro`` or ``micro``, by a metric."""
        return self.rows[row].by_name[metric]

    @cached_property
    def row_intervals(self) -> dict[tuple[str, str], Interval]:
        """Confidence intervals of F1 by data set (or ``macro``, ``micro``) and metric.

        A data set of one document has no interval. Those of the macro average draw documents
        within data sets.
        """
        return {
            (row, metric): Interval(*bounds)
            for row, scores in self.rows.items()
            for metric, bounds in scores.intervals(**self.plan.bootstrap).items()
            if not np.isnan(bounds).any()
        }

    def save(
        self,
        path: str | os.PathLike[str],
        *,
        name: str | None = None,
        date: str | datetime | None = None,
    ) -> None:
        """Save the statistics of all data sets, for ``leaderboard``, ``gate`` and ``compare``.

        ``name`` is that of the system, and ``date`` that of the run [default: now].
        """
        when = datetime.now(UTC) if date is None else date
        content = {
            "format": 1,
            "holds": SUITE,
            "name": name,
            "date": when if isinstance(when, str) else when.isoformat(timespec="seconds"),
            "missing": list(self.missing),
            "official": self.official,
            "data_sets": {name: to_record(one) for name, one in self.data_sets.items()},
        }
        write_atomically(path, json.dumps(content, ensure_ascii=False) + "\n")

    def to_dict(self, *, documents: bool = False, intervals: bool = True) -> dict[str, Any]:
        """Plain values for JSON; with ``documents`` also the scores of each."""
        whole = super().to_dict(documents=documents)
        ends = self.row_intervals if intervals else {}

        def numbers(row: str) -> dict[str, Any]:
            return {
                metric: {**score.to_dict(), "interval": ends.get((row, metric))}
                for metric, score in self.rows[row].by_name.items()
            }

        return {
            "signature": whole["signature"],
            "signatures": whole["signatures"],
            "intervals": self._drawn,
            MACRO: numbers(MACRO),
            MICRO: {"signature": str(self.micro.signature), "scores": numbers(MICRO)},
            "data_sets": {
                name: {
                    "documents": len(one.counts.documents),
                    "missing": name in self.missing,
                    "signature": str(one.signature),
                    "scores": numbers(name),
                }
                for name, one in self.data_sets.items()
            },
            **({} if self.official is None else {"official": self.official}),
            "missing": list(self.missing),
            **{name: whole[name] for name in ("documents", "warnings") if name in whole},
        }

    @property
    def _drawn(self) -> str:
        return (
            f"{self.plan.percent} intervals of F1 from {self.plan.resamples:,} bootstrap samples "
            "of documents, within data sets for the macro average"
        )

    @property
    def headline(self) -> str:
        """The metric of the verdict (:meth:`Plan.headline`)."""
        return self.plan.headline(list(self.by_name))

    @property
    def verdict(self) -> str:
        """The macro average of the headline metric, with its interval."""
        metric, percent = self.headline, Column("F1", "percent")
        text = f"{self.request.canonical[metric].title} F1 is {percent.shown(self[metric].f1)} "
        text += f"on average over {len(self.data_sets):,} data sets"
        interval = self.row_intervals.get((MACRO, metric))
        if interval is not None:
            text += " ({} CI {} to {})".format(self.plan.percent, *map(percent.shown, interval))
        count = len(self.missing)
        return f"{text}, {count} of them without a response." if count else f"{text}."

    def table_functions(self) -> Tables:
        tables: Tables = {"scores": data_sets_grid, "long": long_grid}
        return tables if self.official is None else {**tables, "official": official_grid}

    @property
    def default_tables(self) -> tuple[str, ...]:
        """F1 by data set, and the official table if it was asked for."""
        return ("scores",) if self.official is None else ("official", "scores")

    def figures(self) -> dict[str, Figure]:
        """Charts by name: F1 by data set."""
        return {"data-sets": data_sets_figure({"F1": self}, self.headline)}


def data_sets_figure(suites: Mapping[str, SuiteScores], metric: str) -> Figure:
    """F1 of each system by data set and on average, with confidence intervals."""
    first = next(iter(suites.values()))
    rows = (MACRO, *first.data_sets)
    series = [
        Series(
            name,
            [suite.score(row, metric).f1 for row in rows],
            [suite.row_intervals.get((row, metric)) for row in rows],
        )
        for name, suite in suites.items()
    ]
    title = first.request.canonical[metric].title
    return dot_chart(
        f"{title} F1 by data set",
        rows,
        series,
        description=f"With {first._drawn}.",
        value_title=f"{title} F1",
        first=BY,
    )


def data_sets_grid(suite: SuiteScores) -> Grid:
    """One row per data set with the F1 of each metric; the averages first."""
    names = leading(suite, suite.headline)
    rows: list[tuple[Value, ...]] = [
        (name, *(scores.by_name[metric].f1 for metric in names))
        for name, scores in suite.rows.items()
    ]
    columns = [Column("data set"), *metric_columns(names)]
    notes = [f"no response, scored as 0: {', '.join(suite.missing)}"] if suite.missing else []
    return Grid(tuple(columns), rows, "F1 by data set", (*notes, str(suite.signature)))


def long_grid(suite: SuiteScores) -> Grid:
    """One row per data set and metric, and of the averages, for programs."""
    rows = [
        (row, name, *suite.score(row, name), *suite.row_intervals.get((row, name), (None, None)))
        for row in suite.rows
        for name in suite
    ]
    columns = (Column(BY, name="data_set"), Column("metric"), *_SCORE_COLUMNS)
    return Grid(columns, rows)


_SCORE_COLUMNS = (
    Column("P", "percent", "precision"),
    Column("R", "percent", "recall"),
    Column("F1", "percent", "f1"),
    *ENDS["percent"],
)


def official_grid(result: SuiteScores | SuiteComparison) -> Grid:
    """One row per system: macro CoNLL F1 under the settings that CRAC publishes."""
    suites: Mapping[str, SuiteScores] = {"system": result}  # type: ignore[dict-item]
    if isinstance(result, SuiteComparison):
        suites = {name: result.suites[name] for name in result.ranked}
    rows: list[tuple[Value, ...]] = [
        (name, *(suite.official or {}).values()) for name, suite in suites.items()
    ]
    columns = (Column("system"), *(Column(name, "percent") for name in OFFICIAL))
    return Grid(columns, rows, "Macro CoNLL F1, as published by the CRAC shared tasks")


@dataclass(frozen=True, eq=False, repr=False)
class SuiteComparison(Comparison):
    """A comparison of systems on a suite, as returned by :func:`corefine.compare_suite`.

    Scores, differences and tests are those of the macro average. In addition to the tables of
    :class:`corefine.Comparison` there are ``suite`` (data sets by systems),
    ``data-sets`` and ``official``.

    >>> key = {"en": {"d": [[1, 2, 3]]}, "cs": {"d": [[1, 2]]}}
    >>> compare_suite(key, {"a": key, "b": key}, metrics="lea", trials=9, replicates=9).systems
    ('a', 'b')
    """

    default_rows: ClassVar[Mapping[str, int]] = {"suite": 16}

    @property
    def suites(self) -> Mapping[str, SuiteScores]:
        """Scores of every system by data set."""
        return cast("Mapping[str, SuiteScores]", self.scores)

    @property
    def data_sets(self) -> tuple[str, ...]:
        """Names of the data sets."""
        return tuple(next(iter(self.suites.values())).data_sets)

    def verdict_by(self, metric: str) -> str:
        """The verdict on the macro average, and the data sets that disagree with it."""
        first, second = self.ranked[:2]
        if self.plan.baseline is not None and self.plan.baseline not in (first, second):
            second = self.plan.baseline
        title = self._metric(metric)
        better = {
            system: [
                name
                for name in self.data_sets
                if self.suites[system].score(name, title).f1
                > self.suites[other].score(name, title).f1
            ]
            for system, other in ((first, second), (second, first))
        }
        text = f"Macro average over {len(self.data_sets):,} data sets: "
        text += super().verdict_by(metric)
        text += f" {first} is better on {len(better[first])} of them"
        if better[second]:
            named = ", ".join(better[second][:5])
            more = ", …" if len(better[second]) > 5 else ""
            text += f", {second} on {len(better[second])} ({named}{more})"
        return f"{text}."

    def to_dict(self, *, documents: bool = False) -> dict[str, Any]:
        """Plain values for JSON, with the scores of every system by data set."""
        result = super().to_dict(documents=documents)
        result["suites"] = {name: suite.to_dict() for name, suite in self.suites.items()}
        return result

    def table_functions(self) -> Tables:
        tables = {**super().table_functions(), "suite": suite_grid}
        tables["data-sets"] = partial(breakdown_grid, by=BY)
        official = next(iter(self.suites.values())).official is not None
        return {**tables, "official": official_grid} if official else tables

    @property
    def default_tables(self) -> tuple[str, ...]:
        """Data sets by systems; the official table, if asked for."""
        return ("official", "suite") if "official" in self.table_names else ("suite",)

    def figures(self) -> dict[str, Figure]:
        """Charts by name: F1 by data set, and the charts of a comparison."""
        ranked = {name: self.suites[name] for name in self.ranked}
        return {"data-sets": data_sets_figure(ranked, self.headline), **super().figures()}


def suite_grid(comparison: SuiteComparison) -> Grid:
    """One row per average and data set, with the headline F1 of every system, the best first."""
    metric, ranked = comparison.headline, comparison.ranked
    rows: list[tuple[Value, ...]] = [
        (row, *(comparison.suites[name].score(row, metric).f1 for name in ranked))
        for row in (MACRO, MICRO, *comparison.data_sets)
    ]
    columns = [Column(BY, name="data_set"), *metric_columns(ranked)]
    title = comparison.suites[ranked[0]].request.canonical[metric].title
    return Grid(tuple(columns), rows, f"{title} F1", (comparison.signature,))


@emitting
def compare_suite(
    keys: SuiteLike,
    *systems: Any,
    metrics: MetricSpec = "default",
    kinds: KindSpec = "auto",
    key_format: str | None = None,
    response_format: str | None = None,
    jobs: int | None = None,
    official: bool = False,
    scorer: str | None = None,
    progress: Progress = silent,
    **options: Unpack[CompareOptions],
) -> SuiteComparison:
    """Compare the responses of several systems to the keys of many data sets.

    Keys and systems are those of :func:`corefine.score_suite`, systems as separate arguments or in
    a dict by name; all other arguments are those of :func:`corefine.compare`.

    >>> keys = {"en": {"1": [[1, 2, 3]], "2": [[1, 2], [3, 4]]}, "de": {"1": [[1, 2, 3, 4]]}}
    >>> cautious = {"en": {"1": [[1, 2]], "2": [[1, 2]]}, "de": {"1": [[1, 2]]}}
    >>> bold = {"en": {"1": [[1, 2, 3]], "2": [[1, 2, 3, 4]]}, "de": {"1": [[1, 2, 3, 4]]}}
    >>> comparison = compare_suite(keys, {"cautious": cautious, "bold": bold}, metrics="muc")
    >>> comparison.difference("bold", "cautious", "muc").p
    0.25
    """
    settings: dict[str, Any] = {**options}
    plan = Plan.taken_from(settings)
    if plan.scheme == "pooled":
        raise UsageError(
            "documents of a suite are swapped within data sets, and cannot be pooled",
            remedy="Leave out --preset mcores (scheme='pooled').",
        )
    named = named_sides(systems, "system")
    check_systems(list(named), plan)
    suite = Suite.of(keys, named, key_format, response_format)
    requests = _requests(metrics, kinds, scorer, settings, official)
    suites = _score_systems(suite, requests, plan, jobs, progress)
    return compare_suites(suites, plan, warnings=suite.warnings, progress=progress)


def compare_suites(
    suites: Mapping[str, SuiteScores],
    plan: Plan,
    *,
    warnings: tuple[str, ...] = (),
    progress: Progress = silent,
) -> SuiteComparison:
    """Compare systems that were scored on the same suite."""
    compared = compare_scores(suites, plan, progress=progress, result=SuiteComparison)
    assert isinstance(compared, SuiteComparison)
    said = list(warnings)
    sizes = dict(zip(compared.data_sets, compared.panel.strata, strict=True))
    few = {name: size for name, size in sizes.items() if size < NARROW}
    if few:
        listed = ", ".join(f"{name} ({size})" for name, size in list(few.items())[:5])
        more = f" and {len(few) - 5} more" if len(few) > 5 else ""
        text = (
            f"Data sets with fewer than {NARROW} documents: {listed}{more}. Their variance is "
            "poorly known, so that confidence intervals may be too narrow, and tests find too many "
            "differences: in simulations of five data sets of 5 documents, the type I error at .05 "
            "was .085. A data set of one document adds nothing to them."
        )
        said.append(Caution(text, "small-data-sets", documents=few))
    parts = tuple(
        PartStanding(
            BY, row, name, system, suite.score(row, name), suite.row_intervals.get((row, name))
        )
        for row in sizes
        for name in compared.metrics
        for system, suite in suites.items()
    )
    return replace(compared, warnings=(*said, *compared.warnings), parts=parts)


def read_suite(path: str | os.PathLike[str]) -> Stored:
    """Read a saved suite; other files and damaged ones are errors."""
    try:
        content = json.loads(Path(path).read_text("utf-8"))
        data_sets = {name: from_record(one) for name, one in content["data_sets"].items()}
        suite = SuiteScores.of(data_sets, content["missing"], Plan())
        suite = replace(suite, official=content["official"])
        return Stored(suite, datetime.fromisoformat(content["date"]), content["name"])
    except (KeyError, TypeError, AttributeError, ValueError, RecursionError) as error:
        raise FormatError(
            f"a corrupt file of saved suite scores: {error}",
            Location(os.fspath(path)),
            "Create one with: corefine suite KEYS SYSTEM --save FOLDER.",
        ) from None
