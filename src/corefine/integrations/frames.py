"""Data frames of pandas and polars: labels in columns to corpora, and scores to frames."""

from __future__ import annotations

from typing import Any, Literal

from corefine.errors import MissingExtraError, choose
from corefine.scoring.scores import Scores
from corefine.scoring.sides import corpus_from_frame

__all__ = ["corpus_from_frame", "scores_to_frame"]

Library = Literal["pandas", "polars"]


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
