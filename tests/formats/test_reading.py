"""Sources of corpora: files, directories, patterns, pipes, gzip; formats by their content."""

from __future__ import annotations

import gzip
import io
import re
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from corefine.curating.checking import check
from corefine.errors import CorefineError, FormatError, UsageError
from corefine.formats import Source, all_formats, format_named, read, register, sniff
from corefine.formats import registry as registry_module
from corefine.formats.io.index import index_documents
from corefine.scoring.drivers.dask import Shard
from tests.building.format_files import place_of_error
from tests.conftest import ROOT

TEXT = "#begin document ({}); part 000\nx 0 0 Anna (1)\nx 0 1 she (1)\n\n#end document\n"
SPANS = [[(0, 0), (1, 1)]]


def file(path: Path, *names: str, pack: Callable[[bytes], bytes] = bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(pack("".join(TEXT.format(name) for name in names).encode()))
    return path


def test_gzip_by_content_whatever_the_name(tmp_path: Path) -> None:
    for name in ("a.conll.gz", "a.conll"):
        assert read(file(tmp_path / name, "a", pack=gzip.compress)).documents == ("a",)
    several = tmp_path / "members.gz"
    several.write_bytes(b"".join(gzip.compress(TEXT.format(n).encode()) for n in "ab"))
    assert read(several).documents == ("a", "b")


PACKED = gzip.compress(Random(0).randbytes(20_000).hex().encode(), mtime=0)


@pytest.mark.parametrize(
    ("content", "format"),
    [
        (PACKED[: len(PACKED) // 2], "conll"),
        (PACKED[:1000] + b"\xff" * 900 + PACKED[1900:], "conll"),
        (b"\x1f\x8b", None),
        (b"BZh91AY&SY", None),
        (b"\xfd7zXZ\x00rest", None),
        (b"PK\x03\x04rest of it", None),
        ("#begin document x\n".encode("utf-16"), None),
        ("#begin document x\n".encode("utf-32"), None),
        (b"", None),
        (b"", "conll"),
        (b"\n  \n", None),
        (b"Once upon a time\nthere was a file.\n", None),
    ],
    ids=lambda value: str(value)[:20],
)
def test_files_that_cannot_be_read_are_refused(
    tmp_path: Path, content: bytes, format: str | None
) -> None:
    path = tmp_path / "a.conll"
    path.write_bytes(content)
    assert place_of_error(read, path, format).removesuffix(":1") == "a.conll"


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
    assert corpus.to_dict(ends="inclusive") == {"a": SPANS}
    assert str(corpus.location(0)) == "<stdin>:2"
    assert not raw.closed


def test_a_directory_in_sorted_order(tmp_path: Path) -> None:
    assert place_of_error(read, tmp_path) == tmp_path.name
    (tmp_path / "README").write_text("What this is.\n")
    assert place_of_error(read, tmp_path).startswith((tmp_path.name, "README"))
    (tmp_path / "empty").write_bytes(b"")
    assert place_of_error(read, tmp_path) == tmp_path.name  # no known format
    file(tmp_path / "b.conll", "b")
    file(tmp_path / "sub" / "a.conll", "a")
    file(tmp_path / "a.conll", "c")
    file(tmp_path / ".hidden.conll", "h")
    file(tmp_path / "c.conll.gz", "z", pack=gzip.compress)
    corpus = read(tmp_path)
    assert corpus.to_dict(ends="inclusive") == dict.fromkeys("cbza", SPANS)
    (warning,) = corpus.warnings
    assert warning.endswith(str(tmp_path / "README"))
    assert read(tmp_path, "conll").documents == ("c", "b", "z", "a")


def test_patterns(tmp_path: Path) -> None:
    for name in "cab":
        file(tmp_path / "sub" / f"{name}.conll", name)
    assert read(str(tmp_path / "*" / "[ab].conll")).documents == ("a", "b")
    assert read(str(tmp_path / "**" / "*.conll")).documents == ("a", "b", "c")
    assert place_of_error(read, str(tmp_path / "*.txt")) == "*.txt"
    assert read(file(tmp_path / "a[1].conll", "odd")).documents == ("odd",)


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


UA_HEADER = "# global.columns = ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC"
WORD = "1\tw" + "\t_" * 7
SEMEVAL = "1\tw" + "\t_" * 14


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# begin document x\n", "conll"),
        ("\ufeff#begin document (x); part 000\n", "conll"),
        ("#bein document (x)\nx 0 0 w (1)|(\n\n#end document\n", "conll"),
        ("# comment\n\na 0 0 w -\na 0 1 v (1)\n", "conll"),
        ("w\t-\nv\t(1|(2)\n", "conll"),
        ("1\t0\t0\tw\tNN\t*\t-\t-\t-\t-\t*\t(1)\n", "conll"),
        ("#begin document (1); part 000\n1 0 0 w NN * - - - - * (1)\n", "conll"),
        ("#begin document (x); part 000\nx 0 0 NOUN NN * - - - - * (1)\n", "conll"),
        ("w\t-\nv\tNN\n", None),
        ("# comment\n", None),
        ("{}\n", None),
        (f"# newdoc id = d\n{WORD}\tEntity=(a)\n", "conllu"),
        (f"{WORD}\t_\n2{WORD[1:]}\t_\n", "conllu"),
        (f"1-2{WORD[1:]}\t_\n{WORD}\t_\n2{WORD[1:]}\t_\n", "conllu"),
        ("# newdoc id = x\n# global.Entity = eid\n", "conllu"),
        ("# newdoc id = x\n1\tw\n", "conllu"),
        (f"#begin document (1); part 000\n{WORD}\t(1)\n\n#end document\n", "semeval"),
        (f"#begin document d\n{SEMEVAL}\t_\n2{SEMEVAL[1:]}\t_\n", "semeval"),
        (f"{SEMEVAL}\t(1)\n2{SEMEVAL[1:]}\t_\n", "semeval"),
        (f"{UA_HEADER} IDENTITY\n# newdoc id = d\n{WORD}\t_\t_\n", "ua"),
        (f"# newdoc id = d\n{UA_HEADER} IDENTITY\n{WORD}\t_\t_\n", "ua"),
        (f"{UA_HEADER}\n# newdoc id = d\n{WORD}\tEntity=(e1--1-)\n", "conllu"),
    ],
)
def test_formats_of_columns_are_told_apart(text: str, expected: str | None) -> None:
    found = registry_module.recognise(Source("x", content=text.encode()))
    assert (found and found.name) == expected


def test_a_document_twice_is_refused_in_every_way_of_reading(tmp_path: Path) -> None:
    path = file(tmp_path / "a.conll", "a", "b", "a")
    mark = format_named("conll").document_mark
    assert mark is not None
    assert index_documents(path, mark) is None  # so that the file is read whole
    (checked,) = check(path)
    assert [str(problem.where) for problem in checked.problems] == [f"{path}:12"]
    assert place_of_error(read, path) == "a.conll:12"
    assert place_of_error(Shard(str(path)).read, frozenset()) == "a.conll:12"
    file(tmp_path / "1.conll", "b")
    path.unlink()
    file(tmp_path / "2.conll", "b")
    with pytest.raises(CorefineError, match=r"2\.conll:2: .*1\.conll:2"):
        read(tmp_path)


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_progress_counts_the_bytes_of_all_files(
    tmp_path: Path, pack: Callable[[bytes], bytes]
) -> None:
    names = [str(number) for number in range(2000)]
    one = file(tmp_path / "a.conll", *names, pack=pack)
    for place, more in ((one, 0), (tmp_path, 1)):
        if more:
            file(tmp_path / "b.conll", "b")
        size = sum(path.stat().st_size for path in tmp_path.iterdir())
        steps: list[tuple[str, int, int]] = []
        read(place, progress=lambda *step, steps=steps: steps.append(step))
        assert steps[-1] == (f"reading {place}", size, size)
        assert [done for _, done, _ in steps] == sorted({done for _, done, _ in steps})
        assert {total for _, _, total in steps} == {size}


def test_only_endings_of_formats_are_cut_from_names(tmp_path: Path) -> None:
    def stem(name: str) -> str:
        return Source(name, Path(name)).stem

    for suffix in {suffix for format in all_formats() for suffix in format.suffixes}:
        assert stem(f"a.b.1{suffix}") == stem(f"a.b.1{suffix}.gz") == "a.b.1"
    assert [stem("doc.1"), stem("Mr.Smith"), stem("a.txt")] == ["doc.1", "Mr.Smith", "a"]
    for number in (1, 2):
        text = "\t".join(["1", "w", *"_______", f"Entity=(e{number})"]) + "\n"
        (tmp_path / f"doc.{number}.conllu").write_text(text)
    assert read(tmp_path).documents == ("doc.1", "doc.2")


def test_a_name_is_registered_once() -> None:
    format = format_named("brat")
    assert register(format) is format
    with pytest.raises(UsageError, match="brat"):
        register(replace(format, title="Another"))


def test_every_format_is_described() -> None:
    pages = [path.read_text("utf-8") for path in (ROOT / "docs" / "formats").glob("*.md")]
    for format in all_formats():
        assert format_named(format.name) is format
        assert format.title
        named = re.compile(rf"\b{format.name}\b", re.IGNORECASE)
        assert any("Pitfalls" in page and named.search(page) for page in pages)
        assert all(suffix.startswith((".", "_")) for suffix in format.suffixes)
