"""Files of formats: put into a folder, read, refused."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from corefine.corpus.corpus import Corpus
from corefine.errors import CorefineError
from corefine.formats import Source, format_named, read, sniff

Files = Mapping[str, bytes]


def put(files: Files, folder: Path) -> Path:
    """The folder with these files."""
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder


def read_files(files: Files, format: str | None = None) -> Corpus:
    """The corpus of a folder with these files."""
    with tempfile.TemporaryDirectory() as folder:
        return read(put(files, Path(folder)), format)


def parse(
    content: str | bytes, format: str | None = None, name: str = "x", side: str | None = None
) -> Corpus:
    """The corpus of one file; the format is recognised unless it is given."""
    data = content.encode() if isinstance(content, str) else content
    source = Source(name, Path(name), content=data)
    return (sniff(source, side) if format is None else format_named(format)).corpus(source)


def json_lines(*records: object) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def place_of_error(read: Callable[..., object], *arguments: object) -> str:
    """File and line of the error that a call ends in, such as ``x.ann:2``."""
    with pytest.raises(CorefineError) as caught:
        read(*arguments)
    error = caught.value
    assert error.where is not None
    assert error.remedy
    assert len(str(error)) < 500
    name = Path(error.where.source).name
    return name if error.where.line is None else f"{name}:{error.where.line}"


def entity_words(corpus: Corpus) -> dict[str, list[list[str]]]:
    """Entities by document, as the words of their mentions."""
    return {
        document.name: [list(map(document.words_of, one)) for one in document.entities.values()]
        for document in corpus
    }
