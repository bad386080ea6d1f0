"""Charts of a page as tables: estimates on a shared axis, and shaded matrices.

The text is that of the page and places are percentages, so that a chart fits any width, is drawn
once, can be searched, and holds its own numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from corefine.output.charts.axes import Scale, fitted_limits, limits_of, tick_labels
from corefine.output.grid import Column, Unit
from corefine.output.html import Element, element

OPACITY = (4, 12, 20, 28, 36, 80, 87, 94, 100)
"""Shares of the colour in the shades of a matrix: none is too dark or too light for its number."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """One row of a chart: a value with its interval."""

    name: str | Element
    value: float | None
    interval: Sequence[float] | None = None
    series: int = 0
    """The number of its colour and shape."""
    group: str = ""
    """Heading that several consecutive rows share."""
    note: str | Element = ""
    """Content of a further column."""


class Axis:
    """An axis across the rows of a table: cells with points and intervals, and the numbers below.

    ``reference`` is marked by an upright line, as no difference at 0.
    """

    def __init__(
        self, values: Iterable[float | None], unit: Unit = "percent", reference: float | None = None
    ) -> None:
        known = [*values]
        ends = fitted_limits(known) if reference is None else limits_of([*known, reference])
        self._scale, self._unit = Scale(*ends, 0, 100, 4), unit
        self._grid = [_upright(self._scale(value), None) for value in self._scale.ticks()]
        if reference is not None:
            self._grid.append(_upright(self._scale(reference), "zero"))

    def cell(
        self, value: float | None, interval: Sequence[float] | None, series: int = 0
    ) -> Element:
        """A point and its interval, at percentages of the width."""
        marks = []
        if interval is not None:
            low, high = (f"{self._scale(end):.4g}%" for end in interval)
            marks.append(element("line", x1=low, x2=high, y1="50%", y2="50%", class_="ci"))
        if value is not None:
            # A nested drawing can be placed by percentages, which a path cannot.
            shape = element("use", href=f"#mark{series % 4}", class_=f"cf-c{series % 8}")
            marks.append(element("svg", shape, x=f"{self._scale(value):.4g}%", y="50%"))
        drawn = element("svg", self._grid, marks, height=20, aria_hidden="true")
        return element("td", drawn, class_="plot")

    def foot(self) -> Element:
        """The cell below, with numbers."""
        values = self._scale.ticks()
        labels = [
            element("text", text, x=f"{self._scale(value):.4g}%", y=12)
            for value, text in zip(values, tick_labels(values, self._unit), strict=True)
        ]
        return element(
            "td", element("svg", labels, height=16, aria_hidden="true"), class_="plot axis"
        )


def estimates(
    title: str,
    rows: Sequence[Estimate],
    *,
    heads: Sequence[str],
    unit: Unit = "percent",
    reference: float | None = None,
) -> Element:
    """Points with intervals on one axis, a row each; ``heads`` are the titles of columns."""
    values = (end for one in rows for end in (one.value, *(one.interval or ())))
    axis, column = Axis(values, unit, reference), Column("", unit)
    grouped, noted = any(one.group for one in rows), any(one.note for one in rows)
    body: list[Element] = []
    for group, together in groupby(rows, lambda one: str(one.group)):
        members = list(together)
        for at, one in enumerate(members):
            first = grouped and at == 0
            above = element("th", group, scope="rowgroup", rowspan=len(members), dir="auto")
            shown: list[str | Element] = [column.shown(one.value) or "–"]
            if one.interval is not None:
                low, high = (column.shown(end) for end in one.interval)
                shown.append(element("span", f" [{low}, {high}]", class_="ends"))
            body.append(
                element(
                    "tr",
                    [above] if first else [],
                    element("th", one.name, scope="row", dir="auto"),
                    axis.cell(one.value, one.interval, one.series),
                    element("td", shown, class_="number"),
                    [element("td", one.note, class_="number")] if noted else [],
                    class_="first" if first else None,
                )
            )
    empty, names = element("td", ""), 1 + grouped
    foot = element("tr", [empty] * names, axis.foot(), [empty] * (1 + noted))
    head = [element("th", name, scope="col") for name in heads[:names]]
    head += [empty, *(element("th", name, scope="col", class_="number") for name in heads[names:])]
    return chart(title, element("tr", head), body, foot)


def _upright(x: float, class_: str | None) -> Element:
    return element("line", x1=f"{x:.4g}%", x2=f"{x:.4g}%", y2="100%", class_=class_)


MARKS = element(
    "svg",
    element("circle", id="mark0", r=4.5),
    element("path", id="mark1", d="M-4 -4h8v8h-8z"),
    element("path", id="mark2", d="M0 -5.5l5 9h-10z"),
    element("path", id="mark3", d="M0 -5.5l5.5 5.5l-5.5 5.5l-5.5 -5.5z"),
    width=0,
    height=0,
    aria_hidden="true",
    class_="marks",
)
"""Shapes of points, of which a page with charts has one copy."""


def matrix(
    title: str,
    rows: Sequence[str],
    columns: Sequence[str],
    values: Sequence[Sequence[float | None]],
    *,
    unit: Unit = "integer",
    first: str = "",
    limits: tuple[float, float] | None = None,
    links: Sequence[Sequence[str]] | None = None,
    notes: Sequence[Sequence[str]] | None = None,
    pale: Callable[[int, int], bool] | None = None,
) -> Element:
    """Numbers in cells shaded from the least to the greatest; values around 0 have two hues.

    Numbers other than 0 are ``links``; ``notes`` are below them; ``pale`` cells are not shaded.
    """
    known = [value for row in values for value in row if value is not None]
    low, high = limits or (min(known, default=0.0), max(known, default=1.0))
    if low < 0:
        low, high = 0.0, max(-low, high)
    column = Column("", unit)
    body = []
    for down, (name, row) in enumerate(zip(rows, values, strict=True)):
        cells = []
        for across, value in enumerate(row):
            if value is None:
                cells.append(element("td", ""))
                continue
            share = (min(abs(value), high) - low) / (high - low) if high > low else 0.5
            depth = min(int(max(share, 0.0) * len(OPACITY)), len(OPACITY) - 1)
            depth = 0 if pale is not None and pale(down, across) else depth
            text: str | Element = column.shown(value)
            if links is not None and value:
                text = element("a", text, href=links[down][across])
            note = [element("small", notes[down][across])] if notes and notes[down][across] else []
            hue = "warm" if value < 0 else "cool"
            cells.append(element("td", text, note, class_=f"number {hue} shade{depth}"))
        body.append(element("tr", element("th", name, scope="row", dir="auto"), cells))
    head = [element("th", name, scope="col", class_="number") for name in columns]
    corner = element("th", first, scope="col") if first else element("td", "")
    return chart(title, element("tr", corner, head), body, class_="matrix")


def chart(
    title: str,
    head: Element,
    body: Iterable[Element],
    foot: Element | None = None,
    class_: str = "estimates",
) -> Element:
    """The table of a chart, which scrolls by itself where it is wider than its place."""
    table = element(
        "table",
        element("caption", title),
        element("thead", head),
        element("tbody", body),
        [element("tfoot", foot)] if foot is not None else [],
        class_=class_,
    )
    return element("div", table, class_="scroll", tabindex=0, role="region", aria_label=title)
