"""Defects of agreement, adjudication and suspects that were found once."""

from __future__ import annotations

from itertools import permutations

import pytest

import corefine
from corefine.errors import UsageError


@pytest.fixture(scope="module")
def craft(data):
    """The key of CRAFT and a system."""
    names = ("key", "xrenner-rules")
    return {name: corefine.read(data / "craft" / f"{name}.conllu") for name in names}


@pytest.mark.parametrize("key", [[[(0, 0), (4, 4)], [(2, 2)]], {"d": [[(0, 0), (4, 4)], [(2, 2)]]}])
def test_suspects_pair_named_and_unnamed_documents(key):
    """The names of the systems' documents were looked up in the key: KeyError."""
    joined = [[(0, 0), (2, 2), (4, 4)]]
    (found,) = corefine.suspects(key, {"a": joined, "b": {"d": joined}})
    assert found.document == ("d" if isinstance(key, dict) else "")


@pytest.mark.parametrize(
    "settings", [{"twinless": "drop"}, {"window": 100}, {"scope": "corpus"}, {"layer": "deixis"}]
)
def test_suspects_refuse_settings_that_change_what_is_scored(settings):
    systems = {name: [["a", "b"]] for name in "xy"}
    with pytest.raises(UsageError, match="does not apply"):
        corefine.suspects([["a", "b"]], systems, **settings)


def test_agreement_does_not_depend_on_the_order_of_annotators(craft):
    """Under partial matching F1 was 23.34 or 24.32; partial is refused, head has one answer."""
    with pytest.raises(UsageError, match="depends on which side is the key"):
        corefine.agree(craft, match="partial")
    found = []
    for names in permutations(craft):
        agreement = corefine.agree({name: craft[name] for name in names}, "muc,b3", match="head")
        assert agreement.annotators == names
        f1 = {frozenset(pair): scores["b3"].f1 for pair, scores in agreement.scores.items()}
        found.append((f1, agreement.alpha))
    for f1, alpha in found[1:]:
        assert f1 == found[0][0]
        assert alpha == pytest.approx(found[0][1])
