"""Charts with one row per category: bars, points, stacked bars and waterfalls."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from typing import Literal

from corefine.output.charts.axes import (
    Rows,
    Series,
    bar,
    label,
    limits_of,
    linked,
    marker,
    present,
    series_grid,
    shown,
    straight,
    whisker,
)
from corefine.output.charts.figure import FONT, NARROW, Figure, redrawable
from corefine.output.grid import Column, Grid, Unit, Value
from corefine.output.plain_text import text_width

STEP = 15.0
"""Height of a series within a row."""
GAP = 10.0
ROW = STEP + GAP


@redrawable
def row_chart(
    title: str,
    categories: Sequence[str],
    series: Sequence[Series],
    *,
    mark: Literal["bar", "dot"],
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
    """A row for each category, with a bar or a point for each series and whiskers on intervals.

    ``limits`` are the ends of the axis, which for bars includes 0. ``reference`` draws an upright
    line, such as no difference at 0. ``first`` is the title of the column of categories in the
    table of numbers. ``links`` are the addresses that the names of the rows lead to, ``notes`` are
    written after the values of the rows. Series are named next to their marks in the first row if
    there is room, otherwise in a legend.
    """
    bars = mark == "bar"
    values = [value for one in series for value in one.all_values()]
    ends = limits or limits_of([*values, reference], zero=bars)
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
        shape=mark, right=right + (widest if named else 0.0),
    )  # fmt: skip
    scale, marks = frame.scale, frame.marks
    zero = scale(min(max(0.0, ends[0]), ends[1]))
    if bars or reference is not None:
        frame.upright(zero if reference is None else scale(reference))
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
            edge = max([x, zero] if bars else [x])
            if bars:
                marks.append(bar(min(zero, x), y + 1, abs(x - zero), STEP - 2, number, words))
            if interval is not None:
                marks += whisker(scale(interval[0]), scale(interval[1]), y + STEP / 2)
                edge = max(edge, scale(interval[1]))
            if not bars:
                marks.append(marker(number, x, y + STEP / 2, words))
            said = [shown(value, unit)] if bars or len(series) == 1 else []
            said += [notes[row]] if notes else []
            said += [one.name] if named and row == 0 else []
            marks.append(label(" ".join(said), edge + 7, y + STEP - 4, class_="cf-value"))
    words = description or f"{', '.join(names)} in {len(categories)} rows."
    return frame.figure(title, words, series_grid(Column(first), categories, series, unit))


bar_chart = partial(row_chart, mark="bar", unit="number")
dot_chart = partial(row_chart, mark="dot")


@redrawable
def stacked_chart(
    title: str,
    categories: Sequence[str],
    series: Sequence[Series],
    *,
    unit: Unit = "percent",
    description: str = "",
    value_title: str = "",
    width: float = 640,
    first: str = "",
    links: Sequence[Sequence[str]] | None = None,
) -> Figure:
    """A bar for each category, divided into series; ``links`` are addresses by category and series.

    The sum is written after the bar; values below 0 are only part of the sum.
    """
    known = [
        [one.values[row] if present(one.values[row]) else 0.0 for one in series]
        for row in range(len(categories))
    ]
    drawn = [[max(value or 0.0, 0.0) for value in row] for row in known]
    names = [one.name for one in series]
    high = max(map(sum, drawn), default=0.0) or 1.0
    right = text_width("100.0", FONT) + 14
    frame = Rows(
        categories, ROW + 6, (0.0, high), unit, value_title,
        width=width, series=names, shape="bar", right=right,
    )  # fmt: skip
    for row, category in enumerate(categories):
        y, x = frame.top + row * (ROW + 6) + 4, frame.left
        frame.name(category, y + 16)
        for number, one in enumerate(series):
            value = drawn[row][number]
            if not value:
                continue
            long = frame.scale(value) - frame.left
            words = f"{category}, {one.name}: {shown(value, unit)}"
            marks = [bar(x, y, max(long - 1, 0.5), ROW - 3, number, words)]
            address = links[row][number] if links else None
            frame.marks += linked(marks, address, words)
            x += long
        total = shown(sum(value or 0.0 for value in known[row]), unit)
        frame.marks.append(label(total, x + 5, y + 16, class_="cf-value"))
    return frame.figure(title, description, series_grid(Column(first), categories, series, unit))


@redrawable
def waterfall_chart(
    title: str,
    start: tuple[str, float],
    steps: Sequence[tuple[str, float]],
    end: tuple[str, float],
    *,
    unit: Unit = "percent",
    description: str = "",
    value_title: str = "",
    limits: tuple[float, float] | None = None,
    width: float = 640,
) -> Figure:
    """Waterfall from ``start`` to ``end`` by adding the steps one after another.

    The steps are differences, drawn as bars; start and end are values, drawn as points.
    """
    stages = [start[1]]
    for _, change in steps:
        stages.append(stages[-1] + change)
    names = [start[0], *(name for name, _ in steps), end[0]]
    ends = limits or limits_of([*stages, end[1]])
    right = text_width("+100.00", FONT) + 14
    frame = Rows(names, ROW, ends, unit, value_title, width=width, right=right)
    scale, marks = frame.scale, frame.marks
    drawn = [(start[1], start[1]), *pairwise(stages), (end[1], end[1])]
    for row, (name, (before, after)) in enumerate(zip(names, drawn, strict=True)):
        y = frame.top + row * ROW + GAP / 2
        x, long = scale(min(before, after)), abs(scale(after) - scale(before))
        if row in (0, len(names) - 1):
            said = shown(after, unit)
            marks.append(marker(0, x, y + STEP / 2, f"{name}: {said}"))
            long = 6.0
        else:
            size = shown(abs(after - before), unit)
            sign = "" if not size.strip("0.") else "+" if after >= before else "−"
            said = sign + size
            marks.append(straight(scale(before), y - GAP, scale(before), y + STEP, "cf-connector"))
            marks.append(bar(x, y, long, STEP, 0 if after >= before else 1, f"{name}: {said}"))
        frame.name(name, y + STEP - 3)
        marks.append(label(said, x + long + 5, y + STEP - 3, class_="cf-value"))
    rows: list[tuple[Value, ...]] = [
        (start[0], None, start[1]),
        *((name, change, stage) for (name, change), stage in zip(steps, stages[1:], strict=True)),
        (end[0], None, end[1]),
    ]
    words = description or f"From {start[0]} to {end[0]} in {len(steps)} steps."
    columns = (Column("step"), Column("change", unit), Column("value", unit))
    return frame.figure(title, words, Grid(columns, rows))
