"""Members, labels and names of entities."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from corefine.corpus.arrays import IntArray, offsets_of
from corefine.corpus.columns import Kind
from corefine.corpus.corpus import Corpus
from corefine.corpus.words import wording_of
from corefine.kinds.guess import kinds_by_guess

_RANK = {Kind.NAME: 0, Kind.NOMINAL: 1, Kind.UNKNOWN: 2, Kind.PRONOUN: 3, Kind.ZERO: 4}
"""Preference of mention kinds for the name of an entity."""
LONGEST_NAME = 5
"""Words of a good name: longer mentions are taken only if there is no other."""


@dataclass(frozen=True, slots=True, eq=False)
class Members:
    """Rows grouped by entity."""

    rows: IntArray
    offsets: IntArray

    @classmethod
    def of(cls, entity: IntArray, entities: int) -> Members:
        """Group rows by their entity; -1 means none."""
        rows = np.argsort(entity, kind="stable")[np.count_nonzero(entity < 0) :]
        return cls(rows, offsets_of(np.bincount(entity[rows], minlength=entities)))

    def __getitem__(self, entity: int) -> IntArray:
        return self.rows[self.offsets[entity] : self.offsets[entity + 1]]


def entity_labels(corpus: Corpus, entities: Sequence[int] | IntArray | None = None) -> list[str]:
    """A label per entity: its name in the file, or its number in its document."""
    chosen = np.arange(len(corpus.entities)) if entities is None else np.asarray(entities, np.int64)
    if corpus.entities.names is not None:
        return corpus.entities.names.take(chosen).tolist()
    document = corpus.entities.document
    first = np.full(len(corpus.documents), len(document))
    np.minimum.at(first, document, np.arange(len(document)))
    return [str(number) for number in (chosen - first[document[chosen]] + 1).tolist()]


def mention_texts(corpus: Corpus) -> list[str]:
    """``corpus.text_of`` of all mentions at once."""
    if corpus.tokens is None or not corpus.has_places:
        return [corpus.text_of(mention) for mention in range(len(corpus.mentions))]
    return wording_of(corpus).texts


def naming_mentions(corpus: Corpus) -> IntArray:
    """The mention that names each entity best; -1 for an entity without mentions.

    Names are preferred to nominals, and these to pronouns; unknown mention kinds are guessed from
    the words. Among several, short ones are preferred to long ones (and to nominals of one word,
    such as forms of address), then frequent ones, then the first in the text.
    """
    mentions, wording = corpus.mentions, wording_of(corpus)
    named = np.full(len(corpus.entities), -1)
    if not len(mentions):
        return named
    lengths = wording.lengths
    texts = list(zip(mentions.entity.tolist(), wording.texts, strict=True))
    frequency = Counter(texts)
    count = np.array([frequency[text] for text in texts])
    rank = np.array([_RANK[kind] for kind in Kind])[_kinds(corpus)]
    order = np.lexsort(
        (
            mentions.stop,
            mentions.start,
            mentions.document,
            -count,
            (lengths > LONGEST_NAME) | ((rank == _RANK[Kind.NOMINAL]) & (lengths == 1)),
            rank,
            mentions.entity,
        )
    )
    entities, first = np.unique(mentions.entity[order], return_index=True)
    named[entities] = order[first]
    return named


def _kinds(corpus: Corpus) -> IntArray:
    """The mention kinds; unknown ones are guessed."""
    known = corpus.mentions.kind
    kind = np.zeros(len(corpus.mentions), np.uint8) if known is None else known.copy()
    unknown = kind == Kind.UNKNOWN
    if unknown.any():
        kind[unknown] = kinds_by_guess(corpus, unknown)[0][unknown]
    return kind.astype(np.int64)
