"""Defects of the report that were found once."""

from __future__ import annotations

from pathlib import Path

import pytest

import corefine
from corefine.cli import main
from corefine.explaining.outcomes import Outcomes
from tests.building.accidents import Pair, documents, merged
from tests.building.refusals import refused

SAMPLES = Path(__file__).parents[1] / "fixtures" / "sample"
KEY, CAREFUL, EAGER = (str(SAMPLES / f"{name}.conll") for name in ("key", "careful", "eager"))


@pytest.mark.parametrize("twinless", ["drop", "add-to-key"])
def test_several_responses_with_keys_of_their_own_are_refused(twinless, tmp_path, capsys):
    """Mentions pointed at the wrong key mention, or past the end of the key."""
    for responses in ([{"a": CAREFUL, "b": EAGER}], [CAREFUL, EAGER]):
        with refused("several-keys"):
            corefine.report(KEY, *responses, twinless=twinless)
    page = tmp_path / "page.html"
    asked = ["report", KEY, f"a={CAREFUL}", f"b={EAGER}", "--twinless", twinless, "-o", str(page)]
    assert main(asked) == 2
    assert "a key of its own" in capsys.readouterr().err
    assert not page.exists()
    assert corefine.report(KEY, CAREFUL, twinless=twinless).html


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
