"""Links by level, and averages over topics."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import corefine
from corefine.corpus.corpus import Corpus
from corefine.matching.units import levels_of

IDS = ("t/a/1", "t/a/2", "t/b/1", "u/a/1", "u/2", "v/a/1")
LEVELS = ("document", "subtopic", "topic", "corpus")
LABELS = st.lists(st.integers(0, 4), min_size=24, max_size=24)
DOCUMENTS = list(IDS) * 4


def corpus(labels: list[int], documents: list[str] = DOCUMENTS) -> Corpus:
    return Corpus.from_labels(labels, documents=documents, mentions=np.arange(len(labels)))


def level_of(one: str, other: str) -> str:
    """By hand: the smallest unit that holds two documents."""
    if one == other:
        return "document"
    first, second = one.split("/"), other.split("/")
    if first[0] != second[0]:
        return "corpus"
    both_in_subtopics = len(first) == len(second) == 3
    return "subtopic" if both_in_subtopics and first[1] == second[1] else "topic"


def links(labels: list[int], scope: str) -> dict[str, set[tuple[int, int]]]:
    """All coreferent pairs by level, listed one by one."""
    found: dict[str, set[tuple[int, int]]] = {level: set() for level in LEVELS}
    for one, other in combinations(range(len(labels)), 2):
        level = level_of(DOCUMENTS[one], DOCUMENTS[other])
        if labels[one] == labels[other] and (scope == "corpus" or level != "corpus"):
            found[level].add((one, other))
    return found


@given(LABELS, LABELS, st.sampled_from(["topic", "corpus"]))
def test_links_by_level_are_those_that_are_listed(key, response, scope):
    scores = corefine.score(corpus(key), corpus(response), "lea", scope=scope, by="level")
    found = scores.breakdown["level"]
    ours, theirs = links(key, scope), links(response, scope)
    for level in LEVELS:
        if not ours[level] | theirs[level]:
            assert level not in found
            continue
        score = found[level]["pairs.coreferent"]
        common = len(ours[level] & theirs[level])
        assert score.recall == pytest.approx(common / max(len(ours[level]), 1))
        assert score.precision == pytest.approx(common / max(len(theirs[level]), 1))
        assert f"level:{level}" in str(score.signature)


@given(LABELS, LABELS)
def test_levels_add_up_to_all_pairs(key, response):
    """Coreferent and other pairs, to the same counts."""
    scores = corefine.score(corpus(key), corpus(response), "pairs", scope="corpus", by="level")
    (divided,) = scores.breakdowns
    for metric, statistics in scores.counts.values.items():
        if metric not in divided.metrics:
            continue
        for name, column in statistics.items():
            parts = [divided.column(level, metric, name) for level in LEVELS]
            assert np.sum(parts, axis=0).tolist() == column.tolist()


def test_levels_in_the_ids_of_ecb_and_in_a_column_of_topics():
    """36_1ecb and 36_2ecb are one subtopic, 36_1ecbplus another of the same topic."""
    ecb = ["36_1ecb", "36_2ecb", "36_1ecbplus", "37_1ecb"]
    side = corpus([0] * 4, ecb)
    assert side.documents == ("36_1ecb", "36_1ecbplus", "36_2ecb", "37_1ecb")
    assert levels_of(side)[0].tolist() == [0, 0, 0, 1]
    assert levels_of(side)[1].tolist() == [0, 1, 0, 2]
    scores = corefine.score(side, side, "lea", scope="corpus", by="level")
    (divided,) = scores.breakdowns
    counts = {
        level: divided.column(level, "pairs.coreferent", "recall_whole").sum()
        for level in divided.parts
    }
    assert counts == {"subtopic": 1, "topic": 2, "corpus": 3}


@given(LABELS, LABELS)
def test_the_average_over_topics_is_the_mean_of_their_scores(key, response):
    scores = corefine.score(corpus(key), corpus(response), "b3,lea,conll", scope="topic")
    topics = [document.split("/")[0] for document in DOCUMENTS]
    by_topic = []
    for topic in "tuv":
        rows = [row for row, of in enumerate(topics) if of == topic]
        by_topic.append(
            corefine.score(
                Corpus.from_labels([key[row] for row in rows], mentions=rows),
                Corpus.from_labels([response[row] for row in rows], mentions=rows),
                "b3,lea,conll",
            )
        )
    for name in ("b3", "lea", "conll"):
        score = scores.group_average[name]
        assert score.f1 == pytest.approx(np.mean([one[name].f1 for one in by_topic]))
        if name != "conll":
            recall = np.mean([one[name].recall for one in by_topic])
            assert score.recall == pytest.approx(recall)
        assert "average:topics" in str(score.signature)
    assert corefine.score(corpus(key), corpus(key), scope="corpus").group_average == {}
