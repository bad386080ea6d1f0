from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata

from corefine.comparing.ranking import (
    groups,
    letters,
    significance_matrix,
    significance_ranks,
)
from tests.building.lea_table5 import LEA_RANKS, SCORES


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


@given(st.lists(st.integers(0, 6), max_size=12))
def test_ranks_where_all_unequal_scores_differ(levels):
    """Systems are alike exactly if they are of one level: then ranks are "1, 1, 3"."""
    scores = np.array(levels, dtype=float)
    significant = scores[:, np.newaxis] != scores
    expected = rankdata(-scores, method="min").tolist()
    assert significance_ranks(scores, significant).tolist() == expected


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


@given(st.integers(2, 12), st.integers(0, 4))
def test_a_band_of_systems_gives_consecutive_groups(size, width):
    """Systems that do not differ from their nearest neighbours: one group for each stretch."""
    place = np.arange(size)
    significant = np.abs(place[:, np.newaxis] - place) > width
    expected = [list(range(i, min(i + width, size - 1) + 1)) for i in range(max(1, size - width))]
    assert groups(-place.astype(float), significant) == expected


def test_many_groups_stay_few_and_unambiguous():
    """Disjoint significant pairs have 2^30 largest groups; a cover needs few of them."""
    size = 60
    significant = np.zeros((size, size), dtype=bool)
    even = np.arange(0, size, 2)
    significant[even, even + 1] = significant[even + 1, even] = True
    assert len(groups(np.arange(size, dtype=float), significant)) < 100
    alone = ~np.eye(120, dtype=bool)
    assert len(set(letters(np.arange(120, dtype=float), alone))) == 120


def test_significance_matrix():
    pairs = np.array([[0, 1], [0, 2], [1, 2]])
    matrix = significance_matrix(pairs, np.array([0.05, 0.2, np.nan]), 3, 0.05)
    assert matrix.tolist() == [[False, True, False], [True, False, False], [False, False, False]]
