"""Rules for mentions that one side lacks, against the same rules on plain lists."""

from __future__ import annotations

import pytest
from hypothesis import given

import corefine
from corefine.corpus.corpus import Corpus
from tests.building.partitions import Entities, entity_lists

METRICS = "mentions,muc,b3,ceafm,ceafe,blanc,lea,lmuc,lb3,lceafm,lceafe,parent,pairs"
KINDS = {mention: ("name", "nominal", "pronoun")[mention % 3] for mention in range(12)}


def without(side: Entities, mentions: set[int]) -> Entities:
    entities = [[mention for mention in entity if mention not in mentions] for entity in side]
    return [entity for entity in entities if entity]


def mentions_of(side: Entities) -> set[int]:
    return {mention for entity in side for mention in entity}


def with_singletons(side: Entities, mentions: set[int]) -> Entities:
    return [*side, *([mention] for mention in sorted(mentions))]


@given(entity_lists(), entity_lists())
def test_dropped_and_added_mentions_equal_edited_lists(key, response):
    ours, theirs = mentions_of(key), mentions_of(response)
    edited = {
        "drop": (without(key, ours - theirs), without(response, theirs - ours)),
        "add-to-key": (with_singletons(key, theirs - ours), response),
    }
    for strategy, sides in edited.items():
        found = corefine.score(key, response, METRICS, twinless=strategy, kinds=KINDS)
        expected = corefine.score(*sides, METRICS, kinds=KINDS)
        for name, score in expected.items():
            assert found[name].precision == pytest.approx(score.precision, abs=1e-12), name
            assert found[name].recall == pytest.approx(score.recall, abs=1e-12), name


@given(entity_lists(), entity_lists())
def test_cai_and_strube(key, response):
    ours, theirs = mentions_of(key), mentions_of(response)
    filled = with_singletons(response, ours - theirs)
    alone = {entity[0] for entity in response if len(entity) == 1 and entity[0] not in ours}
    for_precision = (with_singletons(key, theirs - ours - alone), without(filled, alone))
    for_recall = (key, without(filled, theirs - ours))
    metrics = "b3,ceafm,ceafe,lb3,lceafm,lceafe"
    found = corefine.score(key, response, metrics, twinless="cai-strube", kinds=KINDS)
    precision = corefine.score(*for_precision, metrics, kinds=KINDS)
    recall = corefine.score(*for_recall, metrics, kinds=KINDS)
    for name, score in found.items():
        assert score.precision == pytest.approx(precision[name].precision, abs=1e-12), name
        assert score.recall == pytest.approx(recall[name].recall, abs=1e-12), name


def test_metrics_that_the_rule_is_not_made_for_stay_and_are_named():
    key, response = [["a", "b", "c"], ["d"]], [["a", "b", "x"], ["y"]]
    plain = corefine.score(key, response, "muc,lea,b3")
    split = corefine.score(key, response, "muc,lea,b3", twinless="cai-strube")
    assert plain["muc"] == split["muc"]
    assert plain["lea"] == split["lea"]
    assert plain["b3"] != split["b3"]
    assert len(split.warnings) == 1
    assert "twinless:cai-strube|" in str(split["b3"].signature)
    assert corefine.score(key, response, "b3,ceafe", twinless="cai-strube").warnings == ()


def test_mentions_with_places_join_mentions_with_names():
    key = Corpus.from_entities([[(0, 0), (1, 1)], [(2, 2)]])
    response = Corpus.from_entities([[(0, 0), (1, 1)], [(2, 2), "x"]])
    scores = corefine.score(key, response, "b3,muc", twinless="add-to-key")
    lists = [[(0, 0), (1, 1)], [(2, 2)], [(3, 3)]], [[(0, 0), (1, 1)], [(2, 2), (3, 3)]]
    assert scores.by_name == corefine.score(*lists, "b3,muc").by_name
