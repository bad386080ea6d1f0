"""Tables and charts of a comparison."""

from __future__ import annotations

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
from corefine.comparing.ranking import letter
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
ENDS: dict[str, dict[Column, Source]] = {
    unit: {
        Column("low", unit): lambda one: one.interval and one.interval.low,
        Column("high", unit): lambda one: one.interval and one.interval.high,
    }
    for unit in UNITS
}
"""Columns of the ends of an interval, by unit, with their values in a standing or a difference."""
SCORES: dict[Column, Source] = {
    Column("metric"): "metric",
    Column("system"): "system",
    Column("P", "percent", "precision"): "score.precision",
    Column("R", "percent", "recall"): "score.recall",
}
PAIR: dict[Column, Source] = {
    Column("metric"): "metric",
    Column("first"): "first",
    Column("second"): "second",
}
P_VALUES: dict[Column, Source] = {
    Column("p", "p"): "p",
    Column("corrected", "p", "adjusted_p"): "adjusted_p",
}


def summary_grid(comparison: Comparison) -> Grid:
    """One row per system, by descending headline metric: F1 with letters or marks."""
    plan, metrics = comparison.plan, leading(comparison.metrics, comparison.headline)
    best = {metric: max(comparison.column(metric)) for metric in metrics}

    def cell(system: str, metric: str) -> Marked:
        one = comparison.standing(system, metric)
        if not one.applicable:
            return Marked(None, NOT_APPLICABLE)
        mark = _mark(comparison, system, metric) if one.letters is None else one.letters
        return Marked(one.f1, mark, one.score.f1 == best[metric])

    rows: list[tuple[Value, ...]] = [
        (system, *(cell(system, metric) for metric in metrics)) for system in comparison.ranked
    ]
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
    """The mark of a system that differs significantly from the baseline."""
    baseline = comparison.plan.baseline
    if baseline is None or system == baseline:
        return ""
    return SIGNIFICANT if comparison.difference(system, baseline, metric).significant else ""


def difference_grid(comparison: Comparison) -> Grid:
    """One row per metric for two systems: their F1, the difference, its interval and p."""
    first, second = comparison.ranked
    standings = {(one.metric, one.system): one for one in comparison.standings}
    rows: list[tuple[Value, ...]] = []
    for found in comparison.between(first, second):
        one, other = standings[found.metric, first], standings[found.metric, second]
        if not one.applicable:
            rows.append((found.metric, *[Marked(None, NOT_APPLICABLE)] * 3, *[None] * 4))
            continue
        better = found.difference > 0, found.difference < 0
        f1 = Marked(one.score.f1, best=better[0]), Marked(other.score.f1, best=better[1])
        ends = found.interval or (None, None)
        rows.append((found.metric, *f1, _marked(found), *ends, found.p, found.adjusted_p))
    columns = (
        Column("metric"),
        Column(first, "percent", "first", priority=1),
        Column(second, "percent", "second", priority=2),
        Column("difference", "difference"),
        *ENDS["difference"],
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
            **PAIR,
            Column("difference", "difference"): _marked,
            **ENDS["difference"],
            **P_VALUES,
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
    """Mean of τ between metrics over documents, of the systems for which it is defined."""
    known = ~np.isnan(comparison.document_tau)
    total, count = comparison.document_tau.sum(axis=0, where=known), known.sum(axis=0)
    mean = np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)
    over = counted(len(comparison.documents), "document")
    return _matrix(comparison, mean, f"Kendall's τ over {over}, averaged over systems")


def _matrix(comparison: Comparison, matrix: FloatArray, title: str) -> Grid:
    """One row per metric with τ to every metric."""
    names = comparison.metrics
    rows = [(name, *row) for name, row in zip(names, matrix.tolist(), strict=True)]
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
    values = np.array([comparison.document_scores(metric) for metric in metrics])
    rows = [
        (document, system, *values[:, row, number].tolist())
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
            deviation = float(np.sqrt(runs.variances[row, column]))
            numbers = float(f1.mean()), deviation, float(f1.min()), float(f1.max())
            interval = comparison.standing(system, metric).interval or (None, None)
            rows.append((metric, system, len(f1), *numbers, *interval))
    titles = ("mean", "deviation", "lowest", "highest")
    columns = [Column("metric"), Column("system"), Column("runs", "integer")]
    columns += [*(Column(name, "percent") for name in titles), *ENDS["percent"]]
    notes = (
        f"low, high: {comparison.plan.percent} interval of the mean, over documents and runs.",
        "τ and scores per document use the mean statistics of the runs.",
    )
    return Grid(tuple(columns), rows, "F1 of several runs", notes)


def breakdown_grid(comparison: Comparison, by: str) -> Grid:
    """One row per group, metric and system, with the interval of F1."""
    ends = ENDS["percent"]
    return Grid.of(
        [one for one in comparison.parts if one.by == by],
        {Column(by): "group", **SCORES, Column("F1", "percent", "f1"): "score.f1", **ends},
        f"By {by}, with {comparison.plan.percent} confidence intervals of F1 (bootstrap over "
        "documents)",
    )


def part_pairs_grid(comparison: Comparison, by: str) -> Grid:
    """One row per group, metric and pair: the difference in F1 and its corrected p."""
    plan, found = comparison.plan, comparison.part_differences
    note = (
        f"{SIGNIFICANT} significant: p corrected ({plan.correction}, {len(found):,} "
        f"comparisons: groups × metrics × pairs) ≤ {plan.alpha:g}."
    )
    return Grid.of(
        [one for one in found if one.by == by],
        {
            Column(by): "group",
            **PAIR,
            Column("documents", "integer", priority=1): "documents",
            Column("difference", "difference"): _marked,
            **P_VALUES,
        },
        f"Differences in F1 by {by}",
        (note,),
    )


def paper_grid_of(comparison: Comparison) -> Grid:
    """One row per system: P, R and F₁ by metric, with marks of significance and a caption."""
    first = next(iter(comparison.scores.values()))
    metrics = paper_metrics(first.metrics.values())
    comparison = _corrected_over(comparison, metrics)
    meaning = "Systems that share a letter do not differ significantly"
    if comparison.plan.baseline is not None:
        meaning = f"{SIGNIFICANT} differs significantly from {comparison.plan.baseline}"
    elif len(comparison.systems) == 2:
        meaning = f"{SIGNIFICANT} significantly better than the other system"
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
        f"{meaning} ({_test(comparison)})."
    )
    spreads = None
    if comparison.runs is not None:
        caption += " F₁ is the mean of the runs ± their standard deviation."
        columns = [comparison.metrics.index(metric) for metric in metrics]
        deviations = without_nan(np.sqrt(comparison.runs.variances)[:, columns])
        spreads = dict(zip(comparison.systems, deviations, strict=True))
    return paper_grid(list(metrics.values()), rows, caption, comparison.signature, spreads)


def _corrected_over(comparison: Comparison, metrics: Collection[str]) -> Comparison:
    """Correct p for the tests of these metrics alone: a paper's table shows no others."""
    plan = comparison.plan
    shown = [one for one in comparison.differences if one.metric in metrics]
    tested = {one: one.p for one in shown if one.p is not None}
    adjusted = adjust(list(tested.values()), plan.correction).tolist()
    differences = [
        replace(one, adjusted_p=p, significant=p <= plan.alpha)
        for one, p in zip(tested, adjusted, strict=True)
    ]
    return replace(comparison, differences=tuple(differences))


def _paper_mark(comparison: Comparison, system: str, metric: str) -> str:
    if all(one.metric != metric for one in comparison.differences):
        return ""  # not tested
    if comparison.plan.baseline is not None:
        return _mark(comparison, system, metric)
    if len(comparison.systems) > 2:
        groups = enumerate(comparison.groups(metric))
        return "".join(letter(number) for number, group in groups if system in group)
    other = next(name for name in comparison.systems if name != system)
    found = comparison.difference(system, other, metric)
    return SIGNIFICANT if found.significant and found.difference > 0 else ""


def _test(comparison: Comparison) -> str:
    """The test, its correction and its level in words."""
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


def intervals_figure(comparison: Comparison) -> Figure:
    """F1 of every system under every metric, with confidence intervals."""
    from corefine.output.charts import Series, dot_chart

    series = []
    for system in comparison.systems:
        standings = [comparison.standing(system, metric) for metric in comparison.metrics]
        f1 = [one.score.f1 for one in standings]
        series.append(Series(system, f1, [one.interval for one in standings]))
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
