"""Where corpora come from: files, directories, patterns, pipes, gzip; formats by their content."""

from __future__ import annotations

import gzip
import io
import os
import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import corefine
from corefine.auditing.checking import check
from corefine.corpus.corpus import Corpus
from corefine.errors import CorefineError, FormatError, UsageError
from corefine.formats import (
    Capabilities,
    Format,
    Source,
    all_formats,
    format_named,
    read,
    register,
    sniff,
)
from corefine.formats import registry as registry_module
from corefine.formats.input.index import index_documents
from corefine.scoring.drivers.dask import Shard

TEXT = "#begin document ({}); part 000\nx 0 0 Anna (1)\nx 0 1 she (1)\n\n#end document\n"
SPANS = [[(0, 0), (1, 1)]]


ROOT = Path(__file__).parents[2]


def file(path: Path, *names: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(TEXT.format(name) for name in names), "utf-8")
    return path


def refusal(place: str | Path, format: str | None = None) -> str:
    with pytest.raises(CorefineError) as caught:
        read(place, format)
    return str(caught.value)


def test_a_file_by_its_path(tmp_path: Path) -> None:
    path = file(tmp_path / "a.conll", "a")
    for place in (path, str(path)):
        corpus = read(place)
        assert corpus.to_dict() == {"a": SPANS}
        assert corpus.format == "conll"
        assert corpus.sources == (str(path),)
        assert str(corpus.location(0, 1)) == f"{path}:3"


def test_gzip_by_content_whatever_the_name(tmp_path: Path) -> None:
    for name in ("a.conll.gz", "a.conll"):
        path = tmp_path / name
        path.write_bytes(gzip.compress(TEXT.format("a").encode()))
        assert read(path).documents == ("a",)
    several = tmp_path / "members.gz"
    several.write_bytes(b"".join(gzip.compress(TEXT.format(n).encode()) for n in "ab"))
    assert read(several).documents == ("a", "b")


def test_damaged_gzip(tmp_path: Path) -> None:
    packed = gzip.compress(os.urandom(200_000).hex().encode())
    path = tmp_path / "a.gz"
    path.write_bytes(packed[: len(packed) // 2])
    assert refusal(path, "conll") == (
        f"{path}: truncated gzip data. Copy or compress the file again."
    )
    path.write_bytes(packed[:1000] + b"\xff" * 9000 + packed[10000:])
    assert f"{path}: corrupt gzip data" in refusal(path, "conll")
    path.write_bytes(b"\x1f\x8b")
    assert "gzip data" in refusal(path)


@pytest.mark.parametrize(
    ("head", "said"),
    [
        (b"BZh91AY&SY", "bzip2 compression is not supported"),
        (b"\xfd7zXZ\x00rest", "xz compression is not"),
        (b"PK\x03\x04rest of it", "zip compression"),
        ("#begin document x\n".encode("utf-16"), "encoded in UTF-16"),
        ("#begin document x\n".encode("utf-32"), "encoded in UTF-32"),
    ],
)
def test_other_packings_are_named(tmp_path: Path, head: bytes, said: str) -> None:
    path = tmp_path / "a.conll"
    path.write_bytes(head)
    assert said in refusal(path)


class _Pipe(io.BytesIO):
    """Standard input that gives its bytes in small portions, as a pipe does."""

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        return super().readinto(memoryview(buffer)[:7])

    def read(self, size: int | None = -1) -> bytes:
        return super().read(7 if size is None or size < 0 else min(size, 7))


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_standard_input(monkeypatch: pytest.MonkeyPatch, pack: type[bytes]) -> None:
    raw = _Pipe(pack(TEXT.format("a").encode()))
    monkeypatch.setattr(sys, "stdin", type("Input", (), {"buffer": raw})())
    corpus = read("-")
    assert corpus.to_dict() == {"a": SPANS}
    assert str(corpus.location(0)) == "<stdin>:2"
    assert not raw.closed


def test_a_named_pipe(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    if os.fork() == 0:  # pragma: no cover
        path.write_text(TEXT.format("a"))
        os._exit(0)
    assert read(path).documents == ("a",)
    os.wait()


def test_a_directory_in_sorted_order(tmp_path: Path) -> None:
    file(tmp_path / "b.conll", "b")
    file(tmp_path / "sub" / "a.conll", "a")
    file(tmp_path / "a.conll", "c")
    file(tmp_path / ".hidden.conll", "h")
    (tmp_path / "c.conll.gz").write_bytes(gzip.compress(TEXT.format("z").encode()))
    corpus = read(tmp_path)
    assert corpus.documents == ("c", "b", "z", "a")
    assert corpus.warnings == ()
    assert corpus.to_dict() == dict.fromkeys("cbza", SPANS)


def test_files_of_no_known_format_are_left_out_and_named(tmp_path: Path) -> None:
    file(tmp_path / "a.conll", "a")
    file(tmp_path / "b.conll", "b")
    (tmp_path / "README").write_text("What this is.\n")
    (tmp_path / "empty").write_bytes(b"")
    corpus = read(tmp_path)
    assert corpus.documents == ("a", "b")
    assert corpus.warnings == (
        f"2 files of unknown format were ignored, such as {tmp_path / 'README'}",
    )
    assert read(tmp_path, "conll").documents == ("a", "b")


def test_directories_that_hold_nothing_to_read(tmp_path: Path) -> None:
    assert f"{tmp_path}: the directory is empty" in refusal(tmp_path)
    (tmp_path / "README").write_text("What this is.\n")
    (tmp_path / "more").write_text("And that.\n")
    assert f"{tmp_path}: no files of a known format" in refusal(tmp_path)


def test_patterns(tmp_path: Path) -> None:
    for name in "cab":
        file(tmp_path / "sub" / f"{name}.conll", name)
    assert read(str(tmp_path / "*" / "[ab].conll")).documents == ("a", "b")
    assert read(str(tmp_path / "**" / "*.conll")).documents == ("a", "b", "c")
    pattern = str(tmp_path / "*.txt")
    assert refusal(pattern) == f"{pattern}: no file matches the pattern. Check the pattern."
    odd = file(tmp_path / "a[1].conll", "odd")
    assert read(odd).documents == ("odd",)


def test_paths_that_cannot_be_read(tmp_path: Path) -> None:
    missing = tmp_path / "none.conll"
    assert refusal(missing) == f"{missing}: no such file or directory. Check the path."
    secret = file(tmp_path / "secret.conll", "s")
    secret.chmod(0)
    if os.access(secret, os.R_OK):
        pytest.skip("the superuser may read everything")
    assert f"{secret}: cannot be read: permission denied" in refusal(secret)


def test_empty_files(tmp_path: Path) -> None:
    path = tmp_path / "a.conll"
    path.write_bytes(b"")
    assert refusal(path) == f"{path}: the file is empty. Check that this is the right file."
    assert (
        refusal(path, "conll") == f"{path}: the file is empty. Check that this is the right file."
    )
    path.write_bytes(b"\n  \n")
    assert "the file has only white space" in refusal(path)


def test_a_file_of_no_known_format(tmp_path: Path) -> None:
    path = tmp_path / "a.conll"
    path.write_text("Once upon a time\nthere was a file.\n")
    assert refusal(path).startswith(f"{path}: unknown format: plain text")
    assert f"{path}:1: " in refusal(path, "conll")


@pytest.mark.parametrize(
    ("content", "description"),
    [
        (b"Dokument,Ausdruck,Figur\nd,Anna,1\nd,sie,1\n", "Dokument, Ausdruck, Figur"),
        (b'{"doc": [1, 2', "JSON that ends in the middle"),
        (b'{"a": 1, "b": 2}\n', "keys are a, b"),
        (b"<html><body/></html>", "root element <html>"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "git-lfs pointer"),
        (b"1\tAnna\tNNP\n2\tslept\tVBD\n", "3 columns"),
        (b"%PDF-1.7\n", "binary"),
    ],
)
def test_files_of_unknown_formats_are_described(content: bytes, description: str) -> None:
    with pytest.raises(FormatError, match=description):
        sniff(Source("x", content=content))


def test_a_format_that_there_is_not(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"there is no format 'docx'"):
        read(file(tmp_path / "a.conll", "a"), "docx")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("# begin document x\n", True),
        ("\ufeff#begin document (x); part 000\n", True),
        ("# comment\n\na 0 0 w -\na 0 1 v (1)\n", True),
        ("w\t-\nv\t(1|(2)\n", True),
        ("w\t-\nv\tNN\n", False),
        ("# comment\n", False),
        ("{}\n", False),
    ],
)
def test_conll_is_recognised_by_content(text: str, found: bool) -> None:
    source = Source("some.txt", content=text.encode())
    assert (registry_module.recognise(source) is format_named("conll")) is found


def test_a_document_twice_in_one_file(tmp_path: Path) -> None:
    path = file(tmp_path / "a.conll", "a", "b", "a")
    assert refusal(path) == (
        f"{path}:12: document 'a' occurs twice, first at {path}:2. "
        "Rename or remove one of them, or give them different parts."
    )


def test_a_document_twice_is_refused_in_every_way_of_reading(tmp_path: Path) -> None:
    path = file(tmp_path / "a.conll", "a", "b", "a")
    expected = f"{path}:12: document 'a' occurs twice, first at {path}:2"
    mark = format_named("conll").document_mark
    assert mark is not None
    assert index_documents(path, mark) is None  # so that the file is read whole
    (checked,) = check(path)
    assert [str(problem).startswith(expected) for problem in checked.problems] == [True]
    with pytest.raises(FormatError, match=re.escape(expected)):
        Shard(str(path)).read(frozenset())


def test_a_document_in_two_files(tmp_path: Path) -> None:
    one, two = file(tmp_path / "1.conll", "a"), file(tmp_path / "2.conll", "a")
    assert f"{two}:2: document 'a' occurs twice, first at {one}:2" in refusal(tmp_path)


def test_progress_counts_the_bytes_of_the_input(tmp_path: Path) -> None:
    path = tmp_path / "a.conll"
    path.write_text("".join(TEXT.format(n) for n in range(4000)))
    told: list[tuple[str, int, int]] = []
    read(path, progress=lambda *step: told.append(step))
    size = path.stat().st_size
    assert told[-1] == (f"reading {path}", size, size)
    assert [done for _, done, _ in told] == sorted({done for _, done, _ in told})
    packed = tmp_path / "a.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    read(packed, progress=lambda *step: told.append(step))
    size = packed.stat().st_size
    assert told[-1] == (f"reading {packed}", size, size)


def test_progress_is_that_of_all_files_together(tmp_path: Path) -> None:
    paths = [file(tmp_path / f"{name}.conll", name) for name in "abc"]
    told: list[tuple[str, int, int]] = []
    read(tmp_path, progress=lambda *step: told.append(step))
    size = sum(path.stat().st_size for path in paths)
    assert told[-1] == (f"reading {tmp_path}", size, size)
    assert {total for _, _, total in told} == {size}
    assert all(done <= size for _, done, _ in told)


def test_only_endings_that_tell_the_format_are_no_names() -> None:
    def stem(name: str) -> str:
        return Source(name, Path(name)).stem

    for suffix in {suffix for format in all_formats() for suffix in format.suffixes}:
        assert stem(f"a.b.1{suffix}") == stem(f"a.b.1{suffix}.gz") == "a.b.1"
    assert [stem("doc.1"), stem("Mr.Smith"), stem("a.txt")] == ["doc.1", "Mr.Smith", "a"]


def test_folders_of_files_with_dots_in_their_names_are_scored(tmp_path: Path) -> None:
    for side in ("key", "response"):
        (tmp_path / side).mkdir()
        for number in (1, 2):
            text = "\t".join(["1", "w", *"_______", f"Entity=(e{number})"]) + "\n"
            (tmp_path / side / f"doc.{number}.conllu").write_text(text)
    assert read(tmp_path / "key").documents == ("doc.1", "doc.2")
    assert corefine.score(tmp_path / "key", tmp_path / "response")["lea"].f1 == 1.0


# --- formats that come later --------------------------------------------------------------------


def _standoff(source: Source, layers: frozenset[str] | None) -> Corpus:
    assert source.path is not None
    text = source.path.with_suffix(".txt").read_text()
    return Corpus.from_documents({source.stem: [[text, source.read_all().decode()]]})


@pytest.fixture
def standoff(monkeypatch: pytest.MonkeyPatch) -> Format:
    """A format of two files a document, as standoff annotation is kept."""
    all_formats()
    monkeypatch.setattr(registry_module, "_formats", dict(registry_module._formats))
    return register(
        Format(
            name="standoff",
            title="Standoff",
            suffixes=(".ann",),
            detect=lambda head, name: head.startswith(b"T1"),
            read_columns=_standoff,
            capabilities=Capabilities(text=False, names=True),
            documentation="",
            companions=(".txt",),
        )
    )


def test_files_that_belong_to_another_are_not_read_alone(tmp_path: Path, standoff: Format) -> None:
    for name in "ab":
        (tmp_path / f"{name}.ann").write_text(f"T1 {name}")
        (tmp_path / f"{name}.txt").write_text(f"text of {name}")
    expected = {"a": [["text of a", "T1 a"]], "b": [["text of b", "T1 b"]]}
    assert read(tmp_path).to_dict() == expected
    assert read(tmp_path).warnings == ()
    assert read(tmp_path, "standoff").to_dict() == expected
    assert read(str(tmp_path / "*.ann")).to_dict() == expected


def test_a_directory_of_several_formats(tmp_path: Path, standoff: Format) -> None:
    (tmp_path / "a.ann").write_text("T1 a")
    (tmp_path / "a.txt").write_text("text of a")
    file(tmp_path / "b.conll", "b")
    assert f"{tmp_path}: files of several formats: standoff (" in refusal(tmp_path)
    assert read(tmp_path, "conll").documents == ("b",)
    assert read(tmp_path, "standoff").documents == ("a",)


def test_a_name_is_registered_once(standoff: Format) -> None:
    assert register(standoff) is standoff
    with pytest.raises(UsageError, match="two formats are named 'standoff': that of tests"):
        register(replace(standoff, title="Another"))


def test_every_format_is_described() -> None:
    for format in all_formats():
        assert format_named(format.name) is format
        assert format.title
        page = (ROOT / format.documentation).read_text("utf-8")
        assert "Pitfalls" in page
        assert all(suffix.startswith((".", "_")) for suffix in format.suffixes)
