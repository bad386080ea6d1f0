"""What the writers of JSON lines share: documents one by one, as lists."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from corefine.corpus.arrays import IntArray, offsets_of
from corefine.corpus.columns import Tokens
from corefine.corpus.corpus import Corpus
from corefine.errors import UsageError
from corefine.formats.building.empty_nodes import drop_empty_nodes

Clusters = list[list[tuple[int, int]]]


@dataclass(frozen=True, slots=True, eq=False)
class Document:
    """A document as plain lists; spans are (start, stop), the stop behind the last word."""

    corpus: Corpus
    number: int
    tokens: Tokens
    first: int
    last: int
    bounds: list[int]
    """Where the sentences begin, and where the last one stops."""
    mentions: IntArray
    """The rows of its mentions, entity by entity."""
    sizes: list[int]
    """How many mentions each entity has."""

    @property
    def name(self) -> str:
        return self.corpus.documents[self.number]

    @property
    def words(self) -> list[str]:
        return list(self.tokens.words[self.first : self.last])

    def layer(self, name: str) -> list[str] | None:
        """A column beside the words, where the corpus has it."""
        column = self.tokens.layers.get(name)
        return None if column is None else list(column[self.first : self.last])

    def sentences(self, column: Sequence[str] | None = None) -> list[Sequence[str]]:
        """The words, or a column beside them, sentence by sentence."""
        whole = self.words if column is None else column
        return [whole[start:stop] for start, stop in pairwise(self.bounds)]

    def sentence_numbers(self) -> list[int]:
        """The sentence of each word, counted from 0."""
        bounds: IntArray = np.array(self.bounds, np.int64)
        lengths = np.diff(bounds)
        return np.repeat(np.arange(len(lengths)), lengths).tolist()

    @property
    def clusters(self) -> Clusters:
        """The spans of each entity."""
        found = self.corpus.mentions
        spans = list(
            zip(
                found.start[self.mentions].tolist(), found.stop[self.mentions].tolist(), strict=True
            )
        )
        return self.grouped(spans)

    def grouped(self, values: list[tuple[int, int]]) -> Clusters:
        """A value for each mention, entity by entity."""
        offsets = offsets_of(np.array(self.sizes, np.int64)).tolist()
        return [values[start:stop] for start, stop in pairwise(offsets)]


def documents_of(corpus: Corpus) -> Iterator[Document]:
    """The documents of a corpus that has a text, without its empty nodes."""
    corpus = drop_empty_nodes(corpus)
    tokens, mentions = corpus.tokens, corpus.mentions
    if tokens is None:
        raise UsageError(
            "a corpus without text cannot be written as JSON lines",
            None,
            "Choose a format that names mentions.",
        )
    order = np.lexsort((mentions.entity, mentions.document))
    rows = offsets_of(np.bincount(mentions.document, minlength=len(corpus)))
    sentences = np.append(tokens.sentences, len(tokens))
    for number in range(len(corpus)):
        first, last = tokens.offsets[number : number + 2].tolist()
        found = order[rows[number] : rows[number + 1]]
        _, sizes = np.unique(mentions.entity[found], return_counts=True)
        low, high = np.searchsorted(sentences, [first, last])
        bounds = [first, *sentences[low:high].tolist(), last] if first < last else []
        yield Document(
            corpus,
            number,
            tokens,
            first,
            last,
            [bound - first for bound in dict.fromkeys(bounds)],
            found,
            sizes.tolist(),
        )


def json_line(document: dict[str, object]) -> bytes:
    """A document as one line of JSON."""
    import msgspec

    return msgspec.json.encode(document) + b"\n"
