"""Mean ranks over documents, Friedman's test and Nemenyi's critical difference."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import friedmanchisquare, rankdata

from corefine.comparing.meanranks import critical_difference, mean_ranks
from corefine.errors import UsageError

# Table 5(a) of Demšar 2006: q at α = .05 for two to ten classifiers.
QUANTILES = [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164]


@pytest.mark.parametrize(("systems", "quantile"), list(enumerate(QUANTILES, 2)))
def test_critical_differences_of_the_literature(systems, quantile):
    expected = quantile * np.sqrt(systems * (systems + 1) / (6 * 24))
    assert critical_difference(systems, 24) == pytest.approx(expected, abs=1e-3)


def test_by_hand():
    """Three documents: ranks 1 2 3, 1 3 2 and 1.5 1.5 3."""
    scores = np.array([[0.9, 0.8, 0.5], [0.7, 0.1, 0.5], [0.2, 0.4, 0.3]])
    result = mean_ranks(scores)
    assert result.ranks.tolist() == pytest.approx([3.5 / 3, 6.5 / 3, 8 / 3])
    assert result.groups == ((0, 1, 2),)


@given(
    arrays(np.int64, st.tuples(st.integers(3, 6), st.integers(2, 9)), elements=st.integers(0, 4))
)
def test_against_scipy(values):
    scores = values / 4
    result = mean_ranks(scores)
    expected = np.array([rankdata(-column) for column in scores.T]).mean(axis=0)
    assert result.ranks == pytest.approx(expected)
    if np.ptp(scores, axis=0).any():
        assert result.p_value == pytest.approx(friedmanchisquare(*scores).pvalue)
    else:
        assert np.isnan(result.p_value)


@given(
    arrays(np.float64, st.tuples(st.integers(2, 7), st.integers(1, 40)), elements=st.floats(0, 1))
)
def test_groups_hold_what_does_not_differ(scores):
    result = mean_ranks(scores)
    together = {
        frozenset((one, other)) for group in result.groups for one in group for other in group
    }
    for one in range(len(scores)):
        for other in range(one):
            near = abs(result.ranks[one] - result.ranks[other]) < result.critical_difference
            assert (frozenset((one, other)) in together) == near
    assert {system for group in result.groups for system in group} == set(range(len(scores)))


def test_too_little():
    with pytest.raises(UsageError, match="at least two systems"):
        mean_ranks(np.zeros((1, 5)))
