"""JSON of tools of 2025 and 2026: what their records mean, and arrays of records."""

from __future__ import annotations

import contextlib
import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import corefine
from corefine.auditing.checking import check
from corefine.corpus.columns import Kind
from corefine.corpus.corpus import Corpus
from corefine.errors import AlignmentError, CorefineError
from corefine.formats import Source, format_named, losses, read, sniff, write
from tests.building.standoff_corpora import check_sound
from tests.building.text_corpora import SOLID_WORDS, content, corpora
from tests.formats.jsonlines.test_jsonlines import LINES, lines

ANNA = {"index": 1, "word": "Anna", "originalText": "Anna", "lemma": "Anna", "pos": "NNP",
        "characterOffsetBegin": 0, "characterOffsetEnd": 4, "before": "", "after": " "}  # fmt: skip
CORENLP: dict[str, Any] = {
    "docId": "x.txt",
    "sentences": [
        {
            "index": 0,
            "basicDependencies": [{"dep": "ROOT", "governor": 0, "dependent": 2}],
            "entitymentions": [{"docTokenBegin": 0, "text": "Anna", "ner": "PERSON"}],
            "tokens": [
                ANNA,
                {"index": 2, "word": "saw", "pos": "VBD"},
                {"index": 3, "word": "-LRB-", "originalText": "("},
            ],
        },
        {"index": 1, "tokens": [{"index": 1, "word": "her"}, {"index": 2, "word": "house"}]},
    ],
    "corefs": {
        "7": [
            {"id": 0, "text": "Anna", "type": "PROPER", "number": "SINGULAR", "gender": "FEMALE",
             "animacy": "ANIMATE", "startIndex": 1, "endIndex": 2, "headIndex": 1, "sentNum": 1,
             "position": [1, 1], "isRepresentativeMention": True},
            {"id": 2, "text": "her", "type": "PRONOMINAL", "startIndex": 1, "endIndex": 2,
             "headIndex": 1, "sentNum": 2, "position": [2, 1], "isRepresentativeMention": False},
        ],
        "9": [{"type": "NOMINAL", "startIndex": 1, "endIndex": 3, "headIndex": 2, "sentNum": 2}],
    },
}  # fmt: skip
CRAC: dict[str, Any] = {
    "doc_id": "x",
    "tokens": ["Los", "jugadores", "de_el", "Espanyol", "prefieren", "##", "##él"],
    "clusters_token_offsets": [[[0, 3], [5, 5]], [[2, 3]], [[6, 6]]],
    "clusters_text_mentions": [
        ["Los jugadores de el Espanyol", "_"],
        ["de el Espanyol"],
        ["##él"],
    ],
}
XCORE: dict[str, Any] = {
    "tokens": [[["Anna", "slept"]], [["Eve", "saw", "her"]], [["Nobody"]]],
    "clusters_token_offsets": [[[0, 0, 0], [1, 2, 2]], [[1, 0, 0]]],
    "clusters_token_text": [["Anna", "her"], ["Eve"]],
}
COREF_DATA: dict[str, Any] = {
    "id": "x",
    "text": "Anna slept. She woke",
    "sentences": [
        {
            "id": 1,
            "text": "Anna slept.",
            "speaker": None,
            "tokens": [
                {"id": 1, "text": "Anna", "lemma": "Anna", "upos": "PROPN", "xpos": None},
                {"id": 2, "text": "slept", "lemma": "sleep", "upos": "VERB", "head": 0},
            ],
        },
        {
            "id": 2,
            "text": "She woke",
            "tokens": [
                {"id": 1.0, "text": "She"},
                {"id": 1.1, "text": "_"},
                {"id": 2, "text": "woke"},
            ],
        },
    ],
    "coref_chains": [[[0, 0, 0], [1, 0, 0]], [[1, 1, 2]]],
    "genre": "story",
    "meta_data": {"comment": ""},
}
ALLENNLP: dict[str, Any] = {
    "top_spans": [[0, 0], [2, 2]],
    "antecedent_indices": [[0, 1], [0, 1]],
    "predicted_antecedents": [-1, 0],
    "document": ["Anna", "saw", "her"],
    "clusters": [[[0, 0], [2, 2]]],
}
TASK: dict[str, Any] = {
    "id": 4,
    "annotations": [
        {
            "id": 9,
            "completed_by": 1,
            "result": [
                {"value": {"start": 0, "end": 4, "text": "Anna", "labels": ["PER"]}, "id": "a1",
                 "from_name": "label", "to_name": "text", "type": "labels", "origin": "manual"},
                {"value": {"start": 12, "end": 15, "text": "her", "labels": ["PER"]}, "id": "b2",
                 "from_name": "label", "to_name": "text", "type": "labels", "origin": "manual"},
                {"value": {"start": 16, "end": 21, "text": "house", "labels": ["Mention"]},
                 "id": "c3", "from_name": "label", "to_name": "text", "type": "labels"},
                {"from_id": "b2", "to_id": "a1", "type": "relation", "direction": "right",
                 "labels": ["coref"]},
                {"from_id": "c3", "to_id": "a1", "type": "relation", "labels": ["part of"]},
                {"value": {"choices": ["easy"]}, "id": "d4", "type": "choices"},
            ],
            "was_cancelled": False,
            "ground_truth": False,
            "lead_time": 4.2,
        }
    ],
    "predictions": [],
    "data": {"text": "Anna 😊 saw her house"},
    "meta": {},
    "project": 1,
}  # fmt: skip
TASK["annotations"][0]["result"].pop()
CLUSTERS: dict[str, Any] = {"doc_key": "x", "clusters": [[[0, 0], [2, 2]]]}

RECORDS = {
    "allennlp": ALLENNLP,
    "clusters": CLUSTERS,
    "coref-data": COREF_DATA,
    "corenlp": CORENLP,
    "crac-json": CRAC,
    "label-studio": TASK,
    "xcore": XCORE,
}


def parse(data: bytes, format: str | None = None) -> Corpus:
    source = Source("f.json", content=data)
    return (sniff(source) if format is None else format_named(format)).corpus(source)


def refusal(record: object, format: str | None = None) -> str:
    with pytest.raises(CorefineError) as caught:
        parse(json.dumps(record).encode(), format)
    return str(caught.value)


def layouts(*records: object) -> list[bytes]:
    """Records as lines, as one array on a line, spread over lines, and one record a line."""
    encoded = [json.dumps(record) for record in records]
    found = [
        "\n".join(encoded),
        json.dumps(records),
        json.dumps(records, indent=2),
        "\ufeff[\n" + ",\n".join(encoded) + "\n]\n",
        "\r\n [" + " ,\r\n".join(encoded) + "]",
    ]
    if len(records) == 1:
        found.append(json.dumps(records[0], indent=1))
        found.append(json.dumps(records[0], indent=1).replace("\n", "\r\n"))
    return [text.encode() for text in found]


@pytest.mark.parametrize("format", RECORDS)
def test_one_format_is_recognised_in_every_layout(format: str) -> None:
    expected = parse(json.dumps(RECORDS[format]).encode(), format)
    for data in layouts(RECORDS[format]):
        corpus = parse(data)
        assert corpus.format == format
        assert corpus.to_dict() == expected.to_dict()
        check_sound(corpus)


@pytest.mark.parametrize("format", sorted(LINES))
def test_arrays_of_what_else_is_read_as_lines(format: str) -> None:
    second = LINES[format] | {"doc_key": "y", "document_id": "y", "id": "y"}
    expected = parse(lines(LINES[format], second), format).to_dict()
    for data in layouts(LINES[format], second):
        corpus = parse(data)
        assert (corpus.format, corpus.to_dict()) == (format, expected)


def test_records_of_an_array_know_their_line() -> None:
    good = json.dumps(LINES["e2e"], indent=1)
    wrong = json.dumps(LINES["e2e"] | {"doc_key": "y", "clusters": [[[0, 99]]]})
    data = f"[\n{good},\n\n{wrong}]"
    line = data[: data.index(wrong)].count("\n") + 1
    with pytest.raises(CorefineError, match=f"^f.json:{line}: clusters.0..0. is .0, 99., beyond"):
        parse(data.encode())
    corpus = parse(f"[{good},\n{wrong.replace('99', '6')}]".encode())
    assert corpus.location(0, 0) is not None
    assert str(corpus.location(1, 0)) == f"f.json:{good.count(chr(10)) + 2}"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"[]", "f.json:1: the array is empty"),
        (b"[\n{},\n3]", "f.json:3: expected object, got int"),
        (b"[\n{},\n[]]", "f.json:3: a JSON array instead of a document object"),
        (b'[\n{"doc_key": NaN}]', "f.json:2: malformed JSON: not a number (byte 13)"),
        (b'[\n{"doc_key": "x"\n}', "f.json:3: malformed JSON: unexpected end of file"),
        (b'[\n{"doc_key" "x"}]', "f.json:2: malformed JSON: expected ':' (byte 12)"),
        (b"[\n{}]]", "f.json:2: malformed JSON: trailing characters (byte 5)"),
        (b"[\n\0", "f.json:2: a null byte"),
        (b"[" * 9999, "nested too deeply"),
    ],
)
def test_wrong_arrays_are_told_with_their_line(data: bytes, message: str) -> None:
    with pytest.raises(CorefineError) as caught:
        parse(data, "e2e")
    assert message in str(caught.value)


def test_an_array_that_is_wrong_is_checked_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(b"[\n" + json.dumps(CRAC).encode() + b",\n" + json.dumps(CRAC).encode() + b"]")
    (found,) = check(path)
    assert [str(problem.where) for problem in found.problems] == [f"{path}:3"]
    path.write_bytes(b"[\n" + json.dumps(CRAC).encode() + b"]")
    assert check(path)[0].problems == ()


def test_a_long_first_record_of_an_array_is_looked_through() -> None:
    record = LINES["preco"] | {"sentences": [["word"] * 40_000], "mention_clusters": [[[0, 1, 2]]]}
    corpus = parse(json.dumps([record], indent=1).encode())
    assert (corpus.format, len(corpus.mentions)) == ("preco", 1)


# --- CoreNLP ------------------------------------------------------------------------------------


def test_corenlp() -> None:
    corpus = parse(json.dumps(CORENLP, indent=2).encode())
    assert corpus.to_dict() == {"x": [[(0, 0), (3, 3)], [(3, 4)]]}
    assert corpus.mentions.kind is not None
    assert corpus.mentions.head is not None
    assert corpus.mentions.kind.tolist() == [Kind.NAME, Kind.PRONOUN, Kind.NOMINAL]
    assert corpus.mentions.head.tolist() == [0, 3, 4]
    assert corpus.entities.names is not None
    assert corpus.entities.names.tolist() == ["7", "9"]
    assert corpus.tokens is not None
    assert corpus.tokens.words.tolist() == ["Anna", "saw", "(", "her", "house"]
    assert corpus.tokens.sentences.tolist() == [0, 3]
    assert corpus.tokens.layers["pos"].tolist() == ["NNP", "VBD", "", "", ""]


def test_corenlp_names_documents_after_their_files(tmp_path: Path) -> None:
    for name in ("a.txt.json", "b.json"):
        record = {key: value for key, value in CORENLP.items() if key != "docId"}
        (tmp_path / name).write_text(json.dumps(record, indent=2))
    assert read(tmp_path).documents == ("a.txt", "b")
    nothing = parse(json.dumps({**CORENLP, "corefs": {}}).encode())
    assert len(nothing.mentions) == 0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sentNum": 0}, "corefs.7[0] is in sentence 0 of 2"),
        ({"sentNum": 3}, "corefs.7[0] is in sentence 3 of 2"),
        ({"startIndex": 0}, "corefs.7[0] covers words 0 to 2 of a sentence of 3"),
        ({"endIndex": 1}, "corefs.7[0] covers words 1 to 1"),
        ({"endIndex": 5}, "corefs.7[0] covers words 1 to 5"),
        ({"endIndex": "2"}, "corefs[...][0].endIndex: expected int, got str"),
    ],
)
def test_mentions_outside_of_corenlps_text(change: dict[str, Any], message: str) -> None:
    mention = CORENLP["corefs"]["7"][0] | change
    found = refusal(CORENLP | {"corefs": {"7": [mention]}})
    assert found.startswith("f.json:1: ")
    assert message in found


# --- CRAC ---------------------------------------------------------------------------------------


def test_crac() -> None:
    corpus = parse(json.dumps([CRAC], indent=1).encode())
    assert corpus.to_dict() == {"x": [[(0, 3), (5, 5)], [(2, 3)], [(6, 6)]]}
    assert corpus.tokens is not None
    assert corpus.tokens.empty is not None
    assert corpus.tokens.empty.tolist() == [False] * 5 + [True] * 2
    assert corpus.tokens.words.tolist()[5:] == ["_", "él"]
    shifted = [[[1, 4], [5, 5]], [[2, 3]], [[6, 6]]]
    assert "the end may be counted differently" in refusal(
        CRAC | {"clusters_token_offsets": shifted}
    )


def test_zeros_of_crac_are_scored_as_those_of_corefud(tmp_path: Path) -> None:
    rows = ["1\ta", "2\tb", "2.1\t_", "3\tc"]
    misc = ["(e1)", "", "(e1)", "(e2)"]
    text = "# newdoc id = x\n# global.Entity = eid\n" + "".join(
        f"{row}{chr(9)}{chr(9).join('_' * 7)}{chr(9)}{'Entity=' + cell if cell else '_'}\n"
        for row, cell in zip(rows, misc, strict=True)
    )
    (tmp_path / "key.conllu").write_text(text)
    record = {
        "doc_id": "x",
        "tokens": ["a", "b", "##", "c"],
        "clusters_token_offsets": [[[0, 0], [2, 2]], [[3, 3]]],
        "clusters_text_mentions": [["a", "_"], ["c"]],
    }
    (tmp_path / "answer.json").write_text(json.dumps([record], indent=1))
    scores = corefine.score(tmp_path / "key.conllu", tmp_path / "answer.json", zeros="linear")
    assert scores["lea"].f1 == 1.0


# --- xCoRe --------------------------------------------------------------------------------------


def test_xcore_joins_entities_across_documents() -> None:
    corpus = parse(json.dumps(XCORE).encode())
    assert corpus.to_dict() == {"1": [[(0, 0)]], "2": [[(2, 2)], [(0, 0)]], "3": []}
    assert corpus.entities.names is not None
    assert corpus.entities.names.tolist() == ["0.0", "0.0", "0.1"]
    flat = XCORE | {"tokens": [tokens[0] for tokens in XCORE["tokens"]]}
    assert parse(json.dumps(flat).encode()).to_dict() == corpus.to_dict()
    wrong = XCORE | {"clusters_token_offsets": [[[0, 0, 0]], [[1, 2, 2]], [[1, 0, 0]]]}
    assert corefine.score([XCORE], [XCORE], scope="corpus")["muc"].recall == 1.0
    assert corefine.score([XCORE], [wrong], scope="corpus")["muc"].recall == 0.0
    assert corefine.score([XCORE], [wrong])["lea"].f1 == 1.0


def test_names_of_xcores_documents() -> None:
    assert parse(json.dumps(XCORE | {"doc_key": "t"}).encode()).documents == ("t/0", "t/1", "t/2")
    assert parse(json.dumps(XCORE | {"id": ["a", 2, "c"]}).encode()).documents == ("a", "2", "c")
    two = json.dumps(XCORE | {"id": "a"}) + "\n" + json.dumps(XCORE | {"id": "b"})
    names = parse(two.encode()).entities.names
    assert names is not None
    assert names.tolist() == ["0.0", "0.0", "0.1", "1.0", "1.0", "1.1"]
    assert "id has 1 names for 3 documents" in refusal(XCORE | {"id": ["a"]})
    assert "there are only 3 documents" in refusal(
        XCORE | {"clusters_token_offsets": [[[3, 0, 0]]]}
    )
    assert "the document has 2 tokens" in refusal(XCORE | {"clusters_token_offsets": [[[0, 0, 2]]]})


# --- coref-data, AllenNLP -----------------------------------------------------------------------


def test_coref_data() -> None:
    corpus = parse(json.dumps(COREF_DATA).encode())
    assert corpus.to_dict() == {"x": [[(0, 0), (2, 2)], [(3, 4)]]}
    assert corpus.tokens is not None
    assert corpus.tokens.empty is not None
    assert corpus.tokens.empty.tolist() == [False, False, False, True, False]
    assert corpus.tokens.layers["upos"].tolist() == ["PROPN", "VERB", "", "", ""]
    assert "beyond the 2 tokens of the sentence" in refusal(
        COREF_DATA | {"coref_chains": [[[0, 1, 2]]]}
    )
    assert "but there are only 2 sentences" in refusal(COREF_DATA | {"coref_chains": [[[2, 0, 0]]]})


def test_allennlp() -> None:
    corpus = parse(json.dumps(ALLENNLP).encode())
    assert list(corpus.to_dict().values()) == [[[(0, 0), (2, 2)]]]
    assert not corpus.named


@pytest.mark.parametrize("format", ["allennlp", "coref-data", "crac-json"])
@given(corpus=corpora(SOLID_WORDS))
@settings(max_examples=50)
def test_what_is_written_is_read_again(format: str, corpus: Corpus) -> None:
    if losses(corpus, format_named(format)):
        return
    writer = format_named(format).write
    assert writer is not None
    again = parse(b"".join(writer(corpus)), format)
    expected = content(corpus)
    if format != "coref-data":
        expected["sentences"] = content(again)["sentences"]
    assert content(again) == expected


@pytest.mark.parametrize("format", ["coref-data", "crac-json"])
def test_zeros_come_back(format: str, tmp_path: Path) -> None:
    corpus = parse(json.dumps(RECORDS[format]).encode())
    write(corpus, tmp_path / "x.json", format)
    again = read(tmp_path / "x.json")
    assert again.format == format
    assert content(again) == content(corpus)
    assert again.tokens is not None
    assert corpus.tokens is not None
    assert again.tokens.empty is not None
    assert corpus.tokens.empty is not None
    assert again.tokens.empty.tolist() == corpus.tokens.empty.tolist()


# --- clusters without a text --------------------------------------------------------------------


def test_clusters_alone_are_counted_in_the_words_of_the_key() -> None:
    key = LINES["e2e"]
    answer = {"doc_key": "x", "clusters": key["clusters"]}
    assert corefine.score([key], [answer])["lea"].f1 == 1.0
    assert corefine.score([answer], [key])["lea"].f1 == 1.0
    assert corefine.score([answer], [answer])["lea"].f1 == 1.0
    less = {"doc_key": "x", "clusters": key["clusters"][:1]}
    assert corefine.score([key], [less])["muc"].recall == 1 / 2
    beyond = {"doc_key": "x", "clusters": [[[0, 0], [6, 7]]]}
    with pytest.raises(
        AlignmentError, match="mention with tokens 6 to 7 in document 'x', which has"
    ):
        corefine.score([key], [beyond])
    with pytest.raises(CorefineError, match=r"clusters\[0\]\[0\] is \[3, 2\], which ends"):
        corefine.score([key], [{"doc_key": "x", "clusters": [[[3, 2]]]}])


def test_empty_nodes_of_the_key_are_not_counted() -> None:
    key = {"doc_id": "x", "tokens": ["a", "##", "b"], "clusters_token_offsets": [[[0, 0], [2, 2]]]}
    answer = {"doc_key": "x", "clusters": [[[0, 0], [1, 1]]]}
    assert corefine.score([key], [answer])["lea"].f1 == 1.0


def test_ends_of_clusters_alone(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(json.dumps({"doc_key": "x", "clusters": [[[i, i + 1] for i in range(6)]]}))
    (warning,) = read(path).warnings
    assert "no mention has a single" in warning
    exclusive = read(path, "clusters-exclusive")
    assert exclusive.to_dict()["x"] == [[(i, i) for i in range(6)]]
    assert exclusive.warnings == ()
    with pytest.raises(CorefineError, match="the format clusters cannot represent"):
        write(parse(lines(LINES["e2e"])), tmp_path / "y.jsonl", "clusters")
    write(parse(lines(LINES["e2e"])), tmp_path / "y.jsonl", "clusters", lossy=True)
    assert json.loads((tmp_path / "y.jsonl").read_text()) == {
        "doc_key": "x",
        "clusters": LINES["e2e"]["clusters"],
    }


# --- Label Studio -------------------------------------------------------------------------------


def test_label_studio() -> None:
    corpus = parse(json.dumps([TASK]).encode())
    assert corpus.to_dict() == {"4": [[(0, 0), (3, 3)], [(4, 4)]]}
    assert corpus.types == ("PER",)
    assert corpus.mentions.type is not None
    assert corpus.mentions.type.tolist() == [0, 0, -1]
    assert corpus.tokens is not None
    assert corpus.tokens.words.tolist() == ["Anna", "😊", "saw", "her", "house"]


def test_label_studio_may_count_code_points() -> None:
    task = json.loads(json.dumps(TASK))
    for result in task["annotations"][0]["result"][1:3]:
        result["value"]["start"] -= 1
        result["value"]["end"] -= 1
    corpus = parse(json.dumps([task]).encode())
    assert corpus.to_dict() == {"4": [[(0, 0), (3, 3)], [(4, 4)]]}


def annotated(*results: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"id": 1, "data": {"text": "Anna saw her"}, "annotations": [{"result": results, **more}]}


SPAN = {"id": "a", "type": "labels", "value": {"start": 0, "end": 4, "labels": ["x"]}}
LINK = {"type": "relation", "from_id": "a", "to_id": "b"}
OTHER = {"id": "b", "type": "labels", "value": {"start": 9, "end": 12, "labels": ["x"]}}


@pytest.mark.parametrize(
    ("task", "message"),
    [
        (
            annotated(SPAN, {"type": "relation", "from_id": "a", "to_id": "z"}),
            "a relation with region",
        ),
        (annotated(SPAN | {"value": {"start": 0, "end": 40}}), "span 'a' is [0, 40] in a text"),
        (annotated(SPAN | {"value": {"start": 4, "end": 4}}), "span 'a' is [4, 4] in a"),
        (annotated(SPAN | {"value": {"start": "/p[1]", "end": 4}}), "is not a character span"),
        (
            annotated(
                SPAN, OTHER, {"type": "relation", "from_id": "a", "to_id": "b", "labels": ["of"]}
            ),
            "no coreference relations, only",
        ),
        (
            annotated(SPAN) | {"annotations": [{"result": []}, {"result": []}]},
            "a task with 2 annotations",
        ),
        (annotated(SPAN) | {"data": {"a": "x", "b": "y"}}, "data has 2 texts"),
        (annotated(SPAN) | {"annotations": [{}]}, "annotations[0]: object missing required field"),
    ],
)
def test_tasks_that_cannot_be_read(task: dict[str, Any], message: str) -> None:
    found = refusal([task])
    assert found.startswith("f.json:1: ")
    assert message in found


@pytest.mark.parametrize("key", ["annotations", "completions", "predictions"])
def test_only_labels_are_spans(key: str) -> None:
    """What else is said of a region or of the text makes no mention."""
    task = annotated(
        {"id": "t", "type": "choices", "value": {"choices": ["news"]}},
        {"id": "a", "type": "choices", "value": {"start": 0, "end": 4, "choices": ["singular"]}},
        SPAN,
        {"id": "a", "type": "textarea", "value": {"start": 0, "end": 4, "text": ["a note"]}},
        OTHER,
        LINK,
    )
    task[key] = task.pop("annotations")
    assert parse(json.dumps([task]).encode()).to_dict() == {"1": [[(0, 0), (2, 2)]]}


def test_the_text_of_a_task_is_the_one_that_has_its_spans() -> None:
    value = {"start": 0, "end": 4, "text": "Anna", "labels": ["x"]}
    for key, other in (("Text", "Anna"), ("sentence", "web")):
        task = annotated(SPAN | {"value": value}) | {"data": {key: "Anna saw her", "from": other}}
        assert parse(json.dumps([task]).encode()).to_dict() == {"1": [[(0, 0)]]}


def test_of_several_annotations_the_ground_truth_counts() -> None:
    task = annotated(SPAN)
    cancelled = {"result": [SPAN, OTHER], "was_cancelled": True}
    truth = {"result": [OTHER], "ground_truth": True}
    for others, expected in (([cancelled], [[(0, 0)]]), ([truth], [[(2, 2)]])):
        record = task | {"annotations": task["annotations"] + others}
        assert parse(json.dumps([record]).encode()).to_dict() == {"1": expected}
    linked = parse(json.dumps([annotated(SPAN, OTHER, LINK)]).encode())
    assert linked.to_dict() == {"1": [[(0, 0), (2, 2)]]}


@given(corpus=corpora(SOLID_WORDS))
@settings(max_examples=50)
def test_tasks_come_back(corpus: Corpus) -> None:
    writer = format_named("label-studio").write
    assert writer is not None
    if any(not name for name in corpus.documents) or losses(corpus, format_named("label-studio")):
        return
    data = b"".join(writer(corpus))
    again = parse(data, "label-studio")
    assert again.documents == corpus.documents
    texts = [again.text_of(row).replace(" ", "") for row in range(len(again.mentions))]
    order = sorted(range(len(corpus.mentions)), key=lambda row: corpus.mentions.entity[row])
    assert texts == [corpus.text_of(row).replace(" ", "") for row in order]
    assert b"".join(writer(again)) == data


# --- any of them, damaged -----------------------------------------------------------------------

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 9) | st.floats(0, 9) | st.sampled_from(["", "a"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.just("tokens"), inner),
    max_leaves=8,
)


@pytest.mark.parametrize("format", RECORDS)
@given(data=st.data())
@settings(max_examples=60)
def test_any_value_gives_a_corpus_or_an_error_with_a_line(format: str, data: st.DataObject) -> None:
    record = RECORDS[format]
    key = data.draw(st.sampled_from(sorted(record)))
    changed = record | {key: data.draw(VALUES)}
    problem, corpus = "", None
    try:
        corpus = parse(json.dumps([changed]).encode(), format)
    except CorefineError as error:
        problem = str(error)
    if corpus is None:
        assert problem.startswith("f.json:1: ")
    else:
        check_sound(corpus)


@pytest.mark.parametrize("format", RECORDS)
def test_damaged_files_give_a_corpus_or_an_error(format: str) -> None:
    chance = random.Random(0)
    pieces = [b"", b"0", b'"', b"[", b"]", b",", b"\\", b"\n", b"null", b"-", b"9" * 20, b"{", b"}"]
    for content_of in layouts(RECORDS[format]):
        for _ in range(60):
            damaged = bytearray(content_of)
            for _ in range(chance.randint(1, 3)):
                place = chance.randrange(len(damaged))
                if chance.random() < 0.5:
                    damaged[place] = chance.randrange(256)
                else:
                    damaged[place : place + chance.randint(0, 2)] = chance.choice(pieces)
            with contextlib.suppress(CorefineError):
                check_sound(parse(bytes(damaged), format))
            with contextlib.suppress(CorefineError):
                parse(bytes(damaged))
