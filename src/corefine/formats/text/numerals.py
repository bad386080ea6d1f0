"""Whole numbers that are written in a block of text."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from corefine.corpus.arrays import ByteArray, IntArray

LONGEST = 9
"""Digits of a number: what has more is none, so that pairs of numbers fit into 64 bits."""

_ZEROS = np.uint64(0x3030303030303030)
_HIGH = np.uint64(0xF0F0F0F0F0F0F0F0)
_SIXES = np.uint64(0x0606060606060606)
_STEPS = tuple(
    (np.uint64(10**digits), np.uint64(8 * digits), np.uint64(kept))
    for digits, kept in ((1, 0x00FF00FF00FF00FF), (2, 0x0000FFFF0000FFFF), (4, 0xFFFFFFFF))
)
_SHIFTS = np.array([0, *range(56, -1, -8)], np.uint64)
_FILLED = np.array(
    [0, *(0x3030303030303030 & ((1 << shift) - 1) for shift in range(56, -1, -8))], np.uint64
)
"""For so many digits: how far they move, and the zeros that fill the places before them."""


def whole_numbers(block: ByteArray, starts: IntArray, stops: IntArray) -> IntArray:
    """The parts of a block as numbers; -1 where they are none, or of more than nine digits.

    >>> text = np.frombuffer(b"12 x 7", np.uint8)
    >>> whole_numbers(text, np.array([0, 3, 5]), np.array([2, 4, 6])).tolist()
    [12, -1, 7]
    """
    lengths = stops - starts
    values = _up_to_eight_digits(block, starts, np.clip(lengths, 1, 8))
    values[(lengths < 1) | (lengths > LONGEST)] = -1
    long = np.flatnonzero(lengths == LONGEST)
    if len(long):
        last = block[stops[long] - 1] - 48
        values[long] = np.where(
            (last > 9) | (values[long] < 0), -1, values[long] * 10 + last.astype(np.int64)
        )
    return values


def _up_to_eight_digits(block: ByteArray, starts: IntArray, lengths: IntArray) -> IntArray:
    """Eight bytes are one number of 64 bits, whose digits are added up in three steps."""
    if len(block) < 8:
        block = np.concatenate([block, np.zeros(8, np.uint8)])
    eights = np.ndarray((len(block) - 7,), np.dtype("<u8"), block, strides=(1,))
    words: NDArray[np.uint64]
    if len(starts) and int(starts.max()) >= len(eights):
        at = np.minimum(starts, len(eights) - 1)
        words = eights[at] >> np.uint64(8) * (starts - at).astype(np.uint64)
    else:
        words = eights[starts]
    words = words << _SHIFTS[lengths]
    words |= _FILLED[lengths]
    wrong = ((words & _HIGH) != _ZEROS) | (((words + _SIXES) & _HIGH) != _ZEROS)
    words &= ~_HIGH
    for ten, step, kept in _STEPS:
        words = (words * ten + (words >> step)) & kept
    values = words.astype(np.int64)
    values[wrong] = -1
    return values
