from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau

from corefine.comparing.ranking import discordant_pairs, document_tau, system_tau, tau_matrix
from corefine.errors import UsageError
from tests.building.lea_table5 import SCORES, SYSTEMS
from tests.building.panels import random_panel

# The lower triangle, row by row, of τ between the columns of Table 5.
TABLE_5_TAU = {
    ("muc", "b3"): 0.846, ("muc", "ceafm"): 0.802, ("muc", "ceafe"): 0.802,
    ("muc", "blanc"): 0.824, ("muc", "conll"): 0.846, ("muc", "lea"): 0.890,
    ("b3", "ceafm"): 0.912, ("b3", "ceafe"): 0.868, ("b3", "blanc"): 0.934,
    ("b3", "conll"): 0.912, ("b3", "lea"): 0.912, ("ceafm", "ceafe"): 0.912,
    ("ceafm", "blanc"): 0.934, ("ceafm", "conll"): 0.956, ("ceafm", "lea"): 0.912,
    ("ceafe", "blanc"): 0.890, ("ceafe", "conll"): 0.956, ("ceafe", "lea"): 0.824,
    ("blanc", "conll"): 0.934, ("blanc", "lea"): 0.846, ("conll", "lea"): 0.868,
}  # fmt: skip


def kendall_tau(first, second):
    return tau_matrix(np.stack([first, second], axis=1))[0, 1]


def test_tau_of_table_5():
    names = list(SCORES)
    matrix = tau_matrix(np.array([SCORES[name] for name in names]).T)
    assert matrix.diagonal().tolist() == [1] * len(names)
    assert len(TABLE_5_TAU) == len(names) * (len(names) - 1) // 2
    for (first, second), expected in TABLE_5_TAU.items():
        i, j = names.index(first), names.index(second)
        assert round(matrix[i, j], 3) == expected
        assert matrix[j, i] == matrix[i, j]


def test_discordant_pairs_of_table_5():
    """Each discordant pair costs 2/91 of τ; xu is the system that LEA and the average dispute."""
    pairs = discordant_pairs(SCORES["conll"], SCORES["lea"])
    assert 1 - 2 * len(pairs) / 91 == pytest.approx(kendall_tau(SCORES["conll"], SCORES["lea"]))
    named = {(SYSTEMS[i], SYSTEMS[j]) for i, j in pairs}
    assert ("chen", "xu") in named
    assert ("chunyuang", "xu") in named
    for above, below in named:
        i, j = SYSTEMS.index(above), SYSTEMS.index(below)
        assert SCORES["conll"][i] > SCORES["conll"][j]
        assert SCORES["lea"][i] < SCORES["lea"][j]


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(-3, 3)), min_size=2, max_size=40))
def test_tau_with_ties_is_that_of_all_pairs(rows):
    x, y = (np.array(column, dtype=float) for column in zip(*rows, strict=True))
    i, j = np.triu_indices(len(x), 1)
    dx, dy = np.sign(x[i] - x[j]), np.sign(y[i] - y[j])
    if not dx.any() or not dy.any():
        assert np.isnan(kendall_tau(x, y))
    else:
        expected = (dx * dy).sum() / np.sqrt((dx**2).sum() * (dy**2).sum())
        assert kendall_tau(x, y) == pytest.approx(expected, abs=1e-12)
        assert kendall_tau(x, -y) == pytest.approx(-expected, abs=1e-12)


def test_equal_to_scipy():
    generator = np.random.default_rng(0)
    for size in (2, 3, 5, 17, 100, 3000):
        for levels in (2, 10, 10**9):
            x = generator.integers(0, levels, size)
            y = np.where(generator.random(size) < 0.5, x, generator.integers(0, levels, size))
            if len(set(x)) > 1 and len(set(y)) > 1:
                expected = kendalltau(x, y, variant="b").statistic
                assert kendall_tau(x, y) == pytest.approx(expected, abs=1e-12)


def test_full_agreement_is_exactly_one():
    for size in (2, 3, 7, 1000):
        column = np.arange(size)
        assert kendall_tau(column, column**2) == 1
        assert kendall_tau(column, -column) == -1


def test_tau_that_does_not_exist():
    assert np.isnan(kendall_tau([1, 1], [1, 2]))
    assert np.isnan(kendall_tau([1], [1]))
    assert np.isnan(kendall_tau([], []))
    assert np.isnan(kendall_tau([1, 2], [np.nan, 2]))
    assert np.isnan(tau_matrix([[1.0, 2.0], [1.0, 3.0]])).tolist() == [[True, True], [True, False]]
    with pytest.raises(UsageError):
        tau_matrix([1.0, 2.0])


def test_tau_over_systems_and_documents():
    panel = random_panel(3, systems=5, documents=8)
    scores, documents = panel.scores()[..., 2], panel.document_scores()[..., 2]
    assert system_tau(panel)[0, 1] == pytest.approx(kendall_tau(scores[:, 0], scores[:, 1]))
    over = document_tau(panel)
    assert over.shape == (5, 3, 3)
    assert over[4, 2, 0] == pytest.approx(kendall_tau(documents[4, :, 2], documents[4, :, 0]))
