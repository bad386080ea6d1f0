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
    """All words of the documents: those of the text, or of the mentions where there is none.

    What is asked of a word is asked once for each distinct one, in the order of ``vocabulary``.
    """

    document: IntArray
    documents: int
    vocabulary: list[str]
    numbers: IntArray
    opening: BoolArray
    """Which words open a sentence."""
    place: dict[str, int]
    """The number of each distinct word."""
    lowered: IntArray
    """By distinct word: its number among those in lower case."""
    lowered_place: dict[str, int]
    """The number of each distinct word in lower case."""
    capitals: BoolArray
    """Which distinct words are written in capitals alone."""
    mixed: BoolArray
    """Which distinct words mix signs."""
    capitalised: BoolArray
    """Which distinct words begin with a capital."""

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
        lowered_place: dict[str, int] = {}
        lowered = [lowered_place.setdefault(w.lower(), len(lowered_place)) for w in vocabulary]
        return cls(
            document,
            count,
            vocabulary,
            numbers,
            opening,
            dict(zip(vocabulary, range(len(vocabulary)), strict=True)),
            np.array(lowered, np.int64),
            lowered_place,
            np.array(list(map(all_capitals, vocabulary)), bool),
            np.array(list(map(mixes_signs, vocabulary)), bool),
            np.array([word[:1].isupper() for word in vocabulary], bool),
        )

    def among(self, words: frozenset[str]) -> BoolArray:
        """Which distinct words are in a list of words in lower case."""
        listed = np.zeros(len(self.lowered_place), bool)
        listed[[self.lowered_place[word] for word in words if word in self.lowered_place]] = True
        return listed[self.lowered]

    @property
    def symbols(self) -> BoolArray:
        """Which distinct words look like symbols: signs mixed, capitals alone, or one capital."""
        single = np.array([len(word) == 1 for word in self.vocabulary], bool)
        return self.mixed | self.capitals | (single & self.capitalised)

    def best_of(
        self, lists: Sequence[frozenset[str]], usual: Sequence[float]
    ) -> tuple[IntArray, BoolArray]:
        """By document: the list that most of its words are in, and whether less than the usual
        share of them are."""
        counts = np.array([self._count(self.among(one)[self.numbers]) for one in lists])
        # A word of letters: figures and signs say nothing of a language.
        letters = np.array([word.isalpha() for word in self.vocabulary], bool)
        total = self._count(letters[self.numbers])
        best = counts.argmax(axis=0)
        few = counts.max(axis=0) < np.array(usual)[best] * total
        return best, np.asarray((total > _ENOUGH) & few, bool)

    def technical(self) -> BoolArray:
        """Which documents are full of symbols: there they stand for genes, substances, methods."""
        number = self._count((self.mixed | self.capitals)[self.numbers])
        names = self._count(self.capitalised[self.numbers] & ~self.opening)
        return np.asarray(
            (number >= _SYMBOLS)
            & (number >= _TECHNICAL * names)
            & (self._count(self.mixed[self.numbers]) >= _MIXED * names)
        )

    def has(self, document: IntArray, words: Sequence[str], *, inside: bool = False) -> BoolArray:
        """Whether documents have these words (``inside``: elsewhere than to open a sentence)."""
        if not words:
            return np.zeros(0, bool)
        wanted = np.array([self.place.get(word, -1) for word in words], np.int64)
        size = len(self.vocabulary)
        asked = np.zeros(size, bool)
        asked[wanted[wanted >= 0]] = True
        rows = asked[self.numbers] & ~self.opening if inside else asked[self.numbers]
        there = self.document[rows] * size + self.numbers[rows]
        return np.isin(document * size + wanted, there) & (wanted >= 0)

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
