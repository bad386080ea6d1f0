"""Defects of agreement, adjudication and suspects that were found once."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest

import corefine
from corefine.errors import UsageError


@pytest.fixture(scope="module")
def craft(data):
    """The key of CRAFT and two systems."""
    names = ("key", "arkref-nosem", "xrenner-rules")
    return {name: corefine.read(data / "craft" / f"{name}.conllu") for name in names}


@pytest.mark.parametrize("match", ["exact", "head", "partial"])
def test_suspects_print_the_f1_of_score(craft, match):
    """The sides were swapped: under partial matching LEA was another number."""
    key, *systems = craft
    found = corefine.suspects(craft[key], {name: craft[name] for name in systems}, match=match)
    for name in systems:
        assert (
            found.f1[name] == corefine.score(craft[key], craft[name], "lea", match=match)["lea"].f1
        )


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
    files = {name: craft[name] for name in ("key", "xrenner-rules")}
    with pytest.raises(UsageError, match="depends on which side is the key"):
        corefine.agree(files, match="partial")
    found = []
    for names in permutations(files):
        agreement = corefine.agree({name: files[name] for name in names}, "muc,b3", match="head")
        assert agreement.annotators == names
        f1 = {frozenset(pair): scores["b3"].f1 for pair, scores in agreement.scores.items()}
        found.append((f1, agreement.alpha))
    for f1, alpha in found[1:]:
        assert f1 == found[0][0]
        assert alpha == pytest.approx(found[0][1])


@pytest.mark.parametrize("settings", [{}, {"match": "head"}, {"scope": "corpus"}])
def test_differences_do_not_depend_on_the_order_of_annotators(settings):
    """Mentions were quoted from the first annotator, and documents came in his or her order."""
    stories = Path(__file__).parents[2] / "docs" / "examples" / "stories"
    found = [
        [
            (one.document, one.text)
            for one in corefine.agree(
                {name: stories / f"{name}.conllu" for name in names}, **settings
            ).differences
        ]
        for names in permutations(("key", "careful", "eager"))
    ]
    assert found[0]
    assert all(one == found[0] for one in found)
