"""CEAF: the best one-to-one alignment of entities, by shared mentions or by similarity.

:func:`align` finds the maximum-weight one-to-one alignment of the rows and columns of a sparse
table. An exact reduction decides nearly all cells of nearly all tables in linear time. The
remaining cells are split into connected components, and each component is solved exactly: very
small ones by trying all assignments, larger ones by SciPy, which is imported only for them.

**Graph.** Rows and columns are the nodes of one bipartite graph and cells are its edges. No row
has the number of a column.

Two rules are applied alternately to all cells at once, until neither changes anything.

**Fixing.** Let o(n) be the largest weight at a node n of the cell e = (i, j) other than e, or 0. If
w(e) ≥ o(i) + o(j) for every cell e of a set T, and no two cells of T share a node, then some
optimal alignment contains all of T. Proof: among the optimal alignments choose one, M, with the
most cells of T, and suppose that it lacks the cell e of T. M has at most one cell at i and one at
j, and together they weigh at most o(i) + o(j). Replace them by e. The weight does not decrease, so
the result is optimal too; the removed cells share a node with e, so they are not in T; so the
result has more cells of T than M, a contradiction. Hence T is fixed at once, in any order: T is
chosen, and all other cells at its nodes are removed.

**Raking.** A cell at a node without other cells is a leaf of its other node, the stem (a cell that
is alone at both nodes is a leaf of its row). Let l(n) be the largest leaf of n, or 0 if n is no
stem. Only n competes for its leaves, so some optimal alignment gives each stem without another
cell its largest leaf: it consists of a set A of cells that are no leaves, and the largest leaves of
the nodes that A leaves free. It weighs Σ l(n) over all nodes, plus w(i, j) − l(i) − l(j) for each
cell of A. Hence the largest leaves are recorded, all leaves removed, the other weights reduced by
l(i) + l(j), cells that are then not above 0 removed, and the rest is solved as a table of its own.
Afterwards, from the last raking to the first, the recorded leaves whose stems are free are chosen.
Raking dissolves every tree and strengthens fixing: a competitor with a leaf to fall back on counts
only by what it would gain.

**Rounding.** Fixing is exact. For a ≥ b it tests w − a ≥ b instead of w ≥ a + b: if a ≥ w/2, then
w − a is exact (Sterbenz's lemma); if a < w/2, then w − a is rounded to no less than w/2 > a ≥ b,
and w > a + b is true. Raking subtracts: weights that are no integers may be off by their last
bit, and so may the weight of the alignment.

**Ties.** Of several largest cells at a node the first counts, in the order of the cells. (A cell
that could be fixed but is not the first of its node is a leaf, and is handled by raking.) Both
rules consider only neighbouring cells, each round is one step in every document, and the solver
depends only on the shape of a component, so the alignment of a document does not depend on other
documents.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from itertools import permutations
from typing import TYPE_CHECKING

import numpy as np

from corefine.corpus.arrays import BoolArray, FloatArray, IntArray
from corefine.errors import UsageError
from corefine.metrics.base import (
    MentionMetric,
    RatioMetric,
    RowLabels,
    Statistics,
    count_cells,
)
from corefine.metrics.table import (
    Contributions,
    Labels,
    MentionTable,
    Table,
    links_of,
    shared_links,
)

if TYPE_CHECKING:
    from corefine.metrics.split_antecedents import SharedSets


def aligned(table: Table, similarity: FloatArray) -> FloatArray:
    """The similarity of each cell of the best one-to-one alignment, and 0 for other cells."""
    cells = table.cells
    return np.where(align(cells.key, cells.response, similarity), similarity, 0.0)


def aligned_statistics(table: Table, parts: Contributions) -> Statistics:
    """The sums of contributions; equally good alignments give the same sums to the bit."""
    statistics = table.summed(parts)
    return statistics | {
        name: _rounded(statistics[name]) for name in ("precision_part", "recall_part")
    }


def _rounded(sums: FloatArray) -> FloatArray:
    """Sums rounded to 13 significant digits, beyond which equally good alignments differ."""
    digits = np.clip(12 - np.floor(np.log10(np.maximum(sums, 1e-9))), 0, 22)
    scale = 10.0**digits  # exact up to the power of 22
    return np.where(sums > 1e-9, np.rint(sums * scale) / scale, sums)


@dataclass(frozen=True)
class _Aligned(RatioMetric):
    """A metric of aligned entities, in which a set is shared by its F1 for both sides."""

    citation = "Luo 2005, On coreference resolution performance metrics, HLT-EMNLP"
    references = ("luo-2005-ceaf",)
    choices = (("on", ("mentions", "links")),)
    splits_twinless = True
    scores_sets = True

    on: str = "mentions"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.on == "links":
            self._set(splits_twinless=False, scores_sets=False)

    def statistics(self, table: Table) -> Statistics:
        return aligned_statistics(table, self.contributions(table))  # type: ignore[arg-type]

    def statistics_of_shared(self, sets: SharedSets) -> Statistics:
        return count_cells(self, sets.table("", "f1")[0])


@dataclass(frozen=True)
class CeafM(_Aligned, MentionMetric):
    r"""Mention-based CEAF (Luo 2005), with :math:`\phi_3(k, r) = |k \cap r|`.

    .. math:: R = \frac{\Phi(g^*)}{\sum_k |k|}, \quad P = \frac{\Phi(g^*)}{\sum_r |r|}

    where g* is the one-to-one alignment of entities with the greatest total similarity.
    ``ceafm(on=links)`` counts common links instead of mentions, and a singleton as one link to
    itself (Moosavi & Strube 2016, section 3.3).

    Use it for the share of mentions in the correct entity. Each entity is aligned at most once, so
    splits and merges are penalised. Every mention counts the same.

    .. code-block:: console

        $ corefine score key.conll response.conll --metrics ceafm
    """

    name = "ceafm"
    title = "CEAFm"
    summary = "Mention-based: mentions shared by one-to-one aligned entities."
    aliases = ("ceaf_m", "ceaf-m")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.on == "links":
            self._set(divides_by=frozenset())

    def contributions(self, table: Table) -> Contributions:
        if self.on == "links":
            found = aligned(table, shared_links(table))
            return Contributions(
                found, found, links_of(table.response.size), links_of(table.key.size)
            )
        found = aligned(table, table.cells.count.astype(np.float64))
        return Contributions(found, found, table.response.size, table.key.size)


@dataclass(frozen=True)
class CeafE(_Aligned):
    r"""Entity-based CEAF (Luo 2005), with :math:`\phi_4(k, r) = 2|k \cap r| / (|k| + |r|)`.

    .. math:: R = \frac{\Phi(g^*)}{|K|}, \quad P = \frac{\Phi(g^*)}{|R|}

    Every entity weighs the same, a singleton as much as the longest one. With ``ceafe(on=links)``,
    φ = 2·common links / (links of k + links of r), and a singleton has one link, to itself (Moosavi
    & Strube 2016, section 3.3).

    Use it when every entity should count the same, however often it is mentioned. An error in a
    small entity costs as much as one in the largest. Correct links in unaligned entities earn
    nothing.

    .. code-block:: console

        $ corefine score key.conll response.conll --metrics ceafe
    """

    name = "ceafe"
    title = "CEAFe"
    summary = "Entity-based: similarity of one-to-one aligned entities."
    aliases = ("ceaf", "ceaf_e", "ceaf-e")
    divides_by = frozenset({"entity"})

    def contributions(self, table: Table) -> Contributions:
        cells, key, response = table.cells, table.key, table.response
        ours, theirs = key.size[cells.key], response.size[cells.response]
        similarity = 2 * cells.count / (ours + theirs)
        if self.on == "links":
            similarity = 2 * shared_links(table) / (links_of(ours) + links_of(theirs))
        found = aligned(table, similarity)
        return Contributions(found, found, np.ones(len(response)), np.ones(len(key)))

    def by_label(self, table: MentionTable, labels: RowLabels) -> dict[str, Statistics]:
        """The similarity of a pair counts for the key entity in recall, the response entity in
        precision."""
        if not labels.of_entities:
            raise TypeError("ceafe cannot be broken down by labels of single mentions")
        cells, parts = table.cells, self.contributions(table)
        ours = _of_entities(labels.key, table.key_entity, len(table.key))
        theirs = _of_entities(labels.response, table.response_entity, len(table.response))
        return {
            name: table.summed(
                Contributions(
                    parts.precision * (theirs[cells.response] == label),
                    parts.recall * (ours[cells.key] == label),
                    theirs == label,
                    ours == label,
                ),
            )
            for label, name in enumerate(labels.names)
        }


def _of_entities(labels: Labels, entity: IntArray, entities: int) -> Labels:
    """The label of each entity, which all of its mentions have."""
    found = np.zeros(entities, np.uint8)
    found[entity[entity >= 0]] = labels[entity >= 0]
    return found


# --- the solver -----------------------------------------------------------------------------------

MAX_ROUNDS = 64
"""Rounds of the reduction: long chains of increasing weights are left to the solver."""
MAX_ASSIGNMENTS = 5040
"""Assignments of a component up to which all are tried, which avoids the import of SciPy."""
MAX_TABLE = 10**8
"""Rows times columns of the largest component that is solved (0.8 GB of weights)."""


def align(rows: IntArray, columns: IntArray, weights: FloatArray) -> BoolArray:
    """The cells of a maximum-weight one-to-one alignment of rows and columns, as a mask.

    Cells are unique and sorted by row and column; a missing cell has weight 0. Weights are not
    negative, and a cell of weight 0 is never chosen. The table may contain many documents, if no
    row or column belongs to two of them.

    >>> align(np.array([0, 0, 1]), np.array([0, 1, 0]), np.array([3.0, 2.0, 2.0])).tolist()
    [False, True, True]
    """
    positive = weights > 0
    if not positive.all():
        cells = positive.nonzero()[0]
        positive[cells] = align(rows[cells], columns[cells], weights[cells])
        return positive
    if weights.size == 0:
        return positive
    height, rows = _renumbered(rows, 0)
    nodes, columns = _renumbered(columns, height)
    reduction = reduce(rows, columns, weights, nodes)
    cells = reduction.cells
    if cells.size:
        cells = cells[_solve(rows[cells], columns[cells], reduction.weights)]
    return _complete(rows, columns, reduction, cells)


def _renumbered(names: IntArray, start: int) -> tuple[int, IntArray]:
    """Numbers from ``start`` for the names, and the number after the last."""
    lowest = int(names.min())
    count = int(names.max()) - lowest + 1
    if count > 1024 + 8 * names.size:
        # A few documents of a large corpus: an array over all names would be too large.
        unique, numbers = np.unique(names, return_inverse=True)
        return start + unique.size, numbers + start
    return start + count, names if lowest == start else names + (start - lowest)


def _solve(rows: IntArray, columns: IntArray, weights: FloatArray) -> IntArray:
    """The chosen cells of a table without reducible cells."""
    chosen: list[int] = []
    for cells in connected_cells(rows, columns):
        (ours, row), (theirs, column) = (
            np.unique(nodes[cells], return_inverse=True) for nodes in (rows, columns)
        )
        shape = len(ours), len(theirs)
        if shape[0] * shape[1] > MAX_TABLE:
            raise UsageError(
                f"the entities cannot be aligned: {shape[0]:,} key entities and {shape[1]:,} "
                "response entities overlap in a way that cannot be divided",
                remedy="Leave out CEAF (--metrics muc,b3,lea), or score the documents separately.",
            )
        if shape[0] > shape[1]:
            row, column, shape = column, row, shape[::-1]
        table = np.zeros(shape)
        table[row, column] = weights[cells]
        chosen += cells[_assign(table)[row] == column].tolist()
    return np.array(chosen, np.int64)


@cache
def _assignments(height: int, width: int) -> IntArray:
    """All ways to choose a column for each row."""
    return np.array(list(permutations(range(width), height)), np.int64)


def _assign(table: FloatArray) -> IntArray:
    """The column of each row in the best assignment; there are no more rows than columns."""
    height, width = table.shape
    if height <= 6 and math.perm(width, height) <= MAX_ASSIGNMENTS:
        assignments = _assignments(height, width)
        best = table[np.arange(height), assignments].sum(axis=1).argmax()
        return np.asarray(assignments[best])
    from scipy.optimize import linear_sum_assignment

    return np.asarray(linear_sum_assignment(table, maximize=True)[1])


def connected_cells(rows: IntArray, columns: IntArray) -> list[IntArray]:
    """The cells of each connected component; rows and columns share no number.

    Each node takes the lowest number among its neighbours until nothing changes.
    """
    label = np.arange(1 + max(int(rows.max(initial=0)), int(columns.max(initial=0))))
    while True:
        before = label
        lowest = np.minimum(label[rows], label[columns])
        label = label.copy()
        np.minimum.at(label, rows, lowest)
        np.minimum.at(label, columns, lowest)
        label = label[label]
        if np.array_equal(label, before):
            break
    component = label[rows]
    order = np.argsort(component, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(component[order])) + 1) if len(rows) else []


@dataclass(frozen=True, slots=True, eq=False)
class Reduction:
    """The decisions of both rules, and the remaining cells."""

    chosen: BoolArray
    """Mask of fixed cells."""
    taken: BoolArray
    """Mask of nodes with a fixed cell."""
    raked: list[IntArray]
    """The largest leaves of each raking, to be chosen if their stem is still free."""
    cells: IntArray
    """The remaining cells."""
    weights: FloatArray
    """Their weights, reduced by the leaves of their nodes."""


@dataclass(frozen=True, slots=True, eq=False)
class _Nodes:
    """Working arrays with one entry per node, reset at the nodes of remaining cells."""

    best: FloatArray
    other: FloatArray
    first: IntArray
    none: int

    def clear(self, nodes: IntArray) -> None:
        self.best[nodes] = self.other[nodes] = 0.0
        self.first[nodes] = self.none


def reduce(rows: IntArray, columns: IntArray, weights: FloatArray, count: int) -> Reduction:
    """Apply both rules until nothing changes; weights are positive, nodes below ``count``."""
    chosen = np.zeros(weights.size, dtype=np.bool_)
    taken = np.zeros(count, dtype=np.bool_)
    raked: list[IntArray] = []
    nodes = _Nodes(
        np.zeros(count), np.zeros(count), np.full(count, weights.size), none=weights.size
    )
    cells = np.arange(weights.size)
    for _ in range(MAX_ROUNDS):
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
    """Cells that can be fixed, no two at one node; the working arrays are not reset."""
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
    """The largest leaf of each stem, and the reduced weights (not above 0 for leaves)."""
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


def _complete(
    rows: IntArray, columns: IntArray, reduction: Reduction, solved: IntArray
) -> BoolArray:
    """The alignment of the whole table, given the remaining cells that the solver chose."""
    chosen, taken = reduction.chosen, reduction.taken
    chosen[solved] = True
    taken[rows.take(solved)] = True
    taken[columns.take(solved)] = True
    for leaves in reversed(reduction.raked):
        leaf_rows, leaf_columns = rows.take(leaves), columns.take(leaves)
        free = ~(taken.take(leaf_rows) | taken.take(leaf_columns))
        chosen[leaves[free]] = True
        taken[leaf_rows[free]] = True
        taken[leaf_columns[free]] = True
    return chosen
