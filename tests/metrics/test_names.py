"""Names of metrics: canonical ones of functions as parameters, and refused ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import corefine
from corefine.errors import UsageError
from corefine.metrics.base import Metric
from corefine.metrics.lea import Lea
from corefine.metrics.linguistic import Lmuc
from corefine.metrics.muc import Muc
from corefine.metrics.parent import Parent
from corefine.metrics.registry import parse, register

KEY = [["Anna", "she", "her"], ["Rome", "it"]]
RESPONSE = [["Anna", "she"], ["her", "Rome", "it"]]


def two_of(make: Any) -> list[Metric]:
    """A metric with each of two functions that were written on one line."""
    return [make(function) for function in (lambda *given: 1.0, lambda *given: 2.0)]


@pytest.mark.parametrize(
    "make",
    [
        lambda function: Lea(importance=function),
        lambda function: Lea(importance="information", weight=function),
        lambda function: Lmuc(weights=function),
        lambda function: Parent(defining=function),
        lambda function: Parent(referring=function),
    ],
    ids=["importance", "weight", "weights", "defining", "referring"],
)
def test_two_functions_give_two_names(make: Any) -> None:
    first, second = two_of(make)
    assert str(first) != str(second)
    assert str(first) == str(first)


def test_no_metric_disappears() -> None:
    uniform, by_size = (
        Lea(importance=lambda side: np.ones(len(side))),
        Lea(importance=lambda side: side.size.astype(float)),
    )
    scores = corefine.score(KEY, RESPONSE, [uniform, by_size])
    assert len(scores.by_name) == 2
    assert scores[str(uniform)].recall == pytest.approx((1 / 3 + 1) / 2)
    assert scores[str(by_size)].recall == pytest.approx((3 * 1 / 3 + 2 * 1) / 5)


@pytest.mark.parametrize("name", ["default", "all", "b3", "bcubed", "zero"])
def test_a_name_is_given_once(name: str) -> None:
    with pytest.raises(UsageError):
        register(type("Again", (Muc,), {"name": name}))


@pytest.mark.parametrize(
    "wrong",
    [
        *("", "nix", "muc(", "muc(a=1)", "blanc(rule)", "blanc(=x)", "blanc(rule=)"),
        *("blanc(rule=nix)", "blanc(rule=luo2014,rule=luo2014)"),
        "mean(" * 51 + "muc" + ")" * 51,
    ],
)
def test_malformed_names_are_refused(wrong: str) -> None:
    with pytest.raises(UsageError):
        parse(wrong)
