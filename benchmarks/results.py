"""Results of a section: tables and criteria, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any


class Bytes(int):
    """An amount of memory: a plain number in JSON, megabytes for a reader."""

    def __str__(self) -> str:
        return f"{self / 1e6:,.0f} MB"


Cell = str | float | int | None


@dataclass(frozen=True, slots=True)
class Criterion:
    """A measured value that must not exceed a limit."""

    claim: str
    value: float
    limit: float
    unit: str = "×"

    @property
    def holds(self) -> bool:
        return self.value <= self.limit

    def __str__(self) -> str:
        verdict = "pass" if self.holds else "FAIL"
        value, limit = (
            f"{number:.3g}{self.unit}" if number < 1000 else f"{number:,.0f}{self.unit}"
            for number in (self.value, self.limit)
        )
        return f"{verdict}  {self.claim}: {value} (limit {limit})"

    def to_dict(self) -> dict[str, Any]:
        return {
            "claim": self.claim,
            "value": self.value,
            "limit": self.limit,
            "unit": self.unit,
            "holds": self.holds,
        }


@dataclass(frozen=True, slots=True)
class Table:
    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]

    def __str__(self) -> str:
        cells = [list(self.columns), *([_text(cell) for cell in row] for row in self.rows)]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines = [
            "  ".join(
                text.ljust(width) if i == 0 else text.rjust(width)
                for i, (text, width) in enumerate(zip(row, widths, strict=True))
            ).rstrip()
            for row in cells
        ]
        rule = "  ".join("─" * width for width in widths)
        return "\n".join([self.title, "", lines[0], rule, *lines[1:]])

    def to_dict(self) -> dict[str, Any]:
        rows = [dict(zip(self.columns, row, strict=True)) for row in self.rows]
        return {"title": self.title, "rows": rows}


@dataclass(frozen=True, slots=True)
class Report:
    """Result of a section."""

    tables: Sequence[Table]
    criteria: Sequence[Criterion]
    notes: Sequence[str] = ()

    @classmethod
    def joined(cls, reports: Iterable[Report]) -> Report:
        """Several reports as one."""
        parts = list(reports)
        return cls(
            [table for part in parts for table in part.tables],
            [criterion for part in parts for criterion in part.criteria],
            [note for part in parts for note in part.notes],
        )

    def __str__(self) -> str:
        parts = [str(table) for table in self.tables]
        parts += ["\n".join(map(str, lines)) for lines in (self.criteria, self.notes) if lines]
        return "\n\n".join(parts)

    def to_dict(self) -> dict[str, Any]:
        return {
            "tables": [table.to_dict() for table in self.tables],
            "criteria": [criterion.to_dict() for criterion in self.criteria],
            "notes": list(self.notes),
        }


def _text(cell: Cell) -> str:
    if cell is None:
        return ""
    return f"{cell:.3f}" if isinstance(cell, float) else str(cell)
