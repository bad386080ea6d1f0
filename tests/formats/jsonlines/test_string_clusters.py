"""Clusters of strings, which are searched in the text of the record or of the key."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import corefine
from corefine.errors import CorefineError, code_of
from corefine.formats.jsonlines.text_clusters import ground
from tests.building.format_files import json_lines, parse, place_of_error

SENTENCES = [
    ["Anna", "saw", "her", "house", "."],
    ["She", "liked", "it", "and", "she", "left", "."],
]
KEY: dict[str, Any] = {
    "doc_key": "x",
    "sentences": SENTENCES,
    "clusters": [[[0, 0], [2, 2], [5, 5], [9, 9]], [[2, 3], [7, 7]]],
}
CLUSTERS = [["Anna", "her", "She", "she"], ["her  house", "it"]]


@pytest.mark.parametrize(
    "words",
    [{}, {"sentences": SENTENCES}, {"text": "Anna saw her house. She liked it and she left."}],
)
def test_strings_are_found_in_the_record_or_in_the_key(
    words: dict[str, Any], tmp_path: Path
) -> None:
    answer = {"doc_key": "x", "clusters": CLUSTERS, **words}
    (tmp_path / "key.jsonl").write_bytes(json_lines(KEY))
    (tmp_path / "answer.jsonl").write_bytes(json_lines(answer))
    for scores in (
        corefine.score([KEY], [answer]),
        corefine.score(tmp_path / "key.jsonl", tmp_path / "answer.jsonl"),
    ):
        assert scores["lea"].f1 == 1.0
        assert "align:strings(" in str(scores["lea"].signature)


def test_records_without_names_are_matched_in_order() -> None:
    other = KEY | {"doc_key": "y"}
    answers = [{"clusters": CLUSTERS}, {"clusters": [["Anna", "her"]]}]
    scores = corefine.score([KEY, other], answers, "muc")
    assert scores["muc"].recall == (4 + 1) / 8


@pytest.mark.parametrize(
    ("text", "clusters", "expected", "ambiguous", "missing"),
    [
        ("a b a", [["a", "b", "a"]], [(0, 1), (2, 3), (4, 5)], 2, 0),
        ("he said Bo met him . he left", [["Bo", "he"]], [(8, 10), (21, 23)], 1, 0),
        ("he said Bo met him . he left", [["he", "Bo"]], [(0, 2), (8, 10)], 1, 0),
        ("a a", [["a"], ["a"]], [(0, 1), (2, 3)], 2, 0),
        ("a b", [["a", "a"], ["c"]], [(0, 1)], 0, 2),
        ("banana", [["an"]], [], 0, 1),
        ("Don't", [["don’t", "Don", "t"]], [(0, 3), (4, 5)], 0, 1),
        ("I SAW it", [["saw", "It"]], [(2, 5), (6, 8)], 0, 0),
        ("it 's", [["it's"]], [(0, 5)], 0, 0),
    ],
)
def test_rule(
    text: str, clusters: list[list[str]], expected: list[object], ambiguous: int, missing: int
) -> None:
    mentions, several, unfound = ground(text, clusters)
    assert ([m.spans[0] for m in mentions], several, unfound) == (expected, ambiguous, missing)


@given(
    st.text("ab .", max_size=20), st.lists(st.lists(st.sampled_from(["a", "b", "a b", "ab", ""])))
)
def test_every_string_is_placed_once_or_missing(text: str, clusters: list[list[str]]) -> None:
    mentions, ambiguous, missing = ground(text, clusters)
    spans = [mention.spans[0] for mention in mentions]
    assert len(mentions) + missing == sum(map(len, clusters))
    assert 0 <= ambiguous <= len(mentions)
    assert len(
        {(mention.entity, *span) for mention, span in zip(mentions, spans, strict=True)}
    ) == len(mentions)
    for mention, (start, stop) in zip(mentions, spans, strict=True):
        found = text[start:stop].replace(" ", "")
        assert found in {string.replace(" ", "") for string in clusters[int(mention.entity)]}


def test_strings_that_are_not_found_are_reported() -> None:
    answer = {"doc_key": "x", "clusters": [["Anna", "Bert"], ["."]]}
    scores = corefine.score([KEY], [answer])
    (warning,) = [one for one in scores.warnings if code_of(one) == "copied-text"]
    assert "1 of 3 strings" in warning
    assert "1 occur several times" in warning


def test_documents_of_the_key_are_the_only_ones() -> None:
    for answers in (
        [{"doc_key": "y", "clusters": CLUSTERS}],
        [{"doc_key": "x", "clusters": CLUSTERS}] * 2,
    ):
        with pytest.raises(CorefineError):
            corefine.score([KEY], answers)
    other = KEY | {"doc_key": "y"}
    scores = corefine.score([KEY, other], [{"doc_key": "x", "clusters": CLUSTERS}], "muc")
    assert scores["muc"].recall == 1 / 2


def test_strings_need_a_text() -> None:
    assert place_of_error(parse, json_lines({"doc_key": "x", "clusters": CLUSTERS})) == "x:1"
    assert parse(json_lines({"text": "a b", "clusters": [["a"]]})).format == "string-clusters"
