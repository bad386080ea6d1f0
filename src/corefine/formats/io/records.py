"""JSON records: decoding with lines for errors, detection of dialects, and their registration.

A source holds one record per line, one array of records, or one record over several lines. To add a
dialect, define a :class:`Record` with ``to_document`` and ``from_document`` and decorate it with
:func:`dialect`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import accumulate, chain, pairwise
from typing import Any, ClassVar, Self, TypeVar

import msgspec
import numpy as np

from corefine.corpus.corpus import Corpus
from corefine.corpus.document import Document, Mention, without_empty_nodes
from corefine.errors import FormatError, Location, UsageError
from corefine.formats.io.lines import check_text, line_blocks
from corefine.formats.io.sources import HEAD, Source
from corefine.formats.registry import (
    HOW_TO_NAME,
    JSON,
    AgainstReader,
    DocumentMark,
    Format,
    all_formats,
    format_named,
    load_own,
    recognise,
    register,
)

T = TypeVar("T")
R = TypeVar("R", bound="Record")
Name = str | int
Span = tuple[int, int]
Triple = tuple[int, int, int]
Shapes = Mapping[str, str]

LONGEST_LINE = 64 << 20
"""Maximum number of bytes of a line: more than the longest novel."""
LARGEST_ARRAY = 1 << 30
"""Maximum number of bytes of a file that is one array."""
SUFFIXES = (".jsonl", ".jsonlines", ".ndjson", ".json")
STRING_CLUSTERS = "list of lists of strings"
"""Shape of clusters whose mentions are strings."""
_TRUNCATED = "Input data was truncated"
_PATH = re.compile(r"(.*) - at `\$\.?(.*)`")
_MALFORMED = re.compile(r"JSON is malformed: (.*) \(byte (\d+)\)")
_MISSING = re.compile(r"Object missing required field `(.*?)`")
_KEY = re.compile(rb'"([A-Za-z_]+)"\s*:\s*')
_STRING_CLUSTERS = re.compile(rb'\[(?:\s*\[\s*\]\s*,)*\s*\[\s*"')
_DESCRIBED_CLUSTERS = re.compile(rb"\[(?:\s*\[\s*\]\s*,)*\s*\[\s*\{")
_SHAPES = {
    b"[[": "list of lists", b"[{": "list of objects", b'["': "list of strings", b"[": "list",
    b"{": "object", b'"': "string", b"n": "null",
}  # fmt: skip
ABSENT = (None,)
SPANS = ("list", "list of lists")
"""Shapes of clusters of spans."""
LISTS = ("list", "list of strings")
"""Shapes of a list of words."""
PRESENT = (
    *_SHAPES.values(), "number", STRING_CLUSTERS, "damaged strings", "list of lists of objects",
)  # fmt: skip
"""All shapes."""
_UNREADABLE = (msgspec.DecodeError, RecursionError, UnicodeDecodeError)
_PLACEHOLDERS = frozenset(("", "-", "_", "*"))


# --- decoding -------------------------------------------------------------------------------------


_decoder: Callable[[Any], msgspec.json.Decoder[Any]] = cache(msgspec.json.Decoder)


def decoder(kind: type[T]) -> msgspec.json.Decoder[T]:
    """The decoder of a type, made once."""
    return _decoder(kind)


def _unique_decoder(kind: type[T]) -> Callable[[bytes], T]:
    """A function that decodes records, and refuses those that repeat a key of ``kind``."""
    decode = decoder(kind).decode
    names = {name.encode() for name in getattr(kind, "__struct_encode_fields__", ())}

    def decoded(content: bytes) -> T:
        record = decode(content)
        keys = [part[part.rfind(b'"') + 1 :] for part in content.split(b'":')]
        known = [key for key in keys if key in names]
        odd = b'" :' in content or any(b"\\" in key for key in keys)
        if odd or len(set(known)) < len(known):
            # Keys of inner objects may be the same.
            json.loads(content, object_pairs_hook=unique_keys)
        return record

    return decoded


def unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object, which must not repeat a key."""
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        repeated = next(key for key in keys if keys.count(key) > 1)
        raise msgspec.ValidationError(f"the key {repeated[:60]!r} occurs twice")
    return found


def decode_object(line: bytes) -> dict[str, Any] | None:
    """The JSON object of a line; None if it is not one."""
    try:
        return decoder(dict[str, Any]).decode(line)
    except _UNREADABLE:
        return None


def read_records(source: Source, kind: type[T]) -> Iterator[tuple[T, int]]:
    """Yield the records of a source, decoded as ``kind``, and the line where each starts.

    Lines are counted from the start of the source, which may be a part of a file.
    """
    is_whole = not source.part and _is_whole(source.head())
    decode = _unique_decoder(kind)
    empty = True
    for content, line in (_elements_of if is_whole else _lines_of)(source):
        empty = False
        try:
            record = decode(content)
        except _UNREADABLE as error:
            raise decoding_error(error, content, source.where, line) from None
        yield record, line
    if empty:
        message = "the array is empty" if is_whole else "no records"
        raise source.error(message, 1 if is_whole else None, "Check that this is the right file.")


def _lines_of(source: Source) -> Iterator[tuple[bytes, int]]:
    """The lines of a source that are not blank, and their numbers."""
    number = 0
    for block in line_blocks(source, longest=LONGEST_LINE):
        check_text(block, source, number + 1, LONGEST_LINE)
        # A block that is one line is not copied.
        is_line = block.find(b"\n") == len(block) - 1
        for line in [block] if is_line else block.split(b"\n")[:-1]:
            number += 1
            if line and not line.isspace():
                yield line, number


def _stripped(head: bytes) -> bytes:
    return head.removeprefix(b"\xef\xbb\xbf").lstrip()


def is_spread(head: bytes) -> bool:
    """True if the first record of a file with these first bytes continues after its first line."""
    line, newline, _ = _stripped(head).partition(b"\n")
    begun = line.startswith(b"{") and not line.rstrip().endswith(b"}")
    return line.startswith(b"[") or (begun and bool(newline))


def _is_whole(head: bytes) -> bool:
    """True if a file is one array, or one record over several lines."""
    line, _, rest = _stripped(head).partition(b"\n")
    following = rest.lstrip().partition(b"\n")[0]
    return is_spread(head) and (line.startswith(b"[") or decode_object(following) is None)


def _elements_of(source: Source) -> Iterator[tuple[bytes, int]]:
    """The elements of a file that is one array, or the file itself, and their first lines."""
    content = source.read_all(LARGEST_ARRAY, "Write one document per line.")
    content = content.removeprefix(b"\xef\xbb\xbf")
    check_text(content + b"\n", source, 1, LARGEST_ARRAY)
    elements: list[Any] = [content.strip()]
    if content.lstrip().startswith(b"["):
        try:
            elements = decoder(list[msgspec.Raw]).decode(content)
        except _UNREADABLE as error:
            raise decoding_error(error, content, source.where, 1) from None
    line, stop = 1, 0
    for element in elements:
        text = bytes(element)
        start = content.index(text, stop)
        line += content.count(b"\n", stop, start)
        stop = start + len(text)
        yield text, line
        line += text.count(b"\n")


def decoding_error(
    error: Exception, content: bytes, where: Callable[[int], Location], line: int
) -> FormatError:
    """The error of a record that msgspec cannot decode and that starts on a line."""
    text, remedy = str(error), "See the documentation of the format for an example."
    if isinstance(error, RecursionError):
        text = "nested too deeply"
    elif isinstance(error, UnicodeDecodeError):
        text, remedy = "invalid UTF-8", "Convert the file to UTF-8."
    elif found := _MALFORMED.fullmatch(text):
        byte = int(found[2])
        line += content.count(b"\n", 0, byte)
        column = byte - content.rfind(b"\n", 0, byte)
        text = f"malformed JSON: {found[1]} (byte {column})"
        remedy = "Write one JSON object per line, or one array of objects."
    elif text == _TRUNCATED:
        line += content.rstrip().count(b"\n")
        text = "malformed JSON: unexpected end"
        remedy = "Write one JSON object per line; if the file was truncated, copy it again."
    else:
        path = ""
        if found := _PATH.fullmatch(text):
            text, path = found[1], found[2]
        text = _MISSING.sub(r"the key '\1' is missing", text).replace("`", "")
        text = f"{path}: {text[0].lower() + text[1:]}" if path else text[0].lower() + text[1:]
    return FormatError(text, where(line), remedy)


# --- detection ------------------------------------------------------------------------------------


def keys_of(source: Source) -> dict[str, str]:
    """The keys of the first record of a source, and the shapes of their values.

    A shape is ``string``, ``number``, ``null``, ``object``, ``list``, ``list of lists``, ``list of
    objects``, ``list of strings``, ``list of lists of objects`` or :data:`STRING_CLUSTERS`. For
    token spans, the key ``ends`` is added with ``inclusive`` or ``exclusive`` if the spans decide
    it. More than the first 64 KiB are read only if the record is longer.
    """
    size = HEAD
    while True:
        head = source.first_bytes(size)
        record = _first_record(head)
        if record is not None:
            return _shapes(record)
        if len(head) < size or size >= LONGEST_LINE:
            break
        size *= 8
    # The keys of a damaged record show what it was meant to be.
    keys = reversed(list(_KEY.finditer(head, 0, 1 << 20)))
    shapes = _shapes({key[1].decode(): head[key.end() : key.end() + HEAD] for key in keys})
    if shapes.get("clusters") == STRING_CLUSTERS:
        shapes["clusters"] = "damaged strings"  # only an answer of a language model may be cut off
    return shapes


def _first_record(head: bytes) -> Mapping[str, bytes | msgspec.Raw] | None:
    """The values of the first record; None if it does not end within these bytes."""
    opening = _stripped(head)
    text = opening.removeprefix(b"[").lstrip()
    line = text.partition(b"\n")[0]
    try:
        return decoder(dict[str, msgspec.Raw]).decode(line)
    except _UNREADABLE:
        pass
    if not is_spread(opening):
        return None
    try:
        value, _ = json.JSONDecoder().raw_decode(text.decode("utf-8", "ignore"))
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict):
        return None
    return {key: msgspec.json.encode(one) for key, one in value.items()}


def _shapes(record: Mapping[str, bytes | msgspec.Raw]) -> dict[str, str]:
    shapes = {key: _shape(memoryview(value)[:64]) for key, value in record.items()}
    if "clusters" in record and _STRING_CLUSTERS.match(record["clusters"]):
        shapes["clusters"] = STRING_CLUSTERS
    elif "clusters" in record and _DESCRIBED_CLUSTERS.match(record["clusters"]):
        shapes["clusters"] = "list of lists of objects"
    elif "tokens" in record and "clusters" in record:
        shapes |= _ends_of(record["tokens"], record["clusters"])
    return shapes


def _shape(value: bytes | memoryview) -> str:
    opening = bytes(value).translate(None, b" \t\r\n")
    return next((shape for sign, shape in _SHAPES.items() if opening.startswith(sign)), "number")


def _ends_of(tokens: Any, clusters: Any) -> dict[str, str]:
    """The key ``ends``, if the spans of a record show that ends are inclusive or exclusive.

    A span [0, 0] has a token only if ends are inclusive, and one that ends with the number of
    tokens exists only if they are exclusive.
    """
    try:
        size = len(decoder(list[str]).decode(tokens))
        spans = list(chain.from_iterable(decoder(list[list[Span]]).decode(clusters)))
    except _UNREADABLE:
        return {}
    inclusive = any(start == stop for start, stop in spans)
    if inclusive == any(stop == size for _, stop in spans):
        return {}
    return {"ends": "inclusive" if inclusive else "exclusive"}


def format_of_record(shapes: Shapes, side: str | None, where: Location) -> Format | None:
    """The format of a JSON record with these keys; None if no format has them."""
    found: list[str] = []
    for load in (load_own, all_formats):
        load()
        found = found or [name for name in sorted(RECORDS) if RECORDS[name].detect(shapes)]
    if side is not None and all(RECORDS[name].side is not None for name in found):
        found = [name for name in found if RECORDS[name].side == side] or found
    if len(found) > 1:
        names = "; ".join(f"{name} ({format_named(name).title})" for name in found)
        raise FormatError(f"ambiguous format: {names}", where, HOW_TO_NAME)
    return format_named(found[0]) if found else None


# --- dialects -------------------------------------------------------------------------------------


class Record(msgspec.Struct, omit_defaults=True):
    """One record of a JSON file: usually one document."""

    NAMES: ClassVar[tuple[str, ...]] = ("doc_key",)
    """Fields that may name the document, in order of precedence."""
    detect: ClassVar[Callable[[Shapes], bool]]
    """True if a record with keys of these shapes is of this kind."""
    side: ClassVar[str | None] = None
    """``key`` or ``response``, if the same file can be read as either."""

    def to_document(self) -> Document:
        """The document of the record; invalid values raise :func:`invalid`."""
        raise NotImplementedError

    def to_documents(self, number: int, label: str) -> Iterable[Document]:
        """The documents of the record, which is the ``number``-th of its file, from 0.

        ``label`` is that of coreference relations, for formats with other relations as well.
        """
        return [self.to_document()]

    @classmethod
    def from_document(cls, document: Document, number: int) -> Self:
        """The record of a document, which is the ``number``-th of its file, from 0."""
        raise NotImplementedError

    def name(self) -> str:
        """The name of the document, with its part as in CoNLL; empty if it has none."""
        return _name_of(self, self.NAMES)


class NamedRecord(Record, kw_only=True):
    """A record that may name its document under any of the usual keys."""

    NAMES: ClassVar[tuple[str, ...]] = ("doc_key", "doc_id", "document_id", "id")

    # Only the key that names the document must be a string or a number.
    doc_key: object = None
    doc_id: object = None
    document_id: object = None
    id: object = None


class _Names(NamedRecord):
    """The fields of any dialect that name a document."""

    part_id: int | list[int] | None = None


def _name_of(record: object, keys: Iterable[str]) -> str:
    given = (getattr(record, key) for key in keys)
    name = next((value for value in given if value is not None), None)
    if type(name) not in (str, int, type(None)):
        raise invalid(f"a name of a document that is {str(name)[:60]}", "Name it with a string.")
    part = getattr(record, "part_id", None) or 0
    if isinstance(part, list):
        if len(set(part)) > 1:
            raise invalid("part_id: several parts on one line", "Write one line per part.")
        part = part[0]
    if name is None:
        return ""
    return f"{name}; part {part}" if part else str(name)


def having(**keys: Collection[str | None]) -> Callable[[Shapes], bool]:
    """A predicate of records whose keys have one of these shapes; None stands for no value."""
    return lambda shapes: all(shapes.get(key) in allowed for key, allowed in keys.items())


def invalid(message: str, remedy: str = "See the documentation of the format.") -> FormatError:
    """The error for an invalid record; the reader adds the file and the line."""
    return FormatError(message, None, remedy)


RECORDS: dict[str, type[Record]] = {}
"""The struct of each dialect, by the name of its format."""


def dialect(
    name: str,
    title: str,
    detect: Callable[[Shapes], bool],
    *,
    zeros: bool = False,
    array: bool = False,
    writable: bool = True,
    streamed: bool = True,
    labelled: bool = False,
    side: str | None = None,
    read_against: AgainstReader | None = None,
) -> Callable[[type[R]], type[R]]:
    """Register the decorated struct as a format.

    ``detect`` decides by the keys of the first record and the shapes of their values. ``array`` is
    true if records are written as one JSON array, ``streamed`` if each record has one document,
    which can be read by itself, ``zeros`` if empty nodes are written, ``labelled`` if entities are
    made of relations with labels.
    """

    def registered(record: type[R]) -> type[R]:
        RECORDS[name] = record
        record.detect, record.side = staticmethod(detect), side
        mark = DocumentMark(ord("{"), partial(_name_of_line, record), undivided=is_spread)
        register(
            Format(
                name,
                title,
                SUFFIXES,
                partial(read, record) if labelled else lambda source: read(record, source),
                write=partial(write, record, array, zeros) if writable else None,
                document_mark=mark if streamed else None,
                read_against=read_against,
            )
        )
        return record

    return registered


def _name_of_line(record: type[Record], line: bytes) -> str:
    """The name of the document on a line, without decoding the rest; empty if it has none."""
    try:
        return _name_of(decoder(_Names).decode(line), record.NAMES)
    except (*_UNREADABLE, FormatError):
        return ""


def read(record: type[Record], source: Source, label: str = "") -> Iterator[Document]:
    """Read the documents of a source; documents without names are numbered.

    ``label`` is that of relations that make entities.
    """
    count = 0
    named: bool | None = None
    for number, (one, line) in enumerate(read_records(source, record)):
        where = source.where(line)
        try:
            for document in one.to_documents(number, label):
                document.named = bool(document.name)
                if named not in (None, document.named):
                    has = "a name" if document.named else "no name"
                    raise invalid(
                        f"the document has {has}, unlike earlier ones",
                        "Name all documents, or none.",
                    )
                named = document.named
                count += 1
                document.name = document.name or f"{source.stem}:{count}".removeprefix(":")
                document.lines = [line] * len(document.tokens or ())
                document.warnings = [f"{where}: {text}" for text in document.warnings]
                yield document
        except FormatError as error:
            raise FormatError(
                error.message, error.where or where, error.remedy, code=error.code
            ) from None
    if not count:
        raise source.error("no records to read", 1, "Check that this is the right file.")


def corpus_from_records(
    records: Sequence[Mapping[str, Any]],
    name: str | None,
    side: str | None,
    source: str,
    against: Corpus | None = None,
) -> Corpus:
    """The corpus of records in Python: dicts of lists, strings and numbers, also of NumPy.

    They are read as the lines of a file, whose format is detected unless it is named. ``source``
    names the records in messages, which count them as lines. Clusters of strings are searched in
    the text of the corpus ``against`` if the records have none.
    """
    lines = b"".join(_line(record, Location(source, n)) for n, record in enumerate(records, 1))
    content = Source(source, content=lines)
    if name in (None, *JSON):
        format = recognise(content, side)
        if format is None or format.name not in RECORDS:
            keys = ", ".join(map(str, records[0]))[:60]
            message = f"a record of an unknown format, with the keys {keys}"
            raise FormatError(message, content.where(1), HOW_TO_NAME)
    else:
        format = format_named(name)
    if format.name not in RECORDS:
        raise UsageError(
            f"{format.name} is not a format of JSON records",
            None,
            "Name one such as e2e or fastcoref; 'corefine formats' lists all.",
        )
    if format.read_against is not None and against is not None:
        return format.read_against([content], against, "tolerant")
    return format.corpus(content)


def _line(record: Mapping[str, Any], where: Location) -> bytes:
    """A record as a line of JSON."""
    try:
        return msgspec.json.encode(record, enc_hook=_plain_value) + b"\n"
    except (TypeError, ValueError, RecursionError) as error:
        raise UsageError(f"a record that is not valid JSON: {error}", where) from None


def _plain_value(value: Any) -> Any:
    """Arrays and numbers of NumPy as lists and numbers of Python."""
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} {str(value)[:40]}")


def write(record: type[Record], array: bool, zeros: bool, corpus: Corpus) -> Iterator[bytes]:
    """Write the documents of a corpus as lines, or as one array."""
    encode = msgspec.json.Encoder().encode
    for number, document in enumerate(corpus):
        written = document if zeros else without_empty_nodes(document)
        line = encode(record.from_document(written, number))
        yield (b"," if number else b"[") + b"\n" + line if array else line + b"\n"
    if array:
        yield b"\n]\n" if len(corpus) else b"[]\n"


# --- parts of records -----------------------------------------------------------------------------


def mentions_of(
    clusters: Iterable[Sequence[Sequence[int]]],
    sizes: Sequence[int],
    field: str,
    *,
    inclusive: bool = True,
    origin: int = 0,
    unit: str = "tokens",
) -> list[Mention]:
    """The mentions of clusters of (start, end), or of (part, start, end) in parts of these sizes.

    Entities are numbered, and parts follow one another in the document. Ends are the last unit if
    ``inclusive``, else the one after it. Parts and units are counted from ``origin``.
    """
    starts = accumulate(sizes, initial=-origin)
    places = dict(enumerate(zip(starts, sizes, strict=False), origin))
    nowhere = (0, 0)
    only = places.get(origin, nowhere)
    mentions: list[Mention] = []
    for entity, cluster in enumerate(clusters):
        for span in cluster:
            if len(span) == 2:
                start, stop = span
                first, size = only
            else:
                part, start, stop = span
                first, size = places.get(part, nowhere)
            stop += inclusive
            if not origin <= start < stop <= size + origin:
                path = f"{field}[{entity}][{cluster.index(span)}]"
                end = "last], end inclusive" if inclusive else "end], end exclusive"
                raise invalid(
                    f"{path} is {list(span)}, which is not a span of {size:,} {unit}",
                    f"Mentions are [{'part, ' * (len(span) - 2)}first, {end}, from {origin}.",
                )
            mentions.append(Mention(entity, [(first + start, first + stop)]))
    return mentions


def quote(
    mentions: Sequence[Mention],
    clusters: Sequence[Sequence[Any]],
    strings: Sequence[Sequence[str]],
    field: str,
) -> None:
    """Note the words of the mentions of clusters, as the record repeats them."""
    if list(map(len, strings)) != list(map(len, clusters)):
        raise invalid(
            f"the strings of {field} are not one per mention",
            "Leave them out, or give them as the tool writes them.",
        )
    for mention, string in zip(mentions, chain.from_iterable(strings), strict=True):
        mention.quoted = string


def clusters_of(document: Document, added: int = 0) -> list[list[Span]]:
    """The spans of each entity; ``added`` is added to their ends."""
    return [
        [(mention.spans[0][0], mention.spans[-1][1] + added) for mention in mentions]
        for mentions in document.entities.values()
    ]


def strings_of(document: Document) -> list[list[str]]:
    """The words of the mentions of each entity."""
    return [list(map(document.words_of, mentions)) for mentions in document.entities.values()]


def sentence_bounds(document: Document) -> list[Span]:
    """Start and stop of each sentence."""
    size = len(document.tokens or ())
    starts = document.starts or ([0] if size else [])
    return list(pairwise([*starts, size]))


def in_sentences(document: Document, column: Sequence[Any]) -> list[Any]:
    """The values of tokens by sentence."""
    return [column[start:stop] for start, stop in sentence_bounds(document)]


def clusters_in_sentences(document: Document, added: int = 0) -> list[list[Triple]]:
    """Clusters of (sentence, start, stop), without mentions that cross a sentence boundary."""
    bounds = sentence_bounds(document)
    sentence_of = [
        number for number, (start, stop) in enumerate(bounds) for _ in range(start, stop)
    ]
    clusters: list[list[Triple]] = []
    for spans in clusters_of(document):
        cluster: list[Triple] = []
        for start, stop in spans:
            number = sentence_of[start]
            first, last = bounds[number]
            if stop <= last:
                cluster.append((number, start - first, stop - first + added))
        if cluster:
            clusters.append(cluster)
    return clusters


def sentence_starts(sentences: Iterable[Sequence[Any]]) -> list[int]:
    """The first token of each sentence that has tokens."""
    sizes = [len(sentence) for sentence in sentences if sentence]
    return list(accumulate(sizes, initial=0))[:-1]


def layers_of(size: int, **layers: Sequence[str] | None) -> dict[str, list[str]]:
    """The layers that have a value other than a placeholder for some token."""
    kept: dict[str, list[str]] = {}
    for name, values in layers.items():
        if values and not _PLACEHOLDERS.issuperset(values):
            check_length(name, values, size)
            kept[name] = list(values)
    return kept


def check_length(field: str, values: Sequence[object], size: int) -> None:
    """Raise an error unless a field has one value per token."""
    if len(values) != size:
        raise invalid(
            f"{field} has {len(values):,} entries for {size:,} words",
            "It must have one entry per word.",
        )
