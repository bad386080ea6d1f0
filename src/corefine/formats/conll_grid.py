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

    The cells of line ``l`` are ``first[l]`` to ``last[l]``. ``stops`` is where each cell ends; it
    starts at ``starts``, or one byte after the end of the cell before where that is None (every
    cell is then followed by exactly one separator).
    """

    line_starts: IntArray
    line_stops: IntArray
    initial: ByteArray
    """The first byte of each line, which is its newline if it is empty."""
    stops: IntArray
    starts: IntArray | None
    first: IntArray
    last: IntArray
    loose: bool
    """Whether cells may have white space at their ends, since some lines are cut at tabs."""

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
    tab_or_newline = block - TAB <= NEWLINE - TAB
    separators = np.flatnonzero(tab_or_newline)
    ends = np.flatnonzero(block[separators] == NEWLINE)
    if len(ends) == len(separators):
        return _blank_grid(block)
    grid = _simple_grid(block, separators, ends)
    few = np.flatnonzero(ends - grid.first < 2)
    if ((grid.initial[few] != HASH) & (grid.initial[few] != NEWLINE)).any():
        return _mixed_grid(block, tab_or_newline, grid)
    return grid


def _simple_grid(block: ByteArray, separators: IntArray, ends: IntArray) -> Grid:
    """A grid in which every separator ends a cell, and the separators ``ends`` a line too."""
    stops = separators[ends]
    starts = _one_later(stops)
    initial = block[starts]
    first = _one_later(ends)
    white = int(np.count_nonzero(block <= BLANK)) - len(separators)
    if white:
        comments = np.flatnonzero((initial == HASH) & (first == ends))
        text = block[ranges(starts[comments], stops[comments] - starts[comments])]
        white -= int(np.count_nonzero(text <= BLANK))
    return Grid(starts, stops, initial, separators, None, first, ends, white > 0)


def _one_later(ends: IntArray) -> IntArray:
    """What begins after the end of what comes before it."""
    begins = np.empty_like(ends)
    begins[:1] = 0
    np.add(ends[:-1], 1, out=begins[1:])
    return begins


def _blank_grid(block: ByteArray) -> Grid:
    """The grid of a block without tabs."""
    separators = np.flatnonzero(block <= BLANK)
    ends = np.flatnonzero(block[separators] == NEWLINE)
    line_stops = separators[ends]
    empty_cells = np.count_nonzero(separators == _one_later(separators))
    # Where only newlines follow another separator at once, blanks need not be taken together.
    if empty_cells == np.count_nonzero(line_stops == _one_later(line_stops)):
        return _simple_grid(block, separators, ends)
    return _collapsed_grid(block, separators, None)


def _collapsed_grid(block: ByteArray, separators: IntArray, by_tabs: BoolArray | None) -> Grid:
    """A grid in which runs of separators count as one, except in the lines cut by tabs."""
    before = np.empty_like(separators)
    before[:1] = -1
    before[1:] = separators[:-1]
    ends_cell = separators - before > 1
    ends_line = np.flatnonzero(block[separators] == NEWLINE)
    if by_tabs is not None:
        ends_cell |= np.repeat(by_tabs, np.diff(ends_line, prepend=-1))
    last = np.cumsum(ends_cell)[ends_line] - 1
    cells = np.flatnonzero(ends_cell)
    stops = separators[ends_line]
    starts = _one_later(stops)
    return Grid(
        starts,
        stops,
        block[starts],
        separators[cells],
        before[cells] + 1,
        _one_later(last),
        last,
        by_tabs is not None,
    )


def _mixed_grid(block: ByteArray, tab_or_newline: BoolArray, tab_grid: Grid) -> Grid:
    """The grid of a block in which some lines have one tab or none."""
    white = block <= BLANK
    white_grid = _collapsed_grid(block, np.flatnonzero(white), None)
    tabs = tab_grid.last - tab_grid.first
    fields = white_grid.last - white_grid.first + 1
    by_tabs = (
        (tabs > 1) | ((tabs == 1) & (fields < 5)) | (fields == 0) | (white_grid.initial == HASH)
    )
    if by_tabs.all():
        return tab_grid
    if not by_tabs.any():
        return white_grid
    white &= np.repeat(~by_tabs, tab_grid.line_stops - tab_grid.line_starts + 1)
    white |= tab_or_newline
    return _collapsed_grid(block, np.flatnonzero(white), by_tabs)


def blank_lines(block: ByteArray, grid: Grid) -> BoolArray:
    """Which lines hold nothing but white space."""
    blank = grid.initial <= BLANK
    doubtful = np.flatnonzero(blank & (grid.line_stops > grid.line_starts))
    if len(doubtful):
        starts = grid.line_starts[doubtful]
        lengths = grid.line_stops[doubtful] - starts + 1
        visible = block[ranges(starts, lengths)] > BLANK
        blank[doubtful] = ~np.logical_or.reduceat(visible, np.cumsum(lengths) - lengths)
    return blank


def stripped(block: ByteArray, starts: IntArray, stops: IntArray) -> tuple[IntArray, IntArray]:
    """Cells without the white space at their ends."""
    held = stops > starts
    padded = np.flatnonzero(held & ((block[stops - 1] <= BLANK) | (block[starts] <= BLANK)))
    if not len(padded):
        return starts, stops
    starts, stops = starts.copy(), stops.copy()
    visible = np.flatnonzero(block > BLANK)
    inner = np.searchsorted(visible, starts[padded])
    beyond = np.searchsorted(visible, stops[padded])
    something = inner < beyond
    stops[padded] = starts[padded]
    inner, beyond, padded = inner[something], beyond[something], padded[something]
    starts[padded] = visible[inner]
    stops[padded] = visible[beyond - 1] + 1
    return starts, stops
