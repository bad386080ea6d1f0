"""A block of CoNLL lines as rows: cells, words, layers, marks of documents, coreference cells.

A line that holds tabs is cut at its tabs, so that a word may contain a blank and the last cell may
be empty; any other line is cut at runs of white space, so that columns may be aligned with blanks.
One single tab in a line of five or more fields is white space: that is how a column is pasted to
the end of aligned ones. Everything is found for all lines of the block at once.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from corefine.corpus.arrays import BoolArray, ByteArray, IntArray, ranges
from corefine.corpus.strings import Strings
from corefine.formats.building.token_rows import DocumentLine, TokenRows
from corefine.formats.columns.cell_grid import HASH, CellGrid, blank_lines, stripped
from corefine.formats.text.old_brackets import BAR, is_well_formed


@dataclass(frozen=True, slots=True)
class Layout:
    """What stands in which column, counted from 0; coreference is in the last one."""

    format: str
    word: int
    """In a line that has nothing between this column and the last, the word is the last but one."""
    layers: Mapping[str, int]
    narrowest: int
    """Lines with fewer columns are not in this layout, so their layers are not interpreted."""
    multiword: bool = False
    """Whether lines numbered such as ``2-3`` are no tokens, but hold those behind them."""


CONLL_LAYOUT = Layout(
    "conll", 3, {"pos": 4, "parse": 5, "lemma": 6, "speaker": 9, "ner": 10}, narrowest=11
)
"""The columns of the shared tasks of 2011 and 2012."""

PLACEHOLDERS = b"-_*"
"""Signs that stand alone in a cell that says nothing."""

_PLACEHOLDER = np.zeros(256, bool)
_PLACEHOLDER[list(PLACEHOLDERS)] = True
MULTIWORD = re.compile(rb"([1-9][0-9]{0,8})-([1-9][0-9]{0,8})")
"""The number of a line that holds several tokens."""
_MARK = re.compile(rb"#\s*(begin|end)\s+document\b(.*)", re.IGNORECASE | re.DOTALL)
_PART = re.compile(r"(?:;|(?<=\)))\s*part\s+(\S+)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ColumnRows(TokenRows):
    """The rows of lines whose last column has brackets."""

    counts: NDArray[np.uint16]
    """The number of columns of each token's line, as far as it fits."""
    names: tuple[str | None, str | None]
    """The first two columns, where asked for and the same in all lines of five or more columns."""
    renamed: int | None
    """The line in which the first column, where asked for, names another document."""
    behind: list[int]
    """The lines in which nothing but a tab stands behind what looks like the coreference cell."""
    ends: tuple[IntArray, Strings, Strings]
    """The ends of some sentences of each document, and the first two columns there."""


def canonical_name(text: str) -> str:
    """A document's name as it is compared: ``(x); part 000`` and ``x`` are ``x``.

    >>> [canonical_name(n) for n in ("(bc/cctv_0); part 000", "bc/cctv_0", "(a (b)); part 012")]
    ['bc/cctv_0', 'bc/cctv_0', 'a (b); part 12']
    """
    text = text.strip()
    part = ""
    if found := _PART.search(text):
        text, part = text[: found.start()], found.group(1)
        if part.isdecimal() and len(part) < 19:
            part = str(int(part)) if int(part) else ""
    text = text.rstrip("; ")
    if text.startswith("(") and text.endswith(")"):
        text = text[1:-1].strip()
    return f"{text}; part {part}" if part else text


def begun_name(line: bytes) -> str | None:
    """The name of the document that a line begins; None for any other line."""
    found = _MARK.match(line)
    if found is None or found.group(1).lower() != b"begin":
        return None
    return canonical_name(found.group(2).decode("utf-8", "replace"))


def rows_of(
    block: ByteArray,
    grid: CellGrid,
    first_line: int,
    layout: Layout,
    layers: frozenset[str],
    *,
    names: bool,
) -> ColumnRows:
    """The rows of a block of whole lines; ``first_line`` is the number of its first line.

    ``names`` asks for the first two columns as well, which name the document in a file that has
    no marks.
    """
    blank = blank_lines(block, grid)
    marks, comments = _marks_and_comments(block, grid)
    skipped = blank.copy()
    skipped[comments] = True
    blank[[line for line, _ in marks]] = True
    lines = np.flatnonzero(~skipped)
    if layout.multiword:
        lines = _without_multiword(block, grid, lines)
    first, last = grid.first[lines], grid.last[lines]
    count = last - first + 1
    starts, stops, marked = _last_cells(block, grid, last)
    lengths = stops - starts + 1
    text = block[ranges(starts, lengths)]
    text[np.cumsum(lengths) - 1] = BAR
    breaks = _distinct(np.searchsorted(lines, np.flatnonzero(blank)))
    name, part = (
        (_column(block, grid, first, count, place, narrowest=5) if names else Strings.blank(0))
        for place in (0, 1)
    )
    renamed = _renamed(name, part, breaks)
    mark_tokens = np.searchsorted(lines, np.array([line for line, _ in marks], np.int64))
    return ColumnRows(
        lines + first_line,
        _words(block, grid, first, count, layout.word),
        {
            name: _column(block, grid, first, count, place, layout.narrowest)
            for name, place in layout.layers.items()
            if name in layers
        }
        if len(count) and count.max() >= layout.narrowest
        else {},
        breaks,
        [
            DocumentLine(token, first_line + line, name)
            for token, (line, name) in zip(mark_tokens.tolist(), marks, strict=True)
        ],
        marked,
        text,
        lengths,
        np.minimum(count, 0xFFFF).astype(np.uint16),
        (_constant(name), _constant(part)),
        None if renamed is None else int(lines[renamed]) + first_line,
        (lines[_with_tabs_behind(block, grid, first, last, layout)] + first_line).tolist(),
        _sentence_ends(block, grid, first, count, breaks, mark_tokens),
    )


def _sentence_ends(
    block: ByteArray,
    grid: CellGrid,
    first: IntArray,
    count: IntArray,
    breaks: IntArray,
    marks: IntArray,
) -> tuple[IntArray, Strings, Strings]:
    """First and last rows of sentences, with their first two columns.

    The first, second and last sentence of each document in the block are enough to tell whether
    these columns change inside a document: all sentences would cost an eighth of scoring.
    """
    bounds = _distinct(np.concatenate([[0], marks, [len(first)]]))
    starts, stops = bounds[:-1], bounds[1:]
    opens = np.concatenate([[0], _distinct(breaks[breaks > 0]), [len(first), len(first)]])
    opened = np.searchsorted(opens, starts, "right")
    second, third = opens[opened], opens[opened + 1]
    latest = np.maximum(opens[np.searchsorted(opens, stops) - 1], starts)
    ends = (starts, second - 1, second, third - 1, latest, stops - 1)
    rows = np.unique(np.concatenate([np.minimum(row, stops - 1) for row in ends]))
    name, part = (
        _column(block, grid, first[rows], count[rows], place, narrowest=5) for place in (0, 1)
    )
    return rows, name, part


def _without_multiword(block: ByteArray, grid: CellGrid, lines: IntArray) -> IntArray:
    """The lines of tokens: those of multiword tokens without a bracket are left out."""
    starts, stops = grid.bounds(grid.first[lines])
    ids = [block[start:stop].tobytes() for start, stop in zip(starts, stops, strict=True)]
    several: BoolArray = np.array([MULTIWORD.fullmatch(id) is not None for id in ids], bool)
    marked = _last_cells(block, grid, grid.last[lines])[2]
    several[marked] = False
    return lines[~several]


def _with_tabs_behind(
    block: ByteArray, grid: CellGrid, first: IntArray, last: IntArray, layout: Layout
) -> IntArray:
    """The rows whose last cell is empty and whose last but one has brackets of coreference.

    Words and names have brackets as well, and so have columns of parses, which hold a ``*``.
    """
    starts, stops = grid.bounds(last)
    rows = np.flatnonzero((stops == starts) & (last - first - 1 > layout.word))
    others = [place for name, place in layout.layers.items() if name.endswith("ner")]
    rows = rows[~np.isin(last[rows] - first[rows] - 1, others)]
    starts, stops = grid.bounds(last[rows] - 1)
    cells = [block[start:stop].tobytes().strip() for start, stop in zip(starts, stops, strict=True)]
    found: IntArray = rows[[b"*" not in cell and is_well_formed(cell) for cell in cells]]
    return found


def _distinct(ascending: IntArray) -> IntArray:
    """The values of an ascending column, each once."""
    return ascending[np.diff(ascending, prepend=-1) > 0]


def _renamed(documents: Strings, parts: Strings, breaks: IntArray) -> int | None:
    """The row in which the first column names another document, where it names documents at all.

    That is so if it is no number, the second one is, and both change between sentences only.
    """
    if _constant(documents) is not None:
        return None
    begins, found = set(breaks.tolist()), None
    before = None
    for row, here in enumerate(zip(documents, parts, strict=True)):
        if here[0].isdecimal() or not here[1].isdecimal():
            return None
        if before is not None and here != before:
            if row not in begins:
                return None
            if found is None and here[0] != before[0]:
                found = row
        before = here
    return found


def _constant(column: Strings) -> str | None:
    """The value that all rows of a column have, if there is one."""
    lengths = column.lengths
    if not len(lengths) or (lengths != lengths[0]).any():
        return None
    values = column.data.reshape(len(lengths), -1)
    return column[0] if (values == values[0]).all() else None


def _marks_and_comments(
    block: ByteArray, grid: CellGrid
) -> tuple[list[tuple[int, str | None]], list[int]]:
    """The lines that begin or end a document, and all lines that start with # and are no tokens."""
    marks: list[tuple[int, str | None]] = []
    comments: list[int] = []
    for line in np.flatnonzero(grid.initial == HASH).tolist():
        content = block[grid.line_starts[line] : grid.line_stops[line]].tobytes()
        found = _MARK.match(content)
        if found:
            begins = found.group(1).lower() == b"begin"
            marks.append((line, canonical_name(found.group(2).decode()) if begins else None))
        if found or not _is_token(content):
            comments.append(line)
    return marks, comments


def _is_token(line: bytes) -> bool:
    """Whether a line that starts with # is no comment, but a word like # in a line cut by tabs."""
    first, *others = line.split(b"\t")
    if not others or b" " in first:
        return False
    return is_coreference_cell(others[-1].strip())


def is_coreference_cell(cell: bytes) -> bool:
    """Whether a cell is a placeholder or a list of brackets."""
    return (len(cell) == 1 and cell in PLACEHOLDERS) or is_well_formed(cell)


def _last_cells(
    block: ByteArray, grid: CellGrid, last: IntArray
) -> tuple[IntArray, IntArray, IntArray]:
    """Start and stop of the last cells that hold something, and whose they are."""
    starts, stops = grid.bounds(last)
    lengths = stops - starts
    plain = _PLACEHOLDER[block[starts]]
    plain &= lengths == 1
    plain |= lengths == 0
    marked = np.flatnonzero(~plain)
    starts, stops = starts[marked], stops[marked]
    if grid.loose:
        starts, stops = stripped(block, starts, stops)
        lengths = stops - starts
        held = (lengths > 1) | ((lengths == 1) & ~_PLACEHOLDER[block[starts]])
        if not held.all():
            starts, stops, marked = starts[held], stops[held], marked[held]
    return starts, stops, marked


def _words(
    block: ByteArray, grid: CellGrid, first: IntArray, count: IntArray, column: int
) -> Strings:
    """The column of words, or the last but one of a line that is too narrow for it."""
    narrow = count < column + 2
    if not narrow.any():
        starts, stops = grid.bounds(first + column)
    else:
        place = np.where(narrow, np.maximum(count - 2, 0), column)
        starts, stops = grid.bounds(first + place)
        stops = np.where(count == 1, starts, stops)
    if grid.loose:
        starts, stops = stripped(block, starts, stops)
    return Strings.cut(block, starts, stops)


def _column(
    block: ByteArray,
    grid: CellGrid,
    first: IntArray,
    count: IntArray,
    column: int,
    narrowest: int,
) -> Strings:
    """One column; the last cell of a line is never part of it, nor are narrower lines."""
    present = (count > column + 1) & (count >= narrowest)
    if present.all():
        return Strings.cut(block, *grid.bounds(first + column))
    starts, stops = grid.bounds(first + np.where(present, column, 0))
    return Strings.cut(block, starts, np.where(present, stops, starts))
