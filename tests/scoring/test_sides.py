"""Everything that a caller may give as a side: the right number, or an error."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import corefine
from corefine.errors import CorefineError
from corefine.scoring.sides import names_of
from tests.building.refusals import refused
from tests.building.sample import sample_path

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
    "lists of sets": lambda: both(lambda side: [*map(set, side)]),
    "a set of frozensets": lambda: both(lambda side: set(map(frozenset, side))),
    "generators": lambda: both(lambda side: (iter(entity) for entity in side)),
    "tuples of spans": lambda: (KEY_SPANS, RESPONSE_SPANS),
    "lists of spans": lambda: spans(lists),
    "arrays of spans": lambda: spans(lambda side: [np.array(entity) for entity in side]),
    "a dict of documents": lambda: both(lambda side: {"d": side}),
    "documents by number": lambda: ({1: KEY}, {"1": RESPONSE}),
    "a dict and a list": lambda: ({"d": KEY}, RESPONSE),
    "corpora": lambda: both(corefine.Corpus.from_entities),
    "an e2e record": lambda: spans(e2e),
    "a generator of records": lambda: spans(lambda side: (one for one in [e2e(side)])),
    "e2e predictions": lambda: (
        [e2e(KEY_SPANS)],
        [e2e(KEY_SPANS, predicted_clusters=lists(RESPONSE_SPANS))],
    ),
    "fastcoref records": lambda: spans(lambda side: [fastcoref(side)]),
    "a Maverick result": lambda: spans(maverick),
    "e2e and Maverick": lambda: ([e2e(KEY_SPANS)], [maverick(RESPONSE_SPANS)]),
    "e2e and fastcoref": lambda: ([e2e(KEY_SPANS)], [fastcoref(RESPONSE_SPANS)]),
    "e2e and lists": lambda: (
        [e2e(KEY_SPANS)],
        [[(first, last + 1) for first, last in entity] for entity in RESPONSE_SPANS],
    ),
    "clusters alone": lambda: spans(lambda side: {"clusters": lists(side)}),
    "a JSON lines file": lambda: spans(lambda side: io.StringIO(json.dumps(e2e(side)) + "\n")),
    "pandas": lambda: frames("pandas"),
    "polars": lambda: frames("polars"),
    "a lazy frame": lambda: both(lambda side: side.lazy(), *frames("polars")),
    "spans in columns, pandas": lambda: shuffled("pandas"),
    "spans in columns and lists": lambda: (KEY_SPANS, shuffled("pandas")[1]),
    "a frame of records": lambda: spans(
        lambda side: pytest.importorskip("pandas").DataFrame([e2e(side)])
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", NUMBERS)
def test_sides_of_many_forms_give_the_number(name):
    key, response = NUMBERS[name]()
    scores = corefine.score(key, response, "muc,b3")
    assert scores["muc"].precision == scores["muc"].recall == 2 / 3
    assert scores["b3"].recall == pytest.approx((2 * 2 / 3 + 1 / 3 + 2) / 5)


FILES: dict[str, Callable[[], Pair]] = {
    "paths": lambda: (KEY_FILE, RESPONSE_FILE),
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
def test_files_give_the_right_number(name):
    assert corefine.score(*FILES[name](), "muc")["muc"].recall == 13 / 23


def closed_file() -> Any:
    with open(KEY_FILE, encoding="utf-8") as file:
        return file


REFUSALS: dict[str, Callable[[], Any]] = {
    "labels": lambda: [0, 0, 1],
    "an array of spans": lambda: np.array([[0, 1], [2, 3]]),
    "a dict from mentions to labels": lambda: {"a": 0, "b": 0},
    "a dict from entities to mentions": lambda: {"x": ["a", "b"], "y": ["c"]},
    "a dict of dicts": lambda: {"d": {"x": ["a"]}},
    "an empty dict": dict,
    "a list of documents": lambda: [KEY, RESPONSE],
    "columns of a dataset": lambda: {"doc_key": ["d"], "clusters": [lists(KEY_SPANS)]},
    "records without clusters": lambda: [{"sentences": [WORDS]}],
    "dicts for mentions": lambda: [[{"start": 0, "end": 1}]],
    "None for a mention": lambda: [["a", None]],
    "an object that cannot be compared": lambda: [[(object(), 3), "b"]],
    "NaN for a mention": lambda: [[float("nan")]],
    "a string for an entity": lambda: [["a"], "bc"],
    "a list of paths": lambda: [KEY_FILE],
    "a list of corpora": lambda: [corefine.Corpus.from_entities(KEY)],
    "a frame without entities": lambda: pytest.importorskip("pandas").DataFrame({"q": [1]}),
    "a frame with missing labels": lambda: pytest.importorskip("pandas").DataFrame(
        {"mention": [0], "entity": [None]}
    ),
    "JSON text": lambda: json.dumps(e2e(KEY_SPANS)),
    "the text of a file": lambda: Path(KEY_FILE).read_text("utf-8"),
    "a file that does not exist": lambda: "no/such/file.conll",
    "a closed file": closed_file,
    "None": lambda: None,
    "scores": lambda: corefine.score(KEY, RESPONSE),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_what_is_no_corpus_is_refused(name):
    make = REFUSALS[name]
    with pytest.raises(CorefineError):
        corefine.score(make(), RESPONSE)
    with pytest.raises(CorefineError):
        corefine.Evaluator().update(make(), RESPONSE)


MIXED: dict[str, Callable[[], Pair]] = {
    "names and spans": lambda: (KEY, KEY_SPANS),
    "names and a file": lambda: (KEY, RESPONSE_FILE),
    "numbers and strings": lambda: ([[0, 1]], [["0", "1"]]),
    "labels and spans": lambda: (corefine.Corpus.from_labels([0, 0, 1]), {"": KEY_SPANS}),
    "labels and clusters": lambda: (
        corefine.Corpus.from_labels([0, 0, 1]),
        {"clusters": lists(KEY_SPANS)},
    ),
    "labels of different length": lambda: both(corefine.Corpus.from_labels, [0, 0, 1], [0, 0]),
    "frames of different length": lambda: (frame("pandas", "xxy"), frame("pandas", "xx")),
    "documents of other names": lambda: ({"a": KEY}, {"b": RESPONSE}),
}


@pytest.mark.parametrize("name", MIXED)
def test_sides_that_cannot_be_compared_are_refused(name):
    with pytest.raises(CorefineError):
        corefine.score(*MIXED[name]())


class Stream:
    """An object with Arrow's interface and nothing else."""

    def __init__(self, table: Any) -> None:
        self.table = table

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.table.__arrow_c_stream__(requested_schema)


def test_data_frames_of_any_library():
    arrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    columns = {"mention": ["a", "b", "c"], "entity": ["x", "x", "y"]}
    table = arrow.table(columns)
    frames = [table, Stream(table), table.to_reader()]
    if find_spec("duckdb"):
        frames.append(import_module("duckdb").arrow(table))
    if find_spec("datasets"):
        frames.append(import_module("datasets").Dataset.from_dict(columns))
    for one in frames:
        assert corefine.score(table, one, "muc")["muc"].recall == 1
    assert arrow.table(corefine.score(table, table, "muc")).column("f1").to_pylist() == [1.0]


@pytest.mark.slow
def test_datasets_of_hugging_face():
    datasets = pytest.importorskip("datasets", reason="datasets is not installed")
    record = e2e(KEY_SPANS)
    dataset = datasets.Dataset.from_list([record])
    for one in (dataset, dataset.to_iterable_dataset()):
        assert corefine.score([record], one, "muc")["muc"].f1 == 1
    with refused("usage"):
        corefine.score([record], datasets.DatasetDict({"test": dataset}))


FEW: dict[str, Any] = {"metrics": "muc", "replicates": 5}
CORPORA = [corefine.Corpus.from_documents({"": one}) for one in (KEY_SPANS, RESPONSE_SPANS)]
SEVERAL: dict[str, tuple[Any, ...]] = {
    "files": (KEY_FILE, [KEY_FILE, RESPONSE_FILE]),
    "arguments": (KEY_FILE, KEY_FILE, RESPONSE_FILE),
    "a dict": (KEY_FILE, {"key": KEY_FILE, "careful": RESPONSE_FILE}),
    "a path and a corpus": (KEY_FILE, (Path(KEY_FILE), corefine.read(RESPONSE_FILE))),
    "lists of spans": (KEY_SPANS, lists(KEY_SPANS), lists(RESPONSE_SPANS)),
    "a list": (KEY_SPANS, [KEY_SPANS, RESPONSE_SPANS]),
    "a dict of documents": (KEY_SPANS, {"a": KEY_SPANS, "b": {"": RESPONSE_SPANS}}),
    "corpora": (KEY_SPANS, CORPORA),
}


@pytest.mark.parametrize("name", SEVERAL)
def test_several_systems(name):
    key, *systems = SEVERAL[name]
    recall = 13 / 23 if key == KEY_FILE else 2 / 3
    compared = corefine.compare(key, *systems, trials=9, **FEW)
    for made in (compared, corefine.report(key, *systems, **FEW)):
        assert [one["muc"].recall for one in made.scores.values()] == [1, recall]
    assert len(corefine.agree(*systems, metrics="muc").annotators) == 2


def test_files_of_one_name_are_named_with_their_folder_and_other_sides_numbered():
    folders = [str(Path("a/x")), str(Path("b/x"))]
    assert names_of(["a/x.conll", "b/x.conll.gz", "b/y.e2e"], "") == [*folders, "y"]
    names = ("annotation", "annotation 2", "annotation 3")
    assert corefine.agree([[(1, 2)]] * 3, metrics="muc").annotators == names


def test_an_error_names_the_option_for_the_format_of_its_side(tmp_path):
    empty = tmp_path / "empty.conll"
    empty.write_text("#begin document (d); part 000\nd\t0\t0\tshe\t-\n#end document\n")
    for side, sides in (("key", (empty, KEY_FILE)), ("response", (KEY_FILE, empty))):
        with pytest.raises(CorefineError, match=f"--{side}-format"):
            corefine.score(*sides)


def test_a_dict_is_systems_for_compare_and_report_and_documents_for_score():
    key = {"one": KEY, "two": KEY}
    assert corefine.score(key, key, "muc").counts.documents == ("one", "two")
    for function in (corefine.compare, corefine.report):
        with pytest.raises(corefine.CorefineError):  # its documents are taken for systems
            function(key, key)
    numbers = [[1, 2], [3]]
    for one, systems, name in (
        (key, {"a": key}, "a"), (KEY, KEY, "response"), (numbers, numbers, "response"),
    ):  # fmt: skip
        assert list(corefine.report(one, systems, **FEW).scores) == [name]
