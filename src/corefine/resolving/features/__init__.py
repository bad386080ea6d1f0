"""Features of pairs, by name, computed in columns for a batch of pairs at a time."""

from __future__ import annotations

from corefine.resolving.features import grammar, places, strings
from corefine.resolving.features.registry import FEATURES, Feature, features_named, matrix
from corefine.resolving.features.view import PairView

__all__ = [
    "FEATURES",
    "Feature",
    "PairView",
    "features_named",
    "grammar",
    "matrix",
    "places",
    "strings",
]
