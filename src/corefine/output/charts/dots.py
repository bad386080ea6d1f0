"""Estimates with intervals, and the spread of many values, one row each."""

from __future__ import annotations

from collections.abc import Sequence

from corefine.output.charts.figure import Figure
from corefine.output.charts.frame import Rows, Series, colour, marker, series_grid, whisker
from corefine.output.charts.scales import limits_of, present, shown
from corefine.output.grid import Column, Grid, Unit, Value
from corefine.output.markup import element

ROW = 20.0
STEP = 10.0
"""Between the series of one row, so that their whiskers do not cover each other."""


def dot_chart(
    title: str,
    categories: Sequence[str],
    series: Sequence[Series],
    *,
    unit: Unit = "percent",
    description: str = "",
    value_title: str = "",
    limits: tuple[float, float] | None = None,
    reference: float | None = None,
    width: float = 640,
    first: str = "",
) -> Figure:
    """A row for each category with a point for each series and whiskers where it has intervals.

    ``reference`` draws an upright line, such as no difference at 0.
    """
    values = [value for one in series for value in one.all_values()]
    names = [one.name for one in series]
    row_height = max(ROW, STEP * len(series) + 8)
    ends_of_axis = limits or limits_of([*values, reference])
    frame = Rows(categories, row_height, ends_of_axis, unit, value_title, width=width, series=names)
    scale, marks = frame.scale, frame.marks
    if reference is not None:
        frame.upright(scale(reference))
    for row, category in enumerate(categories):
        middle = frame.top + (row + 0.5) * row_height
        frame.name(category, middle + 4)
        for number, one in enumerate(series):
            value = one.values[row]
            if not present(value):
                continue
            y = middle + (number - (len(series) - 1) / 2) * STEP
            ends = one.interval(row)
            if ends is not None:
                marks += whisker(scale(ends[0]), scale(ends[1]), y)
            words = f"{category}, {one.name}: {one.text(row, unit)}"
            marks.append(marker(number, scale(value), y, words))
    words = description or f"Points of {', '.join(names)} in {len(categories)} rows."
    return frame.figure(title, words, series_grid(Column(first), categories, series, unit))


def strip_chart(
    title: str,
    rows: Sequence[tuple[str, int, Sequence[float]]],
    *,
    names: Sequence[str] = (),
    unit: Unit = "percent",
    description: str = "",
    value_title: str = "",
    limits: tuple[float, float] | None = None,
    width: float = 640,
) -> Figure:
    """The spread of many values in each row: every value as a tick, the quartiles as a box.

    A row is a name, the number of its series (which gives the colour; ``names`` are the series)
    and its values. Quartiles are interpolated linearly.
    """
    ends = limits or limits_of(value for _, _, values in rows for value in values)
    listed = [name for name, _, _ in rows]
    frame = Rows(listed, ROW, ends, unit, value_title, width=width, series=names)
    scale, marks = frame.scale, frame.marks
    numbers: list[tuple[Value, ...]] = []
    for row, (name, series, values) in enumerate(rows):
        y = frame.top + row * ROW
        known = sorted(value for value in values if present(value))
        # The name of a group is shown once, with its first row.
        if row == 0 or rows[row - 1][0] != name:
            frame.name(name, y + 14)
        if not known:
            continue
        quartiles = [_quantile(known, share) for share in (0.25, 0.5, 0.75)]
        words = (
            f"{name}{', ' + names[series] if names else ''}: median {shown(quartiles[1], unit)}, "
            f"interquartile range {shown(quartiles[0], unit)} to {shown(quartiles[2], unit)}"
        )
        ticks = "".join(f"M{scale(value):.1f} {y + 4:.1f}v12" for value in known)
        marks.append(element("path", d=ticks, class_=f"cf-strip {colour(series)}"))
        marks.append(
            element(
                "rect",
                element("title", words),
                x=scale(quartiles[0]),
                y=y + 6,
                width=max(scale(quartiles[2]) - scale(quartiles[0]), 1.0),
                height=8,
                class_=f"cf-box {colour(series)}",
            )
        )
        marks.append(marker(series, scale(quartiles[1]), y + 10, words))
        of = (names[series],) if names else ()
        numbers.append((name, *of, len(known), known[0], *quartiles, known[-1]))
    columns = (
        Column(""),
        *((Column("series"),) if names else ()),
        Column("values", "integer"),
        *(Column(t, unit) for t in ("least", "lower quartile", "median", "upper quartile", "most")),
    )
    words = description or f"Distribution of values in {len(rows)} rows."
    return frame.figure(title, words, Grid(columns, numbers))


def _quantile(ordered: Sequence[float], share: float) -> float:
    place = share * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (place - low) * (ordered[high] - ordered[low])
