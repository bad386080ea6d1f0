"""Token lines and comments of CoNLL-U and CoNLL-U Plus: what its formats have in common."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from corefine.corpus.arrays import BoolArray, IntArray
from corefine.corpus.document import Document
from corefine.corpus.strings import Strings
from corefine.errors import FormatError
from corefine.formats.columns.token_rows import (
    BLANK,
    HASH,
    LONGEST_NUMBER,
    NEWLINE,
    DocumentLine,
    Grid,
    is_tabbed,
    whole_numbers,
)
from corefine.formats.input.lines import line_blocks, shown
from corefine.formats.input.sources import Source

BLOCK = 1 << 20
"""Bytes read at once: enough to make NumPy's calls cheap, few enough for the cache."""
COLUMNS = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
LAYERS = {
    "lemma": "LEMMA",
    "upos": "UPOS",
    "pos": "XPOS",
    "feats": "FEATS",
    "head": "HEAD",
    "deprel": "DEPREL",
    "deps": "DEPS",
}
"""Token layers and their columns."""
MOST_NODES = 999
"""Highest number of an empty node after its word."""
_RANGE = re.compile(rb"[0-9]+-[0-9]+")
_EMPTY_NODE = re.compile(rb"([0-9]{1,9})\.0*([1-9][0-9]{0,8})")
_SENTENCE = b"# sent_id = "


def comment_of(line: bytes) -> tuple[str, str]:
    """Name and value of a comment.

    >>> comment_of(b"# newdoc  id = a b")
    ('newdoc id', 'a b')
    """
    name, _, value = line[1:].decode("utf-8", "replace").partition("=")
    return " ".join(name.split()), value.strip(" \t\r")


def begun_name(line: bytes) -> str | None:
    """Name of the document that a line begins, empty if it has none; None for other lines."""
    if not line.startswith(b"#"):
        return None
    name, value = comment_of(line)
    return value if name in ("newdoc", "newdoc id") else None


class Comment(NamedTuple):
    """A comment, and the token that follows it."""

    token: int
    line: int
    name: str
    value: str


@dataclass(frozen=True, slots=True)
class TokenLines:
    """The tokens of a block of lines, without those of multiword tokens."""

    grid: Grid
    lines: IntArray
    """Line of each token in the file."""
    first: IntArray
    """First cell of each token."""
    last: IntArray
    """Last cell of each token."""
    ids: IntArray
    """Number of each word, or of the word before an empty node."""
    nodes: IntArray
    """Number of each empty node after its word; 0 for words."""
    breaks: IntArray
    """Tokens that follow an empty line."""
    marks: list[DocumentLine]
    comments: list[Comment]
    multiword: IntArray
    """Lines of the block that are multiword tokens."""

    def __len__(self) -> int:
        return len(self.lines)

    def bounds(self, column: int) -> tuple[IntArray, IntArray]:
        return self.grid.bounds(self.first + column)

    def column(self, column: int) -> Strings:
        return Strings.cut(self.grid.block, *self.bounds(column))

    def cells(self, column: int | None) -> list[str]:
        """Cells of a column; ``_`` if the file or the line lacks it."""
        cells = ["_"] * len(self)
        if column is not None:
            rows = np.flatnonzero(self.first + column <= self.last)
            for row, cell in zip(rows.tolist(), self.texts(column, rows), strict=True):
                cells[row] = cell
        return cells

    def texts(self, column: int, rows: IntArray) -> list[str]:
        """Cells of a column in some rows."""
        return self.grid.column(self.first[rows] + column).tolist()


class LineReader:
    """Reads blocks of lines, and checks the numbers of words.

    Words are numbered from 1 in each sentence or, if not ``strict``, in any way. Columns are
    separated by tabs or, if not ``strict``, as in the first line. Lines may lack columns after
    ``required``, by default none.
    """

    def __init__(
        self,
        source: Source,
        columns: Mapping[str, int],
        *,
        strict: bool = True,
        required: int | None = None,
    ) -> None:
        self.source = source
        self.columns = columns
        self.required = len(columns) if required is None else required
        self._strict = strict
        self._tabbed = strict or is_tabbed(source.head())
        self._line = 1
        self._word = self._node = 0
        """Numbers of the last word and empty node of a sentence that continues."""

    def blocks(self, size: int = BLOCK) -> Iterator[TokenLines]:
        """Tokens of one block of lines after another; each is valid until the next is read."""
        for block in line_blocks(self.source, size):
            grid = Grid.read(block, self.source, self._line, self._tabbed)
            yield self._tokens(grid)
            self._line += len(grid.line_stops)
        if self._line == 1:
            raise FormatError(
                "the file is empty", self.source.where(), "Check that this is the right file."
            )

    def refuse(self, message: str, line: int, remedy: str) -> FormatError:
        return FormatError(message, self.source.where(self._line + line), remedy)

    def _tokens(self, grid: Grid) -> TokenLines:
        is_token = grid.initial - ord("0") <= 9
        others = ~is_token & (grid.initial != NEWLINE) & (grid.initial != HASH)
        if others.any():
            line = int(np.argmax(others))
            start = shown(grid.line(line).decode().split("\t")[0])
            raise self.refuse(
                f"a line that is not a token, a comment or empty: it starts with {start!r}",
                line,
                "Token lines start with an id, comments with #.",
            )
        lines = np.flatnonzero(is_token)
        counts = grid.last[lines] - grid.first[lines] + 1
        wrong = (counts > len(self.columns)) | (counts < self.required)
        if wrong.any():
            count = int(counts[np.argmax(wrong)])
            raise self.refuse(
                f"{count} column{'' if count == 1 else 's'} instead of {len(self.columns)}",
                int(lines[np.argmax(wrong)]),
                "Every line needs all columns, separated by tabs, with _ for missing values.",
            )
        ids, nodes, is_range = self._ids(grid, lines)
        multiword = lines[is_range]
        if len(multiword):
            is_token[multiword] = False
            kept = np.flatnonzero(~is_range)
            ids, nodes, lines = ids[kept], nodes[kept], lines[kept]
        following: IntArray = np.cumsum(is_token) - is_token
        marks, comments = self._comments(grid, following)
        breaks = following[grid.empty]
        opens = np.zeros(len(lines) + 1, bool)
        opens[breaks] = True
        opens[[mark.token for mark in marks]] = True
        if self._strict:
            self._check_order(ids, nodes, opens, lines)
        return TokenLines(
            grid,
            lines + self._line,
            grid.first[lines],
            grid.last[lines],
            ids,
            nodes,
            breaks,
            marks,
            comments,
            multiword,
        )

    def _ids(self, grid: Grid, lines: IntArray) -> tuple[IntArray, IntArray, BoolArray]:
        """Numbers of words, those of empty nodes after their words, and which are ranges."""
        starts, stops = grid.bounds(grid.first[lines] + self.columns["ID"])
        ids = whole_numbers(grid.block, starts, stops)
        nodes = np.zeros(len(ids), np.int64)
        is_range = np.zeros(len(ids), bool)
        for row in np.flatnonzero(ids < 0).tolist():
            content = grid.block[starts[row] : stops[row]].tobytes()
            if found := _EMPTY_NODE.fullmatch(content):
                ids[row], nodes[row] = map(int, found.groups())
            elif _RANGE.fullmatch(content):
                is_range[row] = True
            else:
                raise self.refuse(
                    f"{shown(content.decode())!r} is not a token id",
                    int(lines[row]),
                    "Ids are 1, 2, … for words, 1-2 for multiword tokens, 1.1 for empty nodes.",
                )
        return ids, nodes, is_range

    def _check_order(
        self, ids: IntArray, nodes: IntArray, opens: BoolArray, lines: IntArray
    ) -> None:
        """Refuse ids that do not count from 1 in each sentence."""
        count = len(ids)
        words = np.concatenate([[0], np.cumsum(nodes == 0)])
        first = np.maximum.accumulate(np.where(opens, np.arange(count + 1), -1))
        before = np.where(first < 0, -self._word, words[first])
        expected = words[1:] - before[:-1]
        wrong = ids != expected
        if wrong.any():
            at = int(np.argmax(wrong))
            what = f"empty node {ids[at]}.…" if nodes[at] else f"word {ids[at]}"
            last = int(expected[at]) - (not nodes[at])
            raise self.refuse(
                f"{what} follows word {last}" if last else f"{what} opens a sentence",
                int(lines[at]),
                "Words are numbered 1, 2, … in each sentence, and empty node 2.1 follows word "
                "2; sentences are separated by an empty line.",
            )
        if not nodes.any():
            self._node = self._node if count == 0 and not opens[0] else 0
        else:
            self._check_nodes(nodes, opens, lines)
        self._word = int(words[-1] - before[-1])

    def _check_nodes(self, nodes: IntArray, opens: BoolArray, lines: IntArray) -> None:
        """Refuse numbers of empty nodes that do not rise."""
        before = np.concatenate([[self._node], nodes])
        before[opens] = 0
        wrong = (nodes > 0) & ((nodes <= before[:-1]) | (nodes > MOST_NODES))
        if wrong.any():
            at = int(np.argmax(wrong))
            after = f" follows ….{before[at]}" if before[at] else ""
            raise self.refuse(
                f"empty node ….{nodes[at]}{after}",
                int(lines[at]),
                "Empty nodes after word 2 are numbered 2.1, 2.2, …",
            )
        self._node = int(before[-1])

    def _comments(
        self, grid: Grid, following: IntArray
    ) -> tuple[list[DocumentLine], list[Comment]]:
        """Lines that begin documents, and comments on documents and sentences."""
        marks: list[DocumentLine] = []
        comments: list[Comment] = []
        content = grid.block.tobytes()
        rows = np.flatnonzero(grid.initial == HASH)
        starts = grid.line_starts[rows]
        # Most comments repeat the text of their sentence.
        is_text = grid.block[starts + 1] == BLANK
        is_text[is_text] = grid.block[starts[is_text] + 2] == ord("t")
        rows = rows[~is_text]
        columns = (rows, grid.line_starts[rows], grid.line_stops[rows], following[rows])
        for row, start, stop, token in zip(*(c.tolist() for c in columns), strict=True):
            line = self._line + row
            if content.startswith(_SENTENCE, start):
                value = content[start + len(_SENTENCE) : stop].decode().strip(" \t")
                comments.append(Comment(token, line, "sent_id", value))
                continue
            name, value = comment_of(content[start:stop])
            if name in ("newdoc", "newdoc id"):
                marks.append(DocumentLine(token, line, value or None))
            elif name[:6].lower() == "newdoc" and not name[6:7].isalpha():
                raise FormatError(
                    f"{shown(content[start:stop].decode())!r} does not begin a document",
                    self.source.where(line),
                    "Write '# newdoc id = name'.",
                )
            else:
                comments.append(Comment(token, line, name, value))
        return marks, comments


def is_number(text: str) -> bool:
    """True for a whole number that is not too long.

    >>> [is_number(text) for text in ("12", "", "x", "1" * 5000)]
    [True, False, False, False]
    """
    return len(text) <= LONGEST_NUMBER and text.isascii() and text.isdecimal()


def document_names(source: Source, marks: list[DocumentLine], lines: IntArray) -> list[str]:
    """Names of the documents that lines begin; those without an id are numbered.

    The only document of a file is named after the file.
    """
    if not marks:
        return [source.stem]
    if marks[0].token:
        raise FormatError(
            "a token outside a document",
            source.where(int(lines[0])),
            "Add '# newdoc id = name' before it.",
        )
    names = []
    unnamed = 0
    for mark in marks:
        unnamed += mark.name is None
        names.append(mark.name or (source.stem if len(marks) == 1 else str(unnamed)))
    return names


def documents_of(
    reader: LineReader, layers: Mapping[str, str], wanted: Sequence[str]
) -> Iterator[tuple[Document, dict[str, dict[int, str]]]]:
    """Documents of a file with their words and layers, and the cells of other columns by token.

    The column HEAD counts words as the column ID does; the layer ``head`` counts those of the
    sentence. Comments on sentences become the layers ``sent_id`` and ``speaker``.
    """
    columns: dict[str, list[str]] = {name: [] for name in ("FORM", *layers.values(), *wanted)}
    lines: list[int] = []
    ids: list[int] = []
    nodes: list[int] = []
    opens: set[int] = set()
    marks: list[DocumentLine] = []
    comments: dict[int, dict[str, str]] = {}
    for block in reader.blocks():
        base = len(lines)
        lines += block.lines.tolist()
        ids += block.ids.tolist()
        nodes += block.nodes.tolist()
        opens.update((block.breaks + base).tolist())
        for name, column in columns.items():
            column += block.cells(reader.columns.get(name))
        marks += [DocumentLine(one.token + base, one.line, one.name) for one in block.marks]
        for one in block.comments:
            comments.setdefault(one.token + base, {})[one.name] = one.value
    if not lines and not marks:
        raise FormatError(
            "the file has no documents", reader.source.where(), "Check that this is the right file."
        )
    names = document_names(reader.source, marks, np.array(lines, np.int64))
    starts = [mark.token for mark in marks] or [0]
    for name, start, stop in zip(names, starts, [*starts[1:], len(lines)], strict=True):
        sentences = sorted({start, *(token for token in opens if start < token < stop)})
        document = Document(
            name,
            columns["FORM"][start:stop],
            sentences=[token - start for token in sentences] if stop > start else [],
            empty_nodes=[row for row in range(stop - start) if nodes[start + row]],
            lines=lines[start:stop],
        )
        for layer, place in layers.items():
            document.layers[layer] = columns[place][start:stop]
        document.layers |= _sentence_layers(sentences, start, stop, comments)
        if "head" in document.layers:
            heads = document.layers["head"]
            for first, behind in zip(sentences, [*sentences[1:], stop], strict=True):
                before = ids[first] - (nodes[first] == 0) if first < stop else 0
                for row in range(first - start, behind - start):
                    if before and is_number(heads[row]) and int(heads[row]):
                        heads[row] = str(max(int(heads[row]) - before, 0))
        if any(after - node > 1 for node, after in pairwise([0, *nodes[start:stop]])):
            numbers = nodes[start:stop]
            document.layers["node"] = [str(number) if number else "" for number in numbers]
        document.layers = {
            layer: values
            for layer, values in document.layers.items()
            if not {"", "_"}.issuperset(values)
        }
        yield (
            document,
            {
                column: {
                    row: cell
                    for row, cell in enumerate(columns[column][start:stop])
                    if cell not in ("", "_")
                }
                for column in wanted
            },
        )


def _sentence_layers(
    sentences: Sequence[int], start: int, stop: int, comments: Mapping[int, Mapping[str, str]]
) -> dict[str, list[str]]:
    """Ids of sentences at their first tokens, and their speakers at all tokens."""
    ids, speakers = [""] * (stop - start), ["_"] * (stop - start)
    for first, behind in zip(sentences, [*sentences[1:], stop], strict=True):
        found = comments.get(first, {})
        if first < stop:
            ids[first - start] = found.get("sent_id", "")
        speaker = found.get("speaker_id") or found.get("speaker") or "_"
        speakers[first - start : behind - start] = [speaker] * (behind - first)
    return {"sent_id": ids, "speaker": speakers}
