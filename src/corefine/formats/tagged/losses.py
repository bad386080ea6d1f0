"""Losses as a result: how well each document was copied, and what became of malformed tags."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from corefine.corpus.copying import Copied, Copies
from corefine.showing.grid import Column, Grid, Value
from corefine.showing.result import Result, Tables


@dataclass(frozen=True, repr=False)
class Losses(Result):
    """How a language model's answers were aligned with their sources, and what that cost."""

    copies: Copies
    glance: ClassVar[tuple[str, ...]] = ("alignment",)

    def table_functions(self) -> Tables:
        return {
            "alignment": lambda losses: alignment_grid(losses.copies),
            "tags": lambda losses: tags_grid(losses.copies),
        }

    def to_dict(self) -> dict[str, Any]:
        """Counts over all documents and for each of them, with its malformed tags."""
        return self.copies.to_dict()


def alignment_grid(copies: Copies) -> Grid:
    """One row a document, and a last one for all."""
    numbers = ("words", "copied", "changed", "deleted", "inserted", "reordered")
    marked = ("mentions", "moved", "lost")
    columns = (
        Column("document"),
        Column("coverage", "percent"),
        *(Column(name, "integer") for name in numbers),
        Column("stops after", "integer", "stopped"),
        *(Column(name, "integer") for name in marked),
        Column("malformed", "integer"),
        Column("failure"),
    )

    def row(one: Copied) -> tuple[Value, ...]:
        return (
            one.document,
            one.coverage,
            *(getattr(one, name) for name in numbers),
            one.stopped,
            *(getattr(one, name) for name in marked),
            len(one.faults),
            one.failure,
        )

    rows = [*map(row, copies.documents), row(copies.total)]
    return Grid(columns, rows, f"Alignment with the source ({copies.align})")


def tags_grid(copies: Copies) -> Grid:
    """One row a malformed tag."""
    rows: list[tuple[Value, ...]] = [
        (one.document, fault.character, fault.tag, fault.outcome)
        for one in copies.documents
        for fault in one.faults
    ]
    columns = (Column("document"), Column("character", "integer"), Column("tag"), Column("outcome"))
    return Grid(columns, rows, "Malformed tags")
