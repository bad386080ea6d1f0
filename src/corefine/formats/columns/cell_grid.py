"""Cells of a block of lines: where each begins and ends, whatever separates them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from corefine.corpus.arrays import BoolArray, ByteArray, IntArray, ranges

TAB, NEWLINE, RETURN, BLANK, HASH = b"\t\n\r #"


@dataclass(frozen=True, slots=True)
class CellGrid:
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


def lay_out(block: ByteArray) -> CellGrid:
    """The grid of a block of whole lines."""
    tab_or_newline = block - TAB <= NEWLINE - TAB
    separators = np.flatnonzero(tab_or_newline)
    ends = np.flatnonzero(block[separators] == NEWLINE)
    if len(ends) == len(separators):
        return _grid_without_tabs(block, separators)
    grid = _simple_grid(block, separators, ends)
    if grid.loose:
        few = np.flatnonzero(ends - grid.first < 2)
        if ((grid.initial[few] != HASH) & (grid.initial[few] != NEWLINE)).any():
            return _mixed_grid(block, tab_or_newline, grid)
    return grid


def _simple_grid(block: ByteArray, separators: IntArray, ends: IntArray) -> CellGrid:
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
    return CellGrid(starts, stops, initial, separators, None, first, ends, white > 0)


def _one_later(ends: IntArray) -> IntArray:
    """What begins after the end of what comes before it."""
    begins = np.empty_like(ends)
    begins[:1] = 0
    np.add(ends[:-1], 1, out=begins[1:])
    return begins


def _grid_without_tabs(block: ByteArray, newlines: IntArray) -> CellGrid:
    white = block <= BLANK
    empty_cells = np.count_nonzero(white[1:] & white[:-1]) + int(white[0])
    # Where only newlines follow another separator at once, blanks need not be taken together.
    if empty_cells == np.count_nonzero(newlines == _one_later(newlines)):
        separators = np.flatnonzero(white)
        return _simple_grid(block, separators, np.flatnonzero(block[separators] == NEWLINE))
    return _collapsed_grid(block, white, newlines, None)


def _collapsed_grid(
    block: ByteArray, white: BoolArray, newlines: IntArray, by_tabs: BoolArray | None
) -> CellGrid:
    """A grid in which runs of white space count as one, except in the lines cut by tabs."""
    # A cell starts after a separator and stops before one: where the byte before is not like it.
    starts_cell, stops_cell = np.empty_like(white), np.empty_like(white)
    starts_cell[0], stops_cell[0] = not white[0], False
    np.less(white[1:], white[:-1], out=starts_cell[1:])
    np.greater(white[1:], white[:-1], out=stops_cell[1:])
    line_starts = _one_later(newlines)
    if by_tabs is not None:
        # Every separator stops a cell and has one behind it, be they empty.
        cut = np.repeat(by_tabs, newlines - line_starts + 1)
        stops_cell |= white & cut
        starts_cell[0] |= cut[0]
        starts_cell[1:] |= white[:-1] & cut[1:]
    stops = np.flatnonzero(stops_cell)
    last = np.searchsorted(stops, newlines, side="right") - 1
    return CellGrid(
        line_starts,
        newlines,
        block[line_starts],
        stops,
        np.flatnonzero(starts_cell),
        _one_later(last),
        last,
        by_tabs is not None,
    )


def _mixed_grid(block: ByteArray, tab_or_newline: BoolArray, tab_grid: CellGrid) -> CellGrid:
    """The grid of a block in which some lines have one tab or none."""
    white = block <= BLANK
    white_grid = _collapsed_grid(block, white, tab_grid.line_stops, None)
    tabs = tab_grid.last - tab_grid.first
    fields = white_grid.last - white_grid.first + 1
    by_tabs = (tabs > 1) | ((tabs == 1) & (fields < 5)) | (fields == 0)
    by_tabs |= white_grid.initial == HASH
    if by_tabs.all():
        return tab_grid
    if not by_tabs.any():
        return white_grid
    white &= np.repeat(~by_tabs, tab_grid.line_stops - tab_grid.line_starts + 1)
    white |= tab_or_newline
    return _collapsed_grid(block, white, tab_grid.line_stops, by_tabs)


def without_returns(block: ByteArray) -> ByteArray:
    """The block with lines that end in newlines alone, if its first one does not."""
    newline = block[: 1 << 12].tobytes().find(b"\n")
    if newline < 1 or block[newline - 1] != RETURN:
        return block
    return np.frombuffer(block.tobytes().replace(b"\r\n", b"\n"), np.uint8)


def blank_lines(block: ByteArray, grid: CellGrid) -> BoolArray:
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
