"""What a reproduction says: published beside computed, cell by cell and claim by claim."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from corefine.showing.result import Result, Tables

if TYPE_CHECKING:
    from corefine.showing.charts import Figure


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
    why: str = ""
    """Why the two differ, where that is known."""

    @property
    def agrees(self) -> bool:
        """Whether the computed number, written as the paper writes, is the published one."""
        if self.computed is None:
            return False
        unit = 10.0**-self.decimals
        if self.cuts:
            return abs(math.floor(self.computed / unit + 1e-6) * unit - self.published) < unit / 10
        # Half a unit, and a little for what was rounded before it was printed.
        return abs(self.computed - self.published) <= 0.5 * unit + 1e-6

    @property
    def verdict(self) -> str:
        if self.agrees:
            return "reproduced"
        return "explained" if self.why else "unexplained"


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


@dataclass(frozen=True, slots=True)
class Matrix:
    """Numbers between things and the same things, such as agreement between metrics."""

    name: str
    title: str
    names: tuple[str, ...]
    values: tuple[tuple[float, ...], ...]


@dataclass(frozen=True, slots=True, repr=False)
class Reproduction(Result):
    """One paper: its tables, its claims and its figures."""

    name: str
    citation: str
    cells: tuple[Cell, ...] = ()
    claims: tuple[Claim, ...] = ()
    plots: tuple[Plot, ...] = ()
    notes: tuple[str, ...] = ()
    matrices: tuple[Matrix, ...] = ()

    def counts(self, table: str | None = None) -> dict[str, int]:
        """Cells published, reproduced, explained and unexplained; claims, and how many hold."""
        verdicts = [cell.verdict for cell in self.cells if table in (None, cell.table)]
        return {
            "published": len(verdicts),
            **{name: verdicts.count(name) for name in ("reproduced", "explained", "unexplained")},
            "claims": len(self.claims),
            "claims that hold": sum(claim.holds for claim in self.claims),
        }

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
            "counts": self.counts(),
            "tables": {
                table: self.counts(table)
                for table in dict.fromkeys(cell.table for cell in self.cells)
            },
            "cells": [
                {
                    "table": cell.table,
                    "row": cell.row,
                    "column": cell.column,
                    "published": cell.published,
                    "computed": cell.computed,
                    "verdict": cell.verdict,
                    "why": "" if cell.agrees else cell.why,
                }
                for cell in self.cells
            ],
            "claims": [asdict(claim) for claim in self.claims],
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
