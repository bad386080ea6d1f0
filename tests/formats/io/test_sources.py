"""Sources: packed data that unpacks to far more than annotated text does."""

from __future__ import annotations

import gzip
import io
import sys
import tracemalloc
from pathlib import Path
from types import SimpleNamespace

import pytest

import corefine
from corefine.errors import FormatError
from corefine.formats.io import sources, xml_files
from corefine.formats.io.sources import Source
from corefine.formats.registry import recognise
from tests.building.format_files import place_of_error

BOMBS = {
    "x.csv": b'mention,entity\n"a",1\n' + b"b,2\n" * (1 << 17),
    "x.conll": b"#begin document (x); part 000\n" + b"x 0 0 w - (1)\n" * (1 << 16),
    "x.jsonl": b'{"doc_key": "x", "sentences": [[' + b'"a", ' * (1 << 17),
    "x.xml": b'<chunkList><chunk id="a">' + b"<sentence></sentence>" * (1 << 15),
}


@pytest.mark.parametrize("name", BOMBS)
@pytest.mark.parametrize("piped", [False, True])
def test_a_small_file_that_unpacks_to_a_large_one_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, piped: bool
) -> None:
    monkeypatch.setattr(sources, "LARGEST_UNPACKED", 1 << 16)
    packed = gzip.compress(BOMBS[name])
    path = tmp_path / f"{name}.gz"
    path.write_bytes(packed)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(packed)))
    with pytest.raises(FormatError):
        corefine.read("-" if piped else path)


def test_well_packed_text_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "LARGEST_UNPACKED", 1 << 10)
    rows = "".join(f"mention {number},{number % 7}\n" for number in range(5000))
    (tmp_path / "x.csv.gz").write_bytes(gzip.compress(f"mention,entity\n{rows}".encode()))
    assert len(corefine.read(tmp_path / "x.csv.gz").mentions) == 5000


@pytest.mark.parametrize("line", [b"a,b ", b"x 0 0 a -\n", b"a\n"])
def test_detection_reads_the_first_bytes_alone(line: bytes, tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"#begin document (x); part 000\n" * line.count(b"x") + line * 200_000)
    consumed: list[int] = []
    source = Source(str(path), path, consumed=consumed.append)
    recognise(source)
    source.close()
    assert sum(consumed) <= sources.HEAD + 6


def test_a_long_json_line_is_detected_in_little_memory() -> None:
    words = b'"word", ' * 100_000
    content = b'{"doc_key": "x", "sentences": [[' + words + b'"."]], "clusters": [[[0, 0]]]}\n'
    tracemalloc.start()
    try:
        found = recognise(Source("x.jsonl", content=content))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert found is not None
    assert found.name == "e2e"
    assert peak < 5 * len(content)


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ('<!DOCTYPE a [\n<!ENTITY b "c">]>\n<a>&b;</a>', 2),
        ('<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>', 1),
        ('<!DOCTYPE a SYSTEM "b.dtd">\n<a>\n&b;</a>', 3),
        ("<a>\n&b;</a>", 2),
        ('<a b="\n&c;"/>', 2),
        ("<a>" + "&<!--" * 1000, 1),
    ],
)
def test_entities_of_xml_are_refused(content: str, line: int) -> None:
    for encoding, expected in (("utf-8", line), ("utf-16", 1)):
        source = Source("x.xml", content=content.encode(encoding))
        assert place_of_error(xml_files.parsed, source) == f"x.xml:{expected}"


def test_references_in_comments_and_sections_are_text() -> None:
    source = Source("x.xml", content=b"<a><!-- &b; --><![CDATA[&c;]]>&amp;</a>")
    assert xml_files.parsed(source).text == "&c;&"
