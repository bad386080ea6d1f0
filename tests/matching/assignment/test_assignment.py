"""Alignments against brute force and scipy, their ties, their bounds and their independence."""

from __future__ import annotations

import subprocess
import sys
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import linear_sum_assignment

from corefine.matching.assignment import Alignment, align, bounds, reduction, settling, solve
from corefine.matching.assignment.components import split
from corefine.matching.assignment.solvers import (
    augment_together,
    solve_dense,
    solve_sparse,
    try_all,
)

SOLVERS = ("ways", "together", "dense", "sparse")


def cells_of(table, zeros=False):
    """The cells of a dense table, sorted by row and column; those of weight 0 only if asked."""
    rows, columns = np.nonzero(np.ones_like(table) if zeros else table)
    return rows, columns, table[rows, columns].astype(np.float64)


def by_brute_force(table):
    table = table if table.shape[0] <= table.shape[1] else table.T
    rows = range(table.shape[0])
    return max(
        sum(table[row, column] for row, column in zip(rows, way, strict=True))
        for way in permutations(range(table.shape[1]), len(rows))
    )


def by_scipy(table):
    return table[linear_sum_assignment(table, maximize=True)].sum()


def value_of(cells, chosen):
    """What an alignment weighs, once it is known to be one."""
    rows, columns, weights = cells
    assert chosen.dtype == np.bool_
    assert chosen.shape == weights.shape
    assert np.unique(rows[chosen]).size == chosen.sum()
    assert np.unique(columns[chosen]).size == chosen.sum()
    assert (weights[chosen] > 0).all()
    return weights[chosen].sum()


def value(table, zeros=False):
    cells = cells_of(table, zeros)
    return value_of(cells, align(*cells))


def similarity(counts):
    """φ4 of a table of shared mentions; some entities have mentions that the other side lacks."""
    key = counts.sum(axis=1, keepdims=True) + np.arange(counts.shape[0])[:, None] % 2
    response = counts.sum(axis=0, keepdims=True) + np.arange(counts.shape[1]) % 3
    return 2 * counts / np.maximum(key + response, 1)


def zipf_table(mentions, noise, seed):
    """Key and response of Zipf-sized entities, some mentions moved anywhere: cells and sizes."""
    generator = np.random.default_rng(seed)
    sizes = np.minimum(generator.zipf(2.0, mentions), mentions // 10)
    key = np.repeat(np.arange(mentions), sizes)[:mentions]
    moved = generator.random(mentions) < noise
    response = np.where(moved, generator.integers(0, key.max() + 1, mentions), key)
    pairs, counts = np.unique(np.stack((key, response)), axis=1, return_counts=True)
    sizes = np.bincount(key)[pairs[0]] + np.bincount(response)[pairs[1]]
    return pairs[0], pairs[1], counts.astype(np.float64), sizes


def only(monkeypatch, solver):
    """Let one solver do all the work, without any reduction before it."""
    monkeypatch.setattr(reduction, "MOST_ROUNDS", 0)
    if solver != "ways":
        monkeypatch.setattr(settling, "MOST_WAYS", 0)
    if solver in ("dense", "sparse"):
        monkeypatch.setattr(settling, "MOST_ROWS_TOGETHER", 0)
    if solver == "sparse":
        monkeypatch.setattr(settling, "ALWAYS_DENSE", -1)
        monkeypatch.setattr(settling, "DENSE_PART", 2)


def whole_weights(most):
    return st.integers(0, most).map(float)


def tables(largest, elements):
    sides = st.integers(1, largest)
    return st.tuples(sides, sides).flatmap(
        lambda shape: arrays(np.float64, shape, elements=elements)
    )


class TestOptimum:
    @given(tables(5, whole_weights(2)))
    def test_ties_everywhere(self, table):
        assert value(table) == by_brute_force(table)

    @given(tables(5, whole_weights(9)))
    def test_whole_weights(self, table):
        assert value(table) == by_brute_force(table)

    @given(tables(5, whole_weights(9)))
    def test_similarities(self, table):
        table = similarity(table)
        assert value(table) == pytest.approx(by_brute_force(table), rel=1e-14, abs=0)

    @given(tables(5, st.floats(0, 1e6)))
    def test_any_weights(self, table):
        assert value(table) == pytest.approx(by_brute_force(table), rel=1e-14, abs=0)

    @given(tables(5, whole_weights(3)))
    def test_weights_of_zero_are_never_chosen(self, table):
        assert value(table, zeros=True) == value(table)

    @given(tables(5, whole_weights(3)), st.integers(2, 3))
    def test_repeated_rows_and_columns(self, table, times):
        table = np.repeat(np.tile(table, (1, times)), times, axis=0)
        assert value(table) == by_scipy(table)

    @given(tables(5, whole_weights(9)))
    def test_swapping_the_sides_changes_nothing(self, table):
        assert value(table) == value(table.T)

    @pytest.mark.parametrize("shape", [(1, 1), (1, 7), (7, 1), (5, 5), (6, 9), (40, 33)])
    def test_all_equal(self, shape):
        assert value(np.full(shape, 0.3)) == pytest.approx(0.3 * min(shape))

    @pytest.mark.parametrize("seed", range(40))
    def test_random_tables_of_some_size(self, seed):
        generator = np.random.default_rng(seed)
        shape = generator.integers(5, 120, 2)
        counts = generator.integers(0, generator.integers(2, 12), shape)
        counts[generator.random(shape) > generator.random() ** 2] = 0
        assert value(counts) == by_scipy(counts)
        assert value(similarity(counts)) == pytest.approx(by_scipy(similarity(counts)), rel=1e-13)

    @pytest.mark.parametrize("noise", [0.2, 0.5, 1.0])
    def test_one_long_document(self, noise):
        rows, columns, counts, sizes = zipf_table(20_000, noise, seed=5)
        for weights in (counts, 2 * counts / sizes):
            cells = (rows, columns, weights)
            best = solve_sparse(*cells, int(rows.max()) + 1, int(columns.max()) + 1)
            expected = weights[best[rows] == columns].sum()
            assert value_of(cells, align(*cells)) == pytest.approx(expected, rel=1e-13)


class TestEdges:
    def test_no_cells(self):
        nothing = np.zeros(0, dtype=np.int64)
        result = solve(nothing, nothing, np.zeros(0))
        assert result.chosen.size == result.slack.size == 0
        assert result.exact

    def test_one_cell(self):
        assert align(np.array([7]), np.array([3]), np.array([0.5])).tolist() == [True]

    def test_only_weights_of_zero(self):
        cells = np.array([0, 1]), np.array([0, 0]), np.zeros(2)
        assert align(*cells).tolist() == [False, False]

    def test_the_first_of_equals(self):
        zeros, numbers, equal = np.zeros(3, dtype=np.int64), np.arange(3), np.ones(3)
        assert align(zeros, numbers, equal).tolist() == [True, False, False]
        assert align(numbers, zeros, equal).tolist() == [True, False, False]

    def test_numbers_far_apart(self):
        rows = np.array([3, 3, 19_999_999])
        columns = np.array([5, 18_000_000, 5])
        assert align(rows, columns, np.array([3.0, 2.0, 2.0])).tolist() == [False, True, True]

    def test_the_table_is_left_as_it_was(self):
        cells = cells_of(np.array([[3.0, 2.0, 0.0], [2.0, 2.0, 1.0], [1.0, 0.0, 0.0]]), zeros=True)
        before = [part.copy() for part in cells]
        for part in cells:
            part.flags.writeable = False
        align(*cells)
        assert all(np.array_equal(*parts) for parts in zip(cells, before, strict=True))

    def test_a_sum_that_rounds_to_a_rival(self):
        # 1/2 + (1/2 + 2⁻⁵³) is rounded to 1, but it is more than 1.
        table = np.array([[1.0, 0.5], [0.5 + 2**-53, 0.0]])
        assert align(*cells_of(table)).tolist() == [False, True, True]


class TestCompany:
    """A document's alignment is the same in any company."""

    def check(self, documents):
        apart = [align(*cells_of(table)) for table in documents]
        rows, columns, weights = [], [], []
        height = width = 0
        for table in documents:
            row, column, weight = cells_of(table)
            rows.append(row + height)
            columns.append(column + width)
            weights.append(weight)
            height += table.shape[0] + 1
            width += table.shape[1]
        together = align(np.concatenate(rows), np.concatenate(columns), np.concatenate(weights))
        assert together.tolist() == np.concatenate(apart).tolist()

    @given(st.lists(tables(6, whole_weights(3)), min_size=2, max_size=6))
    def test_with_ties(self, documents):
        self.check(documents)

    @given(st.lists(tables(6, whole_weights(9)), min_size=2, max_size=6))
    def test_with_similarities(self, documents):
        self.check([similarity(table) for table in documents])

    @pytest.mark.parametrize("solver", SOLVERS)
    def test_whatever_the_solver(self, monkeypatch, solver):
        only(monkeypatch, solver)
        generator = np.random.default_rng(3)
        most = 4 if solver == "ways" else 9
        self.check(
            [generator.integers(0, 3, generator.integers(1, most, 2)) for _ in range(40)],
        )

    def test_with_long_chains(self, monkeypatch):
        # A chain of rising weights takes a round for every few cells, so these are not through.
        monkeypatch.setattr(reduction, "MOST_ROUNDS", 4)
        chains = []
        for length in (3, 8, 15, 30, 60):
            chain = np.zeros((length, length))
            chain[np.arange(length), np.arange(length)] = np.arange(length) * 2 + 1
            chain[np.arange(length - 1), np.arange(1, length)] = np.arange(length - 1) * 2 + 2
            assert value(chain) == by_scipy(chain)
            chains.append(chain)
        self.check(chains)


class TestReduction:
    def left_by(self, rows, columns, weights):
        height, width = int(rows.max()) + 1, int(columns.max()) + 1
        return reduction.reduce(rows, columns + height, weights, height + width).cells.size

    @given(st.lists(st.tuples(st.integers(0, 30), st.integers(1, 9)), min_size=1, max_size=30))
    def test_trees_dissolve(self, branches):
        # Each new node hangs from an earlier one of the other side; even numbers are rows.
        edges = {}
        for node, (stem, weight) in enumerate(branches, start=1):
            other_side = [earlier for earlier in range(node) if (earlier + node) % 2]
            stem = other_side[stem % len(other_side)]
            edges[min(node, stem, key=lambda n: n % 2), max(node, stem, key=lambda n: n % 2)] = (
                weight
            )
        ends = np.array(sorted(edges))
        weights = np.array([edges[row, column] for row, column in ends.tolist()], dtype=np.float64)
        assert self.left_by(ends[:, 0], ends[:, 1], weights) == 0

    def test_moved_mentions_leave_next_to_nothing(self):
        rows, columns, counts, sizes = zipf_table(100_000, noise=0.2, seed=1)
        assert self.left_by(rows, columns, counts) <= 20
        assert self.left_by(rows, columns, 2 * counts / sizes) <= 100

    def test_a_cycle_is_left(self):
        assert self.left_by(*cells_of(np.array([[3.0, 2.0], [2.0, 2.0]]))) == 4

    def test_scipy_stays_away(self):
        script = """if True:
            import sys
            import numpy as np
            from corefine.matching.assignment import align
            generator = np.random.default_rng(0)
            tables = [generator.integers(0, 4, (side, side)) for side in (2, 3, 5, 8, 13, 21, 30)]
            for table in tables:
                rows, columns = np.nonzero(table)
                assert align(rows, columns, table[rows, columns] + 0.5).any()
            sys.exit(any(name.partition(".")[0] == "scipy" for name in sys.modules))
        """
        assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


class TestSolvers:
    @pytest.mark.parametrize("solver", SOLVERS)
    @pytest.mark.parametrize("seed", range(5))
    def test_without_reduction(self, monkeypatch, solver, seed):
        only(monkeypatch, solver)
        generator = np.random.default_rng(seed)
        most = 5 if solver == "ways" else 33
        for _ in range(20):
            counts = generator.integers(0, 4, generator.integers(1, most, 2))
            assert value(counts) == by_scipy(counts)
            expected = by_scipy(similarity(counts))
            assert value(similarity(counts)) == pytest.approx(expected, rel=1e-13)

    def test_dense_and_sparse_agree_on_a_large_component(self, monkeypatch):
        generator = np.random.default_rng(11)
        table = generator.random((300, 280)) * (generator.random((300, 280)) < 0.1)
        values = []
        for solver in ("dense", "sparse"):
            with monkeypatch.context() as patch:
                only(patch, solver)
                values.append(value(table))
        assert values == pytest.approx([by_scipy(table)] * 2, rel=1e-13)

    @given(st.lists(tables(5, whole_weights(4)), min_size=1, max_size=5))
    def test_tables_of_different_heights_together(self, documents):
        documents = [table if len(table) <= table.shape[1] else table.T for table in documents]
        heights = np.array([len(table) for table in documents])
        stacked = np.zeros((len(documents), 5, 8))
        for number, table in enumerate(documents):
            stacked[number, : table.shape[0], : table.shape[1]] = table
        for table, columns in zip(stacked, augment_together(stacked, heights), strict=True):
            rows = np.flatnonzero(columns >= 0)
            assert np.unique(columns[rows]).size == rows.size
            assert table[rows, columns[rows]].sum() == by_scipy(table)

    def test_all_ways_take_the_first_best(self):
        assert try_all(np.ones((2, 2, 3))).tolist() == [[0, 1], [0, 1]]

    def test_dense_gives_every_row_a_column(self):
        assert solve_dense(np.array([[2.0, 5.0, 0.0], [0.0, 4.0, 0.0]])).tolist() == [0, 1]

    def test_sparse_may_leave_a_row_free(self):
        cells = np.array([0, 1]), np.array([0, 0]), np.array([2.0, 1e-9])
        assert solve_sparse(*cells, height=2, width=1).tolist()[0] == 0

    @given(st.sets(st.tuples(st.integers(0, 25), st.integers(0, 25)), min_size=1, max_size=40))
    def test_components(self, cells):
        rows, columns = np.array(sorted(cells)).T
        components = split(rows, columns)
        nodes = {("row", row) for row in rows} | {("column", column) for column in columns}
        groups = {node: {node} for node in nodes}
        for row, column in cells:
            if groups["row", row] is not groups["column", column]:
                merged = groups["row", row] | groups["column", column]
                groups.update(dict.fromkeys(merged, merged))
        of_cell = [groups["row", row] for row in rows]
        for first in range(rows.size):
            for second in range(first):
                same = of_cell[first] is of_cell[second]
                assert same == (components.number[first] == components.number[second])
        places = np.stack((components.number, components.row, components.column))
        assert np.unique(places, axis=1).shape[1] == rows.size
        assert (components.row < components.height[components.number]).all()
        assert (components.column < components.width[components.number]).all()
        assert components.height.sum() + components.width.sum() == len(nodes)
        assert (components.height <= components.width).all()


class TestBounds:
    @pytest.fixture(autouse=True)
    def _nothing_is_small(self, monkeypatch):
        monkeypatch.setattr(settling, "MOST_WAYS", 0)
        monkeypatch.setattr(settling, "MOST_ROWS_TOGETHER", 0)

    def check(self, table, **options) -> Alignment:
        cells = cells_of(table)
        result = solve(*cells, **options)
        lower = value_of(cells, result.chosen)
        optimum = by_scipy(table)
        assert (result.slack >= 0).all()
        assert lower <= optimum * (1 + 1e-14)
        assert optimum <= (lower + result.slack.sum()) * (1 + 1e-14)
        return result

    @given(tables(7, whole_weights(5)))
    def test_the_optimum_is_between(self, table):
        self.check(table, limit_bytes=0)
        self.check(similarity(table), limit_bytes=0)

    @pytest.mark.parametrize("rounds", [0, 1, 3, 10])
    @pytest.mark.parametrize("rows", [30, 60])
    def test_even_if_the_auction_is_stopped(self, monkeypatch, rounds, rows):
        monkeypatch.setattr(bounds, "MOST_ROUNDS", rounds)
        generator = np.random.default_rng(rounds)
        for most in (2, 5, 1000):
            table = generator.integers(0, most, (rows, 40)).astype(np.float64)
            result = self.check(table, limit_bytes=0)
            # What is greedily completed has no free row beside a free column.
            free_rows = np.setdiff1d(np.arange(rows), cells_of(table)[0][result.chosen])
            free_columns = np.setdiff1d(np.arange(40), cells_of(table)[1][result.chosen])
            assert not table[np.ix_(free_rows, free_columns)].any()

    def test_a_full_auction_comes_near(self):
        generator = np.random.default_rng(0)
        table = generator.random((150, 200)) * (generator.random((150, 200)) < 0.2)
        result = self.check(table, limit_bytes=0)
        assert not result.exact
        assert result.slack.sum() < 0.002 * by_scipy(table)

    def test_enough_memory_is_exact(self):
        table = np.random.default_rng(0).random((150, 200))
        for limit in (None, 1 << 30):
            result = self.check(table, limit_bytes=limit)
            assert result.exact
            assert not result.slack.any()

    def test_memory_for_the_sparse_solver_only(self, monkeypatch):
        generator = np.random.default_rng(4)
        table = generator.random((100, 100)) * (generator.random((100, 100)) < 0.1)
        monkeypatch.setattr(settling, "solve_dense", None)
        assert self.check(table, limit_bytes=200_000).exact

    def test_slack_by_document(self):
        generator = np.random.default_rng(2)
        hard = generator.random((60, 60))
        easy = np.diag(np.arange(1.0, 6.0))
        rows, columns, weights = cells_of(
            np.block([[easy, np.zeros((5, 60))], [np.zeros((60, 5)), hard]])
        )
        result = solve(rows, columns, weights, limit_bytes=0)
        assert not result.slack[rows < 5].any()
        assert result.slack[rows >= 5].sum() > 0
        assert not result.exact
        of_hard = result.chosen & (rows >= 5)
        lower = weights[of_hard].sum()
        assert lower <= by_scipy(hard) <= lower + result.slack[rows >= 5].sum()
