"""The register of features: a name, how to compute it for pairs, and how to read its values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from corefine.errors import UsageError, closest
from corefine.resolving.attributes import MarkableAttributes
from corefine.resolving.features.view import Column, PairView

Compute = Callable[[PairView], Column]


@dataclass(frozen=True, slots=True)
class Feature:
    """One property of a pair (antecedent i, anaphor j)."""

    name: str
    summary: str
    """What it says of a pair, in one line."""
    compute: Compute
    edges: tuple[float, ...]
    """Where the values are cut into classes for learners that weigh each class by itself."""


FEATURES: dict[str, Feature] = {}

YES_NO = (0.5,)
TERNARY = (-0.5, 0.5)


def feature(*edges: float) -> Callable[[Compute], Compute]:
    """Registers a function under its own name; without edges its values are yes and no."""

    def register(compute: Compute) -> Compute:
        name = compute.__name__
        summary = (compute.__doc__ or "").partition("\n")[0]
        FEATURES[name] = Feature(name, summary, compute, edges or YES_NO)
        return compute

    return register


def side_features(
    name: str,
    sides: str,
    summary: str,
    column: Callable[[MarkableAttributes], Column],
    *edges: float,
) -> None:
    """Registers ``i_<name>``, ``j_<name>`` or both: a column of the antecedent, of the anaphor.

    In the summary ``{}`` stands for the markable of that side.
    """
    for side in sides:
        pick, who = (
            (PairView.left, "the antecedent") if side == "i" else (PairView.right, "the anaphor")
        )
        said = summary.format(who)
        FEATURES[f"{side}_{name}"] = Feature(
            f"{side}_{name}",
            said[0].upper() + said[1:],
            lambda pair, pick=pick: pick(pair, column(pair.attributes)),  # type: ignore[misc]
            edges or YES_NO,
        )


def check_features(names: Sequence[str]) -> None:
    """Refuse names that no feature has."""
    for name in names:
        if name not in FEATURES:
            raise UsageError(
                f"there is no feature {name!r}",
                remedy=f"Use some of: {', '.join(sorted(FEATURES))}.{closest(name, FEATURES)}",
            )


def matrix(view: PairView, names: Sequence[str]) -> NDArray[np.float32]:
    """Pairs × features."""
    result = np.empty((len(view), len(names)), np.float32)
    for column, name in enumerate(names):
        result[:, column] = FEATURES[name].compute(view)
    return result
