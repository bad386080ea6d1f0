"""The normal distribution over arrays, without scipy."""

from __future__ import annotations

from collections.abc import Callable
from statistics import NormalDist

import numpy as np

from corefine.corpus.arrays import FloatArray

_STANDARD = NormalDist()


def normal_quantile(probability: FloatArray) -> FloatArray:
    """Φ⁻¹ of probabilities strictly between 0 and 1; NaN stays NaN."""
    return _each(_STANDARD.inv_cdf, probability)


def normal_probability(quantile: FloatArray) -> FloatArray:
    """Φ of quantiles; NaN stays NaN."""
    return _each(_STANDARD.cdf, quantile)


def _each(function: Callable[[float], float], values: FloatArray) -> FloatArray:
    flat = [value if value != value else function(value) for value in values.ravel().tolist()]
    return np.array(flat, dtype=np.float64).reshape(values.shape)
