"""Charts as inline SVG, made here: no script, no font and no file from elsewhere.

Every function takes plain values and gives a :class:`Figure`: the drawing, a description for those
who do not see it, and the same numbers as a grid. Series differ in colour and also in shape, dash
or place, and every mark has its value as a tooltip. Charts are drawn anew for the column of a
paper.

========================  =====================================================================
:func:`dot_chart`         estimates with intervals, one row each: systems under one metric
:func:`line_chart`        values along a quantity, with bands: a metric as errors are added
:func:`heat_map`          a matrix with its numbers: τ between metrics, share of wins
========================  =====================================================================

>>> figure = dot_chart("F1", ["lea", "muc"], [Series("careful", [0.5, 0.25])])
>>> print(figure.grid.to_text())
     careful
lea    50.00
muc    25.00
>>> figure.to_svg().startswith("<svg")
True

In a page, ``figure.to_html()`` needs :data:`STYLE` once; in a notebook the figure shows
itself; ``figure.to_svg()`` is a complete SVG file. Units are those of a grid's columns:
``percent`` (values from 0 to 1), ``number``, ``integer``. A value that is None or NaN is left out.
"""

from __future__ import annotations

from corefine.output.charts.axes import Series, fitted_limits
from corefine.output.charts.figure import STYLE, Figure
from corefine.output.charts.plots import dot_chart, heat_map, line_chart

__all__ = [
    "STYLE",
    "Figure",
    "Series",
    "dot_chart",
    "fitted_limits",
    "heat_map",
    "line_chart",
]
