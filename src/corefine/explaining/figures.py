"""Charts of explanations: the F1 lost to each error type, and errors by kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from corefine.explaining.entities import EntityTable, information_by_place
from corefine.explaining.error_analysis import GROUPS
from corefine.explaining.explanation import Explanation
from corefine.metrics.registry import title_of
from corefine.output.charts import Figure, Series, heat_map, line_chart

ErrorAddress = Callable[[dict[str, str]], str]
"""The address of the errors with these properties."""


def error_maps(
    explanation: Explanation,
    *,
    beside: Sequence[Explanation] = (),
    width: float = 640,
    link: ErrorAddress | None = None,
) -> dict[str, Figure]:
    """Errors by kind, distance and string match, by file name without suffix.

    ``beside`` are explanations in the same row, which share one scale; ``link`` gives the address
    of the errors of a cell.
    """
    shown = beside or (explanation,)
    figures = {}
    for field, (what, description) in _COUNTED.items():
        counts = [one.errors.by(field) for one in shown]
        cells = [(name, n) for one in counts for row in one.values() for name, n in row.items()]
        used = {name for name, n in cells if n}
        if used - {"-", "unknown"}:
            by_type = explanation.errors.by(field)
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
                width=width,
                links=link
                and [
                    [link({"type": type_, what: name}) if row[name] else None for name in names]
                    for type_, row in by_type.items()
                ],
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


def error_profile(
    explanations: Mapping[str, Explanation],
    *,
    width: float = 640,
    links: Sequence[Sequence[str | None]] | None = None,
) -> Figure:
    """F1 lost to each error type, one row per response."""
    first = next(iter(explanations.values()))
    lead, types = first.lead, first.attribution.order
    lost = [
        [one.attribution.gain_in_sequence(type_, lead) for type_ in types]
        for one in explanations.values()
    ]
    return heat_map(
        f"{title_of(lead)} F1 lost to each error type",
        list(explanations),
        list(map(str, types)),
        lost,
        unit="percent",
        limits=(0.0, max(0.01, *(value for row in lost for value in row))),
        first="system",
        description="Error types are corrected one after another; the points add up.",
        width=width,
        links=links,
    )
