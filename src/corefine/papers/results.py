"""What a reproduction says: published beside computed, cell by cell and claim by claim."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Literal

from corefine.output.result import Result, Tables

if TYPE_CHECKING:
    from corefine.output.charts import Figure

Source = Literal["recomputed", "derived", "not derivable"]
"""Recomputed from the data that the paper prints, derived from other numbers that it prints (ranks,
means, F from P and R), or neither: its data is in none of the papers."""
SOURCES: tuple[Source, ...] = ("recomputed", "derived", "not derivable")


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a printed number is not the computed one, and whether a computation bears that out."""

    text: str
    holds: bool
    value: float | None = None
    """What another reading of the definitions gives, where there is one."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One printed number, and what the definitions give for it."""

    table: str
    row: str
    column: str
    published: float
    computed: float | None
    decimals: int = 1
    cuts: bool = False
    """The paper cuts its numbers instead of rounding them."""
    source: Source = "recomputed"
    slack: float = 0.0
    """How far a derived number may be off, because what it is derived from was rounded."""
    explanation: Explanation | None = None
    reason: str = ""
    """Why the number cannot be derived, where it cannot."""
    stand_in: float | None = None
    """The same quantity on other data, where the paper's own data cannot be had."""

    @property
    def agrees(self) -> bool:
        """Whether the computed number, written as the paper writes, is the published one."""
        return self.source != "not derivable" and self.gives(self.computed)

    def gives(self, value: float | None) -> bool:
        """Whether a value, written as the paper writes, is the published number."""
        if value is None:
            return False
        unit = 10.0**-self.decimals
        if self.cuts:
            return abs(math.floor(value / unit + 1e-6) * unit - self.published) < unit / 10
        # Half a unit, and a little for what was rounded before it was printed.
        return abs(value - self.published) <= 0.5 * unit + self.slack + 1e-6

    @property
    def verdict(self) -> str:
        if self.source == "not derivable":
            return self.source
        if self.agrees:
            return "as printed"
        borne_out = self.explanation is not None and self.explanation.holds
        return "explained" if borne_out else "unexplained"

    @property
    def why(self) -> str:
        """Why there is no number, or why it is another one."""
        if self.source == "not derivable":
            return self.reason
        return self.explanation.text if self.explanation and not self.agrees else ""


def in_words(cells: Iterable[Cell]) -> list[Cell]:
    """Cells of typed-in tables, whose rows and columns are names without blanks."""
    return [replace(cell, row=_words(cell.row), column=_words(cell.column)) for cell in cells]


def _words(name: str) -> str:
    return re.sub(r"(?<=\w)[._](?=\w)", " ", name)


@dataclass(frozen=True, slots=True)
class Exhibit:
    """A table or figure of a paper, or a section that prints results in its text."""

    name: str
    title: str
    note: str = ""
    """What there is to say where no number is printed."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence of a paper, whether it holds, and the numbers that say so."""

    where: str
    text: str
    holds: bool
    numbers: str
    why: str = ""
    """Why it does not hold, where it does not."""


@dataclass(frozen=True, slots=True)
class Direction:
    """How a change moves a printed number, and how it moves the same quantity on other data."""

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
class Curve:
    """One metric's F1 over the points of a figure."""

    name: str
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Plot:
    """A figure: its points and a curve for each metric."""

    name: str
    title: str
    axis: str
    points: tuple[str, ...]
    curves: tuple[Curve, ...]
    lines: bool = True
    """Joined by lines where the points are amounts; else bars."""

    @property
    def exhibit(self) -> str:
        """The figure of the paper that this is a part of."""
        return self.title.partition(":")[0]


@dataclass(frozen=True, slots=True)
class Matrix:
    """Numbers between things and the same things, such as agreement between metrics."""

    name: str
    title: str
    names: tuple[str, ...]
    values: tuple[tuple[float, ...], ...]


@dataclass(frozen=True, slots=True, repr=False)
class Reproduction(Result):
    """One paper: every table and figure, the numbers printed in them, and its claims."""

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
        """How many numbers are printed, how each was come by, and how each fared."""
        cells = [cell for cell in self.cells if table in (None, cell.table)]
        printed = [(cell.source, cell.verdict) for cell in cells]
        counted = {"printed": len(cells)}
        for source in SOURCES:
            counted[source] = sum(one == source for one, _ in printed)
            if source != "not derivable":
                counted[f"{source}, as printed"] = printed.count((source, "as printed"))
        for verdict in ("explained", "unexplained"):
            counted[verdict] = sum(one == verdict for _, one in printed)
        return counted

    @property
    def claims_that_hold(self) -> int:
        return sum(claim.holds for claim in self.claims)

    def drawn(self, exhibit: str) -> dict[str, int]:
        """Curves and points that were computed for a figure."""
        plots = [plot for plot in self.plots if plot.exhibit == exhibit]
        curves = [curve for plot in plots for curve in plot.curves]
        return {"curves": len(curves), "points": sum(len(curve.values) for curve in curves)}

    def table_functions(self) -> Tables:
        from corefine.papers.tables import reproduction_tables

        return reproduction_tables(self)

    def figures(self) -> dict[str, Figure]:
        """The figures of the paper, computed."""
        from corefine.papers.figures import reproduction_figures

        return reproduction_figures(self)

    def to_dict(self) -> dict[str, Any]:
        """The form in which a reproduction is written as JSON."""
        return {
            "citation": self.citation,
            "counts": {
                **self.counts(),
                "claims": len(self.claims),
                "claims that hold": self.claims_that_hold,
            },
            "exhibits": {
                exhibit.name: {
                    "title": exhibit.title,
                    **self.counts(exhibit.name),
                    **self.drawn(exhibit.name),
                    "note": exhibit.note,
                }
                for exhibit in self.exhibits
            },
            "cells": [
                {
                    "table": cell.table,
                    "row": cell.row,
                    "column": cell.column,
                    "published": cell.published,
                    "computed": cell.computed,
                    "stand_in": cell.stand_in,
                    "source": cell.source,
                    "verdict": cell.verdict,
                    "why": cell.why,
                }
                for cell in self.cells
            ],
            "claims": [asdict(claim) for claim in self.claims],
            "directions": [
                {**asdict(one), "agrees": one.agrees, "way": one.published_way}
                for one in self.directions
            ],
            "figures": {
                plot.name: {
                    "title": plot.title,
                    "points": list(plot.points),
                    "curves": {curve.name: list(curve.values) for curve in plot.curves},
                }
                for plot in self.plots
            },
            "matrices": {
                matrix.name: {"names": list(matrix.names), "values": [*map(list, matrix.values)]}
                for matrix in self.matrices
            },
            "notes": list(self.notes),
        }


def load(name: str) -> dict[str, Any]:
    """The facts of a paper, as typed in: keys, responses and printed numbers."""
    text = (files("corefine.papers") / "data" / f"{name}.json").read_text("utf-8")
    facts: dict[str, Any] = json.loads(text)
    return facts


def percent(value: float | None) -> float | None:
    return None if value is None else 100 * value
