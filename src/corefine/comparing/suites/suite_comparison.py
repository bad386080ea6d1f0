"""``corefine.compare_suite``: several systems on many data sets.

The macro averages over data sets are compared. Documents are swapped between two systems, or drawn,
within data sets.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Unpack

from corefine.comparing.breakdowns import PartStanding, part_grid
from corefine.comparing.comparison import Comparison
from corefine.comparing.multiple_testing import Correction
from corefine.comparing.plan import Plan, Test
from corefine.comparing.randomization import Scheme
from corefine.comparing.suites.data_sets import Suite, SuiteLike
from corefine.comparing.suites.suite import (
    MACRO,
    MICRO,
    SuiteScores,
    official_table,
    scored_suites,
)
from corefine.comparing.systems import NARROW, check_systems, compare_scores, reworded
from corefine.errors import Caution, UsageError
from corefine.kinds.kind_plan import KindSpec
from corefine.metrics.registry import MetricSpec
from corefine.output.grid import Column, Grid, Value
from corefine.output.progress import Progress, silent
from corefine.output.result import Tables
from corefine.scoring.request import RequestOptions
from corefine.scoring.score import scorer_of
from corefine.scoring.sides import names_of

BY = "data set"


@dataclass(frozen=True, eq=False, repr=False)
class SuiteComparison(Comparison):
    """A comparison of systems on a suite, as returned by :func:`corefine.compare_suite`.

    Scores, differences and tests are those of the macro average. In addition to the tables of
    :class:`corefine.Comparison` there are ``suite`` (data sets by systems), ``averages``,
    ``data-sets`` and ``official``.

    >>> key = {"en": {"d": [[1, 2, 3]]}, "cs": {"d": [[1, 2]]}}
    >>> compare_suite(key, {"a": key, "b": key}, metrics="lea", trials=9, replicates=9).systems
    ('a', 'b')
    """

    suites: Mapping[str, SuiteScores] = field(default_factory=dict)
    """Scores of every system by data set."""

    default_rows: ClassVar[Mapping[str, int]] = {"suite": 16}

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
        tables = {**super().table_functions(), "suite": suite_grid, "averages": averages_grid}
        tables["data-sets"] = data_sets_grid
        official = next(iter(self.suites.values())).official is not None
        return {**tables, "official": official_grid} if official else tables

    @property
    def default_tables(self) -> tuple[str, ...]:
        """Data sets by systems; the official table, if asked for."""
        return ("official", "suite") if "official" in self.table_names else ("suite",)


def suite_grid(comparison: SuiteComparison) -> Grid:
    """One row per average and data set, with the headline F1 of every system, the best first."""
    metric, ranked = comparison.headline, comparison.ranked
    rows: list[tuple[Value, ...]] = [
        (row, *(comparison.suites[name].score(row, metric).f1 for name in ranked))
        for row in (MACRO, MICRO, *comparison.data_sets)
    ]
    columns = [Column(BY, name="data_set")]
    columns += [Column(name, "percent", name, priority=n) for n, name in enumerate(ranked)]
    title = next(m.title for m in comparison.panel.metrics if str(m) == metric)
    return Grid(tuple(columns), rows, f"{title} F1", (comparison.signature,))


def averages_grid(comparison: SuiteComparison) -> Grid:
    """One row per system and metric: the macro average and the micro average."""
    rows: list[tuple[Value, ...]] = [
        (
            metric,
            name,
            suite.macro.by_name[metric].f1,
            suite.micro.by_name[metric].f1,
            len(suite.missing),
        )
        for metric in comparison.metrics
        for name, suite in comparison.suites.items()
    ]
    columns = (
        Column("metric"),
        Column("system"),
        Column("macro F1", "percent", "macro_f1"),
        Column("micro F1", "percent", "micro_f1"),
        Column("missing", "integer"),
    )
    note = "missing: data sets without a response, which count as 0."
    return Grid(columns, rows, f"Averages over {len(comparison.data_sets):,} data sets", (note,))


def data_sets_grid(comparison: SuiteComparison) -> Grid:
    """One row per data set, metric and system, with the interval of F1."""
    return part_grid(comparison.parts, BY, comparison.plan.confidence)


def official_grid(comparison: SuiteComparison) -> Grid:
    """One row per system: macro CoNLL F1 under the settings that CRAC publishes."""
    return official_table({name: comparison.suites[name] for name in comparison.ranked})


def compare_suite(
    keys: SuiteLike,
    *systems: Any,
    metrics: MetricSpec = "default",
    test: Test | None = None,
    trials: int | None = None,
    correction: Correction | None = None,
    alpha: float | None = None,
    seed: int = 0,
    baseline: str | None = None,
    scheme: Scheme | None = None,
    replicates: int | None = None,
    kinds: KindSpec = "auto",
    key_format: str | None = None,
    response_format: str | None = None,
    jobs: int | None = None,
    official: bool = False,
    scorer: str | None = None,
    tool: str | None = None,
    progress: Progress = silent,
    **settings: Unpack[RequestOptions],
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
    plan = Plan.of(
        settings.get("preset"),
        test=test,
        trials=trials,
        correction=correction,
        alpha=alpha,
        seed=seed,
        baseline=baseline,
        scheme=scheme,
        replicates=replicates,
    )
    if plan.scheme == "pooled":
        raise UsageError(
            "documents of a suite are swapped within data sets, and cannot be pooled",
            remedy="Use --scheme paired.",
        )
    named = named_suites(systems)
    check_systems(list(named), plan)
    suite = Suite.of(keys, named, key_format, response_format)
    options = {"kinds": kinds, "scorer": scorer_of(scorer, tool), **settings}
    suites = scored_suites(
        suite, metrics, options, plan, official=official, jobs=jobs, progress=progress
    )
    return compare_suites(suites, plan, warnings=suite.warnings, progress=progress)


def named_suites(systems: tuple[Any, ...]) -> dict[str, SuiteLike]:
    """Suites by name: a dict names them itself, a folder or file is named after itself."""
    if len(systems) == 1 and isinstance(systems[0], Mapping):
        return {str(name): suite for name, suite in systems[0].items()}
    return dict(zip(names_of(systems, "system"), systems, strict=True))


def compare_suites(
    suites: Mapping[str, SuiteScores],
    plan: Plan,
    *,
    warnings: tuple[str, ...] = (),
    progress: Progress = silent,
) -> SuiteComparison:
    """Compare systems that were scored on the same suite."""
    macro = {name: suite.macro for name, suite in suites.items()}
    compared = compare_scores(macro, plan, progress=progress)
    said = [
        reworded(warning, f"{name}: {warning}")
        for name, suite in suites.items()
        for warning in suite.warnings
    ]
    sizes = next(iter(macro.values())).sizes
    few = {name: size for name, size in sizes.items() if size < NARROW}
    if few:
        listed = ", ".join(f"{name} ({size})" for name, size in list(few.items())[:5])
        more = f" and {len(few) - 5} more" if len(few) > 5 else ""
        text = (
            f"Data sets with fewer than {NARROW} documents: {listed}{more}. Their variance is "
            "poorly known, so that confidence intervals may be too narrow; a data set of one "
            "document adds nothing to them."
        )
        said.append(Caution(text, "small-data-sets", documents=few))
    known = {one.name: getattr(compared, one.name) for one in fields(Comparison)}
    known |= {
        "warnings": (*warnings, *said, *compared.warnings),
        "parts": tuple(_data_set_standings(suites)),
    }
    return SuiteComparison(**known, suites=dict(suites))


def _data_set_standings(suites: Mapping[str, SuiteScores]) -> list[PartStanding]:
    first = next(iter(suites.values()))
    return [
        PartStanding(
            BY,
            data_set,
            metric,
            name,
            suite.score(data_set, metric),
            suite.intervals.get((data_set, metric)),
        )
        for data_set in first.data_sets
        for metric in first
        for name, suite in suites.items()
    ]
