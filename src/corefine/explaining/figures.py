"""Charts of an explanation: the F1 lost to each error type, and errors by kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from corefine.explaining.explanation import Explanation
from corefine.metrics.registry import title_of
from corefine.output.charts import Figure, heat_map, waterfall_chart
from corefine.output.charts.scales import fitted_limits


def explanation_figures(
    explanation: Explanation, *, beside: Sequence[Explanation] = (), width: float = 640
) -> dict[str, Figure]:
    """The charts by file name without suffix.

    ``beside`` are explanations shown in the same row, which share one scale.
    """
    shown = beside or (explanation,)
    figures = {
        "costs": _waterfall(explanation, shown, width),
        "corrected-alone": _alone(explanation, shown, width),
    }
    for what, (count, description) in _COUNTED.items():
        counts = [count(one) for one in shown]
        used = {name: None for one in counts for row in one.values() for name in row}
        used = {name: None for name in used if any(r[name] for one in counts for r in one.values())}
        if used.keys() - {"-", "unknown"}:
            most = max(float(n) for one in counts for row in one.values() for n in row.values())
            title = f"Errors by {what}"
            figures[title.lower().replace(" ", "-")] = _crossed(
                title, count(explanation), list(used), most, description, width
            )
    return figures


_COUNTED: dict[str, tuple[Callable[[Explanation], Mapping[str, Mapping[str, int]]], str]] = {
    "mention kind": (
        lambda one: one.errors.by_kind(),
        "The most informative mention kind in the error.",
    ),
    "distance": (
        lambda one: one.errors.by_distance(),
        "Sentences to the nearest other mention of the entity; “-” if there is none.",
    ),
    "string match": (
        lambda one: one.errors.by_match(),
        "Words shared with the rest of the entity; “-” if there is no rest.",
    ),
}


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


def _alone(explanation: Explanation, shown: Sequence[Explanation], width: float) -> Figure:
    attribution = explanation.attribution
    gains = [
        one.attribution.gain_alone(type_, metric)
        for one in shown
        for type_ in attribution.order
        for metric in attribution.metrics
    ]
    return heat_map(
        "F1 gained by correcting one error type",
        [str(type_) for type_ in attribution.order],
        list(map(title_of, attribution.metrics)),
        [
            [attribution.gain_alone(type_, metric) for metric in attribution.metrics]
            for type_ in attribution.order
        ],
        unit="percent",
        limits=(min(gains, default=0.0), max(gains, default=1.0)),
        first="type",
        description="The gains overlap and do not add up.",
        width=width,
    )


def _crossed(
    title: str,
    counts: Mapping[str, Mapping[str, int]],
    used: Sequence[str],
    most: float,
    description: str,
    width: float,
) -> Figure:
    return heat_map(
        title,
        list(counts),
        used,
        [[float(row[name]) for name in used] for row in counts.values()],
        unit="integer",
        limits=(0.0, most),
        first="type",
        description=description,
        width=width,
    )
