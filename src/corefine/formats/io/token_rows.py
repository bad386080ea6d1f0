"""Lines of tokens as columns: what the readers of CoNLL and CoNLL-U have in common.

A file is read in blocks of whole lines. The cells of all lines of a block are found at once; the
columns of all blocks are joined at the end. Heads of mentions are found in the column of parents.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import NamedTuple, Self

import numpy as np

from corefine.corpus.arrays import BoolArray, ByteArray, IntArray, Strings, among, ranges
from corefine.corpus.columns import Mentions, Tokens
from corefine.formats.io.lines import check_lines, check_text, line_blocks
from corefine.formats.io.sources import Source

BLOCK = 1 << 20
"""Bytes read at once: enough to make NumPy's calls cheap, few enough for the cache."""
TAB, NEWLINE, BLANK, HASH = b"\t\n #"
_WHITE = bytes(range(BLANK + 1))
LONGEST_NUMBER = 9
"""Digits of a number, so that pairs of numbers fit into 64 bits."""


def is_tabbed(head: bytes) -> bool:
    """True if the columns of a file that begins like this are separated by tabs.

    The first line of a token decides. A single tab in a line of five or more columns appends a
    column to columns that are aligned with blanks.
    """
    for line in head.removeprefix(b"\xef\xbb\xbf").split(b"\n"):
        if line.strip() and not line.startswith(b"#"):
            tabs = line.rstrip().count(b"\t")
            return tabs > 1 or (tabs == 1 and len(line.split()) < 5)
    return True


def leaves_last_cells_empty(head: bytes) -> bool:
    """True if a line of a file that begins like this ends in a tab where the next has a last cell.

    In LitBank's files, the last column of tokens without mentions is empty.
    """
    head = head.replace(b"\r\n", b"\n")
    if b"\t\n" not in head:
        return False
    lines = head.split(b"\n")[:-1]
    return any(
        one.count(b"\t") == other.count(b"\t") and one.endswith(b"\t") != other.endswith(b"\t")
        for one, other in pairwise(lines)
        if one.strip() and other.strip() and b"#" not in (one[:1], other[:1])
    )


@dataclass(frozen=True, slots=True)
class Grid:
    """The lines and cells of a block; cells of line ``l`` are ``first[l]`` to ``last[l]``."""

    block: ByteArray
    line_starts: IntArray
    line_stops: IntArray
    initial: ByteArray
    """First byte of each line; a newline if the line is empty."""
    first: IntArray
    last: IntArray
    stops: IntArray
    """End of each cell."""
    starts: IntArray | None
    """Start of each cell; None if every cell starts one byte after the end of the previous one."""

    @classmethod
    def read(
        cls,
        text: bytes,
        source: Source,
        first_line: int,
        tabbed: bool,
        last_empty: bool = False,
    ) -> Self:
        """Grid of a block of lines of text, without white space at their ends.

        If the last cell may be empty, it gets a placeholder.
        """
        block = np.frombuffer(text, np.uint8)
        grid = cls.of(block, tabbed)
        check_text(text, source, first_line)
        check_lines(block, grid.line_stops, source, first_line)
        before = block[grid.line_stops - 1]
        if not ((before <= BLANK) & (before != NEWLINE)).any():
            return grid
        lines = text.split(b"\n")
        if last_empty:
            lines = [
                line.rstrip(b"\r") + b"-" if line.rstrip(b"\r").endswith(b"\t") else line
                for line in lines
            ]
        lines = [line.rstrip(_WHITE) for line in lines]
        return cls.of(np.frombuffer(b"\n".join(lines), np.uint8), tabbed)

    @classmethod
    def of(cls, block: ByteArray, tabbed: bool) -> Self:
        """Grid of a block of lines."""
        starts = None
        if tabbed:
            stops = np.flatnonzero(block - TAB <= NEWLINE - TAB)
            last = np.flatnonzero(block[stops] == NEWLINE)
            line_stops = stops[last]
        else:
            white = block <= BLANK
            line_stops = np.flatnonzero(block == NEWLINE)
            adjacent = np.count_nonzero(white[1:] & white[:-1]) + int(white[0])
            if adjacent == np.count_nonzero(np.diff(line_stops, prepend=-1) == 1):
                stops = np.flatnonzero(white)  # blanks do not follow one another
            else:
                edges = np.flatnonzero(white[1:] != white[:-1]) + 1
                edges = edges if white[0] else np.concatenate([[0], edges])
                starts, stops = edges[::2], edges[1::2]
            last = np.searchsorted(stops, line_stops, side="right") - 1
        line_starts = np.concatenate([np.zeros(1, np.int64), line_stops[:-1] + 1])
        first = np.concatenate([np.zeros(1, np.int64), last[:-1] + 1])
        return cls(block, line_starts, line_stops, block[line_starts], first, last, stops, starts)

    @property
    def empty(self) -> BoolArray:
        """Lines that are empty."""
        empty: BoolArray = self.line_stops == self.line_starts
        return empty

    def line(self, number: int) -> bytes:
        return self.block[self.line_starts[number] : self.line_stops[number]].tobytes()

    def bounds(self, cells: IntArray) -> tuple[IntArray, IntArray]:
        """Start and stop of these cells, which must be given in ascending order."""
        stops = self.stops[cells]
        if self.starts is not None:
            return self.starts[cells], stops
        starts = self.stops[cells - 1] + 1
        starts[: np.searchsorted(cells, 1)] = 0
        return starts, stops

    def column(
        self, first: IntArray, counts: IntArray, at: int | IntArray, narrowest: int = 2
    ) -> Strings:
        """A column of lines, given by their first cells and their numbers of cells.

        It is not the last column, and empty in lines with fewer columns than ``narrowest``.
        """
        present = counts >= np.maximum(at + 2, narrowest)
        if present.all():
            return Strings.cut(self.block, *self.bounds(first + at))
        starts, stops = self.bounds(first + np.where(present, at, 0))
        return Strings.cut(self.block, starts, np.where(present, stops, starts))


def grids(
    source: Source, block_size: int, tabbed: bool, last_empty: bool = False
) -> Iterator[tuple[int, Grid]]:
    """The blocks of a source, each with the number of its first line."""
    line = 1
    for block in line_blocks(source, block_size):
        grid = Grid.read(block, source, line, tabbed, last_empty)
        yield line, grid
        line += len(grid.line_stops)


def whole_numbers(block: ByteArray, starts: IntArray, stops: IntArray) -> IntArray:
    """Parts of a block as whole numbers; -1 if they are not, or have more than nine digits.

    >>> text = np.frombuffer(b"12 x 7", np.uint8)
    >>> whole_numbers(text, np.array([0, 3, 5]), np.array([2, 4, 6])).tolist()
    [12, -1, 7]
    """
    lengths = stops - starts
    values = np.where((lengths < 1) | (lengths > LONGEST_NUMBER), -1, 0)
    for place in range(min(int(lengths.max(initial=0)), LONGEST_NUMBER)):
        rows = np.flatnonzero((lengths > place) & (values >= 0)) if place else values >= 0
        digits = block[starts[rows] + place] - ord("0")
        values[rows] = np.where(digits > 9, -1, values[rows] * 10 + digits)
    return values


class Comment(NamedTuple):
    """A line that is not a token, and the token that follows it."""

    token: int
    line: int
    name: str
    value: str


@dataclass(frozen=True, slots=True)
class TokenRows:
    """Columns of a block of lines; tokens are counted from the first of the block."""

    lines: IntArray
    words: Strings
    layers: dict[str, Strings]
    breaks: IntArray
    """Tokens that follow the end of a sentence; the last may be the first of the next block."""
    comments: list[Comment]
    numbers: IntArray
    """A number for each token: how many columns it has, or its number as an empty node."""

    @classmethod
    def joined(cls, blocks: Sequence[TokenRows], missing: bytes = b"") -> TokenRows:
        """The columns of all blocks; ``missing`` is the value in blocks without a layer."""
        if len(blocks) == 1:
            return blocks[0]
        bases = list(accumulate((len(rows.lines) for rows in blocks), initial=0))
        layers = {
            name: Strings.concatenate(
                [
                    rows.layers[name] if name in rows.layers else _filled(len(rows.lines), missing)
                    for rows in blocks
                ]
            )
            for name in dict.fromkeys(name for rows in blocks for name in rows.layers)
        }
        return cls(
            np.concatenate([rows.lines for rows in blocks]),
            Strings.concatenate([rows.words for rows in blocks]),
            layers,
            np.concatenate([rows.breaks + base for rows, base in zip(blocks, bases, strict=False)]),
            [
                comment._replace(token=comment.token + base) if base else comment
                for rows, base in zip(blocks, bases, strict=False)
                for comment in rows.comments
            ],
            np.concatenate([rows.numbers for rows in blocks]),
        )


def has_values(column: Strings, placeholders: bytes) -> bool:
    """True if a column has more than empty cells and these placeholders of one byte."""
    longest = int(column.lengths.max(initial=0))
    return longest > 1 or not bool(np.isin(column.block, list(placeholders)).all())


def _filled(count: int, value: bytes) -> Strings:
    return Strings(np.frombuffer(value * count, np.uint8), np.arange(count + 1) * len(value))


def sentence_starts(breaks: IntArray, offsets: IntArray) -> IntArray:
    """First token of each sentence in documents that start at these offsets."""
    opens = np.zeros(int(offsets[-1]) + 1, bool)
    opens[0] = True
    opens[offsets] = True
    opens[breaks] = True
    return np.flatnonzero(opens[:-1])


# --- heads ----------------------------------------------------------------------------------------


def parent_tokens(parents: IntArray, sentences: IntArray, empty: BoolArray | None) -> IntArray:
    """The parent of each token as a token; -1 for roots, empty nodes and unknown parents.

    ``parents`` are the numbers of the column HEAD, which count the words of a sentence from 1;
    ``sentences`` are the first tokens of sentences.
    """
    words = np.arange(len(parents)) if empty is None else np.flatnonzero(~empty)
    sentence = np.searchsorted(sentences, words, side="right") - 1
    first_word = np.searchsorted(words, sentences)
    last_word = np.append(first_word[1:], len(words))
    target = first_word[sentence] + parents[words] - 1
    known = (parents[words] > 0) & (target < last_word[sentence])
    found = np.full(len(parents), -1)
    found[words[known]] = words[target[known]]
    return found


def tree_heads(
    tokens: Tokens, mention: IntArray, start: IntArray, stop: IntArray, count: int
) -> tuple[IntArray, BoolArray]:
    """The head of each mention as a token, and whether one of its words has a place in a tree.

    The head is the first word whose parent is not one of the words. Mentions are given as their
    continuous parts, in order. Empty nodes, which have no parent in the tree, are heads only of
    mentions without words that could be. If every word has its parent inside the mention, it is the
    first word.
    """
    column, empty = tokens.layers.get("head"), tokens.empty
    parents = numbers = np.full(len(tokens), -1)
    if column is not None:
        numbers = whole_numbers(column.data, column.offsets[:-1], column.offsets[1:])
        parents = parent_tokens(numbers, tokens.sentences, empty)
    owner, word = np.repeat(mention, stop - start), ranges(start, stop - start)
    width = len(parents) + 1
    inside = among(owner * width + parents[word], owner * width + word)
    candidates = [np.arange(len(word)), np.flatnonzero(~inside)]
    if empty is not None:
        candidates.append(np.flatnonzero(~inside & ~empty[word]))
    heads = np.full(count, -1)
    for chosen in candidates:
        # Written from the last to the first, so that the first one remains.
        heads[owner[chosen][::-1]] = word[chosen][::-1]
    return heads, np.bincount(owner, numbers[word] >= 0, minlength=count) > 0


def heads_of(tokens: Tokens, mentions: Mentions) -> IntArray | None:
    """Heads of continuous mentions as tokens of their documents; None if all are unknown."""
    base, count = tokens.offsets[mentions.document], len(mentions)
    found, placed = tree_heads(
        tokens, np.arange(count), base + mentions.start, base + mentions.stop, count
    )
    return np.where(placed, found - base, -1) if placed.any() else None
