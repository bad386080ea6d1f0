"""Entities that reach beyond a document: scoring by topic and by corpus."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import corefine
from corefine.corpus.corpus import Corpus
from corefine.corpus.selection import select_documents
from tests.building.refusals import refused

LABELS = st.lists(st.integers(0, 3), min_size=12, max_size=12)
DOCUMENTS = ["a_1", "a_2", "b_1"] * 4


def corpus(labels: list[int]) -> Corpus:
    return Corpus.from_labels(labels, documents=DOCUMENTS)


@given(LABELS, LABELS)
def test_corpus_scope_is_one_large_document(key, response):
    joined = corefine.score(corpus(key), corpus(response), scope="corpus")
    whole = corefine.score(Corpus.from_labels(key), Corpus.from_labels(response))
    for name in whole:
        assert joined[name].f1 == pytest.approx(whole[name].f1, abs=1e-12), name


@given(LABELS, LABELS, st.permutations(range(3)))
def test_the_order_of_documents_changes_no_count(key, response, order):
    sides = corpus(key), corpus(response)
    moved = select_documents(sides[0], order), select_documents(sides[1], order)
    for scope in ("corpus", "topic"):
        joined = corefine.score(*sides, metrics="all", scope=scope, kinds="none").to_dict()
        again = corefine.score(*moved, metrics="all", scope=scope, kinds="none").to_dict()
        for name, scores in joined["scores"].items():
            assert again["scores"][name] == pytest.approx(scores, abs=1e-12), name


@given(LABELS, LABELS)
def test_topic_scope_joins_documents_of_a_topic(key, response):
    by_topic = corefine.score(corpus(key), corpus(response), scope="topic")
    topics = [document[0] for document in DOCUMENTS]
    expected = corefine.score(
        Corpus.from_labels(key, documents=topics, mentions=np.arange(12)),
        Corpus.from_labels(response, documents=topics, mentions=np.arange(12)),
    )
    for name in expected:
        assert by_topic[name].f1 == pytest.approx(expected[name].f1, abs=1e-12), name
    assert list(by_topic.documents) == ["a", "b"]
    assert "scope:topic" in str(by_topic.signature)


def test_a_side_without_mentions_needs_no_ids_of_entities():
    empty = Corpus.from_documents({"a": [], "b": []})
    key = Corpus.from_labels(["x", "x"], documents=["a", "b"])
    assert corefine.score(key, empty, scope="corpus", allow_empty=True)["lea"].recall == 0


def test_singletons_of_a_document_may_be_links_of_the_corpus():
    key = Corpus.from_labels(["x", "x"], documents=["a", "b"])
    assert corefine.score(key, key, singletons="drop")["lea"].f1 == 0
    assert corefine.score(key, key, singletons="drop", scope="corpus")["lea"].f1 == 1


def test_topics_come_from_a_column_where_there_is_one(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text("document,mention,entity,topic\nd,a,1,x\ne,a,1,x\nf,a,1,y\n")
    scores = corefine.score(path, path, scope="topic")
    assert list(scores.documents) == ["x", "y"]
    assert scores["muc"].f1 == 1


def test_what_cannot_be_joined_is_refused():
    with refused("usage"):
        corefine.score({"a": [["x"]]}, {"a": [["x"]]}, scope="corpus")
    plain = Corpus.from_labels([1, 1], documents=["a", "b"])
    with refused("usage"):
        corefine.score(plain, plain, scope="topic")
    with refused("usage"):
        corefine.Evaluator(scope="corpus")
