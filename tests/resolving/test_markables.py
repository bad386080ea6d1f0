"""Markables: the mentions of a file, and those found by the syntax."""

from __future__ import annotations

from pathlib import Path

import pytest

import corefine
from corefine.corpus.corpus import Corpus
from corefine.resolving.detection import detect
from corefine.resolving.markables import markables_of
from tests.building.refusals import refused
from tests.building.resolving_corpora import marked

TAGGED = (
    "The/DT old/JJ man/NN 's/POS dog/NN saw/VBD President/NNP Anna/NNP Berg/NNP ./.\n"
    "She/PRP fed/VBD it/PRP with/IN her/PRP$ bread/NN ,/, and/CC there/EX was/VBD peace/NN ./."
)


def texts(corpus: Corpus) -> list[str]:
    return [corpus.text_of(i) for i in range(len(corpus.mentions))]


def test_noun_phrases_from_parts_of_speech() -> None:
    assert texts(detect(marked(TAGGED))) == [
        "The old man 's dog", "President Anna Berg", "She", "it", "her bread", "her", "peace",
    ]  # fmt: skip
    # A name inside a phrase with another head is a markable too.
    trains = detect(marked("the/DT Paris/NNP trains/NNS left/VBD"))
    assert texts(trains) == ["the Paris trains", "Paris"]


def test_maximal_noun_phrases_from_constituents() -> None:
    corpus = marked(
        "The/DT roof/NN of/IN the/DT house/NN and/CC Anna/NNP fell/VBD",
        parse="(S(NP(NP(NP* *) (PP* (NP* *))) * (NP*)) (VP*))",
    )
    assert texts(detect(corpus)) == [
        "The roof of the house and Anna", "The roof of the house", "the house", "Anna",
    ]  # fmt: skip


def test_noun_phrases_from_dependencies_leave_out_what_stands_apart() -> None:
    corpus = marked(
        "in/IN the/DT house/NN of/IN Anna/NNP ,/, dogs/NNS slept/VBD",
        head="3 3 8 5 3 8 8 0",
        deprel="case det obl case nmod punct nsubj root",
    )
    assert texts(detect(corpus)) == ["the house of Anna", "Anna", "dogs"]


def test_documents_without_syntax_give_a_clear_error() -> None:
    with refused("usage"):
        detect(marked("[1 Anna ] slept"))
    with refused("usage"):
        markables_of(Corpus.from_entities([["a", "b"]]))


def test_detected_markables_have_the_entities_of_the_key() -> None:
    corpus = marked(
        "[1 Anna/NNP ] fed/VBD [2 the/DT dog/NN ] ./.\n[1 She/PRP ] saw/VBD a/DT cat/NN ./."
    )
    markables = markables_of(corpus, "detected")
    by_text = dict(zip(texts(markables.corpus), markables.entity.tolist(), strict=True))
    assert by_text["Anna"] == by_text["She"]
    assert len({by_text["Anna"], by_text["the dog"], by_text["a cat"]}) == 3


def test_mentions_given_twice_and_documents_without_mentions() -> None:
    assert len(markables_of(marked("[1 [2 Anna ] ] slept"))) == 1
    corpus = marked("It/PRP rains/VBZ")
    assert len(markables_of(corpus)) == 0
    assert markables_of(corpus, "detected").start.tolist() == [0]


@pytest.mark.slow
@pytest.mark.data
def test_markables_are_found_in_a_real_corpus(data: Path) -> None:
    key = corefine.read(data / "gum" / "key.conll")
    found = corefine.score(key, detect(key), metrics="mentions")["mentions"]
    assert found.f1 > 0.7
