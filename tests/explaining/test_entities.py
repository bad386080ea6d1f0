"""Entities: information kept, spurious entities, order, and how they are shown."""

from __future__ import annotations

import csv
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

import corefine
from corefine.corpus.columns import Kind
from corefine.explaining.categories import CATEGORIES
from corefine.explaining.entities import information_by_place
from corefine.kinds.guess import is_content_word
from corefine.metrics import parse
from tests.building.explained_corpora import corpus_of, sides
from tests.building.partitions import entity_lists
from tests.building.refusals import refused

TEXT = [line.split() for line in ["Bill Clinton met the old President of Rome and he left Clinton"]]
CLINTON, PRESIDENT, HE, CLINTON_AGAIN = (0, 1), (3, 7), (9, 9), (11, 11)
KINDS = {CLINTON: Kind.NAME, PRESIDENT: Kind.NOMINAL, HE: Kind.PRONOUN, CLINTON_AGAIN: Kind.NAME}


def test_information_is_what_no_earlier_mention_has_told():
    key = corpus_of([(TEXT, [[CLINTON, PRESIDENT, HE, CLINTON_AGAIN]])], [KINDS])
    response = corpus_of([(TEXT, [[PRESIDENT, HE, CLINTON_AGAIN]])], [KINDS])
    table = corefine.entities(key, response)
    (entity,) = table
    # bill clinton, then old president rome, nothing, and a name at least 1.
    assert entity.information == 2 + 3 + 0 + 1
    # The first name is missed, but only "Bill" is lost.
    assert entity.information_kept == table.information_kept == 5 / 6
    assert entity.text == "Bill Clinton"


@given(sides())
def test_information_kept_by_every_word(corpora):
    """With the default weight, words of the key entity that stand in a mention of both."""
    key, response = (replace(side, mentions=replace(side.mentions, kind=None)) for side in corpora)
    table = corefine.entities(key, response)
    for entity in table:
        spans = [
            [(int(side.mentions.start[row]), int(side.mentions.stop[row])) for row in rows]
            for side, rows in (
                (table.matching.key, entity.key_mentions),
                (table.matching.response, entity.response_mentions),
            )
        ]
        if not spans[1]:
            continue
        number = key.documents.index(entity.document)
        assert key.tokens is not None
        base = int(key.tokens.offsets[number])
        text = [word.casefold() for word in key.tokens.words.tolist()]
        both = {
            place
            for first, stop in spans[0]
            for place in range(first, stop)
            if any(low <= place < high for low, high in spans[1])
        }
        told = {text[base + at] for first, stop in spans[0] for at in range(first, stop)}
        told = set(filter(is_content_word, told))
        kept = {text[base + place] for place in both} & told
        assert entity.information == len(told)
        if told:
            assert entity.information_kept == pytest.approx(len(kept) / len(told))


def test_information_is_pluggable():
    def one_each(corpus):
        return np.ones(len(corpus.mentions))

    table = corefine.entities([["a", "b", "c"]], [["a", "b", "x"]], information=one_each)
    assert table[0].information_kept == 2 / 3
    with refused("usage"):
        corefine.entities([["a"]], [["a"]], information=lambda corpus: np.ones(7))
    with refused("usage"):
        corefine.entities([["a"]], [["a"]], information=lambda corpus: -np.ones(1))


def test_nothing_is_kept_of_an_entity_without_partner():
    table = corefine.entities([["Anna", "she"], ["Rome"]], [["Rome"], ["it"]])
    missing, found = table
    assert (missing.response_name, missing.response_size, missing.shared) == (None, 0, 0)
    assert (missing.information_kept, found.information_kept) == (0, 1)
    assert (missing.response_entity, missing.response_mentions) == (None, ())
    (spurious,) = table.spurious
    assert (spurious.text, spurious.size, spurious.in_key, spurious.name) == ("it", 1, 0, "2")


@given(sides())
def test_columns_against_their_definitions(corpora):
    table = corefine.entities(*corpora)
    matching, pairs = table.matching, table.pairs
    used = [entity.response_entity for entity in table if entity.response_entity is not None]
    assert len(used) == len(set(used))
    assert sorted(used + [entity.response_entity for entity in table.spurious]) == sorted(
        table.table.response.source.tolist()
    )
    for entity in table:
        assert len(entity.key_mentions) == entity.size
        assert len(entity.response_mentions) == entity.response_size
        ours = {matching.key.mention_id(index) for index in entity.key_mentions}
        theirs = {matching.response.mention_id(index) for index in entity.response_mentions}
        assert len(ours & theirs) == entity.shared
        assert entity.category in CATEGORIES
        assert (entity.category == "1") == (ours == theirs)
        b3 = entity.scores["b3"]
        assert b3.recall == entity.shared / entity.size
        for score in entity.scores.values():
            assert 0 <= score.f1 <= 1
    # CEAFe of the corpus is made of the very similarities of the pairs.
    total = parse("ceafe").statistics(table.table)["recall_part"].sum()
    assert table.scores["ceafe"][2].sum() == pytest.approx(total)
    assert (pairs.response >= 0).sum() == len(used)


@given(key=entity_lists(), response=entity_lists())
def test_scores_of_an_entity_are_those_of_its_pair_alone(key, response):
    pairs = corefine.entities(key, response, kinds="none").pairs
    for one, entity in enumerate(key):
        other = [] if pairs.response[one] < 0 else [response[pairs.response[one]]]
        alone = corefine.score([entity], other, "muc,ceafe,lea")
        for metric, score in alone.items():
            assert pairs.scores(metric)[2][one] == pytest.approx(score.f1), metric


@given(sides())
def test_information_over_the_text_is_that_of_mentions_by_their_place(pair):
    key, response = pair
    table = corefine.entities(key, response)
    expected = Counter(
        10 * mention.spans[0][0] // len(document.tokens or ())
        for document in key
        for mention in document.mentions
    )
    counts, weights, _, shares = zip(*information_by_place(table), strict=True)
    assert counts == tuple(expected[tenth] for tenth in range(10))
    assert sum(weights) == pytest.approx(table.information.sum())
    assert sum(shares) == pytest.approx(float(sum(weights) > 0))


def test_order():
    key = [["Rome"], ["Anna", "she", "her"], ["Bill", "he"], ["a dog", "it"]]
    response = [["Rome"], ["Anna", "she"], ["Bill", "her"]]
    table = corefine.entities(key, response)
    assert [e.category for e in table] == ["1", "2a", "3a", "4a"]
    assert "|key:1d.8m." in table.signature
    assert corefine.entities([["a"]], [["a"], ["a"]]).warnings
    assert table.order().tolist() == [0, 1, 2, 3]
    assert table.order("worst").tolist() == [3, 2, 1, 0]
    assert table.order("size").tolist() == [1, 2, 3, 0]
    assert table.order("category").tolist() == [3, 2, 1, 0]
    assert table.order("b3").tolist() == [3, 2, 1, 0]
    assert table.order("information").tolist() == [3, 1, 2, 0]
    # What an entity without information keeps is not known, so that it comes last.
    weighed = corefine.entities(key, response, kinds="guess", information="nominal=1")
    assert weighed.order("information").tolist() == [3, 1, 2, 0]
    with refused("unknown-value"):
        table.order("colour")


def test_nothing_at_all():
    table = corefine.entities([], [])
    assert (len(table), list(table), table.spurious) == (0, [], ())
    assert table.information_kept is None
    assert set(table.shares.values()) == {0}
    assert repr(table)


def test_texts_are_drawn_by_genre_and_length(tmp_path):
    """Holen's sample: of each genre one text of at most five sentences."""
    lengths = {f"{genre}/{n}": n for genre in ("bc", "nw", "wb") for n in range(1, 10)}
    key = corpus_of([([["Anna"]] * n, [[(0, 0)]]) for n in lengths.values()])
    key = replace(key, documents=tuple(lengths))
    table = corefine.entities(key, key)
    for draw, count in (("1,5", 1), ("3,5", 3), ("9,4", 4)):
        table.save_worksheet(tmp_path / "sheet.csv", draw=draw)
        rows = list(csv.DictReader((tmp_path / "sheet.csv").read_text("utf-8").splitlines()))
        drawn = [row["document"] for row in rows]
        assert Counter(name[:2] for name in drawn) == dict.fromkeys(("bc", "nw", "wb"), count)
        assert all(lengths[name] <= int(draw[2:]) for name in drawn)
    for draw in ("0,5", "5", "1,x", "1,5,2"):
        with refused("usage"):
            table.save_worksheet(tmp_path / "sheet.csv", draw=draw)
    with refused("usage"):
        corefine.entities([["a"]], [["a"]]).save_worksheet(tmp_path / "sheet.csv", draw="1,5")
