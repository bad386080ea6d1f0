"""What a caller may hand over as a side: the right number, or a refusal that helps."""

from __future__ import annotations

import io
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import corefine
from corefine.cli.samples import sample_path
from corefine.errors import UsageError

KEY, CAREFUL = sample_path("key"), sample_path("careful")
ENTITIES = [["a", "b", "c"]]
FOUND = [["a", "b"], ["c"]]
RECORD = {"doc_key": "d", "sentences": [["x", "y", "z"]], "clusters": [[[0, 0], [1, 1], [2, 2]]]}
ANSWER = {"doc_key": "d", "sentences": [["x", "y", "z"]], "clusters": [[[0, 0], [1, 1]], [[2, 2]]]}


def frame(library: str, entities: list[str]) -> Any:
    return pytest.importorskip(library).DataFrame({"mention": ["a", "b", "c"], "entity": entities})


@pytest.mark.parametrize(
    ("key", "response"),
    [
        (ENTITIES, FOUND),
        (tuple(map(tuple, ENTITIES)), iter(FOUND)),
        ([{"a", "b", "c"}], [frozenset("ab"), {"c"}]),
        ({"d": ENTITIES}, {"d": FOUND}),
        ({1: ENTITIES}, {"1": FOUND}),
        (corefine.Corpus.from_entities(ENTITIES), FOUND),
        ([[[0, 0], [1, 1], [2, 2]]], [[(0, 0), (1, 1)], [[2, 2]]]),
        ([RECORD], [ANSWER]),
        (RECORD, ANSWER),
        (corefine.Corpus.from_labels([7, 7, 7]), corefine.Corpus.from_labels(["x", "x", "y"])),
    ],
    ids=[
        "lists", "iterators", "sets", "documents", "numbered", "corpus", "spans", "records",
        "record", "labels",
    ],
)  # fmt: skip
def test_sides_of_many_forms_give_the_number(key: Any, response: Any) -> None:
    scores = corefine.score(key, response, "muc")
    assert scores["muc"].recall == 1 / 2
    assert scores["muc"].precision == 1


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_data_frames(library: str) -> None:
    key, response = frame(library, ["x", "x", "x"]), frame(library, ["x", "x", "y"])
    assert corefine.score(key, response, "muc")["muc"].recall == 1 / 2
    with pytest.raises(UsageError, match="the data frame has no entity column, only"):
        corefine.score(pytest.importorskip(library).DataFrame({"q": [1]}), response)


class Stream:
    """An object with Arrow's interface and nothing else."""

    def __init__(self, table: Any) -> None:
        self.table = table

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.table.__arrow_c_stream__(requested_schema)


def test_data_frames_of_any_library() -> None:
    arrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    columns = {"mention": ["a", "b", "c"], "entity": ["x", "x", "y"]}
    table = arrow.table(columns)
    frames = [table, Stream(table), table.to_reader()]
    if find_spec("polars"):
        frames.append(import_module("polars").DataFrame(columns).lazy())
    if find_spec("duckdb"):
        frames.append(import_module("duckdb").arrow(table))
    if find_spec("datasets"):
        frames.append(import_module("datasets").Dataset.from_dict(columns))
    for one in frames:
        assert corefine.score(table, one, "muc")["muc"].recall == 1
    scores = corefine.score(table, table, "muc")
    assert arrow.table(scores).column("f1").to_pylist() == [1.0]


def test_datasets_of_hugging_face() -> None:
    datasets = pytest.importorskip("datasets", reason="datasets is not installed")
    record = {"doc_key": "x", "sentences": [["a", "b"]], "clusters": [[[0, 0], [1, 1]]]}
    dataset = datasets.Dataset.from_list([record])
    for one in (dataset, dataset.to_iterable_dataset()):
        assert corefine.score([record], one, "muc")["muc"].f1 == 1
    with pytest.raises(UsageError):
        corefine.score([record], datasets.DatasetDict({"test": dataset}))


def test_open_files_and_paths() -> None:
    expected = corefine.score(KEY, CAREFUL, "muc")["muc"]
    assert expected.recall == 13 / 23
    content = Path(CAREFUL).read_text("utf-8")
    with open(KEY, encoding="utf-8") as text, open(CAREFUL, "rb") as binary:
        assert corefine.score(text, binary, "muc")["muc"] == expected
    assert corefine.score(Path(KEY), io.StringIO(content), "muc")["muc"] == expected
    assert corefine.score(KEY, io.BytesIO(content.encode()), "muc")["muc"] == expected
    named = corefine.score(KEY, io.StringIO(content), "muc", response_format="conll")
    assert named["muc"] == expected


@pytest.mark.parametrize(
    ("thing", "message"),
    [
        (["key.conll"], "instead of an entity"),
        ([["a"], "bc"], "instead of an entity"),
        ([1, 2], "instead of an entity"),
        (None, "not a corpus"),
        (3, "not a corpus"),
        (b"abc", "not a corpus"),
        ({"d": {"x": ["a"]}}, "document 'd' of the key"),
        ({"d": "abc"}, "Corpus.from_labels"),
        ([[["a", "b"], ["c"]], [["d"]]], "instead of a mention"),
        ([[[[0, 1], [2, 3]]]], "looks like a list of documents"),
        ([[None, "a"]], "a mention without a value"),
        ([[float("nan")]], "a mention without a value"),
        ([{"sentences": [["a"]]}], "has no clusters"),
        (np.array([0, 0, 1]), "Corpus.from_labels"),
        (np.array([[0, 1]]), "a list of entities such as"),
        ("no/such/file.conll", "no such file"),
    ],
)
def test_what_is_no_corpus_is_refused_with_an_example(thing: Any, message: str) -> None:
    with pytest.raises(corefine.CorefineError, match=message):
        corefine.score(thing, ENTITIES)
    with pytest.raises(corefine.CorefineError):
        corefine.Evaluator().update(thing, ENTITIES)


def test_spacy_documents_name_the_right_call() -> None:
    spacy = pytest.importorskip("spacy", reason="spaCy is not installed")
    docs = [spacy.blank("en")("Anna saw her.")]
    with pytest.raises(UsageError, match="corpus_from_docs"):
        corefine.score(docs, docs)


@pytest.mark.parametrize(
    "systems",
    [
        ([CAREFUL, KEY],),
        (CAREFUL, KEY),
        ({"careful": CAREFUL, "key": KEY},),
        ((Path(CAREFUL), corefine.read(KEY)),),
    ],
)
def test_several_sides(systems: Any) -> None:
    few: dict[str, Any] = {"metrics": "muc", "replicates": 5}
    compared = corefine.compare(KEY, *systems, trials=9, **few)
    assert next(iter(compared.scores.values()))["muc"].recall == 13 / 23
    reported = corefine.report(KEY, *systems, **few)
    assert reported.scores["careful"]["muc"].recall == 13 / 23
    agreement = corefine.agree(*systems, metrics="muc")
    assert len(agreement.annotators) == 2


KEY_SPANS = [[[0, 0], [1, 1], [2, 2]], [[3, 3], [4, 4]]]
FIRST, SECOND = [[[0, 0], [1, 1]], [[2, 2], [3, 3], [4, 4]]], [[[0, 0], [1, 1]], [[3, 3], [4, 4]]]


@pytest.mark.parametrize(
    "systems",
    [
        (FIRST, SECOND),
        ([FIRST, SECOND],),
        ((FIRST, SECOND),),
        ({"a": FIRST, "b": SECOND},),
        ({"a": {"": FIRST}, "b": {"": SECOND}},),
        ([corefine.Corpus.from_documents({"": [[*map(tuple, e)] for e in one]}) for one in
          (FIRST, SECOND)],),
    ],
    ids=["arguments", "list", "tuple", "dict", "documents", "corpora"],
)  # fmt: skip
def test_several_sides_as_data(systems: Any) -> None:
    few: dict[str, Any] = {"metrics": "muc", "replicates": 5}
    for made in (corefine.compare(KEY_SPANS, *systems, trials=9, **few),
                 corefine.report(KEY_SPANS, *systems, **few)):  # fmt: skip
        assert [one["muc"].recall for one in made.scores.values()] == [2 / 3, 2 / 3]
    assert len(corefine.agree(*systems, metrics="muc").annotators) == 2


def test_a_report_tells_documents_from_systems() -> None:
    entities = [["a", "b"], ["c"]]
    few: dict[str, Any] = {"metrics": "muc", "replicates": 5}
    key = {"one": entities, "two": entities}
    assert list(corefine.report(key, key, **few).scores) == ["response"]
    assert list(corefine.report(entities, {"one": entities}, **few).scores) == ["one"]
    assert list(corefine.report(entities, entities, **few).scores) == ["response"]


def test_metrics_may_follow_a_dict_of_systems() -> None:
    systems = {"a": CAREFUL, "b": KEY}
    compared = corefine.compare(KEY, systems, "muc,lea", trials=9, replicates=5)
    assert compared.metrics == ("muc", "lea")


def test_a_call_that_fails_leaves_the_evaluator_as_it_was() -> None:
    evaluator = corefine.Evaluator("muc", duplicates="error")
    for number in range(10):
        evaluator.update([["a", "b"]], [["a", "b"]], f"d{number}")
    with pytest.raises(UsageError, match="is in two entities"):
        evaluator.update([["a", "b"]], [["a", "b"], ["b", "c"]], "bad")
    evaluator.update([["a", "b"]], [["a"]], "bad")
    assert len(evaluator.compute().documents) == 11
    other = corefine.Evaluator("muc", duplicates="error")
    other.update([["x", "y"]], [["x", "y"]], "new")
    other.update([["x", "y"]], [["x", "y"]], "d3")
    with pytest.raises(UsageError, match="'d3' has already been evaluated"):
        evaluator.merge(other)
    evaluator.update([["x", "y"]], [["x", "y"]], "new")
    assert len(evaluator.compute().documents) == 12


def test_one_bad_document_costs_no_other_that_waits() -> None:
    def importance(side: Any) -> Any:
        if (side.size > 3).any():
            raise UsageError("too large")
        return side.size.astype(float)

    from corefine.metrics.lea import Lea

    evaluator = corefine.Evaluator(Lea(importance=importance))
    evaluator.window = 3
    evaluator.update([["a", "b"]], [["a", "b"]])
    evaluator.update([["a", "b"]], [["a", "b"]])
    with pytest.raises(UsageError, match="too large"):
        evaluator.update([["a", "b", "c", "d"]], [["a"]])
    assert len(evaluator.compute().documents) == 2
