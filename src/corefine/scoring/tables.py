"""Scores as grids: one row per metric, or one row per document."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from corefine.formats.tagged.losses import loss_tables
from corefine.output.grid import Column, Grid, Value
from corefine.output.result import Tables
from corefine.scoring.scores import Score, Scores

_NUMBERS = (
    Column("P", "percent", "precision"),
    Column("R", "percent", "recall"),
    Column("F1", "percent", "f1"),
)


def scores_grid(scores: Scores, *, intervals: bool = False) -> Grid:
    """Precision, recall and F1 per metric; with ``intervals`` 95% intervals of F1."""
    bounds = scores.intervals() if intervals else {}
    rows: list[tuple[Value, ...]] = [
        (name, score.precision, score.recall, score.f1, *bounds.get(name, ()))
        for name, score in scores.by_name.items()
    ]
    columns = [Column("metric"), *_NUMBERS]
    notes = [str(scores.signature)]
    if bounds:
        columns += [Column("low", "percent"), Column("high", "percent")]
        documents = len(scores.counts.documents)
        notes.insert(0, f"low, high: 95% interval of F1 (bootstrap over {documents:,} documents)")
    elif intervals:
        notes.insert(0, "no intervals: there are fewer than two documents")
    return Grid(tuple(columns), rows, notes=tuple(notes))


def documents_grid(scores: Scores) -> Grid:
    """One row per document with the F1 of each metric, and a last row for all."""
    columns = (Column("document"), *(Column(name, "percent", name) for name in scores.by_name))
    rows: list[tuple[Value, ...]] = [
        (document, *(score.f1 for score in by_metric.values()))
        for document, by_metric in scores.documents.items()
    ]
    rows.append(("(all)", *(score.f1 for score in scores.by_name.values())))
    unit = "topic" if scores.topic_average else "document"
    return Grid(columns, rows, f"F1 by {unit}", notes=(str(scores.signature),))


def topics_grid(scores: Scores) -> Grid:
    """One row per metric: the mean over the topics of precision, recall and F1."""
    average = scores.topic_average
    rows = [(name, score.precision, score.recall, score.f1) for name, score in average.items()]
    signature = replace(next(iter(average.values())).signature or scores.signature, metric=None)
    title = f"Mean over {len(scores.counts.documents):,} topics"
    return Grid((Column("metric"), *_NUMBERS), rows, title, notes=(str(signature),))


def breakdown_grid(scores: Scores, by: str, *, intervals: bool = False) -> Grid:
    """One row per group and metric, with 95% intervals of F1 if requested."""
    ends = scores.part_intervals().get(by, {}) if intervals else {}
    rows: list[tuple[Value, ...]] = [
        (
            group,
            name,
            score.precision,
            score.recall,
            score.f1,
            *(ends.get(group, {}).get(name, (None, None)) if intervals else ()),
        )
        for group, by_metric in scores.breakdown[by].items()
        for name, score in by_metric.items()
    ]
    columns = [Column(by), Column("metric"), *_NUMBERS]
    title = f"By {by}"
    if intervals:
        columns += [
            Column("low", "percent"),
            Column("high", "percent"),
        ]
        title += ", with 95% intervals of F1 (bootstrap over documents)"
    return Grid(tuple(columns), rows, title, notes=(str(scores.signature),))


def breakdown_table(by: str) -> Callable[..., Grid]:
    """Return the function that builds the table of a breakdown."""

    def table(scores: Scores, *, intervals: bool = False) -> Grid:
        return breakdown_grid(scores, by, intervals=intervals)

    return table


def document_rows(scores: Scores) -> Grid:
    """One row per document and metric, for data frames."""
    return Grid(
        (Column("document"), Column("metric"), *_NUMBERS),
        [
            (document, name, *score)
            for document, by_metric in scores.documents.items()
            for name, score in by_metric.items()
        ],
    )


def long_grid(scores: Scores, *, documents: bool = True) -> Grid:
    """One row per document, part and metric, for programs; totals have an empty document and part.

    The columns of parts are included only if scores by part were requested.
    """
    rows: list[tuple[str, str, str, str, Score]] = [
        ("", "", "", name, score) for name, score in scores.by_name.items()
    ]
    rows += [
        ("", by, group, name, score)
        for by, groups in scores.breakdown.items()
        for group, by_metric in groups.items()
        for name, score in by_metric.items()
    ]
    if documents:
        rows += [
            (document, "", "", name, score)
            for document, by_metric in scores.documents.items()
            for name, score in by_metric.items()
        ]
    parts = bool(scores.breakdown)
    columns = (Column("document"), *((Column("by"), Column("part")) if parts else ()))
    return Grid(
        (*columns, Column("metric"), *_NUMBERS),
        [
            (
                document,
                *((by, group) if parts else ()),
                name,
                score.precision,
                score.recall,
                score.f1,
            )
            for document, by, group, name, score in rows
        ],
    )


def score_tables(scores: Scores) -> Tables:
    """The tables by name; that of a breakdown where it was asked for."""
    return {
        "scores": scores_grid,
        **{f"by-{one.division.name}": breakdown_table(one.by) for one in scores.breakdowns},
        **({"topics": topics_grid} if scores.topic_average else {}),
        "documents": documents_grid,
        "long": long_grid,
        **loss_tables({"response": scores.copies}),
    }
