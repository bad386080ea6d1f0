"""How far metrics agree: Kendall's τ-b, the pairs they order differently, the documents to blame.

τ-b = (C − D) / √((n₀−n₁)(n₀−n₂)), with C concordant and D discordant pairs, n₀ = n(n−1)/2 and n₁,
n₂ the pairs tied in the first and in the second column (Kendall 1945). It is NaN where a column is
constant or has fewer than two rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from corefine.corpus.arrays import FloatArray, IntArray
from corefine.errors import UsageError
from corefine.scoring.resampling.panel import (
    F1,
    TIE,
    TIE_DECIMALS,
    Panel,
    leave_one_out,
    without,
)


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
    """τ-b between metrics over the documents, for each system: (systems, metrics, metrics)."""
    scores = panel.document_scores()[..., F1].round(TIE_DECIMALS)
    return np.array([tau_matrix(columns) for columns in scores])


def system_tau(panel: Panel) -> FloatArray:
    """τ-b between metrics over the systems: (metrics, metrics)."""
    return tau_matrix(panel.scores()[..., F1].round(TIE_DECIMALS))


@dataclass(frozen=True, slots=True)
class Flips:
    """Documents on which the order of two systems under one metric hangs.

    ``observed`` is the difference first − second over all documents. ``opposed`` are the documents
    that by themselves order the two systems the other way. ``decisive`` are those whose removal,
    alone, turns the order round or makes it a tie. ``removal`` is a short list of documents whose
    joint removal does so: the documents that speak most for the better system, one after the
    other; None if no number of them will do. It is an upper bound of the smallest such list.
    """

    observed: float
    opposed: IntArray
    decisive: IntArray
    removal: IntArray | None


def flipping_documents(panel: Panel, pair: tuple[int, int], metric: str) -> Flips:
    """Find the documents that flip the order of two systems; a tie has none of either kind."""
    narrow = panel.of_pair(pair, metric)
    observed = float(np.subtract(*narrow.scores()[:, 0, F1]))
    nothing = np.empty(0, dtype=np.int64)
    if not abs(observed) > TIE:
        return Flips(observed, nothing, nothing, None)

    def lead(values: FloatArray) -> FloatArray:
        """By how much the better system is ahead, from values (metrics, P/R/F, systems, n)."""
        ahead: FloatArray = np.sign(observed) * (values[0, F1, 0] - values[0, F1, 1])
        return ahead

    alone, left = lead(narrow.evaluate(narrow.statistics)), lead(leave_one_out(narrow))
    # The documents that speak most for the better system are removed one after another.
    order = np.argsort(left, kind="stable")
    removed = np.cumsum(narrow.statistics[:, :, order[:-1]], axis=2)
    flipped = np.flatnonzero(lead(without(narrow, removed)) <= TIE)
    return Flips(
        observed,
        np.flatnonzero(alone < -TIE),
        np.flatnonzero(left <= TIE),
        order[: flipped[0] + 1] if len(flipped) else None,
    )
