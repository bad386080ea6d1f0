"""A corpus from columns of labels, whatever kind of table they came from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from corefine.corpus.arrays import IntArray, by_first_appearance, numbered, offsets_of
from corefine.corpus.columns import Entities, Mentions
from corefine.corpus.corpus import Corpus
from corefine.corpus.strings import Strings, numbered_bytes
from corefine.errors import FormatError, Location
from corefine.formats.input.lines import shown
from corefine.formats.input.sources import Source

COLUMNS: dict[str, tuple[str, ...]] = {
    "document": ("document", "doc", "document_id", "doc_id", "doc_key"),
    "mention": ("mention", "mention_id", "record", "record_id"),
    "entity": ("entity", "entity_id", "cluster", "cluster_id", "label"),
    "topic": ("topic", "topic_id"),
}
"""The columns of labels, and the headings under which tables have them."""


SPANS: tuple[tuple[str, ...], tuple[str, ...]] = (
    ("start", "begin", "first", "start_token", "token_start", "start_char", "char_start"),
    ("end", "stop", "last", "end_token", "token_end", "end_char", "char_end"),
)
"""Headings of columns that hold the edges of spans."""


_NO_LABELS = ("", "nan", "-nan", "<na>", "nat", "none", "null")
"""What programs write, in any case, where there is no label: these mentions are not one entity."""


def span_columns(header: Sequence[str]) -> tuple[str, str] | None:
    """The columns in which spans start and end, where a table has both."""
    for first, last in zip(*SPANS, strict=True):
        if first in header and last in header:
            return first, last
    return None


def find_columns(header: Sequence[str], source: Source) -> dict[str, int]:
    """Which column of the table is which; the entity must be there."""
    headings = [heading.strip().lower() for heading in header]
    found: dict[str, int] = {}
    known = {heading for allowed in COLUMNS.values() for heading in allowed}
    for heading in dict.fromkeys(headings):
        if heading in known and headings.count(heading) > 1:
            raise FormatError(
                f"{headings.count(heading)} columns named {heading!r}",
                source.where(1),
                "Rename or remove all but one of them.",
            )
    for name, allowed in COLUMNS.items():
        places = [headings.index(heading) for heading in allowed if heading in headings]
        if places:
            found[name] = places[0]
    if "entity" not in found:
        raise FormatError(
            f"no entity column among: {shown(', '.join(header))}",
            source.where(1),
            "The first row must name the columns: document, mention, entity.",
        )
    if "mention" not in found and (span := span_columns(headings)):
        # Rows would be compared by their number, whatever the spans.
        raise FormatError(
            f"no mention column, but the columns {span[0]} and {span[1]}",
            source.where(1),
            "Combine them in a column mention, such as 4-6; data frames are read as they are.",
        )
    return found


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Coded:
    """A column in which few strings recur: the distinct ones, and which of them each row has."""

    distinct: Strings
    codes: IntArray

    @classmethod
    def of(cls, column: Strings) -> Coded:
        """A column's distinct strings, in the order in which they first appear."""
        first, codes = numbered_bytes(column.data, column.offsets[:-1], column.lengths)
        return cls(column.take(first), codes)

    @classmethod
    def concatenate(cls, parts: Sequence[Coded]) -> Coded:
        """The column made of the parts; only their distinct strings are looked at again."""
        if len(parts) == 1:
            return parts[0]
        whole = cls.of(Strings.concatenate([part.distinct for part in parts]))
        before = offsets_of(np.array([len(part.distinct) for part in parts], np.int64))
        codes = [
            whole.codes[base : base + len(part.distinct)][part.codes]
            for part, base in zip(parts, before.tolist(), strict=False)
        ]
        return cls(whole.distinct, np.concatenate(codes))

    def reordered(self, order: IntArray) -> Coded:
        return Coded(self.distinct, self.codes[order])


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LabelColumns:
    """The columns of a table of labels; those that it lacks are None."""

    entity: Coded
    mention: Strings | None = None
    document: Coded | None = None
    topic: Coded | None = None


def corpus_from_columns(
    columns: LabelColumns, where: Callable[[int], Location], source: Source
) -> Corpus:
    """The corpus of rows of labels, documents in the order in which they first appear.

    ``where`` tells the place of a row, for messages.
    """
    rows = len(columns.entity.codes)
    if rows == 0:
        raise FormatError(
            "the table has no rows", source.where(), "Check that this is the right file."
        )
    _refuse_empty_cells(columns, where)
    document = columns.document or Coded(Strings.from_list([""]), np.zeros(rows, np.int64))
    entity, mention, topic = columns.entity, columns.mention, columns.topic
    place = np.arange(rows)
    if (np.diff(document.codes) < 0).any():
        place = np.argsort(document.codes, kind="stable")
        document, entity = document.reordered(place), entity.reordered(place)
        mention = None if mention is None else mention.take(place)
        topic = None if topic is None else topic.reordered(place)
    names = entity.distinct
    pair = document.codes * len(names) + entity.codes
    if len(document.distinct) * len(names) <= 16 * rows:
        number, first = by_first_appearance(pair)
    else:
        first, number = numbered(pair)
    owner, label = np.divmod(pair[first], len(names))
    return Corpus(
        tuple(document.distinct),
        Entities(owner, names.take(label)),
        Mentions(document.codes, number, place, place + 1, mention),
        topics=None if topic is None else _topics(topic, document.codes, place, where),
        sources=(source.name,) * len(document.distinct),
        format="labels",
    )


def _refuse_empty_cells(columns: LabelColumns, where: Callable[[int], Location]) -> None:
    labels = columns.entity.distinct
    # A blank label may be longer, but starts with white space.
    longest = max(map(len, _NO_LABELS))
    padded = np.append(labels.data, 0)
    blanks = (padded[labels.offsets[:-1]] <= 32) | (padded[labels.offsets[1:] - 1] <= 32)
    short = np.flatnonzero((labels.lengths <= longest) | blanks).tolist()
    blank = [number for number in short if labels[number].strip().lower() in _NO_LABELS]
    rows = {"entity": np.flatnonzero(np.isin(columns.entity.codes, blank))} if blank else {}
    if columns.mention is not None:
        rows["mention"] = np.flatnonzero(columns.mention.lengths == 0)
    if columns.document is not None and len(columns.document.distinct) > 1:
        nameless = np.flatnonzero(columns.document.distinct.lengths == 0)
        rows["document"] = np.flatnonzero(np.isin(columns.document.codes, nameless))
    for name, places in rows.items():
        if len(places):
            raise FormatError(
                f"the row has no {name}",
                where(int(places[0])),
                f"Give every row its {name}; NaN, None and null count as missing.",
            )
    if blanks.any():
        _refuse_alike(columns.entity, np.flatnonzero(blanks), where)


def _refuse_alike(entity: Coded, blanks: IntArray, where: Callable[[int], Location]) -> None:
    """Refuse labels that differ in white space around them alone: they would be two entities."""
    bare = set(entity.distinct.tolist())
    for number in blanks.tolist():
        label = entity.distinct[number]
        if label.strip() in bare:
            raise FormatError(
                f"the entities {shown(label)!r} and {shown(label.strip())!r} differ only in "
                "white space",
                where(int(np.argmax(entity.codes == number))),
                "Write the label of an entity in the same way in all rows.",
            )


def rows_with(column: Strings, text: str) -> IntArray:
    """The rows of a column that hold this text."""
    data = text.encode("utf-8", "surrogatepass")
    rows = np.flatnonzero(column.lengths == len(data))
    for place, byte in enumerate(data):
        rows = rows[column.data[column.offsets[rows] + place] == byte]
    return rows


def _topics(
    topic: Coded, document: IntArray, place: IntArray, where: Callable[[int], Location]
) -> tuple[str, ...]:
    """The topic of each document, which all its rows must agree on."""
    first = np.searchsorted(document, np.arange(int(document[-1]) + 1))
    wrong = np.flatnonzero(topic.codes != topic.codes[first][document])
    if len(wrong):
        raise FormatError(
            "the row gives its document a different topic than earlier rows",
            where(int(place[wrong[0]])),
            "A document has one topic.",
        )
    return tuple(topic.distinct.take(topic.codes[first]))
