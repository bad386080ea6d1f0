"""Tables of an explanation, and the chart of the F1 lost to each error type."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from corefine.explaining.diagnosis import TYPES
from corefine.explaining.error_analysis import KIND_NAMES, METRIC
from corefine.explaining.explanation import DocumentSummary, Explanation
from corefine.metrics.registry import title_of
from corefine.output.grid import Column, Grid, Value
from corefine.output.result import Tables
from corefine.scoring.tables import breakdown_grid, scores_grid

if TYPE_CHECKING:
    from corefine.output.charts import Figure


def types_grid(explanation: Explanation) -> Grid:
    """One row per error type: its number of errors and the F1 lost to it, the greatest first."""
    attribution, counts = explanation.attribution, explanation.errors.counts()
    lead = explanation.lead
    lost = {lead: attribution.gains[lead], **attribution.gains}
    shown = [name for name, by_type in lost.items() if name == lead or any(by_type.values())]
    rows: list[tuple[Value, ...]] = [
        (str(type_), counts[type_], *(lost[metric][type_] for metric in shown))
        for type_ in explanation.costs
        if counts[type_]
    ]
    columns = [Column("F1 lost to", name="error", shortest=15), Column("errors", "integer")]
    order = ("lea", "muc", "b3", "ceafe", "blanc", "ceafm", "mentions")
    columns += [
        Column(name, "percent", priority=order.index(name) + 1 if name in order else int(n > 0))
        for n, name in enumerate(shown)
    ]
    return Grid(tuple(columns), rows)


def kinds_grid(explanation: Explanation) -> Grid:
    """Errors by type and mention kind, without kinds that do not occur."""
    by_kind, shares = explanation.errors.by("kind"), explanation.shares
    kinds = [kind for kind in KIND_NAMES if any(row[kind] for row in by_kind.values())]
    rows: list[tuple[Value, ...]] = [
        (name, count, shares[name], *(by_kind[name][kind] for kind in kinds))
        for name, count in explanation.errors.counts().items()
    ]
    columns = (
        Column("error"),
        Column("errors", "integer"),
        Column("share", "percent"),
        *(Column(kind, "integer") for kind in kinds),
    )
    sources = (
        ", ".join(explanation.scores.kind_sources) or "none; use --kinds FILE or --kinds guess"
    )
    return Grid(columns, rows, "Errors by mention kind", (f"source of mention kinds: {sources}",))


def alone_grid(explanation: Explanation) -> Grid:
    """F1 gained by correcting each error type alone."""
    counts, attribution = explanation.errors.counts(), explanation.attribution
    rows: list[tuple[Value, ...]] = [
        (str(type_), counts[type_], *(gains[type_] for gains in attribution.gains_alone.values()))
        for type_ in TYPES
    ]
    columns = (Column("error"), Column("errors", "integer"))
    scores = tuple(Column(metric, "percent") for metric in attribution.metrics)
    title, note = "F1 gained by correcting one error type", "the gains overlap and do not add up"
    return Grid((*columns, *scores), rows, title, (note,))


def worst_grid(explanation: Explanation) -> Grid:
    """The documents with the lowest F1 first, and their most frequent error type."""
    lead = explanation.lead

    def most_frequent(summary: DocumentSummary) -> str:
        name = max(summary.errors, key=summary.errors.__getitem__)
        return f"{name} ({summary.errors[name]:,})" if summary.errors[name] else ""

    return Grid.of(
        explanation.worst(len(explanation.documents)),
        {
            Column("worst documents", name="document"): "document",
            Column(lead, "percent", f"{lead}_f1"): lambda summary: summary.f1[lead],
            Column("mentions", "integer", priority=2): "key_mentions",
            Column("errors", "integer", priority=1): "error_count",
            Column("most frequent error", name="most_frequent", priority=1): most_frequent,
        },
    )


def documents_grid(explanation: Explanation) -> Grid:
    """One row per document: F1 of each metric, and errors by type."""
    rows: list[tuple[Value, ...]] = [
        (
            summary.document,
            summary.key_mentions,
            summary.response_mentions,
            *summary.f1.values(),
            *summary.errors.values(),
        )
        for summary in explanation.documents
    ]
    columns = (
        Column("document"),
        Column("key mentions", "integer", "key_mentions"),
        Column("response mentions", "integer", "response_mentions"),
        *(Column(name, "percent") for name in explanation.attribution.metrics),
        *(Column(name, "integer", name.replace(" ", "_")) for name in TYPES),
    )
    return Grid(columns, rows, "Documents")


def examples_grid(explanation: Explanation, *, examples: int | None = None) -> Grid:
    """Errors of each type with the greatest impact, types with the greatest cost first.

    Without a number of ``examples`` there are two of each of the three most expensive types.
    """
    errors, counts = explanation.errors, explanation.errors.counts()
    types = [type_ for type_ in explanation.costs if counts[type_]]
    rows: list[tuple[Value, ...]] = [
        (str(type_), error.document, error.impact, errors.in_words(error))
        for type_ in (types[:3] if examples is None else types)
        for error in explanation.examples(type_, 2 if examples is None else examples)
    ]
    columns = (
        Column("error", shortest=15),
        Column("document", priority=1),
        Column(METRIC, "difference", "impact"),
        Column("examples", name="words", shortest=24),
    )
    return Grid(columns, rows)


def categories_grid(explanation: Explanation) -> Grid:
    """The number of key entities of each of Holen's categories."""
    (grid,) = explanation.entities.tables("categories")
    return grid


def split_antecedents_grid(explanation: Explanation) -> Grid:
    """Split antecedents of the key and the response, and how well they agree."""
    return Grid.of(
        explanation.split_antecedents,
        {
            Column("document"): "document",
            Column("answer"): "answer",
            Column("anaphor"): "anaphor",
            Column("key"): lambda row: " + ".join(row.key) or None,
            Column("response"): lambda row: " + ".join(row.response) or None,
            Column("P", "percent"): "precision",
            Column("R", "percent"): "recall",
            Column("F1", "percent"): "f1",
        },
        "Split antecedents",
        ("elements are compared by B³; sets are aligned to maximise the sum of F1",),
    )


def errors_grid(explanation: Explanation) -> Grid:
    """One row per error."""
    return Grid.of(
        explanation.errors,
        {
            Column("error"): lambda error: str(error.type),
            Column("document"): "document",
            Column("sentence", "integer"): "sentence",
            Column("start", "integer"): "start",
            Column("mentions", "integer"): lambda error: max(
                len(error.key_mentions), len(error.response_mentions)
            ),
            Column("impact", "difference"): "impact",
            Column("words"): explanation.errors.in_words,
            Column("context"): explanation.context,
            Column("text"): "text",
            Column("found_text"): "found_text",
            Column("other_text"): "other_text",
            Column("key_entity"): lambda error: _first(error.key_names),
            Column("response_entity"): lambda error: _first(error.response_names),
            Column("kind"): "kind",
            Column("rest_kind"): "rest_kind",
            Column("distance", "integer"): "distance",
            Column("match"): "match",
        },
        "Errors",
    )


def _first(names: Sequence[str]) -> str | None:
    return names[0] if names else None


def breakdown_tables(explanation: Explanation) -> Tables:
    """The breakdowns that were asked for, with intervals."""
    return {
        f"by-{one.division.name}": lambda shown, by=one.by: breakdown_grid(
            shown.scores, by, intervals=True
        )
        for one in explanation.scores.breakdowns
    }


def error_profile(explanation: Explanation) -> Figure:
    """F1 lost to each error type, one row per metric."""
    lost = [list(gains.values()) for gains in explanation.attribution.gains.values()]
    from corefine.output.charts import heat_map

    return heat_map(
        "F1 lost to each error type",
        list(map(title_of, explanation.attribution.gains)),
        list(map(str, TYPES)),
        lost,
        unit="percent",
        limits=(0.0, max(0.01, *(value for row in lost for value in row))),
        first="metric",
        description="Error types are corrected one after another; the points add up.",
    )


TABLES: Tables = {
    "types": types_grid,
    "scores": lambda explanation: scores_grid(explanation.scores),
    "kinds": kinds_grid,
    "corrected-alone": alone_grid,
    "categories": categories_grid,
    "split-antecedents": split_antecedents_grid,
    "worst": worst_grid,
    "documents": documents_grid,
    "examples": examples_grid,
    "errors": errors_grid,
}
"""The tables by name."""
