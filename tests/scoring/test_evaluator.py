"""An evaluator that several threads share, and copies of one."""

from __future__ import annotations

import copy
import pickle
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from corefine import Corpus, Evaluator
from corefine.errors import UsageError

KEY, RESPONSE = [["a", "b", "c"], ["d", "e"]], [["a", "b"], ["c", "d", "e"]]


def whole(documents: int) -> Evaluator:
    evaluator = Evaluator("muc,b3,ceafe,lea,conll")
    for number in range(documents):
        evaluator.update(KEY, RESPONSE, f"d{number}")
    return evaluator


def test_threads_lose_nothing_and_count_nothing_twice() -> None:
    """Threads update, compute and merge at once: the sums are those of one thread."""
    evaluator = Evaluator("muc,b3,ceafe,lea,conll")
    evaluator.window = 7
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    seen = []

    def work(number: int) -> None:
        evaluator.update(KEY, RESPONSE, f"d{number}")
        if number % 10 == 0:
            seen.append(len(evaluator.compute().documents))
        if number % 40 == 0:
            evaluator.merge(Evaluator("muc,b3,ceafe,lea,conll"))

    try:
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(work, range(200)))
    finally:
        sys.setswitchinterval(before)
    found = evaluator.compute()
    assert sorted(found.documents) == sorted(f"d{number}" for number in range(200))
    assert found.by_name == whole(200).compute().by_name
    assert len(seen) == 20
    assert all(1 <= count <= 200 for count in seen)


def test_one_document_from_many_threads_counts_once() -> None:
    evaluator = Evaluator("muc")
    refused = []

    def work(_: int) -> None:
        try:
            evaluator.update(KEY, RESPONSE, "d")
        except UsageError:
            refused.append(1)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(50)))
    assert len(refused) == 49
    assert len(evaluator.compute().documents) == 1


def test_two_evaluators_merged_into_each_other_do_not_wait_for_ever() -> None:
    one, other = Evaluator("muc"), Evaluator("muc")
    with ThreadPoolExecutor(2) as pool:
        tasks = [pool.submit(a.merge, b) for a, b in [(one, other), (other, one)] * 50]
        for task in tasks:
            task.result(timeout=20)


def sent(evaluator: Evaluator) -> Evaluator:
    received = pickle.loads(pickle.dumps(evaluator))
    assert isinstance(received, Evaluator)
    return received


@pytest.mark.parametrize("copied", [copy.deepcopy, copy.copy, sent])
def test_a_copy_goes_its_own_way(copied: Callable[[Evaluator], Evaluator]) -> None:
    evaluator = whole(3)
    other = copied(evaluator)
    other.update(KEY, KEY, "more")
    assert len(evaluator.compute().documents) == 3
    assert len(other.compute().documents) == 4
    with pytest.raises(UsageError, match="already"):
        other.update(KEY, KEY, "d1")


def test_an_evaluator_is_not_merged_with_itself() -> None:
    evaluator = Evaluator("muc")
    evaluator.update(KEY, RESPONSE)
    with pytest.raises(UsageError):
        evaluator.merge(evaluator)
    assert len(evaluator.compute().documents) == 1


def test_documents_keep_the_order_in_which_they_were_added() -> None:
    evaluator = Evaluator("muc")
    evaluator.update(KEY, RESPONSE, "first")
    evaluator.update(KEY, RESPONSE)
    evaluator.update({"third": KEY}, {"third": RESPONSE})
    evaluator.update(KEY, RESPONSE, "fourth")
    assert list(evaluator.compute().documents) == ["first", "#2", "third", "fourth"]
    others = Evaluator("muc")
    others.update(KEY, RESPONSE)
    merged = evaluator.merge(others).compute()
    assert list(merged.documents) == ["first", "#2", "third", "fourth", "#5"]


def test_the_id_of_a_document_applies_to_corpora_of_one_document_only() -> None:
    evaluator = Evaluator("muc")
    evaluator.update(Corpus.from_entities(KEY), Corpus.from_entities(RESPONSE), "named")
    assert list(evaluator.compute().documents) == ["named"]
    with pytest.raises(UsageError):
        evaluator.update({"a": KEY, "b": KEY}, {"a": KEY, "b": KEY}, "named")
    with pytest.raises(UsageError):
        evaluator.update(KEY, RESPONSE, "named")
