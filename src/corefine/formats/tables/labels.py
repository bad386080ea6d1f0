"""Labels: a table with one row per mention and its entity, as CSV or TSV.

The smallest valid file::

    document,mention,entity
    d1,m1,Anna
    d1,m2,Anna

For cross-document coreference and entity resolution: a mention is an id, there is no text. Columns
may be in any order, and others are ignored. Without ``document`` the table is one document. Without
``mention`` a mention is its span if there are columns such as ``start`` and ``end``, else its row.
A column ``topic`` groups documents.
"""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

import numpy as np

from corefine.corpus.arrays import IntArray, numbered
from corefine.corpus.columns import Entities, Mentions, take_rows
from corefine.corpus.corpus import Corpus
from corefine.corpus.strings import Strings
from corefine.errors import FormatError, Location
from corefine.formats.input.lines import check_text, line_blocks, shown
from corefine.formats.input.sources import Source
from corefine.formats.registry import Capabilities, Format, register

COLUMNS: dict[str, tuple[str, ...]] = {
    "document": ("document", "doc", "document_id", "doc_id", "doc_key"),
    "mention": ("mention", "mention_id", "record", "record_id"),
    "entity": ("entity", "entity_id", "cluster", "cluster_id", "label"),
    "topic": ("topic", "topic_id"),
}
"""Roles of columns, and the headings under which tables have them."""
SPANS = (
    ("start", "end"), ("begin", "end"), ("start", "stop"), ("first", "last"),
    ("start_token", "end_token"), ("token_start", "token_end"),
    ("start_char", "end_char"), ("char_start", "char_end"),
)  # fmt: skip
"""Headings of columns with the boundaries of spans."""
DELIMITERS = ",;\t"
_MISSING = frozenset(("", "nan", "-nan", "<na>", "nat", "none", "null"))
"""Labels, in lower case, that programs write for missing values."""
_BATCH = 1 << 8
_BLOCK = 1 << 20


@dataclass(slots=True)
class Column:
    """The distinct values of a column, and the number of the value of each row."""

    values: Sequence[str]
    rows: IntArray


@dataclass(slots=True)
class LabelTable:
    """The columns of a table of labels; those that it lacks are None."""

    entity: Column
    mention: Any = None
    """Ids of mentions: strings, or spans as tuples of two integers."""
    document: Column | None = None
    topic: Column | None = None


def span_columns(header: Sequence[str]) -> tuple[str, str] | None:
    """The columns with the boundaries of spans, if a table has both."""
    return next((pair for pair in SPANS if set(pair) <= set(header)), None)


def find_columns(header: Sequence[str], where: Location) -> dict[str, tuple[int, ...]]:
    """The place of each role among the columns; two places if mentions are spans."""
    headings = [heading.strip().lower() for heading in header]
    found: dict[str, tuple[int, ...]] = {}
    for role, allowed in COLUMNS.items():
        heading = next((heading for heading in allowed if heading in headings), None)
        if heading is not None:
            if headings.count(heading) > 1:
                raise FormatError(
                    f"{headings.count(heading)} columns named {heading!r}",
                    where,
                    "Rename or remove all but one of them.",
                )
            found[role] = (headings.index(heading),)
    if "entity" not in found:
        raise FormatError(
            f"no entity column among: {shown(', '.join(header))}",
            where,
            "The first row must name the columns: document, mention, entity.",
        )
    if "mention" not in found and (span := span_columns(headings)) is not None:
        found["mention"] = (headings.index(span[0]), headings.index(span[1]))
    return found


# --- building a corpus ----------------------------------------------------------------------------


def corpus_of(table: LabelTable, where: Callable[[int], Location], source: str) -> Corpus:
    """The corpus of a table, documents in order of first appearance; ``where`` locates rows."""
    rows = len(table.entity.rows)
    if rows == 0:
        raise FormatError("the table has no rows", Location(source), "Check the file.")
    _check_labels(table, where)
    document = table.document or Column([""], np.zeros(rows, np.int64))
    entity, mention, topic = table.entity.rows, table.mention, table.topic
    place = np.arange(rows)
    documents = document.rows
    if (np.diff(documents) < 0).any():
        place = np.argsort(documents, kind="stable")
        documents, entity, mention = documents[place], entity[place], take_rows(mention, place)
    labels = table.entity.values
    first, number = numbered(documents * len(labels) + entity)
    names = Strings.from_list(labels)
    return Corpus(
        tuple(document.values),
        Entities(documents[first], names.take(entity[first])),
        Mentions(documents, number, place, place + 1, mention),
        topics=None if topic is None else _topics(topic, documents, place, where),
        sources=(source,) * len(document.values),
        format="labels",
    )


def _check_labels(table: LabelTable, where: Callable[[int], Location]) -> None:
    """Raise an error for rows without a value, and for labels that differ in white space only."""
    checked = {"entity": table.entity}
    if table.document is not None and len(table.document.values) > 1:
        checked["document"] = table.document
    for role, column in checked.items():
        known = set(column.values)
        for number, value in enumerate(column.values):
            bare = value.strip()
            missing = bare.lower() in _MISSING if role == "entity" else not value
            if missing:
                raise FormatError(
                    f"the row has no {role}",
                    where(int(np.argmax(column.rows == number))),
                    f"Give every row its {role}; NaN, None and null count as missing.",
                )
            if role == "entity" and bare != value and bare in known:
                raise FormatError(
                    f"the entities {shown(value)!r} and {shown(bare)!r} differ only in white space",
                    where(int(np.argmax(column.rows == number))),
                    "Write the label of an entity in the same way in all rows.",
                )


def _topics(
    topic: Column, documents: IntArray, place: IntArray, where: Callable[[int], Location]
) -> tuple[str, ...]:
    """The topic of each document, which must be the same in all its rows."""
    rows = topic.rows[place]
    first = np.searchsorted(documents, np.arange(int(documents[-1]) + 1))
    wrong = np.flatnonzero(rows != rows[first][documents])
    if len(wrong):
        raise FormatError(
            "the row gives its document a different topic than earlier rows",
            where(int(place[wrong[0]])),
            "A document has one topic.",
        )
    return tuple(topic.values[row] for row in rows[first].tolist())


# --- reading and writing --------------------------------------------------------------------------


def read(source: Source, layers: frozenset[str] | None = None) -> Corpus:
    """Read a table. The rows of a document need not be adjacent."""
    batches = _batches(source, _delimiter(source.head()))
    first_lines, first_rows = next(batches, ([1], [list[str]()]))
    header = first_rows[0]
    columns = find_columns(header, source.where(1))
    numbers: dict[str, defaultdict[str, int]] = {}
    parts: dict[str, list[IntArray]] = {role: [] for role in columns}
    for role in columns:
        numbers[role] = defaultdict()
        numbers[role].default_factory = numbers[role].__len__
    mentions: list[Any] = []
    places: list[Sequence[int]] = []
    for lines, rows in chain([(first_lines[1:], first_rows[1:])], batches):
        table = list(zip(*rows, strict=True)) or [()] * len(header)
        places.append(lines)
        for role, (first, *second) in columns.items():
            values = table[first]
            if role != "mention":
                codes = map(numbers[role].__getitem__, values)
                parts[role].append(np.fromiter(codes, np.int64, len(values)))
            elif second:
                mentions.extend(_spans(values, table[second[0]], lines, source))
            else:
                _check_mentions(values, lines, source)
                mentions.extend(values)
    found = {
        role: Column(list(numbers[role]), np.concatenate(parts[role]))
        for role in columns
        if role != "mention"
    }
    line_of = list(chain.from_iterable(places))
    if len(columns.get("mention", ())) == 1:
        _refuse_second_header(header, columns, found["entity"], mentions, line_of, source)
    is_named = mentions and isinstance(mentions[0], str)
    names: Any = Strings.from_list(mentions) if is_named else mentions or None
    return corpus_of(
        LabelTable(mention=names, **found), lambda row: source.where(line_of[row]), source.name
    )


def _check_mentions(mentions: Sequence[str], lines: Sequence[int], source: Source) -> None:
    if "" in mentions:
        raise FormatError(
            "the row has no mention",
            source.where(lines[mentions.index("")]),
            "Give every row its mention.",
        )


def _spans(
    starts: Sequence[str], stops: Sequence[str], lines: Sequence[int], source: Source
) -> Iterator[tuple[int, int]]:
    for line, start, stop in zip(lines, starts, stops, strict=True):
        try:
            yield int(start), int(stop)
        except ValueError:
            raise FormatError(
                f"the span {start[:20]!r} to {stop[:20]!r} is not numeric",
                source.where(line),
                "Boundaries of spans are whole numbers.",
            ) from None


def _refuse_second_header(
    header: Sequence[str],
    columns: dict[str, tuple[int, ...]],
    entity: Column,
    mentions: Sequence[object],
    lines: Sequence[int],
    source: Source,
) -> None:
    """Raise an error if a row repeats the header, as in two tables one after another."""
    label, name = header[columns["entity"][0]], header[columns["mention"][0]]
    if label not in entity.values:
        return
    for row in np.flatnonzero(entity.rows == list(entity.values).index(label)).tolist():
        if mentions[row] == name:
            raise FormatError(
                "the header occurs again",
                source.where(lines[row]),
                "Leave the header in the first row alone; keep the tables of two systems apart.",
            )


def _batches(source: Source, delimiter: str) -> Iterator[tuple[list[int], list[list[str]]]]:
    """The rows of a table, some at a time, and the lines where they start."""
    reader = csv.reader(_lines(source), delimiter=delimiter, strict=True)
    width = last = 0
    try:
        while batch := [(reader.line_num, row) for row in islice(reader, _BATCH)]:
            ends, rows = map(list, zip(*batch, strict=True))
            lines = [1 + end for end in (last, *ends[:-1])]
            last = ends[-1]
            if not all(rows):
                kept = [(line, row) for line, row in zip(lines, rows, strict=True) if row]
                lines, rows = [line for line, _ in kept], [row for _, row in kept]
            width = width or len(rows[0] if rows else ())
            if set(map(len, rows)) - {width}:
                line, row = next(
                    pair for pair in zip(lines, rows, strict=True) if len(pair[1]) != width
                )
                raise FormatError(
                    f"{len(row)} cells where the header has {width}",
                    source.where(line),
                    "Every row needs all columns; quote cells that contain the delimiter.",
                )
            if rows:
                yield lines, rows
    except csv.Error as error:
        reason = f"not a table: {error}"
        if "new-line character" in str(error):
            reason = "a carriage return without a newline"
        raise FormatError(
            reason,
            source.where(reader.line_num),
            f"Check its quotes and line ends; cells have up to {csv.field_size_limit():,} "
            "characters.",
        ) from None


def _lines(source: Source) -> Iterator[str]:
    """The lines of a source with their ends, carriage returns included."""
    number = 1
    for block in line_blocks(source):
        check_text(block, source, number)
        lines = block.tobytes().decode("utf-8").split("\n")[:-1]
        number += len(lines)
        yield from (line + "\n" for line in lines)


def headings_of(head: bytes) -> list[str]:
    """The headings of a table that starts with these bytes."""
    text = head.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")
    try:
        return next(csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(head)), [])
    except csv.Error:
        return []


def _delimiter(head: bytes) -> str:
    """The delimiter by which the first row has the most known headings, then the most cells."""
    text = head.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")
    known = {heading for headings in COLUMNS.values() for heading in headings}

    def judged(delimiter: str) -> tuple[int, int]:
        try:
            row = next(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter), [])
        except csv.Error:
            return 0, 0
        return len(known & {cell.strip().lower() for cell in row}), len(row)

    return max(DELIMITERS, key=judged)


def detect(head: bytes, name: str) -> bool:
    """True if the first row names a column of entities and one of mentions or two of spans."""
    headings = [heading.strip().lower() for heading in headings_of(head)]
    has_mention = bool(set(COLUMNS["mention"]).intersection(headings))
    has_entity = bool(set(COLUMNS["entity"]).intersection(headings))
    return has_entity and (has_mention or span_columns(headings) is not None)


def label_rows(corpus: Corpus) -> tuple[list[str], Iterator[list[Any]]]:
    """The header and the rows of a corpus as a table of labels."""
    names, topics = corpus.entities.names, corpus.topics
    mentions = corpus.mentions
    spans = isinstance(mentions.names, list) and all(
        isinstance(name, tuple) and list(map(type, name)) == [int, int] for name in mentions.names
    )
    header = ["document", *(["start", "end"] if spans else ["mention"]), "entity"]

    def rows() -> Iterator[list[Any]]:
        for index, (document, entity) in enumerate(
            zip(mentions.document.tolist(), mentions.entity.tolist(), strict=True)
        ):
            mention: Any = corpus.mention_id(index)
            yield [
                corpus.documents[document],
                *(mention if spans else [str(mention)]),
                str(entity) if names is None else names[entity],
                *([topics[document]] if topics else []),
            ]

    return header + (["topic"] if topics else []), rows()


def write(corpus: Corpus, delimiter: str = ",") -> Iterator[bytes]:
    """Write rows of document, mention and entity, and topic if the corpus has topics."""
    stream = io.StringIO()
    plain = csv.writer(stream, delimiter=delimiter, lineterminator="\n")
    quoted = csv.writer(stream, delimiter=delimiter, lineterminator="\n", quoting=csv.QUOTE_ALL)
    header, rows = label_rows(corpus)
    plain.writerow(header)
    for row in rows:
        # A carriage return ends a row for many readers, but the writer does not quote it.
        (quoted if any("\r" in str(cell) for cell in row) else plain).writerow(row)
        if stream.tell() > _BLOCK:
            yield stream.getvalue().encode("utf-8")
            stream.seek(0)
            stream.truncate()
    yield stream.getvalue().encode("utf-8")


def write_tabs(corpus: Corpus) -> Iterator[bytes]:
    """Write the table with tabs between cells."""
    return write(corpus, "\t")


LABELS = register(
    Format(
        "labels",
        "Labels: document, mention, entity",
        (".csv", ".tsv"),
        read_columns=read,
        detect=detect,
        write=write,
        write_as={".tsv": write_tabs},
        capabilities=Capabilities(text=False, names=True, topics=True),
        documentation="docs/formats/labels.md",
    )
)
