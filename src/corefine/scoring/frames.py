"""Data frames as sides: a row for each mention, or a row for each document with its clusters."""

from __future__ import annotations

from typing import Any

from corefine.corpus.corpus import Corpus
from corefine.corpus.values import column_of
from corefine.errors import UsageError


def is_frame(thing: object) -> bool:
    """Whether a thing is a data frame of pandas, polars or Arrow."""
    module = type(thing).__module__.partition(".")[0]
    return module in ("pandas", "polars", "pyarrow") and hasattr(type(thing), "columns")


def collected(frame: Any) -> Any:
    """The frame itself; a lazy one of polars is computed."""
    return frame.collect() if type(frame).__name__ == "LazyFrame" else frame


def column_names(frame: Any) -> list[str]:
    """The names of all columns, as strings."""
    return [str(name) for name in getattr(frame, "column_names", None) or frame.columns]


def rows_of(frame: Any) -> list[dict[str, Any]]:
    """The rows as dicts."""
    for method, arguments in (("to_dicts", ()), ("to_pylist", ()), ("to_dict", ("records",))):
        if hasattr(frame, method):
            rows: list[dict[str, Any]] = getattr(frame, method)(*arguments)
            return rows
    raise AssertionError(type(frame))


def _whole_numbers(values: Any, name: str) -> list[int]:
    """A column of the boundaries of spans, which may be strings of digits."""
    try:
        return [int(value) for value in column_of(values, name)]
    except (TypeError, ValueError):
        raise UsageError(
            f"the column {name!r} has values that are not whole numbers",
            remedy="Boundaries of spans are whole numbers.",
        ) from None


def corpus_from_frame(
    frame: Any,
    entity: str = "",
    mention: str | None = "",
    document: str | None = "",
) -> Corpus:
    """The corpus of a data frame (pandas, polars, Arrow) that has a row for each mention.

    The arguments name the columns; without them they are found by the headings that tables of
    labels have (``entity`` or ``cluster``, ``mention``, ``document`` or ``doc_id``, …). Without a
    column of mentions, a mention is its span if there are columns such as ``start`` and ``end``,
    else its row number (``mention=None``), so that two frames are compared row by row. Without
    documents all rows are one. An entity's label belongs to its document, as in
    :meth:`Corpus.from_labels`.
    """
    from corefine.formats.tables.labels import COLUMNS, span_columns

    if not is_frame(frame):
        raise UsageError(
            f"{type(frame).__name__} is not a pandas, polars or Arrow data frame",
            remedy="Give a DataFrame, or use Corpus.from_labels for arrays.",
        )
    frame = collected(frame)
    columns = column_names(frame)
    given = {"entity": entity, "mention": mention, "document": document}
    values: dict[str, Any] = {}
    for role, name in given.items():
        if name == "":
            name = next((known for known in COLUMNS[role] if known in columns), None)
            if name is None and role == "entity":
                raise UsageError(
                    f"the data frame has no entity column, only: {', '.join(columns) or 'none'}",
                    remedy="Name the columns document, mention and entity, or use "
                    "Corpus.from_labels(entities, mentions, documents).",
                )
            if name is None and role == "mention" and (span := span_columns(columns)):
                boundaries = [_whole_numbers(frame[edge].to_numpy(), edge) for edge in span]
                values[role] = list(zip(*boundaries, strict=True))
                continue
        elif name is not None and name not in columns:
            say_none = "" if role == "entity" else f", or pass {role}=None"
            raise UsageError(
                f"the data frame has no column {name!r}, only: {', '.join(columns)}",
                remedy=f"Name the column with {role}=…{say_none}.",
            )
        values[role] = None if name is None else frame[name].to_numpy()
    return Corpus.from_labels(values["entity"], values["mention"], values["document"])
