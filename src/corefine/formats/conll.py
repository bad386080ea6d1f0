"""CoNLL-2011 and CoNLL-2012: one token per line, coreference brackets in the last column.

The smallest valid file::

    #begin document (x); part 000
    x 0 0 Anna  NNP * - - - - * (1)
    x 0 1 saw   VBD * - - - - * -
    x 0 2 her   PRP * - - - - * (2|(1)
    x 0 3 house NN  * - - - - * 2)

    #end document

Columns are separated by tabs or by blanks; the first token of a file decides. Any number of columns
is read: the word is the fourth, or the last but one of fewer than five.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from corefine.corpus.arrays import IntArray, Strings, by_first_appearance, codes_of_bytes, ranges
from corefine.corpus.columns import Entities, Mentions, Tokens
from corefine.corpus.corpus import Corpus
from corefine.corpus.document import without_empty_nodes
from corefine.errors import MOST_PROBLEMS, FormatError, with_others
from corefine.formats.io.bracket_columns import (
    CONTROL,
    NOT_IN_ID,
    begun_name,
    bracket_cells,
    canonical_name,
    document_mark,
    entity_labels,
    is_coreference_cell,
    layer_cells,
    unbalanced,
    written_document,
)
from corefine.formats.io.brackets import (
    BAR,
    OPEN,
    Cells,
    Runs,
    UnbalancedBracketError,
    find_runs,
    pair,
)
from corefine.formats.io.lines import line_blocks, shown
from corefine.formats.io.sources import HEAD, Source
from corefine.formats.io.token_rows import (
    HASH,
    DocumentLine,
    Grid,
    TokenRows,
    is_tabbed,
    joined,
    leaves_last_cells_empty,
    sentence_starts,
)
from corefine.formats.registry import BEGIN, DocumentMark, Format, register

BLOCK = 1 << 20
"""Bytes read at once: enough to make NumPy's calls cheap, few enough for the cache."""
LAYERS = {"pos": 4, "parse": 5, "lemma": 6, "speaker": 9, "ner": 10}
WORD, NUMBER = 3, 2
NARROWEST = 11
"""Columns of a line that has layers."""
PLACEHOLDERS = b"-_*"
"""Values of a cell that has none."""

_JUDGED = 1000
"""Tokens by which the columns of a file are judged."""
_MARKS = "Begin each document with a line '#begin document (name); part 000'."
_END = re.compile(rb"^#[ \t]*end[ \t]+document\b", re.IGNORECASE | re.MULTILINE)
_PART = re.compile(r"(.*); part ([1-9][0-9]{0,17})", re.DOTALL)
_PLACEHOLDER = np.zeros(256, bool)
_PLACEHOLDER[list(PLACEHOLDERS)] = True


@dataclass(frozen=True, slots=True)
class ConllRows(TokenRows):
    """Columns of a block of CoNLL lines."""

    counts: IntArray
    """Number of columns of each token."""
    cells: Cells
    samples: list[tuple[int, str, str]]
    """Line and first two columns of some tokens, to name the document of a file without marks."""
    blank: int | None
    """Line of the first word that is a blank."""
    layout: list[tuple[str, str, str]]
    """First and third column, and word, of some tokens."""


def read(source: Source, layers: frozenset[str] | None = None, block_size: int = BLOCK) -> Corpus:
    """Documents of a source.

    ``layers`` names the token layers to extract, by default all.
    """
    wanted = frozenset(LAYERS) if layers is None else layers
    head = source.head()
    tabbed, marked = is_tabbed(head), BEGIN.search(head) is not None
    last_empty = tabbed and leaves_last_cells_empty(source.head())
    blocks: list[ConllRows] = []
    line = 1
    for block in line_blocks(source, block_size):
        grid = Grid.read(block, source, line, tabbed, last_empty)
        blocks.append(_rows_of(grid, line, wanted, tabbed, marked))
        line += len(grid.line_stops)
    begun = any(mark.name is not None for rows in blocks for mark in rows.marks)
    if not begun and not any(len(rows.lines) for rows in blocks):
        raise source.error(
            "the file is empty" if line == 1 else "the file has no documents and no tokens",
            None,
            "Check that this is the right file.",
        )
    _check_layout(source, blocks)
    return _assemble(source, blocks)


def _rows_of(
    grid: Grid, first_line: int, layers: frozenset[str], tabbed: bool, marked: bool
) -> ConllRows:
    marks, comments = _marks_and_comments(grid, tabbed)
    is_token, ends = ~grid.empty, grid.empty
    is_token[comments] = False
    ends[[line for line, _ in marks]] = True
    lines = np.flatnonzero(is_token)
    first, last = grid.first[lines], grid.last[lines]
    counts = last - first + 1
    breaks = np.unique(np.searchsorted(lines, np.flatnonzero(ends)))
    mark_tokens = np.searchsorted(lines, np.array([line for line, _ in marks], np.int64))
    blank = np.zeros(0, np.int64) if tabbed else _blank_words(grid, first, counts, breaks)
    words = _words(grid, first, counts)
    if len(blank):
        words = _replaced(words, blank, " ")
        first, counts = first.copy(), counts.copy()
        first[blank] -= 1
        counts[blank] += 1
    return ConllRows(
        lines + first_line,
        words,
        {
            name: _column(grid, first, counts, place, NARROWEST)
            for name, place in LAYERS.items()
            if name in layers
        }
        if len(counts) and counts.max() >= NARROWEST
        else {},
        breaks,
        [
            DocumentLine(token, first_line + line, name)
            for token, (line, name) in zip(mark_tokens.tolist(), marks, strict=True)
        ],
        counts,
        _coreference_cells(grid, last),
        []
        if marked or not len(lines)
        else _samples(grid, first, counts, lines + first_line, breaks),
        int(lines[blank[0]]) + first_line if len(blank) else None,
        _layout(grid, first[:_JUDGED], counts[:_JUDGED], words[:_JUDGED]),
    )


def _layout(
    grid: Grid, first: IntArray, counts: IntArray, words: Strings
) -> list[tuple[str, str, str]]:
    """First and third column of tokens, empty if a line lacks them, and their words."""
    columns = [_column(grid, first, counts, place, 0).tolist() for place in (0, NUMBER)]
    return list(zip(*columns, words.tolist(), strict=True))


def _check_layout(source: Source, blocks: Sequence[ConllRows]) -> None:
    """Refuse a file with words in another column, in which more values differ."""
    rows = [row for block in blocks for row in block.layout][:_JUDGED]
    if not rows or 2 * sum(number.isdecimal() for _, number, _ in rows) > len(rows):
        return
    words = {word for _, _, word in rows}
    # A row of two columns has its word in the first one, and says nothing about the others.
    wider = [(first, word) for first, _, word in rows if first != word]
    first = {first for first, _ in wider}
    more_differ = len(first) > len({word for _, word in wider})
    words_first = more_differ and not all(map(str.isdecimal, first))
    if words_first or words <= set(PLACEHOLDERS.decode()):
        raise source.error(
            "the words are in another column",
            int(blocks[0].lines[0]) if len(blocks[0].lines) else None,
            "Columns are document, part, number in the sentence, word, and others, brackets last; "
            "or at most four, with the word before the brackets.",
        )


def _marks_and_comments(grid: Grid, tabbed: bool) -> tuple[list[tuple[int, str | None]], list[int]]:
    """Lines that begin or end a document, and all lines that start with # and are not tokens."""
    marks: list[tuple[int, str | None]] = []
    comments: list[int] = []
    lines = np.flatnonzero(grid.initial == HASH).tolist()
    contents = [grid.line(line) for line in lines]
    found = [document_mark(content.decode()) for content in contents]
    for line, content, mark in zip(lines, contents, found, strict=True):
        if mark:
            marks.append((line, mark[1] if mark[0] else None))
        if mark or not (tabbed and _is_token(content)):
            comments.append(line)
    return marks, comments


def _is_token(line: bytes) -> bool:
    """True if a line that starts with # is not a comment, but has a word such as #."""
    first, *others = line.split(b"\t")
    return bool(others) and b" " not in first and is_coreference_cell(others[-1].decode())


def _coreference_cells(grid: Grid, last: IntArray) -> Cells:
    """The last cells of lines that are not placeholders."""
    starts, stops = grid.bounds(last)
    plain = (stops - starts == 1) & _PLACEHOLDER[grid.block[starts]]
    marked = np.flatnonzero(~plain)
    lengths = stops[marked] - starts[marked] + 1
    text = grid.block[ranges(starts[marked], lengths)]
    text[np.cumsum(lengths) - 1] = BAR
    return Cells(text, lengths, marked)


def _words(grid: Grid, first: IntArray, counts: IntArray) -> Strings:
    """The column of words, or the last but one of a line that is too narrow for it."""
    narrow = counts < WORD + 2
    if not narrow.any():
        return grid.column(first + WORD)
    starts, stops = grid.bounds(first + np.where(narrow, np.maximum(counts - 2, 0), WORD))
    return Strings.cut(grid.block, starts, np.where(counts == 1, starts, stops))


def _column(grid: Grid, first: IntArray, counts: IntArray, column: int, narrowest: int) -> Strings:
    """A column; empty in lines with fewer columns than the narrowest."""
    present = (counts > column + 1) & (counts >= narrowest)
    if present.all():
        return grid.column(first + column)
    starts, stops = grid.bounds(first + np.where(present, column, 0))
    return Strings.cut(grid.block, starts, np.where(present, stops, starts))


def _blank_words(grid: Grid, first: IntArray, counts: IntArray, breaks: IntArray) -> IntArray:
    """Tokens whose word is a blank: lines with one column fewer than others of their sentence.

    Of the columns of the shared tasks only a word can be blank. The third column must be the number
    of the token and the fifth, in place of the sixth, a part of the parse tree.
    """
    if not len(counts) or counts.min() == counts.max():
        return np.zeros(0, np.int64)
    starts = np.union1d([0], breaks[breaks < len(counts)])
    widest = np.repeat(np.maximum.reduceat(counts, starts), np.diff(starts, append=len(counts)))
    base = np.repeat(starts, np.diff(starts, append=len(counts)))
    narrow = np.flatnonzero((counts == widest - 1) & (widest > NARROWEST))
    numbers, parses = (grid.column(first[narrow] + place).tolist() for place in (NUMBER, WORD + 1))
    expected = (narrow - base[narrow]).tolist()
    rows = zip(numbers, parses, expected, strict=True)
    found: IntArray = narrow[[number == str(at) and "*" in parse for number, parse, at in rows]]
    return found


def _replaced(column: Strings, rows: IntArray, value: str) -> Strings:
    """Column with another value in some rows."""
    source = np.arange(len(column))
    source[rows] = len(column)
    return Strings.concatenate([column, Strings.from_list([value])]).take(source)


def _samples(
    grid: Grid, first: IntArray, counts: IntArray, lines: IntArray, breaks: IntArray
) -> list[tuple[int, str, str]]:
    """Line and first two columns at both ends of sentences."""
    starts = np.union1d([0], breaks[breaks < len(lines)])
    tokens = np.stack([starts, np.append(starts[1:], len(lines)) - 1], axis=1).ravel()
    columns = [_column(grid, first[tokens], counts[tokens], place, 5) for place in (0, 1)]
    names, parts = [column.tolist() for column in columns]
    return list(zip(lines[tokens].tolist(), names, parts, strict=True))


def _assemble(source: Source, blocks: Sequence[ConllRows]) -> Corpus:
    """Corpus of all blocks; one document if no line begins one."""
    rows, bases = joined(blocks, PLACEHOLDERS)
    lines = rows.lines
    samples = [sample for block in blocks for sample in block.samples]
    names, offsets = _documents(source, rows.marks, lines, samples)
    warnings = []
    sentences = sentence_starts(rows.breaks, offsets)
    _check_widths(source, np.concatenate([block.counts for block in blocks]), sentences, lines)
    blank = next((block.blank for block in blocks if block.blank is not None), None)
    if blank is not None:
        warnings.append(f"{source.where(blank)}: lines without a word are read as blank words")
    cells = Cells.concatenate([block.cells for block in blocks], bases)
    if not len(cells.token) and not source.part:
        warnings.append(f"{source.name}: no coreference brackets, so there are no mentions")
    entities, mentions, ignored = _mentions(source, cells, names, offsets, lines)
    return Corpus(
        documents=tuple(names),
        entities=entities,
        mentions=mentions,
        tokens=Tokens(rows.words, offsets, sentences, rows.layers, lines=lines),
        sources=(source.name,) * len(names),
        format="conll",
        warnings=(*warnings, *ignored),
    )


def _documents(
    source: Source,
    marks: Sequence[DocumentLine],
    lines: IntArray,
    samples: Sequence[tuple[int, str, str]],
) -> tuple[list[str], IntArray]:
    """Names of the documents, the first token of each and the number of tokens."""
    begins = [mark for mark in marks if mark.name is not None]
    outside = [DocumentLine(0, 1, None), *marks] if begins else [m for m in marks if m.token]
    for mark, following in pairwise([*outside, DocumentLine(len(lines), 0, None)]):
        if mark.name is None and following.token > mark.token:
            where = source.where(int(lines[mark.token]))
            raise FormatError("a token outside a document", where, _MARKS)
    if not begins:
        return [_implied_name(source, samples)], np.array([0, len(lines)])
    offsets = np.array([*(mark.token for mark in begins), len(lines)])
    return [mark.name or "" for mark in begins], offsets


def _implied_name(source: Source, samples: Sequence[tuple[int, str, str]]) -> str:
    """Name of the only document of a file without marks: its first column, if that is constant.

    The first two columns may also be words or numbers. If they are a name and a number throughout
    each sentence, and the name changes, there are several documents.
    """
    named = all(name and not name.isdecimal() and part.isdecimal() for _, name, part in samples)
    starts, ends = samples[::2], samples[1::2]
    whole = all(one[1:] == other[1:] for one, other in zip(starts, ends, strict=True))
    numbered = len({part for _, _, part in samples}) == len(starts)
    for (_, before, _), (line, name, _) in pairwise(starts):
        if named and whole and not numbered and name != before:
            what = "the first column names another document than before"
            raise source.error(what, line, _MARKS)
    names = {name for _, name, _ in samples}
    if len(names) != 1 or "" in names:
        return source.stem
    parts = {part for _, _, part in samples}
    part = parts.pop() if len(parts) == 1 else ""
    return canonical_name(f"({names.pop()}); part {part}" if part.isdecimal() else names.pop())


def _check_widths(source: Source, counts: IntArray, sentences: IntArray, lines: IntArray) -> None:
    """Refuse lines that have more or fewer columns than others of their sentence.

    Between sentences the number may differ: files of 2012 have a column for each predicate.
    """
    if not len(counts):
        return
    uneven = np.minimum.reduceat(counts, sentences) != np.maximum.reduceat(counts, sentences)
    problems = []
    bounds = np.append(sentences, len(counts))
    for sentence in np.flatnonzero(uneven)[:MOST_PROBLEMS].tolist():
        start, stop = int(bounds[sentence]), int(bounds[sentence + 1])
        widths = counts[start:stop].tolist()
        usual = max(dict.fromkeys(widths), key=widths.count)
        at = next(row for row, width in enumerate(widths) if width != usual)
        problems.append(
            source.error(
                f"a line with {widths[at]} columns in a sentence with {usual}",
                int(lines[start + at]),
                "Every line of a sentence needs the same columns, separated as in the first line; "
                "write - in empty cells.",
            )
        )
    if problems:
        raise with_others(problems)


def _mentions(
    source: Source, cells: Cells, names: Sequence[str], offsets: IntArray, lines: IntArray
) -> tuple[Entities, Mentions, list[str]]:
    """Entities and mentions of all cells, and a warning about ids without brackets."""
    runs, malformed = find_runs(cells)
    if malformed:
        raise _malformed(source, cells, malformed, lines)
    document = np.searchsorted(offsets, runs.token, side="right") - 1
    codes = codes_of_bytes(cells.text, runs.start, runs.stop - runs.start)
    groups = document * (int(codes.max(initial=0)) + 1) + codes
    warnings: list[str] = []
    bare = np.flatnonzero(~(runs.opens | runs.closes))
    if len(bare):
        _check_bare(source, cells, runs, groups, lines)
        first = source.where(int(lines[runs.token[bare[0]]]))
        warnings = [f"{first}: {len(bare):,} ids without brackets inside mentions are ignored"]
        kept = np.flatnonzero(runs.opens | runs.closes)
        runs, document, groups = runs.take(kept), document[kept], groups[kept]
    try:
        opening, closing = pair(groups, runs.opens, runs.closes)
    except UnbalancedBracketError as error:
        problems = []
        for run in error.runs[:MOST_PROBLEMS]:
            label = shown(cells.text[runs.start[run] : runs.stop[run]])
            where = source.where(int(lines[runs.token[run]]))
            name = names[document[run]]
            problems.append(unbalanced(label, bool(runs.opens[run]), name, where, f"({label}"))
        raise with_others(problems) from None
    owner = document[opening]
    entity, first_of = by_first_appearance(groups[opening])
    named = opening[first_of]
    start, stop = runs.token[opening], runs.token[closing] + 1
    unbarred = np.flatnonzero((opening != closing) & (cells.text[runs.stop[opening]] == OPEN))
    if len(unbarred):
        first = source.where(int(lines[start[unbarred[0]]]))
        text = "brackets follow one another without |, as in (1(2: read as separate mentions"
        warnings.append(f"{first}: {text} (coval skips the first)")
    mentions = Mentions(owner, entity, start - offsets[owner], stop - offsets[owner])
    ids = Strings.cut(cells.text, runs.start[named], runs.stop[named])
    return Entities(owner[first_of], ids), mentions, warnings


def _malformed(
    source: Source, cells: Cells, malformed: Sequence[int], lines: IntArray
) -> FormatError:
    contents = cells.contents()
    return with_others(
        [
            source.error(
                f"malformed coreference cell {shown(contents[cell].decode())!r}",
                int(lines[cells.token[cell]]),
                "The last column contains '-', or brackets such as (1, 1), (1) or (1|(2).",
            )
            for cell in malformed[:MOST_PROBLEMS]
        ]
    )


def _check_bare(
    source: Source, cells: Cells, runs: Runs, groups: IntArray, lines: IntArray
) -> None:
    """Refuse ids without brackets, except inside a mention of their entity."""
    depth: dict[int, int] = {}
    columns = (groups.tolist(), runs.opens.tolist(), runs.closes.tolist())
    for run, (group, opens, closes) in enumerate(zip(*columns, strict=True)):
        if not opens and not closes and not depth.get(group):
            cell = int(np.searchsorted(cells.token, runs.token[run]))
            raise _malformed(source, cells, [cell], lines)
        depth[group] = depth.get(group, 0) + opens - closes


def detect(head: bytes, name: str) -> bool:
    """True if a document begins or ends in a line of its own, or by the cells of the last column.

    A file in which a document only ends is damaged; reading it gives the line.
    """
    if b"#" in head and (BEGIN.search(head) or _END.search(head)):
        return True
    usual = name.removesuffix(".gz").endswith(CONLL.suffixes)
    return _has_brackets(head, 1 if usual else 4, usual)


def is_meant(head: bytes, name: str) -> bool:
    """True if the last column has coreference brackets, whatever the others are."""
    return _has_brackets(head, 0, False)


def _has_brackets(head: bytes, columns: int, usual: bool) -> bool:
    """True if all lines end in coreference cells, and have more than this number of columns.

    One of them must have brackets, unless the file has a usual name.
    """
    lines = head.decode("utf-8", "replace").splitlines()
    if len(head) >= HEAD:
        lines.pop()
    rows = [line.split() for line in lines if line.strip() and line[:1] != "#"][:1000]
    return (
        bool(rows)
        and len(rows[0]) > columns
        and all(is_coreference_cell(cells[-1]) for cells in rows)
        and (usual or any(cells[-1] not in PLACEHOLDERS.decode() for cells in rows))
    )


def write(corpus: Corpus) -> Iterator[bytes]:
    """Content of a file, document by document.

    There are twelve columns, separated by tabs: ``document part number word pos parse lemma - -
    speaker ner coreference``. Unknown values are ``-``, or ``*`` for parse and ner.
    """
    labels = entity_labels(corpus, NOT_IN_ID)
    for document in map(without_empty_nodes, corpus):
        plain, part = name_and_part(document.name)
        label = re.sub(r"[\s\x00-\x1f]", "_", plain) or "-"
        columns = [layer_cells(document, name, "-") for name in ("pos", "lemma", "speaker")]
        columns += [layer_cells(document, name, "*") for name in ("parse", "ner")]
        cells = bracket_cells(document, labels(document), "-")
        first, number, rows = set(document.starts), 0, []
        for token, word in enumerate(document.tokens or ()):
            number = 0 if token in first else number
            pos, lemma, speaker, parse, ner = (column[token] for column in columns)
            form = CONTROL.sub(" ", word)
            rows.append(
                f"{label}\t{part}\t{number}\t{form}\t{pos}\t{parse}\t{lemma}\t-\t-\t{speaker}"
                f"\t{ner}\t{cells[token]}"
            )
            number += 1
        begin = f"#begin document ({CONTROL.sub(' ', plain)}); part {part:03d}"
        yield written_document(begin, rows, document, "#end document")


def name_and_part(name: str) -> tuple[str, int]:
    """Name of a document without its part, and the number of the part."""
    found = _PART.fullmatch(name)
    return (found.group(1), int(found.group(2))) if found else (name, 0)


CONLL = register(
    Format(
        name="conll",
        title="CoNLL-2011 and CoNLL-2012",
        suffixes=(".conll", "_conll", ".v4_gold_conll", ".v4_auto_conll"),
        detect=detect,
        read_columns=read,
        write=write,
        document_mark=DocumentMark(ord("#"), begun_name),
    )
)
