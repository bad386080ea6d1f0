"""What a Python user types first: the right number, or a refusal that names the right call."""

from __future__ import annotations

import collections
import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import corefine
from corefine.cli.samples import sample_path
from corefine.errors import CorefineError

Pair = tuple[Any, Any]

KEY = [["a", "b", "c"], ["d", "e"]]
RESPONSE = [["a", "b"], ["c", "d", "e"]]
KEY_SPANS = [[(0, 0), (1, 1), (2, 2)], [(3, 3), (4, 4)]]
RESPONSE_SPANS = [[(0, 0), (1, 1)], [(2, 2), (3, 3), (4, 4)]]
KEY_LABELS, RESPONSE_LABELS = "xxxyy", "xxyyy"
WORDS = ["t0", "t1", "t2", "t3", "t4"]
KEY_FILE, RESPONSE_FILE = sample_path("key"), sample_path("careful")


def lists(entities: list[list[tuple[int, int]]]) -> list[list[list[int]]]:
    return [[list(span) for span in entity] for entity in entities]


def e2e(entities: Any, **more: Any) -> dict[str, Any]:
    return {"doc_key": "d", "sentences": [WORDS], "clusters": lists(entities), **more}


def fastcoref(entities: Any) -> dict[str, Any]:
    characters = [[[3 * first, 3 * last + 2] for first, last in entity] for entity in entities]
    return {"text": " ".join(WORDS), "clusters": characters}


def maverick(entities: Any) -> dict[str, Any]:
    return {"tokens": WORDS, "clusters_token_offsets": [[*map(tuple, one)] for one in entities]}


def frame(library: str, labels: str, **columns: Any) -> Any:
    module = pytest.importorskip(library, reason=f"{library} is not installed")
    make = module.table if library == "pyarrow" else module.DataFrame
    return make(columns | {"entity": list(labels)})


def frames(library: str, **columns: Any) -> Pair:
    columns = columns or {"mention": list("abcde")}
    return tuple(frame(library, each, **columns) for each in (KEY_LABELS, RESPONSE_LABELS))


def both(make: Callable[[Any], Any], key: Any = KEY, response: Any = RESPONSE) -> Pair:
    return make(key), make(response)


def spans(make: Callable[[Any], Any]) -> Pair:
    return both(make, KEY_SPANS, RESPONSE_SPANS)


def shuffled(library: str) -> Pair:
    """Spans in two columns, the rows of the response in another order."""
    key = frame(library, KEY_LABELS, start=[*range(5)], end=[*range(5)])
    response = frame(library, RESPONSE_LABELS[::-1], start=[4, 3, 2, 1, 0], end=[4, 3, 2, 1, 0])
    return key, response


NUMBERS: dict[str, Callable[[], Pair]] = {
    "lists": lambda: (KEY, RESPONSE),
    "tuples": lambda: both(lambda side: tuple(map(tuple, side))),
    "lists of sets": lambda: both(lambda side: [*map(set, side)]),
    "a set of frozensets": lambda: both(lambda side: set(map(frozenset, side))),
    "generators": lambda: both(lambda side: (iter(entity) for entity in side)),
    "maps": lambda: both(lambda side: map(list, side)),
    "values of a dict": lambda: both(lambda side: dict(enumerate(side)).values()),
    "deques": lambda: both(collections.deque),
    "numbers": lambda: ([[0, 1, 2], [3, 4]], [[0, 1], [2, 3, 4]]),
    "ranges": lambda: ([range(3), range(3, 5)], [range(2), range(2, 5)]),
    "arrays of numbers": lambda: ([np.arange(3), np.arange(3, 5)], [[0, 1], [2, 3, 4]]),
    "tuples of spans": lambda: (KEY_SPANS, RESPONSE_SPANS),
    "lists of spans": lambda: spans(lists),
    "spans as tuples and lists": lambda: (KEY_SPANS, lists(RESPONSE_SPANS)),
    "arrays of spans": lambda: spans(lambda side: [np.array(entity) for entity in side]),
    "spans of NumPy numbers": lambda: spans(
        lambda side: [[(np.int64(a), np.int32(b)) for a, b in entity] for entity in side]
    ),
    "a dict of documents": lambda: both(lambda side: {"d": side}),
    "documents of spans": lambda: ({"d": KEY_SPANS}, {"d": lists(RESPONSE_SPANS)}),
    "documents by number": lambda: ({1: KEY}, {"1": RESPONSE}),
    "a dict and a list": lambda: ({"d": KEY}, RESPONSE),
    "corpora": lambda: both(corefine.Corpus.from_entities),
    "a corpus and a list": lambda: (corefine.Corpus.from_entities(KEY), RESPONSE),
    "labels": lambda: both(
        lambda side: corefine.Corpus.from_labels(list(side)), KEY_LABELS, RESPONSE_LABELS
    ),
    "arrays of labels": lambda: both(
        lambda side: corefine.Corpus.from_labels(np.array(list(side))), KEY_LABELS, RESPONSE_LABELS
    ),
    "an e2e record": lambda: spans(e2e),
    "e2e records": lambda: spans(lambda side: [e2e(side)]),
    "a generator of records": lambda: spans(lambda side: (one for one in [e2e(side)])),
    "e2e predictions": lambda: (
        [e2e(KEY_SPANS)],
        [e2e(KEY_SPANS, predicted_clusters=lists(RESPONSE_SPANS))],
    ),
    "fastcoref records": lambda: spans(lambda side: [fastcoref(side)]),
    "a Maverick result": lambda: spans(maverick),
    "e2e and Maverick": lambda: ([e2e(KEY_SPANS)], [maverick(RESPONSE_SPANS)]),
    "e2e and fastcoref": lambda: ([e2e(KEY_SPANS)], [fastcoref(RESPONSE_SPANS)]),
    "e2e and lists": lambda: ([e2e(KEY_SPANS)], RESPONSE_SPANS),
    "clusters alone": lambda: spans(lambda side: {"clusters": lists(side)}),
    "JSON text that was parsed": lambda: spans(lambda side: json.loads(json.dumps(side))),
    "a JSON lines file": lambda: spans(lambda side: io.StringIO(json.dumps(e2e(side)) + "\n")),
    "a JSON array file": lambda: spans(lambda side: io.StringIO(json.dumps([e2e(side)]))),
    "pandas": lambda: frames("pandas"),
    "polars": lambda: frames("polars"),
    "Arrow": lambda: frames("pyarrow"),
    "a lazy frame": lambda: both(lambda side: side.lazy(), *frames("polars")),
    "frames with documents": lambda: frames("pandas", doc_id=["d"] * 5, mention=list("abcde")),
    "frames without mentions": lambda: frames("pandas", document=["d"] * 5),
    "spans in columns, pandas": lambda: shuffled("pandas"),
    "spans in columns, polars": lambda: shuffled("polars"),
    "spans in columns and lists": lambda: (KEY_SPANS, shuffled("pandas")[1]),
    "a frame and a dict": lambda: ({"d": KEY}, frames("pandas")[1]),
    "a frame of records": lambda: spans(
        lambda side: pytest.importorskip("pandas").DataFrame([e2e(side)])
    ),
    "a polars frame of records": lambda: spans(
        lambda side: pytest.importorskip("polars").DataFrame([e2e(side)])
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", NUMBERS)
def test_it_gives_the_right_number(name: str) -> None:
    key, response = NUMBERS[name]()
    scores = corefine.score(key, response, "muc,b3")
    assert scores["muc"].precision == scores["muc"].recall == 2 / 3
    assert scores["b3"].recall == pytest.approx((2 * 2 / 3 + 1 / 3 + 2) / 5)


FILES: dict[str, Callable[[], Pair]] = {
    "paths": lambda: (KEY_FILE, RESPONSE_FILE),
    "Path": lambda: (Path(KEY_FILE), Path(RESPONSE_FILE)),
    "a path and a corpus": lambda: (KEY_FILE, corefine.read(RESPONSE_FILE)),
    "StringIO and BytesIO": lambda: (
        io.StringIO(Path(KEY_FILE).read_text("utf-8")),
        io.BytesIO(Path(RESPONSE_FILE).read_bytes()),
    ),
    "a path and the lists of its corpus": lambda: (
        KEY_FILE, corefine.read(RESPONSE_FILE).to_dict(),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_files_give_the_right_number(name: str) -> None:
    assert corefine.score(*FILES[name](), "muc")["muc"].recall == 13 / 23


def closed_file() -> Any:
    with open(KEY_FILE, encoding="utf-8") as file:
        return file


def spacy_docs() -> Any:
    return [pytest.importorskip("spacy", reason="spaCy is not installed").blank("en")("Anna.")]


REFUSALS: dict[str, tuple[Callable[[], Any], str]] = {
    "labels": (lambda: [0, 0, 1], "use Corpus.from_labels(labels)"),
    "labels as strings": (lambda: ["x", "x", "y"], "use Corpus.from_labels(labels)"),
    "an array of labels": (lambda: np.array([0, 0, 1]), "use Corpus.from_labels(labels)"),
    "a Series": (lambda: pytest.importorskip("pandas").Series([0, 1]), "Corpus.from_labels"),
    "an array of spans": (lambda: np.array([[0, 1], [2, 3]]), "a list of entities such as"),
    "an array of entities": (lambda: np.array(KEY, object), ".tolist()"),
    "a Series of entities": (lambda: pytest.importorskip("pandas").Series(KEY), ".tolist()"),
    "an array of rank 3": (lambda: np.zeros((2, 2, 2), int), ".tolist()"),
    "a dict from mentions to labels": (
        lambda: {"a": 0, "b": 0}, "Corpus.from_labels(list(labels.values()), list(labels))",
    ),
    "a dict from entities to mentions": (
        lambda: {"x": ["a", "b"], "y": ["c"]}, "list(entities.values())",
    ),
    "a dict of dicts": (lambda: {"d": {"x": ["a"]}}, "document 'd' of the key"),
    "an empty dict": (dict, "it has no documents"),
    "a list of documents": (lambda: [KEY, RESPONSE], "dict(enumerate(documents))"),
    "a list of documents of spans": (lambda: [KEY_SPANS], "dict(enumerate(documents))"),
    "a list of documents of lists": (lambda: [lists(KEY_SPANS)], "dict(enumerate(documents))"),
    "columns of a dataset": (
        lambda: {"doc_key": ["d"], "clusters": [lists(KEY_SPANS)]}, "zip(*columns.values())",
    ),
    "records without clusters": (lambda: [{"sentences": [WORDS]}], "has no clusters, only"),
    "dicts for mentions": (lambda: [[{"start": 0, "end": 1}]], "a span (first, last)"),
    "truth values": (lambda: [[True, False]], "a span (first, last)"),
    "None for a mention": (lambda: [["a", None]], "a mention without a value"),
    "NaN for a mention": (lambda: [[float("nan")]], "a mention without a value"),
    "a string for an entity": (lambda: [["a"], "bc"], "instead of an entity"),
    "sentences": (lambda: ["Anna saw her."], "instead of an entity"),
    "lines of a file": (lambda: ["#begin document (d)\n", "\n"], "io.StringIO(''.join(lines))"),
    "a list of paths": (lambda: [KEY_FILE], "a glob pattern"),
    "a list of Path": (lambda: [Path(KEY_FILE)], "a glob pattern"),
    "a list of corpora": (lambda: [corefine.Corpus.from_entities(KEY)], "corefine.Evaluator"),
    "a list of frames": (lambda: [*frames("pandas")], "Concatenate the frames"),
    "a frame without entities": (
        lambda: pytest.importorskip("pandas").DataFrame({"q": [1]}), "no entity column, only: q",
    ),
    "an empty frame": (lambda: pytest.importorskip("pandas").DataFrame(), "no entity column"),
    "a frame with missing labels": (
        lambda: pytest.importorskip("pandas").DataFrame({"mention": [0], "entity": [None]}),
        "has no value",
    ),
    "spaCy documents": (spacy_docs, "corpus_from_docs(docs)"),
    "JSON text": (lambda: json.dumps(e2e(KEY_SPANS)), "json.loads(text)"),
    "the text of a file": (lambda: Path(KEY_FILE).read_text("utf-8"), "io.StringIO(text)"),
    "the bytes of a file": (lambda: Path(KEY_FILE).read_bytes(), "io.BytesIO(data)"),
    "a file that does not exist": (lambda: "no/such/file.conll", "no such file"),
    "an empty path": (lambda: "", "the path of the key is empty"),
    "a web address": (lambda: "https://example.org/key.conll", "Download the file"),
    "a closed file": (closed_file, "cannot read the key"),
    "None": (lambda: None, "not a corpus"),
    "a number": (lambda: 3, "not a corpus"),
    "True": (lambda: True, "not a corpus"),
    "a type": (lambda: list, "not a corpus"),
    "scores": (lambda: corefine.score(KEY, RESPONSE), "(Scores), not a corpus"),
    "an evaluator": (corefine.Evaluator, "(Evaluator), not a corpus"),
}  # fmt: skip


RUNS = ("a list of corpora", "a list of paths", "a list of Path")
"""In a dict of systems these are several runs of one."""


@pytest.mark.parametrize("name", REFUSALS)
def test_it_is_refused_with_the_right_call(name: str) -> None:
    make, message = REFUSALS[name]
    with pytest.raises(CorefineError, match=re.escape(message)):
        corefine.score(make(), RESPONSE)
    if name not in RUNS:
        with pytest.raises(CorefineError):
            corefine.compare(KEY, {"a": RESPONSE, "b": make()}, trials=9, replicates=9)


MIXED: dict[str, tuple[Callable[[], Pair], str]] = {
    "names and spans": (lambda: (KEY, KEY_SPANS), "strings such as 'a'"),
    "names and a file": (lambda: (KEY, RESPONSE_FILE), "strings such as 'a'"),
    "numbers and strings": (lambda: ([[0, 1]], [["0", "1"]]), "strings such as '0'"),
    "labels and a file": (
        lambda: (corefine.Corpus.from_labels([0, 0, 1]), {"": KEY_SPANS}),
        "the key has labels without mentions",
    ),
    "labels of different length": (
        lambda: (corefine.Corpus.from_labels([0, 0, 1]), corefine.Corpus.from_labels([0, 0])),
        "the key has 3 rows and the response 2",
    ),
    "labels and clusters": (
        lambda: (corefine.Corpus.from_labels([0, 0, 1]), {"clusters": lists(KEY_SPANS)}),
        "the key has labels without mentions",
    ),
    "frames of different length": (
        lambda: (frame("pandas", "xxy"), frame("pandas", "xx")), "compared row by row",
    ),
    "documents of other names": (lambda: ({"a": KEY}, {"b": RESPONSE}), "is not in the response"),
}  # fmt: skip


@pytest.mark.parametrize("name", MIXED)
def test_sides_that_cannot_be_compared_are_refused(name: str) -> None:
    make, message = MIXED[name]
    with pytest.raises(CorefineError, match=re.escape(message)):
        corefine.score(*make())


def test_a_name_that_occurs_twice_is_told() -> None:
    scores = corefine.score([["Anna", "she", "she"]], [["Anna", "she"]], "b3")
    assert scores["b3"].f1 == 1
    assert "'she' occurs twice" in scores.warnings[0]


def test_labels_in_a_file_may_have_columns_of_spans(tmp_path: Path) -> None:
    table = tmp_path / "key.csv"
    table.write_text("start,end,entity\n0,1,x\n2,3,x\n")
    scores = corefine.score(table, table, key_format="labels", response_format="labels")
    assert scores["muc"].f1 == 1
