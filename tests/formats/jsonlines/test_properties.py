"""JSON lines of any content: written and read again, cut anywhere, damaged; and scanned exactly."""

from __future__ import annotations

import contextlib
import json
import random
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corefine.corpus.arrays import offsets_of
from corefine.corpus.corpus import Corpus
from corefine.errors import CorefineError
from corefine.formats import Source, format_named, losses
from corefine.formats.jsonlines import json_records as jsonl
from corefine.formats.jsonlines.json_arrays import StringLists, scan_numbers, scan_strings
from tests.building.text_corpora import SOLID_WORDS, content, corpora
from tests.formats.jsonlines.test_jsonlines import LINES, lines

TOKEN_DIALECTS = ["e2e", "wl-coref", "preco", "maverick"]


def written(corpus: Corpus, format: str) -> bytes:
    writer = format_named(format).write
    assert writer is not None
    return b"".join(writer(corpus))


def parse(data: bytes, format: str) -> Corpus:
    return format_named(format).corpus(Source("f.jsonl", content=data))


@pytest.mark.parametrize("format", TOKEN_DIALECTS)
@given(corpus=corpora())
@settings(max_examples=60)
def test_what_is_written_is_read_again(format: str, corpus: Corpus) -> None:
    again = content(parse(written(corpus, format), format))
    expected = content(corpus)
    if format == "maverick":
        expected["sentences"] = again["sentences"]
    if format == "preco" and losses(corpus, format_named(format)):
        assert list(again["entities"]) == list(expected["entities"])
        expected["entities"] = again["entities"]
    assert again == expected


@given(corpus=corpora(SOLID_WORDS))
def test_characters_are_kept(corpus: Corpus) -> None:
    data = written(corpus, "fastcoref")
    again = parse(data, "fastcoref")
    assert written(again, "fastcoref") == data
    assert again.documents == corpus.documents
    texts = [again.text_of(row).replace(" ", "") for row in range(len(again.mentions))]
    order = sorted(range(len(corpus.mentions)), key=lambda row: corpus.mentions.entity[row])
    assert texts == [corpus.text_of(row).replace(" ", "") for row in order]


@st.composite
def texts_with_spans(draw: st.DrawFn) -> dict[str, Any]:
    """A line of running text whose mentions are any spans that are not only white space."""
    text = draw(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")))
    spans = []
    if text:
        place = st.integers(0, len(text))
        drawn = draw(st.lists(st.tuples(place, place), max_size=8))
        spans = [[min(s), max(s)] for s in drawn if text[min(s) : max(s)].strip()]
    return {"doc_key": "x", "text": text, "clusters": [[span] for span in spans]}


@given(texts_with_spans())
def test_any_span_of_characters_begins_and_ends_with_a_word(line: dict[str, Any]) -> None:
    corpus = parse(lines(line), "fastcoref")
    tokens = corpus.tokens
    assert tokens is not None
    assert tokens.text is not None
    text = line["text"]
    begins, ends = tokens.text.begins.tolist(), tokens.text.ends.tolist()
    assert [text[b:e] for b, e in zip(begins, ends, strict=True)] == tokens.words.tolist()
    assert "".join(tokens.words) == "".join(text.split())
    for row, ((begin, end),) in enumerate(line["clusters"]):
        start, stop = corpus.pieces_of(row)[0]
        whole = text[begin:end]
        assert text[begins[start] : ends[stop - 1]] == whole.strip()
    # What is written has the spans without white space around them, and is then a fixed point.
    once = written(corpus, "fastcoref")
    assert json.loads(once)["text"] == text
    assert written(parse(once, "fastcoref"), "fastcoref") == once


@pytest.mark.parametrize("format", [*TOKEN_DIALECTS, "fastcoref"])
@given(corpus=corpora(SOLID_WORDS), block=st.integers(1, 200))
@settings(max_examples=25)
def test_where_blocks_end_changes_nothing(format: str, corpus: Corpus, block: int) -> None:
    data = written(corpus, format)
    whole = parse(data, format)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jsonl, "BLOCK", block)
        cut = parse(data, format)
    assert content(cut) == content(whole)
    assert whole.tokens is not None
    assert cut.tokens is not None
    assert whole.tokens.lines is not None
    assert cut.tokens.lines is not None
    assert cut.tokens.lines.tolist() == whole.tokens.lines.tolist()


def test_heads_and_layers_come_back() -> None:
    line = LINES["wl-coref"] | {
        "speaker": list("AAAABBB"),
        "pos": ["NNP", "VBD", "PRP$", "NN", "PRP", "VBD", "JJ"],
        "head": [1, None, 3, 1, 6, 6, None],
        "head2span": [[3, 2, 4], [0, 0, 1]],
        "part_id": 2,
    }
    first = written(parse(lines(line), "wl-coref"), "wl-coref")
    again = json.loads(first)
    for key in ("document_id", "part_id", "head", "speaker", "pos", "span_clusters", "sent_id"):
        assert again[key] == line[key]
    assert sorted(again["head2span"]) == sorted(line["head2span"])
    assert written(parse(first, "wl-coref"), "wl-coref") == first
    spoken = LINES["e2e"] | {"speakers": [["A", "A", "A", "A"], ["B", "B", "B"]]}
    assert json.loads(written(parse(lines(spoken), "e2e"), "e2e")) == spoken


def test_mentions_over_the_end_of_a_sentence_are_left_out_of_preco() -> None:
    corpus = parse(lines(LINES["e2e"] | {"clusters": [[[0, 0], [3, 4]]]}), "e2e")
    assert json.loads(written(corpus, "preco"))["mention_clusters"] == [[[0, 0, 1]]]


STRINGS = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
LAYOUTS: list[dict[str, Any]] = [
    {},
    {"ensure_ascii": False},
    {"separators": (",", ":"), "ensure_ascii": False},
    {"separators": ("  ,\t", ":")},
    {"indent": 1},
]


def plainly(documents: list[list[list[str]]]) -> tuple[list[str], list[int], list[int]]:
    lists = [strings for document in documents for strings in document]
    return (
        [string for strings in lists for string in strings],
        [len(strings) for strings in lists],
        [len(document) for document in documents],
    )


def found(lists: StringLists) -> tuple[list[str], list[int], list[int]]:
    assert lists.per_document.sum() == offsets_of(lists.lengths)[-1]
    return lists.strings.tolist(), lists.lengths.tolist(), lists.counts.tolist()


@given(
    documents=st.lists(st.lists(st.lists(STRINGS, max_size=12), max_size=4), max_size=4),
    layout=st.sampled_from(LAYOUTS),
)
def test_arrays_of_strings_are_scanned_as_json_reads_them(
    documents: list[list[list[str]]], layout: dict[str, Any]
) -> None:
    arrays = [msgspec.Raw(json.dumps(document, **layout).encode()) for document in documents]
    scanned = scan_strings(arrays, 2)
    if scanned is not None:
        assert found(scanned) == plainly(documents)
    flat = [[string for strings in document for string in strings] for document in documents]
    arrays = [msgspec.Raw(json.dumps(strings, **layout).encode()) for strings in flat]
    scanned = scan_strings(arrays, 1)
    if scanned is not None:
        assert found(scanned) == plainly([[strings] for strings in flat])


@given(
    documents=st.lists(
        st.lists(st.lists(st.lists(st.integers(0, 999), min_size=3, max_size=3))), max_size=4
    ),
    layout=st.sampled_from(LAYOUTS),
)
def test_arrays_of_numbers_are_scanned_as_json_reads_them(
    documents: list[list[list[list[int]]]], layout: dict[str, Any]
) -> None:
    arrays = [msgspec.Raw(json.dumps(document, **layout).encode()) for document in documents]
    scanned = scan_numbers(arrays, 3)
    assert scanned is not None
    clusters = [cluster for document in documents for cluster in document]
    assert scanned[0].tolist() == [len(document) for document in documents]
    assert scanned[1].tolist() == [len(cluster) for cluster in clusters]
    assert scanned[2].tolist() == [mention for cluster in clusters for mention in cluster]


@given(
    st.recursive(
        st.integers(-2, 99) | st.just(2**40) | st.none() | st.just(0.5),
        lambda inner: st.lists(inner, max_size=3),
        max_leaves=12,
    )
)
def test_scanning_takes_clusters_of_pairs_and_nothing_else(value: Any) -> None:
    scanned = scan_numbers([msgspec.Raw(json.dumps(value).encode())], 2)
    try:
        expected = msgspec.convert(value, list[list[tuple[int, int]]])
    except msgspec.ValidationError:
        assert scanned is None
        return
    mentions = [list(mention) for cluster in expected for mention in cluster]
    if scanned is None:
        assert any(not 0 <= number < 10**9 for mention in mentions for number in mention)
    else:
        assert scanned[1].tolist() == [len(cluster) for cluster in expected]
        assert scanned[2].tolist() == mentions


@given(st.lists(st.lists(st.lists(STRINGS.filter(lambda s: "\0" not in s)))))
def test_lists_of_strings_become_columns(documents: list[list[list[str]]]) -> None:
    assert found(StringLists.of(documents)) == plainly(documents)


def test_scanning_gives_up_where_msgspec_is_quicker_and_only_there() -> None:
    plain = json.dumps([["a", "\\", 'b"c', "d", "e", "f", "g", "h", "i"]]).encode()
    scanned = scan_strings([msgspec.Raw(plain)], 2)
    assert scanned is not None
    assert scanned.strings.tolist() == ["a", "\\", 'b"c', "d", "e", "f", "g", "h", "i"]
    assert scan_strings([msgspec.Raw(json.dumps([["ä", "ö"]]).encode())], 2) is None
    assert scan_strings([msgspec.Raw(json.dumps([["ä", "ö"]], ensure_ascii=False).encode())], 2)


ARBITRARY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | STRINGS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(STRINGS, inner, max_size=3),
    max_leaves=8,
)


@given(ARBITRARY, st.sampled_from([1, 2]))
def test_scanning_takes_arrays_of_strings_and_nothing_else(value: Any, depth: int) -> None:
    def is_list_of(value: Any, depth: int) -> bool:
        if depth == 0:
            return isinstance(value, str)
        return isinstance(value, list) and all(is_list_of(item, depth - 1) for item in value)

    scanned = scan_strings([msgspec.Raw(json.dumps(value).encode())], depth)
    if scanned is not None:
        assert is_list_of(value, depth)
        assert found(scanned) == plainly([value] if depth == 2 else [[value]])


@pytest.mark.parametrize("format", LINES)
def test_any_value_under_a_key_gives_a_corpus_or_an_error(format: str) -> None:
    known = sorted({key for line in LINES.values() for key in line} | {"subtoken_map", "head"})

    @given(st.sampled_from(known), ARBITRARY)
    def check(key: str, value: Any) -> None:
        line = LINES[format] | {key: value}
        problem = "f.jsonl:1: "
        try:
            corpus = parse(lines(line), format)
        except CorefineError as error:
            corpus, problem = None, str(error)
        assert problem.startswith("f.jsonl:1: ")
        assert corpus is None or corpus.format == format

    check()


@pytest.mark.parametrize("format", LINES)
def test_damaged_lines_give_a_corpus_or_an_error(format: str) -> None:
    second = LINES[format] | {"doc_key": "ü", "document_id": "ü", "id": "ü"}
    content = lines(LINES[format] | {"speakers": [[*"aaaa"], [*"bbb"]]}, second)
    chance = random.Random(0)
    pieces = [b"", b"0", b'"', b"[", b"]", b",", b"\\", b"\n", b"null", b"-", b"9" * 20, b"\\u00e9"]
    for _ in range(400):
        damaged = bytearray(content)
        for _ in range(chance.randint(1, 3)):
            place = chance.randrange(len(damaged))
            if chance.random() < 0.5:
                damaged[place] = chance.randrange(256)
            else:
                damaged[place : place + chance.randint(0, 2)] = chance.choice(pieces)
        with contextlib.suppress(CorefineError):
            corpus = parse(bytes(damaged), format)
            assert isinstance(corpus, Corpus)
            assert (corpus.mentions.start < corpus.mentions.stop).all()
