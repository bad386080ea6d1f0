"""Data frames of pandas and polars: labels in columns to corpora, and scores to frames."""

from __future__ import annotations

from typing import Any, Literal

from corefine.errors import choose
from corefine.scoring.scores import Scores
from corefine.scoring.sides import corpus_from_frame

__all__ = ["corpus_from_frame", "scores_to_frame"]

Library = Literal["pandas", "polars"]


def scores_to_frame(scores: Scores, library: Library = "pandas") -> Any:
    """A data frame with a row for each metric: ``metric``, ``precision``, ``recall``, ``f1``."""
    choose("library", library, ("pandas", "polars"))
    return scores.to_pandas() if library == "pandas" else scores.to_polars()
