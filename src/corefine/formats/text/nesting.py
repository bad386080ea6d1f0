"""Spans that brackets can represent: those of one group must not cross."""

from __future__ import annotations

import numpy as np

from corefine.corpus.arrays import BoolArray, IntArray


def crossing(group: IntArray, first: IntArray, last: IntArray) -> BoolArray:
    """Mask of spans to leave out so that no two of a group cross.

    Brackets of a group look alike, so the one opened last is taken to be closed first. Spans cross
    if one starts inside the other and ends behind it; to start where the other ends is no crossing.

    >>> crossing(np.array([1, 1, 1]), np.array([0, 1, 2]), np.array([2, 3, 3])).tolist()
    [False, True, False]
    """
    out = np.zeros(len(group), bool)
    order = np.lexsort((-last, first, group))
    same = group[order][1:] == group[order][:-1]
    # Only groups in which a span starts inside the one before can have spans that cross.
    inside = same & (first[order][1:] < last[order][:-1])
    rows = order[np.isin(group[order], group[order][1:][inside])]
    current, still_open = -1, list[int]()
    columns = (rows, group[rows], first[rows], last[rows])
    for row, owner, start, stop in zip(*(column.tolist() for column in columns), strict=True):
        if owner != current:
            current, still_open = owner, []
        while still_open and still_open[-1] <= start:
            still_open.pop()
        if still_open and still_open[-1] < stop:
            out[row] = True
        else:
            still_open.append(stop)
    return out
