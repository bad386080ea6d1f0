"""A batch of pairs as the features see it: both sides' columns, and what several features share."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corefine.corpus.arrays import BoolArray, IntArray
from corefine.resolving.attributes import MarkableAttributes
from corefine.resolving.mention_pairs import MentionPairs
from corefine.resolving.morphology import Mask, agree, clash

Column = Any
"""A NumPy array with one value a pair (or a markable)."""


class PairView:
    """Pairs of markables, each pair once, ordered by anaphor, then by antecedent."""

    def __init__(self, attributes: MarkableAttributes, pairs: MentionPairs) -> None:
        self.attributes = attributes
        self.pairs = pairs

    def __len__(self) -> int:
        return len(self.pairs)

    def left(self, column: Column) -> Column:
        """The antecedents' values of a column of markables."""
        return column[self.pairs.antecedent]

    def right(self, column: Column) -> Column:
        """The anaphors' values of a column of markables."""
        return column[self.pairs.anaphor]

    def both(self, flags: BoolArray) -> BoolArray:
        """Where both markables have a flag."""
        return flags[self.pairs.antecedent] & flags[self.pairs.anaphor]

    def same(self, column: Column) -> BoolArray:
        """Where both markables have the same value."""
        return np.asarray(self.left(column) == self.right(column), bool)

    def agreement(self, mask: Mask) -> NDArray[np.int8]:
        """1 where the masks agree, -1 where they clash, 0 where one leaves it open."""
        left, right = self.left(mask), self.right(mask)
        return agree(left, right).astype(np.int8) - clash(left, right).astype(np.int8)

    def equality(self, code: IntArray) -> IntArray:
        """1 for the same code, -1 for different codes, 0 where one markable has none (-1)."""
        left, right = self.left(code), self.right(code)
        return np.where((left < 0) | (right < 0), 0, np.where(left == right, 1, -1))

    @cached_property
    def names(self) -> BoolArray:
        return self.both(self.attributes.name)

    @cached_property
    def pronouns(self) -> BoolArray:
        return self.both(self.attributes.pronoun)

    @cached_property
    def neither_pronoun(self) -> BoolArray:
        return self.both(~self.attributes.pronoun)

    @cached_property
    def same_text(self) -> BoolArray:
        return self.same(self.attributes.text)

    @cached_property
    def shared(self) -> IntArray:
        """How many content words both markables hold."""
        return self.common(self.attributes.content)

    @cached_property
    def shared_modifiers(self) -> IntArray:
        """How many content words beside their heads both markables hold."""
        return self.common(self.attributes.modifiers)

    @cached_property
    def sizes(self) -> tuple[IntArray, IntArray]:
        """How many content words each of the two holds."""
        count = np.diff(self.attributes.content.indptr).astype(np.int64)
        return self.left(count), self.right(count)

    @cached_property
    def sentences_apart(self) -> IntArray:
        sentence = self.attributes.sentence
        return sentence[self.pairs.anaphor] - sentence[self.pairs.antecedent]

    @cached_property
    def number(self) -> NDArray[np.int8]:
        return self.agreement(self.attributes.number)

    @cached_property
    def gender(self) -> NDArray[np.int8]:
        return self.agreement(self.attributes.gender)

    @cached_property
    def person(self) -> NDArray[np.int8]:
        return self.agreement(self.attributes.person)

    @cached_property
    def animacy(self) -> NDArray[np.int8]:
        return self.agreement(self.attributes.animacy)

    @cached_property
    def type(self) -> NDArray[np.int8]:
        """1 for the same semantic type, -1 for different ones, 0 where one is not known."""
        return self.equality(self.attributes.markables.type).astype(np.int8)

    def common(self, incidence: Any) -> IntArray:
        """How many columns two rows of a sparse matrix of ones share, pair by pair.

        Few markables share anything: the product of the anaphors' rows with those of the rows
        before them is sparse, and what it holds is looked up among the pairs.
        """
        common = np.zeros(len(self.pairs), np.int64)
        if not len(self.pairs):
            return common
        antecedent, anaphor = self.pairs.antecedent, self.pairs.anaphor
        first, low, high = int(antecedent.min()), int(anaphor[0]), int(anaphor[-1]) + 1
        product = (incidence[low:high] @ incidence[first:high].T).tocoo()
        width = high - first
        wanted = anaphor * width + (antecedent - first)
        found = (product.row.astype(np.int64) + low) * width + product.col
        place = np.minimum(np.searchsorted(wanted, found), len(wanted) - 1)
        hit = wanted[place] == found
        common[place[hit]] = product.data[hit]
        return common
