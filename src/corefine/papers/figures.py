"""The figures of the papers, computed."""

from __future__ import annotations

from corefine.output.charts import Figure, Series, bar_chart, heat_map, line_chart
from corefine.papers.results import Plot, Reproduction


def reproduction_figures(paper: Reproduction) -> dict[str, Figure]:
    """The charts by the names of their files, without an ending."""
    drawn = {f"{paper.name}-{plot.name}": _figure(plot) for plot in paper.plots}
    for matrix in paper.matrices:
        drawn[f"{paper.name}-{matrix.name}"] = heat_map(
            matrix.title, matrix.names, matrix.names, matrix.values, unit="decimal", limits=(0, 1)
        )
    return drawn


def _figure(plot: Plot) -> Figure:
    series = [Series(curve.name, list(curve.values)) for curve in plot.curves]
    if plot.lines:
        return line_chart(
            plot.title,
            [float(point) for point in plot.points],
            series,
            place_title=plot.axis,
            value_title="F1 (%)",
            limits=(0, 1),
        )
    return bar_chart(
        plot.title,
        plot.points,
        series,
        unit="percent",
        value_title="F1 (%)",
        limits=(0, 1),
        first=plot.axis,
    )
