"""What mentions tell: the default weight, others, and LEA's importance by them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import corefine
from corefine.corpus.arrays import FloatArray
from corefine.corpus.corpus import Corpus
from corefine.corpus.selection import take_mentions
from corefine.kinds.kind_plan import kinds_of
from corefine.metrics.information import entity_information, new_words, weights_of
from corefine.metrics.lea import Lea
from tests.building.refusals import refused

ENTITIES = [
    ["Hillary Clinton", "she#1", "the First Lady", "Clinton", "the lady", "it"],
    ["the city of Kraków", "Kraków", "a city"],
]
KINDS = (
    {"it": "unknown", "she#1": "pronoun"}
    | dict.fromkeys(("Hillary Clinton", "Clinton", "Kraków"), "name")
    | dict.fromkeys(("the First Lady", "the lady", "the city of Kraków", "a city"), "nominal")
)


def test_a_mention_tells_the_words_that_are_new():
    corpus = kinds_of(Corpus.from_entities(ENTITIES), KINDS)
    # Clinton and Kraków are names that bring nothing new: 1 each. "it" is no content word.
    assert new_words(corpus).tolist() == [2, 0, 2, 1, 0, 0, 2, 1, 0]
    assert entity_information(new_words, corpus).tolist() == [5, 3]


def test_words_come_in_the_order_of_the_text():
    words = ["the", "mayor", "met", "the", "old", "mayor"]
    corpus = kinds_of(Corpus.from_spans(words, [[(0, 2), (3, 6)]]), lambda _: "nominal")
    assert new_words(corpus).tolist() == [1, 1]
    backwards = replace(corpus, mentions=take_mentions(corpus.mentions, np.array([1, 0])))
    assert backwards.text_of(0) == "the old mayor"
    assert new_words(backwards).tolist() == [1, 1]


def test_lea_with_the_importance_of_information():
    response = [
        ["Hillary Clinton", "she#1", "the First Lady"],
        ["Clinton", "the lady", "it"],
        ["the city of Kraków", "Kraków", "a city"],
    ]
    name = "lea(importance=information)"
    score = corefine.score(ENTITIES, response, name, kinds=KINDS)[name]
    # The first entity tells 5 and has 6 of its 15 links; the second tells 3 and is whole.
    assert score.recall == pytest.approx((5 * 6 / 15 + 3) / 8)
    # In the response: 4 and 2 (Clinton and lady, for here they are new) and 3, all links right.
    assert score.precision == 1
    signature = corefine.score(ENTITIES, response, name, kinds=KINDS).signature
    assert signature.settings["kinds"].startswith("given.")


def test_any_weight_of_information():
    def letters(corpus: Corpus) -> FloatArray:
        return np.array([len(corpus.text_of(i)) for i in range(len(corpus.mentions))], float)

    metric = Lea("information", letters)
    key, response = [["ab", "cde"], ["f", "gh"]], [["ab", "cde"], ["f"], ["gh"]]
    score = corefine.score(key, response, metric)[str(metric)]
    assert str(metric) == "lea(importance=information,weight=letters)"
    assert score.recall == 5 / 8
    assert score.precision == pytest.approx(5 / 8)


@pytest.mark.parametrize(
    "weights", [lambda _: np.ones(1), lambda _: -np.ones(2), lambda _: np.full(2, np.nan)]
)
def test_weights_are_checked(weights):
    with refused("usage"):
        weights_of(weights, Corpus.from_entities([["a", "b"]]))  # type: ignore[arg-type]
