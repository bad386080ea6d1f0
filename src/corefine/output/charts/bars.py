"""Bars by category and series, and waterfalls of steps."""

from __future__ import annotations

from collections.abc import Sequence

from corefine.output.charts.figure import Figure
from corefine.output.charts.frame import (
    FONT,
    Rows,
    Series,
    bar,
    label,
    series_grid,
    straight,
    whisker,
)
from corefine.output.charts.scales import limits_of, present, shown
from corefine.output.grid import Column, Grid, Unit
from corefine.output.plain_text import text_width

BAR = 15.0
GAP = 10.0


def bar_chart(
    title: str,
    categories: Sequence[str],
    series: Sequence[Series],
    *,
    unit: Unit = "number",
    description: str = "",
    value_title: str = "",
    limits: tuple[float, float] | None = None,
    width: float = 640,
    first: str = "",
) -> Figure:
    """Horizontal bars: a group for each category, a bar for each series, whiskers on intervals.

    ``limits`` are the ends of the axis; without them it holds 0 and all values. ``first`` is the
    title of the column of categories in the table of numbers.
    """
    values = [value for one in series for value in one.all_values()]
    low, high = limits or limits_of(values, zero=True)
    texts = [shown(value, unit) for one in series for value in one.values]
    group = BAR * max(len(series), 1) + GAP
    names = [one.name for one in series]
    frame = Rows(
        categories,
        group,
        (low, high),
        unit,
        value_title,
        width=width,
        series=names,
        shape="bar",
        right=max((text_width(text, FONT) for text in texts), default=0.0) + 14,
    )
    scale, marks = frame.scale, frame.marks
    zero = scale(min(max(0.0, low), high))
    for row, category in enumerate(categories):
        begin = frame.top + row * group + GAP / 2
        frame.name(category, begin + BAR * len(series) / 2 + 4)
        for number, one in enumerate(series):
            value = one.values[row]
            if not present(value):
                continue
            words = f"{category}, {one.name}: {one.text(row, unit)}"
            x = scale(min(max(value, low), high))
            y = begin + number * BAR
            marks += bar(min(zero, x), y + 1, abs(x - zero), BAR - 2, number, words)
            edge = max(zero, x)
            ends = one.interval(row)
            if ends is not None:
                marks += whisker(scale(ends[0]), scale(ends[1]), y + BAR / 2)
                edge = max(edge, scale(ends[1]))
            marks.append(label(shown(value, unit), edge + 5, y + BAR - 4, class_="cf-value"))
    frame.upright(zero)
    words = description or f"Bars of {_listed(categories)} for {_listed(names)}."
    return frame.figure(title, words, series_grid(Column(first), categories, series, unit))


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

    The steps are differences; a step that lowers the value is hatched the other way and has a
    minus sign. ``limits`` are the ends of the axis; without them it holds 0 and every stage.
    """
    stages = [start[1]]
    for _, change in steps:
        stages.append(stages[-1] + change)
    names = [start[0], *(name for name, _ in steps), end[0]]
    low, high = limits or limits_of([*stages, end[1]], zero=True)
    row_height = BAR + GAP
    right = text_width("+100.00", FONT) + 14
    frame = Rows(
        names, row_height, (low, high), unit, value_title, width=width, right=right, widest=230
    )
    scale, marks = frame.scale, frame.marks

    def step(row: int, name: str, begin: float, end: float, index: int, words: str) -> None:
        y = frame.top + row * row_height + GAP / 2
        frame.name(name, y + BAR - 3)
        x = min(begin, end)
        marks.extend(bar(x, y, abs(end - begin), BAR, index, f"{name}: {words}"))
        marks.append(label(words, max(begin, end) + 5, y + BAR - 3, class_="cf-value"))

    def total(row: int, name: str, value: float) -> None:
        step(row, name, scale(max(0.0, low)), scale(max(value, low)), 0, shown(value, unit))

    total(0, *start)
    for row, (name, change) in enumerate(steps, 1):
        before, after = scale(stages[row - 1]), scale(stages[row])
        y = frame.top + row * row_height + GAP / 2
        marks.append(straight(before, y - GAP, before, y + BAR, "cf-connector"))
        step(row, name, before, after, 1 if change >= 0 else 6, signed(change, unit))
    total(len(names) - 1, *end)
    rows = [
        (start[0], None, start[1]),
        *((name, change, stage) for (name, change), stage in zip(steps, stages[1:], strict=True)),
        (end[0], None, end[1]),
    ]
    words = description or f"From {start[0]} to {end[0]} in {len(steps)} steps."
    columns = (Column("step"), Column("change", unit), Column("value", unit))
    return frame.figure(title, words, Grid(columns, rows))


def signed(value: float, unit: Unit) -> str:
    """A difference with its sign."""
    return ("+" if value >= 0 else "−") + shown(abs(value), unit)


def _listed(names: Sequence[str], most: int = 8) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
