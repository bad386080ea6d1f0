"""Bars by category and series, and waterfalls of steps."""

from __future__ import annotations

from collections.abc import Sequence

from corefine.showing.charts.figure import Figure
from corefine.showing.charts.frame import (
    FONT,
    Series,
    bar,
    bottom_axis,
    label,
    legend,
    legend_height,
    names_width,
    series_grid,
    whisker,
)
from corefine.showing.charts.scales import Linear, limits_of, present, shown
from corefine.showing.grid import Column, Grid, Sort
from corefine.showing.markup import element, text_width

BAR = 15.0
GAP = 10.0


def bar_chart(
    title: str,
    categories: Sequence[str],
    series: Sequence[Series],
    *,
    unit: Sort = "number",
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
    left = names_width(categories)
    right = max((text_width(text, FONT) for text in texts), default=0.0) + 14
    top = legend_height([one.name for one in series], width) + 6
    group = BAR * max(len(series), 1) + GAP
    bottom = top + group * len(categories)
    scale = Linear(low, high, left, width - right)
    zero = scale(min(max(0.0, low), high))
    marks = legend([one.name for one in series], 0, 10, width, "bar") if len(series) > 1 else []
    marks += bottom_axis(scale, bottom, top, unit, value_title)
    for row, category in enumerate(categories):
        begin = top + row * group + GAP / 2
        middle = begin + BAR * len(series) / 2
        marks.append(label(category, left - 8, middle + 4, anchor="end", width=left - 12))
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
    marks.append(element("line", x1=zero, x2=zero, y1=top, y2=bottom, class_="cf-baseline"))
    return Figure(
        title,
        description
        or f"Bars of {_listed(categories)} for {_listed([one.name for one in series])}.",
        width,
        bottom + (40 if value_title else 24),
        tuple(marks),
        series_grid(first, categories, series, unit),
    )


def waterfall_chart(
    title: str,
    start: tuple[str, float],
    steps: Sequence[tuple[str, float]],
    end: tuple[str, float],
    *,
    unit: Sort = "percent",
    description: str = "",
    value_title: str = "",
    limits: tuple[float, float] | None = None,
    width: float = 640,
) -> Figure:
    """How a value comes from ``start`` to ``end`` by adding the steps one after another.

    The steps are differences; a step that lowers the value is hatched the other way and has a
    minus sign. ``limits`` are the ends of the axis; without them it holds 0 and every stage.
    """
    stages = [start[1]]
    for _, change in steps:
        stages.append(stages[-1] + change)
    names = [start[0], *(name for name, _ in steps), end[0]]
    low, high = limits or limits_of([*stages, end[1]], zero=True)
    left = names_width(names, 230)
    right = text_width("+100.00", FONT) + 14
    row_height = BAR + GAP
    top, bottom = 6.0, 6.0 + row_height * len(names)
    scale = Linear(low, high, left, width - right)
    marks = bottom_axis(scale, bottom, top, unit, value_title)

    def total(row: int, name: str, value: float) -> None:
        y = top + row * row_height + GAP / 2
        x, zero = scale(value), scale(max(0.0, low))
        marks.append(label(name, left - 8, y + BAR - 3, anchor="end", width=left - 12))
        marks.extend(bar(min(x, zero), y, abs(x - zero), BAR, 0, f"{name}: {shown(value, unit)}"))
        marks.append(label(shown(value, unit), max(x, zero) + 5, y + BAR - 3, class_="cf-value"))

    total(0, *start)
    for row, (name, change) in enumerate(steps, 1):
        before, after = scale(stages[row - 1]), scale(stages[row])
        y = top + row * row_height + GAP / 2
        words = signed(change, unit)
        marks.append(label(name, left - 8, y + BAR - 3, anchor="end", width=left - 12))
        marks.append(
            element("line", x1=before, x2=before, y1=y - GAP, y2=y + BAR, class_="cf-connector")
        )
        marks += bar(
            min(before, after), y, abs(after - before), BAR, 1 if change >= 0 else 6,
            f"{name}: {words}",
        )  # fmt: skip
        marks.append(label(words, max(before, after) + 5, y + BAR - 3, class_="cf-value"))
    total(len(names) - 1, *end)
    rows = [
        (start[0], None, start[1]),
        *((name, change, stage) for (name, change), stage in zip(steps, stages[1:], strict=True)),
        (end[0], None, end[1]),
    ]
    return Figure(
        title,
        description or f"From {start[0]} to {end[0]} in {len(steps)} steps.",
        width,
        bottom + (40 if value_title else 24),
        tuple(marks),
        Grid((Column("step"), Column("change", unit), Column("value", unit)), rows),
    )


def signed(value: float, unit: Sort) -> str:
    """A difference with its sign."""
    return ("+" if value >= 0 else "−") + shown(abs(value), unit)


def _listed(names: Sequence[str], most: int = 8) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
