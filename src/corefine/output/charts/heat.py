"""A matrix with its numbers, shaded."""

from __future__ import annotations

from collections.abc import Sequence

from corefine.output.charts.figure import Figure
from corefine.output.charts.frame import FONT, label, names_width, tooltip
from corefine.output.charts.scales import present, shown
from corefine.output.grid import Column, Grid, Unit, Value
from corefine.output.markup import element
from corefine.output.plain_text import text_width

SHADES = 9
ROW = 24.0


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
) -> Figure:
    """Cells shaded from the least to the greatest value, with the value written in each.

    ``limits`` are the values of the lightest and the darkest shade; ``cell_notes`` are further
    text for the tooltips. If 0 is between the limits, the middle shade is 0 and the two sides have
    different hues.
    """
    known = [value for row in values for value in row if present(value)]
    low, high = limits or (min(known, default=0.0), max(known, default=1.0))
    diverging = low < 0 < high
    if diverging:
        low, high = -max(-low, high), max(-low, high)
    left = names_width(rows, 180)
    cell = (width - left) / max(len(columns), 1)
    widest = max((text_width(name, FONT) for name in columns), default=0.0)
    turned = 0.9 * widest > cell  # the estimate of widths is on the safe side
    top = min(widest, 120) + 12 if turned else 22.0
    marks = []
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
            x = left + across * cell
            if not present(value):
                continue
            note = f" ({cell_notes[down][across]})" if cell_notes else ""
            words = f"{name}, {columns[across]}: {shown(value, unit)}{note}"
            shade = _shade(value, low, high)
            hue = "cf-warm" if diverging and value < 0 else "cf-cool"
            marks.append(
                element(
                    "rect", tooltip(words), x=x + 0.5, y=y + 0.5, width=cell - 1, height=ROW - 1,
                    class_=f"{hue} cf-h{abs(2 * shade - SHADES + 1) if diverging else shade}",
                )
            )  # fmt: skip
            text = shown(value, unit)
            if text_width(text, FONT) <= cell - 2:
                depth = abs(2 * shade - SHADES + 1) if diverging else shade
                ink = "cf-on-dark" if depth > SHADES // 2 else "cf-on-light"
                marks.append(label(text, x + cell / 2, y + 16, anchor="middle", class_=ink))
    table: list[tuple[Value, ...]] = [
        (name, *(value if present(value) else None for value in line))
        for name, line in zip(rows, values, strict=True)
    ]
    return Figure(
        title,
        description or f"A matrix of {len(rows)} by {len(columns)} values.",
        width,
        top + ROW * len(rows) + 6,
        tuple(marks),
        Grid((Column(first), *(Column(name, unit) for name in columns)), table),
    )


def _shade(value: float, low: float, high: float) -> int:
    if high == low:
        return SHADES // 2
    share = (min(max(value, low), high) - low) / (high - low)
    return min(int(share * SHADES), SHADES - 1)
