"""Cross-validated resolvers as grids: scores by preset, and how well pairs are classified."""

from __future__ import annotations

from corefine.output.grid import Column, Grid, Value
from corefine.output.result import Tables
from corefine.resolving.cross_validation import CrossValidation
from corefine.resolving.pair_report import CLASSES


def cross_validation_grid(result: CrossValidation) -> Grid:
    """One row a preset with the F1 of each metric."""
    first = next(iter(result.scores.values()))
    columns = (Column("preset"), *(Column(name, "percent", name) for name in first.by_name))
    rows: list[tuple[Value, ...]] = [
        (preset, *(score.f1 for score in scores.by_name.values()))
        for preset, scores in result.scores.items()
    ]
    title = (
        "F1 in cross-validation: each document is resolved by a model trained on the other "
        f"folds ({result.folds})"
    )
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
    return Grid(columns, rows, "Pair classification")


def types_grid(result: CrossValidation) -> Grid:
    """One row a preset, sort of runs and semantic type: coreferent pairs, and F1 by metric."""
    assert result.types is not None, "the table is there where the runs are"
    rows = result.types.rows()
    columns = (
        Column("preset"),
        Column("runs"),
        Column("type"),
        Column("pairs P", "percent", "pairs_precision"),
        Column("pairs R", "percent", "pairs_recall"),
        Column("pairs F1", "percent", "pairs_f1"),
        *(Column(name, "percent", name) for name in rows[0].f1),
    )
    values: list[tuple[Value, ...]] = [
        (row.preset, row.runs, row.type, *row.pairs, *row.f1.values()) for row in rows
    ]
    notes = [f"{name} not applicable: {why}" for name, why in result.types.left_out.items()]
    return Grid(columns, values, "Results by semantic type and overall", notes=tuple(notes))


TABLES: Tables = {"scores": cross_validation_grid, "pairs": pairs_grid, "types": types_grid}
"""The tables by name; ``types`` is there where runs by type were asked for."""
