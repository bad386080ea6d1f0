"""A component that is too large to be solved: an alignment, and how far it may be from the best.

Any prices p ≥ 0 of the columns give an upper bound (linear programming duality): no alignment
weighs more than Σ p(j) over all columns + Σ max(0, max over j of w(i, j) − p(j)) over all rows,
since each of its cells is paid for by its row and its column. Good prices come from an auction
(Bertsekas 1979): every row without a column bids for the one that it gains most by, and raises its
price to where the next best would do as well, and by a small step more. The rows that hold a column
at the end, completed greedily, are the alignment. An auction that comes to its end is within the
sum of the steps of the optimum; one that is stopped before leaves a wider interval, equally valid.
"""

from __future__ import annotations

import numpy as np

from corefine.corpus.arrays import BoolArray, FloatArray, IntArray, offsets_of, ranges

#: The step of a row's bids, as a part of its heaviest cell.
STEP = 1 / 1024
MOST_ROUNDS = 4096


def bracket(
    rows: IntArray, columns: IntArray, weights: FloatArray, height: int, width: int
) -> tuple[BoolArray, float]:
    """Which cells a good alignment has, and by how much the best one can be heavier at most."""
    order = np.argsort(rows, kind="stable")
    rows, columns, weights = rows[order], columns[order], weights[order]
    prices, holder = _auction(rows, columns, weights, height, width)

    picked = holder[columns] == rows
    free_row = np.ones(height, dtype=np.bool_)
    free_row[rows[picked]] = False
    left = (free_row[rows] & (holder[columns] < 0)).nonzero()[0]
    picked[left[_greedy(rows[left], columns[left], weights[left], height, width)]] = True

    profit = np.zeros(height)
    np.maximum.at(profit, rows, weights - prices[columns])
    slack = float(prices.sum() + profit.sum() - weights[picked].sum())
    chosen = np.empty_like(picked)
    chosen[order] = picked
    return chosen, max(slack, 0.0)


def _auction(
    rows: IntArray, columns: IntArray, weights: FloatArray, height: int, width: int
) -> tuple[FloatArray, IntArray]:
    """The price of each column and the row that holds it, or −1. Cells are sorted by row."""
    lengths = np.bincount(rows, minlength=height)
    starts = offsets_of(lengths)[:-1]
    step = STEP * np.maximum.reduceat(weights, starts)
    prices = np.zeros(width)
    holder = np.full(width, -1)
    bidders = np.arange(height)
    for _ in range(MOST_ROUNDS):
        cells = ranges(starts[bidders], lengths[bidders])
        segments = offsets_of(lengths[bidders])[:-1]
        gain = weights[cells] - prices[columns[cells]]
        most = np.maximum.reduceat(gain, segments)
        bidder = np.repeat(np.arange(bidders.size), lengths[bidders])
        # The first of a bidder's best cells; then what it would gain without it, or by nothing.
        tied = (gain == most[bidder]).nonzero()[0]
        best = tied[np.searchsorted(bidder[tied], np.arange(bidders.size))]
        gain[best] = 0.0
        next_most = np.maximum(np.maximum.reduceat(gain, segments), 0.0)
        willing = most > 0.0
        if not willing.any():
            break
        bidders = bidders[willing]
        wanted = columns[cells[best[willing]]]
        bid = prices[wanted] + (most - next_most)[willing] + step[bidders]
        np.maximum.at(prices, wanted, bid)
        winning = bid == prices[wanted]
        winner = np.full(width, height)
        np.minimum.at(winner, wanted[winning], bidders[winning])
        sold = np.unique(wanted)
        ousted = holder[sold]
        holder[sold] = winner[sold]
        lost = bidders[holder[wanted] != bidders]
        bidders = np.sort(np.concatenate((lost, ousted[ousted >= 0])))
        if bidders.size == 0:
            break
    return prices, holder


def _greedy(
    rows: IntArray, columns: IntArray, weights: FloatArray, height: int, width: int
) -> IntArray:
    """Cell after cell by falling weight, each whose row and column are free."""
    free_row, free_column = [True] * height, [True] * width
    picked: list[int] = []
    order = np.argsort(-weights, kind="stable")
    ordered = zip(order.tolist(), rows[order].tolist(), columns[order].tolist(), strict=True)
    for cell, row, column in ordered:
        if free_row[row] and free_column[column]:
            free_row[row] = free_column[column] = False
            picked.append(cell)
    return np.array(picked, dtype=np.int64)
