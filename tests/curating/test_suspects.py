"""Suspects: systems that agree against the key, and how many planted errors they find."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given

import corefine
from corefine.corpus.columns import Relation
from corefine.corpus.corpus import Corpus
from corefine.corpus.document import Document, Mention
from corefine.curating.suspects import SuspectReview
from docs.making import DOCS, regions_of
from docs.making import suspects as making
from tests.building.explained_corpora import sides
from tests.building.refusals import refused

WORDS = "Ann met old Eve . She saw the dog . Eve left it . Ann ran ."
ANN, EVE, SHE, DOG, EVE_AGAIN, IT, ANN_AGAIN = (
    (0, 1), (2, 4), (5, 6), (7, 9), (10, 11), (12, 13), (14, 15),
)  # fmt: skip
RIGHT = [[ANN, SHE, ANN_AGAIN], [EVE, EVE_AGAIN], [DOG, IT]]


def corpus(*entities: list[tuple[int, int]]) -> Corpus:
    mentions = [Mention(str(n), [span]) for n, entity in enumerate(entities) for span in entity]
    return Corpus.from_documents([Document("d", WORDS.split(), mentions, [0, 5, 10, 14])])


CASES = {
    "missing mention": [[ANN, ANN_AGAIN], [EVE, EVE_AGAIN], [DOG, IT]],
    "missing entity": [[ANN, SHE, ANN_AGAIN], [EVE, EVE_AGAIN]],
    "span": [[ANN, SHE, ANN_AGAIN], [(3, 4), EVE_AGAIN], [DOG, IT]],
    "missing link": [[ANN], [SHE, ANN_AGAIN], [EVE, EVE_AGAIN], [DOG, IT]],
    "wrong link": [[ANN, SHE, ANN_AGAIN, DOG, IT], [EVE, EVE_AGAIN]],
}


@pytest.mark.parametrize("type_", CASES)
def test_two_systems_that_are_right_find_an_error_of_the_key(type_):
    systems = {"a": corpus(*RIGHT), "b": corpus(*RIGHT), "c": corpus(*CASES[type_])}
    found = corefine.suspects(corpus(*CASES[type_]), systems)
    (suspect,) = found
    assert (suspect.type, suspect.systems) == (type_, ("a", "b"))
    assert suspect.gain > 0
    assert found.contested["a"] == pytest.approx(1 - found.f1["a"])
    assert corefine.score(corpus(*RIGHT), found.corrected(), "lea")["lea"].f1 == 1
    assert "[" in suspect.sentence
    assert json.loads(found.to_json())["suspects"][0]["type"] == type_


def test_odds_by_hand():
    """Two systems with three entities each agree on one missing link; a third has the key's."""
    key = CASES["missing link"]
    systems = {"a": corpus(*RIGHT), "b": corpus(*RIGHT), "c": corpus(*key)}
    found = corefine.suspects(corpus(*key), systems)
    quality, rate = found.f1["a"], 1 / 3
    assert found.f1["c"] == 1  # taken for 0.99: nobody is certain
    expected = 2 * math.log(quality / rate) + math.log((1 - 0.99) / 1)
    assert found[0].odds == pytest.approx(expected)
    # One that links something else, once in its three entities, would seldom miss this link.
    systems["c"] = corpus(*key[:2], [*key[2], *key[3]])
    found = corefine.suspects(corpus(*key), systems)
    expected = 2 * math.log(quality / rate) + math.log((1 - found.f1["c"]) / (1 - rate))
    assert found[0].odds == pytest.approx(expected)
    mention = corefine.suspects(
        corpus(*CASES["missing mention"]), {"a": corpus(*RIGHT), "b": corpus(*RIGHT)}
    )
    assert mention[0].odds == pytest.approx(2 * math.log(mention.f1["a"] / (1 / 7)))


@given(sides())
def test_suspects_are_in_order_and_show_their_sentence(pair):
    key, system = pair
    found = corefine.suspects(key, {"a": system, "b": system}, allow_empty=True)
    order = [(-one.odds, -one.gain) for one in found]
    assert order == sorted(order)
    for one in found:
        document = next(document for document in key if document.name == one.document)
        words = document.tokens or []
        spans = min(one.mentions or one.entities[-1:])
        start, stop = spans[0][0], spans[-1][1]
        sentences = pairwise([*document.starts, len(words)])
        shown = [word for a, b in sentences if a < stop and start < b for word in words[a:b]]
        assert one.sentence.replace("[", "").replace("]", "").split() == shown
        assert f"[{' '.join(words[start:stop])}]" in one.sentence


def test_systems_that_disagree_with_each_other_suspect_nothing():
    other = [[ANN, EVE, SHE], [EVE_AGAIN, ANN_AGAIN], [DOG], [IT]]
    assert len(corefine.suspects(corpus(*RIGHT), {"a": corpus(*RIGHT), "b": corpus(*other)})) == 0
    # Entities that the key lacks, with half of their mentions in common.
    halves = {name: corpus([ANN, SHE, last], RIGHT[1]) for name, last in (("a", DOG), ("b", IT))}
    assert len(corefine.suspects(corpus(RIGHT[1]), halves)) == 0
    with refused("usage"):
        corefine.suspects(corpus(*RIGHT), {"a": corpus(*RIGHT)})


@pytest.mark.slow
@pytest.mark.parametrize("format", ["brat", "label-studio", "webanno"])
def test_the_corrected_key_is_a_pre_annotation(format, tmp_path):
    systems = dict.fromkeys("ab", corpus(*RIGHT))
    found = corefine.suspects(corpus(*CASES["missing mention"]), systems)
    corefine.write(found.corrected(), tmp_path / "review", format, lossy=True)
    assert len(corefine.read(tmp_path / "review", format).mentions) == 7


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.parametrize(("corpus", "systems"), list(making.SYSTEMS)[:1])
def test_the_numbers_of_the_page(data, corpus, systems):
    """Errors planted with ten seeds; at least half of the first twenty name one of GUM's."""
    folder = (data / corpus).parent
    page = regions_of((DOCS / "data.md").read_text("utf-8"))
    for name, row in (
        ("suspects-precision", making.precision_row(folder, corpus, systems)),
        ("suspects-recall", making.recall_row(folder, corpus, systems)),
    ):
        assert f"| {' | '.join(map(str, row))} |" in page[name].splitlines()
    if corpus != "ontogum":
        assert min(one.precision(20) for one in making.runs(folder, corpus, systems)) >= 0.5


def test_the_sentences_of_the_page():
    """What the page says about types holds in every row of its table."""
    page = regions_of((DOCS / "data.md").read_text("utf-8"))
    _, _, *rows = page["suspects-recall"].splitlines()
    for row in rows:
        _, _, mention, span, link, merged = (cell.strip() for cell in row.strip("|").split("|"))
        assert float(span) == max(map(float, (mention, span, link, merged)))
        assert float(merged) <= 0.5


def test_a_review_without_judgements_keeps_the_key():
    """Ids, attributes, relations, and a mention in two entities."""
    mentions = [
        Mention(entity, [span], head=span[0], type="X", attributes={"a": "b"})
        for entity, spans in {"x": RIGHT[0], "y": RIGHT[1], "z": [DOG, IT, ANN]}.items()
        for span in spans
    ]
    relations = [Relation("bridge", 0, "z", "x"), Relation("split", 0, "y", "z")]
    key = Corpus.from_documents(
        [Document("d", WORDS.split(), mentions, [0, 5, 10, 14], relations=relations)]
    )
    better = Corpus.from_documents([replace(key[0], mentions=mentions[:-2] + mentions[-1:])])
    found = corefine.suspects(key, {"a": key, "b": better, "c": better})
    review = SuspectReview(found)
    (kept,) = review.gold
    assert kept.mentions == sorted(key[0].mentions, key=lambda one: (one.spans, str(one.entity)))
    assert kept.relations == relations
    assert review.verdict == "0 of 0 suspects judged: 0 key wrong, 0 systems wrong, 0 debatable."
    assert corefine.adjudicate(key, key).gold[0].relations == [
        Relation("bridge", 0, "e2", "e1"), Relation("split", 0, "e3", "e2"),
    ]  # fmt: skip
