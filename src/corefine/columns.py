"""Columns: the array types that the package shares, and text kept as bytes in one block.

A corpus has hundreds of thousands of words, and most runs look at none of them one by one. They
are kept as one block of UTF-8 with offsets, and become Python strings only where a person reads
them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]
ByteArray = NDArray[np.uint8]


def offsets_of(lengths: IntArray) -> IntArray:
    """Where each of several runs of these lengths starts, and where the last one stops."""
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


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Strings(Sequence[str]):
    """An immutable column of strings: UTF-8 bytes and the offsets between which each one lies."""

    data: ByteArray
    offsets: IntArray

    @classmethod
    def from_list(cls, strings: Iterable[str]) -> Strings:
        encoded = [s.encode("utf-8", "surrogatepass") for s in strings]
        offsets = np.fromiter(accumulate(map(len, encoded), initial=0), np.int64, len(encoded) + 1)
        return cls(np.frombuffer(b"".join(encoded), dtype=np.uint8), offsets)

    @classmethod
    def cut(cls, data: ByteArray, starts: IntArray, stops: IntArray) -> Strings:
        """The pieces ``data[start:stop]``, copied together so that ``data`` can be let go."""
        lengths = stops - starts
        return cls(data[ranges(starts, lengths)], offsets_of(lengths))

    @classmethod
    def concatenate(cls, columns: Sequence[Strings]) -> Strings:
        if len(columns) == 1:
            return columns[0]
        if not columns:
            return cls(np.zeros(0, np.uint8), np.zeros(1, np.int64))
        offsets = np.zeros(sum(map(len, columns)) + 1, np.int64)
        row = 0
        for column in columns:
            stop = row + len(column)
            moved_by = offsets[row] - column.offsets[0]
            np.add(column.offsets[1:], moved_by, out=offsets[row + 1 : stop + 1])
            row = stop
        data = [column.data[column.offsets[0] : column.offsets[-1]] for column in columns]
        return cls(np.concatenate(data), offsets)

    @property
    def lengths(self) -> IntArray:
        """Length of each string in bytes."""
        return np.diff(self.offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, index):  # type: ignore[no-untyped-def]
        if isinstance(index, slice):
            start, stop, step = index.indices(len(self))
            if step != 1:
                return self.take(np.arange(start, stop, step))
            return Strings(self.data, self.offsets[start : max(start, stop) + 1])
        if index < 0:
            index += len(self)
        if not 0 <= index < len(self):
            raise IndexError(index)
        first, last = self.offsets[index], self.offsets[index + 1]
        return self.data[first:last].tobytes().decode("utf-8", "surrogatepass")

    def __iter__(self) -> Iterator[str]:
        return iter(self.tolist())

    def tolist(self) -> list[str]:
        block = self.data[self.offsets[0] : self.offsets[-1]].tobytes()
        bounds = (self.offsets - self.offsets[0]).tolist()
        return [
            block[first:last].decode("utf-8", "surrogatepass") for first, last in pairwise(bounds)
        ]

    def take(self, indices: IntArray) -> Strings:
        return Strings.cut(self.data, self.offsets[:-1][indices], self.offsets[1:][indices])

    def differs_from(self, other: Strings) -> int | None:
        """The first index at which the two columns differ; a missing string differs.

        The whole columns are compared as blocks first, since they nearly always agree.
        """
        shared = min(len(self), len(other))
        mine, theirs = self.lengths[:shared], other.lengths[:shared]
        unequal = mine != theirs
        agreeing = int(np.argmax(unequal)) if unequal.any() else shared
        span = int(self.offsets[agreeing] - self.offsets[0])
        left = self.data[self.offsets[0] : self.offsets[0] + span]
        right = other.data[other.offsets[0] : other.offsets[0] + span]
        if not np.array_equal(left, right):
            byte = int(np.argmax(left != right)) + self.offsets[0]
            return int(np.searchsorted(self.offsets, byte, side="right")) - 1
        if agreeing < shared or len(self) != len(other):
            return agreeing
        return None

    def codes(self) -> IntArray:
        """A number for every string, the same for equal strings."""
        return codes_of_bytes(self.data, self.offsets[:-1], self.lengths)


def codes_of_bytes(data: ByteArray, starts: IntArray, lengths: IntArray) -> IntArray:
    """Number the byte strings ``data[start:start+length]`` so that equal ones share a number."""
    count = len(starts)
    if count == 0:
        return np.zeros(0, np.int64)
    width = int(lengths.max())
    if width <= 8:
        # Eight bytes are one integer: zero bytes do not occur in text, so padding keeps them apart.
        packed = np.zeros(count, np.uint64)
        for position in range(width):
            inside = lengths > position
            packed[inside] |= data[starts[inside] + position].astype(np.uint64) << np.uint64(
                8 * position
            )
        return np.unique(packed, return_inverse=True)[1].reshape(-1)
    block = data.tobytes()
    seen: dict[bytes, int] = {}
    return np.fromiter(
        (
            seen.setdefault(block[first : first + length], len(seen))
            for first, length in zip(starts.tolist(), lengths.tolist(), strict=True)
        ),
        np.int64,
        count,
    )
