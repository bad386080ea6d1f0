"""Features of pairs, by name, computed in columns for a batch of pairs at a time."""

from __future__ import annotations

from corefine.resolving.features import grammatical_agreement, positions, string_match
from corefine.resolving.features.registry import FEATURES, Feature, check_features, matrix
from corefine.resolving.features.view import PairView

__all__ = [
    "FEATURES",
    "Feature",
    "PairView",
    "check_features",
    "grammatical_agreement",
    "matrix",
    "positions",
    "string_match",
]
