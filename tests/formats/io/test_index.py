"""The index of documents: where each stands, however the file is cut into blocks."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corefine.formats import Source, all_formats
from corefine.formats.conll import CONLL, begun_name
from corefine.formats.conllu import CONLLU
from corefine.formats.io import index as indexing
from corefine.formats.io.index import DocumentIndex, index_documents, read_range
from corefine.formats.registry import DocumentMark

LINES = st.sampled_from(
    [
        *(b"#begin document a", b"#begin document (b); part 001", b"#end document", b"# a"),
        *(b"x #begin", b"", b"a 0 0 # -", b"#\t0\t0\t#\t(1)", b"\xc3\xa9 0 0 long-word (1"),
    ]
)
MARK = DocumentMark(ord("#"), begun_name, frequent=(b"# a",))


def expected(content: bytes) -> list[tuple[str, int, int]]:
    """Name, offset and line of the documents, line by line."""
    found, offset = [], 0
    for number, line in enumerate(content.split(b"\n"), 1):
        name = MARK.name(line.removeprefix(b"\xef\xbb\xbf").rstrip(b"\r"))
        if name is not None:
            start = offset + (3 if line.startswith(b"\xef\xbb\xbf") else 0)
            found.append((name, start, number))
        offset += len(line) + 1
    return found


@given(
    lines=st.lists(LINES, max_size=12),
    end=st.sampled_from([b"\n", b"\r\n"]),
    last=st.booleans(),
    bom=st.booleans(),
    chunk=st.integers(1, 64),
)
def test_documents_are_where_they_stand(
    lines: list[bytes], end: bytes, last: bool, bom: bool, chunk: int
) -> None:
    content = b"\xef\xbb\xbf" * bom + b"#begin document 0" + end
    content += end.join(lines) + (end if last else b"")
    with tempfile.NamedTemporaryFile() as file, pytest.MonkeyPatch.context() as patch:
        Path(file.name).write_bytes(content)
        patch.setattr(indexing, "CHUNK", chunk)
        index = index_documents(Path(file.name), MARK)
    names = [name for name, _, _ in expected(content)]
    if len(set(names)) < len(names):
        assert index is None
        return
    assert isinstance(index, DocumentIndex)
    assert list(zip(index.names, index.starts, index.lines, strict=False)) == expected(content)
    assert index.stops == (*index.starts[1:], len(content))
    assert index.lines[-1] == len(content.splitlines()) + 1


def test_a_line_beyond_all_bounds_ends_the_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexing, "CHUNK", 64)
    monkeypatch.setattr(indexing, "LONGEST_LINE", 256)
    path = tmp_path / "a.conll"
    for length in (200, 2000):
        path.write_bytes(b"#begin document 0\n" + b"a" * length + b"\n#end document\n")
        assert (index_documents(path, MARK) is None) == (length > 256)


ONE = "#begin document {0}\nx 0 0 a (1)\nx 0 1 b (1)\n"


def test_ranges_end_in_newlines(tmp_path: Path) -> None:
    path = tmp_path / "a.conll"
    path.write_text("".join(map(ONE.format, "ab")).rstrip("\n"))
    index = index_documents(path, MARK)
    assert index is not None
    ranges = list(zip(index.starts, index.stops, strict=True))
    assert read_range(path, ranges[::-1]).decode() == "".join(map(ONE.format, "ba"))
    assert read_range(path, []) == b""


def test_a_part_of_a_file_may_have_no_mentions() -> None:
    contents = (
        (CONLL, b"#begin document (x); part 000\nx 0 0 a -\n"),
        (CONLLU, b"# newdoc id = x\n1\ta" + 8 * b"\t_" + b"\n"),
    )
    for format, content in contents:
        assert len(format.corpus(Source("f", content=content)).warnings) == 1
        assert format.corpus(Source("f", content=content, part=True)).warnings == ()


def test_lines_that_are_skipped_begin_no_document() -> None:
    marks = [format.document_mark for format in all_formats() if format.document_mark is not None]
    skipped = [(mark, begin) for mark in marks for begin in mark.frequent]
    assert skipped
    for mark, begin in skipped:
        for rest in (b"", b" = newdoc id = a", b"global.Entity = eid"):
            assert mark.name(begin + rest) is None
            assert mark.carried is None or not mark.carried(begin + rest)
