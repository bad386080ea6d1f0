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
from typing import BinaryIO, NoReturn, cast

from corefine.errors import CorefineError, FormatError, Location
from corefine.output.progress import Progress

LARGEST_UNPACKED, PACKED_AT_MOST = 64 << 20, 100
"""Bytes that packed data may have in any case, and how many times its size as it is stored: no
annotated text is packed so well, and a few megabytes could fill any memory."""
HEAD = 1 << 16
STANDARD_INPUT = "<stdin>"
"""Name of standard input in messages."""
SUFFIXES = (
    *(".v4_gold_conll", ".v4_auto_conll", ".conll", "_conll", ".conllu", ".conllua", ".ua"),
    *(".semeval", ".jsonlines", ".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".parquet"),
    *(".txt.chains", ".chains", ".ann", "_coref_level.xml", ".xml", ".xmi", ".tei", ".entities"),
    *(".coref", ".tbf", ".onf", ".txt"),
)
"""Suffixes of file names that are not part of the document's name."""

_COMPRESSED = {
    b"BZh": "bzip2",
    b"\xfd7zXZ\x00": "xz",
    b"PK\x03\x04": "zip",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"7z\xbc\xaf\x27\x1c": "7z",
}
_ENCODINGS = {
    "UTF-32": re.compile(
        rb"\xff\xfe\0\0|\0\0\xfe\xff|(?:[^\0]\0\0\0){2}|(?:\0\0\0[^\0]){2}", re.DOTALL
    ),
    "UTF-16": re.compile(rb"\xff\xfe|\xfe\xff|(?:[^\0]\0){4}|(?:\0[^\0]){4}", re.DOTALL),
}
"""First bytes in other encodings, with a byte order mark or without, since all formats begin with
ASCII."""


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
    """The open file."""
    _stored: _Counted | None = field(default=None, repr=False)
    """Its bytes as they are stored."""
    _stream: _Counted | gzip.GzipFile | None = field(default=None, repr=False)
    """Its bytes after decompression."""
    _head: bytes | None = field(default=None, repr=False)
    _served: int = field(default=0, repr=False)
    """Number of bytes of the head that have been read as content."""
    _unpacked: int = field(default=0, repr=False)
    """Number of decompressed bytes read."""
    _reported: int = field(default=0, repr=False)
    """Number of bytes reported as consumed."""

    @classmethod
    def of_content(cls, name: str, content: bytes) -> Source:
        """A source whose content is known, as if it was read from the place of this name."""
        return cls(name, None if name == STANDARD_INPUT else Path(name), content=content)

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

    def error(
        self, message: str, line: int | None, remedy: str | None = None, code: str | None = None
    ) -> FormatError:
        """The error for a line of the source that does not follow its format."""
        return FormatError(message, self.where(line), remedy, code=code)

    def head(self) -> bytes:
        """The first bytes, decompressed; reading continues from the beginning nonetheless."""
        if self._head is None:
            self._open()
            self._head = self._read(HEAD)
            for name, pattern in _ENCODINGS.items():
                if pattern.match(self._head) and not self._head.startswith(b"PAR1"):
                    raise FormatError(
                        f"encoded in {name}", self.where(1), "Convert the file to UTF-8."
                    )
        return self._head

    def first_bytes(self, count: int) -> bytes:
        """So many first bytes, or all that there are; :meth:`head` gives as many from then on."""
        head = self.head()
        if HEAD <= len(head) < count:
            head = self._head = head + self._read(count - len(head))
        return head

    def read(self, count: int) -> bytes:
        """So many further bytes; fewer only at the end."""
        head = self.head()[self._served : self._served + count]
        self._served += len(head)
        if self._head is not None and self._served >= len(self._head) > HEAD:
            self._head = self._head[:HEAD]  # the first record of JSON may be the whole file
        return head + self._read(count - len(head)) if len(head) < count else head

    def read_all(
        self, largest: int | None = None, remedy: str = "Keep one document per file."
    ) -> bytes:
        """Everything that is left, as one object: for formats that are not cut by lines.

        More than ``largest`` bytes are refused, before all of them are read.
        """
        pieces = [self.head()[self._served :]]
        size = len(pieces[0])
        while piece := self._read(1 << 20):
            pieces.append(piece)
            size += len(piece)
            if largest is not None and size > largest:
                self.close()
                raise FormatError(
                    f"more than {largest >> 20} MiB in one file", self.where(), remedy
                )
        self.close()
        return b"".join(pieces)

    def close(self) -> None:
        """Close the file; it can be read again from its beginning."""
        if self._raw is not None and self._raw is not sys.stdin.buffer:
            self._raw.close()
        self._raw = self._stream = self._head = self._stored = None
        self._served = self._unpacked = 0

    def _open(self) -> None:
        if self.content is not None:
            self._raw = io.BytesIO(self.content)
        elif self.path is None:
            self._raw = sys.stdin.buffer
        else:
            try:
                self._raw = open(self.path, "rb", buffering=0)  # noqa: SIM115
            except OSError as error:
                raise self._unreadable(error) from None
        self._stream = self._stored = _Counted(self._raw, self._report)
        magic = self._read(6)
        self._stored.taken = magic
        for signature, tool in _COMPRESSED.items():
            if magic.startswith(signature):
                raise FormatError(
                    f"{tool} compression is not supported",
                    self.where(),
                    "Decompress the file, or compress it with gzip.",
                )
        if magic.startswith(b"\x1f\x8b"):
            self._stream = gzip.GzipFile(fileobj=cast(BinaryIO, self._stored), mode="rb")

    def _read(self, count: int) -> bytes:
        """So many further bytes; fewer only at the end.

        Packed data that unpacks to far more than annotated text does is refused.
        """
        assert self._stream is not None
        assert self._stored is not None
        pieces = []
        while count:
            try:
                piece = self._stream.read(min(count, 1 << 20))
            except (OSError, EOFError, zlib.error) as error:
                raise self._unreadable(error) from None
            if not piece:
                break
            pieces.append(piece)
            count -= len(piece)
            if not self.is_packed:
                continue
            self._unpacked += len(piece)
            packed, unpacked = self._stored.position, self._unpacked
            if unpacked > max(LARGEST_UNPACKED, PACKED_AT_MOST * packed):
                self.close()
                raise FormatError(
                    f"{packed:,} bytes of gzip unpack to {unpacked:,} and more",
                    self.where(),
                    "Decompress the file if this is intended.",
                )
        return b"".join(pieces)

    def _report(self, position: int) -> None:
        """Report the bytes consumed up to a position, once."""
        if self.consumed is not None and position > self._reported:
            self.consumed(position - self._reported)
            self._reported = position

    def _unreadable(self, error: Exception) -> CorefineError:
        if isinstance(error, EOFError | gzip.BadGzipFile | zlib.error):
            problem = "truncated" if isinstance(error, EOFError) else "corrupt"
            return FormatError(
                f"{problem} gzip data", self.where(), "Copy or compress the file again."
            )
        reason = getattr(error, "strerror", None) or str(error)
        return CorefineError(
            f"cannot be read: {reason.lower()}", self.where(), "Check the path and its permissions."
        )


class _Counted:
    """A stream that reports its position; ``taken`` are first bytes that were put back."""

    def __init__(self, stream: BinaryIO, report: Callable[[int], None]) -> None:
        self.stream = stream
        self.report = report
        self.taken = b""
        self.position = 0

    def read(self, count: int) -> bytes:
        piece, self.taken = self.taken[:count], self.taken[count:]
        if not piece:
            piece = self.stream.read(count)
            self.position += len(piece)
            self.report(self.position)
        return piece


def find_sources(place: str | os.PathLike[str], progress: Progress | None = None) -> list[Source]:
    """Inputs of a path, a directory, a glob pattern or ``-``, in sorted order.

    Hidden files of a directory are left out; its subdirectories are included. ``progress`` is
    called with the number of bytes read.
    """
    text = os.fspath(place)
    if text == "-":
        return _counted([Source(STANDARD_INPUT)], "reading standard input", progress)
    path = Path(text)
    code, missing = None, "no such file or directory"
    try:
        if path.is_dir():
            paths, missing = _files_below(path), "the directory is empty"
        elif path.exists() or not glob.has_magic(text):
            paths = [path] if path.exists() else []
        else:
            found = map(Path, sorted(glob.glob(text, recursive=True)))
            paths = [one for one in found if not one.is_dir()]
            code, missing = "no-file", "no file matches the pattern"
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise CorefineError(
            f"cannot be read: {reason.lower()}", Location(text), "Check the path."
        ) from None
    if not paths:
        raise CorefineError(missing, Location(str(path)), "Check the path.", code=code)
    return _counted([Source(str(found), found) for found in paths], f"reading {text}", progress)


def is_stream(place: str | os.PathLike[str]) -> bool:
    """True for standard input and pipes, which can be read only once."""
    text = os.fspath(place)
    known = os.path.isfile(text) or os.path.isdir(text)
    return text == "-" or (os.path.exists(text) and not known)


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
    for folder, inner, names in os.walk(directory, onerror=_raise):
        inner[:] = [name for name in inner if not name.startswith(".")]
        paths = (Path(folder, name) for name in names if not name.startswith("."))
        found += [path for path in paths if path.is_file()]
    return sorted(found, key=lambda path: str(path).split(os.sep))


def _raise(error: OSError) -> NoReturn:
    raise error


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
