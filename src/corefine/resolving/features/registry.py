"""The register of features: a name, how to compute it for pairs, and how to read its values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from corefine.errors import UsageError, closest
from corefine.resolving.features.view import Column, PairView

Compute = Callable[[PairView], Column]


@dataclass(frozen=True, slots=True)
class Feature:
    """One property of a pair (antecedent i, anaphor j)."""

    name: str
    compute: Compute
    edges: tuple[float, ...]
    """Where the values are cut into classes for learners that weigh each class by itself."""

    @property
    def summary(self) -> str:
        """What it says of a pair, in one line."""
        return (self.compute.__doc__ or "").partition("\n")[0]


FEATURES: dict[str, Feature] = {}

YES_NO = (0.5,)
TERNARY = (-0.5, 0.5)


def feature(*edges: float) -> Callable[[Compute], Compute]:
    """Registers a function under its own name; without edges its values are yes and no."""

    def register(compute: Compute) -> Compute:
        name = compute.__name__
        FEATURES[name] = Feature(name, compute, edges or YES_NO)
        return compute

    return register


def features_named(names: Sequence[str]) -> list[Feature]:
    """The features of these names."""
    for name in names:
        if name not in FEATURES:
            raise UsageError(
                f"there is no feature {name!r}",
                remedy=f"Use some of: {', '.join(sorted(FEATURES))}.{closest(name, FEATURES)}",
            )
    return [FEATURES[name] for name in names]


def matrix(view: PairView, names: Sequence[str]) -> NDArray[np.float32]:
    """Pairs × features."""
    result = np.empty((len(view), len(names)), np.float32)
    for column, wanted in enumerate(features_named(names)):
        result[:, column] = wanted.compute(view)
    return result
