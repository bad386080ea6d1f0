"""Elements of HTML and SVG in which text can never become markup, and grids as HTML tables.

An :class:`Element` is written with every attribute and every string escaped, so that whatever a
corpus contains is shown and never run.

>>> print(element("text", "a < b", class_="label", x=1.5))
<text class="label" x="1.5">a &lt; b</text>
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby

from corefine.output.grid import Column, Grid, Marked, Value
from corefine.output.plain_text import showable

Attribute = str | int | float | None
VOID = ("input",)
"""Elements without content, which have no end tag."""
SHAPES = ("circle", "line", "path", "rect", "use")
"""Elements of drawings that may end at once."""


@dataclass(frozen=True, slots=True)
class Element:
    """One element: its name, attributes and content."""

    name: str
    attributes: tuple[tuple[str, Attribute], ...]
    children: tuple[Element | str, ...]

    def __str__(self) -> str:
        written = "".join(
            f' {name}="{escape(showable(_value(value)))}"'
            for name, value in self.attributes
            if value is not None
        )
        if self.name in VOID:
            return f"<{self.name}{written}>"
        if self.name in SHAPES and not self.children:
            return f"<{self.name}{written}/>"
        inside = "".join(
            str(child) if isinstance(child, Element) else escape(showable(child), quote=False)
            for child in self.children
        )
        return f"<{self.name}{written}>{inside}</{self.name}>"


def element(
    name: str, *children: Element | str | Iterable[Element | str], **attributes: Attribute
) -> Element:
    """An element; ``class_`` is the attribute class, ``stroke_width`` is stroke-width.

    Children are elements, strings and lists of them; an attribute that is None is left out.
    """
    inside: list[Element | str] = []
    for child in children:
        if isinstance(child, Element | str):
            inside.append(child)
        else:
            inside.extend(child)
    named = tuple((key.rstrip("_").replace("_", "-"), value) for key, value in attributes.items())
    return Element(name, named, tuple(inside))


def _value(value: Attribute) -> str:
    if isinstance(value, float):
        return f"{round(value, 2):g}" if abs(value) < 1e5 else str(round(value, 2))
    return str(value)


def grid_table(grid: Grid, *, caption: str = "", class_: str = "cf-table") -> Element:
    """The grid as a table; the first column of text names the rows."""
    body = []
    for row in grid.rows:
        cells = [
            element(
                "th" if number == 0 and column.unit == "text" else "td",
                _content(column, value),
                scope="row" if number == 0 and column.unit == "text" else None,
                class_=_class(column.unit, value),
                dir="auto" if column.unit == "text" else None,
            )
            for number, (column, value) in enumerate(zip(grid.columns, row, strict=True))
        ]
        body.append(element("tr", cells))
    title = caption or grid.title
    return element(
        "table",
        [element("caption", title)] if title else [],
        element("thead", _head(grid.columns)),
        element("tbody", body),
        class_=class_,
    )


def grid_block(grid: Grid) -> Element:
    """The table with the grid's notes below it."""
    notes = [element("p", element("small", note)) for note in grid.notes]
    return element("div", grid_table(grid), notes)


def table_html(title: str, heads: Sequence[str], rows: Sequence[tuple[Value, ...]], of: int) -> str:
    """The first rows of an object for a notebook, under its title."""
    columns = tuple(
        Column(head, "text" if not rows or isinstance(rows[0][at], str) else "integer")
        for at, head in enumerate(heads)
    )
    notes = (f"… {of - len(rows):,} more",) if of > len(rows) else ()
    return str(grid_block(Grid(columns, rows, title, notes)))


def _head(columns: tuple[Column, ...]) -> list[Element]:
    """A row of titles, below one of the groups where there are any."""
    titles = [
        element(
            "th",
            column.title,
            scope="col",
            class_=_class(column.unit),
            data_name=column.name or None,
        )
        if column.title
        else element("td", "")
        for column in columns
    ]
    if not any(column.group for column in columns):
        return [element("tr", titles)]
    groups = [(name, len(list(run))) for name, run in groupby(columns, lambda one: one.group)]
    above = [
        element("th", name, scope="colgroup", colspan=count, class_="group", dir="auto")
        if name
        else element("td", "", colspan=count)
        for name, count in groups
    ]
    return [element("tr", above), element("tr", titles)]


def _content(column: Column, value: Value) -> list[Element | str]:
    number, mark, best = column.parts(value)
    raised = [element("sup", mark)] if mark else []
    return [element("strong", number) if best else number, *raised]


def _class(unit: str, value: Value = None) -> str | None:
    tone = value.tone if isinstance(value, Marked) else ""
    return None if unit == "text" else f"number {tone}".rstrip()
