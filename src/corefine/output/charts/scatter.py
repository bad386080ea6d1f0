"""Two quantities of many things."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from corefine.output.charts.figure import Figure
from corefine.output.charts.frame import (
    bottom_axis,
    cut_mark,
    cut_note,
    left_axis,
    legend,
    legend_height,
    marker,
)
from corefine.output.charts.scales import Linear, Logarithmic, Scale, limits_of, present, shown
from corefine.output.grid import Column, Grid, Unit, Value

SMALLEST = 1e-9
"""The least value on a logarithmic axis: nothing that is counted here is smaller."""


@dataclass(frozen=True, slots=True)
class Cloud:
    """The points of one series, with the name of each."""

    name: str
    x: Sequence[float]
    y: Sequence[float | None]
    labels: Sequence[str]


def scatter_chart(
    title: str,
    clouds: Sequence[Cloud],
    *,
    x_title: str,
    y_title: str,
    x_unit: Unit = "number",
    y_unit: Unit = "percent",
    logarithmic: bool = False,
    y_limits: tuple[float, float] | None = None,
    description: str = "",
    width: float = 640,
    height: float = 340,
) -> Figure:
    """A point for each thing, its name in the tooltip and in the attribute ``data-name``.

    ``logarithmic`` spreads the x axis by factors; points below 1e-9 are then left out.
    """
    names = [cloud.name for cloud in clouds]
    top = legend_height(names, width) + 10
    left, right, bottom = 62.0, 14.0, height - 42
    drawn = [
        (number, label, x, y)
        for number, cloud in enumerate(clouds)
        for label, x, y in zip(cloud.labels, cloud.x, cloud.y, strict=True)
        if present(x) and present(y) and (x >= SMALLEST or not logarithmic)
    ]
    across = [x for _, _, x, _ in drawn]
    scale: Scale
    if logarithmic:
        low, high = min(across, default=1.0), max(across, default=10.0)
        if low == high:
            low, high = low / 2, high * 2
        scale = Logarithmic(low, high, left + 10, width - right)
    else:
        low, high = limits_of(across)
        scale = Linear(max(low, 0.0) if min(across, default=0) >= 0 else low, high,
                       left + 10, width - right, 8)  # fmt: skip
    y_low, y_high = y_limits or limits_of(y for _, _, _, y in drawn)
    upward = Linear(y_low, y_high, bottom, top)
    marks = legend(names, 0, 10, width, "point") if len(clouds) > 1 else []
    marks += left_axis(upward, left, width - right, y_unit, y_title)
    marks += bottom_axis(scale, bottom, bottom, x_unit, x_title)
    cut = cut_note((y_low, y_high), y_unit)
    if cut:
        marks += cut_mark(left, bottom)
    rows: list[tuple[Value, ...]] = []
    for number, label, x, y in drawn:
        series = f", {names[number]}" if len(names) > 1 else ""
        words = f"{label}{series}: {x_title} {shown(x, x_unit)}, {y_title} {shown(y, y_unit)}"
        marks.append(marker(number, scale(x), upward(y), words, data_name=label))
        rows.append((label, names[number], x, y))
    return Figure(
        title,
        f"{description or f'Points by {x_title} and {y_title}.'} {cut}".strip(),
        width,
        height,
        tuple(marks),
        Grid((Column("name"), Column("series"), Column(x_title, x_unit), Column(y_title, y_unit)),
             rows),
    )  # fmt: skip
