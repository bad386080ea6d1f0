"""The cheapest edit script between two sequences, within a band around the diagonal."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from corefine.corpus.arrays import IntArray
from corefine.errors import UsageError


@dataclass(frozen=True, slots=True)
class Costs:
    """Costs of an edit script; equal items are paired at no cost."""

    gap: int
    """Leave out an item of either side."""
    alike: int
    """Pair words that begin alike."""
    other: int
    """Pair other words, or two punctuation marks."""
    never: int
    """Pair a word with a punctuation mark."""


TOLERANT = Costs(gap=8, alike=5, other=13, never=21)
"""Other words are paired rather than left out. With a pair that begins alike it costs more than two
gaps: rather than shift a passage by a word, what is equal is paired."""
UNIT = Costs(gap=1, alike=1, other=1, never=1)
"""Edit distance."""
CELLS = 1 << 24
"""Cells of the table of costs: of larger tables only those near the diagonal are computed."""
LARGEST = 1 << 27
"""Cells of an exact table."""
NARROWEST = 32
"""Distance from the diagonal up to which cells are computed in the longest texts."""
_FAR = np.int64(1) << np.int64(40)
_PAIR, _SKIP_LEFT, _SKIP_RIGHT = 0, 1, 2


def edit_script(
    left: IntArray, right: IntArray, left_stem: IntArray, right_stem: IntArray
) -> tuple[IntArray, IntArray]:
    """Positions of the items that are paired, in ascending order on both sides.

    Words with equal stems begin alike; those of punctuation marks are negative.
    """
    rows, columns = len(left), len(right)
    reach = columns if rows * columns <= CELLS else max(NARROWEST, CELLS // (2 * rows))
    before = np.arange(rows)
    return _script(left, right, (left_stem, right_stem), TOLERANT, before, reach)[0]


def edit_distance(left: IntArray, right: IntArray, before: IntArray) -> tuple[IntArray, IntArray]:
    """As :func:`edit_script`, exact and with unit costs.

    ``before`` is the number of items before each one of the left, which costs its initial part.
    """
    reach = 128 + abs(len(left) - len(right)) + int((before - np.arange(len(left))).max(initial=0))
    while True:
        if len(left) * (min(len(right), 2 * reach) + 1) > LARGEST:
            raise UsageError(
                f"align=crac compares all pairs of words, which is infeasible for an answer of "
                f"{len(left):,} words that differs much from its source",
                remedy="Use align=tolerant, which is nearly linear.",
            )
        pairs, distance = _script(left, right, (left, right), UNIT, before, reach)
        if distance + abs(len(left) - len(right)) < reach or 2 * reach >= len(right):
            return pairs
        reach *= 2


def _script(
    left: IntArray,
    right: IntArray,
    stems: tuple[IntArray, IntArray],
    costs: Costs,
    before: IntArray,
    reach: int,
) -> tuple[tuple[IntArray, IntArray], int]:
    """Pairs of the cheapest script within the band, and its cost."""
    rows, columns = len(left), len(right)
    width = min(columns, 2 * reach) + 1
    trace = np.zeros((rows, width), np.uint8)
    lows = np.clip(np.arange(1, rows + 1) * columns // max(rows, 1) - reach, 0, columns + 1 - width)
    steps = costs.gap * np.arange(columns + 1)
    table = np.full(columns + 1, _FAR)
    table[:width] = steps[:width]
    low = 0
    left_stem, right_stem = stems
    punctuation = right_stem < 0
    for row, here in enumerate(lows.tolist()):
        high, first = here + width, max(here, 1)
        same_sort = punctuation[first - 1 : high - 1] == (left_stem[row] < 0)
        pair: NDArray[np.int64] = np.where(same_sort, costs.other, costs.never)
        pair[right_stem[first - 1 : high - 1] == left_stem[row]] = costs.alike
        pair[right[first - 1 : high - 1] == left[row]] = 0
        if low == 0:
            table[0] = costs.gap * before[row]
        diagonal = np.full(width, _FAR)
        diagonal[first - here :] = table[first - 1 : high - 1] + pair
        above = table[here:high] + costs.gap
        best = np.minimum(diagonal, above)
        along = np.minimum.accumulate(best - steps[here:high]) + steps[here:high]
        trace[row] = np.where(
            along < best, _SKIP_RIGHT, np.where(diagonal <= above, _PAIR, _SKIP_LEFT)
        )
        table[low:here] = _FAR
        table[here:high] = along
        low = here
    return _traced(trace, lows), int(table[columns])


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
            break  # the path left the band
    return np.array(lefts[::-1], np.int64), np.array(rights[::-1], np.int64)
