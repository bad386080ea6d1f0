"""Text files: blocks of whole lines, lines of tokens, tables with a header, running text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NoReturn

import numpy as np

from corefine.corpus.arrays import ByteArray, IntArray
from corefine.corpus.document import Document, Span, without_empty_nodes
from corefine.formats.io.sources import Source, file_names

LONGEST_LINE = 1 << 20
RETURN = 13


def line_blocks(
    source: Source, size: int = LONGEST_LINE, longest: int = LONGEST_LINE
) -> Iterator[bytes]:
    """The source as blocks of whole lines, each of about ``size`` bytes and ending in a newline.

    A byte order mark is left out; a missing last newline is added. A line of more than ``longest``
    bytes comes as a last block without a newline, which :func:`check_text` refuses: a file that has
    no lines costs no memory.
    """
    pieces: list[bytes] = []
    length = 0
    try:
        while piece := source.read(max(size, 16)):
            if not length and not pieces:
                piece = piece.removeprefix(b"\xef\xbb\xbf")
            cut = piece.rfind(b"\n") + 1
            rest = piece[cut:]
            if cut:
                block = b"".join([*pieces, piece[:cut]])
                pieces, length, piece = [], 0, b""  # a long line is kept only once
                yield block
            pieces.append(rest)
            length += len(rest)
            if length > longest:
                yield b"".join(pieces)
                return
        if length:
            yield b"".join([*pieces, b"\n"])
    finally:
        source.close()


def check_text(
    content: bytes, source: Source, first_line: int, longest: int = LONGEST_LINE
) -> None:
    """Refuse bytes that are not lines of UTF-8 text, naming the line of the first."""
    whole = content.endswith(b"\n")
    if not content.isascii():
        try:
            content.decode("utf-8")
        except UnicodeDecodeError as error:
            if whole or error.start < len(content) - 4:
                raise source.error(
                    f"invalid UTF-8 (byte 0x{content[error.start]:02x})",
                    first_line + content.count(b"\n", 0, error.start),
                    "Convert the file to UTF-8.",
                ) from None
    if b"\0" in content:
        raise source.error(
            "a null byte: not a text file",
            first_line + content.count(b"\n", 0, content.index(b"\0")),
            "Check that this is the right file.",
        )
    if content and not whole:
        refuse_long_line(source, first_line + content.count(b"\n"), longest)


def text_lines(source: Source) -> Iterator[tuple[int, str]]:
    """The lines of a source as text, with their numbers and without their ends."""
    number = 0
    for block in line_blocks(source):
        check_text(block, source, number + 1)
        if block.count(b"\n") == 1 and block.count(b"\r") > 1:
            refuse_returns(source, number + 1)
        for line in block.decode("utf-8").split("\n")[:-1]:
            number += 1
            yield number, line.removesuffix("\r")


def check_lines(block: ByteArray, line_stops: IntArray, source: Source, first_line: int) -> None:
    """Refuse lines that are too long or end in carriage returns; they stop at ``line_stops``."""
    if line_stops[-1] > LONGEST_LINE:
        lengths = np.diff(line_stops, prepend=-1)
        if int(lengths.max()) > LONGEST_LINE:
            refuse_long_line(source, first_line + int(lengths.argmax()))
    if len(line_stops) == 1 and np.count_nonzero(block == RETURN) > 1:
        refuse_returns(source, first_line)


def refuse_returns(source: Source, line: int) -> NoReturn:
    raise source.error(
        "lines end in carriage returns only", line, "Convert the line endings to newlines."
    )


def shown(text: ByteArray | str) -> str:
    """A text in a message, shortened in the middle where it is too long for one."""
    content = text if isinstance(text, str) else text.tobytes().decode()
    return content if len(content) <= 60 else f"{content[:35]}…{content[-24:]}"


def refuse_long_line(source: Source, line: int, longest: int = LONGEST_LINE) -> NoReturn:
    size = "a mebibyte" if longest == 1 << 20 else f"{longest >> 20} mebibytes"
    raise source.error(
        f"a line of more than {size}",
        line,
        "This does not look like a text file; check that it is the right one.",
    )


def headed_rows(source: Source, header: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    """The lines of a table with the cells of these columns, which it must have."""
    columns: list[int] = []
    width = 0
    for line, text in text_lines(source):
        cells = text.split("\t")
        if not columns:
            if missing := [name for name in header if name not in cells]:
                raise source.error(
                    f"the first line has no column {missing[0]}",
                    line,
                    f"It must name the tab-separated columns {', '.join(header)}.",
                    code="missing-column",
                )
            columns, width = [cells.index(name) for name in header], len(cells)
            continue
        if not text.strip():
            continue
        if len(cells) != width:
            other = "fewer" if len(cells) < width else "more"
            raise source.error(
                f"{len(cells)} cells, {other} than in the first line",
                line,
                "Separate cells with tabs, and write all of them.",
            )
        yield line, [cells[column] for column in columns]
    if not columns:
        raise source.error("the file is empty", None, "Check that this is the right file.")


def has_header(header: Sequence[str]) -> Callable[[bytes, str], bool]:
    """A predicate of files whose first line names all these columns."""
    wanted = {column.encode() for column in header}

    def detect(head: bytes, name: str) -> bool:
        line = head.removeprefix(b"\xef\xbb\xbf").partition(b"\n")[0]
        return wanted <= set(line.rstrip(b"\r").split(b"\t"))

    return detect


def begins_with(pattern: bytes, empty: str = "\n") -> Callable[[bytes, str], bool]:
    """A predicate of files that begin with a pattern, after blanks and a byte order mark.

    It is also true for empty files whose name ends in ``empty``, which no name does by default.
    """
    opening = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:" + pattern + b")")

    def detect(head: bytes, name: str) -> bool:
        usual = name.lower().removesuffix(".gz").endswith(empty)
        return opening.match(head) is not None or (usual and not head.strip())

    return detect


LARGEST = 64 << 20
"""Bytes of a text file: enough for the longest novel."""
_BLANKS = re.compile(r"[\x00-\x20]+")


def read_text(source: Source) -> str:
    """The content of a UTF-8 file."""
    content = source.read_all(LARGEST)
    check_text(content + b"\n", source, 1, LARGEST)
    return content.decode("utf-8")


@dataclass(frozen=True, slots=True)
class TokenLines:
    """Text in lines of tokens; a line is a sentence unless it is blank."""

    tokens: list[str]
    lines: list[int]
    """Line of each token, from 1."""
    first: list[int]
    """First token of each line, and the number of tokens."""

    @classmethod
    def read(cls, source: Source) -> TokenLines:
        tokens: list[str] = []
        lines: list[int] = []
        first = [0]
        for number, line in text_lines(source):
            words = [word for word in _BLANKS.split(line) if word]
            tokens += words
            lines += [number] * len(words)
            first.append(len(tokens))
        return cls(tokens, lines, first)

    @property
    def sentences(self) -> list[int]:
        return [start for start, stop in pairwise(self.first) if start < stop]

    def span(self, position: Sequence[int]) -> Span | None:
        """Span from first line and token to last line and token; None if it is not in the text.

        Lines count from 1, tokens from 0.
        """
        line, token, last_line, last_token = position
        start, last = self._token(line, token), self._token(last_line, last_token)
        if start is None or last is None or last < start:
            return None
        return start, last + 1

    def _token(self, line: int, token: int) -> int | None:
        if not 1 <= line < len(self.first):
            return None
        found = self.first[line - 1] + token
        return found if found < self.first[line] else None


def files_of(documents: Iterable[Document]) -> Iterator[tuple[Document, str]]:
    """Documents without empty nodes, and the names of their files without endings."""
    listed = [without_empty_nodes(document) for document in documents]
    return zip(listed, file_names([document.name for document in listed]), strict=True)


def text_of(document: Document, *, lines: bool = False) -> tuple[str, Sequence[Span]]:
    """Running text of a document, and the characters of each token.

    Without running text, words are separated by blanks, and ``lines`` end with sentences.
    """
    if document.running_text is not None:
        return document.running_text, document.offsets
    words = document.tokens or []
    ends = {*document.starts, len(words)} if lines else set()
    spans: list[Span] = []
    pieces: list[str] = []
    place = 0
    for number, word in enumerate(words, 1):
        spans.append((place, place + len(word)))
        place += len(word) + 1
        pieces += [word, "\n" if number in ends else " "]
    return "".join(pieces if lines else pieces[:-1]), spans


def code_point_offsets(text: str) -> Sequence[int]:
    """For each UTF-16 code unit, and the end, the index of its character.

    Java and JavaScript tools count code units.

    >>> code_point_offsets("a😊b")
    [0, 1, 1, 2, 3]
    """
    if max(text, default="") <= "\uffff":
        return range(len(text) + 1)
    offsets: list[int] = []
    for place, character in enumerate(text):
        offsets += [place] * (1 + (character > "\uffff"))
    return [*offsets, len(text)]
