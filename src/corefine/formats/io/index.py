"""Index of documents: byte ranges in a file, found without parsing it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from corefine.formats.io.lines import line_blocks
from corefine.formats.io.sources import Source
from corefine.formats.registry import DocumentMark

CHUNK = 1 << 20
"""Bytes taken at a time: few enough to stay in the cache."""
LONGEST_LINE = 64 << 20
"""Bytes of the longest line of any format; files with a longer one have no index."""


@dataclass(frozen=True, slots=True, eq=False)
class DocumentIndex:
    """Positions of the documents of a file: bytes ``start`` to ``stop``, first line ``line``."""

    path: Path
    names: tuple[str, ...]
    starts: tuple[int, ...]
    stops: tuple[int, ...]
    lines: tuple[int, ...]
    """First line of each document, from 1, and the number of lines plus 1."""
    carried: bytes = b""
    """The line that holds for all documents, wherever it is in the file."""

    def __len__(self) -> int:
        return len(self.names)


def index_documents(path: Path, mark: DocumentMark) -> DocumentIndex | None:
    """The index of a file; None if documents cannot be read one by one.

    This is the case if tokens precede the first one, if one has no name or that of another, if a
    line is too long, or if what holds for all changes on the way.
    """
    carried: list[tuple[int, bytes]] = []
    names: list[str] = []
    starts: list[int] = []
    lines: list[int] = []
    outside = False
    line, offset, size = 1, _mark_length(path), path.stat().st_size
    block = b"\n"
    for block in line_blocks(Source(str(path), path), CHUNK, LONGEST_LINE):
        for place, lines_before in marked_lines(block, mark):
            content = line_at(block, place)
            name = mark.name(content)
            if mark.carried is not None and mark.carried(content):
                carried.append((len(names), content))
            if name is None:
                continue
            if not names:
                outside = line > 1 or says_something(block[:place])
            names.append(name)
            starts.append(offset + place)
            lines.append(line + lines_before)
        line += block.count(b"\n")
        offset += len(block)
    too_long = not block.endswith(b"\n")
    changes = len({content for _, content in carried}) > 1 or (carried and carried[0][0] > 1)
    unclear = not all(names) or len(set(names)) < len(names)
    if not names or unclear or outside or changes or too_long:
        return None
    stops = [*starts[1:], size]
    return DocumentIndex(
        path,
        tuple(names),
        tuple(starts),
        tuple(stops),
        (*lines, line),
        carried[0][1] if carried else b"",
    )


def says_something(before: bytes) -> bool:
    """True if there is more than comments before the first document."""
    lines = before.removeprefix(b"\xef\xbb\xbf").splitlines()
    return any(line.strip() and not line.startswith(b"#") for line in lines)


def is_packed(path: Path) -> bool:
    """True if a file is compressed."""
    with open(path, "rb") as stream:
        return stream.read(2) == b"\x1f\x8b"


def _mark_length(path: Path) -> int:
    """Number of bytes of the byte order mark of a file."""
    with open(path, "rb") as stream:
        return 3 if stream.read(3) == b"\xef\xbb\xbf" else 0


def marked_lines(block: bytes, mark: DocumentMark) -> Iterator[tuple[int, int]]:
    """Lines that may start a document: their places, and the number of lines before each."""
    sign = bytes([mark.byte])
    first = 3 if block.startswith(b"\xef\xbb\xbf") else 0
    counted = lines = 0
    # The mark is rare in most formats, and searching for one byte is fast.
    place = block.find(sign, first)
    while place >= 0:
        begins = place == first or block[place - 1 : place] == b"\n"
        if not begins and sign == b"{":  # JSON may follow blanks
            begins = not block[max(block.rfind(b"\n", 0, place) + 1, first) : place].strip()
        if begins and not block.startswith(mark.frequent, place):
            lines += block.count(b"\n", counted, place)
            counted = place
            yield place, lines
        place = block.find(sign, place + 1)


def line_at(block: bytes, place: int) -> bytes:
    """The line that begins at a place, without its end."""
    newline = block.find(b"\n", place)
    return block[place : newline if newline >= 0 else len(block)].rstrip(b"\r")


def read_range(path: Path, ranges: list[tuple[int, int]]) -> bytes:
    """Concatenated bytes of ranges of a file; each ends in a newline."""
    parts: list[bytes] = []
    with open(path, "rb") as stream:
        for start, stop in ranges:
            if start != stream.tell():
                stream.seek(start)
            parts.append(stream.read(stop - start))
            if not parts[-1].endswith(b"\n"):  # the end of a file without a last newline
                parts.append(b"\n")
    return b"".join(parts)
