"""Charts with one row per category: points with intervals."""

from __future__ import annotations

from collections.abc import Sequence

from corefine.output.charts.axes import (
    Scale,
    Series,
    bottom_axis,
    label,
    legend,
    limits_of,
    marker,
    names_width,
    present,
    series_grid,
    shown,
    whisker,
)
from corefine.output.charts.figure import FONT, NARROW, Figure, redrawable
from corefine.output.grid import Column, Unit
from corefine.output.plain_text import text_width

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
    # Long names stand above their rows if the chart is narrow.
    longest = max((text_width(name, FONT) for name in categories), default=0.0)
    above = STEP + 2 if width <= NARROW and longest > 0.4 * width else 0.0
    row_height = STEP * max(len(series), 1) + GAP + above
    marks, legend_height = legend([] if named else names, width, "point")
    left = names_width([] if above else categories, min(270.0, 0.4 * width))
    right = max((text_width(text, FONT) for text in texts), default=0.0) + 14
    top = legend_height + 6
    bottom = top + row_height * len(categories)
    scale = Scale(*ends, left, width - right - (widest if named else 0.0))
    marks += bottom_axis(scale, bottom, top, UNIT, value_title)
    for row, category in enumerate(categories):
        begin = top + row * row_height + GAP / 2 + above
        if above:
            marks.append(label(category, 0, begin - 2, width=width))
        else:
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
