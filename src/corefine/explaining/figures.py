"""Charts of explanations: the F1 lost to each error type, and errors by kind."""

from __future__ import annotations

from corefine.explaining.entities import EntityTable, information_by_place
from corefine.explaining.error_analysis import GROUPS
from corefine.explaining.explanation import Explanation
from corefine.metrics.registry import title_of
from corefine.output.charts import Figure, Series, heat_map, line_chart


def error_maps(explanation: Explanation) -> dict[str, Figure]:
    """Errors by kind, distance and string match, by file name without suffix."""
    figures = {}
    for field, (what, description) in _COUNTED.items():
        by_type = explanation.errors.by(field)
        cells = [(name, n) for row in by_type.values() for name, n in row.items()]
        used = {name for name, n in cells if n}
        if used - {"-", "unknown"}:
            names = [name for name in GROUPS[field] if name in used]
            figures[f"errors-by-{what.replace(' ', '-')}"] = heat_map(
                f"Errors by {what}",
                list(by_type),
                names,
                [[float(row[name]) for name in names] for row in by_type.values()],
                unit="integer",
                # Errors without a value are often most, and would leave no shades for others.
                limits=(0.0, max(float(n) for name, n in cells if name not in ("-", "unknown"))),
                first="type",
                description=description,
            )
    return figures


def information_figure(table: EntityTable) -> Figure:
    """Mean information weight of the key's mentions by tenth of the text."""
    found = information_by_place(table)
    return line_chart(
        "Information over the text",
        [10.0 * tenth + 5 for tenth in range(len(found))],
        [Series("weight per mention", [mean for _, _, mean, _ in found])],
        description="Mean information weight of the key's mentions by place in their document.",
        value_title="weight per mention",
        place_title="% of the text",
        unit="decimal",
    )


_COUNTED = {
    "kind": ("mention kind", "The most informative mention kind in the error."),
    "distance": (
        "distance",
        "Sentences to the nearest other mention of the entity; “-” if there is none.",
    ),
    "match": (
        "string match",
        "Words shared with the rest of the entity; “-” if there is no rest.",
    ),
}
"""Titles and descriptions of the charts of errors by these fields."""


def error_profile(explanation: Explanation) -> Figure:
    """F1 lost to each error type, one row per metric."""
    types, metrics = explanation.attribution.order, explanation.attribution.metrics
    lost = [
        [explanation.attribution.gain_in_sequence(type_, metric) for type_ in types]
        for metric in metrics
    ]
    return heat_map(
        "F1 lost to each error type",
        list(map(title_of, metrics)),
        list(map(str, types)),
        lost,
        unit="percent",
        limits=(0.0, max(0.01, *(value for row in lost for value in row))),
        first="metric",
        description="Error types are corrected one after another; the points add up.",
    )
