"""e2e-coref, SpanBERT and their followers: JSON lines with sentences and clusters.

The smallest valid line::

    {"doc_key": "x", "sentences": [["Anna", "saw", "her", "house"]], "clusters": [[[0, 0], [2, 2]]]}

A mention is its first and its last token, counted from 0 through the whole document, the last one
included. Where ``subtoken_map`` (or ``orig_subtoken_map``) is there, tokens are pieces of words,
and mentions are mapped back to words. ``e2e`` reads ``clusters``, ``e2e-predicted`` reads
``predicted_clusters``. A file that has both is read as the former if it is a key, and as the latter
if it is a response.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from corefine.corpus.corpus import Corpus
from corefine.corpus.strings import Strings
from corefine.formats.input.sources import Source
from corefine.formats.jsonlines.arrays import StringLists
from corefine.formats.jsonlines.columns import Clusters, Columns, sentence_starts
from corefine.formats.jsonlines.lines_of_documents import (
    LINE_MARK,
    SUFFIXES,
    Batch,
    is_given,
    keys_of,
    read_batches,
)
from corefine.formats.jsonlines.subtokens import Subtokens
from corefine.formats.jsonlines.words import clusters_of, layer, string_lists
from corefine.formats.jsonlines.writing import documents_of, json_line
from corefine.formats.registry import Format, Holds, register

if TYPE_CHECKING:
    from corefine.formats.jsonlines.records import E2E

CONVENTION = "Mentions are [first, last] tokens, counted from 0, the last one included."


def read(source: Source, layers: frozenset[str] | None, window: int | None) -> Iterator[Corpus]:
    """The documents with their ``clusters``."""
    return _read(source, layers, window, predicted=False)


def read_predicted(
    source: Source, layers: frozenset[str] | None, window: int | None
) -> Iterator[Corpus]:
    """The documents with their ``predicted_clusters``."""
    return _read(source, layers, window, predicted=True)


def _read(
    source: Source, layers: frozenset[str] | None, window: int | None, *, predicted: bool
) -> Iterator[Corpus]:
    from corefine.formats.jsonlines.records import E2E

    spoken = layers is None or "speaker" in layers
    name = PREDICTED.name if predicted else E2E_COREF.name
    return read_batches(source, E2E, _Reader(predicted, spoken).columns, name, window)


class _Reader:
    """Makes columns of batches; under which keys words stand the first line decides."""

    def __init__(self, predicted: bool, spoken: bool) -> None:
        self.clusters_key = "predicted_clusters" if predicted else "clusters"
        self.words_key = self.map_key = ""
        self.spoken = spoken

    def columns(self, batch: Batch[E2E]) -> Columns:
        if not self.words_key:
            self._settle(batch.records[0])
        self._refuse_only_predicted(batch)
        clusters = clusters_of(batch, self.clusters_key, CONVENTION)
        nested = self.words_key == "sentences"
        words = string_lists(batch, self.words_key, 2 if nested else 1)
        speakers = layer(batch, "speakers", words.per_document, 2) if self.spoken else None
        if self.map_key:
            return self._words_from_pieces(batch, words, clusters, speakers)
        return Columns(
            _names(batch),
            words.strings,
            words.per_document,
            sentence_starts(words.lengths),
            clusters,
            clusters.numbers[:, 0],
            clusters.numbers[:, 1] + 1,
            {} if speakers is None else {"speaker": speakers},
        )

    def _refuse_only_predicted(self, batch: Batch[E2E]) -> None:
        if self.clusters_key != "clusters":
            return
        for document, line in enumerate(batch.records):
            if not is_given(line, "clusters") and is_given(line, "predicted_clusters"):
                batch.refuse(
                    document,
                    "the key 'clusters' is missing: there are only predicted_clusters",
                    "Name the format e2e-predicted to read these.",
                )

    def _settle(self, line: E2E) -> None:
        only = not is_given(line, "sentences") and is_given(line, "tokens")
        self.words_key = "tokens" if only else "sentences"
        if self.words_key == "sentences":
            maps = [key for key in ("orig_subtoken_map", "subtoken_map") if is_given(line, key)]
            self.map_key = maps[0] if maps else ""

    def _words_from_pieces(
        self,
        batch: Batch[E2E],
        pieces: StringLists,
        clusters: Clusters,
        speakers: Strings | None,
    ) -> Columns:
        found = Subtokens.of(batch, pieces, self.map_key)
        start, stop = found.spans(batch, clusters)
        return Columns(
            _names(batch),
            _given_words(batch, found) or found.words(),
            found.lengths,
            found.sentences(batch),
            clusters,
            start,
            stop,
            {} if speakers is None else {"speaker": found.layer(speakers)},
        )


def _names(batch: Batch[E2E]) -> list[str]:
    return [str(line.doc_key) for line in batch.records]


def _given_words(batch: Batch[E2E], found: Subtokens) -> Strings | None:
    """The words themselves, where all lines have them beside their pieces, as many as there are."""
    if not all(is_given(line, "tokens") for line in batch.records):
        return None
    words = string_lists(batch, "tokens", 1)
    return words.strings if np.array_equal(words.per_document, found.lengths) else None


def sniff(head: bytes, name: str) -> float:
    """By the keys of the first line: sentences and clusters."""
    keys = keys_of(head)
    if "clusters" in keys:
        return _by_words(keys)
    missing = {"doc_key", "sentences"} <= keys and "predicted_clusters" not in keys
    return 0.4 if missing else 0.0


def sniff_predicted(head: bytes, name: str) -> float:
    """By the keys of the first line: sentences and predicted clusters."""
    keys = keys_of(head)
    return _by_words(keys) if "predicted_clusters" in keys else 0.0


def _by_words(keys: frozenset[str]) -> float:
    if "sentences" in keys:
        return 0.9
    if "tokens" in keys:
        # Beside a text, or alone, the numbers may be characters, or end behind the last token.
        return 0.9 if "text" in keys and "clusters_strings" not in keys else 0.6
    return 0.0


def write(corpus: Corpus) -> Iterable[bytes]:
    """A line for each document, with ``clusters``."""
    return _write(corpus, "clusters")


def write_predicted(corpus: Corpus) -> Iterable[bytes]:
    """A line for each document, with ``predicted_clusters``."""
    return _write(corpus, "predicted_clusters")


def _write(corpus: Corpus, key: str) -> Iterator[bytes]:
    for document in documents_of(corpus):
        line: dict[str, object] = {"doc_key": document.name, "sentences": document.sentences()}
        if (speakers := document.layer("speaker")) is not None:
            line["speakers"] = document.sentences(speakers)
        line[key] = _inclusive(document.clusters)
        yield json_line(line)


def _inclusive(clusters: Sequence[Sequence[tuple[int, int]]]) -> list[list[tuple[int, int]]]:
    return [[(start, stop - 1) for start, stop in cluster] for cluster in clusters]


E2E_COREF = register(
    Format(
        name="e2e",
        title="e2e-coref, SpanBERT: JSON lines, token spans with their last token",
        suffixes=SUFFIXES,
        sniff=sniff,
        read=read,
        holds=Holds(layers=frozenset({"speaker"}), entity_names=False),
        write=write,
        document_mark=LINE_MARK,
        documentation="docs/formats/jsonlines.md",
        side="key",
    )
)
PREDICTED = register(
    Format(
        name="e2e-predicted",
        title="as e2e, but what was predicted: predicted_clusters",
        suffixes=SUFFIXES,
        sniff=sniff_predicted,
        read=read_predicted,
        holds=Holds(layers=frozenset({"speaker"}), entity_names=False),
        write=write_predicted,
        document_mark=LINE_MARK,
        documentation="docs/formats/jsonlines.md",
        side="response",
    )
)
