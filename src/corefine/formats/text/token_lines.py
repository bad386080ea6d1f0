"""Text as lines of tokens with blanks between them, and places in it by line and token."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from corefine.corpus.arrays import BoolArray, ByteArray, IntArray, ranges
from corefine.corpus.columns import Tokens
from corefine.corpus.corpus import Corpus
from corefine.corpus.strings import Strings
from corefine.formats.input.joined_lines import JoinedLines
from corefine.formats.input.sources import Source

_BLANK = 32
_PADDING = np.zeros(8, np.uint8)
_BEYOND = np.array(range(64, -1, -8), np.uint64)
"""For so many bytes of eight: the bits of the others."""
_SEPARATORS = re.compile(r"[\x00-\x20]+")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TokenLines:
    """The tokens of several documents, and the lines that they stand on."""

    lines: JoinedLines
    starts: IntArray
    stops: IntArray
    """Where in the text each token lies."""
    first: IntArray
    """How many tokens stand before each line; one entry more than there are lines."""

    @classmethod
    def of(cls, sources: Sequence[Source]) -> TokenLines:
        """The tokens of these files, each of which is the text of a document."""
        lines = JoinedLines.of(sources)
        word = np.zeros(len(lines.text) + 1, bool)
        np.greater(lines.text, _BLANK, out=word[1:])
        bounds = np.flatnonzero(word[1:] != word[:-1])
        starts, stops = bounds[::2], bounds[1::2]
        first = np.zeros(len(lines.stops) + 1, np.int64)
        first[1:] = np.searchsorted(starts, lines.stops)
        return cls(lines, starts, stops, first)

    @property
    def offsets(self) -> IntArray:
        """How many tokens stand before each document; one entry more than there are documents."""
        return self.first[self.lines.first]

    def tokens(self) -> Tokens:
        """The tokens as those of a corpus: a line is a sentence, unless it is blank."""
        count = np.diff(self.first)
        number = np.arange(1, len(count) + 1) - self.lines.first[self.lines.file]
        return Tokens(
            Strings.cut(self.lines.text, self.starts, self.stops),
            self.offsets,
            self.first[:-1][count > 0],
            lines=np.repeat(number, count),
        )

    def token(self, document: IntArray, line: IntArray, token: IntArray) -> IntArray:
        """The number over all documents of a line's token; -1 where there is none.

        Lines count from 1 in their document, tokens from 0 in their line.
        """
        before = self.lines.first[document]
        known = (line >= 1) & (line <= self.lines.first[document + 1] - before)
        at = np.where(known, before + line - 1, 0)
        place = self.first[at] + token
        known &= place < self.first[np.minimum(at + 1, len(self.first) - 1)]
        return np.where(known, place, -1)

    def words(self, start: int, stop: int) -> str:
        """The words of some tokens, with blanks between them."""
        text = self.lines.text[self.starts[start] : self.stops[stop - 1]].tobytes()
        return " ".join(text.decode("utf-8").split())

    def differing(
        self, block: ByteArray, begins: IntArray, ends: IntArray, start: IntArray, stop: IntArray
    ) -> IntArray:
        """Which spans of tokens have other words than these parts of a block of text.

        Case and white space make no difference.
        """
        own, lengths = self.starts[start], ends - begins
        same = lengths == self.stops[stop - 1] - own
        rows = np.flatnonzero(same)
        mine, theirs = (np.concatenate([part, _PADDING]) for part in (self.lines.text, block))
        same[rows] = equal_parts(mine, own[rows], theirs, begins[rows], lengths[rows])
        rows = rows[~same[rows]]
        ours = self.lines.text[ranges(own[rows], lengths[rows])]
        given = block[ranges(begins[rows], lengths[rows])]
        unequal = np.flatnonzero(_lowered(ours) != _lowered(given))
        same[rows] = True
        same[rows[np.searchsorted(np.cumsum(lengths[rows]), unequal, side="right")]] = False
        bounds = (own, self.stops[stop - 1], begins, ends)
        return np.array(
            [
                row
                for row in np.flatnonzero(~same).tolist()
                if _plain(self.lines.text[bounds[0][row] : bounds[1][row]])
                != _plain(block[bounds[2][row] : bounds[3][row]])
            ],
            np.int64,
        )


def equal_parts(
    block: ByteArray, starts: IntArray, other: ByteArray, begins: IntArray, lengths: IntArray
) -> BoolArray:
    """Which parts of a block are equal to parts of another; both have eight bytes to spare."""
    equal = np.ones(len(starts), bool)
    mine, theirs = (
        np.ndarray((len(part) - 7,), np.dtype("<u8"), part, strides=(1,)) for part in (block, other)
    )
    rows, first = np.arange(len(starts)), 0
    while len(rows):
        differing = mine[starts[rows] + first] ^ theirs[begins[rows] + first]
        # Only the bytes that belong to the part may decide.
        beyond = _BEYOND[np.clip(lengths[rows] - first, 0, 8)]
        equal[rows[(differing << beyond >> beyond) != 0]] = False
        first += 8
        rows = rows[lengths[rows] > first]
    return equal


def _plain(text: ByteArray) -> str:
    return "".join(text.tobytes().decode("utf-8").casefold().split())


def _lowered(text: ByteArray) -> ByteArray:
    lowered: ByteArray = text + ((text - 65) < 26).astype(np.uint8) * np.uint8(32)
    return lowered


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class WrittenLines:
    """The tokens of a corpus as lines: a sentence is a line, counted from 1 in its document."""

    words: list[str]
    """Words as they are written: without blanks inside, and never empty."""
    offsets: list[int]
    sentences: list[int]
    line: IntArray
    """The line of each token."""
    token: IntArray
    """Its number in the line, from 0."""

    @classmethod
    def of(cls, tokens: Tokens) -> WrittenLines:
        opens = np.zeros(len(tokens) + 1, bool)
        opens[tokens.sentences] = True
        opens[tokens.offsets] = True
        starts = np.flatnonzero(opens[:-1])
        count = np.diff(np.append(starts, len(tokens)))
        before = np.searchsorted(starts, tokens.offsets[:-1])
        document = np.searchsorted(tokens.offsets, starts, side="right") - 1
        words = tokens.words.tolist()
        for place in _unwritable(tokens.words).tolist():
            words[place] = _SEPARATORS.sub("_", words[place]) or "_"
        return cls(
            words,
            tokens.offsets.tolist(),
            [*starts.tolist(), len(tokens)],
            np.repeat(np.arange(1, len(starts) + 1) - before[document], count),
            np.arange(len(tokens)) - np.repeat(starts, count),
        )

    def text(self, document: int) -> bytes:
        """The lines of a document."""
        first = bisect_left(self.sentences, self.offsets[document])
        last = bisect_left(self.sentences, self.offsets[document + 1])
        lines = [
            " ".join(self.words[begin:end]) + "\n"
            for begin, end in pairwise(self.sentences[first : last + 1])
        ]
        return "".join(lines).encode("utf-8", "surrogatepass")


def _unwritable(words: Strings) -> IntArray:
    """Words that are empty, or have white space inside."""
    places = np.flatnonzero(words.data[: words.offsets[-1]] <= _BLANK)
    spaced = np.searchsorted(words.offsets, places, side="right") - 1
    return np.union1d(np.flatnonzero(words.lengths == 0), spaced[spaced >= 0])


def lost_words(corpus: Corpus) -> list[str]:
    """The loss of words that cannot be written as tokens of a line, in words."""
    if corpus.tokens is None:
        return []
    lost = _unwritable(corpus.tokens.words)
    if not len(lost):
        return []
    times = "1 word" if len(lost) == 1 else f"{len(lost)} words"
    shown = corpus.tokens.words[int(lost[0])]
    return [f"{times} that are empty or contain white space, such as {shown!r}"]
