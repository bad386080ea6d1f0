"""``corefine.score_suite``: a system on many data sets, with macro and micro averages."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, ClassVar, Unpack

import numpy as np

from corefine.comparing.inputs import count_pair
from corefine.comparing.plan import Plan
from corefine.comparing.standings import Interval
from corefine.comparing.suites.data_sets import DataSet, Suite, SuiteLike
from corefine.comparing.systems import comparison_request, reworded
from corefine.corpus.columns import Entities
from corefine.corpus.corpus import Corpus
from corefine.corpus.selection import keep_mentions
from corefine.errors import Caution, FormatError, Location
from corefine.kinds.kind_plan import KindSpec
from corefine.metrics.base import Metric
from corefine.metrics.registry import MetricSpec
from corefine.output.grid import Column, Grid, Value
from corefine.output.progress import Progress, silent
from corefine.output.result import Result, Tables
from corefine.output.saving import write_atomically
from corefine.scoring.count import Counts
from corefine.scoring.drivers.processes import in_order
from corefine.scoring.request import Request, RequestOptions
from corefine.scoring.resampling import F1, Panel, drawn_counts, expanded_levels, quantiles
from corefine.scoring.score import require_tagged, scorer_of
from corefine.scoring.scores import Score, Scores, Signature
from corefine.scoring.stored import Stored, from_record, joined, read_stored, to_record

MACRO, MICRO = "macro", "micro"
HOLDS = "corefine suite"
OFFICIAL: dict[str, dict[str, Any]] = {
    "head": {"match": "head"},
    "partial": {"match": "partial"},
    "exact": {"match": "exact"},
    "with singletons": {"match": "head", "singletons": "keep"},
}
"""Settings of the columns in the official table of the CRAC shared tasks."""


def score_suite(
    keys: SuiteLike,
    responses: SuiteLike,
    metrics: MetricSpec = "default",
    *,
    kinds: KindSpec = "auto",
    key_format: str | None = None,
    response_format: str | None = None,
    jobs: int | None = None,
    replicates: int = 10_000,
    alpha: float = 0.05,
    seed: int = 0,
    official: bool = False,
    scorer: str | None = None,
    tool: str | None = None,
    progress: Progress = silent,
    **settings: Unpack[RequestOptions],
) -> SuiteScores:
    """Score the responses of a system to the keys of many data sets.

    Keys and responses are folders whose files have the same relative paths, TOML files that list
    them, or dicts from data sets to corpora (:mod:`corefine.comparing.suites.data_sets`). A missing
    response, or one without any document of the key, scores 0. Data sets are scored in ``jobs``
    processes, one per core by default. Confidence intervals come from ``replicates`` bootstrap
    samples of documents within data sets. ``official`` also scores with the other settings that
    CRAC publishes. All other arguments are those of :func:`corefine.score`.

    >>> keys = {"en": [["a", "b", "c"]], "de": {"1": [["x", "y"]], "2": [["x", "y"]]}}
    >>> suite = score_suite(keys, {"en": [["a", "b"], ["c"]]}, "muc")
    >>> suite["muc"].recall, suite.micro["muc"].recall, suite.missing
    (0.25, 0.25, ('de',))
    """
    plan = Plan(alpha=alpha, replicates=replicates, seed=seed)
    suite = Suite.of(keys, {"response": responses}, key_format, response_format)
    options = {"kinds": kinds, "scorer": scorer_of(scorer, tool), **settings}
    (found,) = scored_suites(
        suite, metrics, options, plan, official=official, jobs=jobs, progress=progress
    ).values()
    return replace(found, warnings=(*suite.warnings, *found.warnings))


def scored_suites(
    suite: Suite,
    metrics: MetricSpec,
    options: Mapping[str, Any],
    plan: Plan,
    *,
    official: bool = False,
    jobs: int | None = None,
    progress: Progress = silent,
) -> dict[str, SuiteScores]:
    """Scores of every system; with ``official`` also under the settings that CRAC publishes."""
    found = _scored(suite, _request(metrics, options), plan, jobs, progress)
    if official:
        columns: dict[str, dict[str, float]] = {system: {} for system in suite.systems}
        for name, settings in OFFICIAL.items():
            request = _request("conll", {**options, **settings})
            for system, scores in _scored(suite, request, plan, jobs, progress).items():
                columns[system][name] = scores["conll"].f1
        found = {name: replace(one, official=columns[name]) for name, one in found.items()}
    return found


def _request(metrics: MetricSpec, options: Mapping[str, Any]) -> Request:
    settings = dict(options)
    kinds, scorer = settings.pop("kinds", "auto"), settings.pop("scorer", None)
    return comparison_request(scorer, metrics, kinds, None, settings)


def _scored(
    suite: Suite, request: Request, plan: Plan, jobs: int | None, progress: Progress
) -> dict[str, SuiteScores]:
    """Score the data sets, the largest first so that processes finish at the same time."""
    ordered = sorted(suite.data_sets, key=lambda data_set: -data_set.size)
    processes = min(jobs or os.cpu_count() or 1, len(ordered))
    tasks = [(data_set, request) for data_set in ordered]
    counted: dict[str, list[Counts]] = {}
    missing: dict[str, list[str]] = {system: [] for system in suite.systems}
    for data_set, found in zip(ordered, in_order(_count, tasks, processes), strict=True):
        counted[data_set.name] = [replace(counts, request=request) for counts, _ in found]
        for system, (_, is_missing) in zip(suite.systems, found, strict=True):
            missing[system] += [data_set.name] * is_missing
        progress("scoring data sets", len(counted), len(ordered))
    copies = [one.copies for counts in counted.values() for one in counts]
    require_tagged(request.settings.align, copies)
    return {
        system: SuiteScores.of(
            {one.name: counted[one.name][number].scores() for one in suite.data_sets},
            [one.name for one in suite.data_sets if one.name in missing[system]],
            plan,
        )
        for number, system in enumerate(suite.systems)
    }


def _count(data_set: DataSet, request: Request) -> list[tuple[Counts, bool]]:
    """Counts of every system, with True for a response that counts as missing."""
    layers, align = request.source_layers, request.settings.align
    key = data_set.key.read(layers)
    found = []
    for side in data_set.responses:
        response = None if side is None else side.read(layers, silent, key, align)
        if response is not None and key.named and response.named:
            shared = set(key.documents) & set(response.documents)
            response = response if shared else None
        missing = response is None
        corpus = empty(key) if response is None else response
        found.append((count_pair(key, corpus, request), missing))
    return found


def empty(key: Corpus) -> Corpus:
    """A response to a key without any mentions."""
    corpus = keep_mentions(key, np.zeros(len(key.mentions), bool))
    entities = Entities(np.zeros(0, np.int64))
    return replace(
        corpus, entities=entities, relations=(), annotations={}, warnings=(), copies=None
    )


@dataclass(frozen=True, eq=False, repr=False)
class MacroScores(Scores):
    """Scores averaged over data sets, whose documents follow one another in the statistics."""

    sizes: Mapping[str, int] = field(default_factory=dict)
    """Documents per data set."""

    @property
    def strata(self) -> tuple[int, ...]:
        """Documents per data set."""
        return tuple(self.sizes.values())

    @cached_property
    def by_name(self) -> dict[str, Score]:
        """Mean scores by canonical name."""
        metrics = self.request.canonical
        values = Panel.of_values(
            self.counts.documents, {"": self.counts.values}, metrics, self.strata
        ).scores()[0]
        return {
            name: Score(
                float(f1),
                None if np.isnan(precision) else float(precision),
                None if np.isnan(recall) else float(recall),
                self._signature(name, metric),
            )
            for (name, metric), (precision, recall, f1) in zip(metrics.items(), values, strict=True)
        }

    def _signature(
        self, name: str | None = None, metric: Metric | None = None, **part: str
    ) -> Signature:
        signature = super()._signature(name, metric, **part)
        return replace(signature, average=f"macro({len(self.sizes)})")


@dataclass(frozen=True, eq=False, repr=False)
class SuiteScores(Result, Mapping[str, Score]):
    """Scores of a system on a suite, as returned by :func:`corefine.score_suite`.

    The score of a metric is the macro average over data sets, the ranking score of the CRAC shared
    tasks. Tables: ``scores`` (F1 by data set), ``average``, ``long`` and ``official``.

    >>> key = {"en": {"d": [[1, 2, 3]]}, "cs": {"d": [[1, 2]]}}
    >>> score_suite(key, key, "lea")["lea"].f1
    1.0
    """

    csv_table = "long"
    default_rows: ClassVar[Mapping[str, int]] = {"scores": 20}
    __hash__: ClassVar[None] = None  # type: ignore[assignment]

    data_sets: Mapping[str, Scores]
    """Scores of each data set, as if it were scored alone."""
    macro: MacroScores
    """Mean over data sets of precision, recall and F1."""
    micro: Scores
    """Scores of all documents together."""
    missing: tuple[str, ...]
    """Data sets without a response."""
    plan: Plan
    """Options of the confidence intervals."""
    warnings: tuple[str, ...] = ()
    official: Mapping[str, float] | None = None
    """Macro CoNLL F1 under the settings that CRAC publishes."""

    @classmethod
    def of(cls, data_sets: Mapping[str, Scores], missing: Sequence[str], plan: Plan) -> SuiteScores:
        """Average the scores of data sets."""
        said: list[str] = [
            Caution(
                f"no response to {name}: all its mentions count as missed",
                "missing-response",
                data_set=name,
            )
            for name in missing
        ]
        for name, one in data_sets.items():
            if name not in missing:
                said += [
                    reworded(warning, f"{name}: {warning}")
                    for warning in dict.fromkeys(one.warnings)
                ]
        renamed = []
        for name, one in data_sets.items():
            names = tuple(f"{name}/{document}" for document in one.counts.documents)
            counts = replace(one.counts, documents=names, breakdowns=())
            counts = replace(counts, request=replace(one.request, by=()))
            renamed.append(replace(one, counts=counts))
        micro = replace(joined(renamed), warnings=())
        sizes = {name: len(one.counts.documents) for name, one in data_sets.items()}
        macro = MacroScores(micro.counts, micro.kind_sources, (), micro.version, sizes=sizes)
        return cls(dict(data_sets), macro, micro, tuple(missing), plan, tuple(said))

    @property
    def signature(self) -> Signature:
        """Signature of the macro averages, without metric."""
        return self.macro.signature

    def __getitem__(self, name: str) -> Score:
        return self.macro[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.macro)

    def __len__(self) -> int:
        return len(self.macro)

    def score(self, row: str, metric: str) -> Score:
        """Score of a data set, or of ``macro`` or ``micro``, by a metric."""
        return self.rows[row].by_name[metric]

    @cached_property
    def rows(self) -> dict[str, Scores]:
        """Scores of the averages and of each data set."""
        return {MACRO: self.macro, MICRO: self.micro, **self.data_sets}

    @cached_property
    def intervals(self) -> dict[tuple[str, str], Interval]:
        """Confidence intervals of F1 by data set (or ``macro``, ``micro``) and metric.

        A replicate draws documents within data sets. A data set of one document has no interval.
        """
        panel = Panel.of({"": self.macro})
        sizes, count = panel.strata, self.plan.resamples
        if max(sizes) < 2:
            return {}
        values: dict[str, list[Any]] = {name: [] for name in self.rows}
        block = max(1, (1 << 27) // (8 * (panel.statistics.size + 24 * sum(sizes))))
        for counts in drawn_counts(sum(sizes), count, block, self.plan.seed, sizes):
            sums = panel.weighted(counts)
            by_set = panel.evaluate(sums)[:, F1, 0]
            values[MACRO].append(by_set.mean(axis=-1))
            values[MICRO].append(panel.evaluate(sums.sum(axis=-1))[:, F1, 0])
            for number, name in enumerate(self.data_sets):
                values[name].append(by_set[..., number])
        deviations = [one[:, F1, 0] for one in panel.deviations()]
        variances = np.array([np.square(one).sum(axis=1) for one in deviations]).T
        all_sizes = np.array(sizes)
        found = {}
        for row, drawn in values.items():
            own = self.macro.sizes.get(row)
            if own == 1:
                continue
            of = np.array([[1.0]]) if own else variances * (all_sizes - 1) / all_sizes
            drawn_from = np.array([own]) if own else all_sizes
            levels = expanded_levels(self.plan.confidence, of, drawn_from)
            ends = quantiles(np.sort(np.concatenate(drawn, axis=1), axis=1), levels)
            for metric, bounds in zip(panel.names, ends.tolist(), strict=True):
                found[row, metric] = Interval(*bounds)
        return found

    def save(
        self, path: str | os.PathLike[str], *, name: str | None = None, date: str | None = None
    ) -> None:
        """Save the statistics of all data sets, for ``leaderboard``, ``gate`` and ``compare``.

        ``name`` is that of the system, and ``date`` that of the run [default: now].
        """
        import json

        content = {
            "format": 1,
            "holds": HOLDS,
            "name": name,
            "date": date or datetime.now(UTC).isoformat(timespec="seconds"),
            "missing": list(self.missing),
            "official": None if self.official is None else dict(self.official),
            "data_sets": {name: to_record(one) for name, one in self.data_sets.items()},
        }
        write_atomically(path, json.dumps(content, ensure_ascii=False) + "\n")

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""

        def numbers(row: str) -> dict[str, Any]:
            ends = {metric: self.intervals.get((row, metric)) for metric in self}
            return {
                metric: {**score.to_dict(), "interval": ends[metric] and list(ends[metric] or ())}
                for metric, score in self.rows[row].by_name.items()
            }

        return {
            "signature": str(self.signature),
            "signatures": {name: str(one.signature) for name, one in self.macro.by_name.items()},
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
            **({} if self.official is None else {"official": dict(self.official)}),
            "missing": list(self.missing),
            "warnings": list(self.warnings),
        }

    @property
    def _drawn(self) -> str:
        return (
            f"{100 * self.plan.confidence:g}% intervals of F1 from {self.plan.resamples:,} "
            "bootstrap samples of documents within data sets"
        )

    @property
    def headline(self) -> str:
        """The metric of the verdict: the CoNLL average, or the first."""
        return "conll" if "conll" in self.macro.by_name else next(iter(self))

    @property
    def verdict(self) -> str:
        """The macro average of the headline metric, with its interval."""
        metric = self.headline
        title = next(m.title for m in self.macro.metrics.values() if str(m) == metric)
        interval = self.intervals.get((MACRO, metric))
        text = f"{title} F1 is {100 * self[metric].f1:.2f} on average over "
        text += f"{len(self.data_sets):,} data sets"
        if interval is not None:
            ends = f"{100 * interval.low:.2f} to {100 * interval.high:.2f}"
            text += f" ({100 * self.plan.confidence:g}% CI {ends})"
        count = len(self.missing)
        return f"{text}, {count} of them without a response." if count else f"{text}."

    def table_functions(self) -> Tables:
        tables: Tables = {"scores": data_sets_grid, "average": average_grid, "long": long_grid}
        return tables if self.official is None else {**tables, "official": official_grid}

    @property
    def default_tables(self) -> tuple[str, ...]:
        """F1 by data set, and the official table if it was asked for."""
        return ("scores",) if self.official is None else ("official", "scores")


def data_sets_grid(suite: SuiteScores) -> Grid:
    """One row per data set with the F1 of each metric; the averages first."""
    names = sorted(suite, key=lambda name: name != suite.headline)
    rows: list[tuple[Value, ...]] = [
        (name, *(scores.by_name[metric].f1 for metric in names))
        for name, scores in suite.rows.items()
    ]
    columns = [Column("data set")]
    columns += [Column(name, "percent", name, priority=n) for n, name in enumerate(names)]
    notes = [f"no response, scored as 0: {', '.join(suite.missing)}"] if suite.missing else []
    return Grid(tuple(columns), rows, "F1 by data set", (*notes, str(suite.signature)))


def average_grid(suite: SuiteScores) -> Grid:
    """One row per metric: the macro average, the official figure, and the micro average."""
    rows: list[tuple[Value, ...]] = []
    for metric in suite:
        row: list[Value] = [metric]
        for kind in (MACRO, MICRO):
            interval = suite.intervals.get((kind, metric)) or (None, None)
            row += [*suite.score(kind, metric), *interval]
        rows.append(tuple(row))
    columns = [Column("metric")]
    for kind in (MACRO, MICRO):
        columns += [
            Column(title, "percent", f"{kind}_{name}", group=kind)
            for title, name in (
                ("P", "precision"),
                ("R", "recall"),
                ("F1", "f1"),
                ("low", "low"),
                ("high", "high"),
            )
        ]
    count = len(suite.data_sets)
    return Grid(
        tuple(columns),
        rows,
        f"Average over {count:,} data set{'' if count == 1 else 's'}",
        (f"low, high: {suite._drawn}.", str(suite.signature)),
    )


def long_grid(suite: SuiteScores) -> Grid:
    """One row per data set and metric, and of the averages, for programs."""
    rows: list[tuple[Value, ...]] = [
        (row, metric, *score, *(suite.intervals.get((row, metric)) or (None, None)))
        for row, scores in suite.rows.items()
        for metric, score in scores.by_name.items()
    ]
    names = ("precision", "recall", "f1", "low", "high")
    columns = (Column("data set", name="data_set"), Column("metric"))
    return Grid((*columns, *(Column(name, "percent", name) for name in names)), rows)


def official_grid(suite: SuiteScores) -> Grid:
    """One row: macro CoNLL F1 under the settings that CRAC publishes."""
    return official_table({"system": suite})


def official_table(suites: Mapping[str, SuiteScores]) -> Grid:
    """One row per system: macro CoNLL F1 under the settings that CRAC publishes."""
    rows: list[tuple[Value, ...]] = [
        (name, *(suite.official or {}).values()) for name, suite in suites.items()
    ]
    columns = (Column("system"), *(Column(name, "percent") for name in OFFICIAL))
    return Grid(columns, rows, "Macro CoNLL F1, as published by the CRAC shared tasks")


def is_suite(thing: object) -> bool:
    """True for the path of a saved suite, judged by its first bytes."""
    if not isinstance(thing, str | os.PathLike) or not os.path.isfile(thing):
        return False
    with open(thing, "rb") as file:
        return f'"holds": "{HOLDS}"'.encode() in file.read(100)


def read_suite(path: str | os.PathLike[str]) -> tuple[SuiteScores, str | None, datetime]:
    """A saved suite, the name of its system, and its date."""
    import json

    where = Location(os.fspath(path))
    try:
        with open(path, encoding="utf-8") as file:
            content = json.load(file)
        data_sets = {name: from_record(one) for name, one in content["data_sets"].items()}
        suite = SuiteScores.of(data_sets, content["missing"], Plan())
        date = datetime.fromisoformat(content["date"])
        return replace(suite, official=content["official"]), content["name"], date
    except (KeyError, TypeError, AttributeError, ValueError, RecursionError) as error:
        raise FormatError(
            f"a corrupt file of saved suite scores: {error}",
            where,
            "Create one with: corefine suite KEYS SYSTEM --save FOLDER.",
        ) from None


def read_result(path: str | os.PathLike[str]) -> Stored:
    """Saved scores, or the macro average of a saved suite."""
    if not is_suite(path):
        return read_stored(path)
    suite, name, date = read_suite(path)
    return Stored(suite.macro, date, name)
