from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtr

from corefine.errors import UsageError
from corefine.scoring.resampling import bootstrap, expanded_levels
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
    assert np.isnan(result.scores[:, 2, :2]).all()
    assert np.isfinite(result.scores[:, 2, 2]).all()
    assert np.isfinite(result.differences).all()


@pytest.mark.parametrize("documents", [3, 10, 60])
def test_the_interval_of_a_mean_is_nearly_that_of_student(documents):
    """Percentiles at Φ(∓√(D/(D−1))·t): for symmetric values mean ± t·s/√D, if D is not small."""
    stats = pytest.importorskip("scipy.stats")
    values = np.random.default_rng(0).normal(size=documents)
    result = bootstrap(panel_of_values(values), replicates=60_000)
    reach = stats.t.ppf(0.975, documents - 1) * values.std(ddof=1) / np.sqrt(documents)
    low, high = result.scores[0, 0, 2]
    if documents >= 10:
        assert (low, high) == pytest.approx((values.mean() - reach, values.mean() + reach), rel=0.2)
    else:
        assert (low, high) == pytest.approx((values.min(), values.max()))


def test_levels_of_many_documents_are_those_of_plain_percentiles():
    levels = expanded_levels(0.95, np.array([[1.0]]), np.array([10**6]))[0]
    assert levels == pytest.approx([0.025, 0.975], abs=1e-5)


def test_levels_of_a_suite_allow_for_its_smallest_data_set():
    """Equal variances of 3 and 41 documents: 2 · (1/2² · …) degrees of freedom by Satterthwaite."""
    wide = expanded_levels(0.95, np.array([[1.0, 1.0]]), np.array([3, 41]))[0]
    alone = expanded_levels(0.95, np.array([[0.0, 1.0]]), np.array([3, 41]))[0]
    assert wide[0] < alone[0] == expanded_levels(0.95, np.array([[1.0]]), np.array([41]))[0, 0]


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
    assert result.differences.tolist() == [[[0, 0]]]


def test_equal_documents_give_a_point():
    result = bootstrap(panel_of([FIRST[0]] * 4), replicates=100)
    f = 16 / 21
    assert result.scores[0, 0, 2] == pytest.approx([f, f])


def test_swapping_the_systems_mirrors_the_interval():
    panel = by_hand()
    there = bootstrap(panel, replicates=500)
    back = bootstrap(panel, replicates=500, pairs=np.array([[1, 0]]))
    assert np.array_equal(there.p_values, back.p_values)
    np.testing.assert_allclose(there.differences, -back.differences[..., ::-1])


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6))
def test_wider_confidence_gives_wider_intervals(seed):
    panel = random_panel(seed)
    narrow = bootstrap(panel, replicates=300, confidence=0.8).scores
    wide = bootstrap(panel, replicates=300, confidence=0.99).scores
    inner, outer = narrow[:, :2], wide[:, :2]
    assert (outer[..., 0] <= inner[..., 0]).all()
    assert (inner[..., 1] <= outer[..., 1]).all()
    assert (outer >= 0).all()
    assert (outer <= 1).all()


@pytest.mark.parametrize("block", [1, 7, 1000])
def test_the_block_does_not_matter(block):
    panel = random_panel(3, documents=23)
    whole = bootstrap(panel, replicates=100, seed=4)
    cut = bootstrap(panel, replicates=100, seed=4, block=block)
    np.testing.assert_allclose(whole.scores, cut.scores, equal_nan=True)
    np.testing.assert_allclose(whole.differences, cut.differences, equal_nan=True)
    assert np.array_equal(whole.p_values, cut.p_values, equal_nan=True)
    other = bootstrap(panel, replicates=100, seed=5)
    assert not np.allclose(whole.scores, other.scores, equal_nan=True)


def test_many_pairs_are_cut_into_the_same_rows():
    """More pairs than are sorted together give what each pair gives alone."""
    measure = simulated(np.random.default_rng(0), np.linspace(0, 0.4, 13), 20)
    panel = panel_from("abcdefghijklm", measure)
    together = bootstrap(panel, replicates=200)
    assert len(together.pairs) == 78
    for row in (0, 63, 64, 77):
        alone = bootstrap(panel, replicates=200, pairs=together.pairs[[row]])
        assert np.array_equal(alone.differences[0], together.differences[row])
        assert np.array_equal(alone.p_values[0], together.p_values[row])


@pytest.mark.parametrize("documents", [0, 1])
def test_too_few_documents_have_no_interval(documents):
    result = bootstrap(panel_of(np.array(FIRST)[:documents], np.array(SECOND)[:documents]))
    assert np.isnan(result.scores).all()
    assert np.isnan(result.differences).all()
    assert np.isnan(result.p_values).all()


def test_one_system_has_intervals_and_no_pair():
    result = bootstrap(panel_of(FIRST), replicates=100)
    assert np.isfinite(result.scores).all()
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
    assert result.scores[0].tolist() == [[[0, 0]] * 3]


def test_more_replicates_than_memory_holds():
    with pytest.raises(UsageError, match="480 GB"):
        bootstrap(panel_of_values([1, 2], [2, 1]), replicates=10**10)
