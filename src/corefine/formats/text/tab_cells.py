"""Cells with tabs between them, in lines of many files at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from corefine.corpus.arrays import BoolArray, ByteArray, IntArray
from corefine.formats.input.joined_lines import JoinedLines

_TAB, _NEWLINE = b"\t\n"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TabCells:
    """Where the cells of lines lie."""

    lines: JoinedLines
    stops: IntArray
    """Where each cell ends: at a tab or a newline."""
    first: IntArray
    """How many cells stand before each line; one entry more than there are lines."""

    @classmethod
    def of(cls, lines: JoinedLines) -> TabCells:
        stops = np.flatnonzero((lines.text == _TAB) | (lines.text == _NEWLINE))
        first = np.zeros(len(lines.stops) + 1, np.int64)
        first[1:] = np.searchsorted(stops, lines.stops) + 1
        return cls(lines, stops, first)

    @property
    def counts(self) -> IntArray:
        """How many cells each line has; a blank line has one, which is empty."""
        return np.diff(self.first)

    def bounds(self, rows: IntArray, cell: IntArray | int) -> tuple[IntArray, IntArray]:
        """Start and stop of a cell of each of these lines, which must have it; 0 is the first."""
        at = self.first[rows] + cell
        return np.append(-1, self.stops)[at] + 1, self.stops[at]


def equal_to(block: ByteArray, starts: IntArray, stops: IntArray, word: bytes) -> BoolArray:
    """Which parts of a block are this word."""
    equal: BoolArray = stops - starts == len(word)
    rows = np.flatnonzero(equal)
    for place, letter in enumerate(word):
        rows = rows[block[starts[rows] + place] == letter]
    equal[:] = False
    equal[rows] = True
    return equal
