"""Data frames as sides: a row per mention, or a row per document with its clusters.

Frames of all libraries that narwhals knows are accepted (pandas, polars, PyArrow, DuckDB, Modin,
…), and all objects with Arrow's interface ``__arrow_c_stream__``.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

from corefine.corpus.corpus import Corpus
from corefine.corpus.values import column_of
from corefine.errors import MissingExtraError, UsageError

_COLUMNS_ONLY = ("Array", "ChunkedArray", "Index", "Series")
"""Types of single columns, some of which have Arrow's interface too."""


def is_frame(thing: object) -> bool:
    """True if a thing is a data frame, a Hugging Face dataset, or a stream of Arrow tables."""
    kind = type(thing)
    library = kind.__module__.partition(".")[0]
    if library in ("builtins", "corefine", "numpy") or kind.__name__ in _COLUMNS_ONLY:
        return False
    if isinstance(thing, type):
        return False
    if library == "datasets":
        return kind.__name__ == "Dataset"
    known = library in ("pandas", "polars", "pyarrow") and hasattr(kind, "columns")
    return known or hasattr(kind, "__arrow_c_stream__")


def as_frame(thing: Any) -> Any:
    """The data frame as one of narwhals; lazy frames are computed."""
    import narwhals

    if type(thing).__module__.startswith("datasets."):
        thing = thing.with_format("arrow")[:]
    try:
        frame: Any = narwhals.from_native(thing)
    except TypeError:
        backend: Any = next(filter(find_spec, ("pyarrow", "polars")), None)
        if backend is None:
            raise MissingExtraError("an Arrow stream", "pyarrow", "parquet") from None
        frame = narwhals.from_arrow(thing, backend=backend)
    return frame.collect() if isinstance(frame, narwhals.LazyFrame) else frame


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
    """The corpus of a data frame (pandas, polars, Arrow, …) that has a row per mention.

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
            f"{type(frame).__name__} is not a data frame",
            remedy="Give a DataFrame, or use Corpus.from_labels for arrays.",
        )
    frame = as_frame(frame)
    columns = [str(name) for name in frame.columns]
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
