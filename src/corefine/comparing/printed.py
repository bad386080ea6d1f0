"""Printed scores: ranks and Kendall's τ-b between metrics, from tables of systems by metrics.

A table is a CSV file with a row per system: its name, then a column per metric. The standings of
``corefine leaderboard`` are read too (columns ``…_f1``). Two tables, such as those of two shared
tasks, are set side by side as in Table 1 of Holen (2013).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from corefine.comparing.judgements import csv_lines, ranked
from corefine.comparing.ranking import tau_matrix
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
        file = Location(os.fspath(path))
        lines = csv_lines(path)
        if len(lines) < 3:
            raise FormatError(
                "a table of printed scores needs a line of metrics and at least two systems", file
            )
        (_, head), *rows = lines
        systems = [row[0].strip() for _, row in rows]
        for (place, _), name in zip(rows, systems, strict=True):
            if systems.count(name) > 1:
                raise FormatError(
                    f"the system {name!r} is listed twice", place, code="repeated-system"
                )
        chosen = _metrics([name.strip() for name in head], [row for _, row in rows], lines[0][0])
        values = np.array(
            [[_score(row[at], head[at], place) for at in chosen.values()] for place, row in rows]
        )
        name = os.path.splitext(os.path.basename(path))[0]
        return cls(name, tuple(systems), tuple(chosen), values)


def _metrics(head: Sequence[str], rows: Sequence[Sequence[str]], place: Location) -> dict[str, int]:
    """Columns of scores by metric: those with a number in any row."""
    for name in head:
        if head.count(name) > 1:
            raise FormatError(f"the column {name!r} is there twice", place)
    of_board = {name[:-3]: at for at, name in enumerate(head) if name.endswith("_f1")}
    if of_board:
        return of_board
    found = {
        name: at for at, name in enumerate(head) if at and any(_is_number(row[at]) for row in rows)
    }
    if len(found) < 2:
        raise FormatError("a table of printed scores needs two or more metrics", place)
    return found


def _is_number(text: str) -> bool:
    try:
        return bool(np.isfinite(float(text)))
    except ValueError:
        return False


def _score(text: str, metric: str, place: Location) -> float:
    if not _is_number(text):
        raise FormatError(f"the {metric} score {text.strip()!r} is not a number", place)
    return float(text)


@dataclass(frozen=True, eq=False, repr=False)
class PrintedComparison(Result):
    """Agreement of metrics on printed scores. Tables: ``tau``, ``ranks`` and ``change``."""

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

    @property
    def verdict(self) -> str:
        """The least and the most correlated metrics of each table."""
        said = []
        pairs = list(combinations(range(len(self.metrics)), 2))
        for number, one in enumerate(self.tables_read):
            found = {pair: self.tau(number)[pair] for pair in pairs}
            known = [pair for pair in pairs if not np.isnan(found[pair])]
            if not known:
                said.append(f"{one.name}: no τ is defined.")
                continue
            ends = [min(known, key=found.__getitem__), max(known, key=found.__getitem__)]
            words = [
                f"{self.metrics[a]} and {self.metrics[b]} (τ {found[a, b]:.2f})" for a, b in ends
            ]
            said.append(
                f"{one.name}, {len(one.systems)} systems: {words[0]} agree least, {words[1]} most."
            )
        return " ".join(said).replace("-", "−")

    def table_functions(self) -> Tables:
        """Functions that create the tables."""
        several = {"change": change_grid} if len(self.tables_read) == 2 else {}
        return {"tau": tau_grid, "ranks": ranks_grid, **several}

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "verdict": self.verdict,
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
    first, last = result.tau(0), result.tau(len(result.tables_read) - 1)
    rows: list[tuple[Value, ...]] = []
    for row, name in enumerate(result.metrics):
        cells: list[Value] = []
        for column in range(len(result.metrics)):
            value = float((first if column > row else last)[row, column])
            cells.append(None if column == row or np.isnan(value) else value)
        rows.append((name, *cells))
    columns = (Column("metric"), *(Column(name, "decimal", name) for name in result.metrics))
    names = [one.name for one in result.tables_read]
    corners = f": {names[0]} in the upper right, {names[1]} in the lower left" if names[1:] else ""
    return Grid(columns, rows, f"Kendall's τ-b over systems{corners}")


def change_grid(result: PrintedComparison) -> Grid:
    """One row per pair of metrics: τ-b in both tables, and the change."""
    rows: list[tuple[Value, ...]] = []
    for one, other in combinations(range(len(result.metrics)), 2):
        before, after = (float(result.tau(number)[one, other]) for number in (0, 1))
        values = (before, after, after - before)
        known = [None if np.isnan(value) else value for value in values]
        rows.append((result.metrics[one], result.metrics[other], *known))
    names = [one.name for one in result.tables_read]
    heads = [Column(name, "decimal", f"tau_{number}") for number, name in enumerate(names, 1)]
    columns = (Column("metric"), Column("and"), *heads, Column("change", "decimal"))
    return Grid(columns, rows, "Change of τ-b")


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


PRINTED_TABLES = ("tau", "ranks", "change")
