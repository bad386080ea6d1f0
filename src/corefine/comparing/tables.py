"""A comparison as tables: one for each question that a reader may have."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from corefine.comparing.comparison import Comparison, without_nan
from corefine.comparing.records import Interval
from corefine.comparing.sensitivity import Order
from corefine.corpus.arrays import FloatArray
from corefine.errors import UsageError, choose
from corefine.showing.grid import Column, Grid, Marked, Sort, Value

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
    rows: list[tuple[Value, ...]] = [
        (
            one.metric,
            one.system,
            one.score.precision,
            one.score.recall,
            one.score.f1,
            *_ends(one.percentile.get("f1")),
            *_ends(one.bca.get("f1")),
            one.rank,
            one.letters or "",
        )
        for one in comparison.standings
    ]
    confidence = f"{100 * comparison.plan.confidence:g}%"
    return Grid(
        (
            Column("metric"),
            Column("system"),
            Column("P", "percent", "precision"),
            Column("R", "percent", "recall"),
            Column("F1", "percent", "f1"),
            *_interval_columns(),
            Column("rank", "integer"),
            Column("letters"),
        ),
        rows,
        f"Scores, with {confidence} intervals of F1 (bootstrap over documents)",
    )


def pairs_grid(comparison: Comparison) -> Grid:
    """One row a metric and pair: difference, intervals, p, effect and what could be detected."""
    rows: list[tuple[Value, ...]] = [
        (
            one.metric,
            one.first,
            one.second,
            Marked(one.difference, SIGNIFICANT if one.significant else ""),
            *_ends(one.percentile),
            *_ends(one.bca),
            one.p,
            one.adjusted_p,
            one.effect_size,
            one.detectable,
        )
        for one in comparison.differences
    ]
    plan = comparison.plan
    return Grid(
        (
            Column("metric"),
            Column("first"),
            Column("second"),
            Column("difference", "difference"),
            *_interval_columns("difference"),
            Column("p", "number"),
            Column("corrected", "number", "adjusted_p"),
            Column("effect", "decimal", "effect_size"),
            Column("detectable", "percent"),
        ),
        rows,
        "Differences of F1, first minus second",
        (
            f"{SIGNIFICANT} corrected p ≤ {plan.alpha:g} ({plan.correction}).",
            "effect: in standard deviations between documents.",
            "detectable: the smallest true difference that this corpus shows with a power of 80%.",
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
        f"Kendall's τ over {_counted(len(comparison.documents))}, mean of the systems",
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
    rows: list[tuple[Value, ...]] = [
        (
            one.metric,
            one.opposing,
            one.better,
            one.worse,
            one.difference,
            one.opposing_difference,
            "yes" if one.both_significant else "no",
        )
        for one in comparison.disagreements
    ]
    return Grid(
        (
            Column("metric"),
            Column("against"),
            Column("better"),
            Column("worse"),
            Column("difference", "difference"),
            Column("opposite", "difference", "opposing_difference"),
            Column("both significant", name="both_significant"),
        ),
        rows,
        "Systems that two metrics put in opposite orders",
        () if rows else ("All metrics put all systems in the same order.",),
    )


def flips_grid(comparison: Comparison) -> Grid:
    """One row a metric and pair: the documents on which its order hangs."""
    rows: list[tuple[Value, ...]] = []
    for one in comparison.differences:
        flips = comparison.flips(one.first, one.second, one.metric)
        removal = "" if flips.removal is None else _listed(comparison.named(flips.removal))
        rows.append(
            (
                one.metric,
                one.first,
                one.second,
                one.difference,
                len(flips.opposed),
                len(flips.decisive),
                None if flips.removal is None else len(flips.removal),
                removal,
            )
        )
    return Grid(
        (
            Column("metric"),
            Column("first"),
            Column("second"),
            Column("difference", "difference"),
            Column("opposed", "integer"),
            Column("decisive", "integer"),
            Column("removals", "integer"),
            Column("without these the order turns", name="removal"),
        ),
        rows,
        "Documents on which an order hangs",
        (
            "opposed: documents that by themselves order the systems the other way.",
            "decisive: documents whose removal alone turns the order.",
            "removals: how many turn it together.",
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
            "sensitivity was not studied", remedy="Pass --sensitivity (sensitivity=True)."
        )
    rows: list[tuple[Value, ...]] = [
        (
            order.first,
            order.second,
            order.kept,
            order.better,
            order.equal,
            order.worse,
            _turning(order),
        )
        for order in study.orders()
    ]
    return Grid(
        (
            Column("first"),
            Column("second"),
            Column("order kept", "percent", "kept"),
            Column("better", "integer"),
            Column("equal", "integer"),
            Column("worse", "integer"),
            Column("least kept under", name="least_kept"),
        ),
        rows,
        f"How often two systems keep their order over {study.variants} variants of scoring",
        tuple(f"left out: {reason}" for reason in study.left_out),
    )


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


def _interval_columns(unit: Sort = "percent") -> tuple[Column, ...]:
    return (
        Column("low", unit, "percentile_low"),
        Column("high", unit, "percentile_high"),
        Column("BCa low", unit, "bca_low"),
        Column("BCa high", unit, "bca_high"),
    )


def _ends(interval: Interval | None) -> tuple[float | None, float | None]:
    return (None, None) if interval is None else (interval.low, interval.high)


TABLES: dict[str, Callable[[Comparison], Grid]] = {
    "summary": summary_grid,
    "scores": scores_grid,
    "pairs": pairs_grid,
    "tau": system_tau_grid,
    "document-tau": document_tau_grid,
    "disagreements": disagreements_grid,
    "flips": flips_grid,
    "documents": documents_grid,
    "sensitivity": sensitivity_grid,
}
"""The tables by name."""

SHOWN = ("summary", "scores", "pairs", "tau", "document-tau")
"""The tables that are shown where none are asked for."""


def grids(comparison: Comparison, tables: Sequence[str] = ()) -> list[Grid]:
    """The tables asked for; the usual ones, and sensitivity where it was studied, without names."""
    names = tables or (*SHOWN, *(("sensitivity",) if comparison.sensitivity else ()))
    check_tables(names)
    return [TABLES[name](comparison) for name in names]


def check_tables(names: Sequence[str]) -> None:
    """Raise where a table is asked for that there is not."""
    for name in names:
        choose("a table", name, tuple(TABLES))
