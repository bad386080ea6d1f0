"""Scores as grids: one row a metric, or one row a document."""

from __future__ import annotations

from corefine.report.grid import Column, Grid, Value
from corefine.scores import Scores

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
    return Grid((Column("metric"), *_NUMBERS), rows, notes=(str(scores.signature),))


def documents_grid(scores: Scores) -> Grid:
    """One row a document with the F1 of each metric, and a last row for the whole."""
    columns = (Column("document"), *(Column(name, "percent", name) for name in scores.by_name))
    rows: list[tuple[Value, ...]] = [
        (document, *(score.f1 for score in by_metric.values()))
        for document, by_metric in scores.documents.items()
    ]
    rows.append(("(all)", *(score.f1 for score in scores.by_name.values())))
    return Grid(columns, rows, "F1 by document", notes=(str(scores.signature),))


def long_grid(scores: Scores) -> Grid:
    """One row a document and metric, for programs; the whole corpus has an empty document."""
    rows: list[tuple[Value, ...]] = [
        ("", name, score.precision, score.recall, score.f1)
        for name, score in scores.by_name.items()
    ]
    for document, by_metric in scores.documents.items():
        rows.extend(
            (document, name, score.precision, score.recall, score.f1)
            for name, score in by_metric.items()
        )
    return Grid((Column("document"), Column("metric"), *_NUMBERS), rows)
