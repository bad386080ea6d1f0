"""How many mentions of each label the entities and their intersections have.

A label is any small number that a mention has: its kind (name, nominal, pronoun, …), or its part in
one metric. The metrics that see mentions as expressions are counted from these numbers; none of
them visits a mention.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from corefine.columns import IntArray


@dataclass(frozen=True, slots=True, eq=False)
class LabelCounts:
    """Mentions by label: a row for each cell or entity, a column for each label."""

    cells: IntArray
    key: IntArray
    response: IntArray
    response_only: IntArray
    """Those mentions of the response entities that the key lacks."""

    @classmethod
    def of(
        cls,
        labels: NDArray[np.uint8],
        count: int,
        key_entity: IntArray,
        response_entity: IntArray,
        key_entities: int,
        response_entities: int,
    ) -> LabelCounts:
        """Count labels 0 to ``count - 1``, given for each mention with its entities (-1: none)."""
        in_key, in_response = key_entity >= 0, response_entity >= 0
        both = in_key & in_response
        alone = in_response & ~in_key
        return cls(
            _by_cell(labels[both], count, key_entity[both], response_entity[both]),
            _by_entity(labels[in_key], count, key_entity[in_key], key_entities),
            _by_entity(labels[in_response], count, response_entity[in_response], response_entities),
            _by_entity(labels[alone], count, response_entity[alone], response_entities),
        )


def _by_entity(labels: NDArray[np.uint8], count: int, entity: IntArray, entities: int) -> IntArray:
    codes = entity * count + labels
    return np.bincount(codes, minlength=entities * count).reshape(entities, count)


def _by_cell(labels: NDArray[np.uint8], count: int, key: IntArray, response: IntArray) -> IntArray:
    """Counts for the cells in the table's order: by key entity, then by response entity."""
    width = int(response.max(initial=0)) + 1
    codes, repeats = np.unique((key * width + response) * count + labels, return_counts=True)
    cell, label = np.divmod(codes, count)
    opens = np.ones(len(cell), bool)
    np.not_equal(cell[1:], cell[:-1], out=opens[1:])
    number = np.cumsum(opens) - 1
    counts = np.zeros((int(number[-1]) + 1 if len(number) else 0, count), np.int64)
    counts[number, label] = repeats
    return counts
