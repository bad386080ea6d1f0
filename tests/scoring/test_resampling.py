"""Panels of statistics and bootstrap intervals, against hand counts and closed forms."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import ndtr

import corefine
from corefine.scoring.resampling import Panel, bootstrap, expanded_levels
from tests.building.panels import (
    FIRST,
    SECOND,
    by_hand,
    fractions,
    panel_from,
    panel_of,
    panel_of_values,
    random_panel,
    simulated,
)
from tests.building.refusals import refused


@pytest.mark.parametrize("documents", [3, 10, 60])
def test_the_interval_of_a_mean_is_nearly_that_of_student(documents):
    """Percentiles at Φ(∓√(D/(D−1))·t): for symmetric values mean ± t·s/√D, if D is not small."""
    stats = pytest.importorskip("scipy.stats")
    values = np.random.default_rng(0).normal(size=documents)
    result = bootstrap(panel_of_values(values), replicates=20_000)
    reach = stats.t.ppf(0.975, documents - 1) * values.std(ddof=1) / np.sqrt(documents)
    low, high = result.scores[0, 0, 2]
    if documents >= 10:
        assert (low, high) == pytest.approx((values.mean() - reach, values.mean() + reach), rel=0.2)
    else:
        assert (low, high) == pytest.approx((values.min(), values.max()))


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


def with_documents(panel, documents):
    """The same panel with some documents only."""
    return replace(
        panel,
        documents=tuple(panel.documents[number] for number in documents),
        statistics=panel.statistics[:, :, documents],
    )


def test_scores_of_single_documents_and_without_them():
    panel = random_panel(1)
    alone, without = panel.document_scores(), panel.leave_one_out()
    for number in range(len(panel.documents)):
        single = with_documents(panel, [number])
        np.testing.assert_allclose(alone[:, number], single.scores(), equal_nan=True)
        rest = with_documents(panel, [n for n in range(len(panel.documents)) if n != number])
        expected = np.moveaxis(rest.scores(), 0, 2)
        np.testing.assert_allclose(without[..., number], expected, equal_nan=True)


def test_what_is_left_of_nothing_is_exactly_nothing():
    # Without its first document the system has no links at all, so that its scores are 0; the
    # rounding error of 0.1 + 0.2 − 0.3 must not be taken for a denominator.
    weights = [[0.1, 0.1, 0.1, 0.1], [0.2, 0.2, 0.2, 0.2], [0.3, 0.3, 0.3, 0.3]]
    panel = panel_of([*weights, [0, 0, 0, 0]], finish=fractions)
    merged = panel_of([np.sum(weights, axis=0), [0, 0, 0, 0]], finish=fractions)
    assert merged.leave_one_out()[0, :, 0, 0].tolist() == [0, 0, 0]
    assert panel.leave_one_out()[0, :, 0, 3] == pytest.approx([1, 1, 1])


def test_the_panel_of_scores_has_the_metrics_asked_for():
    """The parts of an average are scored for it, but are no comparison of their own."""
    key = {"a": [[1, 2, 3]], "b": [[1, 2], [3, 4]]}
    scores = {
        "one": corefine.score(key, {"a": [[1, 2]], "b": [[1, 2]]}, "lea,conll"),
        "two": corefine.score(key, key, "lea,conll"),
    }
    panel = Panel.of(scores)
    assert panel.names == ("lea", "conll")
    assert {part for part, _ in panel.columns} == {"lea", "muc", "b3", "ceafe"}
    for system, values in zip(scores.values(), panel.scores(), strict=True):
        assert values[:, 2].tolist() == [system["lea"].f1, system["conll"].f1]


def test_statistics_that_are_not_finite_are_refused():
    scores = corefine.score([[1, 2]], [[1, 2]], "b3")
    scores.counts.values["b3"]["precision_part"][0] = np.nan
    with refused("usage"):
        Panel.of({"one": scores})


def test_scores_of_data_sets_are_averaged():
    panel = replace(random_panel(3, documents=7), strata=(3, 4))
    parts = [
        with_documents(replace(panel, strata=()), list(own)) for own in (range(3), range(3, 7))
    ]
    expected = np.mean([part.scores() for part in parts], axis=0)
    np.testing.assert_allclose(panel.scores(), expected, equal_nan=True)
    without = panel.leave_one_out()
    rest = with_documents(replace(panel, strata=()), [0, 2])
    np.testing.assert_allclose(
        without[..., 1], np.moveaxis((rest.scores() + parts[1].scores()) / 2, 0, 2), equal_nan=True
    )


@pytest.mark.parametrize(
    ("variances", "sizes"), [([1], [3]), ([2], [10**6]), ([1, 3], [4, 41]), ([0, 1], [3, 41])]
)
def test_levels_of_percentiles(variances, sizes):
    """Φ(∓t·√(σ²/s²)) with the resampled variance s² and Satterthwaite's degrees of freedom."""
    stats = pytest.importorskip("scipy.stats")
    total = sum(variances)
    resampled = sum(v * (n - 1) / n for v, n in zip(variances, sizes, strict=True))
    freedom = total**2 / sum(v**2 / (n - 1) for v, n in zip(variances, sizes, strict=True))
    reach = stats.t.ppf(0.975, freedom) * np.sqrt(total / resampled)
    found = expanded_levels(0.95, np.array([variances], float), np.array(sizes))[0]
    assert found == pytest.approx(stats.norm.cdf([-reach, reach]), abs=1e-9)


def test_degenerate_panels():
    """Equal systems, one that never hits, too few documents, one system, an average."""
    same = bootstrap(panel_of(FIRST, FIRST), replicates=100)
    assert same.p_values.tolist() == [[1]]
    assert same.differences.tolist() == [[[0, 0]]]
    nothing = [[0, wrong, missed] for _, wrong, missed in FIRST]
    assert bootstrap(panel_of(nothing), replicates=100).scores[0].tolist() == [[[0, 0]] * 3]
    for documents in (0, 1):
        few = bootstrap(panel_of(np.array(FIRST)[:documents], np.array(SECOND)[:documents]))
        for values in (few.scores, few.differences, few.p_values):
            assert np.isnan(values).all()
    assert bootstrap(panel_of(FIRST), replicates=100).p_values.shape == (0, 1)
    panel = random_panel(0)
    assert panel.scores()[:, 2, 2] == pytest.approx(panel.scores()[:, :2, 2].mean(axis=1))
    averaged = bootstrap(panel, replicates=50)
    assert np.isnan(averaged.scores[:, 2, :2]).all()
    assert np.isfinite(averaged.scores[:, 2, 2]).all()
    scores = corefine.score([["a", "b"]], [["a", "b"]], "muc,anaphors(kind=zero)", kinds="none")
    assert Panel.of({"one": scores}).applicable.tolist() == [True, False]


def test_the_block_does_not_matter(monkeypatch):
    panel = random_panel(3, documents=23)
    whole = bootstrap(panel, replicates=100, seed=4)
    monkeypatch.setattr("corefine.scoring.resampling.BLOCK_BYTES", 1 << 14)
    cut = bootstrap(panel, replicates=100, seed=4)
    np.testing.assert_allclose(whole.scores, cut.scores, equal_nan=True)
    np.testing.assert_allclose(whole.differences, cut.differences, equal_nan=True)
    assert np.array_equal(whole.p_values, cut.p_values, equal_nan=True)
    other = bootstrap(panel, replicates=100, seed=5)
    assert not np.allclose(whole.scores, other.scores, equal_nan=True)


@pytest.mark.parametrize(
    "wrong", [{"replicates": 0}, {"confidence": 0.0}, {"confidence": 95}, {"replicates": 10**10}]
)
def test_arguments_that_are_refused(wrong):
    with refused("usage"):
        bootstrap(by_hand(), **wrong)
