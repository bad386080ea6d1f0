"""Lines and cells of a block of CoNLL text, found for all lines at once.

A line that holds tabs is cut at its tabs, so that a word may contain a blank and the last cell may
be empty; any other line is cut at runs of white space, so that columns may be aligned with blanks.
One single tab in a line of five or more fields is white space: that is how a column is pasted to
the end of aligned ones.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from corefine.columns import BoolArray, ByteArray, IntArray, ranges

TAB, NEWLINE, RETURN, BLANK, HASH = b"\t\n\r #"


@dataclass(frozen=True, slots=True)
class Grid:
    """Where the lines and cells of a block lie.

    The cells of line ``l`` are ``first[l]`` to ``first[l] + count[l] - 1``. ``stops`` is where each
    cell ends; it starts at ``starts``, or one byte after the end of the cell before where that is
    None (every cell is then followed by exactly one separator).
    """

    stops: IntArray
    starts: IntArray | None
    first: IntArray
    count: IntArray
    line_stops: IntArray
    loose: bool
    """Whether cells may have white space at their ends, since some lines are cut at tabs."""

    @property
    def line_starts(self) -> IntArray:
        starts = np.empty_like(self.line_stops)
        starts[:1] = 0
        np.add(self.line_stops[:-1], 1, out=starts[1:])
        return starts

    def bounds(self, cells: IntArray) -> tuple[IntArray, IntArray]:
        """Start and stop of these cells, which must be given in ascending order."""
        stops = self.stops[cells]
        if self.starts is not None:
            return self.starts[cells], stops
        starts = self.stops[cells - 1]
        starts += 1
        if len(cells) and cells[0] == 0:
            starts[0] = 0
        return starts, stops


def lay_out(block: ByteArray) -> Grid:
    """The grid of a block of whole lines."""
    tabs = block == TAB
    if not tabs.any():
        white = block <= BLANK
        separators = np.flatnonzero(white)
        empty = np.count_nonzero(white[1:] & white[:-1]) + int(white[0])
        grid = _simple_grid(block, separators, loose=False)
        if empty == np.count_nonzero(grid.line_stops == grid.line_starts):
            return grid
        return _collapsed_grid(block, separators, None)
    separators = np.flatnonzero(np.logical_or(tabs, block == NEWLINE, out=tabs))
    loose = bool(np.count_nonzero(block <= BLANK) > len(separators))
    grid = _simple_grid(block, separators, loose=loose)
    initial = block[grid.line_starts]
    few = (grid.count < 3) & (initial != HASH) & (grid.line_stops > grid.line_starts)
    return _mixed_grid(block, tabs, grid) if few.any() else grid


def _simple_grid(block: ByteArray, separators: IntArray, *, loose: bool) -> Grid:
    ends = np.flatnonzero(block[separators] == NEWLINE)
    first = np.empty_like(ends)
    first[:1] = 0
    np.add(ends[:-1], 1, out=first[1:])
    return Grid(separators, None, first, ends - first + 1, separators[ends], loose)


def _collapsed_grid(block: ByteArray, separators: IntArray, by_tabs: BoolArray | None) -> Grid:
    """A grid in which runs of separators count as one, except in the lines cut by tabs."""
    before = np.empty_like(separators)
    before[:1] = -1
    before[1:] = separators[:-1]
    ends_cell = separators - before > 1
    ends_line = np.flatnonzero(block[separators] == NEWLINE)
    if by_tabs is not None:
        ends_cell |= np.repeat(by_tabs, np.diff(ends_line, prepend=-1))
    cells_so_far = np.cumsum(ends_cell)[ends_line]
    count = np.diff(cells_so_far, prepend=0)
    cells = np.flatnonzero(ends_cell)
    return Grid(
        separators[cells],
        before[cells] + 1,
        cells_so_far - count,
        count,
        separators[ends_line],
        by_tabs is not None,
    )


def _mixed_grid(block: ByteArray, tab_or_newline: BoolArray, tab_grid: Grid) -> Grid:
    """The grid of a block in which some lines have one tab or none."""
    white = block <= BLANK
    white_grid = _collapsed_grid(block, np.flatnonzero(white), None)
    by_tabs = (tab_grid.count > 2) | ((tab_grid.count == 2) & (white_grid.count < 5))
    if by_tabs.all():
        return tab_grid
    if not by_tabs.any():
        return white_grid
    lengths = tab_grid.line_stops - tab_grid.line_starts + 1
    white &= np.repeat(~by_tabs, lengths)
    white |= tab_or_newline
    return _collapsed_grid(block, np.flatnonzero(white), by_tabs)


def blank_lines(block: ByteArray, grid: Grid, initial: ByteArray) -> BoolArray:
    """Which lines hold nothing but white space; ``initial`` is the first byte of each line."""
    blank = initial <= BLANK
    starts = grid.line_starts
    doubtful = np.flatnonzero(blank & (grid.line_stops > starts))
    if len(doubtful):
        lengths = grid.line_stops[doubtful] - starts[doubtful] + 1
        visible = block[ranges(starts[doubtful], lengths)] > BLANK
        blank[doubtful] = ~np.logical_or.reduceat(visible, np.cumsum(lengths) - lengths)
    return blank


def stripped(block: ByteArray, starts: IntArray, stops: IntArray) -> tuple[IntArray, IntArray]:
    """Cells without the white space at their ends."""
    starts, stops = starts.copy(), stops.copy()
    while len(loose := np.flatnonzero((stops > starts) & (block[stops - 1] <= BLANK))):
        stops[loose] -= 1
    while len(loose := np.flatnonzero((stops > starts) & (block[starts] <= BLANK))):
        starts[loose] += 1
    return starts, stops
