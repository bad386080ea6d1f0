"""Maximum-weight one-to-one alignment of rows with columns, of sparse tables of any size.

A dense solver needs memory for the square of the number of entities, a sparse one minutes for a
million mentions. Here an exact reduction (module ``reduction``) decides nearly all
cells of nearly all tables, in time linear in the cells. What it leaves falls into connected
components (``components``), and each is solved exactly by what is cheapest
for its shape (``settling``). Only large and noisy tables leave so much that
scipy is imported for it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from corefine.corpus.arrays import BoolArray, FloatArray, IntArray
from corefine.matching.assignment.components import split
from corefine.matching.assignment.reduction import complete, reduce

__all__ = ["Alignment", "align", "solve"]


@dataclass(frozen=True, slots=True, eq=False)
class Alignment:
    """A one-to-one alignment, and how far it may be from the best one."""

    chosen: BoolArray
    """By cell: whether its row and its column are aligned with each other."""
    slack: FloatArray
    """By cell, 0 wherever the alignment is optimal: a component that was too large to be solved has
    its slack at one of its cells. The optimum of a document lies between the sum of its chosen
    weights and that sum with the sum of its slack added."""

    @property
    def exact(self) -> bool:
        """Whether the alignment is optimal everywhere."""
        return not self.slack.any()


def align(rows: IntArray, columns: IntArray, weights: FloatArray) -> BoolArray:
    """Which cells a maximum-weight one-to-one alignment of rows with columns has.

    The cells are sorted by row and column, none twice; an absent cell weighs 0. Weights are 0 or
    more, and a cell that weighs 0 is never chosen. The table may hold many documents, if no row or
    column belongs to two of them: a document's choice does not depend on the others.

    >>> align(np.array([0, 0, 1]), np.array([0, 1, 0]), np.array([3.0, 2.0, 2.0])).tolist()
    [False, True, True]
    """
    return solve(rows, columns, weights).chosen


def solve(
    rows: IntArray, columns: IntArray, weights: FloatArray, *, limit_bytes: int | None = None
) -> Alignment:
    """The alignment of :func:`align`, with bounds where memory does not suffice for the best one.

    ``limit_bytes`` is what the solver of one component may take beyond the table itself. A
    component that needs more is given a good alignment and an upper bound of how much heavier the
    best one can be (:mod:`~corefine.matching.assignment.bounds`).
    """
    slack = np.zeros(weights.size)
    heavy = weights > 0
    if not heavy.all():
        cells = heavy.nonzero()[0]
        part = solve(rows[cells], columns[cells], weights[cells], limit_bytes=limit_bytes)
        heavy[cells] = part.chosen
        slack[cells] = part.slack
        return Alignment(heavy, slack)
    if weights.size == 0:
        return Alignment(heavy, slack)

    height, rows = _numbered(rows, 0)
    nodes, columns = _numbered(columns, height)
    reduction = reduce(rows, columns, weights, nodes)
    picked = reduction.cells
    if picked.size:
        from corefine.matching.assignment.settling import settle

        components = split(rows.take(picked), columns.take(picked))
        chosen, slack[picked] = settle(components, reduction.weights, limit_bytes)
        picked = picked[chosen]
    return Alignment(complete(rows, columns, reduction, picked), slack)


def _numbered(names: IntArray, start: int) -> tuple[int, IntArray]:
    """Numbers from ``start`` on that stand for the names, and the first number above them."""
    lowest = int(names.min())
    count = int(names.max()) - lowest + 1
    if count > 1024 + 8 * names.size:
        # A few documents out of a large corpus: an entry for every number between is too many.
        unique, numbers = np.unique(names, return_inverse=True)
        return start + unique.size, numbers + start
    return start + count, names if lowest == start else names + (start - lowest)
