"""Arrays of strings in JSON as columns, without an object for each string.

msgspec has checked that the bytes are JSON before they come here, so quotes, brackets and what
stands between strings tell everything. What is not an array of strings is left to msgspec, which
says what is wrong with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from corefine.columns import ByteArray, IntArray, Strings, offsets_of, ranges

if TYPE_CHECKING:
    from msgspec import Raw

_QUOTE, _BACKSLASH, _COMMA, _SPACE, _OPEN, _CLOSE = b'"\\, []'
_BETWEEN = np.zeros(256, bool)
_BETWEEN[list(b", \t\r\n[]")] = True


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


def scan(arrays: Sequence[Raw], depth: int) -> StringLists | None:
    """The strings in JSON arrays, one for each document: of strings, or (depth 2) of such arrays.

    None if some are not that, or hold so many escaped characters that msgspec is quicker.
    """
    data: ByteArray = np.frombuffer(b"".join(arrays), np.uint8)
    begins = offsets_of(np.fromiter(map(len, arrays), np.int64, len(arrays)))
    if not (data[begins[:-1]] == _OPEN).all():
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
    of_string = level[np.searchsorted(brackets, starts) - 1]
    if (level > depth).any() or (of_string != depth).any():
        return None
    first = np.searchsorted(starts, brackets[opens & (level == depth)])
    last = np.searchsorted(starts, brackets[~opens & (level == depth - 1)])
    lists = np.searchsorted(brackets[opens & (level == depth)], begins)
    if len(escapes):
        changed = _unescaped(data, starts, stops, escapes)
        if changed is None:
            return None
        data, stops = changed
    return StringLists(Strings.cut(data, starts, stops), last - first, np.diff(lists))


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
    usual = (size == 1) | (size == 2)
    usual[usual] = data[first[usual]] == _COMMA
    two = np.flatnonzero(usual & (size == 2))
    usual[two] = data[first[two] + 1] == _SPACE
    others = ~usual
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
