from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corefine.comparing.plan import CORRECTIONS, Plan, adjust
from corefine.errors import UsageError
from tests.building.refusals import refused

P = [0.001, 0.012, 0.02, 0.04, 0.3]
p_lists = st.lists(st.floats(0, 1), min_size=1, max_size=40)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("correction", "theirs"), [("holm", "holm"), ("bonferroni", "bonferroni"), ("bh", "fdr_bh")]
)
def test_equal_to_statsmodels(correction, theirs):
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    generator = np.random.default_rng(0)
    for size in [1, 2, 3, 10, 111, 500]:
        for power in (1, 3, 8):
            p = generator.random(size) ** power
            p[generator.random(size) < 0.2] = p[0]  # ties
            expected = multitest.multipletests(p, method=theirs)[1]
            np.testing.assert_allclose(adjust(p, correction), expected, rtol=1e-13)


@given(p_lists)
def test_order_of_the_corrections(p):
    bonferroni, holm, bh, none = (adjust(p, c) for c in ("bonferroni", "holm", "bh", "none"))
    slack = 1e-12
    assert (bonferroni >= holm - slack).all()
    assert (holm >= bh - slack).all()
    assert (bh >= none - slack).all()
    assert none.tolist() == p


@given(p_lists, st.randoms())
def test_order_of_the_p_values_is_kept_and_does_not_matter(p, random):
    shuffled = list(range(len(p)))
    random.shuffle(shuffled)
    for correction in CORRECTIONS:
        adjusted = adjust(p, correction)
        assert adjust([p[i] for i in shuffled], correction).tolist() == adjusted[shuffled].tolist()
        assert (np.diff(adjusted[np.argsort(p, kind="stable")]) >= 0).all()


def test_missing_comparisons_are_not_counted():
    table = np.array([[0.01, np.nan], [0.04, 0.03]])
    for correction in CORRECTIONS:
        adjusted = adjust(table, correction)
        assert np.isnan(adjusted[0, 1])
        expected = adjust([0.01, 0.04, 0.03], correction)
        assert adjusted[[0, 1, 1], [0, 0, 1]].tolist() == expected.tolist()


def test_wrong_arguments():
    with refused("unknown-value"):
        adjust(P, "sidak")  # type: ignore[arg-type]
    with refused("out-of-range"):
        adjust([1.2], "holm")
    impossible: dict[str, list[object]] = {
        "test": ["t"], "trials": [0, 2.5], "replicates": [-1], "correction": ["hochberg"],
        "alpha": [0, 1.5], "seed": [-1], "scheme": ["unpaired"],
    }  # fmt: skip
    for option, values in impossible.items():
        for value in values:
            with pytest.raises(UsageError):
                Plan.of(**{option: value})  # type: ignore[arg-type]


@pytest.mark.parametrize(("correction", "level"), [("holm", 0.0125), ("none", 0.05)])
def test_the_level_of_several_comparisons(correction, level):
    assert Plan(correction=correction).level(4) == level
    assert Plan(correction=correction).level(1) == 0.05
