"""Lines of many small files, read together: a corpus of one file a document is still one block.

A file takes a few microseconds to open, and an array operation as many whatever it works on. So
files are joined and their lines looked at all at once; each line still knows its file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from corefine.corpus.arrays import ByteArray, IntArray, offsets_of
from corefine.errors import FormatError, Location
from corefine.formats.input.lines import check_text, line_blocks
from corefine.formats.input.sources import HEAD, Source

BATCH = 1 << 20
"""Bytes of files that are taken together: enough to make array operations cheap."""

_NEWLINE, _BLANK = b"\n "


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class JoinedLines:
    """The lines of several files, one file after another; each line ends in a newline."""

    sources: Sequence[Source]
    text: ByteArray
    stops: IntArray
    """Where each line ends: the place of its newline."""
    first: IntArray
    """How many lines stand before each file; one entry more than there are files."""

    @classmethod
    def of(cls, sources: Sequence[Source]) -> JoinedLines:
        """Read all lines of these files; bytes that are no text are refused."""
        return cls.from_contents(sources, [read_lines(source) for source in sources])

    @classmethod
    def from_contents(cls, sources: Sequence[Source], contents: Sequence[bytes]) -> JoinedLines:
        # Eight zeros behind the text, for what looks at eight bytes at once.
        text = np.frombuffer(b"".join([*contents, b"\0" * 8]), np.uint8)[:-8]
        try:
            check_text(text, sources[0], 1)
        except FormatError:
            for source, content in zip(sources, contents, strict=True):
                check_text(np.frombuffer(content, np.uint8), source, 1)
            raise
        stops = np.flatnonzero(text == _NEWLINE)
        ends = offsets_of(np.fromiter(map(len, contents), np.int64, len(contents)))
        return cls(sources, text, stops, np.searchsorted(stops, ends))

    def stripped(self) -> JoinedLines:
        """The lines without white space at their ends; most files have none."""
        starts, stops = self.starts, self.stops
        ragged = (self.text[starts] <= _BLANK) | (self.text[stops - 1] <= _BLANK)
        if not (ragged & (stops > starts)).any():
            return self
        rows = self.text.tobytes().split(b"\n")
        contents = [
            b"".join([row.strip() + b"\n" for row in rows[first:last]])
            for first, last in pairwise(self.first.tolist())
        ]
        return JoinedLines.from_contents(self.sources, contents)

    @property
    def starts(self) -> IntArray:
        """Where each line begins."""
        starts = np.empty(len(self.stops), np.int64)
        starts[:1] = 0
        starts[1:] = self.stops[:-1] + 1
        return starts

    @property
    def eights(self) -> NDArray[np.uint64]:
        """At each place the eight bytes from there on, as one number, the first byte lowest."""
        return np.ndarray((len(self.text) + 1,), np.dtype("<u8"), self.text.base, strides=(1,))

    @property
    def file(self) -> IntArray:
        """The file of each line."""
        return np.repeat(np.arange(len(self.sources)), np.diff(self.first))

    def where(self, line: int) -> Location:
        """The file of a line, and its number there."""
        file = int(np.searchsorted(self.first, line, side="right")) - 1
        return self.sources[file].where(line - int(self.first[file]) + 1)

    def shown(self, start: int, stop: int) -> str:
        """A part of the text for a message, cut where it is too long for one."""
        content = self.text[start : min(stop, start + 400)].tobytes().decode("utf-8", "replace")
        return content if len(content) <= 60 else content[:59] + "…"


def read_lines(source: Source) -> bytes:
    """All lines of a file, each ending in a newline alone."""
    head = source.head()
    if len(head) < HEAD:
        content = head.removeprefix(b"\xef\xbb\xbf")
        source.close()
    else:
        pieces, line = [], 1
        for block in line_blocks(source):
            check_text(block, source, line)
            line += int(np.count_nonzero(block == _NEWLINE))
            pieces.append(block.tobytes())
        content = b"".join(pieces)
    if b"\r" in content:
        content = content.replace(b"\r\n", b"\n")
    return content if content.endswith(b"\n") or not content else content + b"\n"


def batches(sources: Iterable[Source], enough: int = BATCH) -> Iterator[list[Source]]:
    """Sources in groups of about so many bytes."""
    batch: list[Source] = []
    size = 0
    for source in sources:
        batch.append(source)
        size += source.size or 0
        if size >= enough:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
