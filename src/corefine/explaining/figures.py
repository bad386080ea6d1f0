"""Charts of an explanation: the F1 lost to each error type, and errors by kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from corefine.explaining.error_analysis import GROUPS
from corefine.explaining.explanation import Explanation
from corefine.metrics.registry import title_of
from corefine.output.charts import Figure, heat_map, waterfall_chart
from corefine.output.charts.axes import fitted_limits

Link = Callable[[dict[str, str]], str]
"""The address of the errors with these properties."""


def explanation_figures(
    explanation: Explanation,
    *,
    beside: Sequence[Explanation] = (),
    width: float = 640,
    link: Link | None = None,
) -> dict[str, Figure]:
    """The charts by file name without suffix.

    ``beside`` are explanations shown in the same row, which share one scale; ``link`` leads from
    cells to errors.
    """
    shown = beside or (explanation,)
    figures = {"costs": _waterfall(explanation, shown, width)}
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


def _waterfall(explanation: Explanation, shown: Sequence[Explanation], width: float) -> Figure:
    attribution, lead = explanation.attribution, explanation.lead
    start, end = attribution.base[lead].f1, attribution.final[lead].f1
    stages = [
        scores[lead].f1
        for one in shown
        for scores in (one.attribution.base, *one.attribution.sequence.values())
    ]
    low, high = fitted_limits(stages, ends=(0.0, max(1.0, *stages)))
    return waterfall_chart(
        f"{title_of(lead)} F1 lost to each error type",
        ("as scored", start),
        [(str(type_), attribution.gain_in_sequence(type_, lead)) for type_ in attribution.order],
        ("all corrected", end),
        limits=(low, high),
        value_title=f"{title_of(lead)} F1",
        description="Error types are corrected cumulatively, in this order; the gains add up.",
        width=width,
    )
