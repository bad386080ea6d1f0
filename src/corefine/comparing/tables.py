"""Tables of a comparison."""

from __future__ import annotations

from typing import Literal

import numpy as np

from corefine.comparing.comparison import CORRECTIONS, Comparison, without_nan
from corefine.comparing.standings import Interval
from corefine.corpus.arrays import FloatArray
from corefine.output.grid import Column, Grid, Marked, Value
from corefine.output.result import Tables
from corefine.scoring.resampling import F1
from corefine.scoring.tables import conll_text, documents_text, paper_grid, paper_metrics

SIGNIFICANT = "*"
NOT_APPLICABLE = "–"


def summary_grid(comparison: Comparison) -> Grid:
    """One row per system, by descending headline metric: F1 with letters or marks."""
    plan, headline = comparison.plan, comparison.headline
    metrics = sorted(comparison.metrics, key=lambda metric: metric != headline)
    best = {
        metric: max(one.score.f1 for one in comparison.standings if one.metric == metric)
        for metric in metrics
    }
    rows: list[tuple[Value, ...]] = []
    for system in comparison.ranked:
        row: list[Value] = [system]
        for metric in metrics:
            standing = comparison.standing(system, metric)
            mark = (
                _mark(comparison, system, metric)
                if standing.letters is None
                else (standing.letters)
            )
            if not standing.applicable:
                row.append(Marked(None, NOT_APPLICABLE))
            else:
                row.append(Marked(standing.f1, mark, standing.score.f1 == best[metric]))
        rows.append(tuple(row))
    corrected = "corrected p" if plan.corrected else "p"
    if plan.baseline is None:
        note = "Systems that share a letter do not differ significantly"
        note += f" ({corrected} > {plan.alpha:g})."
    else:
        note = f"{SIGNIFICANT} differs significantly from {plan.baseline}"
        note += f" ({corrected} ≤ {plan.alpha:g})."
    columns = [Column("system")]
    for number, metric in enumerate(metrics):
        columns.append(Column(metric, "percent", metric, priority=number))
    title = f"F1 of {len(rows)} systems on {_counted(len(comparison.documents))}"
    return Grid(tuple(columns), rows, title, (note, comparison.signature))


def _mark(comparison: Comparison, system: str, metric: str) -> str:
    baseline = comparison.plan.baseline
    if baseline is None or system == baseline:
        return ""
    return SIGNIFICANT if comparison.difference(system, baseline, metric).significant else ""


def difference_grid(comparison: Comparison) -> Grid:
    """One row per metric for two systems: their F1, the difference, its interval and p."""
    first, second = comparison.ranked
    rows: list[tuple[Value, ...]] = []
    headline = comparison.headline
    for metric in sorted(comparison.metrics, key=lambda metric: metric != headline):
        found = comparison.difference(first, second, metric)
        if not comparison.standing(first, metric).applicable:
            rows.append((metric, *[Marked(None, NOT_APPLICABLE)] * 3, *[None] * 4))
            continue
        tone: Literal["", "good", "bad"] = ""
        if found.significant:
            tone = "good" if found.difference > 0 else "bad"
        rows.append(
            (
                metric,
                Marked(comparison.standing(first, metric).f1, best=found.difference > 0),
                Marked(comparison.standing(second, metric).f1, best=found.difference < 0),
                Marked(found.difference, SIGNIFICANT if found.significant else "", tone=tone),
                _end(found.interval, 0),
                _end(found.interval, 1),
                found.p,
                found.adjusted_p,
            )
        )
    columns = (
        Column("metric"),
        Column(first, "percent", "first", priority=1),
        Column(second, "percent", "second", priority=2),
        Column("difference", "difference"),
        Column("low", "difference"),
        Column("high", "difference"),
        Column("p", "number"),
        Column("corrected", "number", "adjusted_p", priority=3),
    )
    plan = comparison.plan
    intervals = f"low, high: {100 * plan.confidence:g}% confidence interval, uncorrected."
    if plan.corrected:
        marks = f"{SIGNIFICANT} significant: p corrected ({CORRECTIONS[plan.correction]}, "
        marks += f"{comparison.comparisons:,} comparisons) ≤ {plan.alpha:g}."
    else:
        marks = f"{SIGNIFICANT} significant: p ≤ {plan.alpha:g}, uncorrected."
    title = f"F1 of {first} and {second} on {_counted(len(comparison.documents))}"
    return Grid(columns, rows, title, (f"{marks} {intervals}", comparison.signature))


def scores_grid(comparison: Comparison) -> Grid:
    """One row per metric and system: P, R, F1 with its interval, rank and letters."""
    return Grid.of(
        comparison.standings,
        {
            Column("metric"): "metric",
            Column("system"): "system",
            Column("P", "percent", "precision"): "score.precision",
            Column("R", "percent", "recall"): "score.recall",
            Column("F1", "percent", "f1"): lambda one: (
                one.f1 if one.applicable else Marked(None, NOT_APPLICABLE)
            ),
            Column("low", "percent"): lambda one: _end(one.interval, 0),
            Column("high", "percent"): lambda one: _end(one.interval, 1),
            Column("rank", "integer"): "rank",
            Column("letters"): lambda one: one.letters or "",
        },
        f"Scores, with {100 * comparison.plan.confidence:g}% intervals of F1 (bootstrap over "
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
            Column("difference", "difference"): lambda one: Marked(
                one.difference, SIGNIFICANT if one.significant else ""
            ),
            Column("low", "difference"): lambda one: _end(one.interval, 0),
            Column("high", "difference"): lambda one: _end(one.interval, 1),
            Column("p", "number"): "p",
            Column("corrected", "number", "adjusted_p"): "adjusted_p",
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


def system_tau_grid(comparison: Comparison) -> Grid:
    """τ between metrics over systems."""
    return tau_grid(
        comparison, comparison.system_tau, f"Kendall's τ over {len(comparison.systems)} systems"
    )


def document_tau_grid(comparison: Comparison) -> Grid:
    """τ between metrics over documents."""
    return tau_grid(
        comparison,
        mean_document_tau(comparison),
        f"Kendall's τ over {_counted(len(comparison.documents))}, averaged over systems",
    )


def mean_document_tau(comparison: Comparison) -> FloatArray:
    """Mean of τ over documents, of the systems for which it is defined."""
    known = ~np.isnan(comparison.document_tau)
    total = np.where(known, comparison.document_tau, 0.0).sum(axis=0)
    count = known.sum(axis=0)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


def tau_grid(comparison: Comparison, matrix: FloatArray, title: str) -> Grid:
    """One row per metric with τ to every metric."""
    rows: list[tuple[Value, ...]] = [
        (metric, *row) for metric, row in zip(comparison.metrics, without_nan(matrix), strict=True)
    ]
    columns = (Column("metric"), *(Column(name, "decimal", name) for name in comparison.metrics))
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
    values = {metric: comparison.document_scores(metric) for metric in comparison.metrics}
    rows: list[tuple[Value, ...]] = [
        (document, system, *(float(column[row, number]) for column in values.values()))
        for number, document in enumerate(comparison.documents)
        for row, system in enumerate(comparison.systems)
    ]
    columns = (Column(name, "percent", name) for name in comparison.metrics)
    return Grid((Column("document"), Column("system"), *columns), rows, "F1 by document")


def sensitivity_grid(comparison: Comparison) -> Grid:
    """One row per pair: its order under other scoring conventions."""
    assert comparison.sensitivity is not None
    return comparison.sensitivity.grid()


def runs_grid(comparison: Comparison) -> Grid:
    """One row per metric and system: number of runs, mean, deviation, extremes, interval."""
    runs = comparison.runs
    assert runs is not None
    rows: list[tuple[Value, ...]] = []
    for column, metric in enumerate(comparison.metrics):
        for row, system in enumerate(comparison.systems):
            f1 = runs.values[runs.members[row], column, F1]
            deviation = float(np.sqrt(runs.variances[row, column]))
            interval = comparison.standing(system, metric).interval
            rows.append(
                (
                    metric,
                    system,
                    len(f1),
                    float(f1.mean()),
                    None if np.isnan(deviation) else deviation,
                    float(f1.min()),
                    float(f1.max()),
                    _end(interval, 0),
                    _end(interval, 1),
                )
            )
    numbers = ("mean", "deviation", "lowest", "highest", "low", "high")
    columns = [Column("metric"), Column("system"), Column("runs", "integer")]
    confidence = f"{100 * comparison.plan.confidence:g}%"
    notes = (
        f"low, high: {confidence} interval of the mean, over documents and runs.",
        "τ and scores per document use the mean statistics of the runs.",
    )
    columns += [Column(name, "percent") for name in numbers]
    return Grid(tuple(columns), rows, "F1 of several runs", notes)


def paper_grid_of(comparison: Comparison) -> Grid:
    """One row per system: P, R and F₁ by metric, with marks of significance and a caption."""
    first = next(iter(comparison.scores.values()))
    metrics = paper_metrics(first.metrics.values())
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
        f"{_meaning(comparison)} ({_test(comparison)}). "
        f"{comparison.verdict}"
    )
    return paper_grid(list(metrics.values()), rows, caption, comparison.signature)


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
        name = CORRECTIONS[plan.correction]
        corrected = f"{name} correction over {comparison.comparisons:,} comparisons"
    return f"{test}, {corrected}, α = {plan.alpha:g}"


def _counted(documents: int) -> str:
    return f"{documents:,} document{'' if documents == 1 else 's'}"


def _end(interval: Interval | None, side: int) -> float | None:
    return None if interval is None else interval[side]


TABLES: Tables = {
    "summary": summary_grid,
    "difference": difference_grid,
    "scores": scores_grid,
    "pairs": pairs_grid,
    "tau": system_tau_grid,
    "document-tau": document_tau_grid,
    "disagreements": disagreements_grid,
    "documents": documents_grid,
    "sensitivity": sensitivity_grid,
    "runs": runs_grid,
}
"""Functions from a comparison to a table, by name."""
