"""Explanation: summaries of documents, examples, contexts, and how it is shown."""

from __future__ import annotations

import pytest

import corefine
from tests.building.explained_corpora import corpus_of
from tests.building.refusals import refused
from tests.building.sample import sample_path

KEY, CAREFUL, EAGER = (sample_path(name) for name in ("key", "careful", "eager"))


@pytest.fixture
def several():
    """Three documents: one right, one with an extra mention, one of which everything is missing."""
    key = {"a": [["x", "y"]], "b": [["x", "y"]], "c": [["x", "y"]]}
    response = {"a": [["x", "y"]], "b": [["x", "y", "z"]], "c": [["p", "q"]]}
    return corefine.explain(key, response, "muc,b3")


def test_documents_are_summed_up(several):
    right, wordy, lost = several.documents
    assert [summary.document for summary in several.documents] == ["a", "b", "c"]
    assert (right.error_count, right.f1) == (0, {"muc": 1, "b3": 1})
    assert (wordy.key_mentions, wordy.response_mentions) == (2, 3)
    assert {name: count for name, count in wordy.errors.items() if count} == {"extra mention": 1}
    assert {name: count for name, count in lost.errors.items() if count} == {
        "extra entity": 1,
        "missing entity": 1,
    }
    assert lost.f1 == {"muc": 0, "b3": 0}


def test_the_worst_documents_come_first(several):
    assert several.lead == "muc"
    assert [summary.document for summary in several.worst()] == ["c", "b", "a"]
    assert [summary.document for summary in several.worst(1, "b3")] == ["c"]
    assert corefine.explain(KEY, CAREFUL).lead == "conll"
    with refused("unknown-value"):
        several.worst(1, "lea")


def test_documents_with_equal_scores_are_ordered_by_errors_and_name():
    key = {name: [["x", "y"]] for name in "dcba"}
    response = {name: [["p", "q"]] for name in "dcb"} | {"a": [["p", "q"], ["r", "s"]]}
    explanation = corefine.explain(key, response, "muc")
    assert [one.document for one in explanation.worst()] == ["a", "b", "c", "d"]
    assert explanation.worst()[0].error_count > explanation.worst()[1].error_count
    assert explanation.worst(0) == []


def test_the_breakdowns_that_were_asked_for_are_shown():
    explained = corefine.explain([["x", "y"]], [["x"]], "muc", by="size")
    assert explained.default_tables == ("types", "worst", "examples", "by-size")


def test_examples_are_spread_over_documents():
    key = {name: [["x", "y"], ["u"], ["v"]] for name in "abc"}
    response = {name: [["x", "y"]] for name in "abc"}
    explanation = corefine.explain(key, response, "muc")
    examples = explanation.examples("missing entity", 4)
    assert [(error.document, error.text) for error in examples] == [
        ("a", "u"),
        ("b", "u"),
        ("c", "u"),
        ("a", "v"),
    ]
    assert explanation.examples("span error") == []


def test_context():
    text = [["one", "two"], ["three", "four", "five"]]
    key, response = corpus_of([(text, [[(1, 2)]])]), corpus_of([(text, [[(4, 4)]])])
    explanation = corefine.explain(key, response, "muc")
    missing, extra = explanation.errors
    assert explanation.context(missing, 1) == "one [two three] four …"
    assert explanation.context(missing) == "one [two three] four five"
    assert explanation.context(extra, 0) == "… [five]"
    names = corefine.explain([["a"]], [], "muc")
    assert names.context(names.errors[0]) == "[a]"


def test_the_verdict_adds_up_and_names_the_most_expensive_types():
    explanation = corefine.explain(KEY, CAREFUL, "muc,lea")
    costs = explanation.costs
    assert list(costs.values()) == sorted(costs.values(), reverse=True)
    lost = 1 - explanation.scores["muc"].f1
    assert sum(costs.values()) == pytest.approx(lost)
    assert explanation.verdict.startswith(f"Of {100 * lost:.1f} MUC points lost: ")
    assert explanation.verdict.count(",") == 2
    assert corefine.explain(KEY, KEY).verdict.startswith("There are no errors")
