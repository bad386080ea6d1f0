"""Mention overlap, anaphors, ARCS and averages: brute force, and small cases worked by hand."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Container
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

import corefine
from corefine.errors import UsageError

Span = tuple[int, int]
KINDS = ("name", "nominal", "pronoun")


def documents(count: int) -> tuple[dict[str, Any], dict[str, Any], dict[str, dict[Span, str]]]:
    """Key, response and kinds of random documents with a few mentions each."""
    chance = random.Random(2014)
    key: dict[str, Any] = {}
    response: dict[str, Any] = {}
    kinds = {}
    for number in range(count):
        starts = [(chance.randrange(8), chance.randrange(4)) for _ in range(chance.randint(0, 8))]
        spans = sorted({(start, start + more) for start, more in starts})
        kinds[f"d{number}"] = {span: chance.choice(KINDS) for span in spans}
        for side in (key, response):
            entities: dict[int, list[Span]] = defaultdict(list)
            for span in spans:
                if chance.random() < 0.8:
                    entities[chance.randrange(3)].append(span)
            for entity in entities.values():
                chance.shuffle(entity)
            side[f"d{number}"] = list(entities.values())
    return key, response, kinds


KEY, RESPONSE, KINDS_OF = documents(300)
NAMES = [
    "mor",
    "arcs",
    "arcs(mode=inferred)",
    "arcs(mode=anchor)",
    "anaphors",
    *(f"anaphors(kind={kind})" for kind in KINDS),
]


@pytest.fixture(scope="module")
def scores() -> corefine.Scores:
    return corefine.score(KEY, RESPONSE, NAMES, kinds=KINDS_OF, by="kind")


def ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def words(span: Span) -> set[int]:
    return set(range(span[0], span[1] + 1))


def overlap(key: Any, response: Any) -> tuple[float, float]:
    """P and R of the best of all pairings of mentions."""
    ours = [words(span) for entity in key for span in entity]
    theirs = [words(span) for entity in response for span in entity]
    shared = np.array([[len(a & b) for b in theirs] for a in ours]).reshape(len(ours), len(theirs))
    best = shared[linear_sum_assignment(shared, maximize=True)].sum()
    return ratio(best, sum(map(len, theirs))), ratio(best, sum(map(len, ours)))


def counterpart(span: Span, entities: list[list[Span]]) -> int | None:
    return next((n for n, entity in enumerate(entities) if span in entity), None)


def linked(key: Any, response: Any, wanted: Container[Span]) -> tuple[float, float]:
    """P and R of anaphors, word by word from the definition."""
    key, response = ([sorted(entity) for entity in side] for side in (key, response))
    tp = wl = fn = fp = 0
    judged = set()
    for entity in key:
        earlier: set[int | None] = set()
        for number, span in enumerate(entity):
            home = counterpart(span, response)
            if number and span in wanted:
                judged.add(span)
                if home is None or response[home][0] == span:
                    fn += 1
                elif home in earlier:
                    tp += 1
                else:
                    wl += 1
            earlier.add(home)
    for entity in response:
        fp += sum(span not in judged and span in wanted for span in entity[1:])
    return ratio(tp, tp + wl + fp), ratio(tp, tp + wl + fn)


def arcs(key: Any, response: Any, kinds: Any) -> dict[str, tuple[float, float]]:
    """P and R of ARCS, chain by chain from the definition."""
    key, response = (
        [sorted(entity) for entity in side if len(entity) > 1] for side in (key, response)
    )

    def nominal(span: Span) -> bool:
        return span[1] > span[0] or kinds[span] != "pronoun"

    def before(span: Span, chain: list[Span]) -> list[Span]:
        return [other for other in chain[: chain.index(span)] if nominal(other)]

    found = {"immediate": [0, 0, 0, 0], "inferred": [0, 0, 0, 0]}
    for chain in key:
        if not any(map(nominal, chain)):
            continue
        for number, span in enumerate(chain):
            if number == 0 or (not nominal(span) and not before(span, chain)):
                continue
            home = counterpart(span, response)
            if home is None or response[home][0] == span:
                for counts in found.values():
                    counts[2] += 1
                continue
            other = response[home]
            same = other[other.index(span) - 1] == chain[number - 1]
            found["immediate"][0 if same else 1] += 1
            told = before(span, other)
            if told:
                found["inferred"][0 if told[-1] in chain else 1] += 1
            elif before(span, chain):
                found["inferred"][2] += 1
    for chain in response:
        for span in chain[1:]:
            home = counterpart(span, key)
            found["immediate"][3] += home is None or key[home][0] == span
            if any(map(nominal, chain)):
                lacks = home is not None and not before(span, key[home])
                found["inferred"][3] += home is None or (lacks and bool(before(span, chain)))
    return {
        mode: (ratio(tp, tp + wl + fp), ratio(tp, tp + wl + fn))
        for mode, (tp, wl, fn, fp) in found.items()
    }


def anchored(key: Any, response: Any, kinds: Any) -> float:
    """The score of ARCS by anchors, chain by chain from the definition."""
    key, response = (
        sorted(sorted(entity) for entity in side if len(entity) > 1) for side in (key, response)
    )
    entities, mentions = [0, 0, 0], [0, 0, 0]
    for chain in key:
        nominal = [one for one in chain if one[1] > one[0] or kinds[one] != "pronoun"]
        if not nominal:
            # Skipped, with the first response entity that it shares a mention with.
            home = next((one for one in response if set(one) & set(chain)), None)
        else:
            home = next((one for one in response if nominal[0] in one), None)
            entities[0 if home else 1] += 1
        if home and nominal:
            both = len(set(chain) & set(home))
            for place, number in enumerate((both, len(chain) - both, len(home) - both)):
                mentions[place] += number
        response = [one for one in response if one is not home]
    entities[2] = len(response)
    halves = []
    for tp, fn, fp in (entities, mentions):
        halves.append(ratio(2 * tp, 2 * tp + fn + fp))
    return ratio(2 * halves[0] * halves[1], sum(halves))


def test_every_document_equals_brute_force(scores):
    for name, found in scores.documents.items():
        key, response, kinds = KEY[name], RESPONSE[name], KINDS_OF[name]
        expected = {
            "mor": overlap(key, response),
            "arcs": arcs(key, response, kinds)["immediate"],
            "arcs(mode=inferred)": arcs(key, response, kinds)["inferred"],
            "anaphors": linked(key, response, kinds),
        }
        for kind in KINDS:
            wanted = {span for span in kinds if kinds[span] == kind}
            expected[f"anaphors(kind={kind})"] = linked(key, response, wanted)
        for metric, numbers in expected.items():
            score = found[metric]
            assert (score.precision, score.recall) == pytest.approx(numbers), (name, metric)
        anchors = found["arcs(mode=anchor)"]
        assert anchors.f1 == pytest.approx(anchored(key, response, kinds)), name


def test_anaphors_by_kind_are_anaphors_of_a_kind(scores):
    for kind in KINDS:
        assert scores.breakdown["kind"][kind]["anaphors"] == scores[f"anaphors(kind={kind})"]


def test_means_are_those_of_their_parts():
    key = {"a": [[1, 2, 3], [4, 5]], "b": [[1, 2], [3, 4]]}
    response = {"a": [[1, 2], [3, 4, 5]], "b": [[1, 2, 3, 4]]}
    scores = corefine.score(key, response, "conll,lea,mean(conll,lea)")
    mean = (scores["conll"].f1 + scores["lea"].f1) / 2
    assert scores["mean(conll,lea)"].f1 == pytest.approx(mean)


def test_mention_overlap_where_one_side_is_empty():
    # Of one document nothing is found, in the other 3 of 4 words.
    key = {"a": [[(0, 2), (5, 5)]], "b": [[(0, 1), (3, 4)]]}
    response = {"a": [[(0, 1), (5, 5)]], "b": []}
    whole = corefine.score(key, response, "mor")["mor"]
    assert (whole.recall, whole.precision) == (3 / 8, 1)
    assert corefine.score(response, key, "mor")["mor"].precision == 3 / 8
    assert corefine.score({"b": key["b"]}, {"b": []}, "mor")["mor"].f1 == 0


@pytest.mark.parametrize("span", [(3, 1), (0, 10**12)])
def test_mention_overlap_refuses_what_is_no_span(span):
    for key, response in (([[span, (5, 5)]], [[(5, 5)]]), ([[(5, 5)]], [[span, (5, 5)]])):
        with pytest.raises(UsageError):
            corefine.score(key, response, "mor")
        assert corefine.score(key, response, "muc")["muc"].f1 == 0
