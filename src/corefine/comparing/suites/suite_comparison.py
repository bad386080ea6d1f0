"""``corefine.compare_suite``: several systems on many data sets.

What is compared is the macro average over data sets. Documents are swapped between two systems, or
drawn, within data sets, so that every data set keeps its weight.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Unpack

from corefine.comparing.breakdowns import PartStanding, part_grid
from corefine.comparing.comparison import Comparison
from corefine.comparing.multiple_testing import Correction
from corefine.comparing.plan import Plan, Test
from corefine.comparing.randomization import Scheme
from corefine.comparing.suites.counting import count_suite
from corefine.comparing.suites.data_sets import Suite, SuiteLike
from corefine.comparing.suites.suite_panel import SuitePanel
from corefine.comparing.suites.suite_scores import SuiteScores
from corefine.comparing.systems import check_systems, compare_scores
from corefine.errors import UsageError
from corefine.kinds.kind_plan import KindSpec
from corefine.metrics.registry import MetricSpec
from corefine.output.grid import Column, Grid, Value
from corefine.output.progress import Progress, silent
from corefine.output.result import Tables
from corefine.scoring.request import Request, RequestOptions
from corefine.scoring.sides import names_of

BY = "data set"


@dataclass(frozen=True, eq=False, repr=False)
class SuiteComparison(Comparison):
    """A comparison of systems on a suite, as returned by :func:`corefine.compare_suite`.

    Scores, differences and tests refer to the macro average. In addition to the tables of
    :class:`corefine.Comparison` there are ``averages`` and ``data-sets``.

    >>> key = {"en": {"d": [[1, 2, 3]]}, "cs": {"d": [[1, 2]]}}
    >>> compare_suite(key, {"a": key, "b": key}, metrics="lea", trials=9, replicates=9).systems
    ('a', 'b')
    """

    suites: Mapping[str, SuiteScores] = field(default_factory=dict)
    """The scores of every system by data set."""

    @property
    def data_sets(self) -> tuple[str, ...]:
        """The names of the data sets."""
        return tuple(next(iter(self.suites.values())).data_sets)

    def to_dict(self, *, documents: bool = False) -> dict[str, Any]:
        """As of a comparison, with the scores of every system by data set."""
        result = super().to_dict(documents=documents)
        result["suites"] = {name: suite.to_dict() for name, suite in self.suites.items()}
        return result

    def table_functions(self) -> Tables:
        tables = dict(super().table_functions())
        tables.pop("sensitivity", None)
        return {**tables, "averages": averages_grid, "data-sets": data_sets_grid}

    @property
    def default_tables(self) -> tuple[str, ...]:
        return (*super().default_tables, "averages", "data-sets")


def averages_grid(comparison: SuiteComparison) -> Grid:
    """One row a system and metric: the macro average and the micro average."""
    rows: list[tuple[Value, ...]] = [
        (metric, name, suite.macro.by_name[metric].f1, suite.micro.by_name[metric].f1,
         len(suite.missing))
        for metric in comparison.metrics
        for name, suite in comparison.suites.items()
    ]  # fmt: skip
    columns = (
        Column("metric"),
        Column("system"),
        Column("macro F1", "percent", "macro_f1"),
        Column("micro F1", "percent", "micro_f1"),
        Column("missing", "integer"),
    )
    count = len(comparison.data_sets)
    note = "missing: data sets without a response, which count as 0."
    return Grid(columns, rows, f"Averages over {count:,} data sets", (note,))


def data_sets_grid(comparison: SuiteComparison) -> Grid:
    """One row a data set, metric and system, with the interval of F1."""
    return part_grid(comparison.parts, BY, comparison.plan.confidence)


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
    progress: Progress = silent,
    **settings: Unpack[RequestOptions],
) -> SuiteComparison:
    """Compare the responses of several systems to the keys of many data sets.

    Keys and systems are as for :func:`corefine.score_suite`, systems one after another or in a dict
    by name; all else is as for :func:`corefine.compare`.

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
            "a suite is tested within data sets: documents cannot be pooled",
            remedy="Use --scheme paired.",
        )
    named = named_suites(systems)
    check_systems(list(named), plan)
    request = Request.of(metrics, kinds=kinds, **settings)
    suite = Suite.of(keys, named, key_format, response_format)
    counts = count_suite(suite, request, jobs=jobs, progress=progress)
    suites = {
        name: SuiteScores.of(
            {data_set: found[number] for data_set, found in counts.items()},
            [one.name for one in suite.data_sets if one.responses[number] is None],
            plan,
        )
        for number, name in enumerate(suite.systems)
    }
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
    panel = SuitePanel.of_suites(suites)
    macro = {name: suite.macro for name, suite in suites.items()}
    compared = compare_scores(macro, plan, panel=panel, progress=progress)
    said = [f"{name}: {warning}" for name, suite in suites.items() for warning in suite.warnings]
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
            BY, data_set, metric, name, suite.score(data_set, metric),
            suite.intervals.get((data_set, metric)),
        )
        for data_set in first.data_sets
        for metric in first
        for name, suite in suites.items()
    ]  # fmt: skip
