"""Charts with one row per category: points with intervals."""

from __future__ import annotations

from collections.abc import Sequence

from corefine.output.charts.axes import (
    Rows,
    Series,
    label,
    limits_of,
    linked,
    marker,
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
ROW = STEP + GAP


@redrawable
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
    links: Sequence[str | None] | None = None,
    notes: Sequence[str] = (),
) -> Figure:
    """A row for each category, with a point for each series and whiskers on intervals.

    ``limits`` are the ends of the axis. ``reference`` draws an upright line, such as no difference
    at 0. ``first`` is the title of the column of categories in the
    table of numbers. ``links`` are the addresses that the names of the rows lead to, ``notes`` are
    written after the values of the rows. Series are named next to their marks in the first row if
    there is room, otherwise in a legend.
    """
    values = [value for one in series for value in one.all_values()]
    ends = limits or limits_of([*values, reference])
    texts = [shown(value, unit) for one in series for value in one.values]
    right = sum(max((text_width(text, FONT) for text in column), default=0.0) + 7
                for column in (texts, notes))  # fmt: skip
    names = [one.name for one in series]
    widest = max((text_width(name, FONT) for name in names), default=0.0) + 8
    named = len(series) > 1 and widest < 0.25 * width
    # Long names stand above their rows if the chart is narrow.
    longest = max((text_width(name, FONT) for name in categories), default=0.0)
    above = STEP + 2 if width <= NARROW and longest > 0.4 * width else 0.0
    group = STEP * max(len(series), 1) + GAP + above
    frame = Rows(
        [""] * len(categories) if above else categories, group, ends, unit, value_title,
        width=width, series=() if named else names,
        right=right + (widest if named else 0.0),
    )  # fmt: skip
    scale, marks = frame.scale, frame.marks
    if reference is not None:
        frame.upright(scale(reference))
    for row, category in enumerate(categories):
        begin = frame.top + row * group + GAP / 2 + above
        address = links[row] if links else None
        if above:
            marks += linked([label(category, 0, begin - 2, width=width)], address, category)
        else:
            frame.name(category, begin + STEP * len(series) / 2 + 4, address)
        for number, one in enumerate(series):
            value = one.values[row]
            if not present(value):
                continue
            x, y = scale(min(max(value, ends[0]), ends[1])), begin + number * STEP
            words = f"{category}, {one.name}: {one.text(row, unit)}"
            interval = one.interval(row)
            edge = x
            if interval is not None:
                marks += whisker(scale(interval[0]), scale(interval[1]), y + STEP / 2)
                edge = max(edge, scale(interval[1]))
            marks.append(marker(number, x, y + STEP / 2, words))
            said = [shown(value, unit)] if len(series) == 1 else []
            said += [notes[row]] if notes else []
            said += [one.name] if named and row == 0 else []
            marks.append(label(" ".join(said), edge + 7, y + STEP - 4, class_="cf-value"))
    words = description or f"{', '.join(names)} in {len(categories)} rows."
    return frame.figure(title, words, series_grid(Column(first), categories, series, unit))
