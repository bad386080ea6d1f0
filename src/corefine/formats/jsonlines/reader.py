"""The one reader of JSON lines: how the lines of a dialect become a corpus.

Which of a dialect's keys hold words and clusters each line decides for itself, so that a file can
be cut between any lines and its parts say what the whole says.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, groupby
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from corefine.corpus.arrays import BoolArray, IntArray, offsets_of
from corefine.corpus.columns import Entities, Mentions, Text, Tokens
from corefine.corpus.corpus import Corpus
from corefine.corpus.joining import concatenate
from corefine.corpus.strings import Strings
from corefine.errors import FormatError, Location
from corefine.formats.input.sources import Source
from corefine.formats.jsonlines.dialect import SENTENCES, TEXT, Dialect
from corefine.formats.jsonlines.document_names import Names, document_name
from corefine.formats.jsonlines.fields import (
    Clusters,
    check_strings,
    sentence_starts,
    string_lists,
)
from corefine.formats.jsonlines.json_arrays import StringLists
from corefine.formats.jsonlines.json_records import Record, batches
from corefine.formats.jsonlines.subtokens import Subtokens
from corefine.formats.jsonlines.token_layers import layers_of, mention_heads
from corefine.formats.text.tokens import RunningTexts, segment

_MANY = 5
"""Mentions of which one should have a single word."""


class _Variant(NamedTuple):
    """What a line decides: under which keys its words, clusters and subtokens stand."""

    words: str
    clusters: str
    subtokens: str
    running: bool
    """Whether there is running text, of which characters are counted."""

    @classmethod
    def of(cls, record: Record, dialect: Dialect) -> _Variant:
        words = record.first(dialect.words) if dialect.words else ""
        maps = [key for key in dialect.subtoken_maps if words == SENTENCES and record.has(key)]
        running = words == TEXT and bytes(memoryview(record.raw(TEXT))[:1]) == b'"'
        return cls(words, record.first(dialect.clusters), maps[0] if maps else "", running)


def read(dialect: Dialect, source: Source, layers: frozenset[str] | None) -> Corpus:
    """The documents of a source."""
    return read_records(dialect, batches(source), source, layers)


def read_records(
    dialect: Dialect,
    many: Iterable[list[Record]],
    source: Source,
    layers: frozenset[str] | None,
) -> Corpus:
    """The documents of records, some at a time, that were found in a source."""
    names = Names(source)
    parts = []
    nulls: list[tuple[Location, int]] = []
    number = 0
    for records in many:
        first, number = number, number + len(records)
        if dialect.plain is not None:
            records = [
                plain
                for place, record in enumerate(records, first)
                for plain in dialect.plain(record, place, source.stem)
            ]
        if dialect.nulls:
            records = [without_nulls(record, dialect, nulls) for record in records]
        for variant, group in groupby(records, lambda record: _Variant.of(record, dialect)):
            lines = list(group)
            known = [names.take(record, document_name(record, dialect)) for record in lines]
            found = _Columns.of(lines, dialect, variant, layers).said(dialect)
            parts.append(found.corpus(known, source, dialect.name, named=names.given))
    if not parts:
        raise FormatError("no documents", source.where(1), "Check that this is the right file.")
    corpus = concatenate(parts)
    if nulls:
        count = sum(number for _, number in nulls)
        warning = f"{nulls[0][0]}: {count:,} mention(s), starting here, are null: ignored"
        corpus = replace(corpus, warnings=(*corpus.warnings, warning))
    length = corpus.mentions.stop - corpus.mentions.start
    if not dialect.words and dialect.inclusive and len(length) >= _MANY and (length > 1).all():
        warning = (
            f"{source.name}: no mention has a single token. If ends are exclusive, use the "
            f"format {dialect.name}-exclusive"
        )
        return replace(corpus, warnings=(*corpus.warnings, warning))
    if not len(corpus.mentions) and not source.part:
        warning = f"{source.name}: all clusters are empty, so there are no mentions"
        return replace(corpus, warnings=(*corpus.warnings, warning))
    return corpus


def without_nulls(record: Record, dialect: Dialect, counted: list[tuple[Location, int]]) -> Record:
    """The line without mentions that are null, and without their strings; they are counted.

    fastcoref writes null for a span on a special token of its encoder, which has no characters.
    """
    key = record.first(dialect.clusters)
    if not record.has(key) or b"null" not in bytes(record.raw(key)):
        return record
    from msgspec import Raw
    from msgspec.json import encode

    clusters = record.decode(key, list[list[list[int | None] | None]])
    kept = [
        [place for place, span in enumerate(cluster) if span is not None and None not in span]
        for cluster in clusters
    ]
    counted.append((record.where, sum(map(len, clusters)) - sum(map(len, kept))))
    values = dict(record.values)
    values[key] = Raw(
        encode([[c[place] for place in p] for c, p in zip(clusters, kept, strict=True)])
    )
    for beside in dialect.strings:
        if record.has(beside):
            strings = record.decode(beside, list[list[str | None]])
            if list(map(len, strings)) == list(map(len, clusters)):
                values[beside] = Raw(
                    encode([[c[place] for place in p] for c, p in zip(strings, kept, strict=True)])
                )
    return Record(values, record.where)


@dataclass(frozen=True, slots=True, eq=False)
class _Columns:
    """The documents of lines of one variant as columns; mentions in the order of their clusters."""

    words: Strings
    lengths: IntArray
    """How many words each document has."""
    sentences: IntArray
    """The first word of each sentence."""
    clusters: Clusters
    start: IntArray
    stop: IntArray
    layers: dict[str, Strings] = field(default_factory=dict)
    head: IntArray | None = None
    text: Text | None = None
    kind: NDArray[np.uint8] | None = None
    type: IntArray | None = None
    types: tuple[str, ...] = ()
    entity_names: Strings | None = None
    empty: BoolArray | None = None
    wordless: bool = False
    """Whether there are only mentions, and no words."""

    @classmethod
    def of(
        cls,
        records: Sequence[Record],
        dialect: Dialect,
        variant: _Variant,
        layers: frozenset[str] | None,
    ) -> _Columns:
        unit = "characters" if variant.running else "tokens"
        _refuse_elsewhere(records, dialect, variant)
        width = 3 if dialect.in_sentences else 2
        clusters = Clusters.of(records, variant.clusters, dialect.convention(unit), width)
        if not variant.words:
            return cls.without_words(clusters, dialect)
        if variant.running:
            return _of_text(clusters, dialect, with_places=layers is None or TEXT in layers)
        lists = string_lists(records, variant.words, 2 if variant.words == SENTENCES else 1)
        if variant.subtokens:
            return _of_subtokens(clusters, dialect, variant, lists, layers)
        start, stop = _spans(clusters, dialect, lists)
        lengths = lists.per_document
        clusters.check(start, stop, lengths, unit)
        _check_words(clusters, dialect, lists, start, stop, listed=variant.words == TEXT)
        key = "" if dialect.subtoken_maps else dialect.sentence_map
        sentences = sentence_starts(records, lists, key)
        return cls(
            lists.strings,
            lengths,
            sentences,
            clusters,
            start,
            stop,
            layers_of(records, dialect, lengths, sentences, layers),
            mention_heads(records, dialect.heads, lengths, clusters, start, stop),
        )

    @classmethod
    def without_words(cls, clusters: Clusters, dialect: Dialect) -> _Columns:
        """Mentions of texts that only the other side has."""
        start, stop = clusters.numbers[:, 0], clusters.numbers[:, 1] + dialect.inclusive
        clusters.refuse(stop <= start, lambda _: "which ends before it starts")
        nothing = np.zeros(0, np.int64)
        lengths = np.zeros(len(clusters.records), np.int64)
        return cls(Strings.from_list(()), lengths, nothing, clusters, start, stop, wordless=True)

    def said(self, dialect: Dialect) -> _Columns:
        """These columns with what plain records say of clusters, mentions and empty nodes."""
        records, found = self.clusters.records, self
        if dialect.zeros:
            words = [word.startswith(dialect.zeros) for word in self.words]
            if any(words):
                found = replace(found, empty=np.array(words), words=_without(self.words, dialect))
        if dialect.empty:
            flags = np.array(_flat(records, dialect.empty, list[bool]), bool)
            found = replace(found, empty=flags if flags.any() else None)
        if dialect.entity_names:
            given = _flat(records, dialect.entity_names, list[str])
            found = replace(found, entity_names=Strings.from_list(given))
        if dialect.kinds:
            kinds = list(chain.from_iterable(_flat(records, dialect.kinds, list[list[int]])))
            found = replace(found, kind=np.array(kinds, np.uint8))
        if dialect.types:
            given = list(chain.from_iterable(_flat(records, dialect.types, list[list[str]])))
            types = {name: place for place, name in enumerate(dict.fromkeys(filter(None, given)))}
            numbers = np.array([types.get(name, -1) for name in given], np.int64)
            found = replace(found, type=numbers, types=tuple(types))
        return found

    def corpus(self, names: Sequence[str], source: Source, format: str, *, named: bool) -> Corpus:
        """The corpus of these columns; a cluster without mentions is no entity."""
        filled = self.clusters.sizes > 0
        sizes = self.clusters.sizes[filled]
        before = source.lines_before
        lines = [(record.where.line or 0) - before for record in self.clusters.records]
        return Corpus(
            documents=tuple(names),
            entities=Entities(
                self.clusters.document[filled],
                None
                if self.entity_names is None
                else self.entity_names.take(np.flatnonzero(filled)),
            ),
            mentions=Mentions(
                self.clusters.document_of_mentions,
                np.repeat(np.arange(len(sizes)), sizes),
                self.start,
                self.stop,
                kind=self.kind,
                head=self.head,
                type=self.type,
            ),
            types=self.types,
            tokens=None
            if self.wordless
            else Tokens(
                self.words,
                offsets_of(self.lengths),
                self.sentences,
                self.layers,
                self.empty,
                lines=np.repeat(np.array(lines, np.int64), self.lengths),
                text=self.text,
            ),
            sources=(source.name,) * len(names),
            format=format,
            named=named,
        )


def _flat(records: Sequence[Record], key: str, kind: Any) -> list[Any]:
    return list(chain.from_iterable(record.decode(key, kind) for record in records))


def _without(words: Strings, dialect: Dialect) -> Strings:
    """The words without the signs of empty nodes, which have a form of their own or none."""
    return Strings.from_list(
        word.removeprefix(dialect.zeros) or "_" if word.startswith(dialect.zeros) else word
        for word in words
    )


def _refuse_elsewhere(records: Sequence[Record], dialect: Dialect, variant: _Variant) -> None:
    """Refuse lines that have only clusters which another format reads."""
    for key, format in dialect.elsewhere.items():
        for record in records:
            if record.has(key) and not record.has(variant.clusters):
                record.refuse(
                    f"the key {variant.clusters!r} is missing; found {key}",
                    f"To read these, use the format {format}.",
                )


def _spans(clusters: Clusters, dialect: Dialect, lists: StringLists) -> tuple[IntArray, IntArray]:
    """The first word of each mention, and the one behind its last, in its document."""
    if not dialect.in_sentences:
        return clusters.numbers[:, 0], clusters.numbers[:, 1] + dialect.inclusive
    sentence, start, stop = clusters.numbers.T
    stop = stop + dialect.inclusive
    document = clusters.document_of_mentions
    counts = lists.counts[document]
    clusters.refuse(
        sentence >= counts, lambda mention: f"but there are only {counts[mention]:,} sentences"
    )
    sentence = offsets_of(lists.counts)[document] + sentence
    lengths = lists.lengths[sentence]
    clusters.refuse(
        stop > lengths, lambda mention: f"beyond the {lengths[mention]:,} tokens of the sentence"
    )
    first = offsets_of(lists.lengths)[sentence] - offsets_of(lists.per_document)[document]
    return first + start, first + stop


def _check_words(
    clusters: Clusters,
    dialect: Dialect,
    lists: StringLists,
    start: IntArray,
    stop: IntArray,
    *,
    listed: bool,
) -> None:
    """Refuse mentions that are not the strings that lines give for them."""
    for key in dialect.strings:
        if any(record.has(key) for record in clusters.records):
            base = offsets_of(lists.per_document)[clusters.document_of_mentions]
            ends = lists.strings.offsets
            texts = Strings.cut(lists.strings.data, ends[base + start], ends[base + stop])
            check_strings(clusters, texts, key, listed=listed, unsaid=dialect.unsaid)


def _of_text(clusters: Clusters, dialect: Dialect, *, with_places: bool) -> _Columns:
    """Running texts, cut into words so that every mention begins and ends with one."""
    texts = []
    for record in clusters.records:
        texts.append(record.decode(TEXT, str))
        if "\0" in texts[-1]:
            record.refuse(f"{TEXT}: a null character", "Remove it.")
    begin, end = clusters.numbers.T
    document = clusters.document_of_mentions
    running = RunningTexts.of(texts)
    clusters.check(begin, end, running.sizes, "characters")
    low, high = running.bytes_at(document, begin), running.bytes_at(document, end)
    for key in dialect.strings:
        if any(record.has(key) for record in clusters.records):
            check_strings(clusters, Strings.cut(running.data, low, high), key)
    cut = segment(running, document, low, high, with_places=with_places)
    clusters.refuse(cut.stop <= cut.start, lambda _: "where the text has only white space")
    sentences = offsets_of(cut.lengths)[:-1][cut.lengths > 0]
    return _Columns(cut.words, cut.lengths, sentences, clusters, cut.start, cut.stop, text=cut.text)


def _of_subtokens(
    clusters: Clusters,
    dialect: Dialect,
    variant: _Variant,
    pieces: StringLists,
    layers: frozenset[str] | None,
) -> _Columns:
    """Words put together from the pieces of a tokenizer, or as they are given beside these."""
    records = clusters.records
    found = Subtokens.of(records, pieces, variant.subtokens)
    start, stop = found.spans(clusters)
    clusters.check(start, stop, found.lengths, "tokens")
    words = found.words()
    rows = [row for row, record in enumerate(records) if record.has(dialect.given_words)]
    if rows:
        given = string_lists([records[row] for row in rows], dialect.given_words, 1)
        # Of each document the words that are given, if there are as many as the pieces make.
        place = np.arange(len(words))
        first, first_given = offsets_of(found.lengths), len(words) + offsets_of(given.lengths)
        for row, begin, end in zip(rows, first_given[:-1], first_given[1:], strict=True):
            if end - begin == found.lengths[row]:
                place[first[row] : first[row + 1]] = np.arange(begin, end)
        words = Strings.concatenate([words, given.strings]).take(place)
    columns = layers_of(records, dialect, pieces.per_document, None, layers)
    return _Columns(
        words,
        found.lengths,
        found.sentences(dialect.sentence_map),
        clusters,
        start,
        stop,
        {name: found.layer(values) for name, values in columns.items()},
    )
