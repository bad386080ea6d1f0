"""Words as numbers, so that what a word list knows of them can be looked up in columns."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from corefine.corpus.arrays import BoolArray, IntArray
from corefine.corpus.strings import Strings


@dataclass(frozen=True, slots=True, eq=False)
class Vocabulary:
    """A column of words in lower case: the distinct ones, and which of them each row holds."""

    words: tuple[str, ...]
    code: IntArray
    capital: BoolArray
    """By row: whether the word starts with a capital letter."""

    @classmethod
    def of(cls, column: Strings) -> Vocabulary:
        forms, form = column.distinct()
        number: dict[str, int] = {}
        lowered = [number.setdefault(word.lower(), len(number)) for word in forms]
        capital = np.array([word[:1].isupper() for word in forms], bool)
        return cls(tuple(number), np.array(lowered, np.int64)[form], capital[form])

    def among(self, words: Collection[str]) -> BoolArray:
        """By row: whether the word is one of these."""
        return np.array([word in words for word in self.words], bool)[self.code]

    def flags(self, *lists: tuple[int, Collection[str]]) -> NDArray[np.uint8]:
        """By row: the sum of the flags of the lists that hold the word."""
        result = np.zeros(len(self.words), np.uint8)
        for flag, words in lists:
            result |= np.array([flag if word in words else 0 for word in self.words], np.uint8)
        return result[self.code]
