"""Markables: the expressions that a resolver may link, as rows in the order of the text."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from corefine.columns import IntArray
from corefine.corpus import Corpus, Entities, Kind, Tokens
from corefine.errors import UsageError
from corefine.rearranging import take_mentions
from corefine.resolving.heads import heads_of
from corefine.resolving.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True, eq=False)
class Markables:
    """One row a markable, ordered by document, by first token, longer ones first.

    ``start``, ``stop`` and ``head`` are tokens of the corpus, not of the document.
    """

    corpus: Corpus
    """The corpus whose mentions, row by row, are these markables."""
    tokens: Tokens
    words: Vocabulary
    document: IntArray
    start: IntArray
    stop: IntArray
    head: IntArray
    kind: NDArray[np.uint8]
    type: IntArray

    def __len__(self) -> int:
        return len(self.document)

    @property
    def entity(self) -> IntArray:
        """The entity that the corpus gives each markable."""
        return self.corpus.mentions.entity

    def with_entities(self, entity: IntArray) -> Corpus:
        """The corpus with these entities, numbered from 0 in the order of the text."""
        mentions = self.corpus.mentions
        count = int(entity.max()) + 1 if len(entity) else 0
        document = np.zeros(count, np.int64)
        document[entity] = mentions.document
        return replace(
            self.corpus,
            entities=Entities(document),
            mentions=replace(mentions, entity=entity, attributes={}, minimum=None),
            relations=(),
            warnings=(),
        )


def given_markables(corpus: Corpus) -> Markables:
    """The mentions that the corpus has; one that is given twice counts once."""
    if corpus.tokens is None or not corpus.has_places:
        raise UsageError(
            "a resolver needs the words of the documents, and this corpus has only names of mentions",
            remedy="Give files of a format that holds the text, such as CoNLL or CoNLL-U.",
        )
    mentions = corpus.mentions
    order = np.lexsort((-mentions.stop, mentions.start, mentions.document))
    span = np.stack([mentions.document[order], mentions.start[order], mentions.stop[order]])
    new = np.ones(len(order), bool)
    new[1:] = (span[:, 1:] != span[:, :-1]).any(axis=0)
    if mentions.pieces is not None:
        # Two discontinuous mentions may share their first and last words.
        new |= np.isin(order, mentions.pieces.mention)
    mentions = take_mentions(mentions, order[new])
    tokens = corpus.tokens
    words = Vocabulary.of(tokens.words)
    base = tokens.offsets[mentions.document]
    start, stop = mentions.start + base, mentions.stop + base
    head = heads_of(tokens, words, start, stop)
    if mentions.head is not None:
        head = np.where(mentions.head >= 0, mentions.head + base, head)
    unknown = np.full(len(mentions), Kind.UNKNOWN, np.uint8)
    return Markables(
        corpus=replace(corpus, mentions=mentions),
        tokens=tokens,
        words=words,
        document=mentions.document,
        start=start,
        stop=stop,
        head=head,
        kind=unknown if mentions.kind is None else mentions.kind,
        type=np.full(len(mentions), -1) if mentions.type is None else mentions.type,
    )
