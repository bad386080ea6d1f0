"""A reproduction as Markdown, JSON, HTML and figures: published beside computed."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from corefine.papers.results import Cell, Matrix, Plot, Reproduction
from corefine.showing.charts import Figure, Series, bar_chart, heat_map, line_chart
from corefine.showing.grid import Column, Grid, Value

COUNTS = ("published", "reproduced", "explained", "unexplained")


def counts_grid(papers: Sequence[Reproduction]) -> Grid:
    """Cells and claims by paper, and in all."""
    rows: list[tuple[Value, ...]] = []
    totals = dict.fromkeys((*COUNTS, "claims", "claims that hold"), 0)
    for paper in papers:
        counts = paper.counts()
        rows.append((paper.name, *counts.values()))
        for name, number in counts.items():
            totals[name] += number
    if len(papers) > 1:
        rows.append(("all", *totals.values()))
    columns = (Column("paper"), *(Column(name, "integer") for name in totals))
    return Grid(columns, rows, "Cells published, reproduced, explained and unexplained")


def tables_grid(paper: Reproduction) -> Grid:
    """Cells by table."""
    rows: list[tuple[Value, ...]] = []
    for table in paper.tables():
        counts = paper.counts(table)
        rows.append((table, *(counts[name] for name in COUNTS)))
    return Grid((Column("table"), *(Column(name, "integer") for name in COUNTS)), rows)


def cells_grid(paper: Reproduction, table: str) -> Grid:
    """One table, cell by cell."""
    rows: list[tuple[Value, ...]] = [
        (
            cell.row,
            cell.column,
            _written(cell, cell.published),
            _computed(cell),
            cell.verdict,
            cell.why,
        )
        if cell.verdict != "reproduced"
        else (
            cell.row,
            cell.column,
            _written(cell, cell.published),
            _computed(cell),
            "reproduced",
            "",
        )
        for cell in paper.cells
        if cell.table == table
    ]
    titles = ("row", "column", "published", "computed", "verdict", "why not")
    sorts = ("text", "text", "number", "number", "text", "text")
    columns = tuple(
        Column(title, sort)  # type: ignore[arg-type]
        for title, sort in zip(titles, sorts, strict=True)
    )
    return Grid(columns, rows, table)


def _written(cell: Cell, value: float) -> str:
    return f"{value:.{cell.decimals}f}"


def _computed(cell: Cell) -> str | None:
    if cell.computed is None:
        return None
    return f"{cell.computed:.{max(cell.decimals, 0) + (cell.decimals > 0)}f}"


def claims_grid(paper: Reproduction) -> Grid:
    rows: list[tuple[Value, ...]] = [
        (claim.where, claim.text, "holds" if claim.holds else "fails", claim.numbers, claim.why)
        for claim in paper.claims
    ]
    columns = tuple(map(Column, ("where", "claim", "verdict", "numbers", "why not")))
    return Grid(columns, rows, "Claims")


def grids(paper: Reproduction) -> list[Grid]:
    """All tables of a reproduction."""
    found = [tables_grid(paper)] if paper.cells else []
    found += [cells_grid(paper, table) for table in paper.tables()]
    found += [_matrix_grid(matrix) for matrix in paper.matrices]
    return found + ([claims_grid(paper)] if paper.claims else [])


def _matrix_grid(matrix: Matrix) -> Grid:
    rows: list[tuple[Value, ...]] = [
        (name, *(f"{value:.3f}" for value in row))
        for name, row in zip(matrix.names, matrix.values, strict=True)
    ]
    return Grid(
        (Column(""), *(Column(name, "number") for name in matrix.names)), rows, matrix.title
    )


def figures(paper: Reproduction) -> dict[str, Figure]:
    """The charts by the names of their files, without an ending."""
    drawn = {f"{paper.name}-{plot.name}": _figure(plot) for plot in paper.plots}
    for matrix in paper.matrices:
        drawn[f"{paper.name}-{matrix.name}"] = heat_map(
            matrix.title, matrix.names, matrix.names, matrix.values, unit="decimal", limits=(0, 1)
        )
    return drawn


def _figure(plot: Plot) -> Figure:
    series = [Series(curve.name, list(curve.values)) for curve in plot.curves]
    if plot.lines:
        return line_chart(
            plot.title,
            [float(point) for point in plot.points],
            series,
            place_title=plot.axis,
            value_title="F1 (%)",
            limits=(0, 1),
        )
    return bar_chart(
        plot.title,
        plot.points,
        series,
        unit="percent",
        value_title="F1 (%)",
        limits=(0, 1),
        first=plot.axis,
    )


def to_markdown(papers: Sequence[Reproduction]) -> str:
    parts = ["# Published beside computed", "", counts_grid(papers).to_markdown()]
    for paper in papers:
        parts += ["", f"## {paper.citation}", ""]
        for grid in grids(paper):
            parts += [grid.to_markdown(), ""]
        parts += [f"![{plot.title}]({paper.name}-{plot.name}.svg)" for plot in paper.plots]
        parts += [f"Note: {note}" for note in paper.notes]
    return "\n".join(parts) + "\n"


def to_dict(papers: Sequence[Reproduction]) -> dict[str, Any]:
    """The form in which reproductions are written as JSON."""
    return {
        paper.name: {
            "citation": paper.citation,
            "counts": paper.counts(),
            "tables": {table: paper.counts(table) for table in paper.tables()},
            "cells": [
                {
                    "table": cell.table,
                    "row": cell.row,
                    "column": cell.column,
                    "published": cell.published,
                    "computed": cell.computed,
                    "verdict": cell.verdict,
                    "why": "" if cell.agrees else cell.why,
                }
                for cell in paper.cells
            ],
            "claims": [
                {
                    "where": claim.where,
                    "text": claim.text,
                    "holds": claim.holds,
                    "numbers": claim.numbers,
                    "why": claim.why,
                }
                for claim in paper.claims
            ],
            "figures": {
                plot.name: {
                    "title": plot.title,
                    "points": list(plot.points),
                    "curves": {curve.name: list(curve.values) for curve in plot.curves},
                }
                for plot in paper.plots
            },
            "matrices": {
                matrix.name: {"names": list(matrix.names), "values": [*map(list, matrix.values)]}
                for matrix in paper.matrices
            },
            "notes": list(paper.notes),
        }
        for paper in papers
    }


_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem}"
    "table{border-collapse:collapse;margin:1rem 0;font-size:.9rem}"
    "th,td{padding:.2rem .6rem;border-bottom:1px solid #8886;text-align:left}"
    "td.n{text-align:right;font-variant-numeric:tabular-nums}"
    ".explained td{background:#e6c20022}.unexplained td,.fails td{background:#d5521f22}"
    "svg{max-width:100%;height:auto}@media(prefers-color-scheme:dark)"
    "{body{background:#16181c;color:#e8e8e8}svg{background:#fff}}"
)


def to_html(papers: Sequence[Reproduction]) -> str:
    """One page with all tables and figures, which needs nothing else."""
    body = ["<h1>Published beside computed</h1>", _html(counts_grid(papers))]
    for paper in papers:
        body.append(f"<h2>{escape(paper.citation)}</h2>")
        body += [_html(grid) for grid in grids(paper)]
        body += [figure.to_plain_svg() for figure in figures(paper).values()]
        body += [f"<p>{escape(note)}</p>" for note in paper.notes]
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>Published beside computed</title><style>{_STYLE}</style></head>"
        f"<body>{''.join(body)}</body></html>\n"
    )


def _html(grid: Grid) -> str:
    head = "".join(f'<th scope="col">{escape(column.title)}</th>' for column in grid.columns)
    rows = []
    for row in grid.cells():
        verdict = next((cell for cell in row if cell in ("explained", "unexplained", "fails")), "")
        cells = "".join(
            f'<td class="{"n" if column.sort != "text" else ""}">{escape(cell)}</td>'
            for column, cell in zip(grid.columns, row, strict=True)
        )
        rows.append(f'<tr class="{verdict}">{cells}</tr>')
    title = f"<caption>{escape(grid.title)}</caption>" if grid.title else ""
    return f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
