"""An index of documents: where each one stands in a file, without reading what is in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import BinaryIO

import numpy as np

from corefine.formats.registry import DocumentMark

CHUNK = 4 << 20
_NEWLINE = 10


@dataclass(frozen=True, slots=True, eq=False)
class DocumentIndex:
    """Where the documents of a file stand: bytes from ``start`` to ``stop``, from line ``line``."""

    path: Path
    names: tuple[str, ...]
    starts: tuple[int, ...]
    stops: tuple[int, ...]
    lines: tuple[int, ...]
    """The line, counted from 1, at which each document begins, and at last that behind the file."""
    carried: bytes = b""
    """The line that holds for all documents, wherever it stands."""

    def __len__(self) -> int:
        return len(self.names)


def index_documents(path: Path, mark: DocumentMark) -> DocumentIndex | None:
    """The index of a file; None if its documents cannot be read by themselves.

    That is so if tokens stand before the first one, if one has no name, or if what holds for all
    changes on the way.
    """
    carried: list[tuple[int, bytes]] = []
    names: list[str] = []
    starts: list[int] = []
    lines: list[int] = []
    outside = False
    last = 1
    with open(path, "rb", buffering=0) as stream:
        for offset, line, block in _line_blocks(stream):
            for place, lines_before in marked_lines(block, mark.byte):
                content = line_at(block, place)
                name = mark.name(content)
                if mark.carried is not None and mark.carried(content):
                    carried.append((len(names), content))
                if name is None:
                    continue
                if not names:
                    outside = offset > 0 or says_something(block[:place])
                names.append(name)
                starts.append(offset + place)
                lines.append(line + lines_before)
            last = line + block.count(b"\n")
        size = stream.tell()
    changes = len({content for _, content in carried}) > 1 or (carried and carried[0][0] > 1)
    if not names or outside or changes or not all(names):
        return None
    stops = [*starts[1:], size]
    return DocumentIndex(
        path,
        tuple(names),
        tuple(starts),
        tuple(stops),
        (*lines, last),
        carried[0][1] if carried else b"",
    )


def says_something(before: bytes) -> bool:
    """Whether there is more than comments in what stands before the first document."""
    lines = before.removeprefix(b"\xef\xbb\xbf").splitlines()
    return any(line.strip() and not line.startswith(b"#") for line in lines)


def is_packed(path: Path) -> bool:
    """Whether a file is compressed, so that its bytes are not those of its text."""
    with open(path, "rb") as stream:
        return stream.read(2) == b"\x1f\x8b"


def _line_blocks(stream: BinaryIO) -> Iterator[tuple[int, int, bytes]]:
    """Blocks of whole lines, with the offset and the line at which each begins."""
    offset, line, kept = 0, 1, b""
    while piece := stream.read(CHUNK):
        block = kept + piece
        cut = block.rfind(b"\n") + 1
        if not cut:
            kept = block
            continue
        block, kept = block[:cut], block[cut:]
        yield offset, line, block
        offset += cut
        line += int(np.count_nonzero(np.frombuffer(block, np.uint8) == _NEWLINE))
    if kept:
        yield offset, line, kept


def marked_lines(block: bytes, byte: int) -> Iterator[tuple[int, int]]:
    """Lines that begin with the byte: where each starts, and how many lines stand before it."""
    data = np.frombuffer(block, np.uint8)
    newline = np.flatnonzero(data[:-1] == _NEWLINE)
    marked = np.flatnonzero(data[newline + 1] == byte)
    first = 3 if block.startswith(b"\xef\xbb\xbf") else 0
    if block[first : first + 1] == bytes([byte]):
        yield first, 0
    yield from zip((newline[marked] + 1).tolist(), (marked + 1).tolist(), strict=True)


def line_at(block: bytes, place: int) -> bytes:
    """The line that begins at a place, without its end."""
    stop = block.find(b"\n", place)
    return block[place : stop if stop >= 0 else len(block)].rstrip(b"\r")


def read_range(path: Path, ranges: list[tuple[int, int]]) -> bytes:
    """The bytes of some ranges of a file, one behind the other."""
    with open(path, "rb", buffering=0) as stream:
        parts = []
        for start, stop in _joined(ranges):
            stream.seek(start)
            missing = stop - start
            while missing and (piece := stream.read(missing)):
                parts.append(piece)
                missing -= len(piece)
    return b"".join(parts)


def _joined(ranges: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Ranges in which neighbours are one."""
    if not ranges:
        return
    start = ranges[0][0]
    for (_, stop), (following, _) in pairwise(ranges):
        if stop != following:
            yield start, stop
            start = following
    yield start, ranges[-1][1]
