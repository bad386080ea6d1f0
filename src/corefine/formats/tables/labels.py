"""Labels: a table with a row for each mention, as CSV or TSV, and the entity that it belongs to.

The smallest valid file::

    document,mention,entity
    d1,m1,Anna
    d1,m2,Anna

For cross-document coreference and entity resolution: a mention is a name, there is no text. The
columns may stand in any order, beside others; ``document`` may be missing (then everything is one
document), and so may ``mention`` (then a mention is its row). A column ``topic`` groups documents.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import NoReturn

import numpy as np

from corefine.corpus.arrays import BoolArray, ByteArray, IntArray
from corefine.corpus.corpus import Corpus
from corefine.corpus.strings import Strings, numbered_bytes
from corefine.errors import FormatError
from corefine.formats.input.lines import check_text, line_blocks
from corefine.formats.input.sources import Source
from corefine.formats.registry import Capabilities, Format, register
from corefine.formats.tables.label_columns import (
    COLUMNS,
    Coded,
    LabelColumns,
    corpus_from_columns,
    find_columns,
    rows_with,
)

DELIMITERS = b"\t,;"
BLOCK = 1 << 20
ROWS = 1 << 14
"""Rows with quoted cells that are taken at a time."""
_QUOTE, _NEWLINE, _RETURN = 34, 10, 13
_LONGEST_REPEATED = 64
"""Bytes of cells that are compared with those above them."""
_KEPT = np.array([(1 << 8 * count) - 1 for count in range(9)], np.uint64)
"""For so many bytes of eight: the bits that are theirs."""


def read(source: Source, layers: frozenset[str] | None) -> Corpus:
    """The corpus of a table; rows of a document need not stand together, so it is one corpus."""
    header, delimiter, rows_from = _header(source)
    wanted = find_columns(header, source)
    coded: dict[str, list[Coded]] = {name: [] for name in wanted if name != "mention"}
    mentions: list[Strings] = []
    lines: list[IntArray] = []
    line = 1
    blocks = line_blocks(source, BLOCK)
    for block in blocks:
        if (block == _QUOTE).any():
            # Quoted cells may hold delimiters and newlines: from here on, cell by cell.
            quoted = _quoted_rows(chain([block], blocks), chr(delimiter), len(header), source, line)
            for numbers, batch in _batches(row for row in quoted if row[0] >= rows_from):
                lines.append(np.array(numbers, np.int64))
                for name, column in wanted.items():
                    cells = Strings.from_list(row[column] for row in batch)
                    if name == "mention":
                        mentions.append(cells)
                    else:
                        coded[name].append(Coded.of(cells))
            break
        check_text(block, source, line)
        _refuse_returns(block, source, line)
        starts, stops, at = _cells(block, delimiter, len(header), source, line)
        rows = slice(1 if line == 1 else 0, None)
        lines.append(at[rows])
        for name, column in wanted.items():
            first, last = starts[rows, column], stops[rows, column]
            if name == "mention":
                mentions.append(Strings.cut(block, first, last))
            else:
                coded[name].append(_coded(block, first, last))
        line += int(np.count_nonzero(block == _NEWLINE))
    whole = {
        name: Coded.concatenate(parts or [Coded.of(Strings.from_list([]))])
        for name, parts in coded.items()
    }
    mention = Strings.concatenate(mentions) if "mention" in wanted else None
    at = np.concatenate(lines) if lines else np.zeros(0, np.int64)
    if mention is not None:
        called = header[wanted["entity"]], header[wanted["mention"]]
        again = _header_again(whole["entity"], mention, *called)
        if len(again):
            raise FormatError(
                "the header occurs again",
                source.where(int(at[again[0]])),
                "Leave the header in the first row alone; keep the tables of two systems apart.",
            )
    return corpus_from_columns(
        LabelColumns(mention=mention, **whole), lambda row: source.where(int(at[row])), source
    )


def _header_again(entity: Coded, mention: Strings, label: str, name: str) -> IntArray:
    """The rows that say what the header says, as in two tables, one behind the other."""
    rows = rows_with(mention, name)
    return rows[np.isin(entity.codes[rows], rows_with(entity.distinct, label))]


def _refuse_returns(block: ByteArray, source: Source, first_line: int) -> None:
    """Refuse carriage returns that do not stand before a newline: they end rows for some."""
    returns = np.flatnonzero(block == _RETURN)
    alone = returns[block[np.minimum(returns + 1, len(block) - 1)] != _NEWLINE]
    if len(alone):
        _refuse_return(source, first_line + int(np.count_nonzero(block[: alone[0]] == _NEWLINE)))


def _refuse_return(source: Source, line: int) -> NoReturn:
    raise FormatError(
        "a carriage return without a newline",
        source.where(line),
        "Convert the line endings to newlines; quote cells that contain one.",
    )


def _coded(block: ByteArray, starts: IntArray, stops: IntArray) -> Coded:
    """A column of one block: only its distinct cells are copied out of it."""
    lengths = stops - starts
    if not 8 < int(lengths.max(initial=0)) <= _LONGEST_REPEATED:
        first, codes = numbered_bytes(block, starts, lengths)
        return Coded(Strings.cut(block, starts[first], stops[first]), codes)
    # Rows of a document mostly stand together: what equals the cell above it needs no number.
    new = _is_new(block, starts, lengths)
    heads = np.flatnonzero(new)
    first, codes = numbered_bytes(block, starts[heads], lengths[heads])
    first = heads[first]
    return Coded(Strings.cut(block, starts[first], stops[first]), codes[np.cumsum(new) - 1])


def _is_new(block: ByteArray, starts: IntArray, lengths: IntArray) -> BoolArray:
    """Which cells differ from the one above them: eight bytes are compared at once."""
    padded = np.concatenate([block, np.zeros(8, np.uint8)])
    eights = np.ndarray((len(block) + 1,), np.dtype("<u8"), padded, strides=(1,))
    new = np.ones(len(starts), bool)
    new[1:] = lengths[1:] != lengths[:-1]
    kept = _KEPT[np.minimum(lengths, 8)] if int(lengths.min()) < 8 else None
    last = np.maximum(lengths - 8, 0)
    for place in range(0, int(lengths.max()), 8):
        # The last eight bytes may have been looked at in part: no byte behind a cell may decide.
        words = eights[starts + np.minimum(last, place)]
        if kept is not None:
            words &= kept
        new[1:] |= words[1:] != words[:-1]
    return new


def _header(source: Source) -> tuple[list[str], int, int]:
    """The names of the columns, the byte between them, and the line where rows begin."""
    head = source.head().removeprefix(b"\xef\xbb\xbf")
    lines = head.split(b"\n")
    found: list[tuple[bool, int, list[str], int, int]] = []
    problems: list[csv.Error] = []
    for delimiter in DELIMITERS:
        rows = csv.reader(_decoded(lines, source), delimiter=chr(delimiter), strict=True)
        try:
            names = next(rows, [])
        except csv.Error as error:
            problems.append(error)
            continue
        told = {name.strip().lower() for name in names}
        known = len(names) > 1 and bool(told & set(COLUMNS["entity"]))
        found.append((known, len(names), names, delimiter, rows.line_num + 1))
    if not found:
        _refuse_table(problems[0], source, 1)
    _, _, names, delimiter, line = max(found, key=lambda each: each[:2])
    return names, delimiter, line


def _decoded(lines: Iterable[bytes], source: Source, first: int = 1) -> Iterator[str]:
    """Lines as strings that end in a newline."""
    for number, line in enumerate(lines, start=first):
        try:
            yield line.decode("utf-8") + "\n"
        except UnicodeDecodeError:
            raise FormatError(
                "invalid UTF-8", source.where(number), "Convert the file to UTF-8."
            ) from None


def _refuse_table(error: csv.Error, source: Source, line: int) -> NoReturn:
    if "new-line character" in str(error):
        _refuse_return(source, line)
    raise FormatError(
        f"not a table: {error}",
        source.where(line),
        f"Check its quotes; a quoted cell can have up to {csv.field_size_limit():,} characters.",
    ) from None


def _cells(
    block: ByteArray, delimiter: int, width: int, source: Source, first_line: int
) -> tuple[IntArray, IntArray, IntArray]:
    """Where the cells of each row start and stop, and its line; blank lines are left out."""
    ends = np.flatnonzero((block == delimiter) | (block == _NEWLINE))
    newline = np.flatnonzero(block[ends] == _NEWLINE)
    counts = np.diff(newline, prepend=-1)
    lines = first_line + np.arange(len(counts))
    if width == 1 or (counts != width).any():
        starts_of_lines = np.concatenate([[0], ends[newline][:-1] + 1])
        blank = (counts == 1) & _is_blank(block, starts_of_lines, ends[newline])
        wrong = np.flatnonzero((counts != width) & ~blank)
        if len(wrong):
            raise FormatError(
                f"{counts[wrong[0]]} cells where the header has {width}",
                source.where(first_line + int(wrong[0])),
                "Every row needs all columns; quote cells that contain the delimiter.",
            )
        # Only blank lines of a wide table are shorter: leave them out and lay the rest in rows.
        keep = np.repeat(~blank, counts)
        lines = lines[~blank]
        starts = np.concatenate([[0], ends[:-1] + 1])[keep].reshape(-1, width)
        stops = ends[keep].reshape(-1, width).copy()
    else:
        starts = np.concatenate([[0], ends[:-1] + 1]).reshape(-1, width)
        stops = ends.reshape(-1, width).copy()
    last = stops[:, -1]
    last -= (last > starts[:, -1]) & (block[np.maximum(last - 1, 0)] == _RETURN)
    return starts, stops, lines


def _is_blank(block: ByteArray, starts: IntArray, stops: IntArray) -> BoolArray:
    length = stops - starts
    blank: BoolArray = (length == 0) | (
        (length == 1) & (block[np.minimum(starts, len(block) - 1)] == _RETURN)
    )
    return blank


def _quoted_rows(
    blocks: Iterable[ByteArray], delimiter: str, width: int, source: Source, first_line: int
) -> Iterator[tuple[int, list[str]]]:
    """Rows of which some have quoted cells, one by one, each with the line that it begins."""

    def lines() -> Iterator[str]:
        number = first_line
        for block in blocks:
            check_text(block, source, number)
            split = block.tobytes().split(b"\n")[:-1]
            yield from _decoded(split, source, number)
            number += len(split)

    rows = csv.reader(lines(), delimiter=delimiter, strict=True)
    behind = first_line
    try:
        for row in rows:
            line, behind = behind, first_line + rows.line_num
            if not row:
                continue
            if len(row) != width:
                raise FormatError(
                    f"{len(row)} cells where the header has {width}",
                    source.where(line),
                    "Every row needs all columns; quote cells that contain the delimiter.",
                )
            yield line, row
    except csv.Error as error:
        _refuse_table(error, source, behind)


def _batches(
    rows: Iterable[tuple[int, list[str]]],
) -> Iterator[tuple[tuple[int, ...], tuple[list[str], ...]]]:
    """Lines and rows, some at a time: as objects they take ten times the room of columns."""
    rows = iter(rows)
    while some := list(islice(rows, ROWS)):
        at, cells = zip(*some, strict=True)
        yield at, cells


def sniff(head: bytes, name: str) -> float:
    """Sure where the first row names a column of mentions and one of entities."""
    rows = head.removeprefix(b"\xef\xbb\xbf")
    end = re.match(rb'(?:[^"\r\n]|"[^"]*")*', rows)
    for row in {rows.split(b"\n", 1)[0].split(b"\r", 1)[0], end[0] if end else b""}:
        for delimiter in DELIMITERS:
            cells = {
                cell.strip(b" \"'").lower().decode("latin-1")
                for cell in row.split(bytes([delimiter]))
            }
            if len(cells) > 1 and all(cells & set(COLUMNS[name]) for name in ("mention", "entity")):
                return 0.8
    return 0.0


def write(corpus: Corpus) -> Iterable[bytes]:
    """Rows of document, mention and entity (and topic), as CSV."""
    stream = io.StringIO()
    plain = csv.writer(stream, lineterminator="\n")
    quoted = csv.writer(stream, lineterminator="\n", quoting=csv.QUOTE_ALL)
    names = corpus.entities.names
    plain.writerow(["document", "mention", "entity", *(["topic"] if corpus.topics else [])])
    for index, (document, entity) in enumerate(
        zip(corpus.mentions.document.tolist(), corpus.mentions.entity.tolist(), strict=True)
    ):
        label = str(entity) if names is None else names[entity]
        topic = [corpus.topics[document]] if corpus.topics else []
        row = [corpus.documents[document], str(corpus.mention_id(index)), label, *topic]
        # A carriage return ends a row for those who read CSV, but is not quoted by itself.
        (quoted if any("\r" in cell for cell in row) else plain).writerow(row)
        if stream.tell() > BLOCK:
            yield stream.getvalue().encode("utf-8")
            stream.seek(0)
            stream.truncate()
    yield stream.getvalue().encode("utf-8")


LABELS = register(
    Format(
        name="labels",
        title="Labels: document, mention, entity",
        suffixes=(".csv", ".tsv"),
        sniff=sniff,
        read_columns=read,
        capabilities=Capabilities(text=False, names=True, topics=True),
        write=write,
        documentation="docs/formats/labels.md",
    )
)
