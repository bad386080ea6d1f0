"""Attribution: gains are those of scoring corrected responses, and add up to the whole."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import corefine
from corefine.corpus.corpus import Corpus
from corefine.explaining.corrections import Pool
from corefine.explaining.diagnosis import TYPES, ErrorType
from corefine.explaining.explanation import Explanation
from corefine.matching.settings import CHOICES
from corefine.metrics import resolve
from tests.building.explained_corpora import Span, corpus_of, sides

METRICS = "default,lea(importance=uniform),blanc(rule=luo2014)"


def written_out(explanation: Explanation, labels) -> tuple[Corpus, Corpus]:
    """Key and corrected response as lists of rows, document by document."""
    table = explanation.table
    corpora = []
    for column in (table.key_entity, labels):
        documents: dict[str, dict[int, list[int]]] = {
            name: defaultdict(list) for name in table.documents
        }
        for row, label in enumerate(column.tolist()):
            if label >= 0:
                documents[table.documents[int(table.document[row])]][label].append(row)
        corpora.append(Corpus.from_documents({n: d.values() for n, d in documents.items()}))
    return corpora[0], corpora[1]


@given(sides(), st.sampled_from(["keep", "drop"]))
def test_every_step_is_the_score_of_the_corrected_response(corpora, singletons):
    key, response = corpora
    explanation = corefine.explain(key, response, METRICS, singletons=singletons)
    attribution, diagnosis = explanation.attribution, explanation.diagnosis
    assert attribution.base.by_name == explanation.scores.by_name
    for count, type_ in enumerate(TYPES, start=1):
        for corrected, scores in (
            (TYPES[:count], attribution.sequence[type_]),
            ((type_,), attribution.alone[type_]),
        ):
            key, response = written_out(explanation, diagnosis.corrected_labels(corrected))
            expected = corefine.score(key, response, METRICS, singletons=singletons)
            assert [score.f1 for score in scores.values()] == pytest.approx(
                [score.f1 for score in expected.values()], abs=1e-12
            )


@given(sides(), st.sampled_from(["keep", "drop"]))
def test_the_sequence_ends_at_the_key_and_adds_up(corpora, singletons):
    key, response = corpora
    explanation = corefine.explain(key, response, METRICS, singletons=singletons)
    attribution = explanation.attribution
    itself = corefine.score(key, key, METRICS, singletons=singletons)
    assert attribution.final.by_name == itself.by_name
    linked = (explanation.table.key.size > 1).any()
    for name, metric in resolve(METRICS).items():
        if linked and metric.perfect_is_one:
            assert attribution.final[name].f1 == 1
        whole = attribution.final[name].f1 - attribution.base[name].f1
        assert math.fsum(attribution.gains[name].values()) == pytest.approx(whole, abs=1e-12)


EVERY_METRIC = "all,lea(importance=information),lmuc(weights=W5)"


@pytest.mark.slow
@given(sides())
def test_metrics_that_look_at_mentions_see_the_corrected_response(corpora):
    """Kinds, words and links of a corrected response are those of the corpus that it is."""
    key, response = corpora
    explanation = corefine.explain(key, response, EVERY_METRIC)
    diagnosis = explanation.diagnosis
    pool = Pool.of(diagnosis.table)
    for type_ in TYPES:
        corrected = pool.table(diagnosis.corrected_labels([type_])).matching
        assert corrected is not None
        expected = corefine.score(key, corrected.response, EVERY_METRIC)
        found = explanation.attribution.alone[type_]
        if expected.kind_sources:  # a correction may leave no mention whose kind is told
            assert found.signature == expected.signature
        assert [score.f1 for score in found.values()] == pytest.approx(
            [score.f1 for score in expected.values()], abs=1e-12
        )


@pytest.mark.slow
@given(sides(), st.sampled_from(CHOICES["twinless"]))
def test_rules_for_twinless_mentions(corpora, rule):
    key, response = corpora
    explanation = corefine.explain(key, response, "b3,ceafe,muc,lea", twinless=rule)
    scores = corefine.score(key, response, "b3,ceafe,muc,lea", twinless=rule)
    assert explanation.scores.by_name == scores.by_name
    assert explanation.scores.warnings == scores.warnings
    if (explanation.table.key.size > 1).any():
        assert {score.f1 for score in explanation.attribution.final.values()} == {1}
    if rule == "drop":
        counts = explanation.errors.counts()
        assert sum(counts.values()) == counts["split entity"] + counts["merged entities"]


def test_gains_by_hand():
    """Key {a b c} {d e}, response {a b} {c} {d e x}: B³ by fractions."""
    explanation = corefine.explain(
        [["a", "b", "c"], ["d", "e"]], [["a", "b"], ["c"], ["d", "e", "x"]], metrics="b3"
    )
    recall = (4 / 3 + 1 / 3 + 2) / 5
    precision = (2 + 1 + 4 / 3) / 6
    attribution = explanation.attribution
    assert attribution.base["b3"].f1 == pytest.approx(2 * precision * recall / (precision + recall))
    joined = attribution.alone[ErrorType.SPLIT]["b3"]
    assert (joined.precision, joined.recall) == pytest.approx(((3 + 4 / 3) / 6, 1))
    without_extra = attribution.alone[ErrorType.EXTRA_MENTION]["b3"]
    assert (without_extra.precision, without_extra.recall) == pytest.approx((1, recall))
    assert attribution.gains_alone["b3"][ErrorType.SPAN] == 0
    plain = attribution.to_dict()["b3"]
    assert plain["key"] == 1
    assert list(plain["sequence"]) == list(map(str, TYPES))
    assert plain["alone"]["split entity"] == attribution.gains_alone["b3"][ErrorType.SPLIT]


LABELS = st.lists(st.integers(0, 3), min_size=12, max_size=12)


@pytest.mark.slow
@given(LABELS, LABELS, st.sampled_from(["topic", "corpus"]))
def test_entities_that_reach_beyond_documents(key, response, scope):
    documents = ["a_1", "a_2", "b_1"] * 4
    ours, theirs = (Corpus.from_labels(side, documents=documents) for side in (key, response))
    explanation = corefine.explain(ours, theirs, scope=scope)
    assert explanation.scores.by_name == corefine.score(ours, theirs, scope=scope).by_name
    # Links across documents stay at 0 where the key has none.
    itself = corefine.score(ours, ours, scope=scope)
    assert explanation.attribution.final.by_name == itself.by_name
    assert len(explanation.documents) == (2 if scope == "topic" else 1)
    assert sum(summary.error_count for summary in explanation.documents) == len(explanation.errors)
    assert sum(summary.key_mentions for summary in explanation.documents) == 12
    for error in explanation.errors:
        assert error.document in documents
    assert {entity.document for entity in explanation.entities} <= set(documents)


def test_mentions_matched_by_their_heads_are_no_span_errors():
    text = [["the", "old", "painter", "left"]]

    def side(span: Span) -> Corpus:
        corpus = corpus_of([(text, [[span]])])
        return replace(corpus, mentions=replace(corpus.mentions, head=np.array([2])))

    key, response = side((0, 2)), side((1, 2))
    assert corefine.explain(key, response).errors.counts()["span error"] == 1
    explanation = corefine.explain(key, response, match="head")
    assert len(explanation.errors) == 0
    assert explanation.attribution.base.by_name == explanation.attribution.final.by_name
