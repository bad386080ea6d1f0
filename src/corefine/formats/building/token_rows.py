"""From the lines of token-per-line files to corpora: what CoNLL and CoNLL-U have in common.

A block of lines becomes :class:`TokenRows`; the rows of all blocks are joined, and their cells with
brackets become mentions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from corefine.corpus.arrays import BoolArray, ByteArray, IntArray, offsets_of
from corefine.corpus.strings import Strings, codes_of_bytes
from corefine.errors import MOST_PROBLEMS, FormatError, Location, with_others
from corefine.formats.input.lines import shown
from corefine.formats.text.old_brackets import Runs, UnbalancedBracketError, pair


@dataclass(frozen=True, slots=True)
class DocumentLine:
    """A line that begins or ends a document, and the token before which it stands."""

    token: int
    line: int
    name: str | None
    """The document's name; None for the end of one, or where no name is given."""


@dataclass(frozen=True, slots=True)
class TokenRows:
    """What a block of lines holds, tokens being counted from the first of the block."""

    lines: IntArray
    words: Strings
    layers: dict[str, Strings]
    breaks: IntArray
    """Tokens before which a sentence ends; may be one more than the last token."""
    marks: list[DocumentLine]
    marked: IntArray
    """Tokens that have a cell with brackets."""
    text: ByteArray
    """Those cells side by side, each followed by a bar."""
    lengths: IntArray
    """Length of each of those cells with its bar."""


@dataclass(frozen=True, slots=True)
class BracketCells:
    """Cells with brackets side by side, each with its bar; the length and token of each."""

    text: ByteArray
    lengths: IntArray
    token: IntArray

    def __getitem__(self, wanted: BoolArray) -> BracketCells:
        return BracketCells(
            self.text[np.repeat(wanted, self.lengths)], self.lengths[wanted], self.token[wanted]
        )

    def content(self, cell: int) -> str:
        """A cell for a message."""
        start = int(self.lengths[:cell].sum())
        return shown(self.text[start : start + int(self.lengths[cell]) - 1])


@dataclass(frozen=True, slots=True)
class JoinedRows:
    """The rows of all blocks of a file, tokens being counted from the first of the file."""

    blocks: Sequence[TokenRows]
    bases: list[int]
    """How many tokens stand before each block."""
    lines: IntArray
    words: Strings
    marks: list[DocumentLine]
    cells: BracketCells

    @classmethod
    def of(cls, blocks: Sequence[TokenRows]) -> JoinedRows:
        bases = offsets_of(np.array([len(rows.lines) for rows in blocks])).tolist()[:-1]
        based = list(zip(blocks, bases, strict=True))
        return cls(
            blocks,
            bases,
            np.concatenate([rows.lines for rows in blocks]),
            Strings.concatenate([rows.words for rows in blocks]),
            [
                DocumentLine(mark.token + base, mark.line, mark.name)
                for rows, base in based
                for mark in rows.marks
            ],
            BracketCells(
                np.concatenate([rows.text for rows in blocks]),
                np.concatenate([rows.lengths for rows in blocks]),
                np.concatenate([rows.marked + base for rows, base in based]),
            ),
        )

    def sentences(self, offsets: IntArray) -> IntArray:
        """The first token of each sentence, of documents that start at these offsets."""
        opens = np.zeros(len(self.lines) + 1, bool)
        opens[0] = True
        opens[offsets] = True
        for rows, base in zip(self.blocks, self.bases, strict=True):
            opens[rows.breaks + base] = True
        return np.flatnonzero(opens[:-1])

    def layers(self, placeholders: bytes, missing: bytes = b"") -> dict[str, Strings]:
        """The layers that say more than placeholders; ``missing`` where a block lacks one."""

        def column(rows: TokenRows, name: str) -> Strings:
            if name in rows.layers:
                return rows.layers[name]
            count = len(rows.lines)
            data = np.frombuffer(missing * count, np.uint8)
            return Strings(data, np.arange(count + 1) * len(missing))

        present = dict.fromkeys(name for rows in self.blocks for name in rows.layers)
        joined = {
            name: Strings.concatenate([column(rows, name) for rows in self.blocks])
            for name in present
        }
        return {
            name: values
            for name, values in joined.items()
            if not _says_nothing(values, placeholders)
        }


def _says_nothing(column: Strings, placeholders: bytes) -> bool:
    """Whether all strings are empty or one of these signs; a column may be a slice of another."""
    is_placeholder = np.zeros(256, bool)
    is_placeholder[list(placeholders)] = True
    data = column.data[column.offsets[0] : column.offsets[-1]]
    return int(column.lengths.max(initial=0)) <= 1 and bool(is_placeholder[data].all())


def pair_brackets(
    text: ByteArray,
    runs: Runs,
    ids: tuple[IntArray, IntArray],
    document: IntArray,
    names: Sequence[str],
    where: Callable[[int], Location],
    opening: str = "({}",
) -> tuple[IntArray, IntArray, IntArray]:
    """A number for the entity of each bracket, and of each mention the brackets that open and close
    it; brackets without another one are an error.

    ``ids`` are where the entities' ids start and stop in the text, ``document`` is that of each
    bracket, ``where`` tells its line; ``opening`` is how a bracket that opens is written.
    """
    start, stop = ids
    codes = codes_of_bytes(text, start, stop - start)
    groups = document * (int(codes.max(initial=0)) + 1) + codes
    try:
        return groups, *pair(groups, runs.opens, runs.closes)
    except UnbalancedBracketError as error:
        problems = []
        for run in error.runs[:MOST_PROBLEMS]:
            name = shown(text[start[run] : stop[run]])
            what, missing = ("opened", "closed") if runs.opens[run] else ("closed", "opened")
            bracket = f"{name})" if runs.opens[run] else opening.format(name)
            problem = FormatError(
                f"a mention of entity {name!r} is {what} here but never {missing} in document "
                f"{shown(names[document[run]])!r}",
                where(run),
                f"Add the missing bracket {bracket}, or remove this one.",
            )
            problems.append(problem)
        raise with_others(problems) from None
