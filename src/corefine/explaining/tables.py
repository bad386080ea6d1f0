"""An explanation as grids: errors, what they cost, the worst documents, examples."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from corefine.explaining.attribution import Attribution
from corefine.explaining.diagnosis import ErrorType
from corefine.explaining.entity_tables import categories_grid
from corefine.explaining.explanation import Explanation
from corefine.explaining.impact import METRIC
from corefine.explaining.split_antecedents import MODES
from corefine.explaining.wording import error_in_words
from corefine.output.grid import Column, Grid, Value
from corefine.output.result import Tables
from corefine.scoring.tables import breakdown_grid, scores_grid


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
    sources = ", ".join(explanation.kind_sources) or "none; use --kinds FILE or --kinds guess"
    return Grid(columns, rows, "Errors by mention kind", (f"source of mention kinds: {sources}",))


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
        "match: words shared with the rest of the entity; at: sentences to its nearest mention",
    )
    return Grid(columns, rows, "Errors by string match and distance", notes)


def alone_grid(explanation: Explanation) -> Grid:
    """Points of F1 that each type costs, corrected alone."""
    attribution = explanation.attribution
    rows = _gains(explanation, attribution.gain_alone)
    title, note = "F1 gained by correcting one error type", ("the gains overlap and do not add up")
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
    title = "F1 gained by correcting error types cumulatively"
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
    return Grid(columns, rows, "Lowest-scoring documents")


def examples_grid(explanation: Explanation, *, examples: int = 3) -> Grid:
    """Up to so many errors of each type, those worth most first: in words, and in context."""
    rows: list[tuple[Value, ...]] = [
        (
            str(type_),
            error.document,
            error.worth,
            error_in_words(error, explanation.matched),
            str(explanation.context(error)),
        )
        for type_ in explanation.attribution.order
        for error in explanation.examples(type_, examples)
    ]
    columns = (
        Column("error"),
        Column("document"),
        Column("worth", "difference"),
        Column("what happened", name="words"),
        Column("example"),
    )
    note = f"worth: points of {METRIC} F1 gained by correcting this error alone"
    return Grid(columns, rows, "Examples", (note,))


def split_antecedents_grid(explanation: Explanation) -> Grid:
    """Entities that are made of others, by what the response makes of them."""
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


def split_scores_grid(explanation: Explanation) -> Grid:
    """One row a metric: F1 without split antecedents, with them, and of them alone."""
    rows: list[tuple[Value, ...]] = [
        (metric, *(score.f1 for score in by_mode.values()))
        for metric, by_mode in explanation.split_scores.items()
    ]
    columns = (Column(words, "percent") for words in MODES.values())
    title = "F1 without split antecedents, with them, and of them alone"
    return Grid((Column("metric"), *columns), rows, title)


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
            Column("worth", "difference"): "worth",
            Column("words"): lambda error: error_in_words(error, explanation.matched),
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


def near_misses_grid(explanation: Explanation) -> Grid:
    """One row a missing and an extra mention that overlap and are no span error, and why."""
    return Grid.of(
        explanation.near_misses,
        {
            Column("document"): "document",
            Column("key"): "key_text",
            Column("response"): "response_text",
            Column("reason"): "reason",
        },
        "Overlapping missing and extra mentions, and why they are not span errors",
    )


def _first(names: Sequence[str]) -> str | None:
    return names[0] if names else None


def breakdown_tables(explanation: Explanation) -> Tables:
    """The scores by part that were asked for, with intervals."""
    return {
        f"by-{one.division.name}": lambda shown, by=one.by: breakdown_grid(
            shown.scores, by, intervals=True
        )
        for one in explanation.scores.breakdowns
    }


TABLES: Tables = {
    "scores": lambda explanation: scores_grid(explanation.scores),
    "kinds": kinds_grid,
    "circumstances": circumstances_grid,
    "corrected-alone": alone_grid,
    "corrected-in-turn": in_turn_grid,
    "categories": lambda explanation: categories_grid(explanation.entities),
    "split-antecedents": split_antecedents_grid,
    "split-scores": split_scores_grid,
    "worst": worst_grid,
    "examples": examples_grid,
    "errors": errors_grid,
    "near-misses": near_misses_grid,
}
"""The tables by name."""
