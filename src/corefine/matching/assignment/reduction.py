"""The exact reduction: what most of a table needs in place of a solver.

Rows and columns are the nodes of one graph and cells are its edges, so that both sides go through
the same lines: a node's number is the row's, or the column's, and no row has a column's number.

Two rules are applied in turn to all cells at once, until neither changes anything.

**Fixing.** Let o(n) be the best weight that a node n of the cell e = (i, j) has besides e, or 0.
If w(e) ≥ o(i) + o(j) for every cell e of a set T, and no two cells of T share a node, then some
optimal alignment contains all of T. Proof: of the optimal alignments take one, M, that has the
most cells of T, and suppose that it lacks the cell e of T. M has at most one cell at i and one at
j, and they weigh at most o(i) + o(j). Put e in their place. The weight does not fall, so this is
optimal too; what was taken out shares a node with e, so it is not in T; so this has more cells of T
than M, against the choice of M. Hence T is fixed at once, in no order: T is chosen, and all cells
at its nodes are struck.

**Raking.** A cell at a node that has no other cell is a leaf of its other node, the stem (a cell
alone at both nodes is a leaf of its row). Let l(n) be the best leaf of n, or 0 where n is no stem.
Only n itself competes for its leaves, so some optimal alignment gives each stem that has no other
cell its best leaf: it is a set A of cells that are no leaves, with the best leaves of the nodes
that A leaves free. It weighs Σ l(n) over all nodes, and w(i, j) − l(i) − l(j) more for each cell of
A. Hence: the best leaves are noted, all leaves dropped, the other weights lowered by l(i) + l(j),
cells that are then not above 0 dropped, and the rest is solved as a table of its own. Afterwards,
from the last raking to the first, the noted leaves are chosen whose stems are still free. Raking
dissolves every tree, and it makes fixing stronger: a rival that has a leaf to fall back on asks for
no more than it would gain.

**Rounding.** Fixing has none. For a ≥ b it asks w − a ≥ b in place of w ≥ a + b: if a ≥ w/2, then
w − a is exact (Sterbenz's lemma); if a < w/2, then w − a is rounded to no less than w/2 > a ≥ b,
and w > a + b is true. Raking subtracts: weights that are not whole numbers may be off by their last
bit, and so may the alignment's distance from the optimum.

**Ties.** Of several heaviest cells at a node the first counts, in the order of the cells. (A cell
that could be fixed but is not the first of its node is a leaf, and raking takes care of it.) Both
rules look at a cell's neighbours only and each round is one step in every document, so what happens
to one document does not depend on which others are there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from corefine.corpus.arrays import BoolArray, FloatArray, IntArray

#: A long chain of ever heavier cells loses a few cells a round; a solver does better from here on.
MOST_ROUNDS = 64


@dataclass(frozen=True, slots=True, eq=False)
class Reduction:
    """What the two rules have decided, and what they leave open."""

    chosen: BoolArray
    """By cell: whether it was fixed."""
    taken: BoolArray
    """By node: whether a cell at it was fixed."""
    raked: list[IntArray]
    """The best leaves of each raking: to be chosen if their stem stays free."""
    cells: IntArray
    """The cells that are still open."""
    weights: FloatArray
    """What the open cells weigh, lowered by what their nodes have to fall back on."""


@dataclass(frozen=True, slots=True, eq=False)
class _Nodes:
    """One entry a node for either rule to work with, clear wherever a cell is open."""

    best: FloatArray
    other: FloatArray
    first: IntArray
    none: int

    def clear(self, nodes: IntArray) -> None:
        self.best[nodes] = self.other[nodes] = 0.0
        self.first[nodes] = self.none


def reduce(rows: IntArray, columns: IntArray, weights: FloatArray, count: int) -> Reduction:
    """Apply both rules until nothing changes. All weights are above 0, nodes below ``count``."""
    chosen = np.zeros(weights.size, dtype=np.bool_)
    taken = np.zeros(count, dtype=np.bool_)
    raked: list[IntArray] = []
    nodes = _Nodes(
        np.zeros(count), np.zeros(count), np.full(count, weights.size), none=weights.size
    )
    cells = np.arange(weights.size)
    for _ in range(MOST_ROUNDS):
        before = cells.size

        fixed = _fixed(rows, columns, weights, nodes)
        if fixed.size:
            chosen[cells.take(fixed)] = True
            taken[rows.take(fixed)] = True
            taken[columns.take(fixed)] = True
            kept = (~(taken.take(rows) | taken.take(columns))).nonzero()[0]
            cells, weights = cells.take(kept), weights.take(kept)
            if cells.size == 0:
                break
            rows, columns = rows.take(kept), columns.take(kept)
        nodes.clear(rows)
        nodes.clear(columns)

        leaves, lowered = _raked(rows, columns, weights, nodes)
        if leaves.size:
            raked.append(cells.take(leaves))
            kept = (lowered > 0).nonzero()[0]
            cells, weights = cells.take(kept), lowered.take(kept)
            rows, columns = rows.take(kept), columns.take(kept)

        if cells.size in (0, before):
            break
    return Reduction(chosen, taken, raked, cells, weights)


def _fixed(rows: IntArray, columns: IntArray, weights: FloatArray, nodes: _Nodes) -> IntArray:
    """Cells that can be fixed, no two at one node. It leaves the nodes' entries as they are."""
    best, other, first = nodes.best, nodes.other, nodes.first
    np.maximum.at(best, rows, weights)
    np.maximum.at(best, columns, weights)
    peaks = (best.take(rows) == weights).nonzero()[0]
    peak_weights, peak_columns = weights.take(peaks), columns.take(peaks)
    heaviest = (best.take(peak_columns) == peak_weights).nonzero()[0]
    peaks, peak_weights = peaks.take(heaviest), peak_weights.take(heaviest)
    peak_rows, peak_columns = rows.take(peaks), peak_columns.take(heaviest)
    np.minimum.at(first, peak_rows, peaks)
    np.minimum.at(first, peak_columns, peaks)
    leading = (first.take(peak_rows) == peaks) & (first.take(peak_columns) == peaks)

    rest = weights.copy()
    rest[peaks[leading]] = 0.0
    np.maximum.at(other, rows, rest)
    np.maximum.at(other, columns, rest)
    at_row, at_column = other.take(peak_rows), other.take(peak_columns)
    spare = peak_weights - np.maximum(at_row, at_column)
    # A peak that does not lead is its own rival at both nodes, so it is never fixed.
    fixed: IntArray = peaks[spare >= np.minimum(at_row, at_column)]
    return fixed


def _raked(
    rows: IntArray, columns: IntArray, weights: FloatArray, nodes: _Nodes
) -> tuple[IntArray, FloatArray]:
    """The best leaf of every stem, and all weights lowered: those of leaves to 0 or less."""
    best, first, degree = nodes.best, nodes.first, nodes.other
    np.add.at(degree, rows, 1.0)
    np.add.at(degree, columns, 1.0)
    column_alone = degree.take(columns) == 1.0
    leaves = (column_alone | (degree.take(rows) == 1.0)).nonzero()[0]
    degree[rows] = degree[columns] = 0.0
    if leaves.size == 0:
        return leaves, weights
    leaf_weights = weights.take(leaves)
    stems = np.where(column_alone.take(leaves), rows.take(leaves), columns.take(leaves))
    np.maximum.at(best, stems, leaf_weights)
    np.minimum.at(first, stems, np.where(best.take(stems) == leaf_weights, leaves, nodes.none))
    lowered = weights - (best.take(rows) + best.take(columns))
    leaves = leaves[first.take(stems) == leaves]
    nodes.clear(stems)
    return leaves, lowered


def complete(
    rows: IntArray, columns: IntArray, reduction: Reduction, picked: IntArray
) -> BoolArray:
    """The alignment of the whole table, given the open cells that a solver has picked."""
    chosen, taken = reduction.chosen, reduction.taken
    chosen[picked] = True
    taken[rows.take(picked)] = True
    taken[columns.take(picked)] = True
    for leaves in reversed(reduction.raked):
        leaf_rows, leaf_columns = rows.take(leaves), columns.take(leaves)
        free = ~(taken.take(leaf_rows) | taken.take(leaf_columns))
        chosen[leaves[free]] = True
        taken[leaf_rows[free]] = True
        taken[leaf_columns[free]] = True
    return chosen
