"""Elements that charts share: series, axes, legends, patterns and marks.

Colours are classes (``cf-c0`` to ``cf-c7``) that the style resolves, so that they follow dark mode.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from corefine.output.charts.figure import Figure
from corefine.output.charts.scales import Linear, Scale, present, shown, tick_labels
from corefine.output.grid import Column, Grid, Unit, Value
from corefine.output.markup import Element, element
from corefine.output.plain_text import fitted, text_width

COLOURS = 8
"""Number of colours; patterns and shapes repeat with other periods."""
SHAPES = 6
FONT = 12.0
LINE = 18.0


@dataclass(frozen=True, slots=True)
class Series:
    """Named values, one for each category or place, with the ends of their intervals if any."""

    name: str
    values: Sequence[float | None]
    low: Sequence[float | None] | None = None
    high: Sequence[float | None] | None = None

    def interval(self, index: int) -> tuple[float, float] | None:
        """The bounds of a value's interval, if both are known."""
        if self.low is None or self.high is None:
            return None
        low, high = self.low[index], self.high[index]
        return (low, high) if present(low) and present(high) else None

    def all_values(self) -> list[float | None]:
        """The values and the ends of their intervals."""
        return [*self.values, *(self.low or ()), *(self.high or ())]

    def text(self, index: int, unit: Unit) -> str:
        """One value in words, with its interval."""
        ends = self.interval(index)
        value = shown(self.values[index], unit)
        if ends is None:
            return value
        return f"{value} ({shown(ends[0], unit)} to {shown(ends[1], unit)})"


def series_grid(
    first: Column, places: Sequence[Value], series: Sequence[Series], unit: Unit
) -> Grid:
    """The numbers of a chart: one row per place, columns per series and for intervals."""
    columns = [first]
    for one in series:
        columns.append(Column(one.name, unit))
        if one.low is not None and one.high is not None:
            columns += [Column(f"{one.name} low", unit), Column(f"{one.name} high", unit)]
    rows: list[tuple[Value, ...]] = []
    for index, place in enumerate(places):
        row: list[Value] = [place]
        for one in series:
            row.append(_clean(one.values[index]))
            if one.low is not None and one.high is not None:
                row += [_clean(one.low[index]), _clean(one.high[index])]
        rows.append(tuple(row))
    return Grid(tuple(columns), rows)


def _clean(value: float | None) -> float | None:
    return value if present(value) else None


def colour(index: int) -> str:
    """The class of a series' colour."""
    return f"cf-c{index % COLOURS}"


def tooltip(text: str) -> Element:
    return element("title", text)


def label(
    text: str,
    x: float,
    y: float,
    *,
    anchor: str = "start",
    class_: str = "cf-label",
    width: float | None = None,
    turned: bool = False,
) -> Element:
    """A text; one that is wider than ``width`` is cut, and whole in its tooltip."""
    cut = text if width is None else fitted(text, width, FONT)
    return element(
        "text",
        cut,
        [] if cut == text else [tooltip(text)],
        x=x,
        y=y,
        class_=class_,
        text_anchor=anchor,
        transform=f"rotate(-90 {x:g} {y:g})" if turned else None,
    )


def straight(x1: float, y1: float, x2: float, y2: float, class_: str, title: str = "") -> Element:
    """A straight line."""
    inside = [tooltip(title)] if title else []
    return element("line", inside, x1=x1, x2=x2, y1=y1, y2=y2, class_=class_)


class Rows:
    """The frame of charts with one row per category: names at the left, the axis below.

    ``marks`` has its legend and its axis, and takes what the chart draws.
    """

    def __init__(
        self,
        names: Sequence[str],
        row_height: float,
        limits: tuple[float, float],
        unit: Unit,
        value_title: str,
        *,
        width: float,
        series: Sequence[str] = (),
        shape: str = "point",
        right: float = 16.0,
        widest: float = 200.0,
    ) -> None:
        self.width = width
        self.left = names_width(names, widest)
        self.top = legend_height(series, width) + 6
        self.bottom = self.top + row_height * len(names)
        self.height = self.bottom + (40 if value_title else 24)
        self.scale = Linear(*limits, self.left, width - right)
        self.marks = legend(series, 0, 10, width, shape) if len(series) > 1 else []
        self.marks += bottom_axis(self.scale, self.bottom, self.top, unit, value_title)
        self.cut = cut_note(limits, unit)
        if self.cut:
            self.marks += cut_mark(self.left, self.bottom)

    def name(self, text: str, y: float) -> None:
        """Write the name of a row."""
        self.marks.append(label(text, self.left - 8, y, anchor="end", width=self.left - 12))

    def upright(self, x: float) -> None:
        """Draw a line through all rows."""
        self.marks.append(straight(x, self.top, x, self.bottom, "cf-baseline"))

    def figure(self, title: str, description: str, grid: Grid) -> Figure:
        """The finished chart."""
        description = f"{description} {self.cut}".strip()
        return Figure(title, description, self.width, self.height, tuple(self.marks), grid)


def bottom_axis(scale: Scale, y: float, top: float, unit: Unit, title: str = "") -> list[Element]:
    """Grid lines from ``top`` to ``y``, the numbers below them, and the axis' title."""
    values = scale.ticks()
    marks = []
    for value, text in zip(values, tick_labels(values, unit), strict=True):
        x = scale(value)
        marks.append(straight(x, top, x, y, "cf-gridline"))
        marks.append(label(text, x, y + 15, anchor="middle", class_="cf-tick"))
    if title:
        middle = (scale(values[0]) + scale(values[-1])) / 2
        marks.append(label(title, middle, y + 32, anchor="middle", class_="cf-axis"))
    return marks


def left_axis(scale: Scale, x: float, right: float, unit: Unit, title: str = "") -> list[Element]:
    """Grid lines from ``x`` to ``right``, the numbers left of them, and the axis' title."""
    values = scale.ticks()
    marks = []
    for value, text in zip(values, tick_labels(values, unit), strict=True):
        y = scale(value)
        marks.append(straight(x, y, right, y, "cf-gridline"))
        marks.append(label(text, x - 6, y + 4, anchor="end", class_="cf-tick"))
    if title:
        middle = (scale(values[0]) + scale(values[-1])) / 2
        marks.append(label(title, x - 44, middle, anchor="middle", class_="cf-axis", turned=True))
    return marks


def cut_note(limits: tuple[float, float], unit: Unit) -> str:
    """A note for an axis of scores that does not begin at 0, or ""."""
    if unit != "percent" or limits[0] <= 0:
        return ""
    begin = f"{100 * limits[0]:.1f}".removesuffix(".0")
    return f"The axis is cut: it begins at {begin}."


def cut_mark(x: float, y: float) -> list[Element]:
    """A zigzag at the beginning of an axis that does not begin at 0."""
    d = f"M{x - 7:.1f} {y:.1f}l3 -4l4 8l4 -8l3 4"
    return [element("path", tooltip("The axis is cut here."), d=d, class_="cf-cut")]


def names_width(names: Sequence[str], most: float = 200.0) -> float:
    """Width of the row names."""
    return min(max((text_width(name, FONT) for name in names), default=0.0), most) + 12


def legend(names: Sequence[str], x: float, y: float, width: float, shape: str) -> list[Element]:
    """The names of the series with their marks, in as many lines as they need."""
    marks: list[Element] = []
    across, down = x, y
    for index, name in enumerate(names):
        room = min(text_width(name, FONT), width - 24) + 40
        if across + room > x + width + 24 and across > x:
            across, down = x, down + LINE
        marks.extend(_key(shape, index, across, down))
        marks.append(label(name, across + 18, down + 4, width=width - 24))
        across += room
    return marks


def legend_height(names: Sequence[str], width: float) -> float:
    """Height of the legend; 0 for a single series."""
    if len(names) < 2:
        return 0.0
    across, lines = 0.0, 1
    for name in names:
        room = min(text_width(name, FONT), width - 24) + 40
        if across + room > width + 24 and across > 0:
            across, lines = 0.0, lines + 1
        across += room
    return lines * LINE + 6


def _key(shape: str, index: int, x: float, y: float) -> list[Element]:
    if shape == "bar":
        return bar(x, y - 6, 12, 12, index)
    if shape == "line":
        return [straight(x, y, x + 14, y, f"cf-line cf-d{index % 4} {colour(index)}")]
    return [marker(index, x + 6, y)]


def bar(
    x: float, y: float, width: float, height: float, index: int, title: str = ""
) -> list[Element]:
    """A filled rectangle with the pattern of its series: strokes, not colour alone."""
    inside = [tooltip(title)] if title else []
    marks = [
        element(
            "rect", inside, x=x, y=y, width=width, height=height, class_=f"cf-fill {colour(index)}"
        )
    ]
    if width > 0 and height > 0 and index % COLOURS:
        path = _hatching(x, y, width, height, index)
        marks.append(element("path", inside, d=path, class_="cf-hatch"))
    return marks


def _hatching(x: float, y: float, width: float, height: float, index: int) -> str:
    """Lines inside a rectangle: rising, falling, upright, level, and mixtures of them.

    They are lines and not a pattern by reference, which a page with several drawings would need
    to keep apart by name.
    """
    kind, step = (index - 1) % 4, 5.0 + 2 * ((index - 1) // 4 % 2)
    parts = []
    if kind in (0, 1):
        place = step
        while place < width + height:
            # A rising line cuts the left or the bottom edge, and the top or the right edge.
            x1, y1 = max(0.0, place - height), min(place, height)
            x2, y2 = min(place, width), max(0.0, place - width)
            if kind == 1:
                y1, y2 = height - y1, height - y2
            parts.append(f"M{x + x1:.1f} {y + y1:.1f}L{x + x2:.1f} {y + y2:.1f}")
            place += step
    elif kind == 2:
        places = (x + step * number for number in range(1, int(width / step) + 1))
        parts = [f"M{place:.1f} {y:.1f}v{height:.1f}" for place in places]
    else:
        places = (y + step * number for number in range(1, int(height / step) + 1))
        parts = [f"M{x:.1f} {place:.1f}h{width:.1f}" for place in places]
    return "".join(parts)


def whisker(low: float, high: float, at: float) -> list[Element]:
    """An interval: a line with a short end at each side, with a halo to be seen on a bar."""
    d = f"M{low:.1f} {at - 3:.1f}v6M{low:.1f} {at:.1f}H{high:.1f}M{high:.1f} {at - 3:.1f}v6"
    return [element("path", d=d, class_="cf-halo"), element("path", d=d, class_="cf-whisker")]


def marker(index: int, x: float, y: float, title: str = "", **data: str) -> Element:
    """A point in the shape and the colour of its series."""
    inside = [tooltip(title)] if title else []
    shape = index % SHAPES
    class_ = f"cf-point {colour(index)}"
    if shape == 0:
        return element("circle", inside, cx=x, cy=y, r=4.5, class_=class_, **data)
    outlines = {
        1: f"M{x - 4:.1f} {y - 4:.1f}h8v8h-8z",
        2: f"M{x:.1f} {y - 5.5:.1f}l5 9h-10z",
        3: f"M{x:.1f} {y - 5.5:.1f}l5.5 5.5l-5.5 5.5l-5.5 -5.5z",
        4: f"M{x:.1f} {y + 5.5:.1f}l5 -9h-10z",
        5: f"M{x - 5:.1f} {y - 1.5:.1f}h3.5v-3.5h3v3.5h3.5v3h-3.5v3.5h-3v-3.5h-3.5z",
    }
    return element("path", inside, d=outlines[shape], class_=class_, **data)
