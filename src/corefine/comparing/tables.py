"""A comparison as tables: one for each question that a reader may have."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from corefine.comparing.comparison import Comparison, without_nan
from corefine.comparing.sensitivity import Order
from corefine.comparing.standings import Interval
from corefine.comparing.tau import Flips
from corefine.corpus.arrays import FloatArray
from corefine.errors import UsageError
from corefine.output.grid import Column, Grid, Marked, Unit, Value
from corefine.output.result import Tables
from corefine.scoring.resampling.panel import F1

Ends = Callable[[Any], Interval | None]

SIGNIFICANT = "*"
LISTED = 5
"""Documents, or choices, that are named in one cell."""


def summary_grid(comparison: Comparison) -> Grid:
    """One row a system: F1 by metric, the best one marked, with letters or marks."""
    plan = comparison.plan
    best = {
        metric: max(one.score.f1 for one in comparison.standings if one.metric == metric)
        for metric in comparison.metrics
    }
    rows: list[tuple[Value, ...]] = []
    for system in comparison.systems:
        row: list[Value] = [system]
        for metric in comparison.metrics:
            standing = comparison.standing(system, metric)
            mark = standing.letters
            if mark is None:
                mark = _mark(comparison, system, metric)
            row.append(Marked(standing.score.f1, mark, standing.score.f1 == best[metric]))
        rows.append(tuple(row))
    corrected = "corrected p" if plan.corrected else "p"
    if plan.baseline is None:
        note = "Systems that share a letter do not differ significantly"
        note += f" ({corrected} > {plan.alpha:g})."
    else:
        note = f"{SIGNIFICANT} differs significantly from {plan.baseline}"
        note += f" ({corrected} ≤ {plan.alpha:g})."
    return Grid(
        (Column("system"), *(Column(metric, "percent", metric) for metric in comparison.metrics)),
        rows,
        f"F1 of {len(comparison.systems)} systems on {_counted(len(comparison.documents))}",
        (note, comparison.signature),
    )


def _mark(comparison: Comparison, system: str, metric: str) -> str:
    baseline = comparison.plan.baseline
    if baseline is None or system == baseline:
        return ""
    return SIGNIFICANT if comparison.difference(system, baseline, metric).significant else ""


def scores_grid(comparison: Comparison) -> Grid:
    """One row a metric and system: P, R, F1, both intervals of F1, rank and letters."""
    return Grid.of(
        comparison.standings,
        {
            Column("metric"): "metric",
            Column("system"): "system",
            Column("P", "percent", "precision"): "score.precision",
            Column("R", "percent", "recall"): "score.recall",
            Column("F1", "percent", "f1"): "score.f1",
            **_intervals(
                "percent", lambda one: one.percentile.get("f1"), lambda one: one.bca.get("f1")
            ),
            Column("rank", "integer"): "rank",
            Column("letters"): lambda one: one.letters or "",
        },
        f"Scores, with {100 * comparison.plan.confidence:g}% intervals of F1 (bootstrap over "
        f"documents{'' if comparison.runs is None else ' and runs'})",
    )


def pairs_grid(comparison: Comparison) -> Grid:
    """One row a metric and pair: difference, intervals, p, effect and what could be detected."""
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
            **_intervals("difference", lambda one: one.percentile, lambda one: one.bca),
            Column("p", "number"): "p",
            Column("corrected", "number", "adjusted_p"): "adjusted_p",
            Column("effect", "decimal", "effect_size"): "effect_size",
            Column("detectable", "percent"): "detectable",
        },
        "Differences in F1, first minus second",
        (
            f"{SIGNIFICANT} corrected p ≤ {plan.alpha:g} ({plan.correction}).",
            "effect: difference in standard deviations over documents.",
            "detectable: smallest true difference detected with 80% power on this corpus.",
        ),
    )


def system_tau_grid(comparison: Comparison) -> Grid:
    return tau_grid(
        comparison, comparison.system_tau, f"Kendall's τ over {len(comparison.systems)} systems"
    )


def document_tau_grid(comparison: Comparison) -> Grid:
    return tau_grid(
        comparison,
        mean_document_tau(comparison),
        f"Kendall's τ over {_counted(len(comparison.documents))}, averaged over systems",
    )


def mean_document_tau(comparison: Comparison) -> FloatArray:
    """The mean over the systems of τ over documents, of those that have one."""
    known = ~np.isnan(comparison.document_tau)
    total = np.where(known, comparison.document_tau, 0.0).sum(axis=0)
    count = known.sum(axis=0)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


def tau_grid(comparison: Comparison, matrix: FloatArray, title: str) -> Grid:
    rows: list[tuple[Value, ...]] = [
        (metric, *row) for metric, row in zip(comparison.metrics, without_nan(matrix), strict=True)
    ]
    columns = (Column("metric"), *(Column(name, "decimal", name) for name in comparison.metrics))
    return Grid(columns, rows, title)


def disagreements_grid(comparison: Comparison) -> Grid:
    """One row two metrics and two systems that they put in opposite orders."""
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


def flips_grid(comparison: Comparison) -> Grid:
    """One row a metric and pair: the documents on which its order hangs."""
    pairs = [
        (one, comparison.flips(one.first, one.second, one.metric)) for one in comparison.differences
    ]

    def removal(flips: Flips) -> str:
        return "" if flips.removal is None else _listed(comparison.named(flips.removal))

    return Grid.of(
        pairs,
        {
            Column("metric"): lambda pair: pair[0].metric,
            Column("first"): lambda pair: pair[0].first,
            Column("second"): lambda pair: pair[0].second,
            Column("difference", "difference"): lambda pair: pair[0].difference,
            Column("contrary", "integer", "contrary"): lambda pair: len(pair[1].opposed),
            Column("decisive", "integer"): lambda pair: len(pair[1].decisive),
            Column("removals", "integer"): lambda pair: (
                None if pair[1].removal is None else len(pair[1].removal)
            ),
            Column("documents whose removal reverses the order", name="removal"): lambda pair: (
                removal(pair[1])
            ),
        },
        "Documents that decide the ranking",
        (
            "contrary: documents that rank the two systems the other way.",
            "decisive: documents whose removal alone reverses the order.",
            "removals: smallest number of documents whose joint removal reverses it.",
        ),
    )


def documents_grid(comparison: Comparison) -> Grid:
    """One row a document and system, with the F1 of each metric."""
    values = {metric: comparison.document_scores(metric) for metric in comparison.metrics}
    rows: list[tuple[Value, ...]] = [
        (document, system, *(float(column[row, number]) for column in values.values()))
        for number, document in enumerate(comparison.documents)
        for row, system in enumerate(comparison.systems)
    ]
    columns = (Column(name, "percent", name) for name in comparison.metrics)
    return Grid((Column("document"), Column("system"), *columns), rows, "F1 by document")


def sensitivity_grid(comparison: Comparison) -> Grid:
    """One row a pair: how often it keeps its order, and under which choices it does not."""
    study = comparison.sensitivity
    if study is None:
        raise UsageError(
            "sensitivity was not computed", remedy="Use --sensitivity (sensitivity=True)."
        )
    return Grid.of(
        list(study.orders()),
        {
            Column("first"): "first",
            Column("second"): "second",
            Column("order kept", "percent", "kept"): "kept",
            Column("better", "integer"): "better",
            Column("equal", "integer"): "equal",
            Column("worse", "integer"): "worse",
            Column("least stable under", name="least_kept"): _turning,
        },
        f"How often two systems keep their order over {study.variants} scoring variants",
        tuple(f"not applicable: {reason}" for reason in study.left_out),
    )


def runs_grid(comparison: Comparison) -> Grid:
    """One row a metric and system: how many runs, mean, standard deviation, extremes, interval."""
    runs = comparison.runs
    if runs is None:
        raise UsageError(
            "each system has only one run", remedy="Give several: NAME=PATTERN, or a list."
        )
    rows: list[tuple[Value, ...]] = []
    for column, metric in enumerate(comparison.metrics):
        for row, system in enumerate(comparison.systems):
            f1 = runs.values[runs.members[row], column, F1]
            deviation = float(np.sqrt(runs.variances[row, column]))
            interval = comparison.standing(system, metric).percentile.get("f1")
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
    columns = (
        Column("metric"),
        Column("system"),
        Column("runs", "integer"),
        Column("mean", "percent"),
        Column("deviation", "percent"),
        Column("lowest", "percent"),
        Column("highest", "percent"),
        Column("low", "percent"),
        Column("high", "percent"),
    )
    confidence = f"{100 * comparison.plan.confidence:g}%"
    notes = (
        f"low, high: {confidence} interval of the mean, over documents and runs.",
        "τ, flips and scores per document use the mean statistics of the runs.",
    )
    return Grid(columns, rows, "F1 of several runs", notes)


def _turning(order: Order) -> str:
    """The choices under which the order is kept least."""
    shares = sorted(
        ((share, choice) for choice, share in order.shares.items() if share < order.kept),
    )
    named = [f"{choice} {100 * share:.0f}%" for share, choice in shares]
    return _listed(named, 3)


def _counted(documents: int) -> str:
    return f"{documents:,} document{'' if documents == 1 else 's'}"


def _listed(names: Sequence[str], most: int = LISTED) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def _intervals(unit: Unit, percentile: Ends, bca: Ends) -> dict[Column, Callable[[Any], Value]]:
    """The columns of both sorts of intervals."""
    return {
        Column("low", unit, "percentile_low"): lambda one: _end(percentile(one), 0),
        Column("high", unit, "percentile_high"): lambda one: _end(percentile(one), 1),
        Column("BCa low", unit, "bca_low"): lambda one: _end(bca(one), 0),
        Column("BCa high", unit, "bca_high"): lambda one: _end(bca(one), 1),
    }


def _end(interval: Interval | None, side: int) -> float | None:
    return None if interval is None else interval[side]


TABLES: Tables = {
    "summary": summary_grid,
    "scores": scores_grid,
    "pairs": pairs_grid,
    "tau": system_tau_grid,
    "document-tau": document_tau_grid,
    "disagreements": disagreements_grid,
    "flips": flips_grid,
    "documents": documents_grid,
    "sensitivity": sensitivity_grid,
    "runs": runs_grid,
}
"""The tables by name."""

SHOWN = ("summary", "scores", "pairs", "tau", "document-tau")
"""The tables that are shown where none are asked for."""
