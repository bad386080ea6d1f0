"""Mention overlap, anaphors, ARCS and averages: brute force, and small cases worked by hand."""

from __future__ import annotations

from fractions import Fraction

import pytest

import corefine
from tests.building.refusals import refused
from tests.conftest import load_cases

CASES = {case["name"]: case for case in load_cases("shared_tasks_random")}


def test_random_cases_by_the_definitions():
    """Expected values by brute force, word by word and chain by chain, in fractions."""
    key, response = (
        {name: case[side] for name, case in CASES.items()} for side in ("key", "response")
    )
    kinds = {
        name: {(first, last + 1): kind for first, last, kind in case["kinds"]}
        for name, case in CASES.items()
    }
    metrics = list(CASES["d1"]["expected"])
    scores = corefine.score(key, response, metrics, kinds=kinds, by="kind")
    for document, found in scores.documents.items():
        alone = (key[document], response[document])
        assert corefine.score(*alone, metrics, kinds=kinds[document]).by_name == found
        for name, expected in CASES[document]["expected"].items():
            if name == "arcs(mode=anchor)":
                assert found[name].f1 == pytest.approx(float(Fraction(expected)))
                continue
            numbers = tuple(float(Fraction(number)) for number in expected)
            values = found[name].precision, found[name].recall
            assert values == pytest.approx(numbers), (document, name)
    for kind in ("name", "nominal", "pronoun"):
        assert scores.breakdown["kind"][kind]["anaphors"] == scores[f"anaphors(kind={kind})"]


def test_mention_overlap_where_one_side_is_empty():
    # Of one document nothing is found, in the other 3 of 4 words.
    key = {"a": [[(0, 3), (5, 6)]], "b": [[(0, 2), (3, 5)]]}
    response = {"a": [[(0, 2), (5, 6)]], "b": []}
    whole = corefine.score(key, response, "mor")["mor"]
    assert (whole.recall, whole.precision) == (3 / 8, 1)
    assert corefine.score(response, key, "mor")["mor"].precision == 3 / 8
    assert corefine.score({"b": key["b"]}, {"b": []}, "mor")["mor"].f1 == 0


@pytest.mark.parametrize("span", [(3, 1), (4, 4), (0, 10**12)])
def test_mention_overlap_refuses_what_is_no_span(span):
    for key, response in (([[span, (5, 6)]], [[(5, 6)]]), ([[(5, 6)]], [[span, (5, 6)]])):
        with refused("usage"):
            corefine.score(key, response, "mor")
        assert corefine.score(key, response, "muc")["muc"].f1 == 0
