"""Clusters of strings, which are searched in the text of the record or of the key."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import corefine
from corefine import Document
from corefine.errors import CorefineError, code_of
from corefine.formats.tagged.grounding import ground
from corefine.formats.tagged.listings import Cluster, Quote
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


def grounded(text: str, clusters: list[list[str]]) -> tuple[list[tuple[int, int]], int, int]:
    """Spans of tokens, the number of strings with several places, and of those with none."""
    listed = [Cluster(tuple(map(Quote, cluster))) for cluster in clusters]
    mentions, copied = ground(Document("", text.split()), listed)
    return [m.spans[0] for m in mentions if not m.attributes], copied.moved, copied.lost


@pytest.mark.parametrize(
    ("text", "clusters", "expected", "ambiguous", "missing"),
    [
        ("a b a", [["a", "b", "a"]], [(0, 1), (1, 2), (2, 3)], 0, 0),
        ("he said Bo met him . he left", [["Bo", "he"]], [(2, 3), (6, 7)], 1, 0),
        ("he said Bo met him . he left", [["he", "Bo"]], [(0, 1), (2, 3)], 1, 0),
        ("he said Bo met him . he left", [["him", "he", "Bo"]], [(4, 5), (0, 1), (2, 3)], 1, 0),
        ("a a", [["a"], ["a"]], [(0, 1), (1, 2)], 2, 0),
        ("a b", [["a", "a"], ["c"]], [(0, 1)], 0, 2),
        ("banana", [["an"]], [], 0, 1),
        ("Don't", [["don\u2019t"]], [(0, 1)], 0, 0),
        ("I SAW it", [["saw", "It"]], [(1, 2), (2, 3)], 0, 0),
        ("it 's", [["it's"]], [(0, 2)], 0, 0),
        ("He said he left", [["He"], ["he"]], [(0, 1), (2, 3)], 0, 0),
        ("He said he left", [["he", "he"]], [(0, 1), (2, 3)], 0, 0),
    ],
)
def test_rule(
    text: str, clusters: list[list[str]], expected: list[object], ambiguous: int, missing: int
) -> None:
    assert grounded(text, clusters) == (expected, ambiguous, missing)


@given(
    st.text("ab .", max_size=20), st.lists(st.lists(st.sampled_from(["a", "b", "a b", "ab", ""])))
)
def test_every_string_is_placed_once_or_missing(text: str, clusters: list[list[str]]) -> None:
    spans, ambiguous, missing = grounded(text, clusters)
    assert len(spans) + missing == sum(map(len, clusters))
    assert len(set(spans)) == len(spans)
    assert 0 <= ambiguous <= sum(map(len, clusters))
    strings = {"".join(string.split()) for cluster in clusters for string in cluster}
    words = text.split()
    for start, stop in spans:
        found = "".join(words[start:stop])
        assert found in strings or found.strip(".") in strings or "." in found


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
