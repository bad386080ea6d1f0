"""Labels: a table with one row per mention and its entity, as CSV or TSV.

The smallest valid file::

    document,mention,entity
    d1,m1,Anna
    d1,m2,Anna

For cross-document coreference and entity resolution: a mention is an id, there is no text. Columns
may be in any order, and others are ignored. Without ``document`` the table is one document. Without
``mention`` a mention is its span if there are columns such as ``start`` and ``end``, else its row.
A column ``topic`` groups documents. As ``labels:pairs`` a table has a row per pair of records that
match.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from corefine.corpus.arrays import IntArray, Strings, numbered
from corefine.corpus.columns import Entities, Mentions, take_rows
from corefine.corpus.corpus import Corpus, inclusive_span
from corefine.corpus.values import column_of, distinct
from corefine.errors import FormatError, Location, UsageError
from corefine.formats.io.lines import check_text, line_blocks, shown
from corefine.formats.io.sources import Source
from corefine.formats.registry import Format, register

COLUMNS: dict[str, tuple[str, ...]] = {
    "document": ("document", "doc", "document_id", "doc_id", "doc_key"),
    "mention": ("mention", "mention_id", "record", "record_id", "unique_id"),
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
_WHOLE = re.compile(r"\s*-?[0-9]{1,18}\s*", re.ASCII)
_MISSING = frozenset(("", "nan", "-nan", "<na>", "nat", "none", "null"))
"""Labels, in lower case, that programs write for missing values."""
_BLOCK = 1 << 20
_REMEDY = (
    "The first row names the columns, as document, mention, entity (or start and end for spans of "
    "whole numbers). Every row has all cells and gives its entity; quote cells with delimiters."
)


@dataclass(slots=True)
class LabelColumn:
    """The distinct values of a column, and the number of the value of each row."""

    values: Strings
    rows: IntArray


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
            found[role] = (headings.index(heading),)
            if headings.count(heading) > 1:
                count = headings.count(heading)
                raise FormatError(f"{count} columns named {heading!r}", where, _REMEDY)
    if "entity" not in found:
        message = f"no entity column among: {shown(', '.join(header))}"
        pairs = any(heading.endswith(("_l", "_1")) for heading in headings)
        remedy = "For pairs of records, name the format labels:pairs." if pairs else _REMEDY
        raise FormatError(message, where, remedy)
    if "mention" not in found and (span := span_columns(headings)) is not None:
        found["mention"] = (headings.index(span[0]), headings.index(span[1]))
    return found


def corpus_of(
    columns: Mapping[str, LabelColumn],
    mention: Strings | list[Any] | None,
    where: Callable[[int], Location],
    source: str,
) -> Corpus:
    """The corpus of a table, documents in order of first appearance.

    ``columns`` are the entities and, if the table has them, documents and topics of the rows;
    ``mention`` has ids, or spans as tuples of two integers. ``where`` locates rows.
    """
    labels, entity = columns["entity"].values, columns["entity"].rows
    rows = len(entity)
    if rows == 0:
        raise FormatError("the table has no rows", Location(source), _REMEDY)
    one = LabelColumn(Strings.blank(1), np.zeros(rows, np.int64))
    document = columns.get("document", one)
    _check_labels(columns["entity"], where)
    names = tuple(document.values.tolist())
    if "" in names and len(names) > 1:
        row = int(np.argmax(document.rows == names.index("")))
        raise FormatError("the row has no document", where(row), _REMEDY)
    documents, place = document.rows, np.arange(rows)
    if (documents[1:] < documents[:-1]).any():
        place = np.argsort(documents, kind="stable")
        documents, entity, mention = documents[place], entity[place], take_rows(mention, place)
    topics = None
    if "topic" in columns:
        given = columns["topic"].rows[place]
        first = np.searchsorted(documents, np.arange(len(names)))
        wrong = np.flatnonzero(given != given[first][documents])
        if len(wrong):
            message = "the row gives its document a different topic than earlier rows"
            raise FormatError(message, where(int(place[wrong[0]])), _REMEDY)
        topics = tuple(columns["topic"].values[row] for row in given[first].tolist())
    first, owner = numbered(documents * len(labels) + entity if len(names) > 1 else entity)
    if not np.array_equal(entity[first], np.arange(len(labels))):
        labels = labels.take(entity[first])
    return Corpus(
        names,
        Entities(documents[first], labels),
        Mentions(documents, owner, place, place + 1, mention),
        topics=topics,
        sources=(source,) * len(names),
        format="labels",
    )


def _check_labels(entity: LabelColumn, where: Callable[[int], Location]) -> None:
    """Refuse labels that are missing, or differ from another only in white space."""
    labels = entity.values
    lengths, data = labels.lengths, labels.data
    odd = lengths <= max(map(len, _MISSING))
    long = np.flatnonzero(~odd)
    for end in (labels.offsets[:-1][long], labels.offsets[1:][long] - 1):
        odd[long] |= (data[end] <= ord(" ")) | (data[end] > ord("~"))
    numbers = np.flatnonzero(odd)
    known: set[str] = set()
    for number, label in zip(numbers.tolist(), labels.take(numbers).tolist(), strict=True):
        bare = label.strip()
        if bare != label:
            known = known or set(labels.tolist())
        if bare.lower() in _MISSING or (bare != label and bare in known):
            what = "differs from another only in white space" if bare else "is missing"
            message = f"the entity {shown(label)!r} {what}"
            raise FormatError(message, where(int(np.argmax(entity.rows == number))), _REMEDY)


def read(source: Source, layers: frozenset[str] | None = None, label: str = "") -> Corpus:
    """Read a table, whose rows of one document need not be adjacent, or pairs of records."""
    if label:
        return read_pairs(source, label)
    rows = rows_of(source)
    _, header = next(rows, (1, []))
    columns = find_columns(header, source.where(1))
    numbers: dict[str, dict[str, int]] = {role: {} for role in columns}
    codes: dict[str, list[int]] = {role: [] for role in columns}
    mentions: list[Any] = []
    lines: list[int] = []
    for line, row in rows:
        if len(row) != len(header) or row == header:
            what = "the header occurs again" if row == header else f"{len(row)} cells"
            raise source.error(f"{what} where the header has {len(header)}", line, _REMEDY)
        lines.append(line)
        for role, places in columns.items():
            cells = [row[place] for place in places]
            if role != "mention":
                known = numbers[role]
                codes[role].append(known.setdefault(cells[0], len(known)))
            elif len(cells) == 1 and cells[0]:
                mentions.append(cells[0])
            elif (
                len(cells) == 2
                and all(map(_WHOLE.fullmatch, cells))
                and int(cells[0]) <= int(cells[1])
            ):
                mentions.append((int(cells[0]), int(cells[1])))
            else:
                message = f"{' to '.join(cells)[:60]!r} is not a mention"
                raise source.error(message, line, _REMEDY)
    found = {
        role: LabelColumn(Strings.from_list(numbers[role]), np.array(codes[role], np.int64))
        for role in columns
        if role != "mention"
    }
    are_ids = len(columns.get("mention", ())) == 1
    names = Strings.from_list(mentions) if are_ids else mentions or None
    return corpus_of(found, names, lambda row: source.where(lines[row]), source.name)


def rows_of(source: Source) -> Iterator[tuple[int, list[str]]]:
    """The rows of a table that are not empty, and the lines where they start."""
    reader = csv.reader(_lines(source), delimiter=delimiter_of(source.head()), strict=True)
    line = 1
    try:
        for row in reader:
            if row:
                yield line, row
            line = reader.line_num + 1
    except csv.Error as error:
        where = source.where(reader.line_num)
        raise FormatError(f"not a table: {error}", where, _REMEDY) from None


def _lines(source: Source) -> Iterator[str]:
    """The lines of a source with their ends, carriage returns included."""
    number = 1
    for block in line_blocks(source):
        check_text(block, source, number)
        lines = block.decode("utf-8").split("\n")[:-1]
        number += len(lines)
        yield from (line + "\n" for line in lines)


def headings_of(head: bytes, delimiter: str = "") -> list[str]:
    """The headings of a table that starts with these bytes."""
    text = head.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter or delimiter_of(head))
    try:
        return next(lines, [])
    except csv.Error:
        return []


def delimiter_of(head: bytes) -> str:
    """The delimiter by which the first row has the most known headings, then the most cells."""
    known = {heading for headings in COLUMNS.values() for heading in headings}

    def judged(delimiter: str) -> tuple[int, int]:
        row = headings_of(head, delimiter)
        return len(known & {cell.strip().lower() for cell in row}), len(row)

    return max(DELIMITERS, key=judged)


def detect(head: bytes, name: str) -> bool:
    """True if the first row names a column of entities and one of mentions or two of spans."""
    headings = [heading.strip().lower() for heading in headings_of(head)]
    has_mention, has_entity = (
        not set(COLUMNS[role]).isdisjoint(headings) for role in ("mention", "entity")
    )
    return has_entity and (has_mention or span_columns(headings) is not None)


# --- writing --------------------------------------------------------------------------------------


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
            if corpus.has_places:
                mention = inclusive_span(mention)
            yield [
                corpus.documents[document],
                *(mention if spans else [str(mention)]),
                str(entity) if names is None else names[entity],
                *([topics[document]] if topics else []),
            ]

    return header + (["topic"] if topics else []), rows()


def write(corpus: Corpus, suffix: str = ".csv") -> Iterator[bytes]:
    """Write rows of document, mention and entity, and topic if the corpus has topics."""
    delimiter = "\t" if suffix == ".tsv" else ","
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


# --- pairs of records -----------------------------------------------------------------------------

PAIRS = (
    ("id_l", "id_r"), ("unique_id_l", "unique_id_r"), ("record_id_l", "record_id_r"),
    ("id_1", "id_2"), ("record_id_1", "record_id_2"), ("left", "right"),
)  # fmt: skip
"""Headings of the columns with the two records of a pair."""
PROBABILITIES = ("match_probability", "probability", "confidence", "score")
"""Headings of the column with the probability that a pair matches."""
_PAIRS_REMEDY = f"Name the columns {', '.join(PAIRS[0])} and, optionally, {PROBABILITIES[0]}."


def columns_of(source: Source) -> dict[str, list[Any]]:
    """The columns of a CSV, TSV or Parquet file, by heading in lower case."""
    if source.head().startswith(b"PAR1"):
        from corefine.formats.parquet import all_columns

        return all_columns(source)
    rows = list(rows_of(source))
    header = [heading.strip().lower() for heading in rows[0][1]] if rows else []
    for line, row in rows[1:]:
        if len(row) != len(header):
            raise source.error(f"{len(row)} cells instead of {len(header)}", line)
    if len(set(header)) < len(header) or len(rows) < 2:
        raise source.error("no rows, or two columns of one name", 1)
    return {name: [row[place] for _, row in rows[1:]] for place, name in enumerate(header)}


def read_pairs(source: Source, label: str) -> Corpus:
    """Read pairs of records; records that are linked by pairs are one entity.

    ``label`` is ``pairs``, or ``pairs:0.9`` for pairs of at least this probability.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    kind, _, threshold = label.partition(":")
    if kind != "pairs":
        raise UsageError(f"labels:{label} is no format", remedy="Use labels or labels:pairs.")
    columns = columns_of(source)
    names = next((pair for pair in PAIRS if set(pair) <= columns.keys()), None)
    if names is None:
        found = ", ".join(columns)
        raise source.error(f"no two columns of record ids among: {found}", 1, _PAIRS_REMEDY)
    linked = _linked(columns, threshold, source)
    sides = [column_of(columns[name], name) for name in names]
    records, codes = distinct([*map(_plain, sides[0]), *map(_plain, sides[1])])
    left, right = np.split(codes, 2)
    graph = coo_array(
        (np.ones(int(linked.sum()), bool), (left[linked], right[linked])), (len(records),) * 2
    )
    _, entity = connected_components(graph, directed=False)
    return Corpus.from_labels(entity.astype(np.int64), records)


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _linked(columns: dict[str, list[Any]], threshold: str, source: Source) -> np.ndarray:
    """True for each pair that links its records."""
    name = next((name for name in PROBABILITIES if name in columns), None)
    if (name is None) != (not threshold):
        text = "needs a threshold" if name else "has no probabilities, but a threshold is given"
        raise UsageError(
            f"{source.name} {text}",
            remedy="Give --threshold 0.9, or labels:pairs:0.9." if name else "Leave it out.",
        )
    if name is None:
        return np.ones(len(next(iter(columns.values()))), bool)
    try:
        least, values = float(threshold), np.array(columns[name], np.float64)
    except (TypeError, ValueError) as error:
        raise source.error(f"{name}: {error}", None) from None
    if not 0 <= least <= 1 or not np.isfinite(values).all():
        raise UsageError(
            f"threshold {threshold} is not between 0 and 1, or {name} has missing values",
            remedy="Use, for example, 0.9.",
        )
    return values >= least


register(
    Format(
        "labels",
        "Labels: document, mention, entity",
        (".csv", ".tsv"),
        detect=detect,
        write=write,
        read_columns=read,
    )
)
