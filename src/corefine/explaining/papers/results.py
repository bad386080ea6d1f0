"""Results of a reproduction: published and computed numbers, claims and figures."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

from corefine.output.result import Result, Tables

if TYPE_CHECKING:
    from corefine.output.charts import Figure

Source = Literal["recomputed", "derived", "not derivable"]
"""Recomputed from data in the paper, derived from other printed numbers (ranks, means, F from P and
R), or not derivable because the data is in none of the papers."""
SOURCES: tuple[Source, ...] = ("recomputed", "derived", "not derivable")


@dataclass(frozen=True, slots=True)
class Reason:
    """Reason for a difference, and the result of the computation that tests it."""

    text: str
    holds: bool
    value: float | None = None
    """The number that another interpretation of the definitions gives, if there is one."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One printed number and the number that the definitions give."""

    table: str
    row: str
    column: str
    published: float
    computed: float | None
    decimals: int = 1
    cuts: bool = False
    """True if the paper truncates its numbers instead of rounding them."""
    source: Source = "recomputed"
    slack: float = 0.0
    """Largest error of a derived number due to the rounding of its inputs."""
    explanation: Reason | None = None
    reason: str = ""
    """Reason why the number cannot be derived."""
    stand_in: float | None = None
    """This quantity on other data, if the paper's data is not available."""

    def gives(self, value: float | None, slack: float = 0.0) -> bool:
        """True if a value, up to ``slack``, is printed as the published number."""
        if value is None:
            return False
        unit = 10.0**-self.decimals
        if self.cuts:
            return abs(math.floor(value / unit + 1e-6) * unit - self.published) < unit / 10
        return abs(value - self.published) <= 0.5 * unit + slack + 1e-6

    @property
    def agrees(self) -> bool:
        """True if the number is as printed, or may be within the rounding of its inputs."""
        return self.verdict in ("as printed", "within rounding")

    @property
    def verdict(self) -> str:
        """Outcome of the comparison."""
        if self.source == "not derivable":
            return self.source
        if self.gives(self.computed):
            return "as printed"
        if self.gives(self.computed, self.slack):
            return "within rounding"
        tested = self.explanation is not None and self.explanation.holds
        return "explained" if tested else "unexplained"

    @property
    def why(self) -> str:
        """Reason for a missing or different number."""
        if self.source == "not derivable":
            return self.reason
        return self.explanation.text if self.explanation and not self.agrees else ""


@dataclass(frozen=True, slots=True)
class Exhibit:
    """A table or figure of a paper, or a section with results in its text."""

    name: str
    title: str
    note: str = ""
    """Remark on an exhibit without printed numbers."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement of a paper, its verdict, and the numbers that decide it."""

    where: str
    text: str
    holds: bool
    numbers: str
    why: str = ""
    """Reason for a claim that fails."""


@dataclass(frozen=True, slots=True)
class Direction:
    """Effect of a change on a printed number and on the same quantity of other data."""

    table: str
    row: str
    column: str
    published: tuple[float, float]
    """Before and after."""
    stand_in: tuple[float, float]
    decimals: int = 2

    @property
    def published_way(self) -> str:
        return _way(*self.published, 0.5 * 10.0**-self.decimals)

    @property
    def stand_in_way(self) -> str:
        return _way(*self.stand_in, 1e-9)

    @property
    def agrees(self) -> bool:
        return self.published_way == self.stand_in_way


def _way(before: float, after: float, tolerance: float) -> str:
    if abs(after - before) <= tolerance:
        return "stays"
    return "rises" if after > before else "falls"


@dataclass(frozen=True, slots=True)
class Plot:
    """A figure: its points and, by name, the values of each curve."""

    name: str
    title: str
    axis: str
    points: tuple[str, ...]
    curves: dict[str, list[float]]
    lines: bool = True
    """True for line charts over amounts, False for bar charts."""

    @property
    def exhibit(self) -> str:
        """The figure of the paper that this plot belongs to."""
        return self.title.partition(":")[0]


@dataclass(frozen=True, slots=True)
class Matrix:
    """A square matrix, such as the agreement between metrics."""

    name: str
    title: str
    names: tuple[str, ...]
    values: list[list[float]]


@dataclass(frozen=True, slots=True, repr=False)
class Reproduction(Result):
    """A paper: its tables and figures, the numbers printed in them, and its claims."""

    name: str
    citation: str
    exhibits: tuple[Exhibit, ...]
    cells: tuple[Cell, ...] = ()
    claims: tuple[Claim, ...] = ()
    plots: tuple[Plot, ...] = ()
    notes: tuple[str, ...] = ()
    matrices: tuple[Matrix, ...] = ()
    directions: tuple[Direction, ...] = ()

    def counts(self, table: str | None = None) -> dict[str, int]:
        """Number of printed numbers by source and verdict, of one table or of all."""
        cells = [cell for cell in self.cells if table in (None, cell.table)]
        printed = [(cell.source, cell.verdict) for cell in cells]
        counted = {"printed": len(cells)}
        for source in SOURCES:
            counted[source] = sum(one == source for one, _ in printed)
            if source != "not derivable":
                counted[f"{source}, as printed"] = printed.count((source, "as printed"))
            if source == "derived":
                counted["within rounding"] = printed.count((source, "within rounding"))
        for verdict in ("explained", "unexplained"):
            counted[verdict] = sum(one == verdict for _, one in printed)
        return counted

    @property
    def claims_that_hold(self) -> int:
        return sum(claim.holds for claim in self.claims)

    def drawn(self, exhibit: str) -> dict[str, int]:
        """Number of curves and points computed for a figure."""
        plots = [plot for plot in self.plots if plot.exhibit == exhibit]
        return {
            "curves": sum(len(plot.curves) for plot in plots),
            "points": sum(len(plot.curves) * len(plot.points) for plot in plots),
        }

    def table_functions(self) -> Tables:
        from corefine.explaining.papers.output import reproduction_tables

        return reproduction_tables(self)

    def figures(self) -> dict[str, Figure]:
        """The figures of the paper, computed."""
        from corefine.explaining.papers.output import reproduction_figures

        return reproduction_figures(self)

    def to_dict(self) -> dict[str, Any]:
        """Cells, claims and figures as plain values."""
        counts = self.counts() | {
            "claims": len(self.claims),
            "claims that hold": self.claims_that_hold,
        }
        return {
            **asdict(self),
            "counts": counts,
            "exhibits": {
                one.name: {**asdict(one), **self.counts(one.name), **self.drawn(one.name)}
                for one in self.exhibits
            },
            "cells": [
                {**asdict(cell), "verdict": cell.verdict, "why": cell.why} for cell in self.cells
            ],
            "directions": [
                {**asdict(one), "agrees": one.agrees, "way": one.published_way}
                for one in self.directions
            ],
        }
