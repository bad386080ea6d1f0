"""Cross-validated resolvers as grids: scores by preset, and how well pairs are classified."""

from __future__ import annotations

from corefine.resolving.cross_validation import CrossValidation
from corefine.resolving.pair_report import CLASSES
from corefine.showing.grid import Column, Grid, Value
from corefine.showing.result import Tables


def cross_validation_grid(result: CrossValidation) -> Grid:
    """One row a preset with the F1 of each metric."""
    first = next(iter(result.scores.values()))
    columns = (Column("preset"), *(Column(name, "percent", name) for name in first.by_name))
    rows: list[tuple[Value, ...]] = [
        (preset, *(score.f1 for score in scores.by_name.values()))
        for preset, scores in result.scores.items()
    ]
    title = f"F1 of all documents, each resolved by a model of the other folds ({result.folds})"
    return Grid(columns, rows, title, notes=(str(first.signature),))


def pairs_grid(result: CrossValidation) -> Grid:
    """One row a preset, a group of pairs and a class: pairs, precision, recall and F1."""
    columns = (
        Column("preset"),
        Column("pairs", name="group"),
        Column("class"),
        Column("number", "integer", "number"),
        Column("P", "percent", "precision"),
        Column("R", "percent", "recall"),
        Column("F1", "percent", "f1"),
    )
    rows: list[tuple[Value, ...]] = []
    for preset, report in result.pairs.items():
        for group in report.groups():
            for kind in CLASSES:
                score = report.score(group, kind)
                number = report.size(group, kind)
                rows.append((preset, group, kind, number, score.precision, score.recall, score.f1))
    return Grid(columns, rows, "Classification of pairs")


TABLES: Tables = {"scores": cross_validation_grid, "pairs": pairs_grid}
"""The tables by name."""
