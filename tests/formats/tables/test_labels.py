"""Tables of labels: CSV, TSV and Parquet."""

from __future__ import annotations

import contextlib
import gzip
import random
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import corefine
from corefine.corpus.corpus import Corpus
from corefine.errors import CorefineError, FormatError
from corefine.formats import write

Table = list[tuple[str, str, str]]
CELL = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1)


def read(tmp_path: Path, content: str | bytes, name: str = "labels.csv") -> Corpus:
    path = tmp_path / name
    path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
    return corefine.read(path)


@pytest.mark.parametrize(
    "content",
    [
        "document,mention,entity\nd,a,1\nd,b,1\ne,a,1\n",
        "document;mention;entity\nd;a;1\nd;b;1\ne;a;1",
        "entity\tdoc_id\tmention\tmore\n1\td\ta\tx\n1\td\tb\t\n1\te\ta\ty\n",
        "\ufeffDocument,Mention,Entity\r\nd,a,1\r\n\r\nd,b,1\r\ne,a,1\r\n",
        'document,mention,entity\nd,"a",1\nd,b,1\ne,a,"1"\n',
        "document,mention,entity\nd,a,1\ne,a,1\nd,b,1\n",
    ],
)
def test_tables_as_people_write_them(tmp_path: Path, content: str) -> None:
    corpus = read(tmp_path, content)
    assert corpus.to_dict() == {"d": [["a", "b"]], "e": [["a"]]}
    assert corpus.format == "labels"


@pytest.mark.parametrize(
    "content",
    [
        'mention,entity,"com\nment"\na,1,x\nb,1,y\n',
        '"com\n\nment";entity;mention\n"x\r\n";1;a\n;1;b\n',
        'mention,entity,"a;b;c;d"\na,1,\nb,1,\n',
        '"mention"\t"entity"\r\n"a"\t1\r\n\r\nb\t1\r\n',
    ],
)
def test_a_header_with_quoted_cells_is_no_mention(tmp_path: Path, content: str) -> None:
    assert read(tmp_path, content).to_dict() == {"": [["a", "b"]]}


def test_carriage_returns_in_quoted_cells_are_kept(tmp_path: Path) -> None:
    assert read(tmp_path, 'mention,entity\n"a\rb",1\n').to_dict() == {"": [["a\rb"]]}


def test_one_document_and_mentions_by_row(tmp_path: Path) -> None:
    corpus = read(tmp_path, "mention,cluster\na,1\nb,2\nc,1\n")
    assert corpus.to_dict() == {"": [["a", "c"], ["b"]]}
    (tmp_path / "rows.csv").write_text("document,entity\nd,1\nd,2\nd,1\n")
    by_row = corefine.read(tmp_path / "rows.csv", "labels")
    assert by_row.to_dict() == {"d": [[(0, 0), (2, 2)], [(1, 1)]]}


def test_topics_group_documents(tmp_path: Path) -> None:
    corpus = read(tmp_path, "document,mention,entity,topic\nd,a,1,x\ne,b,1,y\nd,c,1,x\n")
    assert corpus.topics == ("x", "y")
    with pytest.raises(FormatError, match=r"labels\.csv:3: "):
        read(tmp_path, "document,mention,entity,topic\nd,a,1,x\nd,b,1,y\n")


def test_names_are_compared_as_whole_strings(tmp_path: Path) -> None:
    key = read(tmp_path, "mention,entity\na long name of a mention,1\nb,1\n", "key.csv")
    response = read(tmp_path, "mention,entity\nb,x\na long name of a mention,x\n", "r.csv")
    other = read(tmp_path, "mention,entity\nb,x\na long name of a mentiom,x\n", "o.csv")
    assert corefine.score(key, response)["lea"].f1 == 1
    assert corefine.score(key, key)["lea"].f1 == 1
    assert corefine.score(key, other)["mentions"].f1 == 1 / 2


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("document,mention,entity\nd,a\n", r":2: 2 cells where the header has 3"),
        ("document,mention,entity\nd,a,1\nd,a,1,2\n", r":3: 4 cells"),
        ("document,mention,entity\n", "no rows"),
        ("document,mention,entity\nd,a,\n", ":2: "),
        ("document,mention,entity\nd,,1\n", ":2: "),
        ('document,mention,entity\nd,"a,1\n', "not a table"),
        ('document,mention,entity\nd,"a",1\nd,"b"\n', ":3: 2 cells"),
        ("document,mention,entity\n\nd,a,1\n\r\nd,b,\n", ":5: "),
        ("document,mention,entity\nd,a,1\nd,b,nan\nd,c,nan\n", ":3: "),
        ("document,mention,entity\n\n\nd,,1\n", ":4: "),
        ('document,mention,entity\nd,"a\nb",1\n\nd,,1\n', ":5: "),
        ('document,mention,entity\nd,"a\nb",1\nd,"c\n"\n', ":4: 2 cells where the header has 3"),
        ('document,mention,entity,topic\n\nd,"a",1,x\n\nd,b,1,y\n', ":5: .*different topic"),
        ("document,mention,entity,topic\n\nd,a,1,x\n\nd,b,1,y\n", ":5: .*different topic"),
        ("document,mention,entity\rd,a,1\rd,b,1\r", ":1: "),
        ("document,mention,entity\nd,a\rb,1\n", ":2: "),
        ('document,mention,entity\nd,"a",1\nd,a\rb,1\n', ":3: "),
        ("mention,entity,entity\na,1,2\n", ":1: 2 columns named 'entity'"),
        ("mention,Mention ,entity\na,1,2\n", ":1: 2 columns named 'mention'"),
        ('mention,entity,"com\nment"\na,1,x\n\n"b",,x\n', ":5: "),
        ('mention,entity\n"' + "a" * 200_000 + '",1\n', ":2: "),
        ('mention,entity\n\n\n"a\n\nb",1\n\nc\n', ":8: 1 cells where the header has 2"),
        (b"document,mention,entity\nd,\xff,1\n", ":2: "),
        (b"document,mention,entity\nd,a\0,1\n", "null byte"),
    ],
)
def test_bad_tables_say_where(tmp_path: Path, content: str | bytes, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        read(tmp_path, content)


def test_a_table_without_entities_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("document,mention\nd,a\n")
    with pytest.raises(FormatError, match="no entity column among: document"):
        corefine.read(path, "labels")


@pytest.mark.parametrize("format", ["labels", "parquet"])
@given(rows=st.lists(st.tuples(CELL, CELL, CELL), min_size=1, max_size=12))
def test_what_is_written_is_read_again(
    format: str, rows: Table, tmp_path_factory: pytest.TempPathFactory
) -> None:
    if format == "parquet":
        pytest.importorskip("pyarrow", reason="the extra parquet is not installed")
    documents: dict[str, dict[str, list[str]]] = {}
    for document, mention, entity in rows:
        documents.setdefault(document, {}).setdefault(entity, []).append(mention)
    plain = {name: list(entities.values()) for name, entities in documents.items()}
    path = tmp_path_factory.mktemp("labels") / "file"
    write(Corpus.from_documents(plain), path, format)
    assert corefine.read(path, format).to_dict() == plain


def test_parquet_takes_numbers_and_refuses_gaps(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow", reason="the extra parquet is not installed")
    import pyarrow.parquet

    path = tmp_path / "labels.parquet"
    pyarrow.parquet.write_table(arrow.table({"mention": [10, 20], "entity": [1, 1]}), path)
    assert corefine.read(path).to_dict() == {"": [["10", "20"]]}
    packed = tmp_path / "packed.parquet.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert corefine.read(packed).to_dict() == {"": [["10", "20"]]}
    pyarrow.parquet.write_table(arrow.table({"mention": ["a", None], "entity": [1, 1]}), path)
    with pytest.raises(FormatError, match="no value in the column mention"):
        corefine.read(path)
    for labels in ([1.5, float("nan")], [1, None], ["a", ""]):
        pyarrow.parquet.write_table(arrow.table({"mention": ["a", "b"], "entity": labels}), path)
        with pytest.raises(FormatError, match=r"row 2"):
            corefine.read(path)
    path.write_bytes(b"PAR1 and nothing more")
    with pytest.raises(FormatError, match="cannot read this as a"):
        corefine.read(path)


@pytest.mark.parametrize("label", ["NaN", "NAN", "-nan", "<NA>", "None", "null", "  ", "\t"])
@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_what_says_that_there_is_no_label_is_no_entity(
    tmp_path: Path, label: str, form: str
) -> None:
    if form == "csv":
        with pytest.raises(FormatError, match=r":3: "):
            read(tmp_path, f"mention,entity\na,1\nb,{label}\nc,{label}\n")
        return
    arrow = pytest.importorskip("pyarrow", reason="the extra parquet is not installed")
    import pyarrow.parquet

    path = tmp_path / "labels.parquet"
    table = arrow.table({"mention": ["a", "b"], "entity": ["1", label]})
    pyarrow.parquet.write_table(table, path)
    with pytest.raises(FormatError, match="row 2: "):
        corefine.read(path)


def test_parquet_refuses_two_columns_of_a_name_and_other_encodings(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow", reason="the extra parquet is not installed")
    import pyarrow.parquet

    path = tmp_path / "labels.parquet"
    twice = arrow.table([["a", "b"], ["1", "1"], ["1", "2"]], names=["mention", "entity", "entity"])
    pyarrow.parquet.write_table(twice, path)
    with pytest.raises(FormatError, match="2 columns named 'entity'"):
        corefine.read(path)
    bounds = arrow.py_buffer(np.array([0, 1, 2], np.int32).tobytes())
    for content in (b"\xffb", b"\xc3\xa9"):
        strings = arrow.StringArray.from_buffers(2, bounds, arrow.py_buffer(content))
        for columns in ((strings, ["1", "1"]), (["a", "b"], strings)):
            table = arrow.table(list(columns), names=["mention", "entity"])
            pyarrow.parquet.write_table(table, path)
            with pytest.raises(FormatError, match="strings that are not UTF-8"):
                corefine.read(path)


def test_damaged_tables_give_a_corpus_or_an_error(tmp_path: Path) -> None:
    content = b'document,mention,entity\nd,a,1\nd,"b c",1\ne,a,2\ne,d,2\n'
    chance = random.Random(0)
    for _ in range(300):
        damaged = bytearray(content)
        for _ in range(chance.randint(1, 4)):
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        with contextlib.suppress(CorefineError):
            assert isinstance(read(tmp_path, bytes(damaged)), Corpus)


@pytest.mark.parametrize(
    "labels",
    [
        np.array([-128, 127, -128], np.int8),
        np.array([2**63 + 1, 2**63 + 2, 2**63 + 1], np.uint64),
        np.array([-(2**63), 2**63 - 1, -(2**63)]),
        np.array([10**18, 10**18 - 1, 10**18]),
        np.array([0, -1, 0], np.int16),
    ],
)
def test_labels_may_be_any_whole_numbers(labels: NDArray[Any]) -> None:
    corpus = Corpus.from_labels(labels)
    assert corpus.entities.names is not None
    named = [corpus.entities.names[entity] for entity in corpus.mentions.entity.tolist()]
    assert named == [str(label) for label in labels.tolist()]


@pytest.mark.parametrize(
    ("rows", "line"),
    [
        ("d,a,1\ndocument,mention,entity\nd,b,1\n", 3),
        ('d,"a",1\ndocument,mention,entity\nd,b,1\n', 3),
        ("d,a,1\nd,b, 1\n", 3),
        ("d,a,1 \nd,b,1\n", 2),
        ("d,a,1\n,b,1\n", 3),
    ],
)
def test_rows_that_would_be_taken_for_something_else(tmp_path: Path, rows: str, line: int) -> None:
    path = tmp_path / "x.csv"
    path.write_text("document,mention,entity\n" + rows)
    with pytest.raises(FormatError, match=f":{line}: "):
        corefine.read(path)


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
    assert corpus.to_dict() == {"d": [[(0, 1)], [(4, 6)]]}
    assert corefine.score(frame, tmp_path / name)["mentions"].f1 == 1.0
    write(corpus, tmp_path / "again.csv")
    assert corefine.read(tmp_path / "again.csv").to_dict() == corpus.to_dict()


def test_spans_that_are_not_numeric_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError) as caught:
        read(tmp_path, "start,end,entity\n0,1,a\n0,x,a\n")
    assert caught.value.where is not None
    assert caught.value.where.line == 3


def test_spans_of_frames_may_be_strings() -> None:
    """Boundaries as strings never equalled those as numbers."""
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    numbers = pandas.DataFrame({"start": [0, 4], "end": [1, 6], "entity": ["a", "a"]})
    assert corefine.score(numbers, numbers.astype(str))["lea"].f1 == 1.0
    with pytest.raises(CorefineError):
        corefine.score(numbers, numbers.assign(start=["x", "4"]))


def test_tables_are_written_with_tabs_if_the_name_says_so(tmp_path: Path) -> None:
    corpus = Corpus.from_labels(["e1", "e1"], ["Anna", "she"])
    write(corpus, tmp_path / "x.tsv")
    assert (tmp_path / "x.tsv").read_text() == "document\tmention\tentity\n\tAnna\te1\n\tshe\te1\n"
    assert corefine.read(tmp_path / "x.tsv").to_dict() == corpus.to_dict()


def test_strings_of_parquet_are_not_unpacked_for_each_row(tmp_path: Path) -> None:
    """A file of some kilobytes could need gigabytes: one long string in every row."""
    arrow = pytest.importorskip("pyarrow", reason="the extra parquet is not installed")
    import pyarrow.parquet

    rows, long = 4_000, "x" * 300_000
    path = tmp_path / "x.parquet"
    names = [str(row) for row in range(rows)]
    table = arrow.table({"mention": names, "entity": [long] * rows})
    pyarrow.parquet.write_table(table, path)
    tracemalloc.start()
    try:
        corpus = corefine.read(path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (len(corpus.mentions), len(corpus.entities)) == (rows, 1)
    assert peak < 100 * len(long)
    pyarrow.parquet.write_table(arrow.table({"mention": [long] * rows, "entity": names}), path)
    with pytest.raises(FormatError):
        corefine.read(path)
