from __future__ import annotations

import re
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corefine.comparing.multiple_testing import CORRECTIONS, adjust
from corefine.comparing.power import (
    cautions,
    differing_documents,
    documents_needed,
    effects,
    smallest_detectable,
)
from corefine.comparing.randomization import number_of_deals, randomization_test
from corefine.errors import UsageError
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


def test_effect_size_of_a_mean_is_cohens():
    """For a mean the pseudo-values are the documents' own differences."""
    generator = np.random.default_rng(0)
    values = generator.random((2, 30))
    d = values[0] - values[1]
    found = effects(panel_of_values(*values), np.array([[0, 1]]))
    assert found.difference[0, 0] == pytest.approx(d.mean())
    assert found.standard_error[0, 0] == pytest.approx(d.std(ddof=1) / np.sqrt(30))
    assert found.effect_size[0, 0] == pytest.approx(d.mean() / d.std(ddof=1))


@given(st.integers(0, 10**6))
def test_effect_changes_sign_with_the_systems(seed):
    panel = random_panel(seed, systems=2)
    there, back = effects(panel, panel.pairs()), effects(panel, np.array([[1, 0]]))
    np.testing.assert_allclose(there.effect_size, -back.effect_size)
    np.testing.assert_allclose(there.standard_error, back.standard_error)


def test_effect_size_does_not_grow_with_the_corpus():
    generator = np.random.default_rng(1)
    sizes = {}
    for documents in (2_000, 20_000):
        measure = simulated(generator, [0.6, 0.5], documents)
        sizes[documents] = effects(panel_from("ab", measure), np.array([[0, 1]]))
    assert sizes[2_000].effect_size == pytest.approx(sizes[20_000].effect_size, abs=0.08)
    ratio = sizes[2_000].standard_error / sizes[20_000].standard_error
    assert ratio == pytest.approx(np.full((1, 1), np.sqrt(10)), rel=0.2)


def test_no_spread():
    same = effects(panel_of(FIRST, FIRST), np.array([[0, 1]]))
    assert same.effect_size.tolist() == [[0]]
    assert same.standard_error == pytest.approx(np.zeros((1, 1)), abs=1e-15)
    repeated = effects(panel_of([FIRST[0]] * 5, [SECOND[0]] * 5), np.array([[0, 1]]))
    assert np.isnan(repeated.effect_size).all()
    single = effects(panel_of(FIRST[:1], SECOND[:1]), np.array([[0, 1]]))
    assert np.isnan(single.effect_size).all()
    assert single.difference[0, 0] == pytest.approx(16 / 21 - 12 / 20)


def test_smallest_detectable_difference():
    assert smallest_detectable(np.array(1.0)) == pytest.approx(1.959964 + 0.841621, abs=1e-6)
    stricter = smallest_detectable(np.array([0.01, 0.02]), alpha=0.05 / 28)
    assert stricter[1] == pytest.approx(2 * stricter[0])
    assert stricter[0] > smallest_detectable(np.array(0.01))
    with pytest.raises(UsageError):
        smallest_detectable(np.array(1.0), power=1.0)


def test_documents_needed():
    # The usual table of a paired test: 32 pairs for d = 0.5 at 80%, by the normal approximation.
    assert documents_needed(np.array(0.5)) == 32
    assert documents_needed(np.array(-0.5)) == 32
    assert np.isinf(documents_needed(np.array(0.0)))


def test_detectable_difference_is_detected_so_often():
    """Power of a z test at the smallest detectable difference, from its definition."""
    normal = NormalDist()
    for alpha, power in ((0.05, 0.8), (0.001, 0.9)):
        difference = float(smallest_detectable(np.array(1.0), alpha=alpha, power=power))
        assert 1 - normal.cdf(normal.inv_cdf(1 - alpha / 2) - difference) == pytest.approx(power)


def test_differing_documents():
    counts = differing_documents(by_hand(), by_hand().pairs())
    assert counts.tolist() == [[6]]
    changed = [FIRST[0], *SECOND[1:]]
    assert differing_documents(panel_of(changed, SECOND), np.array([[0, 1]])).tolist() == [[1]]
    panel = random_panel(0)
    counts = differing_documents(panel, panel.pairs())
    assert counts.shape == (6, 3)
    assert (counts[:, 2] >= counts[:, :2].max(axis=1)).all()


@pytest.mark.parametrize("scheme", ["paired", "pooled"])
@pytest.mark.parametrize("documents", [0, 1, 2, 5, 7])
def test_the_smallest_possible_p_is_that_of_two_deals(scheme, documents):
    """A system that is right everywhere against one that never is."""
    right, wrong = np.tile([4.0, 0, 0], (documents, 1)), np.tile([0, 4.0, 4.0], (documents, 1))
    result = randomization_test(panel_of(right, wrong), scheme=scheme)
    assert result.p_values[0, 0] == min(1, 2 / number_of_deals(documents, scheme))


def test_no_caution_where_all_is_well():
    assert cautions(documents=348, comparisons=280, alpha=0.05) == []
    assert cautions(documents=6, comparisons=1, alpha=0.05) == []


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"documents": 5, "comparisons": 1}, "with 5, the smallest possible p is 0.0625"),
        ({"documents": 0, "comparisons": 1}, "with 0, the smallest possible p is 1"),
        ({"documents": 6, "comparisons": 3}, r"above the level 0.0167 \(= 0.05/3\)"),
        ({"documents": 99, "comparisons": 111, "trials": 2000}, "Use at least 2219"),
        ({"documents": 99, "comparisons": 111, "trials": 3000}, "only if no permutation"),
        (
            {"documents": 99, "comparisons": 1, "fewest_differing": 5},
            "differ on only 5 of 99 documents",
        ),
    ],
)
def test_cautions(given, message):
    found = cautions(alpha=0.05, **given)
    assert len(found) == 1
    assert re.search(message, found[0])


def test_caution_is_lifted_by_what_it_asks_for():
    assert (
        "Too few permutations: with"
        in cautions(documents=99, comparisons=111, alpha=0.05, trials=2218)[0]
    )
    enough = cautions(documents=99, comparisons=111, alpha=0.05, trials=2219)
    assert not any("Too few permutations: with" in caution for caution in enough)
    assert cautions(documents=6, comparisons=3, alpha=0.05, correction="none") == []
    with pytest.raises(UsageError):
        cautions(documents=9, comparisons=1, alpha=5)


@given(
    p=st.lists(st.sampled_from([2 / 2**6, 4 / 2**6, 0.3, 1.0]), min_size=1, max_size=9),
    correction=st.sampled_from(CORRECTIONS),
)
def test_what_cannot_be_significant_never_is(p, correction):
    """Six documents: no p is below 2/64; all corrections are judged by what they adjust to."""
    found = cautions(documents=6, comparisons=len(p), alpha=0.05, correction=correction)
    impossible = any("No difference can be significant" in one for one in found)
    assert impossible == (min(adjust([2 / 2**6] * len(p), correction)) > 0.05)
    significant = int((adjust(p, correction) <= 0.05).sum())
    assert not (impossible and significant)
    for one in found:
        if least := re.search(r"either none or at least (\d+)", one):
            assert not 0 < significant < int(least[1])


def test_many_equal_differences_are_significant_together():
    """Under Benjamini–Hochberg the largest of m equal p is judged at α, not at α/m."""
    (caution,) = cautions(documents=6, comparisons=4, alpha=0.05, correction="bh")
    assert caution == (
        "The smallest possible p is 0.0312: of 4 comparisons, either none or at least 3 are "
        "significant."
    )
    assert (
        "Too few documents" in cautions(documents=5, comparisons=4, alpha=0.05, correction="bh")[0]
    )
