"""JSON lines: one document a line, as a JSON object. What the dialects share when they are read.

A dialect says what its lines look like (a msgspec type, which checks them as they are decoded) and
how a batch of them becomes columns. Here lines are found and decoded, and problems are told with
their line and the path inside it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Generic, NoReturn, TypeVar

import numpy as np

from corefine.corpus.arrays import IntArray
from corefine.corpus.corpus import Corpus
from corefine.corpus.joining import concatenate
from corefine.errors import FormatError, Location
from corefine.formats.input.lines import check_text, line_blocks
from corefine.formats.input.sources import Source
from corefine.formats.jsonlines.columns import Clusters, Columns, assemble
from corefine.formats.registry import LONGEST_OPENING, DocumentMark

if TYPE_CHECKING:
    from msgspec import Raw

Record = TypeVar("Record")
Value = TypeVar("Value")

LONGEST_LINE = LONGEST_OPENING
"""Bytes of a line: room for the longest novel, and an end to what a broken file can cost."""
BLOCK = 1 << 20
"""Bytes taken at a time: lines that stay in the cache while they become columns."""
SUFFIXES = (".jsonl", ".jsonlines", ".ndjson", ".json")

_KEY = re.compile(rb'"([A-Za-z_]+)"\s*:')
_MISSING = re.compile(r"Object missing required field `(\w+)`")
_AT = re.compile(r"(.*) - at `\$\.?(.*)`")
_MALFORMED = re.compile(r"JSON is malformed: (.*) \(byte (\d+)\)")
_NOT_A_NUMBER = re.compile(rb"-?(?:NaN|nan|Infinity|inf)")


@dataclass(frozen=True, slots=True, eq=False)
class Batch(Generic[Record]):
    """Some lines of a source, decoded, and the numbers of these lines."""

    source: Source
    records: list[Record] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)

    def refuse(self, document: int, message: str, remedy: str) -> NoReturn:
        """Raise the error of one line."""
        raise FormatError(message, self.source.where(self.lines[document]), remedy)

    def decode(self, document: int, value: Raw, kind: type[Value], key: str) -> Value:
        """What a line has under a key and was left as it is written."""
        import msgspec

        try:
            return msgspec.json.decode(value, type=kind)
        except msgspec.DecodeError as error:
            where = self.source.where(self.lines[document])
            raise _problem(error, bytes(value), where, key) from None


def is_given(record: object, key: str) -> bool:
    """Whether a line has something other than null under a key."""
    value = getattr(record, key)
    if value is None or isinstance(value, list | str | int):
        return value is not None
    return bytes(memoryview(value)[:5]) not in (b"", b"null")


def read_batches(
    source: Source,
    record: type[Record],
    columns_of: Callable[[Batch[Record]], Columns],
    format: str,
    window: int | None,
) -> Iterator[Corpus]:
    """The documents of a source, as one corpus or as one for every ``window`` bytes or so."""
    names = _Names(source)
    parts: list[Corpus] = []
    size, mentioned = 0, False
    for batch, consumed in _batches(source, record):
        size += consumed
        columns = columns_of(batch)
        check_spans(batch, columns.clusters, columns.start, columns.stop, columns.lengths)
        known = [names.take(batch, *named) for named in enumerate(columns.names)]
        parts.append(assemble(columns, known, batch.lines, source, format, named=names.given))
        mentioned = mentioned or len(columns.start) > 0
        if window is not None and size >= window:
            yield concatenate(parts)
            parts, size = [], 0
    if parts and not mentioned:
        warning = f"{source.name}: no cluster holds a mention, so there are no mentions"
        parts[-1] = replace(parts[-1], warnings=(*parts[-1].warnings, warning))
    if parts:
        yield concatenate(parts)


class _Names:
    """The names of a source's documents so far: given by all lines or by none, each once."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.seen: dict[str, int] = {}
        self.given = True

    def take(self, batch: Batch[Record], document: int, name: str | None) -> str:
        line = batch.lines[document]
        if not self.seen:
            self.given = name is not None
        if self.given != (name is not None):
            has = "has a name" if name is not None else "has no name"
            batch.refuse(
                document,
                f"the document {has}, unlike earlier ones",
                "Give all documents their doc_key, or none.",
            )
        if name is None:
            name = f"{self.source.stem}:{len(self.seen) + 1}".removeprefix(":")
        if name in self.seen:
            first = self.source.where(self.seen[name])
            batch.refuse(
                document,
                f"document {name!r} is there twice, first at {first}",
                "Rename or remove one of them.",
            )
        self.seen[name] = line
        return name


def _batches(source: Source, record: type[Record]) -> Iterator[tuple[Batch[Record], int]]:
    """The decoded lines of a source, and the bytes that they took; blank lines are left out."""
    import msgspec

    decode = msgspec.json.Decoder(record).decode
    number, nothing = 0, True
    for block in line_blocks(source, BLOCK, LONGEST_LINE):
        check_text(block, source, number + 1, LONGEST_LINE)
        batch: Batch[Record] = Batch(source)
        for line in block.tobytes().split(b"\n")[:-1]:
            number += 1
            if not line or line.isspace():
                continue
            try:
                batch.records.append(decode(line))
            except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
                raise _problem(error, line, source.where(number)) from None
            batch.lines.append(number)
        if batch.records:
            nothing = False
            yield batch, len(block)
    if nothing:
        raise FormatError(
            "the file is empty" if not number else "the file holds only blank lines",
            source.where(),
            "Check that this is the right file.",
        )


def _problem(error: Exception, line: bytes, where: Location, key: str = "") -> FormatError:
    """What is wrong with a line, or with what it has under a key, in words."""
    if isinstance(error, RecursionError):
        return FormatError("nested too deeply", where, "Check that this is the right file.")
    if isinstance(error, UnicodeDecodeError):
        return FormatError("invalid UTF-8", where, "Convert the file to UTF-8.")
    text = str(error)
    if found := _MALFORMED.fullmatch(text):
        reason, byte = found.group(1), int(found.group(2))
        remedy = "Every line must be one JSON object."
        if _NOT_A_NUMBER.match(line[byte : byte + 9]):
            reason, remedy = "not a number", "JSON knows no NaN and no Infinity: leave them out."
        return FormatError(f"malformed JSON: {reason} (byte {byte + 1})", where, remedy)
    if text == "Input data was truncated":
        return FormatError(
            "malformed JSON: the line ends in the middle of it",
            where,
            "Write each document on one line; a file that was cut off must be copied again.",
        )
    if not key and line.lstrip().startswith(b"["):
        return FormatError(
            "a JSON array where the object of a document should be",
            where,
            "Write one document a line, without brackets around them all.",
        )
    path = key
    if found := _AT.fullmatch(text):
        text, path = found.group(1), key + found.group(2)
    if found := _MISSING.match(text):
        text = f"the key {found.group(1)!r} is missing"
    text = (path and f"{path}: ") + (text[0].lower() + text[1:]).replace("`", "")
    return FormatError(text, where, "The page of the format shows what a line looks like.")


def check_spans(
    batch: Batch[Record],
    clusters: Clusters,
    start: IntArray,
    stop: IntArray,
    lengths: IntArray,
    unit: str = "tokens",
) -> None:
    """Refuse mentions without a word, and mentions beyond the end of their document."""
    document = clusters.document_of_mentions
    length = lengths[document]
    wrong = (stop <= start) | (stop > length)
    if wrong.any():
        mention = int(np.argmax(wrong))
        if stop[mention] > length[mention]:
            problem = f"beyond the {length[mention]:,} {unit} of the document"
        else:
            problem = "which ends before it begins"
        batch.refuse(
            int(document[mention]),
            f"{clusters.path(mention)} is {clusters.numbers[mention].tolist()}, {problem}",
            clusters.convention,
        )


def _name_of_line(line: bytes) -> str | None:
    """The name of the document on a line, without reading the rest; empty where there is none."""
    import msgspec

    from corefine.formats.jsonlines.records import Named

    try:
        record = msgspec.json.decode(line, type=Named)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return ""
    names = (record.doc_key, record.document_id, record.id)
    name = next((str(name) for name in names if name is not None), "")
    return f"{name}; part {record.part}" if record.part else name


LINE_MARK = DocumentMark(ord("{"), _name_of_line)
"""Every line is a document."""


def _keys(line: bytes) -> frozenset[str]:
    import msgspec

    try:
        return frozenset(msgspec.json.decode(line, type=dict[str, msgspec.Raw]))
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        # A damaged line still shows what it was meant to be; reading it says what is wrong.
        return frozenset(key.decode() for key in _KEY.findall(line[:BLOCK]))


_last_keys: dict[tuple[int, int], frozenset[str]] = {}
"""The keys of the line that was looked at last, by its length and hash: all dialects ask."""


def keys_of(head: bytes) -> frozenset[str]:
    """The keys of the first line of a file that starts with these bytes; none if it is not JSON."""
    opening = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if not opening.startswith((b"{", b"[")):
        return frozenset()
    line, newline, rest = opening.partition(b"\n")
    if newline and len(line.strip()) < 3:
        line += rest  # an object or an array that is spread over lines
    known = len(line), hash(line)
    if known not in _last_keys:
        keys = _keys(line)
        _last_keys.clear()
        _last_keys[known] = keys
    return _last_keys[known]
