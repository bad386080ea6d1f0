"""Charts as inline SVG, made here: no script, no font and no file from elsewhere.

Every function takes plain values and gives a :class:`Figure`: the drawing, a description for those
who do not see it, and the same numbers as a grid. Series differ in colour and also in shape, dash
or place, and every mark has its value as a tooltip. Charts are drawn anew for narrow screens and
for the column of a paper.

========================  =====================================================================
:func:`bar_chart`         values by category and series, with whiskers: errors by kind
:func:`dot_chart`         estimates with intervals, one row each: systems under one metric
:func:`line_chart`        values along a quantity, with bands: a metric as errors are added
:func:`scatter_chart`     two quantities by item: documents by size and score
:func:`stacked_chart`     a whole and its parts by category: points lost to each error type
:func:`waterfall_chart`   steps from one value to another: attribution
:func:`heat_map`          a matrix with its numbers: τ between metrics, share of wins
========================  =====================================================================

>>> figure = bar_chart("F1", ["lea", "muc"], [Series("careful", [0.5, 0.25])], unit="percent")
>>> print(figure.grid.to_text())
     careful
lea    50.00
muc    25.00
>>> figure.to_svg().startswith("<svg")
True

In a page write ``{{ figure.to_html() }}`` with :data:`STYLE` once; in a notebook the figure shows
itself; ``figure.to_svg()`` is a complete SVG file. Units are those of a grid's columns:
``percent`` (values from 0 to 1), ``number``, ``integer``. A value that is None or NaN is left out.
"""

from __future__ import annotations

from corefine.output.charts.axes import Series, fitted_limits
from corefine.output.charts.figure import STYLE, Figure
from corefine.output.charts.planes import heat_map, line_chart, scatter_chart
from corefine.output.charts.rows import (
    bar_chart,
    dot_chart,
    stacked_chart,
    waterfall_chart,
)

__all__ = [
    "STYLE",
    "Figure",
    "Series",
    "bar_chart",
    "dot_chart",
    "fitted_limits",
    "heat_map",
    "line_chart",
    "scatter_chart",
    "stacked_chart",
    "waterfall_chart",
]
