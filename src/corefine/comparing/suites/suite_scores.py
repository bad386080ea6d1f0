"""Scores of a suite: by data set, their macro average, and the micro average beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

from corefine.comparing.plan import Plan
from corefine.comparing.standings import Interval
from corefine.comparing.suites.averages import Macro, Micro, OverDataSets
from corefine.comparing.suites.suite_panel import SuitePanel, statistics_apart
from corefine.metrics.base import Metric
from corefine.output.grid import Column, Grid, Value
from corefine.output.result import Result, Tables
from corefine.scoring.counts import Counts
from corefine.scoring.resampling.bootstrap import bootstrap
from corefine.scoring.resampling.panel import F1
from corefine.scoring.scores import Score, Scores
from corefine.scoring.signature import Signature

MACRO, MICRO = "macro", "micro"


@dataclass(frozen=True, eq=False, repr=False)
class MacroScores(Scores):
    """The macro average of a suite as scores: what a comparison is made from."""

    pooled: Scores | None = None
    """The micro average, which has the scores of documents."""

    def _signature(self, metric: Metric | None, needs_kinds: bool, **part: str) -> Signature:
        signature = super()._signature(metric, needs_kinds, **part)
        first = next(iter(self.metrics.values()))
        assert isinstance(first, OverDataSets)
        return replace(signature, average=f"macro({len(first.data_sets)})")

    @cached_property
    def documents(self) -> dict[str, dict[str, Score]]:
        assert self.pooled is not None
        return self.pooled.documents


@dataclass(frozen=True, eq=False, repr=False)
class SuiteScores(Result, Mapping[str, Score]):
    """The scores of a system on a suite, as returned by :func:`corefine.score_suite`.

    A metric's score is the macro average over data sets, the ranking score of the CRAC shared
    tasks. Tables: ``average``, ``scores`` (F1 by data set) and ``long``.

    >>> from corefine import score_suite
    >>> key = {"en": {"d": [[1, 2, 3]]}, "cs": {"d": [[1, 2]]}}
    >>> score_suite(key, key, "lea")["lea"].f1
    1.0
    """

    csv_table = "long"
    __hash__: ClassVar[None] = None  # type: ignore[assignment]

    data_sets: Mapping[str, Scores]
    """The scores of each data set, the same as if it were scored alone."""
    macro: Scores
    """The mean over data sets of precision, recall and F1."""
    micro: Scores
    """The scores of all documents together."""
    missing: tuple[str, ...]
    """The data sets without a response, of which everything counts as missed."""
    plan: Plan
    """How often documents are drawn for the intervals, and at which confidence."""
    warnings: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        counts: Mapping[str, Counts],
        missing: Sequence[str],
        plan: Plan,
        warnings: Sequence[str] = (),
    ) -> SuiteScores:
        """The scores from the counts of each data set."""
        names = tuple(counts)
        apart = {
            name: replace(one.scores(), warnings=()) if name in missing else one.scores()
            for name, one in counts.items()
        }
        renamed = [
            one.with_documents(tuple(f"{name}/{d}" for d in one.documents))
            for name, one in counts.items()
        ]
        whole = Counts.sum(renamed)
        micro = replace(whole.scores(), warnings=())
        metrics: dict[str, Metric] = {
            name: Macro(metric, names) for name, metric in whole.request.metrics.items()
        }
        macro = MacroScores(
            replace(
                whole,
                request=replace(whole.request, metrics=metrics, by=()),
                values=statistics_apart(names, renamed),
                breakdowns=(),
            ),
            micro.kind_sources,
            pooled=micro,
        )
        said = [f"no response to {name}: all its mentions count as missed" for name in missing]
        for name, one in apart.items():
            said += [f"{name}: {warning}" for warning in dict.fromkeys(one.warnings)]
        return cls(apart, macro, micro, tuple(missing), plan, (*warnings, *said))

    @property
    def signature(self) -> Signature:
        """What the macro averages depend on, beside their metrics."""
        return self.macro.signature

    def __getitem__(self, name: str) -> Score:
        return self.macro[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.macro)

    def __len__(self) -> int:
        return len(self.macro)

    def score(self, row: str, metric: str) -> Score:
        """The score of a data set, or that of ``macro`` or ``micro``, by a metric."""
        return self._rows[row].by_name[metric]

    @cached_property
    def _rows(self) -> dict[str, Scores]:
        """The scores by data set, and last the averages."""
        return {**self.data_sets, MACRO: self.macro, MICRO: self.micro}

    @cached_property
    def intervals(self) -> dict[tuple[str, str], Interval]:
        """By data set (or ``macro``, ``micro``) and metric, the percentile interval of F1.

        Each replicate draws from every data set as many documents as it has. A data set of one
        document has no interval, and adds nothing to that of the averages.
        """
        names = tuple(self.data_sets)
        asked = {str(metric): metric for metric in self.micro.metrics.values()}
        over: dict[tuple[str, str], Metric] = {
            (row, name): kind(metric, of)
            for name, metric in asked.items()
            for row, kind, of in (
                *((name, Macro, (name,)) for name in names),
                (MACRO, Macro, names),
                (MICRO, Micro, names),
            )
        }
        sizes = [len(one.counts.documents) for one in self.data_sets.values()]
        if max(sizes) < 2:
            return {}
        panel = SuitePanel.of_suites({"": self}, tuple(over.values()))
        drawn = bootstrap(
            panel,
            replicates=self.plan.resamples,
            confidence=self.plan.confidence,
            seed=self.plan.seed,
        )
        single = {name for name, size in zip(names, sizes, strict=True) if size < 2}
        return {
            (row, metric): Interval(*drawn.scores.percentile[0, column, F1].tolist())
            for column, (row, metric) in enumerate(over)
            if row not in single
        }

    def to_dict(self) -> dict[str, Any]:
        """The form in which it is written as JSON."""

        def numbers(row: str) -> dict[str, Any]:
            return {
                metric: {**score.to_dict(), "interval": _listed(self.intervals.get((row, metric)))}
                for metric, score in self._rows[row].by_name.items()
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
            "missing": list(self.missing),
            "warnings": list(self.warnings),
        }

    @property
    def _drawn(self) -> str:
        return (
            f"{100 * self.plan.confidence:g}% intervals of F1 from {self.plan.resamples:,} "
            "bootstrap samples of documents within data sets"
        )

    def table_functions(self) -> Tables:
        return {"average": average_grid, "scores": data_sets_grid, "long": long_grid}

    @property
    def default_tables(self) -> tuple[str, ...]:
        return ("scores", "average")


def _listed(interval: Interval | None) -> list[float] | None:
    return None if interval is None else list(interval)


def data_sets_grid(suite: SuiteScores) -> Grid:
    """One row a data set with the F1 of each metric; the averages come last."""
    rows: list[tuple[Value, ...]] = [
        (name, *(score.f1 for score in scores.by_name.values()))
        for name, scores in suite._rows.items()
    ]
    columns = (Column("data set"), *(Column(name, "percent", name) for name in suite))
    notes = [f"no response, scored as 0: {', '.join(suite.missing)}"] if suite.missing else []
    return Grid(columns, rows, "F1 by data set", tuple(notes))


def average_grid(suite: SuiteScores) -> Grid:
    """One row a metric: the macro average, the official figure, and the micro average."""
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
    """One row a data set and metric, then the averages, for programs."""
    rows: list[tuple[Value, ...]] = [
        (row, metric, *score, *(suite.intervals.get((row, metric)) or (None, None)))
        for row, scores in suite._rows.items()
        for metric, score in scores.by_name.items()
    ]
    names = ("precision", "recall", "f1", "low", "high")
    columns = (Column("data set", name="data_set"), Column("metric"))
    return Grid((*columns, *(Column(name, "percent", name) for name in names)), rows)
