"""JSON lines: what each dialect means, which one a file is, and what is refused."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import corefine
from corefine.corpus.corpus import Corpus
from corefine.errors import CorefineError, FormatError
from corefine.formats import Source, format_named, read, sniff, write
from corefine.formats.jsonlines import json_records as jsonl

SENTENCES = [["Anna", "saw", "her", "house"], ["It", "was", "red"]]
WORDS = [word for sentence in SENTENCES for word in sentence]
CLUSTERS = {"x": [[(0, 0), (2, 2)], [(2, 3), (4, 4)]]}
"""The same annotation in every dialect below: token spans, the last one included."""

LINES: dict[str, dict[str, Any]] = {
    "e2e": {
        "doc_key": "x",
        "sentences": SENTENCES,
        "clusters": [[[0, 0], [2, 2]], [[2, 3], [4, 4]]],
    },
    "e2e-predicted": {
        "doc_key": "x",
        "sentences": SENTENCES,
        "predicted_clusters": [[[0, 0], [2, 2]], [[2, 3], [4, 4]]],
    },
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
        "clusters_strings": [["Anna", "her"], ["her house", "It"]],
    },
    "maverick": {
        "doc_key": "x",
        "tokens": WORDS,
        "clusters_token_offsets": [[[0, 0], [2, 2]], [[2, 3], [4, 4]]],
        "clusters_char_offsets": None,
        "clusters_token_text": [["Anna", "her"], ["her house", "It"]],
        "clusters_char_text": None,
    },
}


def lines(*documents: object) -> bytes:
    return b"".join(json.dumps(document).encode() + b"\n" for document in documents)


def parse(data: bytes, format: str | None = None, side: str | None = None) -> Corpus:
    source = Source("f.jsonl", content=data)
    found = sniff(source, side) if format is None else format_named(format)
    return found.corpus(source)


def refusal(data: bytes, format: str | None = None, side: str | None = None) -> str:
    with pytest.raises(CorefineError) as caught:
        parse(data, format, side)
    return str(caught.value)


@pytest.mark.parametrize("format", LINES)
def test_every_dialect_says_the_same(format: str) -> None:
    named = parse(lines(LINES[format]), format)
    found = parse(lines(LINES[format]))
    for corpus in (named, found):
        assert corpus.to_dict() == CLUSTERS
        assert corpus.tokens is not None
        assert corpus.tokens.words.tolist() == WORDS
        assert corpus.sources == ("f.jsonl",)
        assert corpus.tokens.lines is not None
        assert corpus.tokens.lines.tolist() == [1] * len(WORDS)
        cut = format in ("fastcoref", "maverick")
        assert corpus.tokens.sentences.tolist() == ([0] if cut else [0, 4])
    assert named.format == format


@pytest.mark.parametrize("format", LINES)
def test_lines_as_people_write_them(format: str) -> None:
    second = {
        key: "y" if key in ("doc_key", "document_id", "id") else value
        for key, value in LINES[format].items()
    }
    expected = {**CLUSTERS, "y": CLUSTERS["x"]}
    for data in (
        lines(LINES[format], second),
        lines(LINES[format], second)[:-1],
        b"\xef\xbb\xbf" + lines(LINES[format], second).replace(b"\n", b"\r\n"),
        lines(LINES[format]) + b"\n   \n" + lines(second) + b"\n",
        b"  " + lines(LINES[format] | {"more": {"clusters": [1.5, None]}}, second),
    ):
        assert parse(data).to_dict() == expected


def test_files_are_read_from_anywhere(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(lines(LINES["e2e"]))
    with gzip.open(tmp_path / "b.jsonlines.gz", "wb") as packed:
        packed.write(lines(LINES["e2e"] | {"doc_key": "y"}))
    assert read(tmp_path).documents == ("x", "y")
    assert read(tmp_path / "*.gz").documents == ("y",)


def test_the_first_line_may_be_long() -> None:
    words = [["word"] * 40_000]
    data = lines({"id": "x", "sentences": words, "mention_clusters": [[[0, 39_999, 40_000]]]})
    assert len(data) > 1 << 18
    assert parse(data).to_dict() == {"x": [[(39_999, 39_999)]]}
    assert parse(data[:-1]).format == "preco"


def test_pieces_of_words_become_words() -> None:
    line = {
        "doc_key": "bn/voa_0",
        "sentences": [
            ["[CLS]", "Prime", "E", "##hu", "##d", "Bar", "##ak", "[SEP]"],
            ["[CLS]", "'", "s", "##", "She", "[SEP]"],
        ],
        "speakers": [["[SPL]", *"AAAAAA", "[SPL]"], ["[SPL]", *"AAAB", "[SPL]"]],
        "clusters": [[[2, 6], [12, 12]], [[2, 11]], []],
        "sentence_map": [0] * 12 + [1] * 2,
        "subtoken_map": [0, 0, 1, 1, 1, 2, 2, 2, 2, 3, 3, 4, 5, 5],
    }
    corpus = parse(lines(line))
    assert corpus.tokens is not None
    assert corpus.tokens.words.tolist() == ["Prime", "Ehud", "Barak", "'s", "##", "She"]
    assert corpus.to_dict() == {"bn/voa_0": [[(1, 2), (5, 5)], [(1, 4)]]}
    assert corpus.tokens.sentences.tolist() == [0, 5]
    assert corpus.tokens.layers["speaker"].tolist() == list("AAAAAB")
    # Without a map of sentences, segments are all there is to cut by.
    without = {key: value for key, value in line.items() if key != "sentence_map"}
    tokens = parse(lines(without)).tokens
    assert tokens is not None
    assert tokens.sentences.tolist() == [0, 3]
    # The words themselves count where they are given, and the original map before the other.
    words = ["prime", "EHUD", "Barak", "'s", "##", "she"]
    other = {"tokens": words, "orig_subtoken_map": line["subtoken_map"], "subtoken_map": [0] * 14}
    tokens = parse(lines(line | other)).tokens
    assert tokens is not None
    assert tokens.words.tolist() == words


def test_a_word_that_the_tokenizer_left_nothing_of_keeps_its_place() -> None:
    line = {
        "doc_key": "x",
        "sentences": [["▁a", "b", "▁c"]],
        "subtoken_map": [1, 1, 3],
        "clusters": [[[0, 1], [2, 2]]],
    }
    corpus = parse(lines(line))
    assert corpus.tokens is not None
    assert corpus.tokens.words.tolist() == ["", "ab", "", "c"]
    assert corpus.to_dict() == {"x": [[(1, 1), (3, 3)]]}


def test_marks_may_have_no_word() -> None:
    line = {
        "doc_key": "x",
        "sentences": [["<s>", "Ġa", "</s>"]],
        "subtoken_map": [None, 0, None],
        "clusters": [[[1, 1]]],
    }
    assert parse(lines(line)).to_dict() == {"x": [[(0, 0)]]}
    assert "clusters[0][0] is [0, 1], with a subtoken that belongs to no word" in refusal(
        lines(line | {"clusters": [[[0, 1]]]})
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"subtoken_map": [0, 0]}, "subtoken_map has 2 entries for 3 words"),
        ({"subtoken_map": [0, 1, 0]}, "subtoken_map[2] is 0, which returns"),
        ({"subtoken_map": [0, 1, 9**8]}, "subtoken_map has 43,046,722 words for 3 subtokens"),
        ({"sentence_map": [0]}, "sentence_map has 1 entries for 3 words"),
        ({"clusters": [[[0, 3]]]}, "clusters[0][0] is [0, 3], beyond the 3 subtokens"),
        ({"clusters": [[[2, 0]]]}, "clusters[0][0] is [2, 0], which ends before it starts"),
    ],
)
def test_wrong_maps_are_refused(change: dict[str, Any], message: str) -> None:
    line = {
        "doc_key": "x",
        "sentences": [["a", "b", "c"]],
        "subtoken_map": [0, 1, 2],
        "clusters": [],
    }
    assert f"f.jsonl:1: {message}" in refusal(lines(line | change))


def test_which_clusters_are_read() -> None:
    both = lines(LINES["e2e"] | {"predicted_clusters": [[[0, 0], [6, 6]]]})
    predicted = {"x": [[(0, 0), (6, 6)]]}
    assert parse(both, side="key").to_dict() == CLUSTERS
    assert parse(both, side="response").to_dict() == predicted
    assert parse(both, "e2e").to_dict() == CLUSTERS
    assert parse(both, "e2e-predicted").to_dict() == predicted
    message = refusal(both)
    assert "ambiguous format: e2e (" in message
    assert "e2e-predicted (" in message
    assert "--key-format" in message
    missing = refusal(lines(LINES["e2e"]), "e2e-predicted")
    assert "the key 'predicted_clusters' is missing" in missing
    mixed = lines(LINES["e2e"], LINES["e2e-predicted"] | {"doc_key": "y"})
    assert "f.jsonl:2: the key 'clusters' is missing; found predicted_clusters" in refusal(mixed)
    assert "use the format e2e-predicted" in refusal(mixed)
    assert parse(lines(LINES["e2e-predicted"]), side="key").format == "e2e-predicted"


def test_one_file_holds_key_and_response(tmp_path: Path) -> None:
    path = tmp_path / "both.jsonl"
    line: dict[str, Any] = {"doc_key": "x", "sentences": SENTENCES}
    line |= {"clusters": [[[0, 0], [2, 2], [4, 4]]], "predicted_clusters": [[[0, 0], [2, 2]]]}
    path.write_bytes(lines(line))
    scores = corefine.score(path, path, "muc")
    assert scores["muc"].recall == 1 / 2
    assert scores["muc"].precision == 1
    with pytest.raises(FormatError, match=r"ambiguous format: e2e \(e2e-coref, SpanBERT: JSON"):
        corefine.read(path)


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ({"doc_key": "x", "tokens": ["a"], "clusters": []}, ["e2e", "wl-coref"]),
        ({"doc_key": "x", "tokens": ["a"], "text": "a", "clusters": []}, ["e2e", "fastcoref"]),
        ({"doc_key": "x", "sentences": [], "text": "a", "clusters": []}, ["e2e", "fastcoref"]),
        ({"id": "x", "sentences": [], "clusters": [], "mention_clusters": []}, ["e2e", "preco"]),
        (LINES["wl-coref"] | LINES["maverick"], ["wl-coref", "maverick"]),
    ],
)
def test_lines_that_could_mean_two_things_are_refused(line: object, names: list[str]) -> None:
    for side in (None, "key", "response"):
        message = refusal(lines(line), side=side)
        assert "ambiguous format: " in message
        assert [name for name in LINES if f" {name} (" in message] == names
        assert "Name the format with --key-format, --response-format" in message


def test_ends_of_bare_tokens_are_told_by_the_format() -> None:
    line = lines({"doc_key": "x", "tokens": ["a", "b", "c"], "clusters": [[[0, 1], [1, 2]]]})
    assert parse(line, "e2e").to_dict() == {"x": [[(0, 1), (1, 2)]]}
    assert parse(line, "wl-coref").to_dict() == {"x": [[(0, 0), (1, 1)]]}
    nested = lines({"doc_key": "x", "sentences": [["a", "b"]], "clusters": [[[0, 1]]]})
    assert parse(nested).to_dict() == {"x": [[(0, 1)]]}
    assert parse(nested, "wl-coref").to_dict() == {"x": [[(0, 0)]]}


def test_word_level_lines_tell_more_of_their_words() -> None:
    line = LINES["wl-coref"] | {
        "part_id": 3,
        "speaker": ["A", "A", "A", "A", "B", "B", "B"],
        "pos": ["NNP", "VBD", "PRP$", "NN", "PRP", "VBD", "JJ"],
        "deprel": ["nsubj", "root", "nmod", "obj", "nsubj", "cop", "root"],
        "head": [1, None, 3, 1, 6, 6, None],
        "head2span": [[3, 2, 4], [0, 0, 1]],
        "word_clusters": [[0, 2], [3, 4]],
    }
    corpus = parse(lines(line))
    assert corpus.documents == ("x; part 3",)
    assert corpus.tokens is not None
    assert corpus.mentions.head is not None
    assert corpus.mentions.head.tolist() == [0, -1, 3, -1]
    layers = corpus.tokens.layers
    assert layers["head"].tolist() == ["2", "0", "4", "2", "3", "3", "0"]
    assert layers["speaker"].tolist() == line["speaker"]
    assert layers["pos"].tolist() == line["pos"]
    assert layers["deprel"].tolist() == line["deprel"]
    assert parse(lines(line | {"part_id": [3] * 7})).documents == ("x; part 3",)
    assert parse(lines(line | {"part_id": 0})).documents == ("x",)
    bare = format_named("wl-coref").corpus(Source("f", content=lines(line)), frozenset({"pos"}))
    assert bare.tokens is not None
    assert list(bare.tokens.layers) == ["pos"]


def test_before_it_has_heads_a_word_level_line_calls_its_clusters_otherwise() -> None:
    line = {"document_id": "x", "cased_words": WORDS, "clusters": [[[0, 1], [2, 3]]]}
    assert parse(lines(line)).to_dict() == {"x": [[(0, 0), (2, 2)]]}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sent_id": [0]}, "sent_id has 1 entries for 7 words"),
        ({"speaker": ["A"]}, "speaker has 1 entries for 7 words"),
        ({"head": [0]}, "head has 1 entries for 7 words"),
        ({"head": ["a"] * 7}, "head[0]: expected int | null, got str"),
        ({"part_id": [0, 0, 1, 1, 1, 1, 1]}, "part_id: several parts on one line"),
        ({"head2span": [[0, 0, 1], [4, 0, 1]]}, "head2span[1] is [4, 0, 1]: the head is outside"),
        ({"head2span": [[8, 8, 9]]}, "head2span[0] is [8, 8, 9]: the head is outside"),
        ({"document_id": None}, "the key 'document_id' is missing"),
        ({"span_clusters": [[[0, 8]]]}, "span_clusters[0][0] is [0, 8], beyond the 7 tokens"),
        ({"span_clusters": [[], [[3, 3]]]}, "span_clusters[1][0] is [3, 3], which ends before"),
    ],
)
def test_wrong_word_level_lines_are_refused(change: dict[str, Any], message: str) -> None:
    good = LINES["wl-coref"] | {"document_id": "w"}
    assert f"f.jsonl:2: {message}" in refusal(lines(good, LINES["wl-coref"] | change))


def test_characters_become_words() -> None:
    text = "\tÉmile’s «dog» isn't 3.5 years,  old.\u3000🐕 it-self\n"
    spans = [(9, 14), (10, 13), (1, 6), (38, 39), (43, 47)]
    line = {"text": text, "clusters": [[list(span) for span in spans]]}
    corpus = parse(lines(line))
    tokens = corpus.tokens
    assert tokens is not None
    assert tokens.text is not None
    words = "Émile ’s « dog » isn't 3.5 years , old . 🐕 it- self"
    assert tokens.words.tolist() == words.split()
    assert [corpus.text_of(row) for row in range(5)] == ["« dog »", "dog", "Émile", "🐕", "self"]
    assert tokens.text.documents.tolist() == [text]
    begins, ends = tokens.text.begins.tolist(), tokens.text.ends.tolist()
    assert [text[b:e] for b, e in zip(begins, ends, strict=True)] == tokens.words.tolist()


def test_white_space_around_a_mention_is_none_of_it() -> None:
    corpus = parse(lines({"text": "a  big  dog", "clusters": [[[1, 8]]]}))
    assert corpus.to_dict() == {"f:1".removeprefix("f:"): [[(1, 1)]]}
    assert "clusters[0][0] is [1, 3], where the text has only white space" in refusal(
        lines({"text": "a  big  dog", "clusters": [[[1, 3]]]})
    )


def test_texts_in_words_are_counted_in_words() -> None:
    line = {
        "text": ["We", "see", "our", "dog"],
        "clusters": [[[0, 1], [2, 3]], [[2, 4]]],
        "clusters_strings": [[["We"], ["our"]], [["our", "dog"]]],
    }
    corpus = parse(lines(line))
    assert corpus.to_dict() == {"1": [[(0, 0), (2, 2)], [(2, 3)]]}
    wrong = line | {"clusters": [[[0, 1], [2, 3]], [[2, 3]]]}
    assert "clusters_strings[1][0] is 'our dog', but clusters has 'our'" in refusal(lines(wrong))
    mixed = parse(lines(line, {"text": "a b", "clusters": [[[2, 3]]]}))
    assert mixed.to_dict() == {"1": [[(0, 0), (2, 2)], [(2, 3)]], "2": [[(1, 1)]]}


def test_documents_without_names_are_numbered(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    path.write_bytes(lines(*[{"text": "a", "clusters": [[[0, 1]]]}] * 3))
    corpus = read(path)
    assert corpus.documents == ("out:1", "out:2", "out:3")
    assert not corpus.named
    named = {"doc_key": 7, "text": "a", "clusters": []}
    assert parse(lines(named)).documents == ("7",)
    assert parse(lines(named)).named
    message = "f.jsonl:2: the document has no name, unlike earlier ones"
    assert message in refusal(lines(named, {"text": "a", "clusters": []}))


@pytest.mark.parametrize(
    ("format", "key"), [("fastcoref", "clusters_strings"), ("maverick", "clusters_token_text")]
)
def test_mentions_must_be_the_strings_that_are_given(format: str, key: str) -> None:
    good = LINES[format]
    wrong = good | {"doc_key": "y", key: [["Anna", "her"], ["her", "It"]]}
    message = refusal(lines(good, wrong))
    assert f"f.jsonl:2: {key}[1][0] is 'her'" in message
    assert "the end may be counted differently. Mentions are [first, " in message
    short = good | {"doc_key": "y", key: [["Anna", "her"]]}
    assert f"f.jsonl:2: {key} does not have one string per mention" in refusal(lines(good, short))
    without = {name: value for name, value in good.items() if name != key} | {"doc_key": "z"}
    assert len(parse(lines(without, good))) == 2
    assert f"f.jsonl:2: {key}[1][0]" in refusal(lines(without, wrong))


def test_older_names_of_maverick_are_known() -> None:
    line = {key: value for key, value in LINES["maverick"].items() if "text" not in key}
    good = line | {"clusters_text_mentions": [["Anna", "her"], ["her house", "It"]]}
    assert parse(lines(good)).to_dict() == CLUSTERS
    wrong = line | {"clusters_text_mentions": [["Anna", "her"], ["her house", "it"]]}
    assert "clusters_text_mentions[1][1] is 'it'" in refusal(lines(wrong))


def test_sentences_of_preco_hold_their_mentions() -> None:
    line = {
        "id": "x",
        "sentences": [["a", "b"], [], [" "], ["c"]],
        "mention_clusters": [[[0, 1, 2], [3, 0, 1]]],
    }
    assert parse(lines(line)).to_dict() == {"x": [[(1, 1), (3, 3)]]}
    for mention, message in (
        ([0, 1, 3], "is [0, 1, 3], beyond the 2 tokens of the sentence"),
        ([1, 0, 1], "is [1, 0, 1], beyond the 0 tokens of the sentence"),
        ([4, 0, 1], "is [4, 0, 1], but there are only 4 sentences"),
        ([0, 0, 0], "is [0, 0, 0], which ends before it starts"),
    ):
        wrong = line | {"mention_clusters": [[[0, 1, 2]], [mention]]}
        assert f"f.jsonl:1: mention_clusters[1][0] {message}" in refusal(lines(wrong))


GOOD = LINES["e2e"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"clusters": [[[0, 7]]]}, "clusters[0][0] is [0, 7], beyond the 7 tokens"),
        ({"clusters": [[], [[0, 0], [3, 2]]]}, "clusters[1][1] is [3, 2], which ends before"),
        ({"clusters": [[[-1, 0]]]}, "clusters[0][0][0]: expected int >= 0"),
        ({"clusters": [[[0, 2**70]]]}, "clusters[0][0][1]: expected int <= 2147483647"),
        ({"clusters": [[[0, 1.0]]]}, "clusters[0][0][1]: expected int, got float"),
        ({"clusters": [[["0", 1]]]}, "clusters[0][0][0]: expected int, got str"),
        ({"clusters": [[[0, 1, 2]]]}, "clusters[0][0]: expected array of length 2"),
        ({"clusters": [[0, 1]]}, "clusters[0][0]: expected array, got int"),
        ({"clusters": {"0": []}}, "clusters: expected array, got object"),
        ({"clusters": [None]}, "clusters[0]: expected array, got null"),
        ({"clusters": None}, "the key 'clusters' is missing"),
        ({"sentences": None}, "the key 'sentences' is missing"),
        ({"sentences": ["a", "b"]}, "sentences[0]: expected array, got str"),
        ({"sentences": [["a", 1]]}, "sentences[0][1]: expected str, got int"),
        ({"sentences": [["a", ["b"]]]}, "sentences[0][1]: expected str, got array"),
        ({"sentences": [["a"], "b"]}, "sentences[1]: expected array, got str"),
        ({"sentences": [["a"], None]}, "sentences[1]: expected array, got null"),
        ({"sentences": [{"a": "b"}]}, "sentences[0]: expected array, got object"),
        ({"sentences": "abc"}, "sentences: expected array, got str"),
        ({"sentences": 7}, "sentences: expected array, got int"),
        ({"sentences": [["a\0"]]}, "sentences: a string with a null character"),
        ({"doc_key": ["y"]}, "doc_key: expected int | str, got array"),
        ({"doc_key": "x"}, "document 'x' occurs twice, first at f.jsonl:1"),
        ({"speakers": [["A"]]}, "speakers has 1 entries for 7 words"),
        ({"speakers": [["A", 1]]}, "speakers[0][1]: expected str, got int"),
    ],
)
def test_wrong_values_are_told_with_line_and_path(change: dict[str, Any], message: str) -> None:
    data = lines(GOOD) + b"\n" + lines(GOOD | {"doc_key": "y"}, GOOD | {"doc_key": "z"} | change)
    assert f"f.jsonl:4: {message}" in refusal(data)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b'{"doc_key": "y", "sentences": [], "clusters": NaN}', "not a number (byte 47)"),
        (b'{"doc_key": "y", "sentences": [], "clusters": [[[-Infinity', "not a number"),
        (b'{"doc_key": "y", "sentences": [] "clusters": []}', "expected ',' or '}' (byte 34)"),
        (b'{"doc_key": "y", "sentences": [["a', "unexpected end of line"),
        (b'{"doc_key": "y"} {"doc_key": "z"}', "trailing characters (byte 19)"),
        (b'{"doc_key": "y", "sentences": [["a\tb"]], "clusters": []}', "malformed JSON"),
        (b'{"doc_key": "y", "sentences": [["\\ud800"]], "clusters": []}', "malformed JSON"),
        (b'{"doc_key": "y", "x": ' + b"[" * 9999, "nested too deeply"),
        (b'{"doc_key": "y", "sentences": ' + b"[" * 9999, "nested too deeply"),
        (b'["doc_key", "y"]', "a JSON array instead of a document object"),
        (b"null", "expected object, got null"),
        (b'"doc_key"', "expected object, got str"),
        (b"{}", "the key 'doc_key' is missing"),
        (b"hello", "malformed JSON: invalid character (byte 1)"),
        (b'{"doc_key": "\xff"}', "invalid UTF-8 (byte 0xff)"),
        (b'{"doc_key": "\0"}', "a null byte: not a text file"),
    ],
)
def test_what_is_no_json_is_told_with_its_line(line: bytes, message: str) -> None:
    found = refusal(lines(GOOD) + line + b"\n")
    assert found.startswith("f.jsonl:2: ")
    assert message in found


def test_what_is_no_lines_and_no_array_is_refused() -> None:
    cut = lines(GOOD)[:50] + b"\n" + lines(GOOD)
    assert "f.jsonl:1: malformed JSON: unexpected end of line" in refusal(cut)
    assert "Write each document on one line" in refusal(cut)
    assert "not a coreference file of a known format" in refusal(b'{"a": 1}\n')
    assert "the key 'clusters' is missing" in refusal(lines({"doc_key": "x", "sentences": []}))
    assert "the file is empty" in refusal(b"", "e2e")
    assert "the file has only blank lines" in refusal(b"\n \n", "e2e")


def test_a_line_without_end_costs_no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsonl, "LONGEST_LINE", 2 << 20)
    data = lines(GOOD) + b'{"doc_key": "' + b"y" * (5 << 20)
    assert "f.jsonl:2: a line of more than 2 mebibytes" in refusal(data, "e2e")


def test_no_mentions_at_all_are_worth_a_warning() -> None:
    empty = parse(lines(GOOD | {"clusters": [[]]}))
    assert len(empty.entities) == 0
    assert empty.warnings == ("f.jsonl: all clusters are empty, so there are no mentions",)


def test_mentions_and_names_that_a_dialect_cannot_hold(tmp_path: Path) -> None:
    corpus = parse(lines(GOOD | {"clusters": [[[0, 0], [3, 4]]]}))
    with pytest.raises(CorefineError, match="the format preco cannot represent: mentions"):
        write(corpus, tmp_path / "x", "preco")
    write(corpus, tmp_path / "x", "preco", lossy=True)
    assert read(tmp_path / "x").to_dict() == {"x": [[(0, 0)]]}
    with pytest.raises(CorefineError, match="without text"):
        write(Corpus.from_entities([["a", "b"]]), tmp_path / "y", "e2e")


def test_msgspec_is_loaded_when_lines_are_read() -> None:
    code = "import corefine.formats, corefine.cli, sys; print('msgspec' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


@pytest.mark.parametrize(
    "line",
    [
        '{"doc_key":"x","sentences":[["a","b"]],"clusters":[[[0,0]]],"clusters":[]}',
        '{"doc_key":"x","clusters":[],"sentences":[["a","b"]],"clusters":[]}',
        '{"doc_key": "x", "clusters": [], "sentences": [["a"]], "cl\\u0075sters": [[[0, 0]]]}',
        ' { "clusters" : [], "clusters" : [] , "doc_key":"x","sentences":[["a"]]} ',
    ],
)
def test_a_key_that_stands_twice_is_refused(line: str) -> None:
    message = refusal(lines({"doc_key": "w", "sentences": [["a"]], "clusters": []}) + line.encode())
    assert message.startswith("f.jsonl:2: the key 'clusters' occurs twice")


def test_equal_values_under_different_keys_are_no_duplicates() -> None:
    line = {"a}": [{"a}": 1}], "b": [{"a}": 1}], 'c"': "\\", "": "", "doc_key": "x"}
    corpus = parse(lines({**line, "sentences": [["a"]], "clusters": [], "é": None}))
    assert corpus.documents == ("x",)


def test_fastcoref_has_no_place_for_special_tokens() -> None:
    line: dict[str, Any] = {"text": "Anna saw her.", "clusters": [[[0, 4], None, [9, 12]], [None]]}
    for strings in ({}, {"clusters_strings": [["Anna", None, "her"], [""]]}):
        corpus = parse(lines(line | strings))
        assert [corpus.text_of(index) for index in range(2)] == ["Anna", "her"]
        assert len(corpus.entities) == 1
        assert corpus.warnings == ("f.jsonl:1: 2 mention(s), starting here, are null: ignored",)
    assert parse(lines(line | {"clusters": [[[0, 4], [None, 12]]]})).mentions.stop.tolist() == [1]
    other = {"doc_key": "x", "sentences": [["a"]], "clusters": [[None]]}
    assert "clusters[0][0]" in refusal(lines(other))


@pytest.mark.parametrize(
    "more",
    [
        {"clusters_token_text": [["Anna", "her"]]},
        {"clusters_char_offsets": None},
        {"clusters_char_text": None},
    ],
)
def test_maverick_beside_a_text_counts_tokens(more: dict[str, Any]) -> None:
    line: dict[str, Any] = {
        "text": "Anna saw her.",
        "tokens": ["Anna", "saw", "her", "."],
        "clusters": [[[0, 0], [2, 2]]],
        "clusters_token_offsets": [[[0, 0], [2, 2]]],
    }
    assert [name for name in LINES if f" {name} (" in refusal(lines(line | more))] == [
        "e2e",
        "maverick",
    ]
    corpus = parse(lines(line | more), "maverick")
    assert [corpus.text_of(index) for index in range(2)] == ["Anna", "her"]
    del line["clusters"]
    assert parse(lines(line | more)).format == "maverick"
    line["clusters"] = line.pop("clusters_token_offsets")
    del line["tokens"]
    assert "not a coreference file of a known format" in refusal(lines(line | more))
