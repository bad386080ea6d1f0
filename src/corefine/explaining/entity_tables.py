"""Entities as grids: one row an entity, the categories, and what the key has no entity for."""

from __future__ import annotations

from collections.abc import Sequence

from corefine.explaining.entities import EntityTable
from corefine.explaining.entity import Entity
from corefine.showing.grid import Column, Grid, Value

MEANINGS = {
    "1": "perfect match",
    "2a": "partial entity: some mentions are missing",
    "2b": "partial mentions: words of a mention are missing",
    "3": "merged with another entity",
    "4": "failed: nothing is left, or nothing that tells what it is",
    "other": "none of these",
}


def entities_grid(table: EntityTable, numbers: Sequence[int], left_out: int = 0) -> Grid:
    """One row a key entity: size, what it is aligned with, category, F1 and rank by metric."""
    columns = [
        Column("document"),
        Column("entity"),
        Column("mention"),
        Column("size", "integer"),
        Column("response", name="response_entity"),
        Column("size", "integer", "response_size"),
        Column("shared", "integer"),
        Column("category"),
    ]
    for metric in table.metrics:
        columns.append(Column(metric, "percent", f"{metric}_f1"))
        columns.append(Column("rank", "integer", f"{metric}_rank"))
    columns.append(Column("information kept", "percent", "information_kept"))
    notes = (f"{left_out:,} more entities: --top {len(table)} shows all",) if left_out else ()
    return Grid(tuple(columns), [_row(table[number]) for number in numbers], "Entities", notes)


def _row(entity: Entity) -> tuple[Value, ...]:
    scored: list[Value] = []
    for metric, score in entity.scores.items():
        scored += [score.f1, entity.ranks[metric]]
    return (
        entity.document,
        entity.name,
        entity.text,
        entity.size,
        entity.response_name,
        entity.response_size,
        entity.shared,
        entity.category,
        *scored,
        entity.information_kept,
    )


def categories_grid(table: EntityTable) -> Grid:
    """How many key entities each category has."""
    rows: list[tuple[Value, ...]] = [
        (name, MEANINGS[name], count, table.shares[name]) for name, count in table.counts.items()
    ]
    kept = table.information_kept
    notes = () if kept is None else (f"information kept: {100 * kept:.2f}%",)
    columns = (
        Column("category"),
        Column("meaning"),
        Column("entities", "integer"),
        Column("share", "percent"),
    )
    return Grid(columns, rows, "Categories", notes)


def spurious_grid(table: EntityTable, count: int | None = None) -> Grid:
    """Response entities that no key entity is aligned with."""
    shown = table.spurious[:count]
    rows: list[tuple[Value, ...]] = [
        (entity.document, entity.name, entity.text, entity.size, entity.in_key) for entity in shown
    ]
    columns = (
        Column("document"),
        Column("response", name="response_entity"),
        Column("mention"),
        Column("size", "integer"),
        Column("mentions in key", "integer", "mentions_in_key"),
    )
    left_out = len(table.spurious) - len(shown)
    notes = (f"{left_out:,} more",) if left_out else ()
    return Grid(columns, rows, "Spurious response entities", notes)


def all_in_one_grid(table: EntityTable, numbers: Sequence[int]) -> Grid:
    """Key entities and, of the category ``spurious``, response entities, for programs."""
    grid = entities_grid(table, numbers)
    width = 2 * len(table.metrics)
    spurious: list[tuple[Value, ...]] = [
        (
            entity.document,
            None,
            entity.text,
            None,
            entity.name,
            entity.size,
            None,
            "spurious",
            *(None,) * width,
            None,
        )
        for entity in table.spurious
    ]
    return Grid(grid.columns, [*grid.rows, *spurious])
