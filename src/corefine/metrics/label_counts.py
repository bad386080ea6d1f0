"""How many mentions of each label the entities and their intersections have.

A label is any small number that a mention has: its kind (name, nominal, pronoun, …), or its part in
one metric. The metrics that see mentions as expressions are counted from these numbers; none of
them visits a mention.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from corefine.corpus.arrays import IntArray, counted


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LabelCounts:
    """Mentions by label: a row for each label, with a number for each cell or entity."""

    cells: IntArray
    key: IntArray
    response: IntArray
    response_only: IntArray
    """Those mentions of the response entities that the key lacks."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LabelledCells:
    """The cells of a table, in their order, and how many mentions of each label they have."""

    codes: IntArray
    """The key entity times the number of response entities, plus the response entity."""
    counts: IntArray
    """A row for each label."""

    @classmethod
    def of(
        cls, labels: NDArray[np.uint8], count: int, key: IntArray, response: IntArray, width: int
    ) -> LabelledCells:
        """The cells of these rows, of which each has an entity on both sides."""
        bits = (count - 1).bit_length()
        codes, repeats = counted(((key * width + response) << bits) | labels)
        cell, label = codes >> bits, codes & ((1 << bits) - 1)
        opens = np.empty(len(cell), bool)
        opens[:1] = True
        np.not_equal(cell[1:], cell[:-1], out=opens[1:])
        number = np.cumsum(opens) - 1
        counts = np.zeros((count, int(number[-1]) + 1 if len(number) else 0), np.int64)
        counts[label, number] = repeats
        return cls(cell[opens], counts)


def by_entity(labels: NDArray[np.uint8], count: int, entity: IntArray, entities: int) -> IntArray:
    """Mentions by label and entity; those of no entity (-1) are left out."""
    codes = labels * np.int64(entities + 1)
    codes += entity
    codes += 1
    table = np.bincount(codes, minlength=count * (entities + 1)).reshape(count, entities + 1)
    return table[:, 1:]
