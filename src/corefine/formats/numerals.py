"""Whole numbers that are written in a block of text."""

from __future__ import annotations

import numpy as np

from corefine.columns import ByteArray, IntArray

_ZERO = 48
_LONGEST = 9


def whole_numbers(block: ByteArray, starts: IntArray, stops: IntArray) -> IntArray:
    """The parts of a block as numbers; -1 where they are none, or of more than nine digits.

    >>> text = np.frombuffer(b"12 x 7", np.uint8)
    >>> whole_numbers(text, np.array([0, 3, 5]), np.array([2, 4, 6])).tolist()
    [12, -1, 7]
    """
    lengths = stops - starts
    wrong = (lengths <= 0) | (lengths > _LONGEST)
    rows = np.flatnonzero(~wrong)
    values = np.zeros(len(starts), np.int64)
    for place in range(int(lengths[rows].max(initial=0))):
        digits = block[starts[rows] + place] - _ZERO
        bad = digits > 9
        if bad.any():
            wrong[rows[bad]] = True
            digits[bad] = 0
        values[rows] = values[rows] * 10 + digits
        rows = rows[lengths[rows] > place + 1]
    values[wrong] = -1
    return values
