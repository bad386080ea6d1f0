"""Markables: the expressions that a resolver may link, in text order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from corefine.corpus.arrays import IntArray, Strings
from corefine.corpus.columns import Entities, Tokens
from corefine.corpus.corpus import Corpus
from corefine.corpus.renumbering import without_empty_nodes
from corefine.corpus.selection import take_mentions
from corefine.errors import UsageError
from corefine.kinds.kind_plan import KindPlan, KindSpec, kinds_of, zero_mentions
from corefine.resolving.detection import detect
from corefine.resolving.words import WordCodes, governor_of, heads_of
from corefine.resolving.zeros import insert_zeros


@dataclass(frozen=True, slots=True, eq=False)
class Markables:
    """One row per markable, ordered by document, first token, and length (longest first).

    ``start``, ``stop`` and ``head`` are tokens of the corpus, not of the document.
    """

    corpus: Corpus
    """The corpus whose mentions are these markables, row by row."""
    tokens: Tokens
    words: WordCodes
    document: IntArray
    start: IntArray
    stop: IntArray
    head: IntArray
    kind: NDArray[np.uint8]
    type: IntArray
    singletons: bool
    """True if the original corpus has singletons."""

    def __len__(self) -> int:
        return len(self.document)

    @property
    def entity(self) -> IntArray:
        """The entity that the corpus gives each markable."""
        return self.corpus.mentions.entity

    def with_entities(
        self, entity: IntArray, *, singletons: bool = True, names: Sequence[str] | None = None
    ) -> Corpus:
        """The corpus with these entities, numbered from 0 in text order.

        ``singletons=False`` leaves out singletons. ``names`` has the entity name of each markable;
        an entity of several documents has the same name in each of them, and is a singleton only if
        no other mention of any document has its name.
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
            sources=(),
            warnings=(),
        )


DETECT_ZEROS = "detected-with-zeros"
MARKABLES = ("gold", "detected", DETECT_ZEROS)
KINDS = "auto,guess"
"""Default source of mention kinds, which every resolver needs."""


def markables_of(
    corpus: Corpus, source: str = "gold", kinds: KindSpec | KindPlan = KINDS
) -> Markables:
    """The markables of a corpus: its mentions (``gold``), or those ``detected`` in its text.

    A detected markable has the entity of the gold mention with the same span, or is a singleton.
    ``detected`` leaves out empty nodes, ``detected-with-zeros`` puts the zero subjects that rules
    find in their place (:mod:`corefine.resolving.zeros`).
    """
    if corpus.tokens is None or not corpus.has_places:
        raise UsageError(
            "a resolver needs the words of the documents, but this corpus has only mention names",
            remedy="Use a format with text, such as CoNLL or CoNLL-U.",
        )
    sizes = np.bincount(corpus.mentions.entity, minlength=len(corpus.entities))
    if source != "gold":
        text = insert_zeros(corpus) if source == DETECT_ZEROS else without_empty_nodes(corpus)
        corpus = _with_known_entities(detect(text), corpus)
    tokens = corpus.tokens
    assert tokens is not None
    corpus = replace(corpus, mentions=take_mentions(corpus.mentions, _in_order(corpus)))
    corpus = kinds_of(corpus, kinds)
    mentions = corpus.mentions
    words = WordCodes.of(tokens.words)
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
    """The rows of the mentions in text order, without duplicates."""
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
    """Detected mentions with the entities of the gold mentions with the same spans."""
    known, theirs = np.unique(_places(given), return_index=True)
    wanted = _places(detected)
    found = np.minimum(np.searchsorted(known, wanted), max(len(known) - 1, 0))
    hit = known[found] == wanted if len(known) else np.zeros(len(wanted), bool)
    # Other mentions come after the entities of the key.
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


def _places(corpus: Corpus) -> IntArray:
    """A number for the words of each mention, and for the governor of each zero subject.

    Empty nodes do not count, so that two versions of a text with other zeros can be compared.
    """
    tokens, mentions = corpus.tokens, corpus.mentions
    assert tokens is not None
    before, base = tokens.words_before, tokens.offsets[mentions.document]
    width = int(before[-1]) + 1
    place: IntArray = before[mentions.start + base] * width + before[mentions.stop + base]
    deps = tokens.layers.get("deps")
    for row in np.flatnonzero(zero_mentions(corpus)).tolist():
        token = int(mentions.start[row] + base[row])
        governor = -1 if deps is None else governor_of(tokens, token, deps[token])
        place[row] = -1 - (before[governor] if governor >= 0 else width + token)
    return place
