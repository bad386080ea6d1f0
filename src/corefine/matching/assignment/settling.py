"""The components that the reduction leaves open, each given to the solver that suits its shape."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from corefine.corpus.arrays import BoolArray, FloatArray, IntArray, offsets_of, ranges
from corefine.matching.assignment.bounds import bracket
from corefine.matching.assignment.components import Components
from corefine.matching.assignment.solvers import (
    augment_together,
    solve_dense,
    solve_sparse,
    try_all,
)

# The solver depends on the component's own shape alone: a document's alignment must not change with
# the company that it is in, nor with what happens to be imported. Measured on one core: to import
# scipy takes 0.4 to 0.7 s; a table of 30 × 30 takes 5 to 15 ms by augmenting paths; one of
# 200 × 200 takes 1 ms by the dense solver and 2 to 13 ms by the sparse one, which is ahead from
# 1,000 × 1,000 on where less than a tenth of the cells are there.
MOST_WAYS = 720
MOST_ROWS_TOGETHER = 32
MOST_COLUMNS_TOGETHER = 512
ALWAYS_DENSE = 200 * 200
DENSE_PART = 1 / 8
#: What the solvers hold at their height, by cell of the dense table and by given cell.
DENSE_BYTES = 24
SPARSE_BYTES = 120
#: How many numbers an array of tables that are solved together may have.
MOST_NUMBERS = 1 << 20


@dataclass(frozen=True, slots=True, eq=False)
class _Batch:
    """Components that are solved together, or one that is solved alone."""

    members: IntArray
    ways: int
    """In how many ways each can be aligned, where all are tried; otherwise 0."""
    height: int
    width: int


def settle(
    components: Components, weights: FloatArray, limit_bytes: int | None
) -> tuple[BoolArray, FloatArray]:
    """Which cells an optimal alignment has, and, by cell, the slack.

    A component too large for ``limit_bytes`` has a slack, at its first cell, and its alignment
    need not be optimal.
    """
    chosen = np.zeros(weights.size, dtype=np.bool_)
    slack = np.zeros(weights.size)
    sizes = np.bincount(components.number)
    starts = offsets_of(sizes)[:-1]
    order = np.argsort(components.number, kind="stable")
    for batch in _batches(components):
        lengths = sizes[batch.members]
        cells = order[ranges(starts[batch.members], lengths)]
        table = np.repeat(np.arange(batch.members.size), lengths)
        row, column, weight = components.row[cells], components.column[cells], weights[cells]
        shape = (batch.height, batch.width)
        if batch.height <= MOST_ROWS_TOGETHER and batch.width <= MOST_COLUMNS_TOGETHER:
            tables = np.zeros((batch.members.size, *shape))
            tables[table, row, column] = weight
            if batch.ways:
                column_of = try_all(tables)
            else:
                column_of = augment_together(tables, components.height[batch.members])
            chosen[cells] = column_of[table, row] == column
        elif _is_dense(cells.size, batch.height * batch.width, limit_bytes):
            whole = np.zeros(shape)
            whole[row, column] = weight
            chosen[cells] = solve_dense(whole)[row] == column
        elif limit_bytes is None or SPARSE_BYTES * (cells.size + batch.height) <= limit_bytes:
            chosen[cells] = solve_sparse(row, column, weight, *shape)[row] == column
        else:
            chosen[cells], slack[cells[0]] = bracket(row, column, weight, *shape)
    return chosen, slack


def _is_dense(cells: int, dense_cells: int, limit_bytes: int | None) -> bool:
    if limit_bytes is not None and dense_cells * DENSE_BYTES > limit_bytes:
        return False
    return dense_cells <= ALWAYS_DENSE or cells >= DENSE_PART * dense_cells


def _batches(components: Components) -> Iterator[_Batch]:
    """Small components of one shape, or of widths that round up to the same; large ones alone."""
    code = components.height * (int(components.width.max()) + 1) + components.width
    order = np.argsort(code, kind="stable")
    together: dict[tuple[int, int, int], list[IntArray]] = {}
    starts = offsets_of(np.unique(code, return_counts=True)[1]).tolist()
    for start, stop in pairwise(starts):
        members = order[start:stop]
        height, width = int(components.height[members[0]]), int(components.width[members[0]])
        # Six rows can be aligned in 6! = 720 ways at least; the factorials of more are long.
        ways = math.perm(width, height) if height <= 6 and width <= MOST_WAYS else MOST_WAYS + 1
        if ways <= MOST_WAYS:
            together.setdefault((ways, height, width), []).append(members)
        elif height <= MOST_ROWS_TOGETHER and width <= MOST_COLUMNS_TOGETHER:
            rounded = 1 << (width - 1).bit_length()
            together.setdefault((0, MOST_ROWS_TOGETHER, rounded), []).append(members)
        else:
            for place in range(members.size):
                yield _Batch(members[place : place + 1], 0, height, width)
    for (ways, height, width), parts in together.items():
        members = np.concatenate(parts)
        highest = int(components.height[members].max())
        step = max(1, MOST_NUMBERS // max(ways, height * width))
        for start in range(0, members.size, step):
            yield _Batch(members[start : start + step], ways, highest, width)
