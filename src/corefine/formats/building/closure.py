"""Entities from links: what is linked, directly or through others, is one entity."""

from __future__ import annotations

import numpy as np

from corefine.corpus.arrays import IntArray


def linked(members: int, left: IntArray, right: IntArray) -> IntArray:
    """For each of so many members the first one that links between pairs lead to.

    Each member takes the lowest number among those that it is linked to, and the one that its own
    number names takes it too: numbers merge like trees, in a logarithmic number of rounds.

    >>> linked(5, np.array([4, 2]), np.array([2, 1])).tolist()
    [0, 1, 1, 3, 1]
    """
    label = np.arange(members)
    while True:
        lowest = np.minimum(label[left], label[right])
        merged = label.copy()
        for side in (left, right):
            np.minimum.at(merged, side, lowest)
            np.minimum.at(merged, label[side], lowest)
        while (merged != (shorter := merged[merged])).any():
            merged = shorter
        if (merged == label).all():
            return label
        label = merged
