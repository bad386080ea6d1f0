"""Defects of the report that were found once."""

from __future__ import annotations

from pathlib import Path

import pytest

import corefine
from corefine.explaining.outcomes import Outcomes
from tests.building.accidents import Pair, documents, merged

SAMPLES = Path(__file__).parents[1] / "fixtures" / "sample"
KEY, CAREFUL = (str(SAMPLES / f"{name}.conll") for name in ("key", "careful"))


@pytest.mark.parametrize(
    ("key", "responses"),
    [
        ({"a": []}, {"x": {"a": []}}),
        ({"a": [], "b": [["x", "y"]]}, {"x": {"a": [], "b": [["x", "y"]]}}),
        ({"a": [["x", "y"]], "b": []}, {"x": {"a": [["x"]], "b": []}, "y": {"a": [], "b": []}}),
    ],
    ids=["nothing at all", "an empty document", "two responses"],
)
def test_a_document_without_text_and_mentions_is_shown(key, responses):
    assert corefine.report(key, responses).html


@pytest.mark.parametrize("seed", range(4))
def test_a_response_in_one_entity_never_wins_on_balance(seed):
    """Errors of both kinds count: what is missing and what is wrong."""
    pair = Pair.healthy(seed)
    systems = {"system": pair, "one entity": pair.responses(merged)}
    errors = {}
    for name, one in systems.items():
        found = corefine.explain(documents(one.key), documents(one.response))
        errors[name] = Outcomes.of(found.diagnosis).errors
    ours, theirs = (sum(map(sum, errors[name].values())) for name in systems)
    assert ours < theirs
    assert errors["one entity"]["links"][0] <= errors["system"]["links"][0]


def test_errors_of_both_kinds_are_counted_once():
    """Key and response swapped swap what is missing and what is wrong."""
    one, other = (
        Outcomes.of(corefine.explain(*sides).diagnosis).errors
        for sides in ((KEY, CAREFUL), (CAREFUL, KEY))
    )
    assert one == {level: found[::-1] for level, found in other.items()}
    assert sum(map(sum, Outcomes.of(corefine.explain(KEY, KEY).diagnosis).errors.values())) == 0
