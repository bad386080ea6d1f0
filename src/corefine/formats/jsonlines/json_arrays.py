"""Arrays of strings and of numbers in JSON as columns, without an object for each of them.

msgspec has checked that the bytes are JSON before they come here, so quotes, brackets and what
stands between values tell everything. What is not such an array is left to msgspec, which says what
is wrong with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from corefine.corpus.arrays import ByteArray, IntArray, offsets_of, ranges
from corefine.corpus.strings import Strings
from corefine.formats.text.numerals import whole_numbers

if TYPE_CHECKING:
    from msgspec import Raw

_QUOTE, _BACKSLASH, _COMMA, _SPACE, _OPEN, _CLOSE = b'"\\, []'
_BETWEEN = np.zeros(256, bool)
_BETWEEN[list(b", \t\r\n[]")] = True
_IN_NUMBERS = b", \t\r\n[]0123456789"
_ZERO = ord("0")


@dataclass(frozen=True, slots=True, eq=False)
class StringLists:
    """The strings of lists, the lists of documents: as many as the lengths say."""

    strings: Strings
    lengths: IntArray
    """How many strings each list has."""
    counts: IntArray
    """How many lists each document has."""

    @property
    def per_document(self) -> IntArray:
        """How many strings each document has."""
        return np.diff(offsets_of(self.lengths)[offsets_of(self.counts)])

    @classmethod
    def of(cls, documents: Sequence[Sequence[Sequence[str]]]) -> StringLists:
        """From Python's lists; no string may hold a zero character."""
        lists = list(chain.from_iterable(documents))
        counts = np.fromiter(map(len, documents), np.int64, len(documents))
        lengths = np.fromiter(map(len, lists), np.int64, len(lists))
        text = "\0".join(map("\0".join, filter(None, lists)))
        data = np.frombuffer(text.encode("utf-8"), np.uint8)
        ends = np.flatnonzero(data == 0)
        if lengths.any():
            ends = np.append(ends, len(data))
        return cls(
            Strings(data[data != 0], np.append(0, ends - np.arange(len(ends)))), lengths, counts
        )


def scan_strings(arrays: Sequence[Raw], depth: int) -> StringLists | None:
    """The strings in JSON arrays, one for each document: of strings, or (depth 2) of such arrays.

    None if some are not that, or hold so many escaped characters that msgspec is quicker.
    """
    data, begins = _joined(arrays)
    if not len(data) or not (data[begins[:-1]] == _OPEN).all():
        return None
    quotes = np.flatnonzero(data == _QUOTE)
    escapes = np.flatnonzero(data == _BACKSLASH)
    if len(escapes):
        quotes = _outside_escapes(data, quotes, escapes)
    starts, stops = quotes[0::2] + 1, quotes[1::2]
    if not _only_arrays(data, starts, stops):
        return None
    brackets = np.flatnonzero((data == _OPEN) | (data == _CLOSE))
    brackets = brackets[np.searchsorted(quotes, brackets) % 2 == 0]
    opens = data[brackets] == _OPEN
    level = np.cumsum(np.where(opens, 1, -1))
    before = np.searchsorted(starts, brackets)
    behind = np.diff(before, append=len(starts))
    if (level > depth).any() or behind[level != depth].any():
        return None
    inner, outer = opens & (level == depth), ~opens & (level == depth - 1)
    lists = np.searchsorted(brackets[inner], begins)
    if len(escapes):
        changed = _unescaped(data, starts, stops, escapes)
        if changed is None:
            return None
        data, stops = changed
    return StringLists(
        Strings.cut(data, starts, stops), before[outer] - before[inner], np.diff(lists)
    )


def scan_numbers(arrays: Sequence[Raw], width: int) -> tuple[IntArray, IntArray, IntArray] | None:
    """Clusters of mentions in JSON arrays, one for each document; a mention is so many numbers.

    How many clusters each document has, how many mentions each cluster, and a row of numbers for
    each mention. None if some arrays are not that.
    """
    data, begins = _joined(arrays)
    if not (data[begins[:-1]] == _OPEN).all() or data.tobytes().translate(None, _IN_NUMBERS):
        return None
    digit = data >= _ZERO
    digit &= data < _OPEN
    edges = np.flatnonzero(np.diff(digit.view(np.int8), prepend=0, append=0))
    starts, stops = edges[0::2], edges[1::2]
    brackets = np.flatnonzero(data >= _OPEN)
    opens = data[brackets] == _OPEN
    level = np.cumsum(np.where(opens, 1, -1))
    mention, cluster = opens & (level == 3), opens & (level == 2)
    before = np.searchsorted(starts, brackets[mention])
    ends = np.searchsorted(starts, brackets[~opens & (level == 2)])
    even = np.arange(0, width * len(before), width)
    if (level > 3).any() or len(starts) != width * len(before):
        return None
    if not (np.array_equal(before, even) and np.array_equal(ends, even + width)):
        return None
    numbers = whole_numbers(data, starts, stops)
    if (numbers < 0).any():
        return None
    # Brackets of mentions and of clusters before each bracket, and before the end.
    mentions, clusters = offsets_of(mention.astype(np.int64)), offsets_of(cluster.astype(np.int64))
    sizes = mentions[np.flatnonzero(~opens & (level == 1))] - mentions[np.flatnonzero(cluster)]
    counts = np.diff(clusters[np.searchsorted(brackets, begins)])
    return counts, sizes, numbers.reshape(-1, width)


def _joined(arrays: Sequence[Raw]) -> tuple[ByteArray, IntArray]:
    """The bytes of all arrays, and where each one begins (and the last one stops)."""
    lengths = np.fromiter(map(len, arrays), np.int64, len(arrays))
    return np.frombuffer(b"".join(arrays), np.uint8), offsets_of(lengths)


def _outside_escapes(data: ByteArray, quotes: IntArray, escapes: IntArray) -> IntArray:
    """The quotes that are none of a string's characters: not behind an odd run of backslashes."""
    candidates = quotes[data[quotes - 1] == _BACKSLASH]
    if not len(candidates):
        return quotes
    place = np.searchsorted(escapes, candidates - 1)
    number = np.arange(len(escapes))
    opens = np.ones(len(escapes), bool)
    opens[1:] = np.diff(escapes) > 1
    run = number - np.maximum.accumulate(np.where(opens, number, 0)) + 1
    return np.setdiff1d(quotes, candidates[run[place] % 2 == 1], assume_unique=True)


def _only_arrays(data: ByteArray, starts: IntArray, stops: IntArray) -> bool:
    """Whether only commas, brackets and white space stand between strings."""
    first = np.append(0, stops + 1)
    size = np.append(starts - 1, len(data)) - first
    # Most strings have a comma between them, and perhaps a space: the rest is looked at.
    comma = data[first] == _COMMA
    usual = comma & (size == 1)
    two = np.flatnonzero(comma & (size == 2))
    usual[two] = data[first[two] + 1] == _SPACE
    others = np.flatnonzero(~usual)
    return bool(_BETWEEN[data[ranges(first[others], size[others])]].all())


def _unescaped(
    data: ByteArray, starts: IntArray, stops: IntArray, escapes: IntArray
) -> tuple[ByteArray, IntArray] | None:
    """The data with the characters that escapes stand for, and where strings stop in it.

    These characters never take more room than their escapes. None if too many strings have some,
    or one of them is zero.
    """
    import msgspec

    inside = np.unique(np.searchsorted(starts, escapes, side="right") - 1)
    if 4 * len(inside) > len(starts):
        return None
    block = data.tobytes()
    bounds = zip(starts[inside].tolist(), stops[inside].tolist(), strict=True)
    # Decoded as one string, in which escaped zeros stand between those of the arrays.
    joined = b"\\u0000".join([block[start:stop] for start, stop in bounds])
    text = msgspec.json.decode(b'"' + joined + b'"', type=str).encode("utf-8")
    characters = np.frombuffer(text, np.uint8)
    ends = np.append(np.flatnonzero(characters == 0), len(characters))
    if len(ends) != len(inside):
        return None
    lengths = np.diff(ends, prepend=-1) - 1
    changed, stops = data.copy(), stops.copy()
    changed[ranges(starts[inside], lengths)] = characters[characters != 0]
    stops[inside] = starts[inside] + lengths
    return changed, stops
