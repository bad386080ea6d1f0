"""The columns of a block of CoNLL lines: words, layers, marks of documents, coreference cells."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from corefine.corpus.arrays import ByteArray, IntArray, ranges
from corefine.corpus.strings import Strings
from corefine.formats.columns.conll_grid import HASH, Grid, blank_lines, stripped
from corefine.formats.text.brackets import BAR, is_well_formed


@dataclass(frozen=True, slots=True)
class Layout:
    """What stands in which column, counted from 0; coreference is in the last one."""

    format: str
    word: int
    """In a line that has nothing between this column and the last, the word is the last but one."""
    layers: Mapping[str, int]
    narrowest: int
    """Lines with fewer columns are not in this layout, so their layers are not interpreted."""


CONLL_LAYOUT = Layout(
    "conll", 3, {"pos": 4, "parse": 5, "lemma": 6, "speaker": 9, "ner": 10}, narrowest=11
)
"""The columns of the shared tasks of 2011 and 2012."""

PLACEHOLDERS = (b"-", b"_", b"*")
"""What stands in the last column of a token at which no mention starts or ends."""

_PLACEHOLDER = np.zeros(256, bool)
_PLACEHOLDER[list(b"".join(PLACEHOLDERS))] = True
_MARK = re.compile(rb"#\s*(begin|end)\s+document\b(.*)", re.IGNORECASE | re.DOTALL)
_PART = re.compile(r"(?:;|(?<=\)))\s*part\s+(\S+)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Mark:
    """A line that begins (``name`` is a document's) or ends (``name`` is None) a document."""

    token: int
    line: int
    name: str | None


@dataclass(frozen=True, slots=True)
class Rows:
    """What a block of lines holds, tokens being counted from the first of the block."""

    lines: IntArray
    words: Strings
    layers: dict[str, Strings]
    breaks: IntArray
    """Tokens before which a sentence ends; may be one more than the last token."""
    marks: list[Mark]
    marked: IntArray
    """Tokens whose last cell is neither empty nor a placeholder."""
    text: ByteArray
    """Those cells side by side, each followed by a bar."""
    lengths: IntArray
    """Length of each of those cells with its bar."""
    counts: NDArray[np.uint16]
    """The number of columns of each token's line, as far as it fits."""
    names: tuple[str | None, str | None]
    """The first two columns, where asked for and the same in all lines of five or more columns."""


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


def is_placeholder_only(column: Strings) -> bool:
    """Whether a column says nothing of any token."""
    return int(column.lengths.max(initial=0)) <= 1 and bool(_PLACEHOLDER[column.data].all())


def columns_of(
    block: ByteArray,
    grid: Grid,
    first_line: int,
    layout: Layout,
    layers: frozenset[str],
    *,
    names: bool,
) -> Rows:
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
    first, last = grid.first[lines], grid.last[lines]
    count = last - first + 1
    starts, stops, marked = _last_cells(block, grid, last)
    lengths = stops - starts + 1
    text = block[ranges(starts, lengths)]
    text[np.cumsum(lengths) - 1] = BAR
    mark_tokens = np.searchsorted(lines, np.array([line for line, _ in marks], np.int64))
    return Rows(
        lines + first_line,
        _words(block, grid, first, count, layout.word),
        {
            name: _column(block, grid, first, count, place, layout.narrowest)
            for name, place in layout.layers.items()
            if name in layers
        }
        if len(count) and count.max() >= layout.narrowest
        else {},
        _distinct(np.searchsorted(lines, np.flatnonzero(blank))),
        [
            Mark(token, first_line + line, name)
            for token, (line, name) in zip(mark_tokens.tolist(), marks, strict=True)
        ],
        marked,
        text,
        lengths,
        np.minimum(count, 0xFFFF).astype(np.uint16),
        (
            _constant(_column(block, grid, first, count, 0, narrowest=5)),
            _constant(_column(block, grid, first, count, 1, narrowest=5)),
        )
        if names
        else (None, None),
    )


def _distinct(ascending: IntArray) -> IntArray:
    """The values of an ascending column, each once."""
    return ascending[np.diff(ascending, prepend=-1) > 0]


def _constant(column: Strings) -> str | None:
    """The value that all rows of a column have, if there is one."""
    lengths = column.lengths
    if not len(lengths) or (lengths != lengths[0]).any():
        return None
    values = column.data.reshape(len(lengths), -1)
    return column[0] if (values == values[0]).all() else None


def _marks_and_comments(
    block: ByteArray, grid: Grid
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
    cell = others[-1].strip()
    return cell in PLACEHOLDERS or is_well_formed(cell)


def _last_cells(
    block: ByteArray, grid: Grid, last: IntArray
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


def _words(block: ByteArray, grid: Grid, first: IntArray, count: IntArray, column: int) -> Strings:
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
    grid: Grid,
    first: IntArray,
    count: IntArray,
    column: int,
    narrowest: int,
) -> Strings:
    """One column; the last cell of a line is never part of it, nor are narrower lines."""
    present = (count > column + 1) & (count >= narrowest)
    starts, stops = grid.bounds(first + np.where(present, column, 0))
    return Strings.cut(block, starts, np.where(present, stops, starts))
