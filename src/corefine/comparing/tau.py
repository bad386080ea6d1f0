"""Agreement of metrics: Kendall's τ-b, and the pairs of systems that they rank differently.

τ-b = (C − D) / √((n₀−n₁)(n₀−n₂)), with C concordant and D discordant pairs, n₀ = n(n−1)/2 and n₁,
n₂ the pairs tied in the first and in the second column (Kendall 1945). It is NaN if a column is
constant or has fewer than two rows.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from corefine.corpus.arrays import FloatArray, IntArray
from corefine.errors import UsageError
from corefine.scoring.resampling import F1, TIE, TIE_DECIMALS, Panel


def tau_matrix(columns: ArrayLike) -> FloatArray:
    """τ-b between every two columns of an array (rows, columns).

    >>> tau_matrix([[1, 1], [2, 3], [3, 2], [4, 4]]).round(3).tolist()
    [[1.0, 0.667], [0.667, 1.0]]
    """
    given = np.asarray(columns, dtype=np.float64)
    if given.ndim != 2:
        raise UsageError("a τ matrix needs a two-dimensional array")
    # C − D of every two columns and, on the diagonal, the pairs that are not tied.
    agreement = np.zeros((given.shape[1],) * 2)
    for distance in range(1, len(given)):
        signs = np.sign(given[distance:] - given[:-distance])
        agreement += signs.T @ signs
    untied = agreement.diagonal()
    with np.errstate(invalid="ignore"):
        return agreement / np.sqrt(np.outer(untied, untied))


def discordant_pairs(first: ArrayLike, second: ArrayLike, tolerance: float = TIE) -> IntArray:
    """Pairs (i, j) of rows with i above j in the first column and below it in the second."""
    x, y = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    above = x[:, np.newaxis] > x[np.newaxis, :] + tolerance
    below = y[:, np.newaxis] < y[np.newaxis, :] - tolerance
    return np.argwhere(above & below)


def document_tau(panel: Panel) -> FloatArray:
    """τ-b between metrics over the documents of each system: (systems, metrics, metrics)."""
    scores = panel.document_scores()[..., F1].round(TIE_DECIMALS)
    return np.array([tau_matrix(columns) for columns in scores])


def system_tau(panel: Panel) -> FloatArray:
    """τ-b between metrics over the systems: (metrics, metrics)."""
    return tau_matrix(panel.scores()[..., F1].round(TIE_DECIMALS))
