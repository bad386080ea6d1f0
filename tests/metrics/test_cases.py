"""Every case with exact expected values: those of the papers, of corners and of chance."""

from __future__ import annotations

from typing import Any

import pytest

import corefine
from corefine.metrics.linguistic import LBCubed, LCeafE, LCeafM, Lmuc, Weights
from corefine.metrics.parent import Parent
from tests.conftest import load_cases

FILES = (
    *("chen_ng", "corner", "duplicates", "lea", "lea_figures", "mention_effect", "parent"),
    "random",
)
LINGUISTIC: dict[str, Any] = {"lmuc": Lmuc, "lb3": LBCubed, "lceafm": LCeafM, "lceafe": LCeafE}


def metric_of(name: str, parameters: dict[str, Any]) -> Any:
    """The metric with the weights or the kinds of a case."""
    if name in LINGUISTIC:
        return LINGUISTIC[name](Weights(**parameters["weights"]))
    if name.startswith("parent"):
        defining, referring = ("+".join(parameters[part]) for part in ("defining", "referring"))
        return Parent(defining, referring, "all" if "all" in name else "defined")
    return name


@pytest.mark.parametrize("case", load_cases(*FILES), ids=lambda case: case["name"])
def test_metrics_give_the_expected_values(case):
    metrics = {name: metric_of(name, case.get("params", {})) for name in case["expected"]}
    scores = corefine.score(
        case["key"], case["response"], list(metrics.values()), kinds=case.get("kinds", "none")
    )
    for name, expected in case["expected"].items():
        found = scores[str(metrics[name])]
        values = (found.precision, found.recall, found.f1)
        for value, number in zip(values, expected, strict=True):
            assert value == (None if number is None else pytest.approx(number, abs=1e-9)), name


@pytest.mark.parametrize("case", load_cases("duplicates"), ids=lambda case: case["name"])
def test_repeated_mentions_are_an_error_if_asked(case):
    with pytest.raises(corefine.CorefineError):
        corefine.score(case["key"], case["response"], duplicates="error")


def test_all_cells_of_the_paper_of_linguistic_metrics():
    cells = 0
    for case in load_cases("chen_ng"):
        if "paper" not in case:
            continue
        scores = corefine.score(
            case["key"], case["response"], metrics=list(case["paper"]), kinds=case["kinds"]
        )
        for name, printed in case["paper"].items():
            for value, paper in zip(scores[name].to_dict().values(), printed, strict=True):
                assert abs(100 * value - paper) < 0.051, (case["name"], name)
                cells += 1
    assert cells == 120
