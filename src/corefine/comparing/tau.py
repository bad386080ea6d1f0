"""How far metrics agree: Kendall's τ-b, the pairs they order differently, the documents to blame.

τ-b = (C − D) / √((n₀−n₁)(n₀−n₂)), with C concordant and D discordant pairs, n₀ = n(n−1)/2 and n₁,
n₂ the pairs tied in the first and in the second column (Kendall 1945). It is NaN where a column is
constant or has fewer than two rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike

from corefine.comparing.panel import (
    QUANTITIES,
    Measure,
    Panel,
    Quantity,
    leave_one_out,
    remainder,
)
from corefine.corpus.arrays import FloatArray, IntArray
from corefine.errors import UsageError

# Values closer than this are equal: the same fraction may have been summed in another order.
_TIE = 1e-12
_TIE_DECIMALS = 12


def kendall_tau(first: ArrayLike, second: ArrayLike) -> float:
    """Kendall's τ-b of two columns, in O(n log n) (after Knight 1966).

    >>> kendall_tau([1, 2, 3, 4], [1, 3, 2, 4])
    0.6666666666666666
    """
    left, right = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if left.shape != right.shape or left.ndim != 1:
        raise UsageError("Kendall's τ needs two columns of the same length")
    if np.isnan(left).any() or np.isnan(right).any():
        return float("nan")
    x, y = _dense(left), _dense(right)
    every = len(x) * (len(x) - 1) // 2
    tied_x, tied_y = _tied_pairs(x), _tied_pairs(y)
    if tied_x == every or tied_y == every:
        return float("nan")
    tied_both = _tied_pairs(_dense(x * (len(x) + 1) + y))
    discordant = _inversions(y[np.lexsort((y, x))])
    difference = every - tied_x - tied_y + tied_both - 2 * discordant
    return difference / sqrt((every - tied_x) * (every - tied_y))


def tau_matrix(columns: ArrayLike) -> FloatArray:
    """τ-b between every two columns of an array (rows, columns)."""
    given = np.asarray(columns, dtype=np.float64)
    if given.ndim != 2:
        raise UsageError("a τ matrix needs an array of rows × columns")
    width = given.shape[1]
    matrix = np.empty((width, width))
    for i in range(width):
        matrix[i, i] = 1.0 if len(np.unique(given[:, i])) > 1 else np.nan
        for j in range(i):
            matrix[i, j] = matrix[j, i] = kendall_tau(given[:, i], given[:, j])
    return matrix


def discordant_pairs(first: ArrayLike, second: ArrayLike, tolerance: float = _TIE) -> IntArray:
    """Pairs (i, j) of rows with i above j in the first column and below it in the second."""
    x, y = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    above = x[:, np.newaxis] > x[np.newaxis, :] + tolerance
    below = y[:, np.newaxis] < y[np.newaxis, :] - tolerance
    return np.argwhere(above & below)


def document_tau(panel: Panel, quantity: Quantity = "f1") -> FloatArray:
    """τ-b between measures over the documents, for each system: (systems, measures, measures)."""
    scores = panel.document_scores()[..., QUANTITIES.index(quantity)]
    width = len(panel.names)
    result = np.empty((len(panel.systems), width, width))
    for system, columns in enumerate(scores):
        result[system] = tau_matrix(columns.round(_TIE_DECIMALS))
    return result


def system_tau(panel: Panel, quantity: Quantity = "f1") -> FloatArray:
    """τ-b between measures over the systems: (measures, measures)."""
    scores = panel.scores()[..., QUANTITIES.index(quantity)]
    return tau_matrix(scores.round(_TIE_DECIMALS))


@dataclass(frozen=True, slots=True)
class Flips:
    """Documents on which the order of two systems under one measure hangs.

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


def flipping_documents(
    panel: Panel, pair: tuple[int, int], measure: str, quantity: Quantity = "f1"
) -> Flips:
    """Find the documents that flip the order of two systems; a tie has none of either kind."""
    narrow = _of_pair(panel, pair, measure)
    cell = (narrow.names.index(measure), QUANTITIES.index(quantity))
    corpus = narrow.scores()
    observed = float(corpus[0][cell] - corpus[1][cell])
    nothing = np.empty(0, dtype=np.int64)
    if not abs(observed) > _TIE:
        return Flips(observed, nothing, nothing, None)
    sign = np.sign(observed)
    alone = narrow.document_scores()[..., cell[0], cell[1]]
    opposed = np.flatnonzero(sign * (alone[0] - alone[1]) < -_TIE)
    without = leave_one_out(narrow)[cell]
    left = sign * (without[0] - without[1])
    return Flips(
        observed,
        opposed,
        np.flatnonzero(left <= _TIE),
        _joint_removal(narrow, np.argsort(left, kind="stable"), cell, float(sign)),
    )


def _of_pair(panel: Panel, pair: tuple[int, int], measure: str) -> Panel:
    """The panel with two systems and one measure, or one composite and its parts, only."""
    composites = tuple(c for c in panel.composites if c.name == measure)
    wanted = composites[0].parts if composites else (measure,)
    measures = tuple(
        Measure(m.name, m.statistics[list(pair)], m.finish)
        for m in panel.measures
        if m.name in wanted
    )
    if not measures:
        raise UsageError(
            f"{measure!r} is not measured", remedy=f"Choose one of: {', '.join(panel.names)}."
        )
    names = (panel.systems[pair[0]], panel.systems[pair[1]])
    return Panel(names, panel.documents, measures, composites)


def _joint_removal(
    panel: Panel, order: IntArray, cell: tuple[int, int], sign: float
) -> IntArray | None:
    """The shortest beginning of the order whose removal flips the two systems."""
    statistics = panel.stacked()
    removed = np.cumsum(statistics[:, :, order[:-1]], axis=2)
    totals = statistics.sum(axis=2, keepdims=True)
    scale = np.abs(statistics).sum(axis=2, keepdims=True)
    value = panel.evaluate(remainder(totals, removed, scale, len(order)))[cell]
    flipped = np.flatnonzero(sign * (value[0] - value[1]) <= _TIE)
    return order[: flipped[0] + 1] if len(flipped) else None


def _dense(values: FloatArray | IntArray) -> IntArray:
    """Replace values by their numbers in sorted order, equal values sharing one."""
    return np.unique(values, return_inverse=True)[1].astype(np.int64)


def _tied_pairs(dense: IntArray) -> int:
    counts = np.bincount(dense) if len(dense) else np.zeros(0, dtype=np.int64)
    return int((counts * (counts - 1) // 2).sum())


def _inversions(values: IntArray) -> int:
    """Number of pairs that stand in the wrong order, for small non-negative integers.

    Bit by bit from the highest: two values are in the wrong order exactly if, at the first bit in
    which they differ, the earlier one has 1 and the later one 0. The values are kept grouped by
    the bits already seen, each group in its original order.
    """
    inversions = 0
    top = int(values.max(initial=0)).bit_length()
    place = np.arange(len(values))
    for bit in range(top - 1, -1, -1):
        prefix, ones = values >> (bit + 1), (values >> bit) & 1
        starts = np.flatnonzero(np.diff(prefix, prepend=-1))
        sizes = np.diff(starts, append=len(values))
        start = np.repeat(starts, sizes)
        ones_before = np.cumsum(ones) - ones
        ones_before -= np.repeat(ones_before[starts], sizes)
        is_zero = ones == 0
        inversions += int(ones_before[is_zero].sum())
        zeros = np.repeat(sizes - np.add.reduceat(ones, starts), sizes)
        regrouped = np.empty_like(values)
        regrouped[np.where(is_zero, place - ones_before, start + zeros + ones_before)] = values
        values = regrouped
    return inversions
