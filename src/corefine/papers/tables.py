"""A reproduction as tables: published beside computed."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from corefine.papers.results import Matrix, Reproduction
from corefine.showing.grid import Column, Grid, Marked, Value
from corefine.showing.result import Tables

COUNTS = ("published", "reproduced", "explained", "unexplained")


def papers_grid(papers: Sequence[Reproduction]) -> Grid:
    """Cells and claims by paper, and in all."""
    counts = {paper.name: paper.counts() for paper in papers}
    rows: list[tuple[Value, ...]] = [(name, *own.values()) for name, own in counts.items()]
    if len(papers) > 1:
        rows.append(
            ("all", *map(sum, zip(*(own.values() for own in counts.values()), strict=True)))
        )
    names = (*COUNTS, "claims", "claims that hold")
    columns = (Column("paper"), *(Column(name, "integer") for name in names))
    return Grid(columns, rows, "Cells published, reproduced, explained and unexplained")


def counts_grid(paper: Reproduction) -> Grid:
    """Cells by table of the paper."""
    rows: list[tuple[Value, ...]] = []
    for table in dict.fromkeys(cell.table for cell in paper.cells):
        counts = paper.counts(table)
        rows.append((table, *(counts[name] for name in COUNTS)))
    return Grid((Column("table"), *(Column(name, "integer") for name in COUNTS)), rows)


def cells_grid(paper: Reproduction) -> Grid:
    """Every printed number beside what is computed, to one more decimal than the paper prints."""
    return Grid.of(
        paper.cells,
        {
            Column("table"): "table",
            Column("row"): "row",
            Column("column"): "column",
            Column("published", "number"): lambda cell: Marked(
                cell.published, decimals=cell.decimals
            ),
            Column("computed", "number"): lambda cell: Marked(
                cell.computed, decimals=cell.decimals + (cell.decimals > 0)
            ),
            Column("verdict"): "verdict",
            Column("why not"): lambda cell: "" if cell.agrees else cell.why,
        },
        "Published beside computed",
    )


def claims_grid(paper: Reproduction, *, failing: bool = False) -> Grid:
    """What the paper says in words, or only that which does not hold."""
    return Grid.of(
        [claim for claim in paper.claims if not (failing and claim.holds)],
        {
            Column("where"): "where",
            Column("claim"): "text",
            Column("verdict"): lambda claim: "holds" if claim.holds else "fails",
            Column("numbers"): "numbers",
            Column("why not"): "why",
        },
        "Claims",
    )


def _matrix_grid(paper: Reproduction, matrix: Matrix) -> Grid:
    rows: list[tuple[Value, ...]] = [
        (name, *values) for name, values in zip(matrix.names, matrix.values, strict=True)
    ]
    columns = (Column(""), *(Column(name, "decimal") for name in matrix.names))
    return Grid(columns, rows, matrix.title)


def reproduction_tables(paper: Reproduction) -> Tables:
    """The tables by name, those that the paper has."""
    found = {"counts": counts_grid, "cells": cells_grid} if paper.cells else {}
    matrices = {one.name: partial(_matrix_grid, matrix=one) for one in paper.matrices}
    return {**found, **matrices, **({"claims": claims_grid} if paper.claims else {})}
