"""What results of comparing share: they show themselves as tables."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any, ClassVar


class Shown:
    """A result that has tables. Their names are those of its room of reports.

    The rooms of reports lie above this one: they are opened by name, and only where a result is
    asked to show itself.
    """

    report: ClassVar[str]
    """The module that makes the tables, with ``grids(result, names)``."""
    glance: ClassVar[tuple[str, ...]]
    """The tables that are enough for a first look."""

    def to_text(self, *tables: str) -> str:
        """Tables aligned with blanks; without names those that the command line shows."""
        return self._written("text", tables)

    def to_markdown(self, *tables: str) -> str:
        """Tables in Markdown, the best scores bold and marks of significance raised."""
        return self._written("markdown", tables)

    def to_latex(self, *tables: str) -> str:
        """Booktabs tables, the best scores bold and marks of significance raised."""
        return self._written("latex", tables)

    def to_csv(self, table: str) -> str:
        """One table at full precision."""
        return self._written("csv", (table,))

    def __repr__(self) -> str:
        return self.to_text(*self.glance)

    def _repr_html_(self) -> str:
        block = import_module("corefine.showing.html").grid_block
        return "".join(str(block(grid)) for grid in self._grids(self.glance))

    def _written(self, form: str, tables: Sequence[str]) -> str:
        return "\n\n".join(getattr(grid, f"to_{form}")() for grid in self._grids(tables))

    def _grids(self, tables: Sequence[str]) -> list[Any]:
        grids: list[Any] = import_module(self.report).grids(self, tables)
        return grids
