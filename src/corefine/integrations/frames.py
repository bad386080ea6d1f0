"""Data frames of pandas and polars: labels in columns to corpora, and scores to frames."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from corefine.corpus.corpus import Corpus
from corefine.errors import MissingExtraError, UsageError, choose
from corefine.scoring.scores import Scores

Library = Literal["pandas", "polars"]


def corpus_from_frame(
    frame: Any,
    entity: str = "entity",
    mention: str | None = "mention",
    document: str | None = "document",
) -> Corpus:
    """The corpus of a data frame that has a row for each mention.

    The arguments name the columns. With ``mention=None`` a mention is its row number, so that two
    frames are compared row by row; with ``document=None`` all rows are one document. An entity's
    label belongs to its document, as in :meth:`Corpus.from_labels`.
    """
    if type(frame).__module__.partition(".")[0] not in ("pandas", "polars"):
        raise UsageError(
            f"{type(frame).__name__} is not a data frame of pandas or polars",
            remedy="Give a DataFrame, or use Corpus.from_labels for arrays.",
        )
    return Corpus.from_labels(
        _column(frame, entity, "entity"),
        None if mention is None else _column(frame, mention, "mention"),
        None if document is None else _column(frame, document, "document"),
    )


def scores_to_frame(scores: Scores, library: Library = "pandas") -> Any:
    """A data frame with a row for each metric: ``metric``, ``precision``, ``recall``, ``f1``."""
    choose("library", library, ("pandas", "polars"))
    numbers = ("precision", "recall", "f1")
    columns = {
        "metric": list(scores.by_name),
        **{name: [getattr(score, name) for score in scores.by_name.values()] for name in numbers},
    }
    try:
        if library == "pandas":
            import pandas

            return pandas.DataFrame(columns)
        import polars
    except ImportError:
        raise MissingExtraError(f"a {library} data frame", library, library) from None
    # Averages have no precision: a column of nothing else is one of numbers too.
    return polars.DataFrame(columns, schema_overrides=dict.fromkeys(numbers, polars.Float64))


def _column(frame: Any, name: str, role: str) -> NDArray[Any]:
    """A column as an array of whole numbers, of strings, or of other labels."""
    if name not in frame.columns:
        listed = ", ".join(map(str, frame.columns))
        say_none = "" if role == "entity" else f", or say {role}=None"
        raise UsageError(
            f"the data frame has no column {name!r}; it has: {listed}",
            remedy=f"Name the column with {role}=…{say_none}.",
        )
    column = frame[name]
    missing = np.asarray(column.is_null() if hasattr(column, "is_null") else column.isna())
    values = np.asarray(column.to_numpy())
    if values.dtype.kind == "f":
        missing = missing | np.isnan(values)
    if missing.any():
        raise UsageError(
            f"row {int(missing.argmax())} of the data frame has no {name}",
            remedy="Fill or remove rows without a value.",
        )
    if values.dtype.kind == "O":
        listed_values = values.tolist()
        if role != "mention" or all(isinstance(value, str) for value in listed_values):
            return np.array([str(value) for value in listed_values], dtype=np.str_)
    return values
