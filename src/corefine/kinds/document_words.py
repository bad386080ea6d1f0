"""The words of whole documents: what the text beside a mention tells of the word in it.

Each document is judged by itself, so that it does not matter which others are read with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from corefine.corpus.arrays import BoolArray, IntArray
from corefine.corpus.corpus import Corpus
from corefine.corpus.words import Wording

_ENOUGH = 100
"""Words of a document that must be there before anything is said against its language."""
_SYMBOLS = 10
"""Symbols that a document must have before it can be a technical one."""
_TECHNICAL, _MIXED = 3 / 10, 1 / 10
"""A technical text has three symbols for ten capitalised words inside sentences, and one of them
mixes signs. All 97 articles of CRAFT have, 8 of 263 texts of GUM, none of 100 of LitBank."""


@dataclass(frozen=True, slots=True, eq=False)
class DocumentWords:
    """All words of the documents: those of the text, or of the mentions where there is none."""

    document: IntArray
    documents: int
    vocabulary: list[str]
    numbers: IntArray
    opening: BoolArray
    """Which words open a sentence."""
    capitals: BoolArray
    """Which words are written in capitals alone."""
    place: dict[str, int]
    """The number of each distinct word."""

    @classmethod
    def of(cls, corpus: Corpus, wording: Wording) -> DocumentWords:
        count, tokens = len(corpus.documents), corpus.tokens
        if tokens is None:
            document = corpus.mentions.document[wording.owner]
            vocabulary, numbers = wording.words.distinct()
            opening = np.zeros(len(numbers), bool)
        else:
            document = tokens.document_of_token
            vocabulary, numbers = tokens.words.distinct()
            opening = np.zeros(len(tokens), bool)
            opening[tokens.sentences] = True
        capitals = np.array(list(map(all_capitals, vocabulary)), bool)[numbers]
        place = dict(zip(vocabulary, range(len(vocabulary)), strict=True))
        return cls(document, count, vocabulary, numbers, opening, capitals, place)

    def best_of(
        self, lists: Sequence[frozenset[str]], usual: Sequence[float]
    ) -> tuple[IntArray, BoolArray]:
        """By document: the list that most of its words are in, and whether less than the usual
        share of them are."""
        lowered = [word.lower() for word in self.vocabulary]
        counts = np.array([self._count(self.where([w in one for w in lowered])) for one in lists])
        # A word of letters: figures and signs say nothing of a language.
        total = self._count(self.where([word.isalpha() for word in self.vocabulary]))
        best = counts.argmax(axis=0)
        few = counts.max(axis=0) < np.array(usual)[best] * total
        return best, np.asarray((total > _ENOUGH) & few, bool)

    def technical(self) -> BoolArray:
        """Which documents are full of symbols: there they stand for genes, substances, methods."""
        mixed = self.where(list(map(mixes_signs, self.vocabulary)))
        symbols = mixed | self.capitals
        capital = self.where([word[:1].isupper() for word in self.vocabulary]) & ~self.opening
        number, names = self._count(symbols), self._count(capital)
        return np.asarray(
            (number >= _SYMBOLS)
            & (number >= _TECHNICAL * names)
            & (self._count(mixed) >= _MIXED * names)
        )

    def has(self, document: IntArray, words: Sequence[str], *, inside: bool = False) -> BoolArray:
        """Whether documents have these words (``inside``: elsewhere than to open a sentence)."""
        if not words:
            return np.zeros(0, bool)
        wanted = np.array([self.place.get(word, -1) for word in words], np.int64)
        size = len(self.vocabulary)
        there = self.document * size + self.numbers
        found = np.isin(document * size + wanted, there[~self.opening] if inside else there)
        return found & (wanted >= 0)

    def where(self, judged: list[bool]) -> BoolArray:
        """A judgement of each distinct word, for each word."""
        return np.array(judged, bool)[self.numbers]

    def _count(self, chosen: BoolArray) -> IntArray:
        """How many words of each document are chosen."""
        return np.bincount(self.document[chosen], minlength=self.documents)


def mixes_signs(word: str) -> bool:
    """Whether a word mixes letters with digits, or small letters with capitals behind its first.

    >>> [word for word in "Gata6 p53 EcoRI MEFs DNA Anna 1904".split() if mixes_signs(word)]
    ['Gata6', 'p53', 'EcoRI', 'MEFs']
    """
    if word[1:].islower() and word.isalpha():
        return False  # as nearly every word of a text
    letters = any(map(str.isalpha, word))
    digits = any(map(str.isdigit, word))
    inner = any(map(str.isupper, word[1:])) and any(map(str.islower, word))
    return (letters and digits) or inner


def all_capitals(word: str) -> bool:
    """Whether a word is written in capital letters alone, two or more."""
    return word.isupper() and len(word) > 1 and word.isalpha()


def is_symbol(word: str) -> bool:
    """Whether a word has the shape of a symbol: signs mixed, capitals alone, or a single letter."""
    return mixes_signs(word) or all_capitals(word) or (len(word) == 1 and word.isupper())
