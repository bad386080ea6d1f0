"""Inputs: files, directories, glob patterns and standard input, compressed with gzip or not.

A :class:`Source` is one input. Its first bytes are available for format detection; it is then read
once as a stream, so that files need not fit into memory.

In formats with several files per document, the name of a document becomes the name of a file and
back; characters that a file name cannot have are escaped as in a web address: the document
``bc/cctv`` is the file ``bc%2Fcctv``.
"""

from __future__ import annotations

import glob
import gzip
import io
import os
import re
import sys
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, cast

from corefine.errors import CorefineError, FormatError, Location
from corefine.output.progress import Progress

LARGEST_UNPACKED, PACKED_AT_MOST = 64 << 20, 100
"""Bytes that packed data may have in any case, and how many times its size as it is stored: no
annotated text is packed so well, and a few megabytes could fill any memory."""
HEAD = 1 << 16
SUFFIXES = (
    *(".v4_gold_conll", ".v4_auto_conll", ".conll", "_conll", ".conllu", ".conllua", ".ua"),
    *(".semeval", ".jsonlines", ".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".parquet"),
    *(".txt.chains", ".chains", ".ann", "_coref_level.xml", ".xml", ".xmi", ".tei", ".entities"),
    *(".coref", ".tbf", ".txt"),
)
"""Suffixes of file names that are not part of the document's name."""

_COMPRESSED = {
    b"BZh": "bzip2",
    b"\xfd7zXZ\x00": "xz",
    b"PK\x03\x04": "zip",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"7z\xbc\xaf\x27\x1c": "7z",
}
_OTHER_ENCODINGS = {
    b"\xff\xfe\x00\x00": "UTF-32",
    b"\x00\x00\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}
_WITHOUT_MARK = {
    re.compile(rb"(?:[^\0]\0){4}|(?:\0[^\0]){4}"): "UTF-16",
    re.compile(rb"(?:[^\0]\0\0\0){2}|(?:\0\0\0[^\0]){2}"): "UTF-32",
}
"""Patterns of the first bytes of other encodings, since all formats begin with ASCII."""


@dataclass(slots=True)
class Source:
    """One input: its name for messages, its path where it is a file, and its bytes."""

    name: str
    path: Path | None = None
    consumed: Callable[[int], object] | None = None
    """Called with numbers of bytes, as they are stored, that are read for the first time."""
    content: bytes | None = None
    """The bytes, if they are in memory."""
    part: bool = False
    """True if the source is a part of a file."""
    lines_before: int = 0
    """Number of lines of the file before this part."""
    carried: bytes = b""
    """A line before this part of a file that holds for the part as well."""
    _raw: BinaryIO | None = field(default=None, repr=False)
    """The open file, and the stream of its bytes as they are after decompression."""
    _stream: BinaryIO | None = field(default=None, repr=False)
    _head: bytes | None = field(default=None, repr=False)
    _served: int = field(default=0, repr=False)
    """Number of bytes of the head that have been read as content."""
    _packed: _Counted | None = field(default=None, repr=False)
    """Stream of compressed bytes, if the source is compressed."""
    _unpacked: int = field(default=0, repr=False)
    """Number of decompressed bytes read."""
    _told: int = field(default=0, repr=False)
    """Number of bytes reported as consumed."""

    @property
    def stem(self) -> str:
        """File name without the suffix of its format; empty for standard input."""
        name = "" if self.path is None else self.path.name.removesuffix(".gz")
        ending = next((ending for ending in SUFFIXES if name.endswith(ending)), "")
        return name.removesuffix(ending)

    @property
    def size(self) -> int | None:
        """Size of the stored input in bytes, if known."""
        if self.content is not None:
            return len(self.content)
        if self.path is None:
            return None
        try:
            return self.path.stat().st_size
        except OSError:
            return None

    @property
    def is_packed(self) -> bool:
        """True if the source is compressed; known after the first read."""
        return isinstance(self._stream, gzip.GzipFile)

    def where(self, line: int | None = None) -> Location:
        """A line of the source for messages, counted from the start of its file."""
        return Location(self.name, None if line is None else line + self.lines_before)

    def head(self) -> bytes:
        """The first bytes, decompressed; reading goes on from the beginning all the same."""
        if self._head is None:
            self._stream = self._open()
            pieces, missing = [], HEAD
            while missing and (piece := self._read(self._stream, missing)):
                pieces.append(piece)
                missing -= len(piece)
            self._head = b"".join(pieces)
            self._refuse_other_encodings(self._head)
        return self._head

    def first_bytes(self, longest: int) -> bytes:
        """So many first bytes, or all that there are; :meth:`head` gives as much from then on."""
        head = self.head()
        while HEAD <= len(head) < longest and self._stream is not None:
            more = self._read(self._stream, min(len(head), longest - len(head)))
            if not more:
                break
            head = self._head = head + more
        return head

    def read_into(self, buffer: memoryview) -> int:
        """Fill the buffer with the next bytes; fewer than it holds only at the end."""
        head = self.head()
        filled = min(len(head) - self._served, len(buffer))
        buffer[:filled] = head[self._served : self._served + filled]
        self._served += filled
        stream = self._stream
        assert stream is not None
        while filled < len(buffer):
            try:
                count = stream.readinto(buffer[filled:])  # type: ignore[attr-defined]
            except (OSError, EOFError, zlib.error) as error:
                raise self._unreadable(error) from None
            if not count:
                break
            filled += count
            self._refuse_bombs(stream, count)
        return filled

    def read_all(
        self, largest: int | None = None, remedy: str = "Keep one document per file."
    ) -> bytes:
        """Everything that is left, as one object: for formats that are not cut by lines.

        More than ``largest`` bytes are refused, before all of them are read.
        """
        pieces = [self.head()[self._served :]]
        size = len(pieces[0])
        assert self._stream is not None
        while piece := self._read(self._stream, 1 << 20):
            pieces.append(piece)
            size += len(piece)
            if largest is not None and size > largest:
                self.close()
                raise FormatError(
                    f"more than {largest >> 20} MiB in one file",
                    self.where(),
                    remedy,
                )
        self.close()
        return b"".join(pieces)

    def close(self) -> None:
        """Let go of the file; after that the source can be read again if it is one."""
        if self._raw is not None and self._raw is not sys.stdin.buffer:
            self._raw.close()
        self._raw = self._stream = self._head = self._packed = None
        self._served = self._unpacked = 0

    def _read(self, stream: BinaryIO, count: int) -> bytes:
        try:
            piece = stream.read(count)
        except (OSError, EOFError, zlib.error) as error:
            raise self._unreadable(error) from None
        self._refuse_bombs(stream, len(piece))
        return piece

    def _refuse_bombs(self, stream: BinaryIO, count: int) -> None:
        """Refuse packed data that unpacks to far more than annotated text does."""
        if self._packed is None or stream is self._raw:
            return
        self._unpacked += count
        packed, unpacked = self._packed.position, self._unpacked
        if unpacked > max(LARGEST_UNPACKED, PACKED_AT_MOST * packed):
            self.close()
            raise FormatError(
                f"{packed:,} bytes of gzip unpack to {unpacked:,} and more",
                self.where(),
                "Decompress the file if this is intended.",
            )

    def _open(self) -> BinaryIO:
        if self.content is not None:
            self._raw = io.BytesIO(self.content)
        elif self.path is None:
            self._raw = sys.stdin.buffer
        else:
            try:
                self._raw = open(self.path, "rb", buffering=0)  # noqa: SIM115
            except OSError as error:
                raise self._unreadable(error) from None
        magic = b""
        while len(magic) < 6 and (piece := self._read(self._raw, 6 - len(magic))):
            magic += piece
        self._refuse_other_packings(magic)
        counted = _Counted(magic, self._raw, self._tell)
        if magic.startswith(b"\x1f\x8b"):
            self._packed = counted
            return cast(BinaryIO, gzip.GzipFile(fileobj=cast(BinaryIO, counted), mode="rb"))
        return cast(BinaryIO, counted)

    def _tell(self, position: int) -> None:
        """Report the bytes consumed up to a position, once."""
        if self.consumed is not None and position > self._told:
            self.consumed(position - self._told)
            self._told = position

    def _refuse_other_packings(self, magic: bytes) -> None:
        for signature, tool in _COMPRESSED.items():
            if magic.startswith(signature):
                raise FormatError(
                    f"{tool} compression is not supported",
                    self.where(),
                    "Decompress the file, or compress it with gzip.",
                )

    def _refuse_other_encodings(self, head: bytes) -> None:
        if head.startswith(b"PAR1"):
            return
        for mark, name in _OTHER_ENCODINGS.items():
            if head.startswith(mark):
                raise FormatError(f"encoded in {name}", self.where(1), "Convert the file to UTF-8.")
        for pattern, name in _WITHOUT_MARK.items():
            if pattern.match(head):
                message = f"encoded in {name} without a byte order mark"
                raise FormatError(message, self.where(1), "Convert the file to UTF-8.")

    def _unreadable(self, error: Exception) -> CorefineError:
        if isinstance(error, EOFError):
            return FormatError(
                "truncated gzip data",
                self.where(),
                "Copy or compress the file again.",
            )
        if isinstance(error, gzip.BadGzipFile | zlib.error):
            return FormatError(
                f"corrupt gzip data ({error})",
                self.where(),
                "Copy or compress the file again.",
            )
        reason = error.strerror if isinstance(error, OSError) else None
        return CorefineError(
            f"cannot be read: {(reason or str(error)).lower()}",
            self.where(),
            "Check the path and its permissions.",
        )


class _Counted(io.RawIOBase):
    """A stream with its first bytes put back, which reports its position."""

    def __init__(self, taken: bytes, stream: BinaryIO, tell: Callable[[int], None]) -> None:
        self._taken = taken
        self._stream = stream
        self._tell = tell
        self.position = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        if self._taken:
            count = min(len(self._taken), len(buffer))
            buffer[:count] = self._taken[:count]
            self._taken = self._taken[count:]
        else:
            count = self._stream.readinto(buffer)  # type: ignore[attr-defined]
        self.position += count
        self._tell(self.position)
        return count


def find_sources(place: str | os.PathLike[str], progress: Progress | None = None) -> list[Source]:
    """Inputs of a path, a directory, a glob pattern or ``-``, in sorted order.

    Hidden files of a directory are left out; its subdirectories are included. ``progress`` is
    called with the number of bytes read.
    """
    text = os.fspath(place)
    if text == "-":
        return _counted([Source("<stdin>")], "reading standard input", progress)
    path = Path(text)
    try:
        if path.is_dir():
            paths = _files_below(path)
            if not paths:
                raise CorefineError("the directory is empty", Location(text), "Check the path.")
        elif path.exists() or not glob.has_magic(text):
            paths = [path]
        else:
            paths = [found for found in map(Path, sorted(glob.glob(text, recursive=True)))
                     if not found.is_dir()]  # fmt: skip
            if not paths:
                raise CorefineError(
                    "no file matches the pattern", Location(text), "Check the pattern."
                )
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise CorefineError(
            f"cannot be read: {reason.lower()}", Location(text), "Check the path."
        ) from None
    if paths == [path] and not path.exists():
        raise CorefineError("no such file or directory", Location(str(path)), "Check the path.")
    return _counted([Source(str(found), found) for found in paths], f"reading {text}", progress)


def _counted(sources: list[Source], task: str, progress: Progress | None) -> list[Source]:
    """The sources, which report their common progress."""
    if progress is not None:
        total = sum(source.size or 0 for source in sources)
        done = 0

        def consumed(count: int) -> None:
            nonlocal done
            done += count
            progress(task, done, total)

        for source in sources:
            source.consumed = consumed
    return sources


def _files_below(directory: Path) -> list[Path]:
    """The files of a directory and those below it, sorted as paths are: part by part."""
    found: list[Path] = []
    folders = [os.fspath(directory)]
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in entries:
                if entry.name.startswith("."):
                    continue
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
                elif entry.is_file():
                    found.append(Path(entry.path))
    return sorted(found, key=lambda path: str(path).split(os.sep))


_NOT_IN_NAMES = re.compile(r'[\x00-\x1f\x7f/\\:*?"<>|%]|^[. ]|[. ]$')
_WRITTEN = re.compile(r"%([0-9A-F]{2})")
_LONGEST = 200
"""Bytes of a file's name, its endings left out; 255 is what most systems allow."""
_NAMELESS = "%"
"""The file of a document whose name is empty."""


def document_name(source: Source, *endings: str) -> str:
    """The name of the document that a file holds: the file's, without these endings."""
    name = stem(source, *endings)
    return "" if name == _NAMELESS else _WRITTEN.sub(_decoded, name)


def stem(source: Source, *endings: str) -> str:
    """The name of a source's file without these endings, taken off in their order."""
    name = "" if source.path is None else source.path.name.removesuffix(".gz")
    for ending in endings:
        name = name.removesuffix(ending)
    return name


def _decoded(match: re.Match[str]) -> str:
    character = chr(int(match[1], 16))
    return character if _NOT_IN_NAMES.match(character) else match[0]


def file_names(documents: Sequence[str]) -> list[str]:
    """Names of files without endings, one for each document, all different."""
    names: list[str] = []
    used: set[str] = set()
    for document in documents:
        name = _encoded(document)
        if len(name.encode("utf-8", "replace")) > _LONGEST or name in used:
            cut = name.encode("utf-8", "ignore")[: _LONGEST - 12].decode("utf-8", "ignore")
            number = 1
            while (name := f"{cut}~{number}") in used:
                number += 1
        used.add(name)
        names.append(name)
    return names


def _encoded(document: str) -> str:
    return _NOT_IN_NAMES.sub(lambda match: f"%{ord(match[0]):02X}", document) or _NAMELESS


def companion(source: Source, names: Iterable[str], folders: Iterable[str] = ()) -> Source | None:
    """The first file with one of these names in the folder of a source, or in sibling folders."""
    if source.path is None:
        return None
    own, names = os.path.dirname(source.path), list(names)
    for folder in (own, *(os.path.join(own, os.pardir, name) for name in folders)):
        for name in names:
            for ending in ("", ".gz"):
                path = os.path.join(folder, name + ending)
                if os.path.isfile(path):
                    tidy = os.path.normpath(path)
                    return Source(tidy, Path(tidy))
    return None
