"""Elements that charts share: scales, series, axes, legends and marks.

Colours are classes (``cf-c0`` to ``cf-c7``) that the style resolves, so that they follow dark mode.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeGuard

from corefine.output.charts.figure import FONT
from corefine.output.grid import Column, Grid, Unit, Value
from corefine.output.html import Element, element
from corefine.output.plain_text import fitted, text_width

COLOURS = 8
SHAPES = 4
LINE = 18.0


@dataclass(frozen=True, slots=True)
class Scale:
    """A linear mapping from values to coordinates, with ticks."""

    low: float
    high: float
    begin: float
    end: float
    count: int = 5

    def __call__(self, value: float) -> float:
        if self.high == self.low:
            return (self.begin + self.end) / 2
        share = (value - self.low) / (self.high - self.low)
        return self.begin + share * (self.end - self.begin)

    def ticks(self) -> list[float]:
        return round_values(self.low, self.high, self.count)


def round_values(low: float, high: float, count: int = 5) -> list[float]:
    """About ``count`` round numbers between two values: steps of 1, 2 or 5 times a power of ten.

    >>> round_values(0, 1)
    [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    """
    if not high > low:
        return [low]
    step = 10.0 ** math.floor(math.log10((high - low) / count))
    step *= min((1, 2, 5, 10), key=lambda factor: abs((high - low) / (factor * step) - count))
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [round(number * step, 12) for number in range(first, last + 1)]


def limits_of(values: Iterable[float | None]) -> tuple[float, float]:
    """The least and the greatest value with some room."""
    known = [value for value in values if present(value)]
    if not known:
        return 0.0, 1.0
    low, high = min(known), max(known)
    room = (high - low) * 0.05 or abs(high) * 0.05 or 1.0
    return low - room, high + room


def fitted_limits(
    values: Iterable[float | None], *, ends: tuple[float, float] = (0.0, 1.0), step: float = 0.05
) -> tuple[float, float]:
    """Ends of an axis that fit the values: round ones outside of all of them, within ``ends``.

    >>> fitted_limits([0.47, 0.78])
    (0.45, 0.8)
    """
    known = [value for value in values if present(value)]
    if not known:
        return ends
    low = math.floor(round(min(known) / step, 6) - 0.2) * step
    high = math.ceil(round(max(known) / step, 6) + 0.2) * step
    return round(max(low, ends[0]), 9), round(min(high, ends[1]), 9)


def present(value: float | None) -> TypeGuard[float]:
    """True if there is a value to draw."""
    return value is not None and math.isfinite(value)


def shown(value: float | None, unit: Unit) -> str:
    """A value as shown in tables and tooltips."""
    return Column("", unit).shown(value) if present(value) else ""


def tick_labels(values: Sequence[float], unit: Unit) -> list[str]:
    """Ticks in percent or as they are, with as many decimals as the steps between them need."""
    scaled = [value * (100 if unit in ("percent", "difference") else 1) for value in values]
    for decimals in range(7):
        if all(abs(value - round(value, decimals)) < 1e-9 * max(1, abs(value)) for value in scaled):
            break
    return [f"{value + 0.0:,.{decimals}f}".replace("-", "−") for value in scaled]


@dataclass(frozen=True, slots=True)
class Series:
    """Named values, one for each category or place, with their intervals if there are any."""

    name: str
    values: Sequence[float | None]
    intervals: Sequence[Sequence[float] | None] = ()

    def interval(self, index: int) -> tuple[float, float] | None:
        """The ends of a value's interval, if both are known."""
        low, high = (self.intervals[index] if self.intervals else None) or (None, None)
        return (low, high) if present(low) and present(high) else None

    def all_values(self) -> list[float | None]:
        """The values and the ends of their intervals."""
        return [*self.values, *(end for ends in self.intervals if ends for end in ends)]

    def text(self, index: int, unit: Unit) -> str:
        """One value in words, with its interval."""
        ends, value = self.interval(index), shown(self.values[index], unit)
        return (
            value if ends is None else f"{value} ({shown(ends[0], unit)} to {shown(ends[1], unit)})"
        )


def series_grid(
    first: Column, places: Sequence[Value], series: Sequence[Series], unit: Unit
) -> Grid:
    """The numbers of a chart: one row per place, columns per series and for intervals."""
    columns, listed = [first], []
    for one in series:
        columns.append(Column(one.name, unit))
        listed.append(one.values)
        if one.intervals:
            columns += [Column(f"{one.name} {end}", unit) for end in ("low", "high")]
            ends = [one.interval(at) or (None, None) for at in range(len(places))]
            listed += zip(*ends, strict=True)
    rows: list[tuple[Value, ...]] = [
        (place, *(values[at] if present(values[at]) else None for values in listed))
        for at, place in enumerate(places)
    ]
    return Grid(tuple(columns), rows)


def colour(index: int) -> str:
    """The class of a series' colour."""
    return f"cf-c{index % COLOURS}"


def tooltip(text: str) -> list[Element]:
    return [element("title", text)] if text else []


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
        [] if cut == text else tooltip(text),
        x=x,
        y=y,
        class_=class_,
        text_anchor=anchor,
        transform=f"rotate(-90 {x:g} {y:g})" if turned else None,
    )


def straight(x1: float, y1: float, x2: float, y2: float, class_: str) -> Element:
    """A straight line."""
    return element("line", x1=x1, x2=x2, y1=y1, y2=y2, class_=class_)


def bottom_axis(
    scale: Scale,
    y: float,
    top: float,
    unit: Unit,
    title: str = "",
    named: Sequence[tuple[float, str]] = (),
) -> list[Element]:
    """Grid lines from ``top`` to ``y``, the numbers or names below them, and the axis' title."""
    values = scale.ticks()
    listed = named or list(zip(values, tick_labels(values, unit), strict=True))
    marks = []
    edge = -math.inf  # numbers that would touch are left out
    for value, text in listed:
        x, half = scale(value), text_width(text, FONT) / 2
        marks.append(straight(x, top, x, y, "cf-gridline"))
        if x - half > edge:
            marks.append(label(text, x, y + 15, anchor="middle", class_="cf-tick"))
            edge = x + half + 2
    if title:
        middle = (scale.begin + scale.end) / 2
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
        middle = (scale.begin + scale.end) / 2
        marks.append(label(title, x - 44, middle, anchor="middle", class_="cf-axis", turned=True))
    return marks


def names_width(names: Sequence[str], most: float) -> float:
    """Width of the row names."""
    return min(max((text_width(name, FONT) for name in names), default=0.0), most) + 12


def legend(names: Sequence[str], width: float, shape: str) -> tuple[list[Element], float]:
    """The names of several series with their marks, and the height that these take."""
    marks: list[Element] = []
    if len(names) < 2:
        return marks, 0.0
    across, down = 0.0, 10.0
    for index, name in enumerate(names):
        room = min(text_width(name, FONT), width - 24) + 40
        if across + room > width + 24 and across > 0:
            across, down = 0.0, down + LINE
        marks.append(_key(shape, index, across, down))
        marks.append(label(name, across + 18, down + 4, width=width - 24))
        across += room
    return marks, down + 14


def _key(shape: str, index: int, x: float, y: float) -> Element:
    if shape == "line":
        return straight(x, y, x + 14, y, f"cf-line cf-d{index % 4} {colour(index)}")
    return marker(index, x + 6, y)


def whisker(low: float, high: float, at: float) -> list[Element]:
    """An interval: a line with a short end at each side."""
    d = f"M{low:.1f} {at - 3:.1f}v6M{low:.1f} {at:.1f}H{high:.1f}M{high:.1f} {at - 3:.1f}v6"
    return [element("path", d=d, class_="cf-halo"), element("path", d=d, class_="cf-whisker")]


def marker(index: int, x: float, y: float, title: str = "") -> Element:
    """A point in the shape and the colour of its series."""
    shape = index % SHAPES
    class_ = f"cf-point {colour(index)}"
    if shape == 0:
        return element("circle", tooltip(title), cx=x, cy=y, r=4.5, class_=class_)
    outlines = {
        1: f"M{x - 4:.1f} {y - 4:.1f}h8v8h-8z",
        2: f"M{x:.1f} {y - 5.5:.1f}l5 9h-10z",
        3: f"M{x:.1f} {y - 5.5:.1f}l5.5 5.5l-5.5 5.5l-5.5 -5.5z",
    }
    return element("path", tooltip(title), d=outlines[shape], class_=class_)
