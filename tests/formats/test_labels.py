"""Tables of labels: CSV, TSV and Parquet."""

from __future__ import annotations

import gzip
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import corefine
from corefine.corpus.corpus import Corpus
from corefine.formats import parquet, write
from tests.building.format_files import parse, place_of_error
from tests.building.refusals import refused

CELL = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1)
HEADER = "document,mention,entity\n"


@pytest.mark.parametrize(
    "content",
    [
        HEADER + "d,a,1\nd,b,1\ne,a,1\n",
        "document;mention;entity\nd;a;1\nd;b;1\ne;a;1",
        "entity\tdoc_id\tmention\tmore\n1\td\ta\tx\n1\td\tb\t\n1\te\ta\ty\n",
        "\ufeffDocument,Mention,Entity\r\nd,a,1\r\n\r\nd,b,1\r\ne,a,1\r\n",
        HEADER + 'd,"a",1\nd,b,1\ne,a,"1"\n',
        HEADER + "d,a,1\ne,a,1\nd,b,1\n",
        'document,mention,entity,"com\nment"\nd,a,1,x\nd,b,1,y\ne,a,1,\n',
        '"com\n\nment";document;entity;mention\n"x\r\n";d;1;a\n;d;1;b\n;e;1;a\n',
        'document,mention,entity,"a;b;c;d"\nd,a,1,\nd,b,1,\ne,a,1,\n',
    ],
)
def test_tables_as_people_write_them(content: str) -> None:
    corpus = parse(content)
    assert corpus.to_dict(ends="inclusive") == {"d": [["a", "b"]], "e": [["a"]]}
    assert corpus.format == "labels"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("mention,cluster\na,1\nb,2\nc,1\n", {"": [["a", "c"], ["b"]]}),
        ("document,entity\nd,1\nd,2\nd,1\n", {"d": [[(0, 0), (2, 2)], [(1, 1)]]}),
        ('mention,entity\n"a\rb",1\n', {"": [["a\rb"]]}),
    ],
)
def test_missing_columns_and_carriage_returns(content: str, expected: object) -> None:
    assert parse(content, "labels").to_dict(ends="inclusive") == expected


def test_mentions_are_compared_as_whole_strings() -> None:
    name = "a long name of a mention"
    key, response, other = (
        parse(f"mention,entity\n{one},1\nb,1\n") for one in (name, name, name[:-1] + "m")
    )
    assert corefine.score(key, response)["lea"].f1 == 1
    assert corefine.score(key, other)["mentions"].f1 == 1 / 2


@pytest.mark.parametrize(
    ("content", "line"),
    [
        *((HEADER + rows, line) for rows, line in (
            ("d,a\n", 2), ("d,a,1\nd,a,1,2\n", 3), ("", None), ("d,a,\n", 2), ("d,,1\n", 2),
            ('d,"a,1\n', 2), ('d,"a",1\nd,"b"\n', 3), ("\nd,a,1\n\r\nd,b,\n", 5),
            ("d,a,1\nd,b,nan\nd,c,nan\n", 3), ('d,"a\nb",1\n\nd,,1\n', 5),
            ('d,"a\nb",1\nd,"c\n"\n', 4), ("d,a\rb,1\n", 2), ('d,"a",1\nd,a\rb,1\n', 3),
            # Rows that would be taken for something else.
            ("d,a,1\ndocument,mention,entity\nd,b,1\n", 3), ("d,a,1\nd,b, 1\n", 3),
            ("d,a,1 \nd,b,1\n", 2), ("d,a,1\n,b,1\n", 3),
            *((f"d,a,1\nd,b,{label}\n", 3) for label in (
                "NaN", "NAN", "-nan", "<NA>", "None", "null", "  ", "\t",
            )),
        )),
        ('document,mention,entity,topic\n\nd,"a",1,x\n\nd,b,1,y\n', 5),
        ("document,mention,entity,topic\nd,a,1,x\nd,b,1,y\n", 3),
        ("document,mention,entity\rd,a,1\rd,b,1\r", 1),
        ("mention,entity,entity\na,1,2\n", 1),
        ("mention,Mention ,entity\na,1,2\n", 1),
        ('mention,entity,"com\nment"\na,1,x\n\n"b",,x\n', 5),
        ('mention,entity\n"' + "a" * 200_000 + '",1\n', 2),
        ('mention,entity\n\n\n"a\n\nb",1\n\nc\n', 8),
        ("start,end,entity\n0,1,a\n0,x,a\n", 3),
        (HEADER.encode() + b"d,\xff,1\n", 2),
        ("document,mention\nd,a\n", 1),
    ],
    ids=lambda value: str(value)[:50],
)  # fmt: skip
def test_malformed_tables_are_refused(content: str | bytes, line: int | None) -> None:
    expected = "x" if line is None else f"x:{line}"
    assert place_of_error(parse, content, "labels") == expected


@pytest.mark.parametrize("format", ["labels", "parquet"])
@given(rows=st.lists(st.tuples(CELL, CELL, CELL), min_size=1, max_size=12))
def test_what_is_written_is_read_again(
    format: str, rows: list[tuple[str, str, str]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    if format == "parquet":
        pytest.importorskip("pyarrow", reason="the extra parquet is not installed")
    documents: dict[str, dict[str, list[str]]] = {}
    for document, mention, entity in rows:
        documents.setdefault(document, {}).setdefault(entity, []).append(mention)
    plain = {name: list(entities.values()) for name, entities in documents.items()}
    path = tmp_path_factory.mktemp("labels") / "file"
    write(Corpus.from_documents(plain), path, format)
    assert corefine.read(path, format).to_dict(ends="inclusive") == plain


def parquet_file(tmp_path: Path, *columns: Any, names: tuple[str, ...] = ("mention",)) -> Path:
    """A table whose last columns are named entity."""
    arrow = pytest.importorskip("pyarrow", reason="the extra parquet is not installed")
    import pyarrow.parquet

    path = tmp_path / "labels.parquet"
    headers = [*names, *["entity"] * (len(columns) - len(names))]
    pyarrow.parquet.write_table(arrow.table(list(columns), names=headers), path)
    return path


def test_parquet_takes_numbers_and_gzip(tmp_path: Path) -> None:
    path = parquet_file(tmp_path, [10, 20], [1, 1])
    packed = tmp_path / "packed.parquet.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    for place in (path, packed):
        assert corefine.read(place).to_dict(ends="inclusive") == {"": [["10", "20"]]}


@pytest.mark.parametrize(
    ("columns", "row"),
    [
        ((["a", None], [1, 1]), ""),
        ((["a", "b"], ["1", "1"], ["1", "2"]), ""),
        *(((["a", "b"], labels), ", row 2") for labels in (
            ["a", ""], ["1", "NaN"], ["1", "null"], ["1", "  "],
        )),
        *(((["a", "b"], labels), "") for labels in ([1.5, float("nan")], [1, None])),
    ],
)  # fmt: skip
def test_malformed_parquet_is_refused(
    tmp_path: Path, columns: tuple[list[Any], ...], row: str
) -> None:
    path = parquet_file(tmp_path, *columns)
    assert place_of_error(corefine.read, path) == f"labels.parquet{row}"


def test_strings_of_parquet_that_are_not_utf8_are_refused(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow", reason="the extra parquet is not installed")
    bounds = arrow.py_buffer(np.array([0, 1, 2], np.int32).tobytes())
    for content in (b"\xffb", b"\xc3\xa9"):
        strings = arrow.StringArray.from_buffers(2, bounds, arrow.py_buffer(content))
        for columns in ((strings, ["1", "1"]), (["a", "b"], strings)):
            assert place_of_error(corefine.read, parquet_file(tmp_path, *columns))


def test_strings_of_parquet_are_not_unpacked_for_each_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file of some kilobytes could need gigabytes: one long string in every row."""
    rows, long = 500, "x" * 100_000
    names = [str(row) for row in range(rows)]
    monkeypatch.setattr(parquet, "LARGEST", 1 << 25)
    path = parquet_file(tmp_path, names, [long] * rows)
    tracemalloc.start()
    try:
        corpus = corefine.read(path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (len(corpus.mentions), len(corpus.entities)) == (rows, 1)
    assert peak < 100 * len(long)
    with refused("format", "labels.parquet"):
        corefine.read(parquet_file(tmp_path, [long] * rows, names))


@pytest.mark.parametrize("name", ["x.csv", "x.parquet"])
def test_columns_of_spans_are_mentions(tmp_path: Path, name: str) -> None:
    """A CSV file with the columns start and end was refused, unlike the same data frame."""
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    frame = pandas.DataFrame(
        {"doc_id": ["d", "d"], "start": [0, 4], "end": [1, 6], "entity": ["a", "b"]}
    )
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow", reason="the extra parquet is not installed")
        frame.to_parquet(tmp_path / name)
    else:
        frame.to_csv(tmp_path / name, index=False)
    corpus = corefine.read(tmp_path / name)
    assert corpus.to_dict(ends="inclusive") == {"d": [[(0, 1)], [(4, 6)]]}
    assert corefine.score(frame, tmp_path / name)["mentions"].f1 == 1.0
    write(corpus, tmp_path / "again.csv")
    assert corefine.read(tmp_path / "again.csv").to_dict(ends="inclusive") == corpus.to_dict(
        ends="inclusive"
    )


def test_spans_of_frames_may_be_strings() -> None:
    """Boundaries as strings never equalled those as numbers."""
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    numbers = pandas.DataFrame({"start": [0, 4], "end": [1, 6], "entity": ["a", "a"]})
    assert corefine.score(numbers, numbers.astype(str))["lea"].f1 == 1.0
    with refused("usage"):
        corefine.score(numbers, numbers.assign(start=["x", "4"]))


def test_tables_are_written_with_tabs_if_the_name_says_so(tmp_path: Path) -> None:
    corpus = Corpus.from_labels(["e1", "e1"], ["Anna", "she"])
    write(corpus, tmp_path / "x.tsv")
    assert (tmp_path / "x.tsv").read_text() == "document\tmention\tentity\n\tAnna\te1\n\tshe\te1\n"
    assert corefine.read(tmp_path / "x.tsv").to_dict(ends="inclusive") == corpus.to_dict(
        ends="inclusive"
    )
