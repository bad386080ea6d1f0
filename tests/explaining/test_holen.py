"""Scores of entity pairs, ranks and categories as Holen (2013) prints them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from scipy.stats import kendalltau

import corefine
from corefine.corpus.corpus import Corpus
from corefine.explaining.pairing import PAIR_METRICS
from corefine.explaining.papers.evaluation import load
from corefine.explaining.papers.holen import document
from corefine.kinds.guess import is_content_word
from tests.building.explained_corpora import sides
from tests.building.refusals import refused

CASES = json.loads(
    (Path(__file__).parents[1] / "fixtures" / "cases" / "holen.json").read_text("utf-8")
)


KEY, RESPONSE = document(load("holen"))
NUMBERS = [pytest.param(number, id=case["name"]) for number, case in enumerate(CASES)]


def share_a_content_word(mine: str, other: str) -> bool:
    return any(map(is_content_word, {*mine.casefold().split()} & {*other.casefold().split()}))


@pytest.mark.parametrize("number", NUMBERS)
def test_scores_of_a_pair_in_her_reading(number):
    entity = corefine.entities(KEY, RESPONSE)[number]
    for metric in PAIR_METRICS:
        expected = CASES[number]["expected"][f"holen_{metric}"]
        score = entity.scores[metric]
        assert [score.precision, score.recall, score.f1] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("overlap", [None, share_a_content_word])
def test_categories(overlap):
    strict = corefine.entities(KEY, RESPONSE, overlap=overlap)
    lenient = corefine.entities(KEY, RESPONSE, overlap=overlap, lenient=True)
    mine, kind = ([whole(e.category) for e in table] for table in (strict, lenient))
    assert mine == [case["category"]["single"] for case in CASES]
    assert kind == [case["category"]["lenient_2b"] for case in CASES]
    published = [case["published"]["table"] for case in CASES]
    assert kind == published
    assert sum(one == theirs for one, theirs in zip(mine, published, strict=True)) == 20


def whole(category: str) -> str:
    """A category without the subcategories of 3 and 4."""
    return category[0] if category[0] in "34" else category


def test_subcategories_are_those_of_her_text():
    """Sections 4.1.3 and 4.1.4: wrong information, and no response entity."""
    found: dict[str, set[str]] = {}
    for case, entity in zip(CASES, corefine.entities(KEY, RESPONSE), strict=True):
        name = case["name"].rpartition("_")[2]
        found.setdefault(entity.category, set()).add(name)
    assert found["3a"] == {"BN2", "MZ17", "MZ40"}
    assert found["3b"] == {"MZ19"}
    assert found["4a"] >= {"MZ38", "NW4"}
    assert found["4b"] == {"WB0", "WB1", "MZ33"}


def test_information_is_judged_better_without_what_is_wrong():
    """τ with her ranking: of the information kept, of what is left without the wrong one."""
    human = [-case["published"]["rank"][-1] for case in CASES]
    for lenient, least in ((False, 0.70), (True, 0.74)):
        table = corefine.entities(KEY, RESPONSE, lenient=lenient)
        kept = [entity.information_kept for entity in table]
        assert kendalltau(table.information_f1, human)[0] > max(
            least, kendalltau(kept, human)[0], kendalltau(table.scores["lea"][2], human)[0]
        )


@pytest.mark.parametrize(
    ("key", "response", "category"),
    [
        ([["Ann", "she"], ["he", "Bob"]], [["Ann", "she", "he"]], "3a"),
        ([["Ann", "she"], ["her", "Eve"]], [["Ann", "she", "her"]], "3b"),
        ([["Ann", "she"], ["the dog", "it"]], [["Ann", "she", "the dog"]], "3a"),
        ([["the team", "they"], ["them", "Rome"]], [["the team", "they", "them"]], "3b"),
        ([["I", "he"], ["me", "Rome"]], [["he", "I", "me", "Ann"]], "4b"),
    ],
)
def test_wrong_information(key, response, category):
    assert corefine.entities(key, response)[0].category == category


def test_features_of_the_corpus_decide_about_wrong_information():
    table = corefine.entities([["a cat", "x"], ["y"]], [["a cat", "x", "y"]])
    assert table[0].wrong_information == 1
    assert table[0].information_f1 == 2 * 2 / (2 + 2 + 1)


def test_overlap_and_information_by_name():
    key, response = [["Anna Lee", "the old doctor"]], [["Anna Lee", "a doctor"]]
    assert corefine.entities(key, response, overlap="substring(6)")[0].category == "2b"
    assert corefine.entities(key, response, overlap="substring(9)")[0].category == "4b"
    assert corefine.entities(key, response, overlap="head")[0].category == "2b"
    assert corefine.entities(key, response, correct=2)[0].category == "other"
    weights = corefine.entities(key, response, kinds="guess", information="name=2,nominal=1")
    assert weights[0].information == 3
    for wrong in ({"overlap": "letters"}, {"information": "words"}, {"information": "noun=1"}):
        with refused("usage"):
            corefine.entities(key, response, **wrong)


def test_overlap_is_pluggable():
    never = corefine.entities(KEY, RESPONSE, overlap=lambda mine, other: False)
    assert [entity.category for entity in never] == [
        "1" if case["key"] == case["response"] else "4b" if entity.response_size else "4a"
        for case, entity in zip(CASES, never, strict=True)
    ]


def test_2b_needs_a_partial_mention_for_a_missed_one():
    key, response = [["Anna Lee", "the doctor", "she"]], [["Anna Lee", "she", "the dog"]]
    assert corefine.entities(key, response)[0].category == "other"
    assert corefine.entities(key, response, literal=True)[0].category == "2b"
    partial = [["Anna Lee", "she", "doctor"]]
    assert corefine.entities(key, partial)[0].category == "2b"
    # "Lee" overlaps with a mention of the key, but not with the one that is missed.
    assert corefine.entities(key, [["Anna Lee", "she", "Lee"]])[0].category == "other"


@given(sides())
def test_2b_by_every_two_mentions(corpora):
    key, response = corpora
    table = corefine.entities(key, response)
    sides_of = table.matching.key, table.matching.response
    on_text = all(side.tokens is not None and side.has_places for side in sides_of)

    def parts(corpus: Corpus, mention: int) -> set[object]:
        """Where the mention stands; its content words where there is no text."""
        if not on_text:
            words = corpus.text_of(mention).casefold().split()
            return {word for word in words if is_content_word(word)}
        document = int(corpus.mentions.document[mention])
        places = (
            place for start, stop in corpus.pieces_of(mention) for place in range(start, stop)
        )
        return {(document, place) for place in places}

    for entity in table:
        if entity.category not in ("2b", "other"):
            continue
        mine, other = (
            [(corpus.mention_id(row), parts(corpus, row)) for row in mentions]
            for corpus, mentions in zip(
                sides_of, (entity.key_mentions, entity.response_mentions), strict=True
            )
        )
        missed = [one for one in mine if one[0] not in {place for place, _ in other}]
        added = [one for one in other if one[0] not in {place for place, _ in mine}]
        partial = any(a & b for _, a in missed for _, b in added)
        assert (entity.category == "2b") == partial


def test_lenient_without_a_text_goes_by_the_words_of_names():
    key = [["China 's People 's Congress", "that congress"], ["the harbour"]]
    response = [["the People 's Congress", "it"], ["a dog"]]
    table = corefine.entities(key, response, lenient=True)
    assert [entity.category for entity in table] == ["2b", "4a"]
    assert table[0].response_size == 2
    assert [entity.text for entity in table.spurious] == ["a dog"]
    assert [e.category for e in corefine.entities(key, response)] == ["4a", "4a"]
