"""The charts of the overview, which show all responses together."""

from __future__ import annotations

from corefine.explaining.categories import CATEGORIES
from corefine.explaining.diagnosis import TYPES
from corefine.metrics.registry import title_of
from corefine.output.charts import (
    Cloud,
    Figure,
    Series,
    bar_chart,
    dot_chart,
    scatter_chart,
    strip_chart,
)
from corefine.output.charts.scales import fitted_limits
from corefine.report.analysis import Analysis

FEW_DOCUMENTS = 40
"""Up to so many documents each has a row of its own; beyond that their spread is drawn."""

CATEGORY_NAMES = {
    "1": "1 · perfect",
    "2a": "2a · partial entity",
    "2b": "2b · partial mentions",
    "3": "3 · merged with another",
    "4": "4 · failed",
    "other": "other",
}


def overview_figures(analysis: Analysis) -> list[Figure]:
    """Scores by metric and document, sizes, categories, and errors by type."""
    figures = [_by_metric(analysis)]
    units = len(analysis.units)
    if units > 1:
        figures.append(_by_document(analysis) if units <= FEW_DOCUMENTS else _spread(analysis))
    figures += [_errors_by_type(analysis), _categories(analysis)]
    if units > 2:
        figures.append(_documents_by_size(analysis))
    return figures


def _by_metric(analysis: Analysis) -> Figure:
    series = []
    for name, explanation in zip(analysis.names, analysis.explanations, strict=True):
        ends = [analysis.intervals.get((name, metric)) for metric in analysis.metrics]
        series.append(
            Series(
                name,
                [explanation.scores[metric].f1 for metric in analysis.metrics],
                [None if end is None else end[0] for end in ends],
                [None if end is None else end[1] for end in ends],
            )
        )
    return dot_chart(
        "F1 by metric",
        list(map(title_of, analysis.metrics)),
        series,
        unit="percent",
        limits=fitted_limits(value for one in series for value in one.all_values()),
        value_title="F1",
        first="metric",
        description=f"With {100 * analysis.plan.confidence:g}% confidence intervals over "
        f"{analysis.unit}s."
        if analysis.intervals
        else f"One {analysis.unit}: no confidence intervals.",
    )


def _by_document(analysis: Analysis) -> Figure:
    names = [name or "(unnamed)" for name in analysis.units]
    series = [
        Series(name, analysis.unit_f1(system, analysis.lead).tolist())
        for system, name in enumerate(analysis.names)
    ]
    return dot_chart(
        f"{title_of(analysis.lead)} F1 by {analysis.unit}",
        names,
        series,
        limits=fitted_limits(value for one in series for value in one.values),
        value_title="F1",
        first=analysis.unit,
        description=f"F1 of each {analysis.unit} on its own.",
    )


def _spread(analysis: Analysis) -> Figure:
    rows = [
        (title_of(metric), system, analysis.unit_f1(system, metric).tolist())
        for metric in analysis.metrics
        for system in range(len(analysis.names))
    ]
    return strip_chart(
        f"F1 of {analysis.unit}s by metric",
        rows,
        names=analysis.names,
        limits=fitted_limits(value for _, _, values in rows for value in values),
        value_title="F1",
        description=f"A tick is a {analysis.unit}, the box is the interquartile range, the point "
        "is the median.",
    )


def _documents_by_size(analysis: Analysis) -> Figure:
    words = [float(count) for count in analysis.unit_words()]
    documents = "; choose one to read it" if analysis.grouping is None else ""
    clouds = [
        Cloud(name, words, analysis.unit_f1(system, analysis.lead).tolist(), analysis.units)
        for system, name in enumerate(analysis.names)
    ]
    return scatter_chart(
        f"{analysis.unit.capitalize()}s by size and score",
        clouds,
        x_title="words" if analysis.key.tokens is not None else "mentions",
        y_title=f"{title_of(analysis.lead)} F1",
        x_unit="integer",
        y_limits=fitted_limits(value for cloud in clouds for value in cloud.y),
        logarithmic=max(words) > 10 * max(1.0, min(words)),
        description=f"A point is a {analysis.unit}{documents}.",
    )


def _errors_by_type(analysis: Analysis) -> Figure:
    counts = [explanation.errors.counts() for explanation in analysis.explanations]
    return bar_chart(
        "Errors by type",
        list(map(str, TYPES)),
        [
            Series(name, [float(own[str(type_)]) for type_ in TYPES])
            for name, own in zip(analysis.names, counts, strict=True)
        ],
        unit="integer",
        first="type",
        value_title="errors",
        description="Number of corrections needed to reach the key.",
    )


def _categories(analysis: Analysis) -> Figure:
    shares = [explanation.entities.shares for explanation in analysis.explanations]
    return bar_chart(
        "Key entities by category",
        [CATEGORY_NAMES[name] for name in CATEGORIES],
        [
            Series(name, [own[category] for category in CATEGORIES])
            for name, own in zip(analysis.names, shares, strict=True)
        ],
        unit="percent",
        limits=(0, 1),
        first="category",
        value_title="% of the key entities",
        description="Holen’s categories: how much of each key entity the response recovered.",
    )
