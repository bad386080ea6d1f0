from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corefine.comparing.ranking import (
    groups,
    letters,
    significance_ranks,
    tau_matrix,
)
from corefine.explaining.papers.evaluation import Paper
from tests.building.refusals import refused

TABLES = Paper("moosavi-strube").tables
SYSTEMS = list(TABLES["TABLE_5"])
SCORES = {
    metric: [row[metric] for row in TABLES["TABLE_5"].values()]
    for metric in TABLES["TABLE_5"]["fernandes"]
}
LEA_RANKS = [int(row["lea"]) for row in TABLES["RANKS"].values()]


@st.composite
def contests(draw):
    """Scores with ties, and any symmetric significance."""
    size = draw(st.integers(0, 9))
    scores = draw(st.lists(st.integers(0, 12), min_size=size, max_size=size))
    upper = draw(st.lists(st.booleans(), min_size=size * size, max_size=size * size))
    significant = np.triu(np.array(upper, dtype=bool).reshape(size, size), 1)
    return np.array(scores, dtype=float), significant | significant.T


def test_last_column_of_table_5():
    """Scores, and significance as printed (none within a rank), give the ranks as printed."""
    rank = np.array(LEA_RANKS)
    significant = rank[:, np.newaxis] != rank
    assert significance_ranks(np.array(SCORES["lea"]), significant).tolist() == LEA_RANKS


def test_no_difference_is_not_transitive():
    # a = b, b = c, a > c; and d below all.
    significant = np.ones((4, 4), dtype=bool)
    significant[np.diag_indices(4)] = False
    significant[[0, 1, 1, 2], [1, 0, 2, 1]] = False
    scores = np.array([0.9, 0.8, 0.7, 0.1])
    assert significance_ranks(scores, significant).tolist() == [1, 1, 2, 4]
    assert letters(scores, significant) == ["a", "ab", "b", "c"]
    assert groups(scores, significant) == [[0, 1], [1, 2], [3]]


@given(contests())
def test_a_worse_rank_rests_on_a_significant_difference(contest):
    scores, significant = contest
    ranks = significance_ranks(scores, significant)
    for system, rank in enumerate(ranks):
        better = (scores > scores[system]) & significant[system]
        assert (rank > 1) == better.any()


@given(contests())
def test_systems_share_a_letter_iff_they_do_not_differ(contest):
    scores, significant = contest
    marks = letters(scores, significant)
    assert all(marks)
    for i in range(len(scores)):
        for j in range(i):
            assert bool(set(marks[i]) & set(marks[j])) == (not significant[i, j])


@given(contests())
def test_no_group_is_superfluous_or_can_grow(contest):
    scores, significant = contest
    found = groups(scores, significant)
    for group in found:
        outside = [s for s in range(len(scores)) if s not in group]
        assert all(significant[s][group].any() for s in outside)
        others = [set(other) for other in found if other is not group]
        pairs = [{i, j} for i in group for j in group]
        assert not all(any(pair <= other for other in others) for pair in pairs)


def test_many_groups_stay_few_and_unambiguous():
    """Disjoint significant pairs have 2^30 largest groups; a cover needs few of them."""
    size = 60
    significant = np.zeros((size, size), dtype=bool)
    even = np.arange(0, size, 2)
    significant[even, even + 1] = significant[even + 1, even] = True
    assert len(groups(np.arange(size, dtype=float), significant)) < 100
    alone = ~np.eye(120, dtype=bool)
    assert len(set(letters(np.arange(120, dtype=float), alone))) == 120


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


def test_tau_that_does_not_exist():
    assert np.isnan(kendall_tau([1, 1], [1, 2]))
    assert np.isnan(kendall_tau([1], [1]))
    assert np.isnan(kendall_tau([], []))
    assert np.isnan(kendall_tau([1, 2], [np.nan, 2]))
    assert np.isnan(tau_matrix([[1.0, 2.0], [1.0, 3.0]])).tolist() == [[True, True], [True, False]]
    with refused("usage"):
        tau_matrix([1.0, 2.0])
