"""Token lines and comments of CoNLL-U and CoNLL-U Plus: read as columns, and written."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from corefine.corpus.arrays import BoolArray, IntArray, Strings, offsets_of
from corefine.corpus.columns import Tokens
from corefine.corpus.corpus import Corpus
from corefine.corpus.document import Document
from corefine.formats.io.lines import shown
from corefine.formats.io.sources import Source
from corefine.formats.io.token_rows import (
    BLANK,
    BLOCK,
    HASH,
    LONGEST_NUMBER,
    NEWLINE,
    Comment,
    Grid,
    TokenRows,
    grids,
    has_values,
    is_tabbed,
    sentence_starts,
    whole_numbers,
)

COLUMNS = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
PLACES = {name: place for place, name in enumerate(COLUMNS)}
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
NEWDOC = ("newdoc", "newdoc id")
"""Names of comments that begin a document."""
_MISSPELLED = re.compile(r"newdoc(?![^\W\d_])", re.IGNORECASE)
MOST_NODES = 999
"""Highest number of an empty node after its word."""
_RANGE = re.compile(rb"[0-9]+-[0-9]+")
_EMPTY_NODE = re.compile(rb"([0-9]{1,9})\.0*([1-9][0-9]{0,8})")
_BREAKS = re.compile(r"[\x00\t\n\r]")
_ENTITY = re.compile(r"(?:^|\|)Entity=")
_SENTENCE = b"# sent_id = "
_WHITE = "".join(map(chr, range(33)))
"""Blanks and control characters, which no value of a comment begins or ends with."""
_REMEDY = (
    "A line is empty, a comment with #, or a token with all columns, separated by tabs. Ids are 1, "
    "2, … for the words of a sentence, 1-2 for multiword tokens and 2.1, 2.2, … for empty nodes "
    "after word 2; '# newdoc id = name' begins a document."
)


def comment_of(line: bytes) -> tuple[str, str]:
    """Name and value of a comment.

    >>> comment_of(b"# newdoc  id = a b")
    ('newdoc id', 'a b')
    """
    name, _, value = line[1:].partition(b"=")
    known = b" ".join(name.split()).decode("utf-8", "replace")
    return known, value.decode("utf-8", "replace").strip(_WHITE)


def mark_of(line: bytes) -> tuple[str, str] | None:
    """Name and value of a comment that begins a document; None for other lines."""
    comment = comment_of(line) if line.startswith(b"#") else ("", "")
    return comment if comment[0] in NEWDOC else None


def begun_name(line: bytes) -> str | None:
    """Name of the document that a line begins, empty if it has none; None for other lines."""
    mark = mark_of(line)
    return None if mark is None else mark[1]


@dataclass(slots=True)
class LineReader:
    """Reads blocks of lines that begin with the number of a word, and checks these numbers."""

    source: Source
    columns: Mapping[str, int]
    """Places of columns by name; -1 is the last one of any number of columns."""
    required: int
    """Number of columns that a line has at least."""
    ordered: bool = True
    """True if words are numbered from 1 in each sentence, and not in any way."""
    tabbed: bool = True
    remedy: str = _REMEDY
    misplaced: re.Pattern[str] = _ENTITY
    """Found in the last column of a multiword token that is refused."""
    mark: Callable[[bytes], tuple[str, str] | None] = mark_of
    """Name and value of a comment that begins or ends a document; None for other comments."""
    marks: Sequence[str] = NEWDOC
    """Names of the comments that begin or end documents."""
    line: int = 1
    """First line of the block."""
    word: int = 0
    """Number of the last word of a sentence that continues."""
    node: int = 0
    """Number of its last empty node."""

    def read(self, layers: Mapping[str, int], block_size: int = BLOCK) -> TokenRows:
        """Columns of all lines; ``layers`` are the places of layers."""
        blocks = []
        for line, grid in grids(self.source, block_size, self.tabbed):
            self.line = line
            blocks.append(self._rows(grid, layers))
        if not blocks:
            raise self.source.error("the file is empty", None, self.remedy)
        return TokenRows.joined(blocks, missing=b"_")

    def _refuse(self, wrong: BoolArray, lines: IntArray, what: str) -> None:
        """Refuse the first of these lines that is wrong."""
        if wrong.any():
            line = int(lines[np.argmax(wrong)])
            raise self.source.error(what, self.line + line, self.remedy)

    def _rows(self, grid: Grid, layers: Mapping[str, int]) -> TokenRows:
        is_token = grid.initial - ord("0") <= 9
        others = ~is_token & (grid.initial != NEWLINE) & (grid.initial != HASH)
        self._refuse(others, np.arange(len(others)), "a line that is not a token")
        lines = np.flatnonzero(is_token)
        counts = grid.last[lines] - grid.first[lines] + 1
        fixed, widest = -1 not in self.columns.values(), len(self.columns)
        wrong = (counts < self.required) | (fixed & (counts > widest))
        amount = widest if fixed else f"at least {self.required}"
        self._refuse(wrong, lines, f"a line that does not have {amount} columns")
        ids, nodes, is_range = self._ids(grid, lines)
        if is_range.any():
            ranges = lines[is_range]
            cells = Strings.cut(grid.block, *grid.bounds(grid.last[ranges]))
            wrong = np.array([self.misplaced.search(cell) for cell in cells], bool)
            self._refuse(wrong, ranges, "a mention at a multiword token")
            is_token[ranges] = False
            ids, nodes, lines = ids[~is_range], nodes[~is_range], lines[~is_range]
        following: IntArray = np.cumsum(is_token) - is_token
        comments = self._comments(grid, following)
        breaks = following[grid.empty]
        if self.ordered:
            opens = np.zeros(len(lines) + 1, bool)
            opens[breaks] = True
            opens[[comment.token for comment in comments if comment.name in self.marks]] = True
            self._check_order(ids, nodes, opens, lines)
        columns = {}
        for name, place in layers.items():
            starts, stops = self._bounds(grid, lines, place)
            if (stops - starts != 1).any() or (grid.block[starts] != ord("_")).any():
                columns[name] = Strings.cut(grid.block, starts, stops)
        words = Strings.cut(grid.block, *self._bounds(grid, lines, self.columns["FORM"]))
        lines += self.line
        return TokenRows(lines, words, columns, breaks, comments, nodes)

    def _bounds(self, grid: Grid, lines: IntArray, column: int) -> tuple[IntArray, IntArray]:
        """Start and stop of the cells of a column; empty in lines that lack it."""
        if column < 0:
            return grid.bounds(grid.last[lines])
        cells, last = grid.first[lines] + column, grid.last[lines]
        lacking = cells > last - (-1 in self.columns.values())
        if not lacking.any():
            return grid.bounds(cells)
        starts, stops = grid.bounds(np.minimum(cells, last))
        return starts, np.where(lacking, starts, stops)

    def _ids(self, grid: Grid, lines: IntArray) -> tuple[IntArray, IntArray, BoolArray]:
        """The numbers of words, of empty nodes after their words, and which ids are ranges."""
        starts, stops = grid.bounds(grid.first[lines] + self.columns["ID"])
        ids = whole_numbers(grid.block, starts, stops)
        nodes = np.zeros(len(ids), np.int64)
        is_range = np.zeros(len(ids), bool)
        for row in np.flatnonzero(ids < 0).tolist():
            content = grid.block[starts[row] : stops[row]].tobytes()
            if found := _EMPTY_NODE.fullmatch(content):
                ids[row], nodes[row] = map(int, found.groups())
            else:
                is_range[row] = _RANGE.fullmatch(content) is not None
        self._refuse((ids < 0) & ~is_range, lines, "a malformed token id")
        return ids, nodes, is_range

    def _check_order(
        self, ids: IntArray, nodes: IntArray, opens: BoolArray, lines: IntArray
    ) -> None:
        """Refuse ids that do not count from 1 in each sentence, and nodes that do not rise."""
        words = np.concatenate([[0], np.cumsum(nodes == 0)])
        first = np.maximum.accumulate(np.where(opens, np.arange(len(opens)), -1))
        start = np.where(first < 0, -self.word, words[first])
        self._refuse(ids != words[1:] - start[:-1], lines, "a token id out of order")
        before = np.concatenate([[self.node], nodes])
        before[opens] = 0
        wrong = (nodes > 0) & ((nodes <= before[:-1]) | (nodes > MOST_NODES))
        self._refuse(wrong, lines, "an empty node out of order")
        self.word, self.node = int(words[-1] - start[-1]), int(before[-1])

    def _comments(self, grid: Grid, following: IntArray) -> list[Comment]:
        """Comments on documents and sentences, of which some begin documents."""
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
            line = self.line + row
            if content.startswith(_SENTENCE, start):
                value = content[start + len(_SENTENCE) : stop].decode().strip(_WHITE)
                comments.append(Comment(token, line, "sent_id", value))
                continue
            mark = self.mark(content[start:stop])
            name, value = mark or comment_of(content[start:stop])
            if mark is None and _MISSPELLED.match(name):
                what = f"{shown(content[start:stop].decode())!r} does not begin a document"
                raise self.source.error(what, line, self.remedy)
            comments.append(Comment(token, line, name, value))
        return comments


def is_number(text: str) -> bool:
    """True for a whole number that is not too long.

    >>> [is_number(text) for text in ("12", "", "x", "1" * 5000)]
    [True, False, False, False]
    """
    return len(text) <= LONGEST_NUMBER and text.isascii() and text.isdecimal()


def _tokens_of(source: Source, rows: TokenRows) -> tuple[list[str], Tokens]:
    """Names of documents, and their tokens.

    Documents without an id are numbered; the only document of a file is named after the file.
    """
    marks = [comment for comment in rows.comments if comment.name in NEWDOC]
    count = len(rows.lines)
    if not count and not marks:
        raise source.error("the file has no documents", None, _REMEDY)
    if marks and marks[0].token:
        raise source.error("a token outside a document", int(rows.lines[0]), _REMEDY)
    names, unnamed = [], 0
    for given in [mark.value for mark in marks] or [""]:
        unnamed += not given
        names.append(given or (source.stem if len(marks) < 2 else str(unnamed)))
    offsets = np.array([*(mark.token for mark in marks), count] if marks else [0, count])
    sentences = sentence_starts(rows.breaks, offsets)
    layers = {name: column for name, column in rows.layers.items() if has_values(column, b"_")}
    ids = sentence_layer(rows.comments, "sent_id", sentences, count)
    if ids is not None:
        layers["sent_id"] = ids
    nodes = rows.numbers
    if (np.diff(nodes, prepend=0) > 1).any():
        layers["node"] = Strings.from_list([str(node) if node else "" for node in nodes.tolist()])
    empty = nodes > 0 if nodes.any() else None
    return names, Tokens(rows.words, offsets, sentences, layers, empty, rows.lines)


def sentence_layer(
    comments: Sequence[Comment], name: str, sentences: IntArray, count: int
) -> Strings | None:
    """Values of a comment at the first tokens of sentences; the last one if there are several."""
    found = {one.token: one.value for one in comments if one.name == name and one.value}
    known = sorted(found.keys() & set(sentences.tolist()))
    if not known:
        return None
    values = Strings.from_list([found[token] for token in known])
    lengths = np.zeros(count, np.int64)
    lengths[known] = values.lengths
    return Strings(values.data, offsets_of(lengths))


def corpus_of_tokens(
    source: Source,
    layers: Mapping[str, str],
    columns: Mapping[str, int] = PLACES,
    *,
    strict: bool = True,
    required: int | None = None,
    block_size: int = BLOCK,
) -> tuple[Corpus, Sequence[Comment]]:
    """A corpus without mentions, whose layers are columns of the file; and its comments.

    Words are numbered from 1 in each sentence or, if not ``strict``, in any way. Columns are
    separated by tabs or, if not ``strict``, as in the first line. Lines may lack columns after
    ``required``, by default none.
    """
    wanted = {name: columns[column] for name, column in layers.items() if column in columns}
    tabbed = strict or is_tabbed(source.head())
    required = len(columns) if required is None else required
    rows = LineReader(source, columns, required, strict, tabbed).read(wanted, block_size)
    names, tokens = _tokens_of(source, rows)
    corpus = Corpus.without_mentions(names, tokens)
    return replace(corpus, sources=(source.name,) * len(names)), rows.comments


# --- writing --------------------------------------------------------------------------------------


def as_line(text: str) -> str:
    """A text as the value of a comment."""
    return _BREAKS.sub(" ", text).strip(" ")


def token_lines(
    document: Document,
    cells: Mapping[str, Mapping[int, str]],
    columns: Sequence[str] = COLUMNS,
    layers: Mapping[str, str] = LAYERS,
    *,
    through_document: bool = False,
) -> Iterator[str]:
    """Comments and token lines of a document.

    ``cells`` has the content of columns by token; ``layers`` are written to the columns they name.
    Words are numbered in each sentence or ``through_document``; the column HEAD likewise.
    """
    empty, opens = set(document.empty_nodes), {0, *document.starts}
    ids, nodes = document.layers.get("sent_id"), document.layers.get("node")
    speakers = document.layers.get("speaker")
    values = {column: document.layers.get(name) for name, column in layers.items()}
    word = node = base = 0
    for token, form in enumerate(document.tokens or ()):
        if token in opens:
            if token:
                yield ""
            base = word if through_document else 0
            word, node = base, 0
            if ids is not None and as_line(ids[token]):
                yield f"# sent_id = {as_line(ids[token])}"
            if through_document and speakers is not None and speakers[token] not in ("", "_"):
                yield f"# speaker_id = {as_line(speakers[token])}"
        if token in empty:
            given = "" if nodes is None else nodes[token]
            node = int(given) if given.isdecimal() else node + 1
        else:
            word, node = word + 1, 0
        row = {"ID": f"{word}.{node}" if token in empty else str(word), "FORM": form}
        row |= {column: found[token] for column, found in values.items() if found is not None}
        row |= {column: found[token] for column, found in cells.items() if token in found}
        head = row.get("HEAD", "")
        if base and head.isdecimal() and head != "0":
            row["HEAD"] = str(int(head) + base)
        yield "\t".join(_BREAKS.sub(" ", row.get(column, "")) or "_" for column in columns)


def written(lines: Sequence[str]) -> bytes:
    """Lines of a document; an empty line follows the last sentence."""
    return "".join(f"{line}\n" for line in [*lines, ""]).encode("utf-8", "replace")


def newdoc(document: Document) -> str:
    """The comment that begins a document."""
    name = as_line(document.name)
    return f"# newdoc id = {name}" if name else "# newdoc"
