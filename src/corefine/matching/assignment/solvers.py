"""Solvers for what the reduction leaves open.

Each takes tables whose rows are no more than their columns, an absent cell weighing 0, and gives
the column of every row. A row that is given a column where it has no cell is free.
"""

from __future__ import annotations

from functools import cache
from itertools import permutations

import numpy as np

from corefine.corpus.arrays import BoolArray, FloatArray, IntArray


@cache
def _injections(height: int, width: int) -> IntArray:
    return np.array(list(permutations(range(width), height)), dtype=np.int64)


def try_all(tables: FloatArray) -> IntArray:
    """All ways of many tables of one small shape (tables × rows × columns), the first best one."""
    _, height, width = tables.shape
    ways = _injections(height, width)
    total = tables[:, 0, ways[:, 0]]
    for row in range(1, height):
        total += tables[:, row, ways[:, row]]
    best: IntArray = ways[total.argmax(axis=1)]
    return best


def augment_together(tables: FloatArray, heights: IntArray) -> IntArray:
    """Shortest augmenting paths (Jonker and Volgenant 1987), in many tables at the same time.

    Tables may have fewer rows than the array has: ``heights``. First each row claims its heaviest
    column, and the first to claim a column has it. Then the other rows enter one by one, and in
    each table Dijkstra's algorithm looks for the cheapest way to give the row a column and to move
    those that were there before. A step looks at one row in each table that is still looking.
    """
    count, most_rows, columns = tables.shape
    row_price = -tables.max(axis=2)
    column_price = np.zeros((count, columns))
    owner = np.full((count, columns), -1)
    column_of = np.full((count, most_rows), -1)

    waiting: BoolArray = np.less(np.arange(most_rows), heights[:, None])
    table, row = waiting.nonzero()
    claimed = tables.argmax(axis=2)[table, row]
    _, first = np.unique(table * columns + claimed, return_index=True)
    table, row, claimed = table[first], row[first], claimed[first]
    owner[table, claimed] = row
    column_of[table, row] = claimed
    waiting[table, row] = False

    while (entered := np.flatnonzero(waiting.any(axis=1))).size:
        entering = waiting.argmax(axis=1)
        waiting[entered, entering[entered]] = False
        distance = np.full((count, columns), np.inf)
        reached_from = np.full((count, columns), -1)
        visited = np.zeros((count, columns), dtype=np.bool_)
        length = np.zeros(count)
        last = np.zeros(count, dtype=np.int64)

        looking, row = entered, entering[entered]
        while looking.size:
            # What the row loses by each column, beyond what the prices say: never below 0.
            paid = row_price[looking, row] - length[looking]
            loss = -tables[looking, row] - column_price[looking] - paid[:, None]
            seen, far = visited[looking], distance[looking]
            nearer = (loss < far) & ~seen
            distance[looking] = far = np.where(nearer, loss, far)
            reached_from[looking] = np.where(nearer, row[:, None], reached_from[looking])
            column = np.where(seen, np.inf, far).argmin(axis=1)
            length[looking] = distance[looking, column]
            visited[looking, column] = True
            last[looking] = column
            row = owner[looking, column]
            looking, row = looking[row >= 0], row[row >= 0]

        change = np.where(visited, length[:, None] - distance, 0.0)
        column_price -= change
        table, column = (visited & (owner >= 0)).nonzero()
        row_price[table, owner[table, column]] += change[table, column]
        row_price[entered, entering[entered]] += length[entered]

        moving, column = entered, last[entered]
        while moving.size:
            row = reached_from[moving, column]
            owner[moving, column] = row
            given_up = column_of[moving, row]
            column_of[moving, row] = column
            moved_on = row != entering[moving]
            moving, column = moving[moved_on], given_up[moved_on]
    return column_of


def solve_dense(table: FloatArray) -> IntArray:
    """One table, by scipy's dense solver."""
    from scipy.optimize import linear_sum_assignment

    _, column_of = linear_sum_assignment(table, maximize=True)
    return np.asarray(column_of, dtype=np.int64)


def solve_sparse(
    rows: IntArray, columns: IntArray, weights: FloatArray, height: int, width: int
) -> IntArray:
    """One table given by its cells, by scipy's sparse solver.

    It wants every row to have a column and takes an explicit 0 for an absent cell. So each row has
    a column of its own that weighs the least positive number: it is lost beside any weight, and
    no weight has to be moved, hence rounded.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    own = np.arange(height)
    data = np.concatenate((weights, np.full(height, np.finfo(np.float64).tiny)))
    at = (np.concatenate((rows, own)), np.concatenate((columns, width + own)))
    table = csr_array((data, at), shape=(height, width + height))
    _, column_of = min_weight_full_bipartite_matching(table, maximize=True)
    return np.asarray(column_of, dtype=np.int64)
