"""Grids as HTML tables."""

from __future__ import annotations

from corefine.report.grid import Grid
from corefine.report.markup import Element, element


def grid_table(grid: Grid, *, caption: str = "", class_: str = "cf-table") -> Element:
    """The grid as a table; the first column of text names the rows."""
    head = [
        element("th", column.title, scope="col", class_=_class(column.sort))
        for column in grid.columns
    ]
    body = []
    for row in grid.cells():
        cells = [
            element(
                "th" if number == 0 and column.sort == "text" else "td",
                text,
                scope="row" if number == 0 and column.sort == "text" else None,
                class_=_class(column.sort),
                dir="auto" if column.sort == "text" else None,
            )
            for number, (column, text) in enumerate(zip(grid.columns, row, strict=True))
        ]
        body.append(element("tr", cells))
    title = caption or grid.title
    return element(
        "table",
        [element("caption", title)] if title else [],
        element("thead", element("tr", head)),
        element("tbody", body),
        class_=class_,
    )


def _class(sort: str) -> str | None:
    return None if sort == "text" else "number"
