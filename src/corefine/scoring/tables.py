"""Scores as grids: one row a metric, or one row a document."""

from __future__ import annotations

from functools import partial

from corefine.scoring.scores import Score, Scores
from corefine.showing.grid import Column, Grid, Value
from corefine.showing.result import Tables

_NUMBERS = (
    Column("P", "percent", "precision"),
    Column("R", "percent", "recall"),
    Column("F1", "percent", "f1"),
)


def scores_grid(scores: Scores) -> Grid:
    """One row a metric: precision, recall and F1."""
    rows = [
        (name, score.precision, score.recall, score.f1) for name, score in scores.by_name.items()
    ]
    return Grid(
        (Column("metric"), *_NUMBERS), rows, notes=(*_bounds(scores), str(scores.signature))
    )


def _bounds(scores: Scores) -> list[str]:
    """A note on each score that memory did not suffice to find: between what its F1 lies."""
    return [
        f"{name}: F1 lies between {100 * low.f1:.2f} and {100 * high.f1:.2f}; give it more memory "
        "for the exact score"
        for name, (low, high) in scores.bounds.items()
    ]


def documents_grid(scores: Scores) -> Grid:
    """One row a document with the F1 of each metric, and a last row for the whole."""
    columns = (Column("document"), *(Column(name, "percent", name) for name in scores.by_name))
    rows: list[tuple[Value, ...]] = [
        (document, *(score.f1 for score in by_metric.values()))
        for document, by_metric in scores.documents.items()
    ]
    rows.append(("(all)", *(score.f1 for score in scores.by_name.values())))
    return Grid(columns, rows, "F1 by document", notes=(str(scores.signature),))


def breakdown_grid(scores: Scores, by: str) -> Grid:
    """One row a group and metric."""
    rows: list[tuple[Value, ...]] = [
        (group, name, score.precision, score.recall, score.f1)
        for group, by_metric in scores.breakdown[by].items()
        for name, score in by_metric.items()
    ]
    columns = (Column(by), Column("metric"), *_NUMBERS)
    return Grid(columns, rows, f"By {by}", notes=(str(scores.signature),))


def long_grid(scores: Scores, *, documents: bool = True) -> Grid:
    """One row a document, part and metric, for programs; the whole has an empty document and part.

    The columns of parts are there only where scores by part were asked for.
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
        **{
            f"by-{one.division.name}": partial(breakdown_grid, by=one.by)
            for one in scores.breakdowns
        },
        "documents": documents_grid,
        "long": long_grid,
        **_alignment_tables(scores),
    }


def _alignment_tables(scores: Scores) -> Tables:
    """How a language model's answers were aligned with the key's text, if they were."""
    if scores.copies is None:
        return {}
    from corefine.formats.tagged.losses import Losses

    losses = Losses(scores.copies)
    functions = losses.table_functions()
    return {name: lambda _, name=name: functions[name](losses) for name in functions}
