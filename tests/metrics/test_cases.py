"""Every case with exact expected values: those of the papers, of corners and of chance."""

from __future__ import annotations

from typing import Any

import pytest

import corefine
from corefine.metrics import registered
from tests.conftest import load_cases

FILES = (
    "chen_ng",
    "corner",
    "duplicates",
    "lea",
    "lea_figures",
    "mention_effect",
    "parent",
    "random",
)
AGNOSTIC = {"muc", "b3", "ceafm", "ceafe", "blanc", "lea", "mentions", "conll"}


@pytest.mark.parametrize("case", load_cases(*FILES), ids=lambda case: case["name"])
def test_agnostic_metrics_give_the_expected_values(case: dict[str, Any]) -> None:
    expected = {
        name: values for name, values in case["expected"].items() if name.split("(")[0] in AGNOSTIC
    }
    assert expected
    scores = corefine.score(case["key"], case["response"], metrics=list(expected))
    for name, (precision, recall, f1) in expected.items():
        found = scores[name]
        assert found.f1 == pytest.approx(f1, abs=1e-9), name
        if precision is None:
            assert found.precision is None
            assert found.recall is None
        else:
            assert found.precision == pytest.approx(precision, abs=1e-9), name
            assert found.recall == pytest.approx(recall, abs=1e-9), name


def test_all_agnostic_metrics_are_covered_by_cases() -> None:
    known = {metric.name for metric in registered()}
    assert known >= AGNOSTIC


@pytest.mark.parametrize("case", load_cases("duplicates"), ids=lambda case: case["name"])
def test_repeated_mentions_are_an_error_if_asked(case: dict[str, Any]) -> None:
    with pytest.raises(corefine.CorefineError, match=r"occurs twice|in two entities"):
        corefine.score(case["key"], case["response"], duplicates="error")
