"""Tables and charts of a comparison."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from corefine.comparing.comparison import (
    CORRECTION_TITLES,
    Comparison,
    Difference,
    PartDifference,
    without_nan,
)
from corefine.comparing.plan import adjust
from corefine.comparing.ranking import ranks_and_letters
from corefine.corpus.arrays import FloatArray
from corefine.metrics.registry import leading, title_of
from corefine.output.grid import Column, Grid, Marked, Unit, Value
from corefine.output.plain_text import counted
from corefine.output.result import Tables
from corefine.scoring.resampling import F1
from corefine.scoring.tables import (
    NOT_APPLICABLE,
    conll_text,
    documents_text,
    metric_columns,
    paper_grid,
    paper_metrics,
)

if TYPE_CHECKING:
    from corefine.output.charts import Figure

Source = str | Callable[[Any], Value]
SIGNIFICANT = "*"
UNITS: tuple[Unit, ...] = ("percent", "difference")
LOW_HIGH = {unit: (Column("low", unit), Column("high", unit)) for unit in UNITS}
"""Columns of the ends of an interval, by unit."""
ENDS: dict[str, dict[Column, Source]] = {
    unit: {
        low: lambda one: one.interval and one.interval.low,
        high: lambda one: one.interval and one.interval.high,
    }
    for unit, (low, high) in LOW_HIGH.items()
}
"""Columns of the ends of an interval, with their values in a standing or a difference."""
SCORES: dict[Column, Source] = {
    Column("metric"): "metric",
    Column("system"): "system",
    Column("P", "percent", "precision"): "score.precision",
    Column("R", "percent", "recall"): "score.recall",
}


def summary_grid(comparison: Comparison) -> Grid:
    """One row per system, by descending headline metric: F1 with letters or marks."""
    plan, metrics = comparison.plan, leading(comparison.metrics, comparison.headline)
    best = {metric: max(comparison.column(metric)) for metric in metrics}
    rows: list[tuple[Value, ...]] = []
    for system in comparison.ranked:
        row: list[Value] = [system]
        for metric in metrics:
            one = comparison.standing(system, metric)
            mark = _mark(comparison, system, metric) if one.letters is None else one.letters
            marked = Marked(one.f1, mark, one.score.f1 == best[metric])
            row.append(marked if one.applicable else Marked(None, NOT_APPLICABLE))
        rows.append(tuple(row))
    corrected = "corrected p" if plan.corrected else "p"
    note = (
        f"Systems that share a letter do not differ significantly ({corrected} > {plan.alpha:g})."
    )
    if plan.baseline is not None:
        note = f"{SIGNIFICANT} differs significantly from {plan.baseline} "
        note += f"({corrected} ≤ {plan.alpha:g})."
    columns = metric_columns(metrics)
    title = f"F1 of {len(rows)} systems on {counted(len(comparison.documents), 'document')}"
    return Grid((Column("system"), *columns), rows, title, (note, comparison.signature))


def _mark(comparison: Comparison, system: str, metric: str) -> str:
    baseline = comparison.plan.baseline
    if baseline is None or system == baseline:
        return ""
    return SIGNIFICANT if comparison.difference(system, baseline, metric).significant else ""


def difference_grid(comparison: Comparison) -> Grid:
    """One row per metric for two systems: their F1, the difference, its interval and p."""
    first, second = comparison.ranked
    f1 = {(one.metric, one.system): one.score.f1 for one in comparison.standings}
    rows: list[tuple[Value, ...]] = []
    for found, applicable in comparison.between(first, second):
        if not applicable:
            rows.append((found.metric, *[Marked(None, NOT_APPLICABLE)] * 3, *[None] * 4))
            continue
        rows.append(
            (
                found.metric,
                Marked(f1[found.metric, first], best=found.difference > 0),
                Marked(f1[found.metric, second], best=found.difference < 0),
                _marked(found),
                *(found.interval or (None, None)),
                found.p,
                found.adjusted_p,
            )
        )
    columns = (
        Column("metric"),
        Column(first, "percent", "first", priority=1),
        Column(second, "percent", "second", priority=2),
        Column("difference", "difference"),
        *LOW_HIGH["difference"],
        Column("p", "p"),
        Column("corrected", "p", "adjusted_p", priority=3),
    )
    plan = comparison.plan
    marks = f"{SIGNIFICANT} significant: p ≤ {plan.alpha:g}, uncorrected."
    if plan.corrected:
        marks = f"{SIGNIFICANT} significant: p corrected ({CORRECTION_TITLES[plan.correction]}, "
        marks += f"{comparison.comparisons:,} comparisons) ≤ {plan.alpha:g}."
    note = f"{marks} low, high: {plan.percent} confidence interval, uncorrected."
    title = f"F1 of {first} and {second} on {counted(len(comparison.documents), 'document')}"
    return Grid(columns, rows, title, (note, comparison.signature))


def _marked(found: Difference | PartDifference) -> Marked:
    """A difference; a significant one is marked and coloured."""
    if not found.significant:
        return Marked(found.difference)
    return Marked(found.difference, SIGNIFICANT, tone="good" if found.difference > 0 else "bad")


def scores_grid(comparison: Comparison) -> Grid:
    """One row per metric and system: P, R, F1 with its interval, rank and letters."""
    return Grid.of(
        comparison.standings,
        {
            **SCORES,
            Column("F1", "percent", "f1"): lambda one: (
                one.f1 if one.applicable else Marked(None, NOT_APPLICABLE)
            ),
            **ENDS["percent"],
            Column("rank", "integer"): "rank",
            Column("letters"): lambda one: one.letters or "",
        },
        f"Scores, with {comparison.plan.percent} intervals of F1 (bootstrap over "
        f"documents{'' if comparison.runs is None else ' and runs'})",
    )


def pairs_grid(comparison: Comparison) -> Grid:
    """One row per metric and pair: difference, interval, p, effect and detectable difference."""
    plan = comparison.plan
    return Grid.of(
        comparison.differences,
        {
            Column("metric"): "metric",
            Column("first"): "first",
            Column("second"): "second",
            Column("difference", "difference"): _marked,
            **ENDS["difference"],
            Column("p", "p"): "p",
            Column("corrected", "p", "adjusted_p"): "adjusted_p",
            Column("effect", "decimal", "effect_size", priority=2): "effect_size",
            Column("detectable", "percent", priority=1): "detectable",
        },
        "Differences in F1, first minus second",
        (
            f"{SIGNIFICANT} corrected p ≤ {plan.alpha:g} ({plan.correction}).",
            "effect: difference in standard deviations over documents.",
            "detectable: smallest true difference detected with 80% power on this corpus.",
        ),
    )


def tau_grid(comparison: Comparison) -> Grid:
    """τ between metrics over systems."""
    title = f"Kendall's τ over {len(comparison.systems)} systems"
    return _matrix(comparison, comparison.system_tau, title)


def document_tau_grid(comparison: Comparison) -> Grid:
    """τ between metrics over documents."""
    over = counted(len(comparison.documents), "document")
    title = f"Kendall's τ over {over}, averaged over systems"
    return _matrix(comparison, mean_document_tau(comparison), title)


def mean_document_tau(comparison: Comparison) -> FloatArray:
    """Mean of τ over documents, of the systems for which it is defined."""
    known = ~np.isnan(comparison.document_tau)
    total = np.where(known, comparison.document_tau, 0.0).sum(axis=0)
    count = known.sum(axis=0)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


def _matrix(comparison: Comparison, matrix: FloatArray, title: str) -> Grid:
    """One row per metric with τ to every metric."""
    names = comparison.metrics
    rows = [(name, *row) for name, row in zip(names, without_nan(matrix), strict=True)]
    columns = (Column("metric"), *(Column(name, "decimal", name) for name in names))
    return Grid(columns, rows, title)


def disagreements_grid(comparison: Comparison) -> Grid:
    """One row per two metrics and two systems that they rank differently."""
    found = comparison.disagreements
    return Grid.of(
        found,
        {
            Column("metric"): "metric",
            Column("against"): "opposing",
            Column("better"): "better",
            Column("worse"): "worse",
            Column("difference", "difference"): "difference",
            Column("other difference", "difference", "opposing_difference"): "opposing_difference",
            Column("both significant", name="both_significant"): lambda one: (
                "yes" if one.both_significant else "no"
            ),
        },
        "Pairs of systems ranked differently by two metrics",
        () if found else ("All metrics rank all systems alike.",),
    )


def documents_grid(comparison: Comparison) -> Grid:
    """One row per document and system, with the F1 of each metric."""
    metrics = leading(comparison.metrics, comparison.headline)
    values = {metric: comparison.document_scores(metric) for metric in metrics}
    rows: list[tuple[Value, ...]] = [
        (document, system, *(float(column[row, number]) for column in values.values()))
        for number, document in enumerate(comparison.documents)
        for row, system in enumerate(comparison.systems)
    ]
    columns = (Column("document"), Column("system"), *metric_columns(metrics))
    return Grid(columns, rows, "F1 by document")


def runs_grid(comparison: Comparison) -> Grid:
    """One row per metric and system: number of runs, mean, deviation, extremes, interval."""
    runs = comparison.runs
    assert runs is not None
    rows: list[tuple[Value, ...]] = []
    for column, metric in enumerate(comparison.metrics):
        for row, system in enumerate(comparison.systems):
            f1 = runs.values[runs.members[row], column, F1]
            values = [f1.mean(), np.sqrt(runs.variances[row, column]), f1.min(), f1.max()]
            known = [None if np.isnan(value) else float(value) for value in values]
            interval = comparison.standing(system, metric).interval or (None, None)
            rows.append((metric, system, len(f1), *known, *interval))
    numbers = ("mean", "deviation", "lowest", "highest")
    columns = [Column("metric"), Column("system"), Column("runs", "integer")]
    columns += [*(Column(name, "percent") for name in numbers), *LOW_HIGH["percent"]]
    notes = (
        f"low, high: {comparison.plan.percent} interval of the mean, over documents and runs.",
        "τ and scores per document use the mean statistics of the runs.",
    )
    return Grid(tuple(columns), rows, "F1 of several runs", notes)


def breakdown_grid(comparison: Comparison, by: str) -> Grid:
    """One row per group, metric and system, with the interval of F1."""
    return Grid.of(
        [one for one in comparison.parts if one.by == by],
        {Column(by): "group", **SCORES, Column("F1", "percent", "f1"): "score.f1",
         **ENDS["percent"]},
        f"By {by}, with {comparison.plan.percent} confidence intervals of F1 (bootstrap over "
        "documents)",
    )  # fmt: skip


def part_pairs_grid(comparison: Comparison, by: str) -> Grid:
    """One row per group, metric and pair: the difference in F1 and its corrected p."""
    plan, found = comparison.plan, comparison.part_differences
    return Grid.of(
        [one for one in found if one.by == by],
        {
            Column(by): "group",
            Column("metric"): "metric",
            Column("first"): "first",
            Column("second"): "second",
            Column("documents", "integer", priority=1): "documents",
            Column("difference", "difference"): _marked,
            Column("p", "p"): "p",
            Column("corrected", "p", "adjusted_p"): "adjusted_p",
        },
        f"Differences in F1 by {by}",
        (
            (
                f"{SIGNIFICANT} significant: p corrected ({plan.correction}, {len(found):,} "
                f"comparisons: groups × metrics × pairs) ≤ {plan.alpha:g}."
            ),
        ),
    )


def paper_grid_of(comparison: Comparison) -> Grid:
    """One row per system: P, R and F₁ by metric, with marks of significance and a caption."""
    first = next(iter(comparison.scores.values()))
    metrics = paper_metrics(first.metrics.values())
    comparison = _corrected_over(comparison, metrics)
    rows = {
        system: [
            (comparison.standing(system, metric).score, _paper_mark(comparison, system, metric))
            for metric in metrics
        ]
        for system in comparison.systems
    }
    caption = (
        f"Precision (P), recall (R) and F₁ (%) of {len(comparison.systems)} systems on "
        f"{documents_text(len(comparison.documents))}; best in bold.{conll_text(metrics)} "
        f"{_meaning(comparison)} ({_test(comparison)})."
    )
    spreads = None
    if comparison.runs is not None:
        caption += " F₁ is the mean of the runs ± their standard deviation."
        deviations = np.sqrt(comparison.runs.variances)
        columns = [comparison.metrics.index(metric) for metric in metrics]
        spreads = dict(zip(comparison.systems, without_nan(deviations[:, columns]), strict=True))
    return paper_grid(list(metrics.values()), rows, caption, comparison.signature, spreads)


def _corrected_over(comparison: Comparison, metrics: Collection[str]) -> Comparison:
    """Correct p for the tests of these metrics alone: a paper's table shows no others."""
    plan = comparison.plan
    names = [name for name in comparison.metrics if name in metrics]
    shown = [one for one in comparison.differences if one.metric in metrics]
    adjusted = adjust([math.nan if one.p is None else one.p for one in shown], plan.correction)
    differences = [
        replace(
            one, adjusted_p=None if math.isnan(value) else value, significant=value <= plan.alpha
        )
        for one, value in zip(shown, adjusted.tolist(), strict=True)
    ]
    standings = comparison.standings
    if plan.baseline is None:
        f1 = np.array([comparison.column(name) for name in names]).T
        p = adjusted.reshape(len(names), -1).T
        marked = ranks_and_letters(f1, comparison.panel.pairs(), p, plan.alpha)
        marks = {
            (metric, system): mark
            for metric, of in zip(names, marked, strict=True)
            for system, (_, mark) in zip(comparison.systems, of, strict=True)
        }
        standings = tuple(
            replace(one, letters=marks.get((one.metric, one.system), one.letters))
            for one in standings
        )
    return replace(comparison, differences=tuple(differences), standings=standings)


def _paper_mark(comparison: Comparison, system: str, metric: str) -> str:
    if comparison.plan.baseline is not None:
        return _mark(comparison, system, metric)
    if len(comparison.systems) > 2:
        return comparison.standing(system, metric).letters or ""
    other = next(name for name in comparison.systems if name != system)
    found = comparison.difference(system, other, metric)
    return SIGNIFICANT if found.significant and found.difference > 0 else ""


def _meaning(comparison: Comparison) -> str:
    if comparison.plan.baseline is not None:
        return f"{SIGNIFICANT} differs significantly from {comparison.plan.baseline}"
    if len(comparison.systems) == 2:
        return f"{SIGNIFICANT} significantly better than the other system"
    return "Systems that share a letter do not differ significantly"


def _test(comparison: Comparison) -> str:
    plan = comparison.plan
    if plan.test == "bootstrap":
        test = f"paired bootstrap, {plan.trials:,} samples"
    elif comparison.exact:
        test = f"exact {plan.scheme} randomization"
    else:
        test = f"approximate {plan.scheme} randomization, {comparison.shuffles:,} permutations"
    corrected = "no correction for multiple comparisons"
    if plan.corrected:
        name = CORRECTION_TITLES[plan.correction]
        corrected = f"{name} correction over {comparison.comparisons:,} comparisons"
    return f"{test}, {corrected}, α = {plan.alpha:g}"


TABLES: Tables = {
    "summary": summary_grid,
    "difference": difference_grid,
    "scores": scores_grid,
    "pairs": pairs_grid,
    "tau": tau_grid,
    "document-tau": document_tau_grid,
    "disagreements": disagreements_grid,
    "documents": documents_grid,
    "runs": runs_grid,
}
"""Functions from a comparison to a table, by name."""


def comparison_figures(comparison: Comparison) -> dict[str, Figure]:
    """Charts by file name without suffix."""
    return {
        "intervals": intervals_figure(comparison),
        "tau-systems": tau_figure(
            comparison,
            comparison.system_tau,
            f"{len(comparison.systems)} systems",
            "Kendall's τ-b between metrics: 1 if both rank all systems alike.",
        ),
        "tau-documents": tau_figure(
            comparison,
            mean_document_tau(comparison),
            f"{len(comparison.documents)} documents",
            "Kendall's τ-b between metrics over documents, averaged over systems.",
        ),
    }


def intervals_figure(comparison: Comparison) -> Figure:
    """F1 of every system under every metric, with confidence intervals."""
    from corefine.output.charts import Series, dot_chart

    series = []
    for system in comparison.systems:
        standings = [comparison.standing(system, metric) for metric in comparison.metrics]
        f1 = [one.score.f1 for one in standings]
        series.append(Series.of(system, f1, [one.interval for one in standings]))
    plan = comparison.plan
    return dot_chart(
        "F1 by system",
        list(map(title_of, comparison.metrics)),
        series,
        description=f"F1 with {plan.percent} confidence intervals, from {plan.resamples:,} "
        f"bootstrap samples of {len(comparison.documents)} documents.",
        value_title="F1 (%)",
        first="metric",
    )


def tau_figure(comparison: Comparison, tau: FloatArray, over: str, description: str) -> Figure:
    """τ between metrics over systems or documents."""
    from corefine.output.charts import heat_map

    titles = list(map(title_of, comparison.metrics))
    return heat_map(
        f"Agreement of metrics on {over}",
        titles,
        titles,
        without_nan(tau),
        unit="decimal",
        limits=(-1, 1),
        description=description,
        first="metric",
    )
