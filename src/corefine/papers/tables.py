"""A reproduction as tables: published beside computed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial

from corefine.output.grid import Column, Grid, Marked, Value
from corefine.output.result import Tables
from corefine.papers.results import Cell, Direction, Matrix, Reproduction

COUNTS = (
    Column("printed", "integer"),
    Column("recomputed", "integer"),
    Column("as printed", "integer", "recomputed_as_printed"),
    Column("derived", "integer"),
    Column("as printed", "integer", "derived_as_printed"),
    Column("not derivable", "integer", "not_derivable"),
    Column("explained", "integer"),
    Column("unexplained", "integer"),
)
"""How numbers fared; the order is that of :meth:`Reproduction.counts`."""
_READING = (
    "printed = recomputed + derived + not derivable; what is recomputed from the paper's data or "
    "derived from its other numbers, and not as printed, is explained or unexplained"
)


def papers_grid(papers: Sequence[Reproduction]) -> Grid:
    """Numbers and claims by paper, and in all."""
    rows: list[tuple[Value, ...]] = []
    totals: Counter[str] = Counter()
    for paper in papers:
        counts = paper.counts()
        counts |= {"claims": len(paper.claims), "hold": paper.claims_that_hold}
        totals.update(counts)
        rows.append((paper.name, *counts.values()))
    if len(papers) > 1:
        rows.append(("all", *totals.values()))
    columns = (Column("paper"), *COUNTS, Column("claims", "integer"), Column("hold", "integer"))
    return Grid(columns, rows, "Published numbers, and how many were reproduced", (_READING,))


def counts_grid(paper: Reproduction) -> Grid:
    """Every table and figure of the paper, and how the numbers in it fared."""
    rows: list[tuple[Value, ...]] = []
    notes = []
    for exhibit in paper.exhibits:
        drawn = paper.drawn(exhibit.name)
        told = f"{drawn['curves']} curves, {drawn['points']} points" if drawn["curves"] else ""
        said = "; ".join(part for part in (exhibit.note, told) if part)
        rows.append((exhibit.name, *paper.counts(exhibit.name).values()))
        if said:
            notes.append(f"{exhibit.name}: {said}")
    rows.append(("all", *paper.counts().values()))
    return Grid((Column("table"), *COUNTS), rows, notes=(*notes, *paper.notes))


def cells_grid(paper: Reproduction) -> Grid:
    """Every printed number beside what is computed, to one more decimal than the paper prints."""
    return _cells(paper.cells, "Published and computed values")


def differences_grid(paper: Reproduction) -> Grid:
    """The numbers that do not come out as printed."""
    apart = [cell for cell in paper.cells if cell.verdict in ("explained", "unexplained")]
    return _cells(apart, "Numbers that differ from the paper")


def _cells(cells: Sequence[Cell], title: str) -> Grid:
    def more(cell: Cell, value: float | None) -> Marked:
        return Marked(value, decimals=cell.decimals + (cell.decimals > 0))

    columns: dict[Column, str | Callable[[Cell], Value]] = {
        Column("table"): "table",
        Column("row"): "row",
        Column("column"): "column",
        Column("published", "number"): lambda cell: Marked(cell.published, decimals=cell.decimals),
        Column("computed", "number"): lambda cell: more(cell, cell.computed),
        Column("other data", "number", "stand_in"): lambda cell: more(cell, cell.stand_in),
        Column("source"): "source",
        Column("verdict"): "verdict",
        Column("why not"): "why",
    }
    if not any(cell.stand_in is not None for cell in cells):
        columns = {key: one for key, one in columns.items() if key.name != "stand_in"}
    return Grid.of(cells, columns, title)


def underivable_grid(paper: Reproduction) -> Grid:
    """How many numbers of each table cannot be derived, and why."""
    reasons = Counter(
        (cell.table, cell.reason) for cell in paper.cells if cell.source == "not derivable"
    )
    rows: list[tuple[Value, ...]] = [
        (table, count, reason) for (table, reason), count in reasons.items()
    ]
    columns = (Column("table"), Column("numbers", "integer"), Column("why"))
    return Grid(columns, rows, "Numbers that cannot be derived")


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
        "Claims that fail" if failing else "Claims",
    )


def directions_grid(paper: Reproduction) -> Grid:
    """How each change moves each number, in the paper and on other data."""
    same = sum(one.agrees for one in paper.directions)
    columns: dict[Column, str | Callable[[Direction], Value]] = {
        Column("table"): "table",
        Column("row"): "row",
        Column("column"): "column",
        Column("published, before", "number"): lambda one: Marked(one.published[0], decimals=2),
        Column("after", "number", "published_after"): lambda one: Marked(
            one.published[1], decimals=2
        ),
        Column("it"): "published_way",
        Column("other data, before", "number"): lambda one: Marked(one.stand_in[0], decimals=2),
        Column("after", "number", "other_after"): lambda one: Marked(one.stand_in[1], decimals=2),
        Column("it", name="other"): "stand_in_way",
        Column("same way"): lambda one: "yes" if one.agrees else "no",
    }
    notes = (f"{same} of {len(paper.directions)} move the same way",)
    return Grid.of(paper.directions, columns, "Changes of a response on other data", notes)


def _matrix_grid(paper: Reproduction, matrix: Matrix) -> Grid:
    rows: list[tuple[Value, ...]] = [
        (name, *values) for name, values in zip(matrix.names, matrix.values, strict=True)
    ]
    columns = (Column(""), *(Column(name, "decimal") for name in matrix.names))
    return Grid(columns, rows, matrix.title)


def reproduction_tables(paper: Reproduction) -> Tables:
    """The tables by name, those that the paper has."""
    verdicts = {cell.verdict for cell in paper.cells}
    found = {
        "counts": counts_grid,
        **({"differences": differences_grid} if verdicts & {"explained", "unexplained"} else {}),
        **({"underivable": underivable_grid} if "not derivable" in verdicts else {}),
        "cells": cells_grid,
        **({"directions": directions_grid} if paper.directions else {}),
    }
    matrices = {one.name: partial(_matrix_grid, matrix=one) for one in paper.matrices}
    return {**found, **matrices, **({"claims": claims_grid} if paper.claims else {})}
