"""Members, labels and names of entities."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from corefine.corpus.arrays import IntArray, offsets_of
from corefine.corpus.columns import Kind
from corefine.corpus.corpus import Corpus
from corefine.corpus.selection import select_documents
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


class Naming:
    """The mention that names each entity of a corpus best; found by document, when it is needed."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self._named = np.full(len(corpus.entities), -1)
        self._unknown = np.ones(len(corpus.documents), bool)
        home = corpus.entities.document[corpus.mentions.entity]
        self._crossing = bool((corpus.mentions.document != home).any())

    def __getitem__(self, entity: int) -> int:
        document = int(self.corpus.entities.document[entity])
        if self._unknown[document] and not self._crossing:
            self._find(np.array([document]))
        return int(self.all()[entity] if self._crossing else self._named[entity])

    def all(self) -> IntArray:
        """The mention of every entity; -1 for an entity without mentions."""
        if self._unknown.any():
            self._find(np.flatnonzero(self._unknown))
        return self._named

    def text(self, entity: int) -> str:
        """The words of the mention that names an entity."""
        return self.corpus.text_of(self[entity])

    def _find(self, documents: IntArray) -> None:
        corpus = self.corpus
        rows = np.flatnonzero(np.isin(corpus.mentions.document, documents))
        named = naming_mentions(select_documents(corpus, documents))
        own = np.isin(corpus.entities.document, documents)
        self._named[own] = np.append(rows, -1)[named]
        self._unknown[documents] = False


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
    """The mention kinds; unknown ones are guessed where an entity has several mentions."""
    known = corpus.mentions.kind
    kind = np.zeros(len(corpus.mentions), np.uint8) if known is None else known.copy()
    several = np.bincount(corpus.mentions.entity, minlength=len(corpus.entities)) > 1
    unknown = (kind == Kind.UNKNOWN) & several[corpus.mentions.entity]
    if unknown.any():
        kind[unknown] = kinds_by_guess(corpus, unknown)[0][unknown]
    return kind.astype(np.int64)
