from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corefine.comparing.plan import CORRECTIONS, Plan, adjust
from corefine.comparing.power import (
    detectable_effect,
    differing_documents,
    effects,
    power_of_test,
    warnings_on_reach,
)
from corefine.comparing.randomization import randomization_test
from corefine.comparing.systems import _detectable
from tests.building.panels import (
    FIRST,
    SECOND,
    by_hand,
    panel_of,
    panel_of_values,
    random_panel,
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


def test_no_spread():
    same = effects(panel_of(FIRST, FIRST), np.array([[0, 1]]))
    assert same.effect_size.tolist() == [[0]]
    assert same.standard_error == pytest.approx(np.zeros((1, 1)), abs=1e-15)
    repeated = effects(panel_of([FIRST[0]] * 5, [SECOND[0]] * 5), np.array([[0, 1]]))
    assert np.isnan(repeated.effect_size).all()
    single = effects(panel_of(FIRST[:1], SECOND[:1]), np.array([[0, 1]]))
    assert np.isnan(single.effect_size).all()
    assert single.difference[0, 0] == pytest.approx(16 / 21 - 12 / 20)


def test_differing_documents():
    counts = differing_documents(by_hand(), by_hand().pairs())
    assert counts.tolist() == [[6]]
    changed = [FIRST[0], *SECOND[1:]]
    assert differing_documents(panel_of(changed, SECOND), np.array([[0, 1]])).tolist() == [[1]]
    panel = random_panel(0)
    counts = differing_documents(panel, panel.pairs())
    assert counts.shape == (6, 3)
    assert (counts[:, 2] >= counts[:, :2].max(axis=1)).all()


@pytest.mark.parametrize("documents", [0, 1, 2, 5, 7])
def test_the_smallest_possible_p_is_that_of_two_assignments(documents):
    """A system that is right everywhere against one that never is."""
    right, wrong = np.tile([4.0, 0, 0], (documents, 1)), np.tile([0, 4.0, 4.0], (documents, 1))
    result = randomization_test(panel_of(right, wrong))
    assert result.p_values[0, 0] == min(1, 2 / 2**documents)


def reach(documents, comparisons, fewest_differing=None, **plan):
    return warnings_on_reach(documents, comparisons, Plan(**plan), fewest_differing)


@pytest.mark.parametrize(
    ("documents", "comparisons", "plan"),
    [(348, 280, {}), (6, 1, {}), (99, 111, {"trials": 22190}), (6, 3, {"correction": "none"})],
)
def test_no_warning_where_significance_is_possible(documents, comparisons, plan):
    assert reach(documents, comparisons, **plan) == []


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"documents": 5, "comparisons": 1}, "with 5, the smallest possible p is 0.0625"),
        ({"documents": 0, "comparisons": 1}, "with 0, the smallest possible p is 1"),
        ({"documents": 6, "comparisons": 3}, r"above the level 0.0167 \(= 0.05/3\)"),
        ({"documents": 99, "comparisons": 111, "trials": 2000}, "Use at least 22190"),
        ({"documents": 99, "comparisons": 111, "trials": 3000}, "just below the level"),
        (
            {"documents": 99, "comparisons": 1, "fewest_differing": 5},
            "differ on only 5 of 99 documents",
        ),
    ],
)
def test_warnings_name_the_number_that_is_too_small(given, message):
    found = reach(**given)
    assert len(found) == 1
    assert re.search(message, found[0])


@given(
    p=st.lists(st.sampled_from([2 / 2**6, 4 / 2**6, 0.3, 1.0]), min_size=1, max_size=9),
    correction=st.sampled_from(CORRECTIONS),
)
def test_what_cannot_be_significant_never_is(p, correction):
    """Six documents: no p is below 2/64; all corrections are judged by what they adjust to."""
    found = reach(6, len(p), correction=correction)
    impossible = any("No difference can be significant" in one for one in found)
    assert impossible == (min(adjust([2 / 2**6] * len(p), correction)) > 0.05)
    significant = int((adjust(p, correction) <= 0.05).sum())
    assert not (impossible and significant)
    for one in found:
        if least := re.search(r"either none or at least (\d+)", one):
            assert not 0 < significant < int(least[1])


@pytest.mark.parametrize(("freedom", "alpha"), [(19, 0.05), (60, 0.01), (300, 0.05 / 80)])
def test_a_detectable_effect_has_the_stated_power(freedom, alpha):
    freedom = np.array(float(freedom))
    effect = detectable_effect(freedom, alpha)
    assert power_of_test(effect, freedom, alpha) == pytest.approx(0.8)


@pytest.mark.parametrize(("alpha", "possible"), [(2 / 64, True), (2 / 65, False)])
def test_a_difference_is_detectable_if_a_p_value_can_reach_the_level(alpha, possible):
    found = effects(by_hand(), by_hand().pairs())
    detectable = _detectable(found, Plan(alpha=alpha), comparisons=1, documents=6)
    assert np.isfinite(detectable).all() == possible
