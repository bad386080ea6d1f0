"""Tables as data frames of pandas and polars."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from corefine.errors import MissingExtraError
from corefine.output.grid import Grid


def frame_of(grid: Grid, library: str) -> Any:
    """A table at full precision as a data frame; ``library`` is also the extra that brings it."""
    try:
        module = import_module(library)
    except ImportError:
        raise MissingExtraError(f"a {library} data frame", library, library) from None
    held = grid.to_dict()
    columns = {name: [row[at] for row in held["rows"]] for at, name in enumerate(held["columns"])}
    # A column of nothing but missing values is still one of numbers.
    numbers = [
        column.field
        for column in grid.columns
        if column.sort in ("percent", "difference", "decimal", "number")
    ]
    if library == "pandas":
        missing = float("nan")
        for name in numbers:
            columns[name] = [missing if value is None else value for value in columns[name]]
        return module.DataFrame(columns)
    types = dict.fromkeys(numbers, module.Float64)
    return module.DataFrame(columns, schema_overrides=types, strict=False)
