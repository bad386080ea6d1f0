"""Minimum spans from parse trees (MINA), and matching by them."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

import corefine
from corefine import Document, Mention
from corefine.matching.minimum_spans import minimum_span, tree_of
from tests.building.refusals import refused

TREE = ("(TOP(S(NP(NP*", "*", "*)", "(PP*", "(NP*)))", "(VP*)))")


def document(start: int, stop: int, tree: Sequence[str] = TREE) -> Document:
    """A sentence with one mention."""
    layers = {"pos": ["DT", "JJ", "NN", "IN", "NNP", "VBD"], "parse": list(tree)}
    words = ["The", "tall", "minister", "of", "Lund", "spoke"]
    return Document("d", words, [Mention("e", [(start, stop)])], layers=layers)


KEY, SHORT, OTHER = document(0, 5), document(0, 3), document(4, 5)


@pytest.mark.parametrize(
    ("cells", "words", "tags", "expected"),
    [
        ("(NP* *)", "the dog", "DT NN", {("the dog", 1)}),
        ("(NP(NP* *) (PP* (NP* *)))", "the dog of my aunt", "DT NN IN PRP$ NN", {("the dog", 1)}),
        ("(NP(NP*) * (NP*))", "Ana and Bo", "NNP CC NNP", {("Ana", 0), ("Bo", 2)}),
        ("(NP(NP*) * (NP(NP*) (PP* (NP*))))", "Ana and men of Lund", "NNP CC NNS IN NNP",
         {("Ana", 0), ("men", 2)}),
        ("(VP* (NP*))", "saw her", "VBD PRP", {("saw", 1)}),
        ("(S(NP(NP*) (PP* (NP*))))", "one of us", "CD IN PRP", {("one", 0)}),
        ("(NP(PP* (NP*)) *)", "of Lund ,", "IN NNP ,", set()),
        ("*", "dog", "NN", {("dog", 0)}),
        ("*) (PP* (NP*)))", "dog of mine", "NN IN PRP", {("dog", 0)}),
    ],
)  # fmt: skip
def test_minimum_span(cells, words, tags, expected):
    """As computed by hand; the authors' program gives the same."""
    assert minimum_span(tree_of(cells.split(), words.split(), tags.split())) == expected


def test_mentions_with_the_same_minimum_span_match():
    assert corefine.score(KEY, SHORT, "mentions")["mentions"].f1 == 0
    assert corefine.score(KEY, SHORT, "mentions", match="min")["mentions"].f1 == 1
    assert corefine.score(KEY, OTHER, "mentions", match="min")["mentions"].f1 == 0
    evaluator = corefine.Evaluator("mentions", match="min")
    evaluator.update(KEY, SHORT)
    assert evaluator.compute()["mentions"].f1 == 1


def test_trees_are_in_the_fingerprint():
    changed = document(0, 5, [cell.replace("(PP*", "(NP*") for cell in TREE])
    exact = {str(corefine.score(one, SHORT).key) for one in (KEY, changed)}
    minimum = {str(corefine.score(one, SHORT, match="min").key) for one in (KEY, changed)}
    assert (len(exact), len(minimum)) == (1, 2)


def test_without_trees_and_minimum_spans_there_is_an_error():
    plain = document(0, 5, "*" * len(TREE))
    with refused("usage"):
        corefine.score(plain, plain, match="min")
