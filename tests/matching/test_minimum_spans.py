"""Minimum spans from parse trees (MINA), and matching by them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import corefine
from corefine.matching.minimum_spans import minimum_span, tree_of
from tests.building.refusals import refused

DOCUMENT = """\
#begin document (d)
d 0 0 The DT (TOP(S(NP(NP* - - - - * {}
d 0 1 tall JJ * - - - - * {}
d 0 2 minister NN *) - - - - * {}
d 0 3 of IN (PP* - - - - * {}
d 0 4 Lund NNP (NP*))) - - - - * {}
d 0 5 spoke VBD (VP*))) - - - - * {}

#end document
"""
KEY = DOCUMENT.format("(1", "-", "-", "-", "1)", "-")
SHORT = DOCUMENT.format("(1", "-", "1)", "-", "-", "-")
OTHER = DOCUMENT.format("-", "-", "-", "-", "(1)", "-")


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


def write(folder: Path, **files: str) -> list[Path]:
    for name, text in files.items():
        (folder / f"{name}.conll").write_text(text)
    return [folder / f"{name}.conll" for name in files]


def test_mentions_with_the_same_minimum_span_match(tmp_path):
    key, short, other = write(tmp_path, key=KEY, short=SHORT, other=OTHER)
    assert corefine.score(key, short, "mentions")["mentions"].f1 == 0
    assert corefine.score(key, short, "mentions", match="min")["mentions"].f1 == 1
    assert corefine.score(key, other, "mentions", match="min")["mentions"].f1 == 0
    evaluator = corefine.Evaluator("mentions", match="min")
    evaluator.update(key, short)
    assert evaluator.compute()["mentions"].f1 == 1


def test_trees_are_in_the_fingerprint(tmp_path):
    changed = KEY.replace("(PP*", "(NP*")
    key, other, short = write(tmp_path, key=KEY, other=changed, short=SHORT)
    exact = {str(corefine.score(one, short).key) for one in (key, other)}
    minimum = {str(corefine.score(one, short, match="min").key) for one in (key, other)}
    assert (len(exact), len(minimum)) == (1, 2)


def test_without_trees_and_minimum_spans_there_is_an_error(tmp_path):
    (key,) = write(tmp_path, key=re.sub(r"\S+(?= - - - - )", "*", KEY))
    with refused("usage"):
        corefine.score(key, key, match="min")
