"""Maverick: JSON lines with what its ``predict`` returns.

The smallest valid line::

    {"tokens": ["Anna", "saw", "her"], "clusters_token_offsets": [[[0, 0], [2, 2]]]}

A mention is its first and its last token, counted from 0, the last one included. If
``clusters_token_text`` (in older versions ``clusters_text_mentions``) is there, it must say the
same. ``clusters_char_offsets`` are not read: they are of a text that the line does not hold. Lines
have no names: documents are numbered, unless all lines have a ``doc_key`` (or ``id``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from corefine.corpus.arrays import offsets_of
from corefine.corpus.corpus import Corpus
from corefine.corpus.strings import Strings
from corefine.formats.input.sources import Source
from corefine.formats.jsonlines.columns import Columns, sentence_starts
from corefine.formats.jsonlines.lines_of_documents import (
    LINE_MARK,
    SUFFIXES,
    Batch,
    check_spans,
    keys_of,
    read_batches,
)
from corefine.formats.jsonlines.words import check_texts, clusters_of, string_lists
from corefine.formats.jsonlines.writing import documents_of, json_line
from corefine.formats.registry import Format, Holds, register

if TYPE_CHECKING:
    from corefine.formats.jsonlines.records import Maverick as Line

CONVENTION = "Mentions are [first, last] tokens, counted from 0, the last one included."


def read(source: Source, layers: frozenset[str] | None, window: int | None) -> Iterator[Corpus]:
    """The documents of a source."""
    from corefine.formats.jsonlines.records import Maverick

    return read_batches(source, Maverick, _columns, MAVERICK.name, window)


def _columns(batch: Batch[Line]) -> Columns:
    words = string_lists(batch, "tokens", 1)
    clusters = clusters_of(batch, "clusters_token_offsets", CONVENTION)
    start, stop = clusters.numbers[:, 0], clusters.numbers[:, 1] + 1
    check_spans(batch, clusters, start, stop, words.lengths)
    base = offsets_of(words.lengths)[clusters.document_of_mentions]
    ends = words.strings.offsets
    texts = Strings.cut(words.strings.data, ends[base + start], ends[base + stop])
    for key in ("clusters_token_text", "clusters_text_mentions"):
        check_texts(batch, clusters, texts, key)
    names = [line.doc_key if line.doc_key is not None else line.id for line in batch.records]
    return Columns(
        [None if name is None else str(name) for name in names],
        words.strings,
        words.lengths,
        sentence_starts(words.lengths),
        clusters,
        start,
        stop,
        {},
    )


def sniff(head: bytes, name: str) -> float:
    """By the keys of the first line: ``clusters_token_offsets``."""
    return 0.9 if "clusters_token_offsets" in keys_of(head) else 0.0


def write(corpus: Corpus) -> Iterable[bytes]:
    """A line for each document."""
    for document in documents_of(corpus):
        words = document.words
        line: dict[str, object] = {"doc_key": document.name} if corpus.named else {}
        line |= {
            "tokens": words,
            "clusters_token_offsets": [
                [(start, stop - 1) for start, stop in cluster] for cluster in document.clusters
            ],
            "clusters_char_offsets": None,
            "clusters_token_text": [
                [" ".join(words[start:stop]) for start, stop in cluster]
                for cluster in document.clusters
            ],
            "clusters_char_text": None,
        }
        yield json_line(line)


MAVERICK = register(
    Format(
        name="maverick",
        title="Maverick: JSON lines, token spans with their last token",
        suffixes=SUFFIXES,
        sniff=sniff,
        read=read,
        holds=Holds(entity_names=False),
        write=write,
        document_mark=LINE_MARK,
        documentation="docs/formats/jsonlines.md",
    )
)
