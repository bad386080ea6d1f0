"""Alignments against brute force and SciPy, ties, and independence of documents."""

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

from corefine.errors import UsageError
from corefine.matching import alignment
from corefine.matching.alignment import align, connected_cells, reduce

SOLVERS = ("permutations", "scipy")


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
    """Leave everything to one solver, without any reduction before it."""
    monkeypatch.setattr(alignment, "MAX_ROUNDS", 0)
    if solver == "scipy":
        monkeypatch.setattr(alignment, "MAX_ASSIGNMENTS", 0)


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
        rows, columns, counts, sizes = zipf_table(5_000, noise, seed=5)
        for weights in (counts, 2 * counts / sizes):
            cells = (rows, columns, weights)
            dense = np.zeros((int(rows.max()) + 1, int(columns.max()) + 1))
            dense[rows, columns] = weights
            expected = by_scipy(dense)
            assert value_of(cells, align(*cells)) == pytest.approx(expected, rel=1e-13)


class TestEdges:
    def test_no_cells(self):
        empty = np.zeros(0, dtype=np.int64)
        assert align(empty, empty, np.zeros(0)).tolist() == []

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
        most = 4 if solver == "permutations" else 9
        self.check(
            [generator.integers(0, 3, generator.integers(1, most, 2)) for _ in range(40)],
        )

    def test_with_long_chains(self, monkeypatch):
        # A chain of rising weights takes a round for every few cells, so these are not through.
        monkeypatch.setattr(alignment, "MAX_ROUNDS", 4)
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
        return reduce(rows, columns + height, weights, height + width).cells.size

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
            from corefine.matching.alignment import align
            generator = np.random.default_rng(0)
            tables = [generator.integers(0, 4, (side, side)) for side in (2, 3, 4, 5)]
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
        most = 5 if solver == "permutations" else 33
        for _ in range(20):
            counts = generator.integers(0, 4, generator.integers(1, most, 2))
            assert value(counts) == by_scipy(counts)
            expected = by_scipy(similarity(counts))
            assert value(similarity(counts)) == pytest.approx(expected, rel=1e-13)

    def test_component_too_large(self, monkeypatch):
        monkeypatch.setattr(alignment, "MAX_TABLE", 30 * 20 - 1)
        table = np.random.default_rng(0).random((30, 20))
        with pytest.raises(UsageError) as error:
            align(*cells_of(table))
        assert "30 key entities and 20 response entities" in str(error.value)

    @given(st.sets(st.tuples(st.integers(0, 25), st.integers(0, 25)), min_size=1, max_size=40))
    def test_components(self, cells):
        rows, columns = np.array(sorted(cells)).T
        components = connected_cells(rows, columns + 26)
        assert sorted(np.concatenate(components).tolist()) == list(range(len(rows)))
        nodes = [
            {*rows[members].tolist(), *(columns[members] + 26).tolist()} for members in components
        ]
        for number, (members, own) in enumerate(zip(components, nodes, strict=True)):
            assert all(own.isdisjoint(other) for other in nodes[:number])
            reached = {int(rows[members[0]])}
            for _ in members:
                for row, column in zip(rows[members], columns[members] + 26, strict=True):
                    if row in reached or column in reached:
                        reached |= {int(row), int(column)}
            assert reached == own
