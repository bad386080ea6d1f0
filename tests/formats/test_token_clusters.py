"""Dialects of JSON lines whose mentions are token indices or characters of a text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import corefine
from corefine.corpus.corpus import Corpus
from corefine.errors import AlignmentError, CorefineError
from corefine.formats import format_named
from corefine.formats.io.index import index_documents
from tests.building.format_files import json_lines, parse, place_of_error

SENTENCES = [["Anna", "saw", "her", "house"], ["It", "was", "red"]]
WORDS = [word for sentence in SENTENCES for word in sentence]
CLUSTERS = {"x": [[(0, 0), (2, 2)], [(2, 3), (4, 4)]]}
"""The annotation of all records below, ends inclusive."""
INCLUSIVE = [[[0, 0], [2, 2]], [[2, 3], [4, 4]]]
STRINGS = [["Anna", "her"], ["her house", "It"]]

RECORDS: dict[str, dict[str, Any]] = {
    "e2e": {"doc_key": "x", "sentences": SENTENCES, "clusters": INCLUSIVE},
    "e2e-predicted": {"doc_key": "x", "sentences": SENTENCES, "predicted_clusters": INCLUSIVE},
    "wl-coref": {
        "document_id": "x",
        "cased_words": WORDS,
        "sent_id": [0, 0, 0, 0, 1, 1, 1],
        "span_clusters": [[[0, 1], [2, 3]], [[2, 4], [4, 5]]],
    },
    "preco": {
        "id": "x",
        "sentences": SENTENCES,
        "mention_clusters": [[[0, 0, 1], [0, 2, 3]], [[0, 2, 4], [1, 0, 1]]],
    },
    "fastcoref": {
        "doc_key": "x",
        "text": "Anna saw her house  It was red",
        "clusters": [[[0, 4], [9, 12]], [[9, 18], [20, 22]]],
        "clusters_strings": STRINGS,
    },
    "maverick": {
        "doc_key": "x",
        "tokens": WORDS,
        "clusters_token_offsets": INCLUSIVE,
        "clusters_char_offsets": None,
        "clusters_token_text": STRINGS,
    },
    "allennlp": {"doc_key": "x", "document": WORDS, "clusters": INCLUSIVE},
    "crac-json": {
        "doc_id": "x",
        "tokens": WORDS,
        "clusters_token_offsets": INCLUSIVE,
        "clusters_text_mentions": STRINGS,
    },
}


def written_by(format: str, corpus: Corpus) -> bytes:
    writer = format_named(format).write
    assert writer is not None
    return b"".join(writer(corpus))


def renamed(record: dict[str, Any], name: str) -> dict[str, Any]:
    keys = {"doc_key", "doc_id", "document_id", "id"}
    return {key: name if key in keys else value for key, value in record.items()}


def test_subtokens_become_words() -> None:
    record = {
        "doc_key": "x",
        "sentences": [
            ["[CLS]", "Prime", "E", "##hu", "##d", "Bar", "##ak", "[SEP]"],
            ["[CLS]", "'", "s", "##", "She", "[SEP]"],
        ],
        "speakers": [["[SPL]", *"AAAAAA", "[SPL]"], ["[SPL]", *"AAAB", "[SPL]"]],
        "clusters": [[[2, 6], [12, 12]], [[2, 11]], []],
        "sentence_map": [0] * 12 + [1] * 2,
        "subtoken_map": [0, 0, 1, 1, 1, 2, 2, 2, 2, 3, 3, 4, 5, 5],
    }
    document = parse(json_lines(record))[0]
    assert document.tokens == ["Prime", "Ehud", "Barak", "'s", "##", "She"]
    words = [document.words_of(mention) for mention in document.mentions]
    assert words == ["Ehud Barak", "She", "Ehud Barak 's ##"]
    assert (document.starts, document.layers) == ([0, 5], {"speaker": [*"AAAAAB"]})
    empty = {"sentences": [["▁a", "b", "▁c"]], "subtoken_map": [1, 1, 3], "clusters": [[[0, 1]]]}
    assert parse(json_lines({"doc_key": "x", **empty}))[0].tokens == ["", "ab", "", "c"]


@pytest.mark.parametrize(
    ("format", "changes"),
    [
        ("e2e", [
            *({"clusters": [[span]]} for span in (
                [0, 7], [3, 2], [-1, 0], [0, 2**70], [0, 1.0], [0, 1, 2],
            )),
            {"clusters": None}, {"sentences": None}, {"sentences": [["a", 1]]},
            {"doc_key": ["y"]}, {"doc_key": "w"}, {"speakers": [["A"]]},
            *({"subtoken_map": numbers} for numbers in (
                [0, 0], [0, 1, 0, 3, 4, 5, 6], [0, 1, 2, 3, 4, 5, 9**8],
                [None, 0, 1, 2, 3, 4, 5],
            )),
            {"subtoken_map": [0, 1, 2, 3, 4, 5, 6], "sentence_map": [0]},
        ]),
        ("wl-coref", [
            {"sent_id": [0]}, {"head": [0]}, {"part_id": [0, 0, 1, 1, 1, 1, 1]},
            {"head2span": [[4, 0, 1]]}, {"head2span": [[8, 8, 9]]}, {"document_id": None},
            {"span_clusters": [[[3, 3]]]},
        ]),
        ("preco", [
            {"mention_clusters": [[span]]} for span in ([0, 1, 5], [0, 0, 0], [4, 0, 1])
        ]),
        ("fastcoref", [
            {"clusters": [[[4, 5]]], "clusters_strings": None},
            {"clusters_strings": [["Anna", "saw"], ["house", "was"]]},
            {"clusters_strings": [["Anna", "her"]]}, {"doc_key": None},
        ]),
        ("maverick", [{"clusters_token_text": [["Anna saw", "her house"], ["her", "It was"]]}]),
        ("crac-json", [
            {"clusters_text_mentions": [["saw", "house"], ["It", "her"]]},
            {"clusters_token_offsets": [[[1, 4]]]},
        ]),
    ],
)  # fmt: skip
def test_invalid_records_are_refused_with_their_line(
    format: str, changes: list[dict[str, Any]]
) -> None:
    before = json_lines(renamed(RECORDS[format], "w")) + b"\n"
    for change in changes:
        wrong = before + json_lines(RECORDS[format] | change)
        assert place_of_error(parse, wrong, format) == "x:3", change


@pytest.mark.parametrize(
    ("clusters", "path"),
    [([[], [[0, 0], [3, 7]]], "clusters[1][1] "), ([[["0", 1]]], "clusters[0][0][0]")],
)
def test_errors_name_the_path_in_the_record(clusters: object, path: str) -> None:
    with pytest.raises(CorefineError) as caught:
        parse(json_lines(RECORDS["e2e"] | {"clusters": clusters}))
    assert caught.value.message.startswith(path)


def test_wl_coref_has_heads_layers_and_parts() -> None:
    record = RECORDS["wl-coref"] | {
        "part_id": 3,
        "speaker": [*"AAAABBB"],
        "head": [1, None, 3, 1, 6, 6, None],
        "head2span": [[0, 0, 1], [3, 2, 4]],
    }
    corpus = parse(json_lines(record))
    document = corpus[0]
    assert document.name == "x; part 3"
    assert [mention.head for mention in document.mentions] == [0, None, 3, None]
    assert document.layers["head"] == ["2", "0", "4", "2", "3", "3", "0"]
    assert document.layers["speaker"] == record["speaker"]
    assert json.loads(written_by("wl-coref", corpus)) == record
    assert parse(json_lines(record | {"part_id": [3] * 7})).documents == ("x; part 3",)
    before = {"document_id": "x", "cased_words": WORDS, "clusters": [[[0, 1], [2, 3]]]}
    assert parse(json_lines(before)).to_dict(ends="inclusive") == {"x": [[(0, 0), (2, 2)]]}


def test_fastcoref_counts_words_if_the_text_is_a_list_and_ignores_null() -> None:
    record: dict[str, Any] = {
        "text": ["We", "see", "our", "dog"],
        "clusters": [[[0, 1], None, [2, 3]], [[2, 4]]],
        "clusters_strings": [[["We"], None, ["our"]], [["our", "dog"]]],
    }
    corpus = parse(json_lines(record))
    assert corpus.to_dict(ends="inclusive") == {"x:1": [[(0, 0), (2, 2)], [(2, 3)]]}
    (warning,) = corpus.warnings
    assert warning.startswith("x:1: 1 mention")


def test_zeros_of_crac() -> None:
    record = {
        "doc_id": "x",
        "tokens": ["Los", "de_el", "prefieren", "##", "##él"],
        "clusters_token_offsets": [[[0, 1], [3, 3]], [[4, 4]]],
        "clusters_text_mentions": [["Los de el", "_"], ["##él"]],
    }
    document = parse(json.dumps([record], indent=1).encode())[0]
    assert (document.empty_nodes, (document.tokens or [])[3:]) == ([3, 4], ["_", "él"])
    key = {"doc_id": "x", "tokens": ["a", "##", "b"], "clusters_token_offsets": [[[0, 0], [2, 2]]]}
    answer = {"doc_key": "x", "clusters": [[[0, 0], [1, 1]]]}
    assert corefine.score([key], [answer])["lea"].f1 == 1.0  # empty nodes are not counted


def test_entities_of_xcore_reach_across_documents() -> None:
    record: dict[str, Any] = {
        "tokens": [[["Anna", "slept"]], [["Eve", "saw", "her"]], [["Nobody"]]],
        "clusters_token_offsets": [[[0, 0, 0], [1, 2, 2]], [[1, 0, 0]]],
    }
    corpus = parse(json_lines(record))
    assert corpus.to_dict(ends="inclusive") == {
        "x:1": [[(0, 0)]],
        "x:2": [[(2, 2)], [(0, 0)]],
        "x:3": [],
    }
    flat = record | {"tokens": [tokens[0] for tokens in record["tokens"]]}
    assert parse(json_lines(flat)).to_dict(ends="inclusive") == corpus.to_dict(ends="inclusive")
    apart = record | {"clusters_token_offsets": [[[0, 0, 0]], [[1, 2, 2]], [[1, 0, 0]]]}
    assert corefine.score([record], [record], scope="corpus")["muc"].recall == 1.0
    assert corefine.score([record], [apart], scope="corpus")["muc"].recall == 0.0
    assert parse(json_lines(record | {"doc_key": "t"})).documents == ("t/0", "t/1", "t/2")
    assert parse(json_lines(record | {"id": ["a", 2, "c"]})).documents == ("a", "2", "c")
    wrong: dict[str, Any]
    for wrong in (
        {"id": ["a"]},
        {"clusters_token_offsets": [[[3, 0, 0]]]},
        {"clusters_token_offsets": [[[0, 0, 2]]]},
    ):
        assert place_of_error(parse, json_lines(record | wrong)) == "x:1"


# --- detection ------------------------------------------------------------------------------------


def test_key_and_response_in_one_record(tmp_path: Path) -> None:
    both = json_lines(RECORDS["e2e"] | {"predicted_clusters": [[[0, 0], [6, 6]]]})
    assert parse(both, side="key").to_dict(ends="inclusive") == CLUSTERS
    assert parse(both, side="response").to_dict(ends="inclusive") == {"x": [[(0, 0), (6, 6)]]}
    assert place_of_error(parse, both) == "x"
    path = tmp_path / "both.jsonl"
    path.write_bytes(both)
    assert corefine.score(path, path, "mentions")["mentions"].recall == 1 / 4


@pytest.mark.parametrize(
    ("record", "formats"),
    [
        ({"doc_key": "x", "tokens": ["a", "b"], "text": "a", "clusters": []}, ["e2e", "fastcoref"]),
        ({"doc_key": "x", "sentences": [], "text": "a", "clusters": []}, ["e2e", "fastcoref"]),
        ({"id": "x", "sentences": [], "clusters": [], "mention_clusters": []}, ["e2e", "preco"]),
        (RECORDS["wl-coref"] | RECORDS["maverick"], ["maverick", "wl-coref"]),
        ({"doc_key": "x", "tokens": ["a", "b", "c"], "clusters": [[[0, 1]]]}, ["e2e", "wl-coref"]),
    ],
)
def test_ambiguous_records_are_refused(record: object, formats: list[str]) -> None:
    for side in (None, "key", "response"):
        with pytest.raises(CorefineError) as caught:
            parse(json_lines(record), side=side)
        message = caught.value.message
        assert [name for name in sorted(RECORDS) if f" {name} (" in message] == formats


@pytest.mark.parametrize(
    ("clusters", "format"),
    [([[[0, 0], [1, 2]]], "e2e"), ([[[0, 1], [1, 3]]], "wl-coref"), ([[[0, 0], [1, 3]]], None)],
)
def test_spans_decide_whether_ends_of_tokens_are_inclusive(
    clusters: object, format: str | None
) -> None:
    """A span [0, 0] has a token only if its end is inclusive, [1, 3] of three if exclusive."""
    record = {"doc_key": "x", "tokens": ["a", "b", "c"], "clusters": clusters}
    if format is None:
        assert place_of_error(parse, json_lines(record)) == "x"
    else:
        assert parse(json_lines(record)).format == format
        assert corefine.score([record], [record])["mentions"].f1 == 1.0


def test_records_in_python_take_a_format() -> None:
    record = {"doc_key": "x", "tokens": ["a", "b", "c"], "clusters": [[[0, 1], [1, 2]]]}
    with pytest.raises(CorefineError):
        corefine.score([record], [record])
    for format, size in (("e2e", 2), ("wl-coref", 1)):
        scores = corefine.score([record], [record], key_format=format, response_format=format)
        assert scores["mentions"].f1 == 1.0
        assert parse(json_lines(record), format).mentions.stop[0] == size


def test_clusters_without_text_are_counted_in_words_of_the_other_side() -> None:
    key = RECORDS["e2e"]
    answer = {"doc_key": "x", "clusters": INCLUSIVE}
    assert corefine.score([key], [answer])["lea"].f1 == 1.0
    assert corefine.score([answer], [answer])["lea"].f1 == 1.0
    with pytest.raises(AlignmentError):
        corefine.score([key], [{"doc_key": "x", "clusters": [[[0, 0], [6, 7]]]}])


def test_a_long_first_record_is_recognised() -> None:
    record = {"id": "x", "sentences": [["word"] * 9_000], "mention_clusters": [[[0, 1, 2]]]}
    for data in (
        json_lines(record),
        json_lines(record)[:-1],
        json.dumps([record], indent=1).encode(),
    ):
        assert parse(data).format == "preco"


@pytest.mark.parametrize("format", [name for name in RECORDS if name != "crac-json"])
def test_lines_are_indexed_by_name(format: str, tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(
        json_lines(RECORDS[format]) + b"  " + json_lines(renamed(RECORDS[format], "w"))
    )
    mark = format_named(format).document_mark
    assert mark is not None
    index = index_documents(path, mark)
    assert index is not None
    assert index.names == ("x", "w")
