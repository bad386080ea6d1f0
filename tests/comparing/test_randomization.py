from __future__ import annotations

from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corefine.comparing import randomization
from corefine.comparing.randomization import randomization_test
from tests.building.panels import FIRST, SECOND, by_hand, fractions, panel_of, random_panel


def f_of(documents):
    hit, wrong, missed = (sum(document[i] for document in documents) for i in range(3))
    return 2 * hit / (2 * hit + wrong + missed)


def brute_force(scheme):
    """Every deal in plain Python: the number as large as the observed one, and of all."""
    observed = abs(f_of(FIRST) - f_of(SECOND))
    pool, count = FIRST + SECOND, len(FIRST)
    if scheme == "paired":
        deals = [
            [number + count * swap for number, swap in enumerate(swaps)]
            for swaps in product((0, 1), repeat=count)
        ]
    else:
        deals = [list(chosen) for chosen in combinations(range(2 * count), count)]
    extreme = 0
    for deal in deals:
        rest = [number for number in range(2 * count) if number not in deal]
        there = abs(f_of([pool[i] for i in deal]) - f_of([pool[i] for i in rest]))
        extreme += there >= observed - 1e-12
    return extreme, len(deals)


def test_exact_p():
    result = randomization_test(by_hand())
    assert result.exact
    assert result.shuffles == 2**6
    assert result.observed[0, 0] == pytest.approx(0.11554673939995042)
    assert result.p_values[0, 0] == pytest.approx(1 / 8, abs=1e-15)
    assert (result.extreme[0, 0], 2**6) == brute_force("paired")


def test_the_pooled_scheme_makes_all_draws_if_they_are_few():
    """All 924 ways to draw six of twelve entries."""
    result = randomization_test(by_hand(), scheme="pooled", trials=3000)
    extreme, deals = brute_force("pooled")
    assert (result.exact, result.shuffles, result.extreme[0, 0]) == (True, 924, extreme)
    assert result.p_values[0, 0] == pytest.approx(extreme / deals, abs=1e-15)


def test_the_pooled_scheme_draws_at_random_as_mcores_does():
    """800 of the 924 ways to draw six of twelve entries, p = (Nt + 1) / (N + 1)."""
    result = randomization_test(by_hand(), scheme="pooled", trials=800)
    assert not result.exact
    assert result.shuffles == 800
    assert result.p_values[0, 0] == (result.extreme[0, 0] + 1) / 801
    extreme, deals = brute_force("pooled")
    assert result.p_values[0, 0] == pytest.approx(extreme / deals, abs=0.04)


def test_exact_only_where_all_deals_are_fewer_than_trials():
    assert randomization_test(by_hand(), trials=64).exact
    assert not randomization_test(by_hand(), trials=63).exact


@given(st.integers(0, 10**6), st.sampled_from(["paired", "pooled"]))
def test_every_pair_and_measure_is_what_it_is_alone(seed, scheme):
    """Products per system give what a test of two systems and one measure gives."""
    panel = random_panel(seed, systems=3, documents=4)
    together = randomization_test(panel, scheme=scheme, trials=400)
    for row, pair in enumerate(together.pairs):
        for column, name in enumerate(panel.names):
            alone = panel.select(tuple(pair), name)
            result = randomization_test(alone, scheme=scheme, trials=400)
            assert result.extreme[0, 0] == together.extreme[row, column]


@pytest.mark.parametrize("scheme", ["paired", "pooled"])
@pytest.mark.parametrize("documents", [5, 40])
def test_equal_systems_have_p_one(scheme, documents):
    one = random_panel(4, systems=1, documents=documents)
    twice = replace(one, systems=("a", "b"), statistics=one.statistics[:, [0, 0]])
    result = randomization_test(twice, trials=500, scheme=scheme)
    assert result.observed.tolist() == [[0, 0, 0]]
    assert result.p_values.tolist() == [[1, 1, 1]]


def test_the_mirror_image_of_the_observed_deal_is_a_tie():
    """Where one system is better on every document only two deals are as large as the observed."""
    generator = np.random.default_rng(0)
    whole = generator.random(12) + 1.0
    low, high = 0.3 * whole * generator.random(12), 0.7 * whole
    better = np.stack([high, whole, high, whole], axis=1)
    worse = np.stack([low, whole, low, whole], axis=1)
    result = randomization_test(panel_of(better, worse, finish=fractions))
    assert result.extreme[0, 0] == 2
    assert result.p_values[0, 0] == 2 / 2**12


@pytest.mark.parametrize("scheme", ["paired", "pooled"])
@pytest.mark.parametrize("block", [7, 64])
def test_the_block_does_not_matter(scheme, block, monkeypatch):
    panel = random_panel(7, systems=3, documents=70)
    whole = randomization_test(panel, trials=300, scheme=scheme, seed=5)
    monkeypatch.setattr(randomization, "PIECE", 50)
    cut = randomization_test(panel, trials=300, scheme=scheme, seed=5, block=block)
    assert np.array_equal(whole.extreme, cut.extreme)


def test_few_systems_or_documents():
    assert randomization_test(panel_of(FIRST)).p_values.shape == (0, 1)
    assert randomization_test(panel_of(FIRST[:1], SECOND[:1])).p_values.tolist() == [[1]]
    for scheme in ("paired", "pooled"):
        empty = panel_of(np.zeros((0, 3)), np.zeros((0, 3)))
        assert randomization_test(empty, scheme=scheme, trials=9).p_values.tolist() == [[1]]
