"""An explanation as grids: errors, what they cost, the worst documents, examples."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from corefine.explaining.attribution import Attribution
from corefine.explaining.diagnosis import ErrorType
from corefine.explaining.entity_tables import categories_grid
from corefine.explaining.error_analysis import Error
from corefine.explaining.explanation import Explanation
from corefine.scoring.tables import breakdown_grid, scores_grid
from corefine.showing.grid import Column, Grid, Value
from corefine.showing.result import Tables

_BESIDE = {
    ErrorType.SPLIT: "apart from",
    ErrorType.MERGED: "put with",
    ErrorType.EXTRA_MENTION: "put with",
    ErrorType.MISSING_MENTION: "belongs with",
}


def kinds_grid(explanation: Explanation) -> Grid:
    """Errors by type and by the kind of mention."""
    counts, shares = explanation.errors.counts(), explanation.shares
    by_kind = explanation.errors.by_kind()
    kinds = list(next(iter(by_kind.values())))
    rows: list[tuple[Value, ...]] = [
        (name, count, shares[name], *by_kind[name].values()) for name, count in counts.items()
    ]
    totals = [sum(row[kind] for row in by_kind.values()) for kind in kinds]
    rows.append(
        ("(all)", len(explanation.errors), 1.0 if len(explanation.errors) else 0.0, *totals)
    )
    columns = (
        Column("error"),
        Column("errors", "integer"),
        Column("share", "percent"),
        *(Column(kind, "integer") for kind in kinds),
    )
    sources = ", ".join(explanation.kind_sources) or "nothing; --kinds FILE or --kinds guess tells"
    return Grid(columns, rows, "Errors by kind of mention", (f"kinds are known from: {sources}",))


def circumstances_grid(explanation: Explanation) -> Grid:
    """Errors by type, by words in common with the rest of the entity, and by distance to it."""
    errors = explanation.errors
    matches, distances = errors.by_match(), errors.by_distance()
    some_match, some_distance = (next(iter(table.values())) for table in (matches, distances))
    rows: list[tuple[Value, ...]] = [
        (name, *reversed(list(matches[name].values())[:-1]), *list(distances[name].values())[:-1])
        for name in matches
    ]
    columns = (
        Column("error"),
        *(Column(f"match {name}", "integer") for name in reversed(list(some_match)[:-1])),
        *(Column(f"at {name}", "integer") for name in list(some_distance)[:-1]),
    )
    notes = (
        "match: words in common with the rest of the entity; at: sentences to its nearest mention",
    )
    return Grid(columns, rows, "Errors by string match and distance", notes)


def alone_grid(explanation: Explanation) -> Grid:
    """Points of F1 that each type costs, corrected alone."""
    attribution = explanation.attribution
    rows = _gains(explanation, attribution.gain_alone)
    title, note = "F1 gained by correcting one type alone", "the gains overlap: they do not add up"
    return Grid(_gain_columns(attribution), rows, title, (note,))


def in_turn_grid(explanation: Explanation) -> Grid:
    """Points of F1 that each type costs, corrected after those above it."""
    attribution = explanation.attribution
    rows = [
        ("(response)", None, *(attribution.base[name].f1 for name in attribution.metrics)),
        *_gains(explanation, attribution.gain_in_sequence),
        ("(key)", None, *(attribution.final[name].f1 for name in attribution.metrics)),
    ]
    notes = ("the gains add up from the response to the key", str(explanation.scores.signature))
    title = "F1 gained by correcting one type after another"
    return Grid(_gain_columns(attribution), rows, title, notes)


def _gains(
    explanation: Explanation, gain: Callable[[ErrorType, str], float]
) -> list[tuple[Value, ...]]:
    counts, attribution = explanation.errors.counts(), explanation.attribution
    return [
        (str(type_), counts[type_], *(gain(type_, metric) for metric in attribution.metrics))
        for type_ in attribution.order
    ]


def _gain_columns(attribution: Attribution) -> tuple[Column, ...]:
    scores = (Column(metric, "percent") for metric in attribution.metrics)
    return (Column("error"), Column("errors", "integer"), *scores)


def worst_grid(explanation: Explanation) -> Grid:
    """The documents, the lowest F1 first, and the errors in them."""
    lead = explanation.lead
    rows: list[tuple[Value, ...]] = [
        (summary.document, summary.key_mentions, summary.f1[lead], *summary.errors.values())
        for summary in explanation.worst(len(explanation.documents))
    ]
    columns = (
        Column("document"),
        Column("mentions", "integer"),
        Column(f"{lead} F1", "percent", f"{lead}_f1"),
        *(Column(name, "integer", name.replace(" ", "_")) for name in explanation.errors.counts()),
    )
    return Grid(columns, rows, "Worst documents")


def examples_grid(explanation: Explanation, *, examples: int = 3) -> Grid:
    """Up to so many errors of each type in their context."""
    rows: list[tuple[Value, ...]] = [
        (str(type_), error.document, f"{explanation.context(error)}{_remark(error)}")
        for type_ in explanation.attribution.order
        for error in explanation.examples(type_, examples)
    ]
    return Grid((Column("error"), Column("document"), Column("example")), rows, "Examples")


def _remark(error: Error) -> str:
    parts = []
    if error.found_text is not None:
        parts.append(f"found as: {error.found_text}")
    if error.other_text is not None:
        parts.append(f"{_BESIDE[error.type]}: {error.other_text}")
    more = max(len(error.key_mentions), len(error.response_mentions)) - 1
    if more:
        parts.append(f"{more:,} more mention{'s' if more > 1 else ''}")
    return f" ({'; '.join(parts)})" if parts else ""


def errors_grid(explanation: Explanation) -> Grid:
    """One row an error, for programs."""
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
    """The scores by part that were asked for."""
    return {
        f"by-{one.division.name}": lambda shown, by=one.by: breakdown_grid(shown.scores, by)
        for one in explanation.scores.breakdowns
    }


TABLES: Tables = {
    "scores": lambda explanation: scores_grid(explanation.scores),
    "kinds": kinds_grid,
    "circumstances": circumstances_grid,
    "corrected-alone": alone_grid,
    "corrected-in-turn": in_turn_grid,
    "categories": lambda explanation: categories_grid(explanation.entities),
    "worst": worst_grid,
    "examples": examples_grid,
    "errors": errors_grid,
}
"""The tables by name."""
