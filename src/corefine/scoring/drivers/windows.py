"""Windows: two files cut into pieces of whole documents that fit into memory together.

Both sides are paired by document id through an index of offsets, so their order does not matter and
no more than a window of documents is ever held.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from corefine.corpus.arrays import offsets_of
from corefine.corpus.corpus import Corpus
from corefine.errors import CorefineError, Location
from corefine.formats import DocumentIndex, Source, format_named, sniff
from corefine.formats.input.index import index_documents, is_packed, read_range
from corefine.scoring.sides import Side


@dataclass(frozen=True, slots=True)
class Piece:
    """Some documents of one file: byte ranges and the lines at which they begin."""

    path: Path
    format: str
    ranges: tuple[tuple[int, int], ...]
    lines: tuple[int, ...]
    line_counts: tuple[int, ...]
    carried: bytes = b""
    """The line that holds for all documents of the file."""

    def read(self, layers: frozenset[str]) -> Corpus:
        """The corpus of these documents, with the lines of the whole file in its messages."""
        source = self._source(list(self.ranges))
        try:
            corpus = format_named(self.format).corpus(source, layers)
        except CorefineError as error:
            raise self._placed(error) from None
        return self._with_lines(corpus)

    def _source(self, ranges: list[tuple[int, int]]) -> Source:
        try:
            content = read_range(self.path, ranges)
        except OSError as error:
            raise CorefineError(
                f"cannot be read any more: {(error.strerror or str(error)).lower()}",
                Location(str(self.path)),
                "Do not change files while they are scored.",
            ) from None
        return Source(str(self.path), content=content, part=True, carried=self.carried)

    def _placed(self, error: CorefineError) -> CorefineError:
        """The error, at its line of the file: found again by reading document by document."""
        for bounds, line in zip(self.ranges, self.lines, strict=True):
            source = self._source([bounds])
            try:
                format_named(self.format).corpus(source, frozenset())
            except CorefineError as found:
                if found.where is None or found.where.line is None:
                    return found
                where = Location(str(self.path), found.where.line + line - 1)
                return type(found)(found.message, where, found.remedy)
        return error

    def _with_lines(self, corpus: Corpus) -> Corpus:
        """The corpus with the lines of the file instead of those of the piece."""
        tokens = corpus.tokens
        if tokens is None or tokens.lines is None or len(corpus.documents) != len(self.lines):
            return corpus
        in_piece = 1 + offsets_of(np.array(self.line_counts, np.int64))[:-1]
        moved = np.repeat(np.array(self.lines, np.int64) - in_piece, np.diff(tokens.offsets))
        return replace(corpus, tokens=replace(tokens, lines=tokens.lines + moved))


@dataclass(frozen=True, slots=True)
class Window:
    """The same documents of both sides."""

    key: Piece
    response: Piece
    size: int


def indexed(side: Side) -> tuple[str, DocumentIndex] | None:
    """The format and index of a file that can be streamed in any order; else None."""
    if side.path is None or side.path == "-" or not Path(side.path).is_file():
        return None
    path = Path(side.path)
    if is_packed(path):
        return None
    source = Source(side.path, path)
    try:
        format = sniff(source, side.what) if side.format is None else format_named(side.format)
    finally:
        source.close()
    if format.document_mark is None:
        return None
    index = index_documents(path, format.document_mark)
    return None if index is None else (format.name, index)


def cut(
    key: tuple[str, DocumentIndex], response: tuple[str, DocumentIndex], size: int
) -> Iterator[Window]:
    """Windows of about ``size`` bytes of both sides together, in the key's order."""
    place = {name: number for number, name in enumerate(response[1].names)}
    ours: list[int] = []
    theirs: list[int] = []
    held = 0
    for number, name in enumerate(key[1].names):
        mate = place[name]
        amount = _bytes(key[1], number) + _bytes(response[1], mate)
        if ours and held + amount > size:
            yield Window(_piece(key, ours), _piece(response, theirs), held)
            ours, theirs, held = [], [], 0
        ours.append(number)
        theirs.append(mate)
        held += amount
    if ours:
        yield Window(_piece(key, ours), _piece(response, theirs), held)


def _bytes(index: DocumentIndex, number: int) -> int:
    return index.stops[number] - index.starts[number]


def _piece(side: tuple[str, DocumentIndex], numbers: list[int]) -> Piece:
    format, index = side
    return Piece(
        index.path,
        format,
        tuple((index.starts[number], index.stops[number]) for number in numbers),
        tuple(index.lines[number] for number in numbers),
        tuple(index.lines[number + 1] - index.lines[number] for number in numbers),
        index.carried,
    )
