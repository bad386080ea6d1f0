"""Each line of JSON decides for itself how it is read: a file may be cut between any of them."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import corefine
from corefine.corpus.corpus import Corpus
from corefine.corpus.joining import concatenate
from corefine.formats import Source, format_named, index_documents, sniff
from corefine.formats.jsonlines import json_records as records
from corefine.scoring.drivers.shards import Shard
from tests.building.text_corpora import content
from tests.formats.jsonlines.test_jsonlines import LINES, SENTENCES, WORDS, lines, parse

PIECES = [["An", "##na", "saw", "her", "house"], ["It", "was", "red"]]
MAP = [0, 0, 1, 2, 3, 4, 5, 6]
HEADS: dict[str, Any] = {"head": [1, None, 3, 1, 6, 6, None], "head2span": [[3, 2, 4], [0, 0, 1]]}
OPTIONS: dict[str, list[dict[str, Any]]] = {
    "e2e": [
        {"subtoken_map": MAP, "sentences": PIECES},
        {"orig_subtoken_map": MAP, "sentences": PIECES, "sentence_map": [0] * 3 + [1] * 5},
        {"subtoken_map": MAP, "sentences": PIECES, "tokens": [word.upper() for word in WORDS]},
        {"subtoken_map": MAP, "sentences": PIECES, "tokens": ["too", "few"]},
        {"tokens": WORDS},
        {"sentences": None, "tokens": WORDS},
        {"speakers": [["-"] * 4, ["-"] * 3]},
        {"speakers": [["A"] * 4, ["-"] * 3]},
        {"part_id": 3},
        {"sentence_map": [0] * 7},
    ],
    "wl-coref": [
        {"span_clusters": None, "clusters": [[[0, 1], [4, 5]]]},
        {"clusters": [[[0, 7]]]},
        {"cased_words": None, "tokens": WORDS},
        {"cased_words": None, "sentences": SENTENCES, "sent_id": None},
        {"sent_id": None},
        {"sent_id": []},
        {"part_id": 2},
        {"part_id": [1] * 7},
        {"speaker": ["-"] * 7},
        {"speaker": ["A"] * 6 + ["_"], "pos": ["X"] * 7},
        HEADS,
    ],
    "fastcoref": [
        {"clusters_strings": None},
        {"text": WORDS, "clusters": [[[0, 1], [2, 4]]], "clusters_strings": None},
        {"text": "- 'Anna", "clusters": [[[3, 7]]], "clusters_strings": [["Anna"]]},
        {"text": "a-", "clusters": [], "clusters_strings": []},
    ],
    "maverick": [{"clusters_token_text": None}, {"clusters_char_offsets": [[[0, 4]]]}],
    "preco": [{"sentences": [["a"], [], ["b"]], "mention_clusters": [[[2, 0, 1]]]}, {"more": 1}],
}
OPTIONS["e2e-predicted"] = OPTIONS["e2e"]
NAMES = {"wl-coref": "document_id", "preco": "id"}


@st.composite
def files(draw: st.DrawFn, format: str) -> list[bytes]:
    """Lines that differ in which optional keys of a dialect they have, and in blanks before."""
    found = []
    for number in range(draw(st.integers(2, 6))):
        line = LINES[format] | {NAMES.get(format, "doc_key"): f"d{number}"}
        line |= draw(st.sampled_from([{}, *OPTIONS[format]]))
        found.append(draw(st.sampled_from([b"", b" ", b"\t  "])) + lines(line))
    return found


def said(corpus: Corpus) -> object:
    """All that a corpus says, apart from lines of its file, which each piece counts anew."""
    head = corpus.mentions.head
    heads = [-1] * len(corpus.mentions) if head is None else head.tolist()
    return content(corpus) | {"heads": heads, "names": corpus.documents}


@pytest.mark.parametrize("format", LINES)
@given(data=st.data())
@settings(max_examples=80)
def test_pieces_of_a_file_say_what_the_whole_says(format: str, data: st.DataObject) -> None:
    written = data.draw(files(format))
    cuts = data.draw(st.sets(st.integers(1, len(written) - 1)))
    pieces = [
        parse(b"".join(written[start:stop]), format)
        for start, stop in pairwise([0, *sorted(cuts), len(written)])
    ]
    assert said(concatenate(pieces)) == said(parse(b"".join(written), format))


@pytest.mark.parametrize("format", LINES)
@given(data=st.data())
@settings(max_examples=40)
def test_the_index_names_documents_as_they_are_read(
    format: str, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    written = data.draw(files(format))
    path = tmp_path_factory.mktemp("index") / "x.jsonl"
    path.write_bytes(b"".join(written))
    mark = format_named(format).document_mark
    assert mark is not None
    index = index_documents(path, mark)
    assert index is not None
    assert index.names == parse(b"".join(written), format).documents
    for start, stop, name in zip(index.starts, index.stops, index.names, strict=True):
        assert parse(path.read_bytes()[start:stop], format).documents == (name,)


def test_the_number_of_a_part_is_no_part_of_the_name_of_an_e2e_document(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(lines(LINES["e2e"] | {"part_id": 3}))
    shard = Shard(str(path), "e2e", "key")
    assert shard.names() == shard.read(frozenset()).documents == ("x",)


@pytest.mark.parametrize("first", [0, 1])
def test_whole_and_streamed_scores_agree_on_lines_of_two_kinds(tmp_path: Path, first: int) -> None:
    """A line with a map of subtokens beside one without: B-cubed was 1/3 whole, and 1 streamed."""
    plain: dict[str, object] = {
        "doc_key": "a",
        "sentences": [["a", "b", "c"]],
        "clusters": [[[0, 0], [2, 2]]],
    }
    pieces = {"sentences": [["a", "##b", "c"]], "subtoken_map": [0, 0, 1]}
    mapped = {"doc_key": "b", "clusters": [[[0, 1], [2, 2]]], **pieces}
    both = [plain, mapped] if first == 0 else [mapped, plain]
    path, key = tmp_path / "x.jsonl", tmp_path / "key.jsonl"
    path.write_bytes(lines(*both))
    words = {"doc_key": "b", "sentences": [["ab", "c"]], "clusters": [[[0, 0], [1, 1]]]}
    key.write_bytes(lines(plain, words))
    assert corefine.score(key, path, "b3")["b3"].f1 == 1
    expected = {"a": [[(0, 0), (2, 2)]], "b": [[(0, 0), (1, 1)]]}
    assert parse(path.read_bytes(), "e2e").to_dict() == expected
    alone = [parse(lines(line), "e2e").to_dict() for line in both]
    assert alone[0] | alone[1] == expected


def test_sniffing_decodes_the_first_line_once(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[bytes] = []
    decode = records.record_of

    def counted(line: bytes) -> records.Record | None:
        seen.append(line)
        return decode(line)

    monkeypatch.setattr(records, "record_of", counted)
    assert sniff(Source("x", content=lines(LINES["preco"]))).name == "preco"
    assert seen == [json.dumps(LINES["preco"]).encode()]
