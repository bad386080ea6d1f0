"""Charts of a comparison: confidence intervals by system, and agreement of metrics."""

from __future__ import annotations

from corefine.comparing.comparison import Comparison, without_nan
from corefine.comparing.tables import mean_document_tau
from corefine.metrics.registry import title_of
from corefine.output.charts import Figure, Series, dot_chart, heat_map


def comparison_figures(comparison: Comparison) -> dict[str, Figure]:
    """Charts by file name without suffix."""
    return {
        "intervals": intervals_figure(comparison),
        "tau-systems": system_tau_figure(comparison),
        "tau-documents": document_tau_figure(comparison),
    }


def intervals_figure(comparison: Comparison) -> Figure:
    """F1 of every system under every metric, with confidence intervals."""
    series = []
    for system in comparison.systems:
        standings = [comparison.standing(system, metric) for metric in comparison.metrics]
        bounds = [one.interval for one in standings]
        series.append(
            Series(
                system,
                [one.score.f1 for one in standings],
                [None if one is None else one.low for one in bounds],
                [None if one is None else one.high for one in bounds],
            )
        )
    confidence = f"{100 * comparison.plan.confidence:g}%"
    return dot_chart(
        "F1 by system",
        _titles(comparison),
        series,
        description=f"F1 with {confidence} confidence intervals, from "
        f"{comparison.plan.resamples:,} bootstrap samples of {len(comparison.documents)} "
        "documents.",
        value_title="F1 (%)",
        first="metric",
    )


def system_tau_figure(comparison: Comparison) -> Figure:
    """τ between metrics over systems."""
    return heat_map(
        f"Agreement of metrics on {len(comparison.systems)} systems",
        _titles(comparison),
        _titles(comparison),
        without_nan(comparison.system_tau),
        unit="decimal",
        limits=(-1, 1),
        description="Kendall's τ-b between metrics: 1 if both rank all systems alike.",
        first="metric",
    )


def document_tau_figure(comparison: Comparison) -> Figure:
    """τ between metrics over documents."""
    return heat_map(
        f"Agreement of metrics on {len(comparison.documents)} documents",
        _titles(comparison),
        _titles(comparison),
        without_nan(mean_document_tau(comparison)),
        unit="decimal",
        limits=(-1, 1),
        description="Kendall's τ-b between metrics over documents, averaged over systems.",
        first="metric",
    )


def _titles(comparison: Comparison) -> list[str]:
    """Titles of the metrics."""
    return list(map(title_of, comparison.metrics))
