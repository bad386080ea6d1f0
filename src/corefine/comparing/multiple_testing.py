"""Corrections for the number of comparisons made: adjusted p-values.

With m comparisons and p₁ ≤ … ≤ p_m:

========== ==================================== ==============================================
bonferroni m·pᵢ                                 any wrong claim at all; MCORES' choice
holm       max over j ≤ i of (m−j+1)·pⱼ         the same guarantee and never less power (Holm 1979)
bh         min over j ≥ i of m·pⱼ/j             the share of wrong claims (Benjamini–Hochberg 1995)
none       pᵢ
========== ==================================== ==============================================

each cut at 1. A comparison is significant at α when its adjusted p is at most α. A p of NaN (a
comparison that does not exist) stays NaN and is not counted.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from corefine.corpus.arrays import FloatArray
from corefine.errors import UsageError, choose

Correction = Literal["holm", "bonferroni", "bh", "none"]

CORRECTIONS: tuple[Correction, ...] = get_args(Correction)


def adjust(p_values: ArrayLike, correction: Correction = "holm") -> FloatArray:
    """Adjusted p-values, in the shape of ``p_values``; all of them are one family.

    >>> adjust([0.01, 0.04, 0.03], "holm").round(3).tolist()
    [0.03, 0.06, 0.06]
    """
    rule = _RULES[choose("correction", correction, CORRECTIONS)]
    given = np.asarray(p_values, dtype=np.float64)
    if np.any((given < 0) | (given > 1)):
        raise UsageError("p-values must lie between 0 and 1")
    flat = given.ravel()
    adjusted = flat.copy()
    real = np.flatnonzero(~np.isnan(flat))
    order = real[np.argsort(flat[real], kind="stable")]
    adjusted[order] = np.minimum(rule(flat[order]), 1.0)
    return adjusted.reshape(given.shape)


def _bonferroni(ordered: FloatArray) -> FloatArray:
    return ordered * len(ordered)


def _holm(ordered: FloatArray) -> FloatArray:
    return np.maximum.accumulate(ordered * np.arange(len(ordered), 0, -1))


def _benjamini_hochberg(ordered: FloatArray) -> FloatArray:
    scaled = ordered * len(ordered) / np.arange(1, len(ordered) + 1)
    return np.minimum.accumulate(scaled[::-1])[::-1]


def _none(ordered: FloatArray) -> FloatArray:
    return ordered


_RULES: dict[str, Callable[[FloatArray], FloatArray]] = {
    "holm": _holm,
    "bonferroni": _bonferroni,
    "bh": _benjamini_hochberg,
    "none": _none,
}
