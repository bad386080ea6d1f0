"""The cells of lines of tokens, and the attributes in the last of them."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from corefine.corpus.arrays import ByteArray, IntArray, ranges
from corefine.corpus.strings import Strings
from corefine.formats.input.lines import RETURN

BAR, EQUALS, UNDERSCORE, OPEN, TAB = b"|=_(\t"
LEMMA, MISC = 2, 9
_ENTITY = re.compile(rb"(?:.*[^\w=.-])?entit(?:y|ies|iy)[^\w(]*\(", re.IGNORECASE | re.DOTALL)
"""What was meant to be the attribute Entity, with a bracket."""
_BARE = re.compile(rb"\([^\s()|=-]+-")


@dataclass(frozen=True, slots=True)
class TokenCells:
    """The cells of the lines of tokens, each with ten columns."""

    block: ByteArray
    starts: IntArray
    """Where the lines start."""
    separators: IntArray
    """Where each cell of the block stops."""
    last: IntArray
    """Which cells are the last of these lines."""

    def __len__(self) -> int:
        return len(self.last)

    def take(self, rows: IntArray) -> TokenCells:
        return TokenCells(self.block, self.starts[rows], self.separators, self.last[rows])

    def bounds(self, column: int) -> tuple[IntArray, IntArray]:
        stops = self.separators[self.last - (MISC - column)]
        if column == 0:
            return self.starts, stops
        starts = self.separators[self.last - (MISC - column + 1)] + 1
        if column == MISC and len(stops):
            stops = stops - ((self.block[stops - 1] == RETURN) & (stops > starts))
        return starts, stops

    def column(self, column: int) -> Strings:
        return Strings.cut(self.block, *self.bounds(column))

    def layer(self, column: int) -> Strings | None:
        """A column; None where all its cells are ``_``."""
        starts, stops = self.bounds(column)
        lengths = stops - starts
        if not (lengths != 1).any() and (self.block[starts] == UNDERSCORE).all():
            return None
        return Strings.cut(self.block, starts, stops)


class Attributes:
    """Where the attributes of the last column are, in all lines of a block."""

    def __init__(self, cells: TokenCells) -> None:
        self._block = cells.block
        self._cells = cells
        self._starts, self._stops = cells.bounds(MISC)
        self._signs = np.flatnonzero(cells.block == EQUALS)
        """The signs of equality, which end the names of attributes."""
        self._before = cells.block[self._signs - 1] if len(self._signs) else cells.block[:0]

    def find(self, name: bytes) -> tuple[IntArray, IntArray, IntArray]:
        """Rows that have an attribute of this name, and where its value starts and stops."""
        block = self._block
        places = self._signs[self._before == name[-1]]
        places = places[places >= len(name)]
        for back, letter in enumerate(reversed(name[:-1]), start=2):
            places = places[block[places - back] == letter]
        rows = np.searchsorted(self._stops, places)
        places, rows = places[rows < len(self._stops)], rows[rows < len(self._stops)]
        begins = places - len(name)
        starts = self._starts[rows]
        there = (begins == starts) | ((begins > starts) & (block[begins - 1] == BAR))
        places, rows = places[there] + 1, rows[there]
        return rows, places, self._ends(places, self._stops[rows])

    def misplaced_entity(self, starts: IntArray, stops: IntArray) -> int | None:
        """A row with brackets that mean to be those of Entity, outside the values found."""
        block = self._block
        places = np.flatnonzero(block == OPEN)
        value = np.searchsorted(starts, places, side="right") - 1
        if len(starts):
            places = places[(value < 0) | (places >= stops[value])]
        rows = np.searchsorted(self._stops, places)
        places, rows = places[rows < len(self._stops)], rows[rows < len(self._stops)]
        # Brackets in comments, words and lemmas are the text's, and a tag may be one.
        texts = self._cells.bounds(LEMMA)[1]
        inside = places >= self._starts[rows]
        kept = (places > texts[rows]) & (inside | (block[places - 1] != TAB))
        for row in np.unique(rows[kept]).tolist():
            cells = block[texts[row] + 1 : self._stops[row]].tobytes()
            others, _, last = cells.rpartition(b"\t")
            attributes = [each for each in last.split(b"|") if not each.startswith(b"Entity=")]
            if any(map(_BARE.match, attributes)) or any(
                map(_ENTITY.match, (*attributes, *re.split(rb"[\t|]", others)))
            ):
                return int(row)
        return None

    def _ends(self, starts: IntArray, stops: IntArray) -> IntArray:
        """Where values end: at the next bar, if there is one before the end of the cell."""
        lengths = stops - starts
        bars = np.flatnonzero(self._block[ranges(starts, lengths)] == BAR)
        if not len(bars):
            return stops
        before = np.cumsum(lengths) - lengths
        first = np.append(bars, np.iinfo(np.int64).max)[np.searchsorted(bars, before)]
        return np.where(first < before + lengths, starts + (first - before), stops)
