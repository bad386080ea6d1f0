"""Alignments against brute force and SciPy, ties, and independence of documents."""

from __future__ import annotations

from itertools import permutations
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import linear_sum_assignment

from corefine.metrics import ceaf
from corefine.metrics.ceaf import align, reduce
from tests.building.refusals import refused

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


def only(monkeypatch, solver):
    """Leave everything to one solver, without any reduction before it."""
    monkeypatch.setattr(ceaf, "MAX_ROUNDS", 0)
    if solver == "scipy":
        monkeypatch.setattr(ceaf, "MAX_ASSIGNMENTS", 0)


def whole_weights(most):
    return st.integers(0, most).map(float)


def tables(largest, elements):
    sides = st.integers(1, largest)
    return st.tuples(sides, sides).flatmap(
        lambda shape: arrays(np.float64, shape, elements=elements)
    )


WEIGHTS = {"ties": whole_weights(2), "counts": whole_weights(9), "any": st.floats(0, 1e6)}


@pytest.mark.parametrize("weights", WEIGHTS)
@given(data=st.data())
def test_alignments_are_optimal(weights, data):
    table = data.draw(tables(5, WEIGHTS[weights]))
    for one in (table, similarity(table), similarity(table).T):
        assert value(one) == pytest.approx(by_brute_force(one), rel=1e-14, abs=0)
    assert value(table, zeros=True) == pytest.approx(value(table), rel=1e-14)
    repeated = np.repeat(np.tile(table, (1, 2)), 2, axis=0)
    assert value(repeated) == pytest.approx(by_scipy(repeated), rel=1e-14)


@pytest.mark.parametrize(
    ("rows", "columns", "weights", "expected"),
    [
        ([], [], [], []),
        ([7], [3], [0.5], [True]),
        ([0, 1], [0, 0], [0, 0], [False, False]),
        # The first of equals.
        ([0, 0, 0], [0, 1, 2], [1, 1, 1], [True, False, False]),
        ([0, 1, 2], [0, 0, 0], [1, 1, 1], [True, False, False]),
        # Numbers far apart.
        ([3, 3, 19_999_999], [5, 18_000_000, 5], [3, 2, 2], [False, True, True]),
        # 1/2 + (1/2 + 2⁻⁵³) is rounded to 1, but it is more than 1.
        ([0, 0, 1], [0, 1, 0], [1, 0.5, 0.5 + 2**-53], [False, True, True]),
    ],
)
def test_alignments_by_hand(rows, columns, weights, expected):
    cells = np.array(rows, np.int64), np.array(columns, np.int64), np.array(weights, float)
    for part in cells:
        part.flags.writeable = False  # the table is left as it was
    assert align(*cells).tolist() == expected


def check_company(documents):
    """A document's alignment is the same in any company."""
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
def test_documents_are_independent(documents):
    check_company(documents)
    check_company([similarity(table) for table in documents])


@pytest.mark.parametrize("solver", SOLVERS)
def test_solvers_without_reduction(monkeypatch, solver):
    only(monkeypatch, solver)
    generator = np.random.default_rng(3)
    most = 5 if solver == "permutations" else 33
    for _ in range(40):
        counts = generator.integers(0, 4, generator.integers(1, most, 2))
        assert value(counts) == by_scipy(counts)
        expected = by_scipy(similarity(counts))
        assert value(similarity(counts)) == pytest.approx(expected, rel=1e-13)
    check_company([generator.integers(0, 3, generator.integers(1, 4, 2)) for _ in range(40)])


def test_long_chains_are_left_to_the_solvers(monkeypatch):
    """A chain of rising weights takes a round for every few cells."""
    monkeypatch.setattr(ceaf, "MAX_ROUNDS", 4)
    chains = []
    for length in (3, 15, 60):
        chain = np.zeros((length, length))
        chain[np.arange(length), np.arange(length)] = np.arange(length) * 2 + 1
        chain[np.arange(length - 1), np.arange(1, length)] = np.arange(length - 1) * 2 + 2
        assert value(chain) == by_scipy(chain)
        chains.append(chain)
    check_company(chains)


def left_by(rows, columns, weights):
    height, width = int(rows.max()) + 1, int(columns.max()) + 1
    return reduce(rows, columns + height, weights, height + width).cells.size


@pytest.mark.parametrize("nodes", range(2, 32))
def test_trees_dissolve(nodes):
    # Each new node hangs from an earlier one of the other side; even numbers are rows.
    random, edges = Random(nodes), {}
    for node in range(1, nodes):
        other_side = [earlier for earlier in range(node) if (earlier + node) % 2]
        ends = sorted((node, random.choice(other_side)), key=lambda number: number % 2)
        edges[ends[0], ends[1]] = random.randint(1, 9)
    cells = np.array(sorted(edges))
    weights = np.array([edges[row, column] for row, column in cells.tolist()], dtype=np.float64)
    assert left_by(cells[:, 0], cells[:, 1], weights) == 0


def test_reduction_leaves_cycles():
    assert left_by(*cells_of(np.array([[3.0, 2.0], [2.0, 2.0]]))) == 4


def test_a_component_that_is_too_large(monkeypatch):
    monkeypatch.setattr(ceaf, "MAX_TABLE", 30 * 20 - 1)
    with refused("usage"):
        align(*cells_of(np.random.default_rng(0).random((30, 20))))
