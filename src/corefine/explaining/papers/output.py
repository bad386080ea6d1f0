"""Tables, figures and pages of reproductions: published numbers next to computed ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial

from corefine.explaining.papers.results import Cell, Direction, Matrix, Plot, Reproduction
from corefine.output.charts import Figure, Series, dot_chart, heat_map, line_chart
from corefine.output.grid import Column, Grid, Marked, Value
from corefine.output.result import Tables

TITLE = "Published and computed values"
COUNTS = (
    Column("printed", "integer"),
    Column("recomputed", "integer"),
    Column("as printed", "integer", "recomputed_as_printed", priority=1),
    Column("derived", "integer"),
    Column("as printed", "integer", "derived_as_printed", priority=1),
    Column("within rounding", "integer", "within_rounding", priority=3),
    Column("not derivable", "integer", "not_derivable", priority=2),
    Column("explained", "integer", priority=2),
    Column("unexplained", "integer"),
)
"""Columns in the order of :meth:`Reproduction.counts`."""
_LEGEND = (
    "printed = recomputed + derived + not derivable; a recomputed or derived number that is not as "
    "printed may be within the rounding of the numbers it is derived from, is explained, or is "
    "unexplained"
)


def papers_grid(papers: Sequence[Reproduction]) -> Grid:
    """Numbers and claims per paper, and in total."""
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
    return Grid(columns, rows, "Published numbers, and how many were reproduced", (_LEGEND,))


def counts_grid(paper: Reproduction) -> Grid:
    """Verdicts per table and figure of a paper."""
    rows: list[tuple[Value, ...]] = []
    notes = []
    for exhibit in paper.exhibits:
        drawn = paper.drawn(exhibit.name)
        curves = f"{drawn['curves']} curves, {drawn['points']} points" if drawn["curves"] else ""
        rows.append((exhibit.name, *paper.counts(exhibit.name).values()))
        if exhibit.note or curves:
            note = "; ".join(part for part in (exhibit.note, curves) if part)
            notes.append(f"{exhibit.name}: {note}")
    rows.append(("all", *paper.counts().values()))
    return Grid((Column("table"), *COUNTS), rows, notes=(*notes, *paper.notes))


def cells_grid(paper: Reproduction) -> Grid:
    """Every printed number and its computed value, with one more decimal than printed."""
    return _cells(paper.cells, TITLE)


def differences_grid(paper: Reproduction) -> Grid:
    """The numbers that are not as printed."""
    different = [cell for cell in paper.cells if cell.verdict in ("explained", "unexplained")]
    return _cells(different, "Numbers that differ from the paper")


def rounding_grid(paper: Reproduction) -> Grid:
    """The numbers that equal the printed ones only within the rounding of their inputs."""
    near = [cell for cell in paper.cells if cell.verdict == "within rounding"]
    return _cells(near, "Numbers within the rounding of the numbers they are derived from")


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
    if not any(cell.why for cell in cells):
        columns = {key: one for key, one in columns.items() if key.title != "why not"}
    return Grid.of(cells, columns, title)


def underivable_grid(paper: Reproduction) -> Grid:
    """Number of underivable numbers per table and reason."""
    reasons = Counter(
        (cell.table, cell.reason) for cell in paper.cells if cell.source == "not derivable"
    )
    rows: list[tuple[Value, ...]] = [
        (table, count, reason) for (table, reason), count in reasons.items()
    ]
    columns = (Column("table"), Column("numbers", "integer"), Column("why"))
    return Grid(columns, rows, "Numbers that cannot be derived")


def claims_grid(paper: Reproduction, *, failing: bool = False) -> Grid:
    """All claims, or those that fail."""
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
    """Direction of each change, in the paper and on other data."""
    same = sum(one.agrees for one in paper.directions)

    def number(pair: str, after: int) -> Callable[[Direction], Value]:
        return lambda one: Marked(getattr(one, pair)[after], decimals=2)

    columns: dict[Column, str | Callable[[Direction], Value]] = {
        Column("table"): "table",
        Column("row"): "row",
        Column("column"): "column",
        Column("published, before", "number"): number("published", 0),
        Column("after", "number", "published_after"): number("published", 1),
        Column("it"): "published_way",
        Column("other data, before", "number"): number("stand_in", 0),
        Column("after", "number", "other_after"): number("stand_in", 1),
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
    """The tables that a paper has, by name."""
    verdicts = {cell.verdict for cell in paper.cells}
    return {
        "counts": counts_grid,
        **({"differences": differences_grid} if verdicts & {"explained", "unexplained"} else {}),
        **({"rounding": rounding_grid} if "within rounding" in verdicts else {}),
        **({"underivable": underivable_grid} if "not derivable" in verdicts else {}),
        "cells": cells_grid,
        **({"directions": directions_grid} if paper.directions else {}),
        **{one.name: partial(_matrix_grid, matrix=one) for one in paper.matrices},
        **({"claims": claims_grid} if paper.claims else {}),
    }


def reproduction_figures(paper: Reproduction) -> dict[str, Figure]:
    """The charts by file name, without suffix."""
    drawn = {f"{paper.name}-{plot.name}": _figure(plot) for plot in paper.plots}
    for matrix in paper.matrices:
        drawn[f"{paper.name}-{matrix.name}"] = heat_map(
            matrix.title, matrix.names, matrix.names, matrix.values, unit="decimal", limits=(0, 1)
        )
    return drawn


def _figure(plot: Plot) -> Figure:
    series = [Series(name, values) for name, values in plot.curves.items()]
    if plot.lines:
        return line_chart(
            plot.title,
            [float(point) for point in plot.points],
            series,
            place_title=plot.axis,
            value_title="F1 (%)",
            limits=(0, 1),
        )
    return dot_chart(
        plot.title,
        plot.points,
        series,
        value_title="F1 (%)",
        limits=(0, 1),
        first=plot.axis,
    )


def to_markdown(papers: Sequence[Reproduction]) -> str:
    """All tables, with links to the files of the figures."""
    parts = [f"# {TITLE}", papers_grid(papers).to_markdown()]
    for paper in papers:
        parts += [f"## {paper.citation}", paper.to_markdown()]
        parts += [f"![{figure.title}]({name}.svg)" for name, figure in paper.figures().items()]
    return "\n\n".join(parts) + "\n"
