"""A corpus as plain documents, one by one, for what is written as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from corefine.corpus.arrays import IntArray, offsets_of
from corefine.corpus.columns import Tokens
from corefine.corpus.corpus import Corpus
from corefine.formats.building.written_text import with_text

Spans = list[list[tuple[int, int]]]


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

    def key(self) -> dict[str, object]:
        """The name under its usual key, unless documents have none."""
        return {"doc_key": self.name} if self.corpus.named else {}

    @property
    def words(self) -> list[str]:
        return list(self.tokens.words[self.first : self.last])

    @property
    def empty(self) -> list[bool]:
        """Which words are empty nodes."""
        empty = self.tokens.empty
        size = self.last - self.first
        return [False] * size if empty is None else empty[self.first : self.last].tolist()

    def layers(self, *names: str) -> dict[str, list[str]]:
        """The columns of these names beside the words, where the corpus has them."""
        part = slice(self.first, self.last)
        known = self.tokens.layers
        return {name: list(known[name][part]) for name in names if name in known}

    def sentences(self, column: Sequence[Any] | None = None) -> list[Sequence[Any]]:
        """The words, or a column beside them, sentence by sentence."""
        whole: Sequence[Any] = self.words if column is None else column
        return [whole[start:stop] for start, stop in pairwise(self.bounds)]

    def text(self) -> tuple[str, list[int], list[int]]:
        """The text, and the characters at which tokens begin and end; else words and blanks."""
        known = self.tokens.text
        if known is not None:
            part = slice(self.first, self.last)
            begins, ends = known.begins[part], known.ends[part]
            return known.documents[self.number], begins.tolist(), ends.tolist()
        words = self.words
        ends = np.cumsum([len(word) + 1 for word in words], dtype=np.int64) - 1
        begins = ends - np.array([len(word) for word in words], np.int64)
        return " ".join(words), begins.tolist(), ends.tolist()

    def sentence_numbers(self) -> list[int]:
        """The sentence of each word, counted from 0."""
        bounds: IntArray = np.array(self.bounds, np.int64)
        lengths = np.diff(bounds)
        return np.repeat(np.arange(len(lengths)), lengths).tolist()

    def clusters(self, behind: int = 0) -> Spans:
        """The spans of each entity, with so much added to the stop of each."""
        found, rows = self.corpus.mentions, self.mentions
        stops = (found.stop[rows] + behind).tolist()
        spans = list(zip(found.start[rows].tolist(), stops, strict=True))
        offsets = offsets_of(np.array(self.sizes, np.int64)).tolist()
        return [spans[start:stop] for start, stop in pairwise(offsets)]


def documents_of(corpus: Corpus, zeros: bool = False) -> Iterator[Document]:
    """The documents of a corpus that has a text, without its empty nodes unless ``zeros``."""
    if zeros and corpus.tokens is not None:
        tokens = corpus.tokens
    else:
        corpus, tokens = with_text(corpus, "JSON lines")
    mentions = corpus.mentions
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
