"""Corpora made from Python objects: labels, lists and mappings, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import corefine
from corefine.corpus.corpus import Corpus
from corefine.errors import UsageError
from tests.building.refusals import refused

NAN = float("nan")


def partition(corpus: Corpus) -> list[list[int]]:
    """The rows of each entity."""
    rows: dict[int, list[int]] = {}
    for row, entity in enumerate(corpus.mentions.entity.tolist()):
        rows.setdefault(entity, []).append(row)
    return sorted(rows.values())


@pytest.mark.parametrize(
    ("labels", "row"),
    [
        (np.array([1.0, NAN, NAN]), 1),
        ([1.0, NAN, NAN], 1),
        (["a", None], 1),
        ([None, "a"], 0),
        (["a", "b", NAN], 2),
        (np.array(["a", None], object), 1),
        (np.array(["2020-01-01", "NaT"], "datetime64[D]"), 1),
        (np.ma.masked_array([1, 2, 3], [False, False, True]), 2),
    ],
)
def test_missing_values_are_refused_with_their_row(labels, row):
    whole = list(range(len(labels)))
    for columns in ((labels,), (whole, labels), (whole, whole, labels)):
        with pytest.raises(UsageError, match=rf"row {row} "):
            Corpus.from_labels(*columns)


@pytest.mark.parametrize(
    "labels",
    [
        [1, "1", 1, "1"],
        [True, "True", True, "True"],
        [True, 1, True, 1],
        [b"a", "a", b"a", "a"],
        ["a", "a\0", "a", "a\0"],
        [2**70, 2**70 + 1, 2**70, 2**70 + 1],
        [(1, 2), (2, 3), (1, 2), (2, 3)],
    ],
)
def test_different_values_are_different_entities(labels):
    corpus = Corpus.from_labels(labels)
    assert partition(corpus) == [[0, 2], [1, 3]]
    assert corpus.entities.names is not None
    assert len(set(corpus.entities.names)) == 2
    assert corefine.score(corpus, Corpus.from_labels(labels))["muc"].f1 == 1


def test_columns_of_data_frames():
    pandas, arrow = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    series, array = pandas.Series(["b", "a", "b"]), arrow.array(["b", "a", "b"])
    for column in (
        *(series, series.astype("category"), series.astype("string")),
        *(array, array.dictionary_encode(), arrow.chunked_array([array])),
    ):
        assert partition(Corpus.from_labels(column)) == [[0, 2], [1]]
    for column in (
        *(pandas.Series(["b", None]), pandas.Series([1, None], dtype="Int64")),
        *(arrow.array(["b", None]), arrow.array([1, None])),
    ):
        with pytest.raises(UsageError, match="row 1 "):
            Corpus.from_labels(column)


@pytest.mark.parametrize(
    "columns",
    [
        *((labels,) for labels in (np.zeros((2, 2)), [[1], [2, 3]], None, "abc", {"a": 1}, 3)),
        *(([1, 2], [1]), ([1, 2], None, [1, 1, 1])),
        ([1, 2], [1, 2], [1, "1"]),
    ],
)
def test_columns_that_are_refused(columns):
    with pytest.raises(UsageError):
        Corpus.from_labels(*columns)


@given(st.lists(st.one_of(st.integers(), st.text(max_size=2), st.booleans()), max_size=12))
def test_labels_make_the_partition_of_their_values_and_types(labels):
    rows: dict[Any, list[int]] = {}
    for row, label in enumerate(labels):
        rows.setdefault((type(label), label), []).append(row)
    assert partition(Corpus.from_labels(labels)) == sorted(rows.values())
    assert partition(Corpus.from_labels(np.array(labels, object))) == sorted(rows.values())


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ([1, "1", 2, "x"], np.array([1, "1", 2, "x"], object)),
        ([1, 2, 3, 4], np.array([1, 2, 3, 4], np.uint64)),
        ([2**63, 2**63 + 1, 1, 2], [2**63, 2**63 + 1, 1, 2]),
        (["a", "a\0", "", "b"], ["a", "a\0", "", "b"]),
        (np.arange(4).astype("M8[ns]"), np.arange(4).astype("M8[ns]")),
    ],
)
def test_mentions_of_all_sorts_are_matched_by_value(ours, theirs):
    scores = corefine.score(
        Corpus.from_labels([0, 0, 1, 1], ours), Corpus.from_labels([0, 0, 1, 1], theirs), "lea"
    )
    assert scores["lea"].f1 == 1
    assert scores.warnings == ()


def test_documents_that_read_alike_are_refused():
    with refused("repeated-document"):
        Corpus.from_documents({1: [["a"]], "1": [["b"]]})  # type: ignore[dict-item]
    with refused("repeated-document"):
        Corpus.from_lists(["x", "x"], [[["a"]], [["b"]]])
