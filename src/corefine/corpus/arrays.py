"""Columns: the array types that the package shares, and text kept as bytes in one block.

A corpus has hundreds of thousands of words, and most runs look at none of them one by one. They
are kept as one block of UTF-8 with offsets, and become Python strings only where a person reads
them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]
ByteArray = NDArray[np.uint8]


def offsets_of(lengths: IntArray) -> IntArray:
    """Start offsets of consecutive runs with these lengths, and the end of the last."""
    offsets = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets


def ranges(starts: IntArray, lengths: IntArray) -> IntArray:
    """The numbers start, start + 1, …, start + length - 1 of every run, one run after another.

    >>> ranges(np.array([5, 0]), np.array([3, 2])).tolist()
    [5, 6, 7, 0, 1]
    """
    if not lengths.all():
        filled = np.flatnonzero(lengths)
        starts, lengths = starts[filled], lengths[filled]
    stops = np.cumsum(lengths)
    if not len(stops):
        return stops
    # One step each within a run, a jump at its start: a running sum makes the numbers.
    steps = np.ones(stops[-1], np.int64)
    steps[0] = starts[0]
    steps[stops[:-1]] = starts[1:] - starts[:-1] - lengths[:-1] + 1
    return np.cumsum(steps, out=steps)


def counted(codes: IntArray) -> tuple[IntArray, IntArray]:
    """The distinct codes in ascending order, and how often each occurs. The codes get sorted.

    >>> [column.tolist() for column in counted(np.array([7, 3, 7]))]
    [[3, 7], [1, 2]]
    """
    codes.sort()
    changes = np.empty(len(codes), bool)
    changes[:1] = True
    np.not_equal(codes[1:], codes[:-1], out=changes[1:])
    first = np.flatnonzero(changes)
    return codes[first], np.diff(first, append=len(codes))


def by_first_appearance(groups: IntArray) -> tuple[IntArray, IntArray]:
    """The numbers of :func:`numbered`, and then the rows where each comes first."""
    first, numbers = numbered(groups)
    return numbers, first


def numbered(values: NDArray[Any]) -> tuple[IntArray, IntArray]:
    """Number whole numbers by first appearance: the rows where each comes first, and the numbers.

    Small numbers are looked up in a table. Others go into a hash table in columns: all values that
    are left try their slots at once, the first row wins a free slot, and those that met another
    value try the next slot. Unlike sorting it is linear.

    >>> first, codes = numbered(np.array([7, 5, 7, 9]))
    >>> first.tolist(), codes.tolist()
    ([0, 1, 3], [0, 1, 0, 2])
    """
    count = len(values)
    changes = np.ones(count, bool)
    changes[1:] = values[1:] != values[:-1]
    heads = np.flatnonzero(changes)
    if 2 * len(heads) < count:
        # Equal values are mostly adjacent: number the runs.
        first, codes = numbered(values[heads])
        return heads[first], codes[np.cumsum(changes) - 1]
    rows = np.arange(count)
    if count and values.dtype.kind == "i" and values.min() >= 0 and values.max() <= 4 * count:
        owner = np.empty(int(values.max()) + 1, np.int64)
        # Written backwards, so that the first of several rows is the one that stays.
        owner[values[::-1]] = rows[::-1]
        found = owner[values]
    else:
        found = _hashed(values)
    leads = found == rows
    return np.flatnonzero(leads), (np.cumsum(leads) - 1)[found]


def _hashed(values: NDArray[Any]) -> IntArray:
    """For each row the first row with the same value."""
    count = len(values)
    bits = max(int(2 * count - 1).bit_length(), 1) if count else 1
    keys = values.astype(np.uint64, copy=False)
    slot = ((keys * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(64 - bits)).astype(np.int64)
    owner: NDArray[Any] = np.full(1 << bits, -1, np.int32 if count < 1 << 31 else np.int64)
    found = np.empty(count, np.int64)
    left = np.arange(count)
    while len(left):
        tried = slot if len(left) == count else slot[left]
        free = owner[tried] < 0
        owner[tried[free][::-1]] = left[free][::-1]
        holder = owner[tried]
        same = keys[holder] == keys[left]
        found[left[same]] = holder[same]
        left = left[~same]
        slot[left] = (slot[left] + 1) & ((1 << bits) - 1)
    return found
