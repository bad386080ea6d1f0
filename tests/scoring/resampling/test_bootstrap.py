from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtr, ndtri

from corefine.errors import UsageError
from corefine.scoring.resampling.bootstrap import bca_levels, bootstrap
from tests.building.panels import (
    FIRST,
    SECOND,
    by_hand,
    panel_from,
    panel_of,
    panel_of_values,
    random_panel,
    simulated,
)


def test_averages_have_no_interval_of_precision():
    result = bootstrap(random_panel(0), replicates=50)
    assert np.isnan(result.scores.percentile[:, 2, :2]).all()
    assert np.isfinite(result.scores.bca[:, 2, 2]).all()
    assert np.isfinite(result.differences.bca).all()


def test_intervals_are_those_of_scipy():
    """Percentile and BCa intervals of paired means, up to the randomness of the replicates."""
    stats = pytest.importorskip("scipy.stats")
    generator = np.random.default_rng(0)
    values = generator.gamma(0.5, 1.0, (2, 60))  # skewed, so that BCa differs
    result = bootstrap(panel_of_values(*values), replicates=40_000)
    for theirs, ours in (("percentile", "percentile"), ("BCa", "bca")):
        for system in range(2):
            expected = stats.bootstrap(
                (values[system],), np.mean, n_resamples=40_000, method=theirs, rng=1
            )
            interval = getattr(result.scores, ours)[system, 0, 2]
            assert interval == pytest.approx(tuple(expected.confidence_interval), abs=0.01)
        expected = stats.bootstrap(
            tuple(values),
            lambda a, b, axis: a.mean(axis) - b.mean(axis),
            n_resamples=40_000,
            method=theirs,
            paired=True,
            vectorized=True,
            rng=1,
        )
        interval = getattr(result.differences, ours)[0, 0]
        assert interval == pytest.approx(tuple(expected.confidence_interval), abs=0.015)


def test_levels_of_bca_by_hand():
    """Without bias and acceleration the levels stay; a bias z₀ moves both by 2z₀."""
    levels = np.array([0.025, 0.975])
    flat = np.zeros((1, 5))
    symmetric = np.array([[-2.0, -1.0, 1.0, 2.0]])
    assert bca_levels(np.zeros(1), symmetric, flat, levels, 1e-12)[0] == pytest.approx(levels)
    quarter = np.array([[-1.0, 1.0, 2.0, 3.0]])  # a quarter lies below the estimate
    shift = 2 * ndtri(np.array([0.25]))
    expected = ndtr(shift + ndtri(levels))
    assert bca_levels(np.zeros(1), quarter, flat, levels, 1e-12)[0] == pytest.approx(expected)


def test_acceleration_by_hand():
    jackknife = np.array([[0.0, 0.0, 3.0]])  # u = (1, 1, −2): Σu³ = −6, Σu² = 6
    acceleration = -6 / (6 * 6**1.5)
    z = ndtri(np.array([0.9]))
    expected = ndtr(z / (1 - acceleration * z))
    symmetric = np.array([[-1.0, 1.0]])
    levels = bca_levels(np.zeros(1), symmetric, jackknife, np.array([0.9]), 1e-12)
    assert levels[0] == pytest.approx(expected)


def test_p_of_the_difference_of_means():
    """The shifted bootstrap of a mean is near the z test."""
    generator = np.random.default_rng(2)
    first = generator.normal(0.5, 0.1, 200)
    second = first + generator.normal(0.01, 0.08, 200)
    result = bootstrap(panel_of_values(first, second), replicates=20_000)
    d = first - second
    z = abs(d.mean()) / (d.std() / np.sqrt(200))
    expected = 2 * ndtr(np.array([-z]))[0]
    assert result.p_values[0, 0] == pytest.approx(expected, abs=0.015)


def test_equal_systems_do_not_differ():
    result = bootstrap(panel_of(FIRST, FIRST), replicates=100)
    assert result.p_values.tolist() == [[1]]
    assert result.differences.percentile.tolist() == [[[0, 0]]]
    assert result.differences.bca.tolist() == [[[0, 0]]]


def test_equal_documents_give_a_point():
    result = bootstrap(panel_of([FIRST[0]] * 4), replicates=100)
    f = 16 / 21
    assert result.scores.percentile[0, 0, 2] == pytest.approx([f, f])
    assert result.scores.bca[0, 0, 2] == pytest.approx([f, f])


def test_swapping_the_systems_mirrors_the_interval():
    panel = by_hand()
    there = bootstrap(panel, replicates=500)
    back = bootstrap(panel, replicates=500, pairs=np.array([[1, 0]]))
    assert np.array_equal(there.p_values, back.p_values)
    for name in ("percentile", "bca"):
        np.testing.assert_allclose(
            getattr(there.differences, name), -getattr(back.differences, name)[..., ::-1]
        )


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6))
def test_wider_confidence_gives_wider_intervals(seed):
    panel = random_panel(seed)
    narrow = bootstrap(panel, replicates=300, confidence=0.8).scores
    wide = bootstrap(panel, replicates=300, confidence=0.99).scores
    for name in ("percentile", "bca"):
        inner, outer = getattr(narrow, name)[:, :2], getattr(wide, name)[:, :2]
        assert (outer[..., 0] <= inner[..., 0]).all()
        assert (inner[..., 1] <= outer[..., 1]).all()
        assert (outer >= 0).all()
        assert (outer <= 1).all()


@pytest.mark.parametrize("block", [1, 7, 1000])
def test_the_block_does_not_matter(block):
    panel = random_panel(3, documents=23)
    whole = bootstrap(panel, replicates=100, seed=4)
    cut = bootstrap(panel, replicates=100, seed=4, block=block)
    np.testing.assert_allclose(whole.scores.bca, cut.scores.bca, equal_nan=True)
    np.testing.assert_allclose(
        whole.differences.percentile, cut.differences.percentile, equal_nan=True
    )
    assert np.array_equal(whole.p_values, cut.p_values, equal_nan=True)
    other = bootstrap(panel, replicates=100, seed=5)
    assert not np.allclose(whole.scores.bca, other.scores.bca, equal_nan=True)


def test_many_pairs_are_cut_into_the_same_rows():
    """More pairs than are sorted together give what each pair gives alone."""
    measure = simulated(np.random.default_rng(0), np.linspace(0, 0.4, 13), 20)
    panel = panel_from("abcdefghijklm", measure)
    together = bootstrap(panel, replicates=200)
    assert len(together.pairs) == 78
    for row in (0, 63, 64, 77):
        alone = bootstrap(panel, replicates=200, pairs=together.pairs[[row]])
        assert np.array_equal(alone.differences.bca[0], together.differences.bca[row])
        assert np.array_equal(alone.p_values[0], together.p_values[row])


@pytest.mark.parametrize("documents", [0, 1])
def test_too_few_documents_have_no_interval(documents):
    result = bootstrap(panel_of(np.array(FIRST)[:documents], np.array(SECOND)[:documents]))
    assert np.isnan(result.scores.bca).all()
    assert np.isnan(result.differences.percentile).all()
    assert np.isnan(result.p_values).all()


def test_one_system_has_intervals_and_no_pair():
    result = bootstrap(panel_of(FIRST), replicates=100)
    assert np.isfinite(result.scores.bca).all()
    assert result.p_values.shape == (0, 1)


@pytest.mark.parametrize(
    "wrong", [{"replicates": 0}, {"confidence": 0.0}, {"confidence": 95}, {"confidence": 1.0}]
)
def test_wrong_arguments(wrong):
    with pytest.raises(UsageError):
        bootstrap(by_hand(), **wrong)


def test_zero_scores_stay_zero():
    """A system that never hits has F = 0 in every replicate, and no interval around it."""
    nothing = [[0, wrong, missed] for _, wrong, missed in FIRST]
    result = bootstrap(panel_of(nothing, FIRST), replicates=100)
    assert result.scores.bca[0].tolist() == [[[0, 0]] * 3]


def test_more_replicates_than_memory_holds():
    with pytest.raises(
        UsageError, match=r"10,000,000,000 bootstrap samples of 2 systems and 1 metrics need 480"
    ):
        bootstrap(panel_of_values([1, 2], [2, 1]), replicates=10**10)
