"""A comparison as charts: intervals by system, agreement of metrics, mean ranks."""

from __future__ import annotations

import re

from corefine.comparing.comparison import Comparison, without_nan
from corefine.comparing.meanranks import mean_ranks
from corefine.comparing.tables import mean_document_tau
from corefine.metrics.registry import title_of
from corefine.output.charts import Figure, Series, dot_chart, heat_map, rank_diagram


def comparison_figures(comparison: Comparison) -> dict[str, Figure]:
    """The charts by the names of their files, without an ending."""
    return {
        "intervals": intervals_figure(comparison),
        "tau-systems": system_tau_figure(comparison),
        "tau-documents": document_tau_figure(comparison),
        **{
            f"critical-difference-{_file_name(metric)}": rank_figure(comparison, metric)
            for metric in comparison.metrics
        },
    }


def intervals_figure(comparison: Comparison) -> Figure:
    """F1 of every system under every metric, with percentile intervals."""
    series = []
    for system in comparison.systems:
        standings = [comparison.standing(system, metric) for metric in comparison.metrics]
        bounds = [one.percentile.get("f1") for one in standings]
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


def rank_figure(comparison: Comparison, metric: str) -> Figure:
    """Mean ranks over documents with Nemenyi's critical difference (Demšar 2006)."""
    result = mean_ranks(comparison.document_scores(metric), comparison.plan.alpha)
    return rank_diagram(
        f"Mean ranks over documents by {title_of(metric)} F1",
        comparison.systems,
        result.ranks.tolist(),
        result.groups,
        critical_difference=result.critical_difference,
        description="Systems connected by a bar do not differ significantly in mean rank "
        f"(Nemenyi test, α = {comparison.plan.alpha:g}); Friedman p = {result.p_value:.3g}.",
    )


def _titles(comparison: Comparison) -> list[str]:
    """The metrics as papers write them."""
    return list(map(title_of, comparison.metrics))


def _file_name(metric: str) -> str:
    return re.sub(r"[^\w.]+", "-", metric).strip("-")
