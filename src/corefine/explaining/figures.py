"""An explanation as charts: what each type of error costs, and what errors have in common."""

from __future__ import annotations

from collections.abc import Mapping

from corefine.explaining.explanation import Explanation
from corefine.showing.charts import Figure, heat_map, waterfall_chart


def explanation_figures(explanation: Explanation) -> dict[str, Figure]:
    """The charts by the names of their files, without an ending."""
    errors = explanation.errors
    figures = {"costs": _waterfall(explanation), "corrected-alone": _alone(explanation)}
    counted = {
        "kind of mention": (errors.by_kind(), "The most telling kind in the error."),
        "distance": (
            errors.by_distance(),
            "Sentences to the nearest mention of the rest of the entity; “-” where there is none.",
        ),
        "string match": (
            errors.by_match(),
            "Words in common with the rest of the entity; “-” where there is no rest.",
        ),
    }
    for what, (counts, description) in counted.items():
        told = {name for row in counts.values() for name, count in row.items() if count}
        if told - {"-", "unknown"}:
            title = f"Errors by {what}"
            figures[title.lower().replace(" ", "-")] = _crossed(title, counts, description)
    return figures


def _waterfall(explanation: Explanation) -> Figure:
    attribution, lead = explanation.attribution, explanation.lead
    start, end = attribution.base[lead].f1, attribution.final[lead].f1
    return waterfall_chart(
        f"What each type of error costs in {lead} F1",
        ("as scored", start),
        [(str(type_), attribution.gain_in_sequence(type_, lead)) for type_ in attribution.order],
        ("all corrected", end),
        limits=(0.0, max(1.0, start, end)),
        value_title=f"{lead} F1",
        description="The types are corrected one after another, in this order; the steps add up.",
    )


def _alone(explanation: Explanation) -> Figure:
    attribution = explanation.attribution
    return heat_map(
        "F1 points gained by correcting one type alone",
        [str(type_) for type_ in attribution.order],
        list(attribution.metrics),
        [
            [attribution.gain_alone(type_, metric) for metric in attribution.metrics]
            for type_ in attribution.order
        ],
        unit="percent",
        first="type",
        description="Gains of several types overlap, so that they do not add up.",
    )


def _crossed(title: str, counts: Mapping[str, Mapping[str, int]], description: str) -> Figure:
    columns = list(next(iter(counts.values())))
    used = [name for name in columns if any(row[name] for row in counts.values())]
    return heat_map(
        title,
        list(counts),
        used,
        [[float(row[name]) for name in used] for row in counts.values()],
        unit="integer",
        first="type",
        description=description,
    )
