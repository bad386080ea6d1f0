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
        raw = column.codes()
        distinct, first, inverse = np.unique(raw, return_index=True, return_inverse=True)
        forms = column.take(first).tolist()
        number: dict[str, int] = {}
        lowered = [number.setdefault(form.lower(), len(number)) for form in forms]
        capital = np.array([form[:1].isupper() for form in forms], bool)
        inverse = inverse.reshape(-1)
        return cls(
            tuple(number),
            np.array(lowered, np.int64)[inverse] if len(distinct) else raw,
            capital[inverse],
        )

    def among(self, words: Collection[str]) -> BoolArray:
        """By row: whether the word is one of these."""
        return np.array([word in words for word in self.words], bool)[self.code]

    def lookup(self, values: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """By row: the value that its word has, given one value for each distinct word."""
        return values[self.code]

    def flags(self, *lists: tuple[int, Collection[str]]) -> NDArray[np.uint8]:
        """By distinct word: the sum of the flags of the lists that hold it."""
        result = np.zeros(len(self.words), np.uint8)
        for flag, words in lists:
            result |= np.array([flag if word in words else 0 for word in self.words], np.uint8)
        return result
