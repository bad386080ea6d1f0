"""A block of CoNLL-U lines as rows: words, layers, comments that matter, cells with ``Entity=``.

Everything is found for all lines of the block at once. Python looks at single lines only where they
are comments, empty nodes or multiword tokens.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from corefine.corpus.arrays import BoolArray, ByteArray, IntArray, ranges
from corefine.corpus.strings import Strings
from corefine.errors import FormatError
from corefine.formats.building.token_rows import TokenRows
from corefine.formats.conllu.comments import Comments, Header, Headers, comments_of, header_text
from corefine.formats.conllu.token_cells import BAR, OPEN, Attributes, TokenCells
from corefine.formats.input.lines import RETURN, check_lines, shown
from corefine.formats.input.sources import Source
from corefine.formats.text.numerals import whole_numbers

TAB, NEWLINE, ZERO = b"\t\n0"
COLUMNS = 10
LAYERS = {"lemma": 2, "upos": 3, "pos": 4, "feats": 5, "head": 6, "deprel": 7, "deps": 8}
"""Where the layers stand, counted from 0; ``pos`` is the column that is now called XPOS."""
FORM, HEAD, DEPS = 1, 6, 8
HASH = b"#"[0]
RELATIONS = {b"Bridge": "bridge", b"SplitAnte": "split", b"Split": "split"}
"""Attributes that relate entities, and the kinds of these relations."""

_RANGE = re.compile(rb"[0-9]+-[0-9]+")
_EMPTY = re.compile(rb"([0-9]{1,9})\.0*([1-9][0-9]{0,8})")
MOST_NODES = 999
"""The highest number of an empty node behind its word."""


@dataclass(frozen=True, slots=True)
class ConlluRows(TokenRows):
    """The rows of lines with the attribute Entity."""

    empty: BoolArray | None
    parents: IntArray | None
    """The column HEAD as numbers (-1: none), where heads of mentions must be found by it."""
    headers: list[tuple[int, Header]]
    """Headers, and the tokens from which on they hold; the first holds from the first token."""
    sentence_tokens: IntArray
    sentence_ids: Strings
    """Ids of sentences, and the tokens before which they stand."""
    relations: list[tuple[int, int, str, bytes]]
    """Token, line, kind and value of the attributes Bridge and SplitAnte."""


class LineReader:
    """Turns blocks of whole lines into rows, one after another, and remembers what carries over."""

    def __init__(self, source: Source, layers: frozenset[str]) -> None:
        self._source = source
        self._layers = layers
        self._headers = Headers()
        self._header: Header | None = None
        carried = header_text(source.carried)
        if carried is not None:
            self._header = self._headers.get(carried.decode("utf-8", "replace"), source.where())
        self._sentence_id: Strings | None = None
        """The id, if any, that was given after the last token so far."""
        self._line = 1
        self._word = 0
        """The id of the last word of the sentence that is still open."""
        self._node = 0
        """The number of the empty node that the block ended with, if it did."""
        self._gaps = False
        """Whether an empty node's number so far was not one more than that of the one before."""

    @property
    def next_line(self) -> int:
        return self._line

    def rows(self, block: ByteArray) -> ConlluRows:
        """What the next block of whole lines holds."""
        separators = np.flatnonzero(block - TAB <= NEWLINE - TAB)
        ends = np.flatnonzero(block[separators] == NEWLINE)
        stops = separators[ends]
        check_lines(block, stops, self._source, self._line)
        starts = np.concatenate([np.zeros(1, np.int64), stops[:-1] + 1])
        initial = block[starts]
        is_token = initial - ZERO <= 9
        blank = self._blank_lines(block, starts, stops, initial, is_token)
        lines = np.flatnonzero(is_token)
        counts = np.diff(ends, prepend=-1)
        self._check_columns(counts[lines], lines)
        cells = TokenCells(block, starts[lines], separators, ends[lines])
        ids, nodes, is_range = self._ids(cells, lines)
        tokens, token_lines = cells, lines
        if is_range.any():
            kept = np.flatnonzero(~is_range)
            ids, nodes, tokens, token_lines = ids[kept], nodes[kept], cells.take(kept), lines[kept]
            is_token[lines[is_range]] = False
        token_at = np.cumsum(is_token) - is_token
        """For each line the number of the token that it is, or that follows it."""
        commented = np.flatnonzero(initial == HASH)
        comments = comments_of(
            self._source,
            block,
            (starts[commented], stops[commented]),
            token_at[commented],
            commented + self._line,
            self._headers,
        )
        sentence_tokens, sentence_ids = self._sentence_ids(comments, len(token_lines))
        headers = [] if self._header is None else [(0, self._header)]
        headers += comments.headers
        self._header = headers[-1][1] if headers else None
        breaks = token_at[blank]
        opens = np.zeros(len(token_lines) + 1, bool)
        opens[breaks] = True
        opens[[mark.token for mark in comments.marks]] = True
        empty = self._check_order(ids, opens, token_lines)
        layers = self._token_layers(tokens, empty)
        self._check_nodes(nodes, opens, token_lines)
        if self._gaps:
            layers["node"] = _last_digits(tokens, nodes)
        attributes = Attributes(cells)
        marked, text, lengths = self._entities(block, attributes, lines, is_range)
        rows = ConlluRows(
            token_lines + self._line,
            tokens.column(FORM),
            layers,
            breaks,
            comments.marks,
            token_at[lines[marked]],
            text,
            lengths,
            empty,
            whole_numbers(block, *tokens.bounds(HEAD))
            if any(not header.has_head for _, header in headers)
            else None,
            headers,
            sentence_tokens,
            sentence_ids,
            list(self._relations(block, attributes, lines, token_at)),
        )
        self._line += len(stops)
        return rows

    def _sentence_ids(self, comments: Comments, count: int) -> tuple[IntArray, Strings]:
        """Ids of sentences and their tokens; one after the last token is kept for the next."""
        tokens, ids = comments.sentence_tokens, comments.sentence_ids
        if self._sentence_id is not None:
            tokens = np.concatenate([np.zeros(1, np.int64), tokens])
            ids = Strings.concatenate([self._sentence_id, ids])
            self._sentence_id = None
        inside = int(np.searchsorted(tokens, count))
        if inside < len(tokens):
            self._sentence_id = ids[len(ids) - 1 :]
        return tokens[:inside], ids[:inside]

    def _refuse(self, message: str, line: int, remedy: str) -> FormatError:
        return FormatError(message, self._source.where(self._line + line), remedy)

    def _blank_lines(
        self,
        block: ByteArray,
        starts: IntArray,
        stops: IntArray,
        initial: ByteArray,
        is_token: BoolArray,
    ) -> BoolArray:
        blank: BoolArray = initial == NEWLINE
        blank |= (initial == RETURN) & (stops - starts == 1)
        for line in np.flatnonzero(~(is_token | blank | (initial == HASH))).tolist():
            content = block[starts[line] : stops[line]].tobytes()
            if content.strip():
                start = shown(content.decode().split("\t")[0])
                raise self._refuse(
                    f"a line that is not a token, a comment or empty: it starts with {start!r}",
                    line,
                    "Token lines start with an id, comments with #.",
                )
            blank[line] = True
        return blank

    def _check_columns(self, counts: IntArray, lines: IntArray) -> None:
        if (counts != COLUMNS).any():
            wrong = int(np.argmax(counts != COLUMNS))
            count = int(counts[wrong])
            raise self._refuse(
                f"{count} column{'' if count == 1 else 's'} instead of {COLUMNS}",
                int(lines[wrong]),
                "CoNLL-U has ten tab-separated columns, with _ for missing values.",
            )

    def _ids(self, cells: TokenCells, lines: IntArray) -> tuple[IntArray, IntArray, BoolArray]:
        """The number of each word, -1 minus that of the word before for an empty node; the numbers
        of empty nodes behind their words, 0 for words; which lines are ranges."""
        block = cells.block
        starts, stops = cells.bounds(0)
        ids = whole_numbers(block, starts, stops)
        nodes = np.zeros(len(ids), np.int64)
        is_range = np.zeros(len(ids), bool)
        for row in np.flatnonzero(ids < 0).tolist():
            content = block[starts[row] : stops[row]].tobytes()
            if found := _EMPTY.fullmatch(content):
                ids[row], nodes[row] = -1 - int(found.group(1)), int(found.group(2))
            elif _RANGE.fullmatch(content):
                is_range[row] = True
            else:
                raise self._refuse(
                    f"{shown(content.decode())!r} is not a token id",
                    int(lines[row]),
                    "Ids are 1, 2, … for words, 1-2 for multiword tokens, 1.1 for empty nodes.",
                )
        return ids, nodes, is_range

    def _check_nodes(self, nodes: IntArray, opens: BoolArray, lines: IntArray) -> None:
        """Refuse numbers of empty nodes that do not rise; see whether any is left out."""
        if len(nodes) and not nodes.any():
            self._node = 0
            return
        before = np.concatenate([np.full(1, self._node), nodes])
        before[opens] = 0
        self._node = int(before[-1])
        before = before[:-1]
        wrong = (nodes > 0) & ((nodes <= before) | (nodes > MOST_NODES))
        if wrong.any():
            at = int(np.argmax(wrong))
            raise self._refuse(
                f"empty node ….{nodes[at]} follows ….{before[at]}"
                if before[at]
                else f"empty node ….{nodes[at]}",
                int(lines[at]),
                "Empty nodes after word 2 are numbered 2.1, 2.2, …",
            )
        self._gaps = self._gaps or bool(((nodes > 0) & (nodes != before + 1)).any())

    def _check_order(self, ids: IntArray, opens: BoolArray, lines: IntArray) -> BoolArray | None:
        """Refuse ids that do not count from 1 in each sentence; which tokens are empty nodes."""
        if not len(ids):
            self._word = 0 if opens[-1] else self._word
            return None
        empty = ids < 0
        # The word before each token: the sentence that no line has opened yet goes on from the
        # block before, and an empty node hands on the word that it follows.
        before = np.concatenate([np.full(1, self._word), ids[:-1]])
        before[opens[:-1]] = 0
        if empty.any():
            after_empty = np.flatnonzero(before < 0)
            last_word = np.maximum.accumulate(np.where(before < 0, -1, np.arange(len(ids))))
            before[after_empty] = before[last_word[after_empty]]
        wrong = ids != np.where(empty, -1 - before, before + 1)
        if wrong.any():
            at = int(np.argmax(wrong))
            what = f"empty node {-1 - int(ids[at])}.…" if empty[at] else f"word {int(ids[at])}"
            raise self._refuse(
                f"{what} follows word {before[at]}" if before[at] else f"{what} opens a sentence",
                int(lines[at]),
                "Words are numbered 1, 2, … in each sentence, and empty node 2.1 follows word "
                "2; sentences are separated by an empty line.",
            )
        self._word = 0 if opens[-1] else int(before[-1] if empty[-1] else ids[-1])
        return empty if empty.any() else None

    def _token_layers(self, tokens: TokenCells, empty: BoolArray | None) -> dict[str, Strings]:
        layers = {}
        for name, place in LAYERS.items():
            if name in self._layers:
                column = tokens.layer(place)
                if column is not None:
                    layers[name] = column
        if "deps" not in self._layers:
            # Zeros are matched by their dependencies, whatever else is asked for.
            if empty is None:
                layers["deps"] = Strings.blank(len(tokens))
            else:
                starts, stops = tokens.bounds(DEPS)
                stops = np.where(empty, stops, starts)
                layers["deps"] = Strings.cut(tokens.block, starts, stops)
        return layers

    def _entities(
        self, block: ByteArray, attributes: Attributes, lines: IntArray, is_range: BoolArray
    ) -> tuple[IntArray, ByteArray, IntArray]:
        """Rows with the attribute Entity, and its values, each followed by a bar."""
        rows, starts, stops = attributes.find(b"Entity")
        if (row := attributes.misplaced_entity(starts, stops)) is not None:
            raise self._refuse(
                "the attribute Entity where it is not read",
                int(lines[row]),
                "Write Entity=(e1-person-1-) in the last column, between bars or alone.",
            )
        if not len(rows):
            return rows, block[:0].copy(), rows
        twice = np.flatnonzero(rows[1:] == rows[:-1])
        if len(twice):
            raise self._refuse(
                "two Entity attributes on one line",
                int(lines[rows[twice[0]]]),
                "Combine them: Entity=(e1-person-1-(e2-place-1-)",
            )
        if is_range[rows].any():
            raise self._refuse(
                "Entity on a multiword token",
                int(lines[rows[np.argmax(is_range[rows])]]),
                "Mentions consist of words: put the attribute on the words of this token.",
            )
        if len(barred := np.flatnonzero(block[np.minimum(stops + 1, len(block) - 1)] == OPEN)):
            raise self._refuse(
                "a bar between the brackets of Entity",
                int(lines[rows[barred[0]]]),
                "Write them side by side: Entity=(e1-person-1-)(e2-place-1-)",
            )
        lengths = stops - starts + 1
        text = block[ranges(starts, lengths)]
        text[np.cumsum(lengths) - 1] = BAR
        return rows, text, lengths

    def _relations(
        self, block: ByteArray, attributes: Attributes, lines: IntArray, token_at: IntArray
    ) -> Iterator[tuple[int, int, str, bytes]]:
        found = [
            (int(row), kind, block[start:stop].tobytes())
            for name, kind in RELATIONS.items()
            for row, start, stop in zip(*attributes.find(name), strict=True)
        ]
        for row, kind, value in sorted(found):
            token = int(token_at[lines[row]])
            yield token, self._line + int(lines[row]), kind, value


def _last_digits(tokens: TokenCells, nodes: IntArray) -> Strings:
    """The numbers of empty nodes as they are written; nothing for words."""
    _, stops = tokens.bounds(0)
    digits = sum((nodes >= power).astype(np.int64) for power in (1, 10, 100))
    return Strings.cut(tokens.block, stops - digits, stops)
