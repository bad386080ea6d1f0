"""Columns: the array types that the package shares, and text kept as bytes in one block.

A corpus has hundreds of thousands of words, and most runs look at none of them one by one. They
are kept as one block of UTF-8 with offsets, and become Python strings only where a person reads
them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
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


def among(values: IntArray, others: IntArray) -> BoolArray:
    """True for each value that is one of the others; for large numbers, which np.isin hashes.

    >>> among(np.array([7, 3, 7]), np.array([7, 5])).tolist()
    [True, False, True]
    """
    if not len(others):
        return np.zeros(len(values), bool)
    others = np.sort(others)
    at = np.minimum(np.searchsorted(others, values), len(others) - 1)
    found: BoolArray = others[at] == values
    return found


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


_BLOCK = 1 << 15
"""Rows whose columns fit into the cache."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Strings(Sequence[str]):
    """An immutable column of strings: UTF-8 bytes and offsets."""

    data: ByteArray
    offsets: IntArray

    @classmethod
    def from_list(cls, strings: Iterable[str]) -> Strings:
        listed = list(strings)
        text = "".join(listed)
        data = text.encode("utf-8", "surrogatepass")
        ends = offsets_of(np.fromiter(map(len, listed), np.int64, len(listed)))
        block = np.frombuffer(data, np.uint8)
        if len(data) > len(text):  # characters of several bytes: count those that begin one
            ends = np.append(np.flatnonzero(block & 0xC0 != 0x80), len(block))[ends]
        return cls(block, ends)

    @classmethod
    def blank(cls, count: int) -> Strings:
        """A column of this many empty strings."""
        return cls(np.zeros(0, np.uint8), np.zeros(count + 1, np.int64))

    @classmethod
    def cut(cls, data: ByteArray, starts: IntArray, stops: IntArray) -> Strings:
        """The pieces ``data[start:stop]``, copied together so that ``data`` can be let go."""
        lengths = stops - starts
        return cls(_gathered(data, starts, lengths), offsets_of(lengths))

    @classmethod
    def concatenate(cls, columns: Sequence[Strings]) -> Strings:
        if len(columns) == 1:
            return columns[0]
        if not columns:
            return cls.blank(0)
        offsets = np.zeros(sum(map(len, columns)) + 1, np.int64)
        row = 0
        for column in columns:
            stop = row + len(column)
            moved_by = offsets[row] - column.offsets[0]
            np.add(column.offsets[1:], moved_by, out=offsets[row + 1 : stop + 1])
            row = stop
        return cls(np.concatenate([column.block for column in columns]), offsets)

    @property
    def block(self) -> ByteArray:
        """Bytes of these strings; ``data`` may have further bytes before and after them."""
        return self.data[self.offsets[0] : self.offsets[-1]]

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
        block, bounds = self.block, self.offsets - self.offsets[0]
        text = block.tobytes().decode("utf-8", "surrogatepass")
        if len(text) < len(block):  # characters of several bytes: count those that begin one
            bounds = offsets_of(block & 0xC0 != 0x80)[bounds]
        return [text[first:last] for first, last in pairwise(bounds.tolist())]

    def take(self, indices: IntArray) -> Strings:
        return Strings.cut(self.data, self.offsets[:-1][indices], self.offsets[1:][indices])

    def differs_from(self, other: Strings) -> int | None:
        """First index at which the two columns differ, or None.

        The whole columns are compared as blocks first, since they nearly always agree.
        """
        if np.array_equal(self.lengths, other.lengths) and np.array_equal(self.block, other.block):
            return None
        shared = min(len(self), len(other))
        codes = Strings.concatenate([self[:shared], other[:shared]]).codes()
        differing = np.flatnonzero(codes[:shared] != codes[shared:])
        return int(differing[0]) if len(differing) else shared

    def equal_rows(self, rows: IntArray, other: Strings, other_rows: IntArray) -> bool:
        """True if the strings of these rows equal the strings of other rows in another column."""
        ours, theirs = _eights(self.data), _eights(other.data)
        for block in range(0, len(rows), _BLOCK):
            part, mates = rows[block : block + _BLOCK], other_rows[block : block + _BLOCK]
            starts, others = self.offsets[part], other.offsets[mates]
            lengths = self.offsets[part + 1] - starts
            if not np.array_equal(lengths, other.offsets[mates + 1] - others):
                return False
            last = np.maximum(lengths - 8, 0)
            for first in range(0, int(lengths.max()), 8):
                # The last word of a string ends with it, and may overlap the one before.
                at = np.minimum(first, last)
                differing = ours[starts + at] ^ theirs[others + at]
                if lengths.min() < 8:
                    differing = _masked(differing, lengths)
                if differing.any():
                    return False
        return True

    def codes(self) -> IntArray:
        """A number for every string, the same for equal strings."""
        return numbered_bytes(self.data, self.offsets[:-1], self.lengths)[1]

    def distinct(self) -> tuple[list[str], IntArray]:
        """List distinct strings by first appearance, and give each row the index of its string."""
        first, codes = numbered_bytes(self.data, self.offsets[:-1], self.lengths)
        return self.take(first).tolist(), codes

    def looked_up(self, judge: Callable[[str], Any], dtype: Any) -> NDArray[Any]:
        """Values of a function of each string, called once per distinct string."""
        texts, codes = self.distinct()
        return np.array([judge(text) for text in texts], dtype)[codes]


def _gathered(data: ByteArray, starts: IntArray, lengths: IntArray) -> ByteArray:
    """Concatenated pieces of the data."""
    gaps = starts[1:] - (starts + lengths)[:-1]
    if len(starts) and len(data) < 3 * int(lengths.sum()) and (gaps >= 0).all():
        # Pieces in order that are most of the data: pass over it once with a mask.
        runs = np.empty(2 * len(starts) + 1, np.int64)
        runs[0], runs[-1] = starts[0], len(data) - (starts[-1] + lengths[-1])
        runs[1::2], runs[2:-1:2] = lengths, gaps
        inside = np.zeros(len(runs), bool)
        inside[1::2] = True
        kept: ByteArray = data[np.repeat(inside, runs)]
        return kept
    gathered: ByteArray = data[ranges(starts, lengths)]
    return gathered


def numbered_bytes(
    data: ByteArray, starts: IntArray, lengths: IntArray
) -> tuple[IntArray, IntArray]:
    """Number byte strings by first appearance: the first row of each, and the numbers.

    Strings of up to eight bytes are compared as integers. Longer ones are compared by a 64-bit
    hash, and then in full with the first string of the same hash.
    """
    count = len(starts)
    if count == 0:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    eights = _eights(data)
    width = int(lengths.max())
    filled = np.flatnonzero(lengths)
    ends_in_zero = data[starts[filled] + lengths[filled] - 1] == 0
    if width <= 8 and not ends_in_zero.any():
        # Padding with zeros keeps strings apart, unless one of them ends in a zero byte itself.
        return numbered(_masked(eights[starts], lengths))
    hashed = lengths.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    for first in range(0, width, 8):
        rows = np.flatnonzero(lengths > first) if first else slice(None)
        word = _masked(eights[starts[rows] + first], lengths[rows] - first)
        mixed = (hashed[rows] ^ word) * np.uint64(0xD6E8FEB86659FD93)
        hashed[rows] = mixed ^ (mixed >> np.uint64(32))
    first_of, codes = numbered(hashed)
    alike = first_of[codes]
    if np.array_equal(lengths, lengths[alike]) and np.array_equal(
        _gathered(data, starts, lengths), _gathered(data, starts[alike], lengths)
    ):
        return first_of, codes
    # Hashes collide: slow, and exact.
    seen: dict[str, int] = {}
    texts = Strings.cut(data, starts, starts + lengths).tolist()
    return numbered(np.array([seen.setdefault(text, len(seen)) for text in texts]))


def _eights(data: ByteArray) -> NDArray[np.uint64]:
    """An integer at every byte: eight bytes are read at once wherever they begin."""
    padded = np.concatenate([data, np.zeros(8, np.uint8)])
    return np.ndarray((len(data) + 1,), np.dtype("<u8"), padded, strides=(1,))


def _masked(words: NDArray[np.uint64], lengths: IntArray) -> NDArray[np.uint64]:
    """Words of eight bytes of which only the first ``length`` belong to the string."""
    missing = (8 * (8 - np.clip(lengths, 0, 8))).astype(np.uint64)
    kept = np.where(
        missing == 64, np.uint64(0), ~np.uint64(0) >> np.minimum(missing, np.uint64(63))
    )
    return words & kept
