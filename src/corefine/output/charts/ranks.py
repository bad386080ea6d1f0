"""Mean ranks on a line, with bars over groups that do not differ."""

from __future__ import annotations

from collections.abc import Sequence

from corefine.output.charts.figure import Figure
from corefine.output.charts.frame import label, names_width, straight, tooltip
from corefine.output.charts.scales import Linear, tick_labels
from corefine.output.grid import Column, Grid, Value
from corefine.output.markup import element

ROW = 20.0
MARGIN = 200.0


def rank_diagram(
    title: str,
    names: Sequence[str],
    ranks: Sequence[float],
    groups: Sequence[Sequence[int]] = (),
    *,
    critical_difference: float | None = None,
    description: str = "",
    width: float = 640,
) -> Figure:
    """Systems at their mean ranks, the best at the left; as in Demšar (2006).

    A group holds the numbers of systems that do not differ significantly: a bar runs over their
    ranks. ``critical_difference`` is drawn as a length above the axis.
    """
    texts = [f"{name} ({rank:.2f})" for name, rank in zip(names, ranks, strict=True)]
    margin = names_width(texts, MARGIN) + 20
    last = max(len(names), 2)
    scale = Linear(1.0, float(last), margin, width - margin, last)
    axis = 46.0 if critical_difference is not None else 26.0
    order = sorted(range(len(names)), key=lambda number: (ranks[number], number))
    bars = [sorted(group, key=lambda number: ranks[number]) for group in groups if len(group) > 1]
    first_row = axis + 22 + 10 * len(bars)
    marks = []
    if critical_difference is not None:
        begin, end = scale(1.0), scale(1.0 + critical_difference)
        d = f"M{begin:.1f} 15v6M{begin:.1f} 18H{end:.1f}M{end:.1f} 15v6"
        marks.append(element("path", d=d, class_="cf-whisker"))
        text = f"critical difference {critical_difference:.2f}"
        marks.append(label(text, begin, 10, class_="cf-tick"))
    begin, end = scale(1.0), scale(float(last))
    marks.append(straight(begin, axis, end, axis, "cf-baseline"))
    ticks = scale.ticks()
    for value, text in zip(ticks, tick_labels(ticks, "number"), strict=True):
        x = scale(value)
        marks.append(straight(x, axis - 5, x, axis, "cf-baseline"))
        marks.append(label(text, x, axis - 9, anchor="middle", class_="cf-tick"))
    half = (len(order) + 1) // 2
    for place, number in enumerate(order):
        left = place < half
        row = place if left else len(order) - 1 - place
        x, y = scale(ranks[number]), first_row + row * ROW
        edge = margin - 12 if left else width - margin + 12
        words = f"{names[number]}: mean rank {ranks[number]:.2f}"
        d = f"M{x:.1f} {axis:.1f}V{y:.1f}H{edge:.1f}"
        marks.append(element("path", tooltip(words), d=d, class_="cf-stem"))
        where, anchor = (edge - 5, "end") if left else (edge + 5, "start")
        marks.append(label(texts[number], where, y + 4, anchor=anchor, width=margin - 20))
    for level, group in enumerate(bars):
        y = axis + 12 + 10 * level
        begin, end = scale(ranks[group[0]]) - 4, scale(ranks[group[-1]]) + 4
        words = "no significant difference: " + ", ".join(names[number] for number in group)
        marks.append(straight(begin, y, end, y, "cf-group", words))
    rows: list[tuple[Value, ...]] = [
        (
            names[number],
            ranks[number],
            "; ".join(
                ", ".join(names[other] for other in group if other != number)
                for group in bars
                if number in group
            ),
        )
        for number in order
    ]
    return Figure(
        title,
        description or "Mean ranks; systems connected by a bar do not differ significantly.",
        width,
        first_row + half * ROW + 4,
        tuple(marks),
        Grid((Column("system"), Column("mean rank", "number"), Column("not different from")), rows),
    )
