"""Dialects of JSON lines: a struct for each, with conversion to and from documents.

To add a dialect, define a :class:`Record` with ``to_document`` and ``from_document`` and decorate
it with :func:`dialect`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import accumulate, pairwise
from typing import Any, ClassVar, Self, TypeVar

import msgspec
import numpy as np

from corefine.corpus.corpus import Corpus
from corefine.corpus.document import Document, Mention, without_empty_nodes
from corefine.errors import FormatError, Location, UsageError
from corefine.formats.input.sources import Source
from corefine.formats.jsonlines.records import (
    decoder,
    decoding_error,
    is_spread,
    read_records,
    shapes_of,
)
from corefine.formats.registry import (
    HOW_TO_NAME,
    AgainstReader,
    Capabilities,
    DocumentMark,
    Format,
    format_named,
    format_of_record,
    register,
)

Name = str | int
Span = tuple[int, int]
Triple = tuple[int, int, int]
Shapes = Mapping[str, str]
R = TypeVar("R", bound="Record")

RECORDS: dict[str, type[Record]] = {}
"""The struct of each dialect, by the name of its format."""
SUFFIXES = (".jsonl", ".jsonlines", ".ndjson", ".json")
DEFAULT = Capabilities()
_PLACEHOLDERS = frozenset(("", "-", "_", "*"))


class Record(msgspec.Struct, omit_defaults=True):
    """One record of a JSON file: usually one document."""

    NAMES: ClassVar[tuple[str, ...]] = ("doc_key",)
    """Fields that may name the document, in order of precedence."""

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


class _Names(msgspec.Struct):
    """The fields of any dialect that name a document."""

    doc_key: Name | None = None
    document_id: Name | None = None
    doc_id: Name | None = None
    id: Name | None = None
    part_id: int | list[int] | None = None


def _name_of(record: object, keys: Iterable[str]) -> str:
    given = (getattr(record, key) for key in keys)
    name = next((value for value in given if value is not None), None)
    part = getattr(record, "part_id", None) or 0
    if isinstance(part, list):
        if len(set(part)) > 1:
            raise invalid("part_id: several parts on one line", "Write one line per part.")
        part = part[0]
    if name is None:
        return ""
    return f"{name}; part {part}" if part else str(name)


def invalid(message: str, remedy: str = "See the documentation of the format.") -> FormatError:
    """The error for an invalid record; the reader adds the file and the line."""
    return FormatError(message, None, remedy)


def dialect(
    name: str,
    title: str,
    detect: Callable[[Shapes], bool],
    *,
    capabilities: Capabilities = DEFAULT,
    array: bool = False,
    writable: bool = True,
    streamed: bool = True,
    labelled: bool = False,
    side: str | None = None,
    read_against: AgainstReader | None = None,
    documentation: str = "docs/formats/jsonlines.md",
) -> Callable[[type[R]], type[R]]:
    """Register the decorated struct as a format.

    ``detect`` decides by the keys of the first record and the shapes of their values. ``array`` is
    true if records are written as one JSON array, ``streamed`` if each record has one document,
    which can be read by itself, ``labelled`` if entities are made of relations with labels.
    """

    def registered(record: type[R]) -> type[R]:
        RECORDS[name] = record
        mark = DocumentMark(ord("{"), partial(_name_of_line, record), undivided=is_spread)
        register(
            Format(
                name,
                title,
                SUFFIXES,
                partial(read, record),
                detect_record=detect,
                write=partial(write, record, array, capabilities.zeros) if writable else None,
                capabilities=capabilities,
                document_mark=mark if streamed else None,
                read_labelled=partial(read, record) if labelled else None,
                documentation=documentation,
                side=side,
                read_against=read_against,
            )
        )
        return record

    return registered


def _name_of_line(record: type[Record], line: bytes) -> str:
    """The name of the document on a line, without decoding the rest; empty if it has none."""
    try:
        return _name_of(decoder(_Names).decode(line), record.NAMES)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError, FormatError):
        return ""


# --- reading and writing --------------------------------------------------------------------------


def read(record: type[Record], source: Source, label: str = "") -> Iterator[Document]:
    """Read the documents of a source."""
    records = read_records(source, record)
    for document, line in _documents(records, source.where, source.stem, label):
        document.lines = [line] * len(document.tokens or ())
        yield document


def corpus_from_records(
    records: Sequence[Mapping[str, Any]],
    format: str | None,
    side: str | None,
    source: str,
    against: Corpus | None = None,
) -> Corpus:
    """The corpus of records in Python: dicts of lists, strings and numbers, also of NumPy.

    The format is detected from the first record unless it is given. ``source`` names the records
    in messages, which count them as lines. Clusters of strings are searched in the text of the
    corpus ``against`` if the records have none.
    """
    where = partial(Location, source)
    plain = [_plain_record(record, where(line)) for line, record in enumerate(records, 1)]
    if format is None:
        found = format_of_record(shapes_of(plain[0]), side, where(1))
        if found is None:
            raise FormatError(
                f"a record of an unknown format, with the keys {', '.join(plain[0])[:60]}",
                where(1),
                HOW_TO_NAME,
            )
        format = found.name
    name, _, label = format.partition(":")
    if format_named(format).name not in RECORDS:
        known = ", ".join(sorted(RECORDS))
        raise UsageError(f"{format} is not a format of JSON records", None, f"Formats: {known}.")

    def converted() -> Iterator[tuple[Record, int]]:
        for line, record in enumerate(plain, 1):
            try:
                yield msgspec.convert(record, RECORDS[name]), line
            except msgspec.ValidationError as error:
                raise decoding_error(error, b"", where(line)) from None

    if name == "string-clusters" and against is not None:
        from corefine.formats.jsonlines.string_clusters import ground_records

        located = ((record, where(line)) for record, line in converted())
        return ground_records(located, against, source)
    documents = [document for document, _ in _documents(converted(), where, "", label)]
    for document in documents:
        document.source = source
    return Corpus.from_documents(documents, name)


def _plain_record(record: Mapping[str, Any], where: Location) -> dict[str, Any]:
    """A record of lists, strings and numbers."""
    try:
        plain: dict[str, Any] = msgspec.to_builtins(record, enc_hook=_plain_value)
    except (TypeError, ValueError, RecursionError) as error:
        raise UsageError(f"a record that is not valid JSON: {error}", where) from None
    return plain


def _plain_value(value: Any) -> Any:
    """Arrays and numbers of NumPy as lists and numbers of Python."""
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} {str(value)[:40]}")


def _documents(
    records: Iterable[tuple[Record, int]],
    where: Callable[[int], Location],
    stem: str,
    label: str,
) -> Iterator[tuple[Document, int]]:
    """The documents of records and their lines; documents without names are numbered."""
    count = 0
    named: bool | None = None
    for number, (record, line) in enumerate(records):
        try:
            for document in record.to_documents(number, label):
                document.named = bool(document.name)
                if named is None:
                    named = document.named
                if named != document.named:
                    has = "a name" if document.named else "no name"
                    raise invalid(
                        f"the document has {has}, unlike earlier ones",
                        "Name all documents, or none.",
                    )
                count += 1
                document.name = document.name or f"{stem}:{count}".removeprefix(":")
                yield document, line
        except FormatError as error:
            if error.where is None:
                error = FormatError(error.message, where(line), error.remedy)
            raise error from None


def write(record: type[Record], array: bool, zeros: bool, corpus: Corpus) -> Iterator[bytes]:
    """Write the documents of a corpus as lines, or as one array."""
    if corpus.tokens is None:
        raise UsageError(
            "a corpus without text cannot be written as JSON lines",
            None,
            "Choose a format that does not need the text, such as labels.",
        )
    encode = msgspec.json.Encoder().encode
    for number, document in enumerate(corpus):
        written = document if zeros else without_empty_nodes(document)
        line = encode(record.from_document(written, number))
        yield (b"," if number else b"[") + b"\n" + line if array else line + b"\n"
    if array:
        yield b"\n]\n" if len(corpus) else b"[]\n"


# --- parts of records -----------------------------------------------------------------------------


def mentions_of(
    clusters: Sequence[Sequence[Span]],
    size: int | None,
    field: str,
    *,
    inclusive: bool = True,
    unit: str = "tokens",
) -> list[Mention]:
    """The mentions of clusters of spans in a document of ``size`` units; None if it is unknown.

    Entities are numbered. Ends are the last unit if ``inclusive``, else the one after it.
    """
    mentions: list[Mention] = []
    limit = 1 << 31 if size is None else size
    for entity, cluster in enumerate(clusters):
        for start, stop in cluster:
            if inclusive:
                stop += 1
            if not 0 <= start < stop <= limit:
                place = cluster.index((start, stop - inclusive))
                raise _span_error(
                    f"{field}[{entity}][{place}] is {[start, stop - inclusive]}",
                    stop > limit,
                    f"{limit:,} {unit} of the document",
                    f"[first, {'last' if inclusive else 'end'}] in {unit}",
                    inclusive,
                )
            mentions.append(Mention(entity, [(start, stop)]))
    return mentions


def mentions_in_sentences(
    clusters: Sequence[Sequence[Triple]],
    sentences: Sequence[Sequence[Any]],
    field: str,
    *,
    inclusive: bool = False,
) -> list[Mention]:
    """The mentions of clusters of (sentence, start, stop)."""
    offsets = [0, *accumulate(map(len, sentences))]
    mentions: list[Mention] = []
    for entity, cluster in enumerate(clusters):
        for place, (sentence, start, stop) in enumerate(cluster):
            stop += inclusive
            path = f"{field}[{entity}][{place}] is {[sentence, start, stop - inclusive]}"
            if not 0 <= sentence < len(sentences):
                raise invalid(f"{path}, but there are only {len(sentences):,} sentences")
            size = len(sentences[sentence])
            if not 0 <= start < stop <= size:
                raise _span_error(
                    path,
                    stop > size,
                    f"{size:,} tokens of the sentence",
                    f"[sentence, first, {'last' if inclusive else 'end'}] in tokens",
                    inclusive,
                )
            first = offsets[sentence]
            mentions.append(Mention(entity, [(first + start, first + stop)]))
    return mentions


def _span_error(
    path: str, beyond: bool, size: str, convention: str, inclusive: bool
) -> FormatError:
    problem = f"beyond the {size}" if beyond else "which ends before it starts"
    ends = "inclusive" if inclusive else "exclusive"
    return invalid(f"{path}, {problem}", f"Mentions are {convention} from 0, end {ends}.")


def clusters_of(document: Document, added: int = 0) -> list[list[Span]]:
    """The spans of each entity; ``added`` is added to their ends."""
    return [
        [(mention.spans[0][0], mention.spans[-1][1] + added) for mention in mentions]
        for mentions in document.entities.values()
    ]


def sentence_bounds(document: Document) -> list[Span]:
    """Start and stop of each sentence."""
    size = len(document.tokens or ())
    starts = document.sentences or ([0] if size else [])
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
    starts: list[int] = []
    size = 0
    for sentence in sentences:
        if sentence:
            starts.append(size)
        size += len(sentence)
    return starts


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


def check_strings(
    document: Document, strings: Sequence[Sequence[str]] | None, field: str, ignored: str = " "
) -> None:
    """Raise an error if a field repeats the mentions as strings that differ from the text."""
    if strings is None:
        return
    given = [(entity, cluster) for entity, cluster in enumerate(strings) if cluster]
    clusters = list(document.entities.values())
    if [len(cluster) for _, cluster in given] != list(map(len, clusters)):
        raise invalid(
            f"{field} does not have one string per mention",
            f"Leave out {field}, or give it as the tool writes it.",
        )
    table = str.maketrans("", "", ignored)
    for (entity, cluster), mentions in zip(given, clusters, strict=True):
        for place, (string, mention) in enumerate(zip(cluster, mentions, strict=True)):
            words = document.words(mention)
            if string.translate(table) != words.translate(table):
                raise invalid(
                    f"{field}[{entity}][{place}] is {string!r}, but the mention is {words!r}: "
                    "the end may be counted differently"
                )
