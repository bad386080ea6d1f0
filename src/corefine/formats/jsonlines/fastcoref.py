"""fastcoref: JSON lines with running text and spans of characters.

The smallest valid line::

    {"text": "Anna saw her house.", "clusters": [[[0, 4], [9, 12]]]}

A mention is its first character and the one behind its last, counted from 0. If
``clusters_strings`` is there, it must say the same. A text that was given to the model in words is
written as a list of them; its mentions are then words, and end behind their last one too. Lines
have no names: documents are numbered, unless all lines have a ``doc_key`` (or ``id``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING, cast

import numpy as np

from corefine.corpus.arrays import offsets_of
from corefine.corpus.corpus import Corpus
from corefine.corpus.strings import Strings
from corefine.formats.input.sources import Source
from corefine.formats.jsonlines.arrays import StringLists
from corefine.formats.jsonlines.columns import Clusters, Columns, sentence_starts
from corefine.formats.jsonlines.lines_of_documents import (
    LINE_MARK,
    SUFFIXES,
    Batch,
    check_spans,
    is_given,
    keys_of,
    read_batches,
)
from corefine.formats.jsonlines.words import check_texts, clusters_of
from corefine.formats.jsonlines.writing import Document, documents_of, json_line
from corefine.formats.registry import Format, Holds, register
from corefine.formats.text.tokens import Texts, segment

if TYPE_CHECKING:
    from corefine.formats.jsonlines.records import FastCoref as Line

CONVENTION = "Mentions are [first, behind the last] characters of the text, counted from 0."
WORD_CONVENTION = "Mentions are [first, behind the last] words of the text, counted from 0."


def read(source: Source, layers: frozenset[str] | None, window: int | None) -> Iterator[Corpus]:
    """The documents of a source, cut into words where they are running text."""
    from corefine.formats.jsonlines.records import FastCoref

    reader = _Reader(with_places=layers is None or "text" in layers)
    return read_batches(source, FastCoref, reader.columns, FASTCOREF.name, window)


class _Reader:
    """Makes columns of batches; whether texts are running or in words the first line decides."""

    def __init__(self, with_places: bool) -> None:
        self.with_places = with_places
        self.in_words: bool | None = None

    def columns(self, batch: Batch[Line]) -> Columns:
        for document, line in enumerate(batch.records):
            in_words = isinstance(line.text, list)
            if self.in_words is None:
                self.in_words = in_words
            if in_words != self.in_words:
                batch.refuse(
                    document,
                    "text: a list of words and running text in one file",
                    "Give all documents as text, or all as lists of words.",
                )
        if self.in_words:
            return _from_words(batch, clusters_of(batch, "clusters", WORD_CONVENTION))
        clusters = clusters_of(batch, "clusters", CONVENTION)
        return _from_text(batch, clusters, with_places=self.with_places)


def _names(batch: Batch[Line]) -> list[str | None]:
    names = [line.doc_key if line.doc_key is not None else line.id for line in batch.records]
    return [None if name is None else str(name) for name in names]


def _from_words(batch: Batch[Line], clusters: Clusters) -> Columns:
    texts = [cast("list[str]", line.text) for line in batch.records]
    zero = next((n for n, text in enumerate(texts) if any("\0" in word for word in text)), None)
    if zero is not None:
        batch.refuse(zero, "text: a zero character", "Take it out.")
    words = StringLists.of([[text] for text in texts])
    start, stop = clusters.numbers.T
    check_spans(batch, clusters, start, stop, words.lengths, "words")
    _check_words(batch, clusters, texts)
    return Columns(
        _names(batch),
        words.strings,
        words.lengths,
        sentence_starts(words.lengths),
        clusters,
        start,
        stop,
        {},
    )


def _check_words(batch: Batch[Line], clusters: Clusters, texts: list[list[str]]) -> None:
    """Refuse mentions that are not the words that a line gives for them, where it does."""
    owner = clusters.document_of_mentions
    for document, line in enumerate(batch.records):
        if is_given(line, "clusters_strings"):
            kind = list[list[list[str]]]
            given = batch.decode(document, line.clusters_strings, kind, "clusters_strings")
            spans = clusters.numbers[owner == document].tolist()
            if list(chain.from_iterable(given)) != [texts[document][a:b] for a, b in spans]:
                batch.refuse(
                    document,
                    "clusters_strings has other words than clusters: the ends seem to be counted "
                    "otherwise",
                    WORD_CONVENTION,
                )


def _from_text(batch: Batch[Line], clusters: Clusters, *, with_places: bool) -> Columns:
    texts = [cast(str, line.text) for line in batch.records]
    zero = next((number for number, text in enumerate(texts) if "\0" in text), None)
    if zero is not None:
        batch.refuse(zero, "text: a zero character", "Take it out.")
    begin, end = clusters.numbers.T
    document = clusters.document_of_mentions
    running = Texts.of(texts)
    check_spans(batch, clusters, begin, end, running.sizes, "characters")
    low, high = running.bytes_at(document, begin), running.bytes_at(document, end)
    check_texts(batch, clusters, Strings.cut(running.data, low, high), "clusters_strings")
    cut = segment(running, document, low, high, with_places=with_places)
    start, stop = cut.start, cut.stop
    blank = np.flatnonzero(stop <= start)
    if len(blank):
        mention = int(blank[0])
        batch.refuse(
            int(document[mention]),
            f"{clusters.path(mention)} is {clusters.numbers[mention].tolist()}, where the text "
            "has only white space",
            clusters.convention,
        )
    return Columns(
        _names(batch),
        cut.words,
        cut.lengths,
        sentence_starts(cut.lengths),
        clusters,
        start,
        stop,
        {},
        text=cut.text,
    )


def sniff(head: bytes, name: str) -> float:
    """By the keys of the first line: ``text`` and ``clusters``."""
    return 0.9 if {"text", "clusters"} <= keys_of(head) else 0.0


def write(corpus: Corpus) -> Iterable[bytes]:
    """A line for each document; words without a text are joined by spaces."""
    for document in documents_of(corpus):
        text, begins, ends = characters_of_document(document)
        spans = [
            [(begins[start], ends[stop - 1]) for start, stop in cluster]
            for cluster in document.clusters
        ]
        spans = [[span for span in cluster if span[0] < span[1]] for cluster in spans]
        clusters = [cluster for cluster in spans if cluster]
        line: dict[str, object] = {"doc_key": document.name} if corpus.named else {}
        line |= {
            "text": text,
            "clusters": clusters,
            "clusters_strings": [
                [text[begin:end] for begin, end in cluster] for cluster in clusters
            ],
        }
        yield json_line(line)


def characters_of_document(document: Document) -> tuple[str, list[int], list[int]]:
    """A document's text, and the characters at which its tokens begin and end."""
    known = document.tokens.text
    if known is not None:
        part = slice(document.first, document.last)
        text = known.documents[document.number]
        return text, known.begins[part].tolist(), known.ends[part].tolist()
    words = document.words
    lengths = np.fromiter(map(len, words), np.int64, len(words))
    begins = offsets_of(lengths + 1)[:-1]
    return " ".join(words), begins.tolist(), (begins + lengths).tolist()


def losses(corpus: Corpus) -> list[str]:
    """Mentions of words that have no characters, of which a span of text cannot be told."""
    tokens, mentions = corpus.tokens, corpus.mentions
    if tokens is None:
        return []
    base = tokens.offsets[mentions.document]
    before = offsets_of(np.array([bool(word.strip()) for word in tokens.words], np.int64))
    blank = np.count_nonzero(before[base + mentions.stop] == before[base + mentions.start])
    return [f"mentions of nothing but white space ({blank:,})"] if blank else []


FASTCOREF = register(
    Format(
        name="fastcoref",
        title="fastcoref: JSON lines, character spans that end behind their last character",
        suffixes=SUFFIXES,
        sniff=sniff,
        read=read,
        holds=Holds(entity_names=False),
        write=write,
        losses=losses,
        document_mark=LINE_MARK,
        documentation="docs/formats/jsonlines.md",
    )
)
