"""An explanation as grids: errors, what they cost, the worst documents, examples."""

from __future__ import annotations

from collections.abc import Sequence

from corefine.explaining.attribution import Attribution
from corefine.explaining.diagnosis import ErrorType
from corefine.explaining.errors import Error, Errors
from corefine.explaining.explanation import Explanation
from corefine.showing.grid import Column, Grid, Value

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


def circumstances_grid(errors: Errors) -> Grid:
    """Errors by type, by words in common with the rest of the entity, and by distance to it."""
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


def attribution_grid(attribution: Attribution, *, alone: bool) -> Grid:
    """Points of F1 that each type costs, corrected alone or after those above it."""
    gain = attribution.gain_alone if alone else attribution.gain_in_sequence
    metrics = attribution.metrics
    rows: list[tuple[Value, ...]] = [
        (str(type_), *(gain(type_, metric) for metric in metrics)) for type_ in attribution.order
    ]
    title, note = "F1 gained by correcting one type alone", "the gains overlap: they do not add up"
    if not alone:
        title = "F1 gained by correcting one type after another"
        note = "the gains add up from the response to the key"
        rows.insert(0, ("(response)", *(attribution.base[metric].f1 for metric in metrics)))
        rows.append(("(key)", *(attribution.final[metric].f1 for metric in metrics)))
    columns = (Column("error"), *(Column(metric, "percent") for metric in metrics))
    return Grid(columns, rows, title, (note,))


def worst_grid(explanation: Explanation, count: int) -> Grid:
    """The documents with the lowest F1, and the errors in them."""
    lead = explanation.lead
    rows: list[tuple[Value, ...]] = [
        (summary.document, summary.key_mentions, summary.f1[lead], *summary.errors.values())
        for summary in explanation.worst(count)
    ]
    columns = (
        Column("document"),
        Column("mentions", "integer"),
        Column(f"{lead} F1", "percent", f"{lead}_f1"),
        *(Column(name, "integer", name.replace(" ", "_")) for name in explanation.errors.counts()),
    )
    return Grid(columns, rows, "Worst documents")


def examples_grid(explanation: Explanation, count: int) -> Grid:
    """A few errors of each type in their context."""
    rows: list[tuple[Value, ...]] = [
        (str(type_), error.document, f"{explanation.context(error)}{_remark(error)}")
        for type_ in explanation.attribution.order
        for error in explanation.examples(type_, count)
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


def errors_grid(errors: Errors) -> Grid:
    """One row an error, for programs."""
    names = ("error", "document", "sentence", "start", "mentions", "text", "found_text")
    more = ("other_text", "key_entity", "response_entity", "kind", "rest_kind", "distance", "match")
    return Grid(tuple(map(Column, (*names, *more))), [_error_row(error) for error in errors])


def _error_row(error: Error) -> tuple[Value, ...]:
    return (
        str(error.type),
        error.document,
        error.sentence,
        error.start,
        max(len(error.key_mentions), len(error.response_mentions)),
        error.text,
        error.found_text,
        error.other_text,
        _first(error.key_names),
        _first(error.response_names),
        error.kind,
        error.rest_kind,
        error.distance,
        error.match,
    )


def _first(names: Sequence[str]) -> str | None:
    return names[0] if names else None
