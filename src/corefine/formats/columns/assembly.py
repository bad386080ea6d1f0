"""The corpus of a file whose last column has brackets: names, sentences, mentions, entities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from corefine.corpus.arrays import BoolArray, IntArray, by_first_appearance
from corefine.corpus.columns import Entities, Mentions, Tokens
from corefine.corpus.corpus import Corpus
from corefine.corpus.strings import Strings, codes_of_bytes
from corefine.errors import MOST_PROBLEMS, FormatError, with_others
from corefine.formats.building.token_rows import (
    BracketCells,
    DocumentLine,
    JoinedRows,
    pair_brackets,
)
from corefine.formats.columns.blocks import (
    CONLL_LAYOUT,
    PLACEHOLDERS,
    ColumnRows,
    Layout,
    canonical_name,
    rows_of,
)
from corefine.formats.columns.cell_grid import lay_out, without_returns
from corefine.formats.input.lines import check_lines, check_text, line_blocks, shown
from corefine.formats.input.sources import Source
from corefine.formats.registry import BEGIN
from corefine.formats.text.old_brackets import OPEN, MalformedCellError, find_runs, malformed_cells

BLOCK = 1 << 20


def assemble(source: Source, blocks: Sequence[ColumnRows], layout: Layout) -> Corpus:
    """The corpus of all documents that the rows of these blocks hold.

    Where no line begins a document, all rows are one.
    """
    rows = JoinedRows.of(blocks)
    lines, words, cells = rows.lines, rows.words, rows.cells
    names, offsets = _documents(source, blocks, rows)
    sentences = rows.sentences(offsets)
    counts = np.concatenate([block.counts for block in blocks]).astype(np.int64)
    _check_widths(source, counts, sentences, lines)
    if behind := [line for block in blocks for line in block.behind]:
        raise with_others(
            [
                FormatError(
                    "a tab after the coreference column, which is the last",
                    source.where(line),
                    "Remove trailing white space.",
                )
                for line in behind[:MOST_PROBLEMS]
            ]
        )
    joined = _joined_parts(source, blocks, rows, offsets, sentences)
    warnings: tuple[str, ...] = (joined,) if layout is CONLL_LAYOUT and joined else ()
    try:
        runs = find_runs(cells.text, cells.lengths, cells.token)
    except MalformedCellError:
        ragged = _ragged(source, cells, counts, offsets, lines)
        cells, words, warning = _without_ragged(
            source, cells, words, counts < layout.word + 2, ragged, lines
        )
        warnings += (warning,)
        runs = find_runs(cells.text, cells.lengths, cells.token)
    document = np.repeat(np.arange(len(names)), np.diff(np.searchsorted(runs.owner, offsets)))
    groups, opening, closing = pair_brackets(
        cells.text,
        runs,
        (runs.start, runs.stop),
        document,
        names,
        lambda run: source.where(int(lines[runs.owner[run]])),
    )
    owner = document[opening]
    entity, first = by_first_appearance(groups[opening])
    id_start, id_stop = runs.start[opening[first]], runs.stop[opening[first]]
    start, stop = runs.owner[opening], runs.owner[closing] + 1
    unbarred = (opening != closing) & (cells.text[runs.stop[opening]] == OPEN)
    ordered = bool(unbarred.any()) or _has_repeats(start, stop)
    order = np.where(opening == closing, -1, closing) if ordered else None
    base = offsets[owner]
    return Corpus(
        documents=tuple(names),
        entities=Entities(owner[first], Strings.cut(cells.text, id_start, id_stop)),
        mentions=Mentions(
            *(owner, entity, start - base, stop - base),
            closing=order,
            unbarred=unbarred if unbarred.any() else None,
        ),
        tokens=Tokens(words, offsets, sentences, rows.layers(PLACEHOLDERS), lines=lines),
        sources=(source.name,) * len(names),
        format=layout.format,
        warnings=warnings,
    )


def _documents(
    source: Source, blocks: Sequence[ColumnRows], rows: JoinedRows
) -> tuple[list[str], IntArray]:
    """Names of the documents, and where the tokens of each start (and the last one stops)."""
    begins = [mark for mark in rows.marks if mark.name is not None]
    if not begins:
        _check_outside(source, [mark for mark in rows.marks if mark.token], rows.lines)
        _check_names(source, blocks)
        return [_implied_name(source, blocks)], np.array([0, len(rows.lines)])
    _check_outside(source, [DocumentLine(0, 1, None), *rows.marks], rows.lines)
    offsets = np.array([*(mark.token for mark in begins), len(rows.lines)])
    return [mark.name or "" for mark in begins], offsets


def _check_outside(source: Source, marks: Sequence[DocumentLine], lines: IntArray) -> None:
    """Refuse tokens between the end of a document and the next beginning."""
    for mark, following in pairwise([*marks, DocumentLine(len(lines), 0, None)]):
        if mark.name is None and following.token > mark.token:
            raise FormatError(
                "a token outside a document",
                source.where(int(lines[mark.token])),
                "Add '#begin document (name); part 000' before it.",
            )


def _check_names(source: Source, blocks: Sequence[ColumnRows]) -> None:
    """Refuse several documents without a line that begins one: their entities would be joined."""
    before = None
    for rows in blocks:
        name, part = rows.names
        line = rows.renamed
        if line is None and name and part and not name.isdecimal() and part.isdecimal():
            line = int(rows.lines[0]) if before not in (None, name) else None
            before = name
        if line is not None:
            raise FormatError(
                "the first column names another document than before",
                source.where(line),
                "Begin each document with a line '#begin document (name); part 000'.",
            )


def _joined_parts(
    source: Source,
    blocks: Sequence[ColumnRows],
    rows: JoinedRows,
    offsets: IntArray,
    sentences: IntArray,
) -> str | None:
    """A warning if the first two columns tell documents or parts apart that no line divides.

    That is so where the first is a name and the second a number, neither changes inside a sentence,
    and some change between two sentences of a document. What changes with every sentence numbers
    sentences.
    """
    if len(sentences) < 2:
        return None
    tokens = np.concatenate(
        [block.ends[0] + base for block, base in zip(blocks, rows.bases, strict=True)]
    )
    last = np.append(sentences[1:], len(rows.lines)) - 1
    known = np.isin(sentences, tokens) & np.isin(last, tokens)
    sentences, last = sentences[known], last[known]
    columns = (
        Strings.concatenate([block.ends[1] for block in blocks]),
        Strings.concatenate([block.ends[2] for block in blocks]),
    )
    begins, ends = np.searchsorted(tokens, sentences), np.searchsorted(tokens, last)
    document = np.searchsorted(offsets, sentences, "right")
    within = document[1:] == document[:-1]
    changes = np.zeros(len(within), bool)
    for column in columns:
        codes = codes_of_bytes(column.data, column.offsets[:-1], column.lengths)
        if (codes[begins] != codes[ends]).any():
            return None
        changes |= codes[begins[1:]] != codes[ends[:-1]]
    wide = columns[0].lengths[begins] > 0
    changes &= within & wide[1:] & wide[:-1]
    number = int(np.count_nonzero(changes))
    if not number or (number == np.count_nonzero(within) and number > 1):
        return None
    at = int(np.argmax(changes)) + 1
    name, part = (column[int(begins[at])] for column in columns)
    if not name or name.isdecimal() or not part.isdecimal():
        return None
    return (
        f"{source.where(int(rows.lines[sentences[at]]))}: the first two columns have changed to "
        f"{shown(name)!r} and {shown(part)!r} inside a document, whose entities are joined; begin "
        "each part with '#begin document (name); part 000'"
    )


def _implied_name(source: Source, blocks: Sequence[ColumnRows]) -> str:
    """The name of the only document of a file without marks: its first column, if that is one."""
    columns = [rows.names for rows in blocks if len(rows.lines)]
    names, parts = {name for name, _ in columns}, {part for _, part in columns}
    name = names.pop() if len(names) == 1 else None
    part = parts.pop() if len(parts) == 1 else None
    if not name:
        return source.stem
    return canonical_name(f"({name}); part {part}" if part and part.isdecimal() else name)


def _check_widths(source: Source, counts: IntArray, sentences: IntArray, lines: IntArray) -> None:
    """Refuse lines that have more or fewer columns than the others of their sentence.

    One column too many or too few, as a tab at the end makes, puts another cell into the place of
    the coreference cell. (Between sentences the number of columns may well differ: those of 2012
    have one more for each predicate.)
    """
    if not len(counts):
        return
    uneven = np.minimum.reduceat(counts, sentences) != np.maximum.reduceat(counts, sentences)
    problems = []
    bounds = np.append(sentences, len(counts))
    for sentence in np.flatnonzero(uneven)[:MOST_PROBLEMS].tolist():
        start, stop = int(bounds[sentence]), int(bounds[sentence + 1])
        widths = counts[start:stop]
        found, first, times = np.unique(widths, return_index=True, return_counts=True)
        usual = int(found[np.lexsort((first, -times))[0]])
        at = int(np.argmax(widths != usual))
        problems.append(
            FormatError(
                f"a line with {widths[at]} columns in a sentence with {usual}",
                source.where(int(lines[start + at])),
                "Every line of a sentence needs the same columns; remove trailing white space, "
                "and write - in empty cells.",
            )
        )
    if problems:
        raise with_others(problems)


def _ragged(
    source: Source, cells: BracketCells, counts: IntArray, offsets: IntArray, lines: IntArray
) -> BoolArray:
    """Which cells are no coreference cells, since their lines have lost the last one.

    White space at the end of lines is easily lost, and an empty last cell with it. A sentence is
    taken to lack that cell if the cell that is now its last is no list of brackets, and it has
    fewer columns than another of its document, where no line with as few columns has brackets.
    """
    malformed = malformed_cells(cells.text, cells.lengths)
    count = counts[cells.token]
    document = np.searchsorted(offsets, cells.token, side="right") - 1
    widest = np.zeros(len(offsets) - 1, np.int64)
    filled = np.flatnonzero(np.diff(offsets))
    widest[filled] = np.maximum.reduceat(counts, offsets[filled])
    kind_of_line = document * (int(counts.max()) + 1) + count
    wrong = (count >= widest[document]) | np.isin(kind_of_line, kind_of_line[~malformed])
    wrong &= malformed
    if wrong.any():
        problems = [
            FormatError(
                f"malformed coreference cell {cells.content(cell)!r}",
                source.where(int(lines[cells.token[cell]])),
                "The last column contains '-', or brackets such as (1, 1), (1) or (1|(2).",
            )
            for cell in np.flatnonzero(wrong)[:MOST_PROBLEMS].tolist()
        ]
        raise with_others(problems)
    return malformed


def _without_ragged(
    source: Source,
    cells: BracketCells,
    words: Strings,
    narrow: BoolArray,
    ragged: BoolArray,
    lines: IntArray,
) -> tuple[BracketCells, Strings, str]:
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
        f"{source.where(first)}: {number} line(s), starting here, have fewer columns than their "
        "neighbours; their coreference column is treated as empty"
    )
    return cells[~ragged], words, warning


def _has_repeats(start: IntArray, stop: IntArray) -> bool:
    """Whether two mentions are of the same tokens; they are in the order in which they open."""
    same = start[1:] == start[:-1]
    together = np.flatnonzero(np.append(same, False) | np.append(False, same))
    spans = np.sort(start[together] * (int(stop.max(initial=0)) + 1) + stop[together])
    return bool((spans[1:] == spans[:-1]).any())


def read_columns(
    source: Source, layout: Layout, layers: frozenset[str] | None, block_size: int = BLOCK
) -> Corpus:
    """As :func:`read`, for any format whose last column has brackets."""
    known = frozenset(layout.layers)
    wanted = known if layers is None else layers & known
    names = BEGIN.search(source.head()) is None
    blocks: list[ColumnRows] = []
    line = 1
    for block in line_blocks(source, block_size):
        check_text(block, source, line)
        block = without_returns(block)
        grid = lay_out(block)
        check_lines(block, grid.line_stops, source, line)
        blocks.append(rows_of(block, grid, line, layout, wanted, names=names))
        line += len(grid.line_stops)
    begun = any(mark.name is not None for rows in blocks for mark in rows.marks)
    if not begun and not any(len(rows.lines) for rows in blocks):
        raise FormatError(
            "the file is empty" if line == 1 else "the file has no documents and no tokens",
            source.where(),
            "Check that this is the right file.",
        )
    corpus = assemble(source, blocks, layout)
    if not source.part and not any(len(rows.marked) for rows in blocks):
        warning = f"{source.name}: no coreference brackets, so there are no mentions"
        corpus = replace(corpus, warnings=(*corpus.warnings, warning))
    return corpus
