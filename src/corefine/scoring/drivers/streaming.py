"""Scoring files window by window, on one core or several, within a bound of memory.

A window consists of whole documents that fit into memory together. Both sides are paired by
document id through an index of offsets, so their order does not matter.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from corefine.corpus.arrays import IntArray, offsets_of
from corefine.corpus.corpus import Corpus
from corefine.errors import CorefineError, Location, UsageError
from corefine.formats import Source, find_sources, format_named, sniff
from corefine.formats.io.index import DocumentIndex, index_documents, is_packed, read_range
from corefine.output.progress import Progress, silent
from corefine.scoring.count import Counts, count
from corefine.scoring.drivers.processes import in_order
from corefine.scoring.request import Request
from corefine.scoring.score import SMALL
from corefine.scoring.sides import File


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
        try:
            corpus = format_named(self.format).corpus(self._source(), layers)
        except CorefineError as error:
            if error.where is not None and error.where.line is not None:
                (line,) = self._in_file(np.array([error.where.line])).tolist()
                error.where = replace(error.where, line=line)
            raise
        tokens = corpus.tokens
        if tokens is None or tokens.lines is None:
            return corpus
        return replace(corpus, tokens=replace(tokens, lines=self._in_file(tokens.lines)))

    def _source(self) -> Source:
        try:
            content = read_range(self.path, list(self.ranges))
        except OSError as error:
            raise CorefineError(
                f"cannot be read any more: {(error.strerror or str(error)).lower()}",
                Location(str(self.path)),
                "Do not change files while they are scored.",
            ) from None
        return Source(str(self.path), content=content, part=True, carried=self.carried)

    def _in_file(self, lines: IntArray) -> IntArray:
        """The lines of the file of lines of the piece."""
        first = 1 + offsets_of(np.array(self.line_counts, np.int64))[:-1]
        document = np.searchsorted(first, lines, side="right") - 1
        return lines + (np.array(self.lines, np.int64) - first)[document]


@dataclass(frozen=True, slots=True)
class Window:
    """The same documents of both sides."""

    key: Piece
    response: Piece
    size: int


def indexed(file: File) -> tuple[str, DocumentIndex] | None:
    """The format and index of a file that can be streamed in any order; else None."""
    path = Path(file.path)
    if is_packed(path):
        return None
    source = Source(file.path, path)
    try:
        format = sniff(source, file.what) if file.format is None else format_named(file.format)
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


MEMORY = 512 << 20
"""The default bound of memory, in bytes."""
BASE = 112 << 20
"""Bytes of a process before it reads anything: Python, NumPy, SciPy and this package."""
FACTOR = 7
"""Bytes in memory per byte of a window while it is read and counted: mentions in each line
were measured at 6."""
WHOLE_FACTOR = 13
"""Bytes in memory per byte of a file that is read whole; every byte may belong to a mention."""
LARGEST_WINDOW = 32 << 20
"""The largest window, in bytes; larger windows are not faster."""
LEAST_WINDOW = 1 << 20
"""Smaller ones would only cost."""
LEAST_WHOLE = 4 << 20
"""Files of together so little are read whole, whatever the bound."""
MOST_PER_CORE = 2
"""Processes that one core may be given; more would only take memory."""


def stream(
    key: File,
    response: File,
    request: Request,
    *,
    jobs: int | None = None,
    memory: int | None = None,
    progress: Progress = silent,
) -> Counts | None:
    """The counts of two files that are read in windows; None if they must be read whole.

    Files can be streamed if they are plain files of a format whose documents can be read one by
    one, and if both have the same documents, in whatever order. The result is the same to the last
    bit as that of reading them whole, for any window and any number of processes.
    """
    if request.settings.scope != "document":
        return None
    if not (os.path.isfile(key.path) and os.path.isfile(response.path)):
        return None
    size = os.path.getsize(key.path) + os.path.getsize(response.path)
    readers = 1 if jobs == 1 or size < SMALL else 2
    ours, theirs = in_order(indexed, [(key,), (response,)], readers)
    if ours is None or theirs is None or not _same_documents(ours[1].names, theirs[1].names):
        return None
    bound = memory or MEMORY
    processes, window = _plan(jobs, bound)
    if not processes:
        if size <= LEAST_WHOLE:
            return None
        raise _too_little(bound, f"files of {size >> 20} MB", _needed(LEAST_WINDOW, 1))
    windows = list(cut(ours, theirs, window))
    largest = max((window.size for window in windows), default=0)
    if memory is not None and largest > LEAST_WHOLE and _needed(largest, 1) > memory:
        what = f"a document of {largest >> 20} MB on both sides"
        raise _too_little(memory, what, _needed(largest, 1))
    processes = min(processes, len(windows))
    while processes > 1 and _needed(largest, processes) > bound:
        processes -= 1
    total, done = sum(window.size for window in windows), 0
    parts = []
    tasks = [(window, request) for window in windows]
    with closing(in_order(_count_window, tasks, processes)) as results:
        for task, part in zip(windows, results, strict=True):
            parts.append(part)
            done += task.size
            progress("scoring", done, total)
    return Counts.sum(parts)


def _count_window(window: Window, request: Request) -> Counts:
    layers = request.layers
    return count(window.key.read(layers), window.response.read(layers), request)


def _plan(jobs: int | None, bound: int) -> tuple[int, int]:
    """The number of processes, and the bytes of both sides that each reads at once.

    The processes are those requested, as far as they fit; 0 if not even one does.
    """
    cores = os.cpu_count() or 1
    for processes in range(min(jobs or cores, MOST_PER_CORE * cores), 0, -1):
        window = (bound - _needed(0, processes)) // (FACTOR * processes)
        if window >= LEAST_WINDOW:
            return processes, min(window, LARGEST_WINDOW)
    return 0, 0


def _needed(window: int, processes: int) -> int:
    """The memory that so many processes with such windows take."""
    return BASE * (processes + (processes > 1)) + FACTOR * window * processes


def refuse_whole(files: tuple[File, File], memory: int) -> None:
    """Refuse to read files whole that do not fit into the memory that the user allows."""
    size = 0
    for file in files:
        if not (os.path.isfile(file.path) or os.path.isdir(file.path)):
            return  # pipes can be read only once, and have no size
        size += sum(_unpacked(source) for source in find_sources(file.path))
    needed = BASE + size * WHOLE_FACTOR
    if size > LEAST_WHOLE and needed > memory:
        raise _too_little(memory, f"files of {size >> 20} MB that must be read whole", needed)


def _too_little(memory: int, what: str, needed: int) -> UsageError:
    return UsageError(
        f"{memory >> 20} MB is too little for {what}",
        remedy=f"Allow at least {-(-needed >> 20)}M with --memory, or give uncompressed files in "
        "a format that can be read document by document, with the same documents on both sides.",
    )


def _unpacked(source: Source) -> int:
    """The bytes of a file, unpacked where it is packed as gzip says it; more are never assumed."""
    size = source.size or 0
    if size < 18 or source.path is None or not is_packed(source.path):
        return size
    with open(source.path, "rb") as stream:
        stream.seek(-4, os.SEEK_END)
        return max(size, int.from_bytes(stream.read(4), "little"))


def _same_documents(ours: tuple[str, ...], theirs: tuple[str, ...]) -> bool:
    """True if both have the same documents, each once; other files are checked elsewhere."""
    return len(ours) == len(theirs) and len(set(ours)) == len(ours) and set(ours) == set(theirs)
