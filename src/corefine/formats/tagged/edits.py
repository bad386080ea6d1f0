"""The cheapest edit script between two short sequences, or within a band between longer ones."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from corefine.corpus.arrays import IntArray

GAP = 8
"""What it costs to leave out an atom of either side."""
ALIKE = 5
"""What it costs to pair words that begin alike."""
OTHER = 13
"""What it costs to pair other words, or two punctuation marks: less than to leave out both.

With a pair that begins alike it costs more than two gaps: rather than shift a passage by a word,
what is equal is paired."""
NEVER = 21
"""What it costs to pair a word with a punctuation mark: more than to leave out both."""
CELLS = 1 << 24
"""How many cells of the table of costs are looked at: beyond, only those near the diagonal."""
NARROWEST = 32
"""How far from the diagonal cells are looked at in the longest texts."""
_FAR = np.int64(1) << np.int64(40)
_PAIR, _SKIP_LEFT, _SKIP_RIGHT = 0, 1, 2


def edit_script(
    left: IntArray, right: IntArray, left_stem: IntArray, right_stem: IntArray
) -> tuple[IntArray, IntArray]:
    """The places of the atoms that are paired, in ascending order on both sides.

    Stems say which words begin alike; those of punctuation marks are negative.
    """
    rows, columns = len(left), len(right)
    reach = columns if rows * columns <= CELLS else max(NARROWEST, CELLS // (2 * rows))
    width = min(columns, 2 * reach) + 1
    trace = np.zeros((rows, width), np.uint8)
    lows = np.clip(np.arange(1, rows + 1) * columns // rows - reach, 0, columns + 1 - width)
    steps = GAP * np.arange(columns + 1)
    costs = np.full(columns + 1, _FAR)
    costs[:width] = steps[:width]
    low = 0
    punctuation = right_stem < 0
    for row, here in enumerate(lows.tolist()):
        high = here + width
        first = max(here, 1)
        pair: NDArray[np.int64] = np.where(
            punctuation[first - 1 : high - 1] == (left_stem[row] < 0), OTHER, NEVER
        )
        pair[right_stem[first - 1 : high - 1] == left_stem[row]] = ALIKE
        pair[right[first - 1 : high - 1] == left[row]] = 0
        diagonal = np.full(width, _FAR)
        diagonal[first - here :] = costs[first - 1 : high - 1] + pair
        above = costs[here:high] + GAP
        best = np.minimum(diagonal, above)
        along = np.minimum.accumulate(best - steps[here:high]) + steps[here:high]
        trace[row] = np.where(
            along < best, _SKIP_RIGHT, np.where(diagonal <= above, _PAIR, _SKIP_LEFT)
        )
        costs[low:here] = _FAR
        costs[here:high] = along
        low = here
    return _traced(trace, lows)


def _traced(trace: NDArray[np.uint8], lows: IntArray) -> tuple[IntArray, IntArray]:
    """The pairs on the way back from the end."""
    row, column = len(trace) - 1, int(lows[-1]) + trace.shape[1] - 1
    lefts, rights = [], []
    bounds = lows.tolist()
    while row >= 0 and column > 0:
        step = trace[row, column - bounds[row]]
        if step == _PAIR:
            lefts.append(row)
            rights.append(column - 1)
            row, column = row - 1, column - 1
        elif step == _SKIP_LEFT:
            row -= 1
        else:
            column -= 1
        if row >= 0 and column < bounds[row]:
            break  # the way left the band, where nothing is known
    return np.array(lefts[::-1], np.int64), np.array(rights[::-1], np.int64)
