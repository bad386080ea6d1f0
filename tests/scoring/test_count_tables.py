"""Tables of counts and pairs of records: the numbers of the labels themselves."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import corefine
from corefine.cli import main
from corefine.errors import code_of

METRICS = "default,exact,pairs"
ids = st.tuples(st.sampled_from("xy"), st.integers(0, 20))
labels = st.dictionaries(ids, st.integers(0, 6), min_size=1, max_size=25)


def corpus(side: dict[tuple[str, int], int]) -> corefine.Corpus:
    names, documents = [str(row) for _, row in side], [name for name, _ in side]
    return corefine.Corpus.from_labels([f"e{one}" for one in side.values()], names, documents)


def rows(key: dict[Any, int], response: dict[Any, int]) -> list[tuple[Any, ...]]:
    """Document, key entity, response entity, count: as a full outer join yields them."""
    shared = Counter(
        (document, key.get((document, row)), response.get((document, row)))
        for document, row in key.keys() | response.keys()
    )
    return [(*cell, count) for cell, count in shared.items()]


@given(labels, labels, st.sampled_from(["keep", "drop"]), st.sampled_from(["none", "drop"]))
def test_a_table_gives_the_same_bits_as_labels(
    key: dict[Any, int], response: dict[Any, int], singletons: Any, twinless: Any
) -> None:
    for side in (key, response):
        side.update({("x", 30): 8, ("y", 30): 8})
    document, ours, theirs, count = zip(*rows(key, response), strict=True)
    table = corefine.Table.from_counts(ours, theirs, count, document)
    found = corefine.score_table(table, METRICS, singletons=singletons, twinless=twinless)
    expected = corefine.score(
        corpus(key), corpus(response), METRICS, singletons=singletons, twinless=twinless
    )
    assert found.by_name == expected.by_name
    assert found.counts.totals() == expected.counts.totals()


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
