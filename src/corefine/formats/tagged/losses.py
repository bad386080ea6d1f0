"""Losses as a result: how well each document was copied, and what became of malformed tags."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from corefine.formats.tagged.copies import Copied, Copies
from corefine.output.grid import Column, Grid, Value
from corefine.output.result import Result, Tables

DETAILS = ("alignment", "tags")
"""The tables with a row for each document or tag, which are shown where they are asked for."""
LOSS_TABLES = ("losses", *DETAILS)
"""The tables of the losses of text that a language model wrote, by name."""
_WORDS = ("words", "copied", "changed", "deleted", "inserted", "reordered")
_MENTIONS = ("mentions", "moved", "lost", "malformed")


@dataclass(frozen=True, repr=False)
class Losses(Result):
    """Alignment of answers of language models with their sources, and its losses."""

    copies: Mapping[str, Copies]
    """By the name of the response."""

    def table_functions(self) -> Tables:
        return {"losses": losses_grid, "alignment": alignment_grid, "tags": tags_grid}

    def to_dict(self) -> dict[str, Any]:
        """By response, counts over all documents and for each of them, with its malformed tags."""
        return {name: copies.to_dict() for name, copies in self.copies.items()}


def loss_tables(copies: Mapping[str, Copies | None]) -> Tables:
    """The tables of the responses that were aligned with their sources; none where none was.

    They are those of any result that has such responses.
    """
    losses = Losses({name: one for name, one in copies.items() if one is not None})
    if not losses.copies:
        return {}
    functions = losses.table_functions()
    return {name: lambda _, name=name: functions[name](losses) for name in functions}


def losses_grid(losses: Losses) -> Grid:
    """One row per response: statistics over all its documents."""
    columns = (
        *_response(losses),
        Column("documents", "integer"),
        Column("failed", "integer"),
        Column("coverage", "percent"),
        *(Column(name, "integer") for name in (*_WORDS, *_MENTIONS)),
    )
    rows: list[tuple[Value, ...]] = []
    for name, copies in losses.copies.items():
        total = copies.total
        rows.append(
            (
                *_named(losses, name),
                len(copies.documents),
                copies.failed,
                total.coverage,
                *(getattr(total, number) for number in (*_WORDS, *_MENTIONS)),
            )
        )
    return Grid(columns, rows, _title(losses))


def alignment_grid(losses: Losses) -> Grid:
    """One row per document, and a last one for all."""
    columns = (
        *_response(losses),
        Column("document"),
        Column("coverage", "percent"),
        *(Column(name, "integer") for name in _WORDS),
        Column("cut off after", "integer", "stopped"),
        *(Column(name, "integer") for name in _MENTIONS),
        Column("failure"),
    )

    def row(name: str, one: Copied) -> tuple[Value, ...]:
        return (
            *_named(losses, name),
            one.document,
            one.coverage,
            *(getattr(one, number) for number in _WORDS),
            one.stopped,
            *(getattr(one, number) for number in _MENTIONS),
            one.failure,
        )

    rows = [
        row(name, one)
        for name, copies in losses.copies.items()
        for one in (*copies.documents, copies.total)
    ]
    return Grid(columns, rows, _title(losses))


def tags_grid(losses: Losses) -> Grid:
    """One row per malformed tag."""
    rows: list[tuple[Value, ...]] = [
        (*_named(losses, name), one.document, fault.character, fault.tag, fault.outcome)
        for name, copies in losses.copies.items()
        for one in copies.documents
        for fault in one.faults
    ]
    columns = (
        *_response(losses),
        Column("document"),
        Column("character", "integer"),
        Column("tag"),
        Column("outcome"),
    )
    return Grid(columns, rows, "Malformed tags")


def _title(losses: Losses) -> str:
    rules = dict.fromkeys(copies.align for copies in losses.copies.values())
    return f"Alignment with the source ({', '.join(rules)})"


def _response(losses: Losses) -> tuple[Column, ...]:
    """A column that names the response, if there are several."""
    return (Column("response"),) if len(losses.copies) > 1 else ()


def _named(losses: Losses, name: str) -> tuple[Value, ...]:
    return (name,) if len(losses.copies) > 1 else ()
