"""Windows as BookCoref's scorer cuts them, beside a plain reading of its rule."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import corefine
from corefine.scoring.scorers.why_differs import why_differs

METRICS = ("muc", "b3", "ceafe", "conll")
Record = dict[str, Any]


@st.composite
def books(draw: st.DrawFn) -> tuple[list[Record], list[Record], int]:
    """A key and a response of a few texts, and the width of windows."""
    width = draw(st.integers(1, 6))
    sides: tuple[list[Record], list[Record]] = ([], [])
    for number in range(draw(st.integers(1, 2))):
        words = draw(st.integers(1, 13))
        for side in sides:
            labels = draw(st.lists(st.none() | st.integers(0, 2), min_size=words, max_size=words))
            clusters = [
                [[at, at] for at, one in enumerate(labels) if one == label]
                for label in range(3)
                if label in labels
            ]
            record = {"sentences": [[f"w{at}" for at in range(words)]], "clusters": clusters}
            side.append({"doc_key": f"b{number}", **record})
    return *sides, width


def split(records: list[Record], width: int) -> dict[str, list[list[int]]]:
    """The windows as documents: (0, w), (w, 2w), … and (n − w, n), without their ends."""
    found = {}
    for record in records:
        length = len(record["sentences"][0])
        ends = [*range(width, length + 1, width), length]
        for number, end in enumerate(ends):
            cut = [
                [at for at, _ in cluster if end - width < at < end]
                for cluster in record["clusters"]
            ]
            found[f"{record['doc_key']} {number}"] = [entity for entity in cut if entity]
    return found


@given(books())
def test_the_windows_of_bookcoref(case):
    key, response, width = case
    found = corefine.score(key, response, METRICS, tool="bookcoref", window=width)
    expected = corefine.score(split(key, width), split(response, width), METRICS)
    for name in METRICS:
        for quantity in ("precision", "recall", "f1"):
            value = getattr(expected[name], quantity)
            assert getattr(found[name], quantity) == pytest.approx(value, abs=1e-12)
    steps = why_differs(key, response, "bookcoref", METRICS, window=width).steps
    own = corefine.score(key, response, METRICS, window=width)
    for name in METRICS:
        assert steps[0].scores[name].f1 == pytest.approx(own[name].f1, abs=1e-12)
        assert steps[-1].scores[name].f1 == found[name].f1


def test_the_rows_of_why_differs():
    """Of ten words with windows of four, word 4 is dropped and word 7 is counted twice."""
    record = {"doc_key": "b", "sentences": [[f"w{at}" for at in range(10)]]}
    key = [record | {"clusters": [[[1, 1], [4, 4], [5, 5], [7, 7], [9, 9]]]}]
    response = [record | {"clusters": [[[1, 1], [5, 5], [7, 7]], [[9, 9]]]}]
    steps = why_differs(key, response, "bookcoref", "muc", window=4).steps
    # Links found: those of 5 and 7; of the key, 4–5–7, then 5–7, then 5–7 and 7–9.
    recalls = [step.scores["muc"].recall for step in steps]
    assert recalls == [1 / 2, 1 / 2, 1 / 1, 1 / 2]
    assert len(why_differs(key, response, "bookcoref", "muc").steps) == 2
