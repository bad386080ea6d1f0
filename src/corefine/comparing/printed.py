"""Printed scores: ranks and Kendall's τ-b between metrics, from tables of systems by metrics.

A table is a CSV file with a row per system: its name, then a column per metric. The standings of
``corefine leaderboard`` are read too (columns ``…_f1``). Two tables, such as those of two shared
tasks, are set side by side as in Table 1 of Holen (2013).
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from corefine.comparing.judgements import csv_lines
from corefine.comparing.ranking import ranked, tau_matrix
from corefine.corpus.arrays import FloatArray
from corefine.errors import FormatError, Location, UsageError
from corefine.output.grid import Column, Grid, Value
from corefine.output.result import Result, Tables

Path = str | os.PathLike[str]


@dataclass(frozen=True, eq=False)
class PrintedScores:
    """Scores of systems (rows) by metrics (columns)."""

    name: str
    systems: tuple[str, ...]
    metrics: tuple[str, ...]
    values: FloatArray

    @classmethod
    def read(cls, path: Path) -> PrintedScores:
        """Read a table; columns without any number are no metrics."""
        lines = csv_lines(path)
        if len(lines) < 3:
            text = "a table of printed scores needs a line of metrics and at least two systems"
            raise FormatError(text, Location(os.fspath(path)))
        (first, head), *rows = lines
        systems: list[str] = []
        for place, (name, *_) in rows:
            if name.strip() in systems:
                text = f"the system {name.strip()!r} is listed twice"
                raise FormatError(text, place, code="repeated-system")
            systems.append(name.strip())
        head = [name.strip() for name in head]
        numbers = [[_number(cell) for cell in row] for _, row in rows]
        chosen = _metrics(head, np.array(numbers), first)
        for (place, row), found in zip(rows, numbers, strict=True):
            for metric, column in chosen.items():
                if np.isnan(found[column]):
                    text = f"the {metric} score {row[column].strip()!r} is not a number"
                    raise FormatError(text, place)
        values = np.array(numbers)[:, list(chosen.values())]
        stem = os.path.splitext(os.path.basename(path))[0]
        return cls(stem, tuple(systems), tuple(chosen), values)


def _metrics(head: Sequence[str], numbers: FloatArray, place: Location) -> dict[str, int]:
    """Columns of scores by metric: those with a number in any row."""
    for name in head:
        if head.count(name) > 1:
            raise FormatError(f"the column {name!r} is there twice", place)
    of_board = {name[:-3]: at for at, name in enumerate(head) if name.endswith("_f1")}
    if of_board:
        return of_board
    found = {name: at for at, name in enumerate(head) if at and not np.isnan(numbers[:, at]).all()}
    if len(found) < 2:
        raise FormatError("a table of printed scores needs two or more metrics", place)
    return found


def _number(text: str) -> float:
    """A finite number, or NaN."""
    try:
        value = float(text)
    except ValueError:
        return math.nan
    return value if math.isfinite(value) else math.nan


@dataclass(frozen=True, eq=False, repr=False)
class PrintedComparison(Result):
    """Agreement of metrics on printed scores. Tables: ``tau`` and ``ranks``."""

    tables_read: tuple[PrintedScores, ...]

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics that all tables have."""
        first, *others = (one.metrics for one in self.tables_read)
        return tuple(name for name in first if all(name in other for other in others))

    def tau(self, number: int = 0) -> FloatArray:
        """τ-b between the metrics over the systems of one table."""
        one = self.tables_read[number]
        return tau_matrix(one.values[:, [one.metrics.index(name) for name in self.metrics]])

    def table_functions(self) -> Tables:
        """Functions that create the tables."""
        return {"tau": tau_grid, "ranks": ranks_grid}

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "metrics": list(self.metrics),
            **{name: self.tables(name)[0].to_dict()["rows"] for name in self.table_names},
        }


def compare_printed(*paths: Path) -> PrintedComparison:
    """Compare the metrics of one or two tables of printed scores, given as CSV files."""
    if not 1 <= len(paths) <= 2:
        raise UsageError(f"{len(paths)} tables of printed scores", remedy="Give one or two.")
    found = PrintedComparison(tuple(map(PrintedScores.read, paths)))
    if len(found.metrics) < 2:
        raise UsageError(
            "the tables have fewer than two metrics in common",
            remedy="Give the same names to the same metrics.",
        )
    return found


def tau_grid(result: PrintedComparison) -> Grid:
    """One row per metric; of two tables, the first is in the upper right corner."""
    last = len(result.tables_read) - 1
    matrix = np.triu(result.tau(0)) + np.tril(result.tau(last), -1)
    np.fill_diagonal(matrix, np.nan)
    rows = [(name, *row) for name, row in zip(result.metrics, matrix.tolist(), strict=True)]
    columns = (Column("metric"), *(Column(name, "decimal", name) for name in result.metrics))
    names = [one.name for one in result.tables_read]
    corners = f": {names[0]} in the upper right, {names[1]} in the lower left" if names[1:] else ""
    return Grid(columns, rows, f"Kendall's τ-b over systems{corners}")


def ranks_grid(result: PrintedComparison) -> Grid:
    """One row per system: its rank by each metric; equal scores share a rank."""
    rows: list[tuple[Value, ...]] = []
    for one in result.tables_read:
        chosen = one.values[:, [one.metrics.index(name) for name in result.metrics]]
        ranks = np.array([ranked(column) for column in chosen.T]).T.astype(int).tolist()
        rows += [
            (one.name, *row) for row in zip(one.systems, *zip(*ranks, strict=True), strict=True)
        ]
    columns = (Column(name, "integer", name) for name in result.metrics)
    return Grid((Column("table"), Column("system"), *columns), rows, "Ranks of systems")


PRINTED_TABLES = ("tau", "ranks")
