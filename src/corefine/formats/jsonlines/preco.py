"""PreCo: JSON lines with sentences, and mentions by sentence.

The smallest valid line::

    {"id": "x", "sentences": [["Anna", "left"], ["She", "ran"]],
     "mention_clusters": [[[0, 0, 1], [1, 0, 1]]]}

(on one line). A mention is its sentence, its first token in it and the one behind its last, all
counted from 0. A token of white space between paragraphs is a token like others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from corefine.corpus.arrays import IntArray, offsets_of
from corefine.corpus.columns import Tokens
from corefine.corpus.corpus import Corpus
from corefine.corpus.selection import keep_mentions
from corefine.formats.input.sources import Source
from corefine.formats.jsonlines.columns import Clusters, Columns, sentence_starts
from corefine.formats.jsonlines.lines_of_documents import (
    LINE_MARK,
    SUFFIXES,
    Batch,
    keys_of,
    read_batches,
)
from corefine.formats.jsonlines.words import clusters_of, string_lists
from corefine.formats.jsonlines.writing import documents_of, json_line
from corefine.formats.registry import Format, Holds, register

if TYPE_CHECKING:
    from corefine.formats.jsonlines.records import PreCo as Line

CONVENTION = (
    "Mentions are [sentence, first token, behind the last token], counted from 0; where the ends "
    "include the last token, convert the file first."
)


def read(source: Source, layers: frozenset[str] | None, window: int | None) -> Iterator[Corpus]:
    """The documents of a source."""
    from corefine.formats.jsonlines.records import PreCo

    return read_batches(source, PreCo, _columns, PRECO.name, window)


def _columns(batch: Batch[Line]) -> Columns:
    words = string_lists(batch, "sentences", 2)
    clusters = clusters_of(batch, "mention_clusters", CONVENTION, 3)
    sentence, start, stop = clusters.numbers.T
    document = clusters.document_of_mentions
    _check_sentences(batch, clusters, words.counts[document])
    sentence = offsets_of(words.counts)[document] + sentence
    _check_ends(batch, clusters, words.lengths[sentence])
    first = offsets_of(words.lengths)[sentence] - offsets_of(words.per_document)[document]
    return Columns(
        [str(line.id) for line in batch.records],
        words.strings,
        words.per_document,
        sentence_starts(words.lengths),
        clusters,
        first + start,
        first + stop,
        {},
    )


def _check_sentences(batch: Batch[Line], clusters: Clusters, counts: IntArray) -> None:
    wrong = clusters.numbers[:, 0] >= counts
    if wrong.any():
        mention = int(np.argmax(wrong))
        batch.refuse(
            int(clusters.document_of_mentions[mention]),
            f"{clusters.path(mention)} is {clusters.numbers[mention].tolist()}, but there are "
            f"only {counts[mention]:,} sentences",
            clusters.convention,
        )


def _check_ends(batch: Batch[Line], clusters: Clusters, lengths: IntArray) -> None:
    wrong = clusters.numbers[:, 2] > lengths
    if wrong.any():
        mention = int(np.argmax(wrong))
        batch.refuse(
            int(clusters.document_of_mentions[mention]),
            f"{clusters.path(mention)} is {clusters.numbers[mention].tolist()}, beyond the "
            f"{lengths[mention]:,} tokens of the sentence",
            clusters.convention,
        )


def sniff(head: bytes, name: str) -> float:
    """By the keys of the first line: ``mention_clusters``."""
    return 0.9 if "mention_clusters" in keys_of(head) else 0.0


def write(corpus: Corpus) -> Iterable[bytes]:
    """A line for each document; mentions that reach over the end of a sentence are left out."""
    tokens = corpus.tokens
    if tokens is not None:
        corpus = keep_mentions(corpus, ~_crossing(corpus, tokens))
    for document in documents_of(corpus):
        bounds = np.array(document.bounds, np.int64)

        def in_sentence(start: int, stop: int, bounds: IntArray = bounds) -> tuple[int, int, int]:
            sentence = int(np.searchsorted(bounds, start, side="right")) - 1
            return sentence, start - int(bounds[sentence]), stop - int(bounds[sentence])

        clusters = [[in_sentence(*span) for span in cluster] for cluster in document.clusters]
        yield json_line(
            {
                "id": document.name,
                "sentences": document.sentences(),
                "mention_clusters": clusters,
            }
        )


def _crossing(corpus: Corpus, tokens: Tokens) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Which mentions begin and end in different sentences."""
    base = tokens.offsets[corpus.mentions.document]
    first, last = base + corpus.mentions.start, base + corpus.mentions.stop - 1
    crossing: np.ndarray[tuple[int], np.dtype[np.bool_]] = tokens.sentence_of(
        first
    ) != tokens.sentence_of(last)
    return crossing


def losses(corpus: Corpus) -> list[str]:
    """Mentions that no sentence holds."""
    tokens = corpus.tokens
    crossing = 0 if tokens is None else int(np.count_nonzero(_crossing(corpus, tokens)))
    return [f"mentions over the end of a sentence ({crossing:,})"] if crossing else []


PRECO = register(
    Format(
        name="preco",
        title="PreCo: JSON lines, spans in sentences that end behind their last token",
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
