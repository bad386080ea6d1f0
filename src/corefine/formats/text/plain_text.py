"""Text files of standoff formats: running text, and lines of tokens separated by blanks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from corefine.corpus.document import Document, Span
from corefine.errors import FormatError, UsageError
from corefine.formats.input.lines import text_lines
from corefine.formats.input.sources import Source

LARGEST = 64 << 20
"""Bytes of a text file: enough for the longest novel."""
_BLANKS = re.compile(r"[\x00-\x20]+")


def read_text(source: Source) -> str:
    """The content of a UTF-8 file."""
    content = source.read_all(LARGEST)
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise FormatError(
            f"invalid UTF-8 (byte 0x{content[error.start]:02x})",
            source.where(1 + content.count(b"\n", 0, error.start)),
            "Convert the file to UTF-8.",
        ) from None
    if "\0" in text:
        raise FormatError(
            "a null byte: not a text file",
            source.where(1 + text[: text.index("\0")].count("\n")),
            "Check that this is the right file.",
        )
    return text


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


@dataclass(frozen=True, slots=True)
class WrittenLines:
    """A document as lines of tokens, one line per sentence."""

    words: list[str]
    """Words without blanks; those that have none left are written as ``_``."""
    text: str
    positions: list[Span]
    """Line, from 1, and number in the line, from 0, of each token."""

    @classmethod
    def of(cls, document: Document) -> WrittenLines:
        words = [_BLANKS.sub("_", word) or "_" for word in tokens_of(document)]
        starts = sorted({0, *document.sentences, len(words)})
        lines, positions = [], []
        for number, (start, stop) in enumerate(pairwise(starts), 1):
            lines.append(" ".join(words[start:stop]) + "\n")
            positions += [(number, token) for token in range(stop - start)]
        return cls(words, "".join(lines), positions)


def tokens_of(document: Document) -> list[str]:
    """The tokens of a document to be written; one without text is refused."""
    if document.tokens is None:
        raise UsageError(
            f"document {document.name!r} has no text, which this format needs",
            document.where,
            "Choose a format that does not need the text, such as labels.",
        )
    return document.tokens


def written_text(document: Document) -> tuple[str, Sequence[Span]]:
    """Running text of a document, and the characters of each token.

    Without running text, words are separated by blanks and sentences by newlines.
    """
    words = tokens_of(document)
    if document.text is not None:
        return document.text, document.offsets
    starts = sorted({0, *document.sentences, len(words)})
    spans: list[Span] = []
    lines: list[str] = []
    place = 0
    for start, stop in pairwise(starts):
        for word in words[start:stop]:
            spans.append((place, place + len(word)))
            place += len(word) + 1
        lines.append(" ".join(words[start:stop]) + "\n")
    return "".join(lines), spans


def code_point_offsets(text: str) -> list[int]:
    """For each UTF-16 code unit, and the end, the index of its character.

    Java and JavaScript tools count code units.

    >>> code_point_offsets("a😊b")
    [0, 1, 1, 2, 3]
    """
    if text.isascii():
        return list(range(len(text) + 1))
    offsets: list[int] = []
    for place, character in enumerate(text):
        offsets += [place] * (1 + (character > "\uffff"))
    return [*offsets, len(text)]
