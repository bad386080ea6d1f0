"""The charts of the report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from corefine.auditing.audit import Audit
from corefine.explaining.categories import CATEGORIES
from corefine.explaining.diagnosis import TYPES
from corefine.report.analysis import Analysis, Study
from corefine.showing.charts import (
    Cloud,
    Figure,
    Series,
    bar_chart,
    dot_chart,
    heat_map,
    scatter_chart,
    strip_chart,
    waterfall_chart,
)

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


def overview_figures(study: Study) -> list[Figure]:
    """Scores by metric and document, sizes, categories, and errors by type."""
    figures = [_by_metric(study)]
    units = len(study.units)
    if units > 1:
        figures.append(_by_document(study) if units <= FEW_DOCUMENTS else _spread(study))
    figures += [_errors_by_type(study), _categories(study)]
    if units > 2:
        figures.append(_documents_by_size(study))
    return figures


def breakdown_figures(analysis: Analysis, lead: str, *, named: bool) -> list[Figure]:
    """What the errors of one response cost, and what they are like."""
    of = f" ({analysis.name})" if named else ""
    figures = [_waterfall(analysis, lead, of), _costs(analysis, of)]
    tables: list[tuple[str, Mapping[str, Mapping[str, int]], str]] = [
        ("kind of mention", analysis.errors.by_kind(), "The most telling kind in the error."),
        (
            "distance",
            analysis.errors.by_distance(),
            "Sentences to the nearest mention of the rest of the entity; “-” where there is none.",
        ),
        (
            "string match",
            analysis.errors.by_match(),
            "Words in common with the rest of the entity; “-” where there is no rest.",
        ),
    ]
    for what, counts, description in tables:
        told = {name for row in counts.values() for name, count in row.items() if count}
        if told - {"-", "unknown"}:
            figures.append(_crossed(f"Errors by {what}{of}", counts, description))
    return figures


def _by_metric(study: Study) -> Figure:
    series = []
    for analysis in study.analyses:
        ends = [study.intervals.get((analysis.name, metric)) for metric in study.metrics]
        series.append(
            Series(
                analysis.name,
                [analysis.scores[metric].f1 for metric in study.metrics],
                [None if end is None else end[0] for end in ends],
                [None if end is None else end[1] for end in ends],
            )
        )
    return bar_chart(
        "F1 by metric",
        study.metrics,
        series,
        unit="percent",
        limits=(0, 1),
        value_title="F1",
        first="metric",
        description=f"With {100 * study.plan.confidence:g}% intervals over {study.unit}s."
        if study.intervals
        else f"One {study.unit}: there is nothing to make intervals from.",
    )


def _by_document(study: Study) -> Figure:
    names = [name or "(unnamed)" for name in study.units]
    return dot_chart(
        f"{study.lead} F1 by {study.unit}",
        names,
        [
            Series(name, study.unit_f1(system, study.lead).tolist())
            for system, name in enumerate(study.names)
        ],
        limits=(0, 1),
        value_title="F1",
        first=study.unit,
        description=f"The F1 of {study.lead} of each {study.unit} on its own.",
    )


def _spread(study: Study) -> Figure:
    return strip_chart(
        f"F1 of {study.unit}s by metric",
        [
            (metric, system, study.unit_f1(system, metric).tolist())
            for metric in study.metrics
            for system in range(len(study.names))
        ],
        names=study.names,
        limits=(0, 1),
        value_title="F1",
        description=f"A tick is a {study.unit}, the box is the middle half of them, the point is "
        "the median.",
    )


def _documents_by_size(study: Study) -> Figure:
    words = [float(count) for count in study.unit_words()]
    documents = "; choose one to read it" if study.grouping is None else ""
    return scatter_chart(
        f"{study.unit.capitalize()}s by size and score",
        [
            Cloud(name, words, study.unit_f1(system, study.lead).tolist(), study.units)
            for system, name in enumerate(study.names)
        ],
        x_title="words" if study.key.tokens is not None else "mentions",
        y_title=f"{study.lead} F1",
        x_unit="integer",
        y_limits=(0, 1),
        logarithmic=max(words) > 10 * max(1.0, min(words)),
        description=f"A point is a {study.unit}{documents}.",
    )


def _errors_by_type(study: Study) -> Figure:
    counts = [analysis.errors.counts() for analysis in study.analyses]
    return bar_chart(
        "Errors by type",
        list(map(str, TYPES)),
        [
            Series(name, [float(own[str(type_)]) for type_ in TYPES])
            for name, own in zip(study.names, counts, strict=True)
        ],
        unit="integer",
        first="type",
        value_title="errors",
        description="As many as would have to be corrected to reach the key.",
    )


def _categories(study: Study) -> Figure:
    shares = [analysis.entities.shares for analysis in study.analyses]
    return bar_chart(
        "Key entities by category",
        [CATEGORY_NAMES[name] for name in CATEGORIES],
        [
            Series(name, [own[category] for category in CATEGORIES])
            for name, own in zip(study.names, shares, strict=True)
        ],
        unit="percent",
        limits=(0, 1),
        first="category",
        value_title="% of the key entities",
        description="Holen’s categories: what is left of each key entity in the response.",
    )


def _waterfall(analysis: Analysis, lead: str, of: str) -> Figure:
    attribution = analysis.attribution
    return waterfall_chart(
        f"What each type of error costs in {lead} F1{of}",
        ("as scored", attribution.base[lead].f1),
        [(str(type_), attribution.gain_in_sequence(type_, lead)) for type_ in attribution.order],
        ("all corrected", attribution.final[lead].f1),
        limits=_limits(attribution.base[lead].f1, attribution.final[lead].f1),
        value_title=f"{lead} F1",
        description="The types are corrected one after another, in this order; the steps add up.",
    )


def _limits(start: float, end: float) -> tuple[float, float]:
    return 0.0, max(1.0, start, end)


def _costs(analysis: Analysis, of: str) -> Figure:
    attribution = analysis.attribution
    return heat_map(
        f"F1 points gained by correcting one type alone{of}",
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
    columns: Sequence[str] = list(next(iter(counts.values())))
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


def audit_figure(audit: Audit, name: str, *, named: bool) -> Figure:
    """By how much each metric moves when a response is changed in a way whose worth is known."""
    metrics = list(audit.scores.by_name)
    notes, changes = [], []
    for result in audit.trials:
        told = {violation.metric: str(violation) for violation in result.violations}
        notes.append([told.get(metric, "as it should be") for metric in metrics])
        changes.append(
            [result.scores[metric].f1 - audit.scores.by_name[metric].f1 for metric in metrics]
        )
    return heat_map(
        f"Change of F1 under transformations{f' ({name})' if named else ''}",
        [result.trial.name for result in audit.trials],
        metrics,
        changes,
        unit="difference",
        first="transformation",
        cell_notes=notes,
        description="Points of F1 that a metric gains or loses when the response is changed.",
    )
