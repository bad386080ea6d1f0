"""Naming: the mention that people would call an entity by."""

from __future__ import annotations

import numpy as np

from corefine.corpus.arrays import IntArray
from corefine.corpus.columns import Kind
from corefine.corpus.corpus import Corpus
from corefine.corpus.words import Wording, wording_of
from corefine.explaining.phrases import text_numbers
from corefine.kinds.guess import kinds_by_guess

_RANK = {Kind.NAME: 0, Kind.NOMINAL: 1, Kind.UNKNOWN: 2, Kind.PRONOUN: 3, Kind.ZERO: 4}
"""What an entity is called by, the best first."""
LONGEST_NAME = 5
"""Words of a mention that serves well as a name: longer ones are taken where there is no other."""


def naming_mentions(corpus: Corpus) -> IntArray:
    """By entity: its mention that names it best; -1 for an entity without mentions.

    Names come before nominals, and these before pronouns; where the corpus does not tell mention
    types they are guessed by the words. Among several, short ones come before long ones (and before
    nominals of one word, such as forms of address), then those that occur more often, then the
    first in the text.
    """
    mentions, wording = corpus.mentions, wording_of(corpus)
    named = np.full(len(corpus.entities), -1)
    if not len(mentions):
        return named
    lengths = wording.lengths
    text = text_numbers(wording.words.distinct()[1], lengths)
    _, inverse, count = np.unique(
        mentions.entity * (int(text.max()) + 1) + text, return_inverse=True, return_counts=True
    )
    rank = np.array([_RANK[kind] for kind in Kind])[_kinds(corpus)]
    rank = np.maximum(rank, _shouted(wording))
    order = np.lexsort(
        (
            mentions.stop,
            mentions.start,
            mentions.document,
            -count[inverse.reshape(-1)],
            (lengths > LONGEST_NAME) | ((rank == _RANK[Kind.NOMINAL]) & (lengths == 1)),
            rank,
            mentions.entity,
        )
    )
    entities, first = np.unique(mentions.entity[order], return_index=True)
    named[entities] = order[first]
    return named


def _shouted(wording: Wording) -> IntArray:
    """1 for mentions of several words in capitals, as of a title line: they are no proper name."""
    if not len(wording.words):
        return np.zeros(len(wording.lengths), np.int64)
    capital = wording.words.looked_up(str.isupper, np.int64)
    shouted = np.bincount(wording.owner, capital, minlength=len(wording.lengths))
    found: IntArray = ((shouted == wording.lengths) & (wording.lengths > 1)).astype(np.int64)
    return found


def _kinds(corpus: Corpus) -> IntArray:
    """The mention kinds, guessed where they are not known."""
    known = corpus.mentions.kind
    kind = np.zeros(len(corpus.mentions), np.uint8) if known is None else known.copy()
    unknown = kind == Kind.UNKNOWN
    if unknown.any():
        kind[unknown] = kinds_by_guess(corpus)[0][unknown]
    return kind.astype(np.int64)
