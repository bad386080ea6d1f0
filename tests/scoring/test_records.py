"""Labels straight to the table, and tables of counts: the same numbers as by mentions."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import corefine
from corefine import Corpus, Request, count, score
from corefine.cli import main
from corefine.errors import code_of
from corefine.metrics.registry import resolve
from corefine.scoring.count import Counts, count_table, tabulate
from corefine.scoring.fingerprint import strings_code
from corefine.scoring.records import count_records, tabulate_records

METRICS = [
    str(metric)
    for metric in resolve("all").values()
    if metric.layer == "identity" and not any(part.needs_mentions for part in metric.needs())
]
ids = st.integers(0, 40)
labels = st.dictionaries(ids, st.integers(0, 8), min_size=1, max_size=30)
forms = st.sampled_from(["strings", "numbers", "long", "documents", "rows"])


def side(given: dict[int, int], form: str, reverse: bool) -> Corpus:
    rows = sorted(given.items(), reverse=reverse)
    names: list[object] | np.ndarray = [f"m{number}" for number, _ in rows]
    documents = None
    if form == "numbers":
        names = np.array([1000 ** (number % 4) + number for number, _ in rows])
    elif form == "long":
        names = [f"{'x' * (number * 3)}-{number}-ä" for number, _ in rows]
    elif form == "documents":
        documents = [f"d{number % 3}" for number, _ in rows]
    entities = [f"e{entity}" for _, entity in rows]
    return Corpus.from_labels(entities, None if form == "rows" else names, documents)


def outer_join(ours: dict[int, int], theirs: dict[int, int], form: str) -> corefine.Table:
    """The table of counts that a query over both sides yields."""
    found = Counter(
        (number % 3 if form == "documents" else 0, ours.get(number), theirs.get(number))
        for number in ours.keys() | theirs.keys()
    )
    document, *sides = zip(*found, strict=True)
    key, response = ([one if one is None else f"e{one}" for one in side] for side in sides)
    return corefine.Table.from_counts(key, response, [*found.values()], document)


def same(counts: Counts, other: Counts) -> None:
    assert counts.documents == other.documents
    assert counts.values.keys() == other.values.keys()
    for metric, columns in other.values.items():
        for name, column in columns.items():
            assert counts.values[metric][name].tobytes() == column.tobytes(), (metric, name)
    assert counts.provenance == other.provenance
    ours, theirs = counts.scores(), other.scores()
    assert ours.warnings == theirs.warnings
    assert str(ours.signature) == str(theirs.signature)


@settings(max_examples=150, deadline=None)
@given(
    labels, labels, forms, st.booleans(), st.sampled_from(["keep", "drop"]),
    st.sampled_from(["none", "drop"]),
)  # fmt: skip
def test_records_count_as_mentions_do(
    ours: dict[int, int],
    theirs: dict[int, int],
    form: str,
    reverse: bool,
    singletons: str,
    twinless: str,
) -> None:
    if form == "rows":
        theirs = {number: theirs.get(number, 0) for number in ours}
    elif form == "documents":
        ours, theirs = ours | {50: 1, 51: 1, 52: 1}, theirs | {50: 2, 51: 2, 52: 2}
    key, response = side(ours, form, False), side(theirs, form, reverse and form != "rows")
    request = Request.of(METRICS, singletons=singletons, twinless=twinless,
                         missing_documents="count")  # fmt: skip
    by_mentions = count_table(tabulate(key, response, request), request)
    options: dict[str, Any] = {"singletons": singletons, "twinless": twinless}
    of_counts = corefine.score_table(outer_join(ours, theirs, form), METRICS, **options)
    assert of_counts.by_name == by_mentions.scores().by_name
    by_table = count_records(key, response, request)
    if by_table is None:
        assert key.documents != response.documents or (form, singletons) == ("rows", "drop")
        return
    same(by_table, by_mentions)


def test_one_side_has_singletons() -> None:
    key = Corpus.from_labels([n // 2 for n in range(40)], [f"m{n}" for n in range(40)])
    rows = [f"m{n}" for n in range(40)] + [f"s{n}" for n in range(20)]
    response = Corpus.from_labels([*(n // 2 for n in range(40)), *range(100, 120)], rows)
    request = Request.of("default")
    found = count_records(key, response, request)
    assert found is not None
    assert found.provenance.evidence.without_singletons == ("conll", 1.0)
    same(found, count_table(tabulate(key, response, request), request))


@pytest.mark.parametrize(
    ("names", "options"),
    [
        (["a", "a", "b"], {}),
        (["a", "b", "c"], {"by": "size"}),
        (["a", "b", "c"], {"twinless": "add-to-key"}),
        (["a", "b", "c"], {"match": "head"}),
        (["a", "b", "c"], {"metrics": "lmuc"}),
        (["a", "b", "c"], {"scope": "corpus"}),
        ([("a", 1), ("b", 1), ("c", 1)], {}),
    ],
)
def test_what_needs_mentions_is_left_to_them(names: list[object], options: dict[str, str]) -> None:
    corpus = Corpus.from_labels([1, 1, 2], names)
    assert tabulate_records(corpus, corpus, Request.of(**options)) is None


def test_ids_with_equal_codes_are_compared_in_full(monkeypatch: pytest.MonkeyPatch) -> None:
    key = Corpus.from_labels([1, 1, 2], ["identity-1", "identity-2", "identity-3"])
    response = Corpus.from_labels([1, 1, 2], ["identity-1", "identity-2", "identity-4"])
    request = Request.of("b3")
    codes = np.array([5, 9, 13], np.uint64)
    monkeypatch.setattr("corefine.scoring.records.mention_codes", lambda corpus: codes.copy())
    assert tabulate_records(key, response, request) is None


@given(st.lists(st.text(max_size=100)))
def test_codes_of_strings_are_sums_of_codes_of_bytes(texts: list[str]) -> None:
    one_by_one = [int(strings_code([text])[0]) for text in texts]
    assert strings_code(texts).tolist() == one_by_one


def test_codes_of_numbers_are_those_of_their_digits() -> None:
    numbers = [0, 7, 10, 99, 100, 12345, 2**62]
    entities = [number % 3 for number in numbers]
    ours = Corpus.from_labels(entities, np.array(numbers))
    theirs = Corpus.from_labels(entities, list(map(str, numbers)))
    keys = [count(one, one, Request.of("muc")).provenance.key for one in (ours, theirs)]
    assert keys[0] == keys[1]


def test_parquet_labels_and_frames_agree(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    from pyarrow import csv, parquet

    found = []
    for end, write in (("parquet", parquet.write_table), ("csv", csv.write_csv), ("", None)):
        sides: list[Any] = []
        for modulus in (7, 5):
            ids = [f"id-{n:05d}" for n in range(200)]
            labels = [f"c{n % modulus}" for n in range(200)]
            sides.append(arrow.table({"unique_id": ids, "cluster": labels}))
            if write is not None:
                path = tmp_path / f"{modulus}.{end}"
                write(sides[-1], path)
                sides[-1] = path
        found.append(score(*sides))
    assert len({str(one.signature) for one in found}) == 1
    assert len({str(one.to_dict()["scores"]) for one in found}) == 1


def test_exact_counts_whole_entities() -> None:
    scores = corefine.score([["a", "b"], ["c"], ["d"]], [["a", "b"], ["c", "d"]], "exact")
    assert (scores["exact"].recall, scores["exact"].precision) == (1 / 3, 1 / 2)


pairs = st.lists(
    st.tuples(st.integers(0, 12), st.integers(0, 12), st.sampled_from([0.2, 0.5, 0.9, 1.0])),
    min_size=1,
    max_size=15,
)


@given(pairs, st.sampled_from([0.0, 0.5, 0.91]))
def test_pairs_become_connected_components(
    tmp_path_factory: Any, found: list[tuple[int, int, float]], threshold: float
) -> None:
    path = tmp_path_factory.mktemp("pairs") / "pairs.csv"
    lines = [f"{left},{right},{share}" for left, right, share in found]
    path.write_text("\n".join(["id_l,id_r,match_probability", *lines, ""]), "utf-8")
    entity = {str(one): {str(one)} for left, right, _ in found for one in (left, right)}
    for left, right, share in found:
        if share >= threshold:
            joined = entity[str(left)] | entity[str(right)]
            entity.update(dict.fromkeys(joined, joined))
    read = corefine.read(path, f"labels:pairs:{threshold}").to_dict()[""]
    assert {frozenset(one) for one in read} == set(map(frozenset, entity.values()))


FILES = {
    "key.csv": "unique_id,cluster\nr1,a\nr2,a\nr3,a\nr4,b\n",
    "pairs.csv": "id_l,id_r,match_probability\nr1,r2,0.99\nr2,r3,0.95\nr3,r4,0.4\n",
    "links.csv": "id_l,id_r\nr1,r2\n",
    "counts.csv": "key,response,count\na,x,2\na,,1\nb,y,3\n",
    "words.csv": "key,response,count\na,x,two\n",
    "headless.csv": "a,b\n1,2\n",
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_files_of_counts_and_frames_are_one() -> None:
    expected = corefine.score_table("counts.csv").by_name
    assert expected["b3"].precision == 1.0
    frames = pytest.importorskip("polars")
    frame = frames.read_csv("counts.csv")
    frame.write_parquet("counts.parquet")
    for given_as in (frame, "counts.parquet"):
        assert corefine.score_table(given_as).by_name == expected


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ("--table counts.csv -m b3,exact", "100.00"),
        ("key.csv pairs.csv --response-format labels:pairs --threshold 0.9 -m b3", "100.00"),
        ("key.csv links.csv --response-format labels:pairs -m b3", "match:exact"),
    ],
)
def test_commands(arguments: str, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", *arguments.split()]) == 0
    assert text in capsys.readouterr().out


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    "arguments",
    [
        "key.csv pairs.csv",
        "key.csv pairs.csv --response-format labels:pairs",
        "key.csv links.csv --response-format labels:pairs --threshold 0.5",
        "key.csv key.csv --response-format labels:pairs --threshold 0.5",
        "key.csv pairs.csv --response-format labels:pair",
        "key.csv pairs.csv --threshold 0.5",
        "--table counts.csv key.csv",
        "--table counts.csv --jobs 2",
        "--table counts.csv --by size",
        "--table counts.csv -m lmuc",
        "--table counts.csv --match head",
        "--table counts.csv --preset conll2012",
        "--table words.csv",
        "--table headless.csv",
        "--table nothing.csv",
        "--table",
        "",
    ],
)
def test_refusals(arguments: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", *arguments.split()]) == 2
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("key", "response", "count"),
    [
        (["a"], ["x"], [0]),
        (["a"], ["x"], [1.5]),
        ([None], [""], [1]),
        ([], [], []),
        (["a", "b"], ["x"], [1]),
    ],
)
def test_impossible_counts(key: Any, response: Any, count: Any) -> None:
    with pytest.raises(corefine.CorefineError):
        corefine.Table.from_counts(key, response, count)


def test_a_sampled_key_is_named() -> None:
    names = [f"r{number}" for number in range(200)]
    whole = corefine.Corpus.from_labels([number // 2 for number in range(200)], names)
    sample = corefine.Corpus.from_labels([number // 2 for number in range(60)], names[:60])
    (warning,) = corefine.score(sample, whole).warnings
    assert code_of(warning) == "sampled-key"
    assert corefine.score(sample, whole, twinless="drop").warnings == ()
    assert "sampled-key" not in map(code_of, corefine.score(whole, whole).warnings)
