"""Type I error, coverage and power on simulated corpora; the numbers are in docs/comparing.md."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from corefine.comparing.power import effects, power_of_test
from corefine.comparing.randomization import SCHEMES, randomization_test
from corefine.scoring.resampling import bootstrap
from tests.building.panels import Measure, fractions, names, panel_from, panel_of_values, simulated

pytestmark = pytest.mark.slow

QUALITY = [0.6, 0.5]
SUITE = ([0.6, 0.5], [0.9, 0.4], [0.1, 0.5])


def corpus(generator, quality, documents):
    """Two measures that share the size of a document but not its difficulty, and their average."""
    first, second = (simulated(generator, quality, documents) for _ in range(2))
    return panel_from(
        names(len(quality)),
        first._replace(name="one"),
        second._replace(name="two"),
        average=True,
    )


def true_f1(quality):
    generator = np.random.default_rng(1)
    large = simulated(generator, quality, 1_000_000)
    return large.finish(large.statistics.sum(axis=1))[2]


@pytest.mark.parametrize("documents", [2, 6, 7, 10, 20, 60])
def test_type_1_error_of_the_default_test(documents):
    """Equal systems differ at .05 in at most 6% of corpora, from two documents up."""
    generator = np.random.default_rng(2016)
    corpora = 1000
    found = np.zeros(3)
    for seed in range(corpora):
        panel = corpus(generator, [0.5, 0.5], documents)
        found += randomization_test(panel, trials=999, seed=seed).p_values[0] <= 0.05
    print(f"{documents} documents: {found / corpora}")
    assert (found / corpora <= 0.06 + 0.01).all()
    assert found.mean() / corpora <= 0.06
    if documents >= 20:
        assert (found / corpora >= 0.03).all()


def test_the_pooled_scheme_has_less_power():
    generator = np.random.default_rng(2017)
    found = dict.fromkeys(SCHEMES, 0)
    corpora = 400
    for seed in range(corpora):
        panel = corpus(generator, [0.62, 0.5], 60)
        for scheme in SCHEMES:
            result = randomization_test(panel, trials=499, seed=seed, scheme=scheme)
            found[scheme] += int(result.p_values[0, 0] <= 0.05)
    print({scheme: count / corpora for scheme, count in found.items()})
    assert found["pooled"] < found["paired"] * 0.7


@pytest.mark.parametrize("documents", [2, 3, 4, 5, 6, 7, 8, 10, 15, 20, 30, 60, 150])
def test_coverage_of_the_intervals(documents):
    """95% intervals contain the true value in 90% of corpora or more, from eight documents up."""
    generator = np.random.default_rng(2018)
    true = true_f1(QUALITY)
    value = np.append(true, true[0] - true[1])
    corpora, covered = 1000, np.zeros(3)
    for seed in range(corpora):
        panel = panel_from("ab", simulated(generator, QUALITY, documents))
        result = bootstrap(panel, replicates=999, seed=seed)
        low, high = np.concatenate([result.scores[:, 0, 2], result.differences[:, 0]]).T
        covered += (low <= value) & (value <= high)
    print(f"{documents} documents: {covered / corpora}")
    assert (covered / corpora <= 0.98).all()
    if documents >= 8:
        assert (covered / corpora >= 0.90).all()


@pytest.mark.parametrize("documents", [20, 30, 60, 100])
def test_type_1_error_of_the_bootstrap_test(documents):
    """It is above .06 below 100 documents, where a warning is shown."""
    generator = np.random.default_rng(2019)
    corpora, found = 1000, 0
    for seed in range(corpora):
        panel = panel_from("ab", simulated(generator, [0.5, 0.5], documents))
        found += int(bootstrap(panel, replicates=499, seed=seed).p_values[0, 0] <= 0.05)
    print(f"{documents} documents: {found / corpora}")
    assert found / corpora <= (0.11 if documents < 100 else 0.07)


@pytest.mark.parametrize("documents", [20, 30, 60])
@pytest.mark.parametrize("effect", [1.5, 2.5, 3.5])
def test_stated_power_is_the_share_of_corpora_in_which_the_difference_is_found(documents, effect):
    generator = np.random.default_rng(2020)
    true = effect * 0.1 / np.sqrt(documents)
    corpora, found, stated = 600, 0, []
    for seed in range(corpora):
        base = generator.normal(0.6, 0.2, documents)
        other = base + generator.normal(true, 0.1, documents)
        panel = panel_of_values(other, base)
        known = effects(panel, panel.pairs())
        error, freedom = known.standard_error[0, 0], known.freedom[0, 0]
        stated.append(float(power_of_test(true / error, freedom, 0.05)))
        found += int(randomization_test(panel, trials=499, seed=seed).p_values[0, 0] <= 0.05)
    print(f"{documents} documents, {effect}: stated {np.mean(stated)}, found {found / corpora}")
    # Two standard errors of the share found are allowed for.
    assert abs(np.mean(stated) - found / corpora) <= 0.05 + 0.04


def suite(generator, sizes, qualities):
    """A suite of data sets of these sizes, with one pair of qualities each."""
    parts = [
        simulated(generator, quality, size).statistics
        for size, quality in zip(sizes, qualities, strict=True)
    ]
    measure = Measure("b3", np.concatenate(parts, axis=1), fractions)
    return replace(panel_from("ab", measure), strata=sizes)


@pytest.mark.parametrize("sizes", [(6, 15, 30), (8, 40, 40), (10, 10, 10), (3, 40, 40)])
def test_coverage_of_suites(sizes):
    """90% or more, if every data set has eight documents; with fewer there is a warning."""
    generator = np.random.default_rng(2021)
    true = np.mean([true_f1(quality) for quality in SUITE], axis=0)
    value = np.append(true, true[0] - true[1])
    corpora, covered = 600, np.zeros(3)
    for seed in range(corpora):
        result = bootstrap(suite(generator, sizes, SUITE), replicates=999, seed=seed)
        low, high = np.concatenate([result.scores[:, 0, 2], result.differences[:, 0]]).T
        covered += (low <= value) & (value <= high)
    print(f"{sizes}: {covered / corpora}")
    assert (covered / corpora >= (0.90 if min(sizes) >= 8 else 0.85)).all()


@pytest.mark.parametrize("sizes", [(8, 15, 30), (10, 10, 10), (20, 20, 20)])
@pytest.mark.parametrize("shift", [0.0, 0.3])
def test_type_1_error_of_suites(sizes, shift):
    """Equal macro averages differ in at most 6% of suites, also if data sets disagree."""
    generator = np.random.default_rng(2022)
    # F1 is nearly linear in quality around .5: the shifts cancel in the macro average.
    qualities = ([0.5, 0.5 + shift], [0.5 + shift, 0.5], [0.5, 0.5])
    corpora, found = 600, 0
    for seed in range(corpora):
        panel = suite(generator, sizes, qualities)
        found += int(randomization_test(panel, trials=499, seed=seed).p_values[0, 0] <= 0.05)
    print(f"{sizes}, shift {shift}: {found / corpora}")
    assert found / corpora <= 0.06 + 0.015
