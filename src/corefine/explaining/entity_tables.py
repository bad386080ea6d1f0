"""Entities as grids: one row an entity, the categories, and what the key has no entity for."""

from __future__ import annotations

from corefine.explaining.entities import Entity, EntityTable
from corefine.output.grid import Column, Grid, LazyRows, Value
from corefine.output.result import Tables

MEANINGS = {
    "1": "perfect match",
    "2a": "partial entity: mentions are missing",
    "2b": "partial mentions: words of a mention are missing",
    "3": "merged with another entity",
    "4": "failed: nothing, or nothing informative, was recovered",
    "other": "other",
}


def entities_grid(table: EntityTable, *, sort: str = "key", ranks: bool = True) -> Grid:
    """One row a key entity: size, what it is aligned with, category, F1 and rank by metric.

    They are sorted by what :meth:`~corefine.explaining.entities.EntityTable.order` takes.
    """
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
        if ranks:
            columns.append(Column("rank", "integer", f"{metric}_rank"))
    columns.append(Column("information", "percent", "information_kept"))
    rows = LazyRows(table.order(sort).tolist(), lambda number: _row(table[number], ranks))
    note = "information: share of the entity's information kept (%)"
    return Grid(tuple(columns), rows, "Entities", (note,))


def _row(entity: Entity, ranks: bool) -> tuple[Value, ...]:
    scored: list[Value] = []
    for metric, score in entity.scores.items():
        scored += [score.f1, entity.ranks[metric]] if ranks else [score.f1]
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


def spurious_grid(table: EntityTable) -> Grid:
    """Response entities that no key entity is aligned with."""
    return Grid.of(
        table.spurious,
        {
            Column("document"): "document",
            Column("response", name="response_entity"): "name",
            Column("mention"): "text",
            Column("size", "integer"): "size",
            Column("mentions in key", "integer", "mentions_in_key"): "in_key",
        },
        "Spurious response entities",
    )


def both_sides_grid(table: EntityTable, *, sort: str = "key", entities: int | None = None) -> Grid:
    """Key entities and, of the category ``spurious``, response entities, for programs.

    ``entities`` is how many key entities there are at most.
    """
    grid = entities_grid(table, sort=sort)
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
    return Grid(grid.columns, [*grid.rows[:entities], *spurious])


TABLES: Tables = {
    "entities": entities_grid,
    "categories": categories_grid,
    "spurious": spurious_grid,
    "both-sides": both_sides_grid,
}
"""The tables by name."""
