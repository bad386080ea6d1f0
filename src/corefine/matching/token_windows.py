"""Token windows: long documents cut into runs of so many tokens, each scored as a document.

A mention belongs to the window in which it starts, on both sides, and an entity is cut into one
entity for each window that it is mentioned in. Tokens are counted without empty nodes, which key
and response need not share; an empty node belongs to the word before it.

The corpora keep their documents, tokens and places: only their entities are cut, and the table
counts by window where it would count by document.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from corefine.corpus.arrays import IntArray, offsets_of, ranges
from corefine.corpus.columns import Entities, take_rows
from corefine.corpus.corpus import Corpus
from corefine.corpus.words import first_words, words_by_document
from corefine.matching.places import require_text


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TokenWindows:
    """The windows of all documents, one after another."""

    width: int
    documents: tuple[str, ...]
    lengths: IntArray
    """How many words each document has."""
    names: tuple[str, ...]
    offsets: IntArray
    """The number of each document's first window, and that of all windows."""
    words: IntArray
    """How many words each window has."""

    @classmethod
    def of(cls, key: Corpus, response: Corpus, width: int) -> TokenWindows:
        """The windows of a text that both sides share. They depend on the text alone, so that
        every response to a key has the same."""
        require_text(key, response, f"windows of {width} tokens")
        tokens = response.tokens if key.tokens is None else key.tokens
        lengths = np.zeros(len(key.documents), np.int64)
        if tokens is not None:
            lengths = words_by_document(tokens)
        counts = np.maximum(-(-lengths // width), 1)
        begins = width * ranges(np.zeros(len(counts), np.int64), counts)
        owner = np.repeat(np.arange(len(counts)), counts)
        ends = np.minimum(begins + width, lengths[owner])
        names = tuple(
            f"{key.documents[document]} [{begin}, {begin + width})".strip()
            for document, begin in zip(owner.tolist(), begins.tolist(), strict=True)
        )
        return cls(width, key.documents, lengths, names, offsets_of(counts), ends - begins)

    def of_mentions(self, corpus: Corpus) -> IntArray:
        """The window in which each mention of a side starts."""
        return self.offsets[corpus.mentions.document] + first_words(corpus) // self.width

    def cut(self, corpus: Corpus) -> Corpus:
        """The corpus in which an entity has the mentions of one window only; all of them stay."""
        count = max(len(self.names), 1)
        codes, entity = np.unique(
            corpus.mentions.entity * count + self.of_mentions(corpus), return_inverse=True
        )
        source = codes // count
        return replace(
            corpus,
            entities=Entities(
                corpus.entities.document[source], take_rows(corpus.entities.names, source)
            ),
            mentions=replace(corpus.mentions, entity=entity.reshape(-1)),
        )

    def of_entities(self, corpus: Corpus) -> IntArray:
        """The window of each entity of a side that was cut."""
        window = np.zeros(len(corpus.entities), np.int64)
        window[corpus.mentions.entity] = self.of_mentions(corpus)
        return window
