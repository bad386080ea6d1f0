"""Evaluators: documents one by one, merged, copied, shared by threads, and what is refused."""

from __future__ import annotations

import copy
import pickle
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from corefine import Corpus, Evaluator
from corefine.errors import UsageError, code_of
from corefine.matching.matching import KEPT_WARNINGS
from corefine.metrics.lea import Lea
from tests.building.refusals import refused

KEY, RESPONSE = [["a", "b", "c"], ["d", "e"]], [["a", "b"], ["c", "d", "e"]]
METRICS = "muc,b3,ceafe,lea,conll"


def whole(documents: int) -> Evaluator:
    evaluator = Evaluator(METRICS)
    for number in range(documents):
        evaluator.update(KEY, RESPONSE, f"d{number}")
    return evaluator


def sent(evaluator: Evaluator) -> Any:
    return pickle.loads(pickle.dumps(evaluator))


@pytest.mark.parametrize("copied", [copy.deepcopy, copy.copy, sent])
def test_copies_are_independent(copied):
    evaluator = whole(3)
    other = copied(evaluator)
    assert other.compute() == evaluator.compute()
    other.update(KEY, KEY, "more")
    assert len(evaluator.compute().documents) == 3
    assert len(other.compute().documents) == 4
    with refused("usage"):
        other.update(KEY, KEY, "d1")


def test_threads_lose_nothing_and_count_nothing_twice():
    """Threads update, compute and merge at once: the sums are those of one thread."""
    evaluator = Evaluator(METRICS)
    evaluator.window = 7
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    seen, refused = [], []

    def work(number: int) -> None:
        evaluator.update(KEY, RESPONSE, f"d{number}")
        try:
            evaluator.update(KEY, RESPONSE, "once")
        except UsageError:
            refused.append(number)
        if number % 10 == 0:
            seen.append(len(evaluator.compute().documents))
            evaluator.merge(Evaluator(METRICS))

    try:
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(work, range(60)))
    finally:
        sys.setswitchinterval(before)
    found = evaluator.compute()
    assert sorted(found.documents) == sorted(["once", *(f"d{number}" for number in range(60))])
    assert found.by_name == whole(61).compute().by_name
    assert len(refused) == 59
    assert len(seen) == 6


def test_two_evaluators_merged_into_each_other_do_not_wait_for_ever():
    one, other = Evaluator("muc"), Evaluator("muc")
    with ThreadPoolExecutor(2) as pool:
        tasks = [pool.submit(a.merge, b) for a, b in [(one, other), (other, one)] * 50]
        for task in tasks:
            task.result(timeout=300)


def test_documents_have_ids_or_numbers_in_the_order_of_their_addition():
    evaluator = Evaluator("muc")
    evaluator.update(KEY, RESPONSE, "first")
    evaluator.update(KEY, RESPONSE)
    evaluator.update({"third": KEY, "b": KEY}, {"b": RESPONSE, "third": RESPONSE})
    evaluator.update(Corpus.from_entities(KEY), Corpus.from_entities(RESPONSE), "named")
    assert list(evaluator.compute().documents) == ["first", "#2", "third", "b", "named"]
    others = Evaluator("muc")
    others.update(KEY, RESPONSE)
    assert list(others.compute().documents) == ["1"]
    merged = evaluator.merge(others).compute()
    assert list(merged.documents) == ["first", "#2", "third", "b", "named", "#6"]
    evaluator.reset()
    evaluator.update(KEY, RESPONSE, "first")
    assert list(evaluator.compute().documents) == ["first"]


def test_an_evaluator_without_documents():
    scores = Evaluator(by="kind,type").compute()
    assert scores["lea"].f1 == 0
    assert scores.documents == {}
    assert scores.breakdown == {"kind": {}, "type": {}}
    assert code_of(scores.warnings[0]) == "empty-key"


@pytest.mark.parametrize(
    ("key", "response", "document"),
    [
        (KEY, RESPONSE, "d0"),
        ({"a": KEY, "b": KEY}, {"a": KEY, "b": KEY}, "named"),
        ([[["list"]]], [], "bad"),
        (KEY, [["a", "b"], ["b", "c"]], "bad"),
    ],
    ids=["twice", "one id for two", "no mention", "duplicate mention"],
)
def test_a_refused_document_leaves_the_evaluator_as_it_was(key, response, document):
    evaluator = Evaluator(METRICS, duplicates="error")
    evaluator.update(KEY, RESPONSE, "d0")
    with refused("usage"):
        evaluator.update(key, response, document)
    evaluator.update(KEY, RESPONSE, "bad")
    assert evaluator.compute().by_name == whole(2).compute().by_name


@pytest.mark.parametrize(
    "other",
    [Evaluator("lea"), Evaluator(METRICS, by="kind"), whole(1)],
    ids=["metrics", "breakdowns", "documents"],
)
def test_a_refused_merge_leaves_the_evaluator_as_it_was(other):
    evaluator = whole(2)
    for one in (evaluator, other):
        with refused("usage"):
            evaluator.merge(one)
    evaluator.update(KEY, RESPONSE, "d2")
    assert evaluator.compute().by_name == whole(3).compute().by_name


def test_one_bad_document_costs_no_other_that_waits():
    def importance(side: Any) -> Any:
        if (side.size > 3).any():
            raise UsageError("too large")
        return side.size.astype(float)

    evaluator = Evaluator(Lea(importance=importance))
    evaluator.window = 3
    evaluator.update([["a", "b"]], [["a", "b"]])
    evaluator.update([["a", "b"]], [["a", "b"]])
    with refused("usage"):
        evaluator.update([["a", "b", "c", "d"]], [["a"]])
    assert len(evaluator.compute().documents) == 2


def test_warnings_do_not_pile_up():
    evaluator = Evaluator()
    evaluator.window = 1
    for _ in range(60):
        evaluator.update([["a", "b"]], [["a", "b"], ["b", "c"]])
    first, *warnings = evaluator.compute().warnings
    assert code_of(first) == "singletons"
    assert len(warnings) == KEPT_WARNINGS + 1
    assert str(60 - KEPT_WARNINGS) in warnings[-1]
