"""Small tables for people: as text, and as HTML for notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

Row = Sequence[str]


def text_table(titles: Row, rows: Sequence[Row]) -> str:
    """Aligned with blanks; a column in which all cells are numbers is aligned to the right.

    >>> print(text_table(("name", "F1"), [("Anna", "50.00"), ("it", "7.50")]))
    name     F1
    Anna  50.00
    it     7.50
    """
    columns = list(zip(titles, *rows, strict=True))
    widths = [max(map(len, column)) for column in columns]
    numeric = [all(_is_number(cell) for cell in column[1:]) for column in columns]
    lines = []
    for row in (titles, *rows):
        cells = (
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(row, widths, numeric, strict=True)
        )
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def html_table(titles: Row, rows: Sequence[Row]) -> str:
    """The same as HTML, in which every cell is data and never markup."""
    head = "".join(f"<th>{escape(title)}</th>" for title in titles)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def shortened(text: str, width: int = 40) -> str:
    """The text, or its beginning and three dots."""
    return text if len(text) <= width else f"{text[: width - 1].rstrip()}…"


def percent(value: float | None) -> str:
    """A share in percent with two decimals; nothing where there is none."""
    return "" if value is None else f"{100 * value:.2f}"


def signed_percent(value: float) -> str:
    """A difference in points, with its sign unless it is 0."""
    shown = f"{100 * value:+.2f}"
    return "0.00" if shown in ("+0.00", "-0.00") else shown


def _is_number(cell: str) -> bool:
    return not cell or cell.lstrip("+-").replace(",", "").replace(".", "", 1).isdigit()
