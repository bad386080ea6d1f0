"""Values along a quantity."""

from __future__ import annotations

from collections.abc import Sequence

from corefine.output.charts.figure import Figure
from corefine.output.charts.frame import (
    FONT,
    Series,
    bottom_axis,
    colour,
    left_axis,
    legend,
    legend_height,
    marker,
    series_grid,
)
from corefine.output.charts.scales import Linear, Logarithmic, Scale, limits_of, present, shown
from corefine.output.grid import Column, Unit
from corefine.output.markup import Element, element
from corefine.output.plain_text import text_width

MARKED = 40
"""Up to so many places the points of a line are marked; beyond that the line alone is clearer."""


def line_chart(
    title: str,
    places: Sequence[float],
    series: Sequence[Series],
    *,
    unit: Unit = "percent",
    place_unit: Unit = "number",
    place_title: str = "",
    value_title: str = "",
    description: str = "",
    limits: tuple[float, float] | None = None,
    logarithmic: bool = False,
    width: float = 640,
    height: float = 300,
) -> Figure:
    """A line for each series over the places; an interval is a band around its line.

    Lines differ in colour, dash and marks. A value that is missing interrupts its line.
    ``logarithmic`` spreads both axes by factors; all places and values are then above 0.
    """
    names = [one.name for one in series]
    top = legend_height(names, width) + 10
    left, bottom = 62.0 if value_title else 46.0, height - 42
    known = [v for one in series for v in one.all_values() if present(v)]
    first, last = min(places, default=1.0), max(places, default=1.0)
    # Half of the last place's number stands beyond the end of the axis.
    right = max(12.0, text_width(shown(last, place_unit), FONT) / 2 + 2)
    x: Scale
    y: Scale
    if logarithmic:
        low, high = limits or (min(known, default=1.0) / 1.2, max(known, default=1.0) * 1.2)
        x = Logarithmic(first, last, left + 6, width - right)
        y = Logarithmic(low, high, bottom, top)
    else:
        low, high = limits or limits_of(known)
        x = Linear(first, last, left + 6, width - right, 8)
        y = Linear(low, high, bottom, top)
    marks = legend(names, 0, 10, width, "line") if len(series) > 1 else []
    marks += left_axis(y, left, width - right, unit, value_title)
    marks += bottom_axis(x, bottom, bottom, place_unit, place_title)
    for number, one in enumerate(series):
        marks += _band(number, places, one, x, y)
        marks.append(
            element(
                "path",
                d=_path(places, one, x, y),
                class_=f"cf-line cf-d{number % 4} {colour(number)}",
            )
        )
        if len(places) <= MARKED:
            for index, (place, value) in enumerate(zip(places, one.values, strict=True)):
                if present(value):
                    words = f"{one.name} at {shown(place, place_unit)}: {one.text(index, unit)}"
                    marks.append(marker(number, x(place), y(value), words))
    return Figure(
        title,
        description or f"Lines of {', '.join(names)} over {place_title or 'a quantity'}.",
        width,
        height,
        tuple(marks),
        series_grid(Column(place_title, place_unit), places, series, unit),
    )


def _path(places: Sequence[float], series: Series, x: Scale, y: Scale) -> str:
    parts, pen = [], "M"
    for place, value in zip(places, series.values, strict=True):
        if not present(value):
            pen = "M"
            continue
        parts.append(f"{pen}{x(place):.1f} {y(value):.1f}")
        pen = "L"
    return "".join(parts)


def _band(
    number: int, places: Sequence[float], series: Series, x: Scale, y: Scale
) -> list[Element]:
    """The area between the ends of the intervals, one for each unbroken run of them."""
    runs: list[list[tuple[float, float, float]]] = [[]]
    for index, place in enumerate(places):
        ends = series.interval(index)
        if ends is None:
            runs.append([])
        else:
            runs[-1].append((x(place), y(ends[0]), y(ends[1])))
    bands = []
    for run in runs:
        if len(run) > 1:
            upper = "L".join(f"{at:.1f} {high:.1f}" for at, _, high in run)
            lower = "L".join(f"{at:.1f} {low:.1f}" for at, low, _ in reversed(run))
            bands.append(
                element("path", d=f"M{upper}L{lower}z", class_=f"cf-band {colour(number)}")
            )
    return bands
