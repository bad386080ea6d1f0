"""Token windows: every document cut at the start of its mentions, and scored in pieces."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import corefine
from corefine.corpus.corpus import Corpus
from corefine.errors import UsageError
from tests.building.node_corpora import two_sides
from tests.building.refusals import refused
from tests.building.sample import sample_path
from tests.building.text_corpora import Spans, make

LENGTH = 24
METRICS = "default,pairs,mcores"


@st.composite
def mentions(draw: st.DrawFn) -> Spans:
    starts = draw(st.lists(st.integers(0, LENGTH - 4), max_size=14, unique=True))
    return [(draw(st.integers(0, 4)), start, start + draw(st.integers(0, 3))) for start in starts]


def text(**documents: Spans) -> Corpus:
    words = [[f"w{number}" for number in range(LENGTH)]]
    return make({name: (words, spans) for name, spans in documents.items()})


def cut(documents: dict[str, Spans], width: int, singletons: str) -> dict[str, list[Any]]:
    """The windows as lists of entities, from the definition, one mention after another."""
    windows: dict[str, dict[int, list[tuple[int, int]]]] = {
        f"{name} [{begin}, {begin + width})": defaultdict(list)
        for name in documents
        for begin in range(0, LENGTH, width)
    }
    for name, spans in documents.items():
        for entity, first, last in spans:
            if singletons == "drop" and sum(1 for other in spans if other[0] == entity) == 1:
                continue
            begin = first // width * width
            windows[f"{name} [{begin}, {begin + width})"][entity].append((first, last))
    return {name: list(entities.values()) for name, entities in windows.items()}


@pytest.mark.parametrize("singletons", ["keep", "drop"])
@given(mentions(), mentions(), mentions(), mentions(), st.integers(1, LENGTH + 5))
def test_windows_are_documents(singletons, one, two, three, four, width):
    key, response = {"a": one, "b": two}, {"a": three, "b": four}
    scores = corefine.score(
        text(**key), text(**response), METRICS, window=width, singletons=singletons
    )
    expected = corefine.score(
        cut(key, width, singletons), cut(response, width, singletons), METRICS
    )
    assert scores.by_name == expected.by_name
    assert scores.documents == expected.documents


@given(two_sides(), st.integers(1, 4), st.sampled_from(["none", "add-to-key", "cai-strube"]))
def test_empty_nodes_do_not_move_the_windows(sides, width, twinless):
    """Where a side has empty nodes that the other lacks, the same words have the same windows."""
    key, response = sides
    scores = corefine.score(
        key, response, "mentions,b3", window=width, zeros="linear", twinless=twinless
    )
    whole = corefine.score(key, response, "mentions,b3", zeros="linear", twinless=twinless)
    if twinless == "none":  # exact matches start in the same window, so all of them stay
        assert scores["mentions"] == whole["mentions"]
    for name, column in scores.counts.values["mentions"].items():
        assert column.sum() == whole.counts.values["mentions"][name].sum()


def retokenised(cuts: list[int], spans: list[list[list[int]]]) -> list[dict[str, Any]]:
    """Six words of four letters as one record; word n is cut after so many letters, 0: not."""
    words: list[str] = []
    first, last = [], []
    for number, at in enumerate(cuts):
        word = f"{number}abc"
        parts = [word[:at], word[at:]] if at else [word]
        first.append(len(words))
        words += parts
        last.append(len(words) - 1)
    clusters = [[[first[a], last[b]] for a, b in entity] for entity in spans]
    return [{"doc_key": "d", "sentences": [words], "clusters": clusters}]


@given(
    st.lists(st.integers(0, 3), min_size=6, max_size=6),
    st.lists(st.integers(0, 2), min_size=6, max_size=6),
)
def test_tokens_of_the_response_move_neither_windows_nor_distances(cuts, labels):
    """Windows, distances, spreads and lengths are in tokens of the key."""
    key = retokenised([0] * 6, [[[0, 0], [2, 2], [3, 3]], [[1, 1], [4, 5]]])
    entities = [[[n, n] for n, one in enumerate(labels) if one == e] for e in range(3)]
    plain, cut = (retokenised(one, [e for e in entities if e]) for one in ([0] * 6, cuts))
    for options in ({"window": 2}, {"by": ["distance(2)", "spread(2)", "length(7)"]}):
        scores = [corefine.score(key, one, "muc,b3", **options) for one in (plain, cut)]
        first, second = (one.to_dict(documents=True) for one in scores)
        assert {**second, "warnings": []} == {**first, "warnings": []}


def test_heads_match_only_within_a_window():
    """The key has 8-11 and the response 10-11, both with head 10: they start in two windows."""
    key, response = text(a=[(0, 8, 11), (0, 2, 2)]), text(a=[(0, 10, 11), (0, 2, 2)])
    key, response = (
        replace(side, mentions=replace(side.mentions, head=np.array([10, 2])))
        for side in (key, response)
    )
    for width, found in ((None, 1), (12, 1), (10, 1 / 2)):
        scores = corefine.score(key, response, "mentions", match="head", window=width)
        assert scores["mentions"].f1 == found


@pytest.mark.parametrize("window", [0, -3, 2.5, True, "10"])
def test_widths_that_are_refused(window):
    with refused("usage"):
        corefine.Evaluator(window=window)


def test_requests_without_windows():
    with refused("usage"):
        corefine.score([["a", "b"]], [["a"]], window=10)  # no text
    with refused("usage"):
        corefine.Evaluator(window=10).update([["a", "b"]], [["a"]])
    with refused("usage"):
        corefine.Evaluator(window=10, scope="corpus")
    for refuses in (corefine.report, corefine.agree):
        with pytest.raises(UsageError, match="whole documents"):
            refuses(sample_path("key"), sample_path("careful"), window=20)
