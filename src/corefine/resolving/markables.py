"""Markables: the expressions that a resolver may link, as rows in the order of the text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from corefine.corpus.arrays import IntArray
from corefine.corpus.columns import Entities, Mentions, Tokens
from corefine.corpus.corpus import Corpus
from corefine.corpus.selection import take_mentions
from corefine.corpus.strings import Strings
from corefine.errors import UsageError
from corefine.kinds.kind_plan import KindPlan, KindSpec, kinds_of
from corefine.resolving.detection import detect
from corefine.resolving.syntax import heads_of
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
    singletons: bool
    """Whether the corpus that they come from has entities of one mention."""

    def __len__(self) -> int:
        return len(self.document)

    @property
    def entity(self) -> IntArray:
        """The entity that the corpus gives each markable."""
        return self.corpus.mentions.entity

    def with_entities(
        self, entity: IntArray, *, singletons: bool = True, names: Sequence[str] | None = None
    ) -> Corpus:
        """The corpus with these entities, numbered from 0 in the order of the text.

        ``singletons=False`` leaves out entities of one mention. Of ``names`` there is one for each
        markable, that of its entity; an entity that reaches beyond its document keeps its name in
        each of them, and is a singleton only if no other mention of any document has its name.
        """
        sizes = np.bincount(entity)
        _, first = np.unique(entity, return_index=True)
        if names is not None:
            codes = Strings.from_list(names).codes()
            sizes = np.bincount(codes)[codes[first]]
        kept = np.ones(len(sizes), bool) if singletons else sizes > 1
        mentions = self.corpus.mentions
        if not kept.all():
            rows = np.flatnonzero(kept[entity])
            mentions = take_mentions(mentions, rows)
            entity = (np.cumsum(kept) - 1)[entity[rows]]
        document = np.zeros(int(kept.sum()), np.int64)
        document[entity] = mentions.document
        of_entity = None
        if names is not None:
            of_entity = Strings.from_list(names[row] for row in first[kept].tolist())
        return replace(
            self.corpus,
            entities=Entities(document, of_entity),
            mentions=replace(mentions, entity=entity, attributes={}, minimum=None),
            relations=(),
            warnings=(),
        )


MARKABLES = ("gold", "detected")
KINDS = "auto,guess"
"""Where kinds come from unless told otherwise: a resolver cannot do without them."""


def markables_of(
    corpus: Corpus, source: str = "gold", kinds: KindSpec | KindPlan = KINDS
) -> Markables:
    """The markables of a corpus: its own mentions (``gold``), or those ``detected`` in its text.

    A detected markable has the entity of the given mention at the same place, or one of its own.
    """
    if corpus.tokens is None or not corpus.has_places:
        raise UsageError(
            "a resolver needs the words of the documents, but this corpus has only mention names",
            remedy="Use a format with text, such as CoNLL or CoNLL-U.",
        )
    tokens = corpus.tokens
    sizes = np.bincount(corpus.mentions.entity, minlength=len(corpus.entities))
    if source == "detected":
        corpus = _with_known_entities(detect(corpus), corpus)
    corpus = replace(corpus, mentions=take_mentions(corpus.mentions, _in_order(corpus)))
    corpus = kinds_of(corpus, kinds)
    mentions = corpus.mentions
    words = Vocabulary.of(tokens.words)
    base = tokens.offsets[mentions.document]
    return Markables(
        corpus=corpus,
        tokens=tokens,
        words=words,
        document=mentions.document,
        start=mentions.start + base,
        stop=mentions.stop + base,
        head=heads_of(corpus, tokens, words),
        kind=np.zeros(len(mentions), np.uint8) if mentions.kind is None else mentions.kind,
        type=np.full(len(mentions), -1) if mentions.type is None else mentions.type,
        singletons=bool((sizes == 1).any()),
    )


def _in_order(corpus: Corpus) -> IntArray:
    """The rows of the mentions in the order of the text; one that is given twice only once."""
    mentions = corpus.mentions
    order = np.lexsort((-mentions.stop, mentions.start, mentions.document))
    span = np.stack([mentions.document[order], mentions.start[order], mentions.stop[order]])
    new = np.ones(len(order), bool)
    new[1:] = (span[:, 1:] != span[:, :-1]).any(axis=0)
    if mentions.pieces is not None:
        # Two discontinuous mentions may share their first and last words.
        new |= np.isin(order, mentions.pieces.mention)
    return order[new]


def _with_known_entities(detected: Corpus, given: Corpus) -> Corpus:
    """Detected mentions with the entities of the given mentions at the same places."""
    assert given.tokens is not None
    width = len(given.tokens) + 1

    def places(mentions: Mentions) -> IntArray:
        base = given.tokens.offsets[mentions.document]  # type: ignore[union-attr]
        return (mentions.start + base) * width + mentions.stop + base

    known, theirs = np.unique(places(given.mentions), return_index=True)
    wanted = places(detected.mentions)
    found = np.minimum(np.searchsorted(known, wanted), max(len(known) - 1, 0))
    hit = known[found] == wanted if len(known) else np.zeros(len(wanted), bool)
    # Those that are no mentions of the key come after the key's entities.
    entity = len(given.entities) + np.arange(len(wanted))
    entity[hit] = given.mentions.entity[theirs[found[hit]]]
    _, entity = np.unique(entity, return_inverse=True)
    entity = entity.reshape(-1)
    document = np.zeros(int(entity.max(initial=-1)) + 1, np.int64)
    document[entity] = detected.mentions.document
    return replace(
        detected,
        entities=Entities(document),
        mentions=replace(detected.mentions, entity=entity),
    )
