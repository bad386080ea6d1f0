"""Documents from the columns of CoNLL lines: names, sentences, mentions, entities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from corefine.corpus.arrays import BoolArray, ByteArray, IntArray, by_first_appearance, offsets_of
from corefine.corpus.columns import Entities, Mentions, Tokens
from corefine.corpus.corpus import Corpus
from corefine.corpus.strings import Strings
from corefine.errors import MOST_PROBLEMS, FormatError, with_others
from corefine.formats.columns.conll_columns import (
    Layout,
    Mark,
    Rows,
    canonical_name,
    is_placeholder_only,
)
from corefine.formats.input.lines import shown
from corefine.formats.input.sources import Source
from corefine.formats.text.brackets import (
    MalformedCellError,
    Runs,
    UnbalancedBracketError,
    codes_of_ids,
    find_runs,
    malformed_cells,
    pair,
)

Number = TypeVar("Number", bound=np.generic)


def split_at_last_document(window: list[Rows]) -> tuple[list[Rows], list[Rows]]:
    """The rows before the last document of a window, if there are any, and its own rows."""
    for number in range(len(window) - 1, -1, -1):
        rows = window[number]
        for place in range(len(rows.marks) - 1, -1, -1):
            mark = rows.marks[place]
            if mark.name is not None:
                before, after = _split(rows, place)
                done = window[:number]
                if len(before.lines) or before.marks:
                    done.append(before)
                return done, [after, *window[number + 1 :]]
    return [], window


def _split(rows: Rows, place: int) -> tuple[Rows, Rows]:
    """The rows before a mark, and those from it on."""
    token = rows.marks[place].token
    breaks = int(np.searchsorted(rows.breaks, token))
    cells = int(np.searchsorted(rows.marked, token))
    byte = int(rows.lengths[:cells].sum())
    before = Rows(
        rows.lines[:token],
        rows.words[:token],
        {name: column[:token] for name, column in rows.layers.items()},
        rows.breaks[:breaks],
        rows.marks[:place],
        rows.marked[:cells],
        rows.text[:byte],
        rows.lengths[:cells],
        rows.counts[:token],
        rows.names,
    )
    after = Rows(
        rows.lines[token:],
        rows.words[token:],
        {name: column[token:] for name, column in rows.layers.items()},
        rows.breaks[breaks:] - token,
        [replace(mark, token=mark.token - token) for mark in rows.marks[place:]],
        rows.marked[cells:] - token,
        rows.text[byte:],
        rows.lengths[cells:],
        rows.counts[token:],
        rows.names,
    )
    return before, after


@dataclass(frozen=True, slots=True)
class _Cells:
    """Coreference cells of many documents side by side; the token of each, and its length."""

    text: ByteArray
    lengths: IntArray
    token: IntArray

    def __getitem__(self, wanted: BoolArray) -> _Cells:
        return _Cells(
            self.text[np.repeat(wanted, self.lengths)], self.lengths[wanted], self.token[wanted]
        )

    def content(self, cell: int) -> str:
        start = int(self.lengths[:cell].sum())
        return shown(self.text[start : start + int(self.lengths[cell]) - 1])


def assemble(source: Source, window: Sequence[Rows], layout: Layout, *, begun: bool) -> Corpus:
    """The corpus of all documents that these rows hold.

    ``begun`` tells whether documents begin in lines of their own, here or later in the file; where
    none does, all rows are one document.
    """
    bases = offsets_of(np.array([len(rows.lines) for rows in window]))
    lines = _joined([rows.lines for rows in window])
    names, offsets = _documents(source, window, bases, lines, begun=begun)
    sentences = _sentences(window, bases, offsets)
    words = Strings.concatenate([rows.words for rows in window])
    cells = _Cells(
        _joined([rows.text for rows in window]),
        _joined([rows.lengths for rows in window]),
        _joined([rows.marked + base for rows, base in zip(window, bases.tolist(), strict=False)]),
    )
    warnings: tuple[str, ...] = ()
    try:
        runs = find_runs(cells.text, cells.lengths, cells.token)
    except MalformedCellError:
        counts = np.concatenate([rows.counts for rows in window]).astype(np.int64)
        ragged = _ragged(source, cells, counts, offsets, sentences, lines)
        cells, words, warning = _without_ragged(
            source, cells, words, counts < layout.word + 2, ragged, lines
        )
        warnings = (warning,)
        runs = find_runs(cells.text, cells.lengths, cells.token)
    document = np.repeat(np.arange(len(names)), np.diff(np.searchsorted(runs.owner, offsets)))
    entities, mentions = _mentions(source, cells.text, runs, document, names, offsets, lines)
    return Corpus(
        documents=tuple(names),
        entities=entities,
        mentions=mentions,
        tokens=Tokens(words, offsets, sentences, _layers(window), lines=lines),
        sources=(source.name,) * len(names),
        format=layout.format,
        warnings=warnings,
    )


def _joined(columns: Sequence[NDArray[Number]]) -> NDArray[Number]:
    return columns[0] if len(columns) == 1 else np.concatenate(columns)


def _sentences(window: Sequence[Rows], bases: IntArray, offsets: IntArray) -> IntArray:
    """The first token of each sentence."""
    opens = np.zeros(int(bases[-1]) + 1, bool)
    opens[0] = True
    opens[offsets] = True
    for rows, base in zip(window, bases.tolist(), strict=False):
        opens[rows.breaks + base] = True
    return np.flatnonzero(opens[:-1])


def _layers(window: Sequence[Rows]) -> dict[str, Strings]:
    """The layers of all rows that say something; empty where some rows lack one."""
    present = dict.fromkeys(name for rows in window for name in rows.layers)

    def column(rows: Rows, name: str) -> Strings:
        if name in rows.layers:
            return rows.layers[name]
        return Strings(np.zeros(0, np.uint8), np.zeros(len(rows.lines) + 1, np.int64))

    joined = {
        name: Strings.concatenate([column(rows, name) for rows in window]) for name in present
    }
    return {name: values for name, values in joined.items() if not is_placeholder_only(values)}


def _documents(
    source: Source, window: Sequence[Rows], bases: IntArray, lines: IntArray, *, begun: bool
) -> tuple[list[str], IntArray]:
    """Names of the documents, and where the tokens of each start (and the last one stops)."""
    marks = [
        replace(mark, token=mark.token + base)
        for rows, base in zip(window, bases.tolist(), strict=False)
        for mark in rows.marks
    ]
    begins = [mark for mark in marks if mark.name is not None]
    if not begun:
        _check_outside(source, [mark for mark in marks if mark.token], lines)
        return [_implied_name(source, window)], np.array([0, len(lines)])
    _check_outside(source, [Mark(0, 1, None), *marks], lines)
    offsets = np.array([*(mark.token for mark in begins), len(lines)])
    return [mark.name or "" for mark in begins], offsets


def _check_outside(source: Source, marks: Sequence[Mark], lines: IntArray) -> None:
    """Refuse tokens between the end of a document and the next beginning."""
    for mark, following in pairwise([*marks, Mark(len(lines), 0, None)]):
        if mark.name is None and following.token > mark.token:
            raise FormatError(
                "a token outside of any document",
                source.where(int(lines[mark.token])),
                "Put '#begin document (name); part 000' before it.",
            )


def _implied_name(source: Source, window: Sequence[Rows]) -> str:
    """The name of the only document of a file without marks: its first column, if that is one."""
    columns = [rows.names for rows in window if len(rows.lines)]
    names, parts = {name for name, _ in columns}, {part for _, part in columns}
    name = names.pop() if len(names) == 1 else None
    part = parts.pop() if len(parts) == 1 else None
    if not name:
        return source.stem
    return canonical_name(f"({name}); part {part}" if part and part.isdecimal() else name)


def _ragged(
    source: Source,
    cells: _Cells,
    counts: IntArray,
    offsets: IntArray,
    sentences: IntArray,
    lines: IntArray,
) -> BoolArray:
    """Which cells are no coreference cells, since their lines have lost the last one.

    White space at the end of lines is easily lost, and an empty last cell with it. A line is taken
    to lack that cell if the cell that is now its last is no list of brackets, and it has fewer
    columns than another line of its sentence; or fewer than another line of its document, where no
    line with as few columns has brackets. (The number of columns may well differ between
    sentences: those of 2012 have one more for each predicate.)
    """
    malformed = malformed_cells(cells.text, cells.lengths)
    count = counts[cells.token]
    document = np.searchsorted(offsets, cells.token, side="right") - 1
    sentence = np.searchsorted(sentences, cells.token, side="right") - 1
    widest = np.zeros(len(offsets) - 1, np.int64)
    filled = np.flatnonzero(np.diff(offsets))
    widest[filled] = np.maximum.reduceat(counts, offsets[filled])
    kind_of_line = document * (int(counts.max()) + 1) + count
    wrong = malformed & (count >= np.maximum.reduceat(counts, sentences)[sentence])
    wrong &= (count >= widest[document]) | np.isin(kind_of_line, kind_of_line[~malformed])
    if wrong.any():
        problems = [
            FormatError(
                f"malformed coreference cell {cells.content(cell)!r}",
                source.where(int(lines[cells.token[cell]])),
                "The last column holds '-', or brackets such as (1, 1), (1) or (1|(2).",
            )
            for cell in np.flatnonzero(wrong)[:MOST_PROBLEMS].tolist()
        ]
        raise with_others(problems)
    return malformed


def _without_ragged(
    source: Source,
    cells: _Cells,
    words: Strings,
    narrow: BoolArray,
    ragged: BoolArray,
    lines: IntArray,
) -> tuple[_Cells, Strings, str]:
    """Cells and words where lines without their last cell are understood as such, and a warning.

    What seemed to be the last cell is some other column: the word, if the line is narrow.
    """
    words_lost = ragged & narrow[cells.token]
    if words_lost.any():
        others = cells[words_lost]
        stops = np.cumsum(others.lengths)
        replacements = Strings.cut(others.text, stops - others.lengths, stops - 1)
        source_of = np.arange(len(words))
        source_of[others.token] = len(words) + np.arange(len(others.token))
        words = Strings.concatenate([words, replacements]).take(source_of)
    number, first = np.count_nonzero(ragged), int(lines[cells.token[np.argmax(ragged)]])
    warning = (
        f"{source.where(first)}: {number} line(s), this one first, have fewer columns than others "
        "near them; their coreference cell is taken to be empty"
    )
    return cells[~ragged], words, warning


def _mentions(
    source: Source,
    text: ByteArray,
    runs: Runs,
    document: IntArray,
    names: Sequence[str],
    offsets: IntArray,
    lines: IntArray,
) -> tuple[Entities, Mentions]:
    codes, bound = codes_of_ids(text, runs.start, runs.stop)
    groups = document * bound + codes
    try:
        opening, closing = pair(groups, runs.opens, runs.closes)
    except UnbalancedBracketError as error:
        problems = []
        for run in error.runs[:MOST_PROBLEMS]:
            name = shown(text[runs.start[run] : runs.stop[run]])
            what, missing = ("opened", "closed") if runs.opens[run] else ("closed", "opened")
            problem = FormatError(
                f"a mention of entity {name!r} is {what} here and never {missing} "
                f"in document {names[document[run]]!r}",
                source.where(int(lines[runs.owner[run]])),
                f"Add the missing bracket {name + ')' if runs.opens[run] else '(' + name} "
                "or remove this one.",
            )
            problems.append(problem)
        raise with_others(problems) from None
    owner = document[opening]
    entity, first = by_first_appearance(groups[opening])
    base = offsets[owner]
    entities = Entities(
        owner[first],
        Strings.cut(text, runs.start[opening[first]], runs.stop[opening[first]]),
    )
    start, stop = runs.owner[opening], runs.owner[closing] + 1
    order = np.where(opening == closing, -1, closing) if _has_repeats(start, stop) else None
    return entities, Mentions(owner, entity, start - base, stop - base, closing=order)


def _has_repeats(start: IntArray, stop: IntArray) -> bool:
    """Whether two mentions are of the same tokens; they are in the order in which they open."""
    same = start[1:] == start[:-1]
    together = np.flatnonzero(np.append(same, False) | np.append(False, same))
    spans = np.sort(start[together] * (int(stop.max(initial=0)) + 1) + stop[together])
    return bool((spans[1:] == spans[:-1]).any())
