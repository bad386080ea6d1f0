"""Documents of JSON lines as columns, and corpora made of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from corefine.corpus.arrays import IntArray, offsets_of
from corefine.corpus.columns import Entities, Mentions, Text, Tokens
from corefine.corpus.corpus import Corpus
from corefine.corpus.strings import Strings
from corefine.formats.columns.conll_columns import is_placeholder_only
from corefine.formats.input.sources import Source


@dataclass(frozen=True, slots=True, eq=False)
class Clusters:
    """The clusters of all documents of a batch, flat: numbers of mentions, sizes of clusters."""

    key: str
    """Under which key they stand."""
    convention: str
    """What the numbers mean, in a sentence for messages."""
    document: IntArray
    """The document of each cluster."""
    sizes: IntArray
    numbers: IntArray
    """One row a mention."""

    @property
    def document_of_mentions(self) -> IntArray:
        return np.repeat(self.document, self.sizes)

    def place(self, mention: int) -> tuple[int, int, int]:
        """The document of a mention, its cluster in it, and its number in the cluster."""
        ends = np.cumsum(self.sizes)
        cluster = int(np.searchsorted(ends, mention, side="right"))
        document = int(self.document[cluster])
        first = int(np.searchsorted(self.document, document))
        return document, cluster - first, mention - int(ends[cluster] - self.sizes[cluster])

    def path(self, mention: int) -> str:
        """Where in its line a mention stands."""
        _, cluster, number = self.place(mention)
        return f"{self.key}[{cluster}][{number}]"


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """The documents of a batch as columns; mentions in the order of their clusters."""

    names: Sequence[str | None]
    words: Strings
    lengths: IntArray
    """How many words each document has."""
    sentences: IntArray
    """The first word of each sentence, over the whole batch."""
    clusters: Clusters
    start: IntArray
    stop: IntArray
    layers: dict[str, Strings]
    head: IntArray | None = None
    text: Text | None = None


def sentence_starts(lengths: IntArray) -> IntArray:
    """The first word of each sentence of these lengths; empty sentences are none."""
    return offsets_of(lengths)[:-1][lengths > 0]


def assemble(
    columns: Columns,
    names: Sequence[str],
    lines: Sequence[int],
    source: Source,
    format: str,
    *,
    named: bool,
) -> Corpus:
    """The corpus of these columns; a cluster without mentions is no entity."""
    clusters = columns.clusters
    filled = clusters.sizes > 0
    sizes = clusters.sizes[filled]
    return Corpus(
        documents=tuple(names),
        entities=Entities(clusters.document[filled]),
        mentions=Mentions(
            clusters.document_of_mentions,
            np.repeat(np.arange(len(sizes)), sizes),
            columns.start,
            columns.stop,
            head=columns.head,
        ),
        tokens=Tokens(
            columns.words,
            offsets_of(columns.lengths),
            columns.sentences,
            {
                name: column
                for name, column in columns.layers.items()
                if not is_placeholder_only(column)
            },
            lines=np.repeat(np.array(lines, np.int64), columns.lengths),
            text=columns.text,
        ),
        sources=(source.name,) * len(names),
        format=format,
        named=named,
    )
