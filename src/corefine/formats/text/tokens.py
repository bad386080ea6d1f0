"""Words from running text, for formats that count characters.

A corpus is made of tokens, whatever its format counts. A text is cut so that every mention begins
and ends with a token; where else it is cut says nothing, since texts with other tokens are compared
by their characters. Cuts are where a simple tokenizer would make them: at white space, around
punctuation (but not inside «don't», «well-known» and «3.14»).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from corefine.corpus.arrays import BoolArray, ByteArray, IntArray, offsets_of
from corefine.corpus.code_points import Sort, code_points, sort_of, sorts
from corefine.corpus.columns import Text
from corefine.corpus.strings import Strings

_JOINS_WORDS, _JOINS_DIGITS = 4, 5
"""Sorts of signs that are part of a word if they stand between letters, or between digits."""
_JOINING = dict.fromkeys("'’-", _JOINS_WORDS) | dict.fromkeys(".,:", _JOINS_DIGITS)
_ASCII = bytes(_JOINING.get(chr(byte), sort_of(chr(byte))) for byte in range(128)) + bytes(128)
_WHITE = bytes(byte for byte in range(128) if _ASCII[byte] == Sort.SPACE)


@dataclass(frozen=True, slots=True, eq=False)
class RunningTexts:
    """Texts one behind the other as UTF-8, which count characters of each."""

    data: ByteArray
    sizes: IntArray
    """How many characters each text has."""
    inner: IntArray
    """The bytes that do not begin a character."""

    @classmethod
    def of(cls, texts: Sequence[str]) -> RunningTexts:
        joined = "".join(texts)
        data: ByteArray = np.frombuffer(joined.encode("utf-8", "surrogatepass"), np.uint8)
        inner = np.zeros(0, np.int64) if joined.isascii() else np.flatnonzero(data & 0xC0 == 0x80)
        return cls(data, np.fromiter(map(len, texts), np.int64, len(texts)), inner)

    @classmethod
    def of_bytes(cls, contents: Sequence[bytes]) -> RunningTexts:
        """Texts that are UTF-8 already."""
        joined = b"".join(contents)
        data: ByteArray = np.frombuffer(joined, np.uint8)
        sizes = np.fromiter(map(len, contents), np.int64, len(contents))
        if joined.isascii():
            return cls(data, sizes, np.zeros(0, np.int64))
        inner = np.flatnonzero(data & 0xC0 == 0x80)
        return cls(data, sizes - np.diff(np.searchsorted(inner, offsets_of(sizes))), inner)

    @property
    def bounds(self) -> IntArray:
        """The byte at which each text begins, and where the last one ends."""
        count = len(self.sizes) + 1
        return self.bytes_at(np.arange(count), np.zeros(count, np.int64))

    def bytes_at(self, document: IntArray, characters: IntArray) -> IntArray:
        """Where characters of the texts with these numbers stand among the bytes."""
        places = offsets_of(self.sizes)[document] + characters
        if not len(self.inner):
            return places
        # A byte inside a character stands behind as many beginnings as it has characters before.
        owner = self.inner - np.arange(len(self.inner))
        return places + np.searchsorted(owner, places, side="right")

    def characters_at(self, *places: IntArray) -> tuple[IntArray, ...]:
        """How many characters, of all texts, stand before bytes, for each column of these."""
        if not len(self.inner):
            return places
        inside = np.zeros(len(self.data), bool)
        inside[self.inner] = True
        before = _counts_before(inside)
        return tuple(column - before[column] for column in places)

    def data_of(self, word: BoolArray) -> ByteArray:
        """The bytes of all words, which are all that is not white space."""
        shrunk = self.data.tobytes().translate(None, _WHITE)
        found = np.frombuffer(shrunk, np.uint8)
        return found if len(found) == np.count_nonzero(word) else self.data[word]

    def sorts(self) -> ByteArray:
        """The :class:`Sort` of the character of each byte, or that it may join others."""
        found = np.frombuffer(bytearray(self.data.tobytes().translate(_ASCII)), np.uint8)
        if len(self.inner):
            places = np.flatnonzero(self.data >= 0x80)
            beyond = self.data[places]
            characters = code_points(beyond.tobytes().decode("utf-8", "surrogatepass"))
            of_character = sorts(characters)
            for sign, sort in _JOINING.items():
                if not sign.isascii():
                    of_character[characters == ord(sign)] = sort
            first = np.flatnonzero(beyond >= 0xC0)
            found[places] = np.repeat(of_character, np.diff(first, append=len(beyond)))
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Segmented:
    """Texts cut into words."""

    words: Strings
    lengths: IntArray
    """How many words each text has."""
    start: IntArray
    """Of the spans that were asked for the first word in its text, and the one behind the last."""
    stop: IntArray
    before: NDArray[np.int32]
    """How many words, of all texts, begin before each byte."""
    text: Text | None


def segment(
    texts: RunningTexts, document: IntArray, low: IntArray, high: IntArray, *, with_places: bool
) -> Segmented:
    """Texts as words, of which some begin and end where spans of them do, given by their bytes.

    ``with_places`` asks for the place of every word in its text.
    """
    first = texts.bounds
    cut = np.zeros(len(texts.data) + 1, bool)
    cut[first] = cut[low] = cut[high] = True
    word, opens, closes = _edges(texts, cut)
    begins, ends = np.flatnonzero(opens), np.flatnonzero(closes) + 1
    before = _counts_before(opens)
    words_before = before[first].astype(np.int64)
    lengths = np.diff(words_before)
    places = None
    if with_places:
        base = np.repeat(offsets_of(texts.sizes)[:-1], lengths)
        first_characters, last_characters = texts.characters_at(begins, ends)
        places = Text(Strings(texts.data, first), first_characters - base, last_characters - base)
    return Segmented(
        Strings(texts.data_of(word), offsets_of(ends - begins)),
        lengths,
        before[low] - words_before[document],
        before[high] - words_before[document],
        before,
        places,
    )


def _counts_before(mask: BoolArray) -> NDArray[np.int32]:
    """How many are true before each place, and in all."""
    counts = np.zeros(len(mask) + 1, np.int32)
    np.cumsum(mask, out=counts[1:])
    return counts


def _edges(texts: RunningTexts, cut: BoolArray) -> tuple[BoolArray, BoolArray, BoolArray]:
    """The bytes of words, those with which words begin, and those with which they end."""
    kind = _without_joining(texts, texts.sorts())
    word = kind != Sort.SPACE
    alone = kind == Sort.SIGN
    # A word begins behind white space, at a sign and behind it, and wherever it must.
    edge = alone[1:] | alone[:-1]
    edge |= ~word[:-1]
    edge[texts.inner - 1] = False
    edge |= cut[1:-1]
    opens = word.copy()
    opens[1:] &= edge
    closes = word.copy()
    closes[:-1] &= ~word[1:] | opens[1:]
    return word, opens, closes


def _without_joining(texts: RunningTexts, kind: ByteArray) -> ByteArray:
    """The sorts of characters, where signs that may join others are part of a word, or not."""
    joining = np.flatnonzero(kind > Sort.SIGN)
    first = joining
    if len(texts.inner):
        first = joining[texts.data[joining] & 0xC0 != 0x80]
    sort = kind[first]
    kind[joining] = Sort.SIGN
    length = np.where(texts.data[first] < 0x80, 1, 3)
    # What stands at either end of a text joins nothing: its neighbour belongs to another text.
    edge = np.zeros(len(kind) + 1, bool)
    edge[texts.bounds] = True
    inside = ~(edge[first] | edge[first + length])
    first, sort, length = first[inside], sort[inside], length[inside]
    before, behind = kind[first - 1], kind[first + length]
    digits = (before == Sort.DIGIT) & (behind == Sort.DIGIT)
    letters = np.isin(before, (Sort.WORD, Sort.DIGIT)) & np.isin(behind, (Sort.WORD, Sort.DIGIT))
    joined = first[np.where(sort == _JOINS_DIGITS, digits, letters)]
    for place in range(3):
        kind[joined[texts.data[joined] >= (0x80 if place else 0)] + place] = Sort.WORD
    return kind
