"""Charts: points with intervals, lines, and matrices."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from corefine.output.charts.axes import (
    Scale,
    Series,
    bottom_axis,
    colour,
    label,
    left_axis,
    legend,
    limits_of,
    marker,
    names_width,
    present,
    series_grid,
    shown,
    tooltip,
    whisker,
)
from corefine.output.charts.figure import FONT, Figure, redrawable
from corefine.output.grid import Column, Grid, Unit, Value
from corefine.output.html import Element, element
from corefine.output.plain_text import text_width

MARKED = 40
"""Up to so many places the points of a line are marked; beyond that the line alone is clearer."""
SHADES = 9
ROW = 24.0
STEP = 15.0
"""Height of a series within a row."""
GAP = 10.0
UNIT: Unit = "percent"


@redrawable
def dot_chart(
    title: str,
    categories: Sequence[str],
    series: Sequence[Series],
    *,
    description: str = "",
    value_title: str = "",
    limits: tuple[float, float] | None = None,
    width: float = 640,
    first: str = "",
) -> Figure:
    """A row for each category, with a point for each series and whiskers on intervals.

    ``limits`` are the ends of the axis. ``first`` is the title of the column of categories in the
    table of numbers. Series are named next to their marks in the first row if there is room,
    otherwise in a legend.
    """
    ends = limits or limits_of(value for one in series for value in one.all_values())
    texts = [shown(value, UNIT) for one in series for value in one.values]
    names = [one.name for one in series]
    widest = max((text_width(name, FONT) for name in names), default=0.0) + 8
    named = len(series) > 1 and widest < 0.25 * width
    row_height = STEP * max(len(series), 1) + GAP
    marks, legend_height = legend([] if named else names, width, "point")
    left = names_width(categories, min(270.0, 0.4 * width))
    right = max((text_width(text, FONT) for text in texts), default=0.0) + 14
    top = legend_height + 6
    bottom = top + row_height * len(categories)
    scale = Scale(*ends, left, width - right - (widest if named else 0.0))
    marks += bottom_axis(scale, bottom, top, UNIT, value_title)
    for row, category in enumerate(categories):
        begin = top + row * row_height + GAP / 2
        y = begin + STEP * len(series) / 2 + 4
        marks.append(label(category, left - 8, y, anchor="end", width=left - 12))
        for number, one in enumerate(series):
            value = one.values[row]
            if not present(value):
                continue
            x, y = scale(min(max(value, ends[0]), ends[1])), begin + number * STEP
            words = f"{category}, {one.name}: {one.text(row, UNIT)}"
            interval = one.interval(row)
            edge = x
            if interval is not None:
                marks += whisker(scale(interval[0]), scale(interval[1]), y + STEP / 2)
                edge = max(edge, scale(interval[1]))
            marks.append(marker(number, x, y + STEP / 2, words))
            said = [shown(value, UNIT)] if len(series) == 1 else []
            said += [one.name] if named and row == 0 else []
            marks.append(label(" ".join(said), edge + 7, y + STEP - 4, class_="cf-value"))
    words = description or f"{', '.join(names)} in {len(categories)} rows."
    grid = series_grid(Column(first), categories, series, UNIT)
    return Figure(title, words, width, bottom + (40 if value_title else 24), tuple(marks), grid)


@redrawable
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
    dates: bool = False,
    width: float = 640,
    height: float = 300,
) -> Figure:
    """A line for each series over the places.

    Lines differ in colour, dash and marks, and are named at their ends if there is room. A value
    that is missing interrupts its line. With ``dates`` places are days (``date.toordinal``) and
    lines are steps: a value holds until the next one.
    """
    names = [one.name for one in series]
    widest = max((text_width(name, FONT) for name in names), default=0.0)
    direct = len(series) > 1 and widest < 0.3 * width and LABEL * len(series) < height - 60
    marks, above = ([], 0.0) if direct else legend(names, width, "line")
    top, bottom, left = above + 10, height - 42, 62.0 if value_title else 46.0
    first, last = min(places, default=1.0), max(places, default=1.0)
    # Half of the last place's number stands beyond the end of the axis.
    beyond = 36.0 if dates else text_width(shown(last, place_unit), FONT) / 2 + 2
    right = max(12.0, beyond, widest + 14 if direct else 0.0)
    ends = limits or limits_of(value for one in series for value in one.values)
    x = Scale(first, last, left + 6, width - right, 8)
    y = Scale(*ends, bottom, top)
    days = places if dates else ()
    named = [(day, date.fromordinal(int(day)).isoformat()) for day in days]
    marks += left_axis(y, left, width - right, unit, value_title)
    marks += bottom_axis(x, bottom, bottom, place_unit, place_title, named)
    for number, one in enumerate(series):
        class_ = f"cf-line cf-d{number % 4} {colour(number)}"
        marks.append(element("path", d=_path(places, one, x, y, dates), class_=class_))
        if len(places) > MARKED:
            continue
        for at, (place, value) in enumerate(zip(places, one.values, strict=True)):
            # A value that only goes on has no mark of its own.
            if present(value) and not (dates and at and one.values[at - 1] == value):
                where = named[at][1] if dates else shown(place, place_unit)
                words = f"{one.name} at {where}: {one.text(at, unit)}"
                marks.append(marker(number, x(place), y(value), words))
    if direct:
        marks += _line_names(series, x(last) + 8, y)
    column = Column(place_title or "date") if dates else Column(place_title, place_unit)
    listed: Sequence[Value] = [text for _, text in named] if dates else places
    return Figure(
        title,
        description or f"Lines of {', '.join(names)} over {place_title or 'a quantity'}.",
        width,
        height,
        tuple(marks),
        series_grid(column, listed, series, unit),
    )


LABEL = 14.0
"""Height of a name at the end of a line."""


def _line_names(series: Sequence[Series], x: float, y: Scale) -> list[Element]:
    """The names of the series at the ends of their lines, moved apart if they would touch."""
    ends = []
    for number, one in enumerate(series):
        known = [value for value in one.values if present(value)]
        if known:
            ends.append((y(known[-1]), number))
    marks, lowest = [], -LABEL
    for place, number in sorted(ends):
        lowest = max(place, lowest + LABEL)
        class_ = f"cf-name {colour(number)}"
        marks.append(label(series[number].name, x, lowest + 4, class_=class_))
    return marks


def _path(places: Sequence[float], series: Series, x: Scale, y: Scale, steps: bool) -> str:
    parts, pen = [], "M"
    for place, value in zip(places, series.values, strict=True):
        if not present(value):
            pen = "M"
            continue
        if steps and pen == "L":
            parts.append(f"H{x(place):.1f}")
        parts.append(f"{pen}{x(place):.1f} {y(value):.1f}")
        pen = "L"
    return "".join(parts)


@redrawable
def heat_map(
    title: str,
    rows: Sequence[str],
    columns: Sequence[str],
    values: Sequence[Sequence[float | None]],
    *,
    unit: Unit = "number",
    limits: tuple[float, float] | None = None,
    description: str = "",
    width: float = 640,
    first: str = "",
    cell_notes: Sequence[Sequence[str]] | None = None,
    right: Sequence[Sequence[bool | None]] | None = None,
) -> Figure:
    """Cells shaded from the least to the greatest value, with the value written in each.

    ``limits`` are the values of the lightest and the darkest shade; ``cell_notes`` are further
    text for the tooltips. If 0 is between the limits, the middle shade is 0 and the two sides have
    different hues. With ``right``, the hue says instead whether a value is right or wrong, and a
    cell of which neither is known has none.
    """
    known = [value for row in values for value in row if present(value)]
    low, high = limits or (min(known, default=0.0), max(known, default=1.0))
    diverging = low < 0 < high
    if diverging:
        low, high = -max(-low, high), max(-low, high)
    left = names_width(rows, min(180.0, 0.3 * width))
    cell = (width - left) / max(len(columns), 1)
    widest = max((text_width(name, FONT) for name in columns), default=0.0)
    turned = 0.9 * widest > cell  # the estimate of widths is on the safe side
    top = min(widest, 120) + 12 if turned else 22.0
    marks: list[Element] = []
    for number, name in enumerate(columns):
        x = left + (number + 0.5) * cell
        if turned:
            marks.append(label(name, x + 4, top - 6, width=120, turned=True))
        else:
            marks.append(label(name, x, top - 8, anchor="middle"))
    for down, name in enumerate(rows):
        y = top + down * ROW
        marks.append(label(name, left - 8, y + 16, anchor="end", width=left - 12))
        for across, value in enumerate(values[down]):
            if not present(value):
                continue
            x, text = left + across * cell, shown(value, unit)
            note = f" ({cell_notes[down][across]})" if cell_notes else ""
            words = f"{name}, {columns[across]}: {text}{note}"
            shade = _shade(value, low, high)
            depth = abs(2 * shade - SHADES + 1) if diverging else shade
            hue = "cf-warm" if diverging and value < 0 else "cf-cool"
            if right is not None:
                hue, depth = _VERDICTS[right[down][across]]
            size = {"x": x + 0.5, "y": y + 0.5, "width": cell - 1, "height": ROW - 1}
            marks.append(element("rect", tooltip(words), class_=f"{hue} cf-h{depth}", **size))
            if text_width(text, FONT) <= cell - 2:
                ink = "cf-on-dark" if depth > SHADES // 2 else "cf-on-light"
                marks.append(label(text, x + cell / 2, y + 16, anchor="middle", class_=ink))
    table: list[tuple[Value, ...]] = [
        (name, *(value if present(value) else None for value in line))
        for name, line in zip(rows, values, strict=True)
    ]
    words = description or f"A matrix of {len(rows)} by {len(columns)} values."
    grid = Grid((Column(first), *(Column(name, unit) for name in columns)), table)
    return Figure(title, words, width, top + ROW * len(rows) + 6, tuple(marks), grid)


_VERDICTS = {True: ("cf-cool", 3), False: ("cf-warm", 5), None: ("cf-cool", 0)}
"""Hue and depth of right and wrong values, and of those that are neither."""


def _shade(value: float, low: float, high: float) -> int:
    if high == low:
        return SHADES // 2
    share = (min(max(value, low), high) - low) / (high - low)
    return min(int(share * SHADES), SHADES - 1)
