"""Labels as Parquet: the columns document, mention and entity, strings or whole numbers.

The smallest valid file is a table of the columns ``mention`` and ``entity`` with one row. It is
read through pyarrow, which is an extra.
"""

from __future__ import annotations

import io
from collections.abc import Iterable
from typing import Any

import numpy as np

from corefine.corpus.corpus import Corpus
from corefine.corpus.strings import Strings
from corefine.errors import FormatError, Location, MissingExtraError
from corefine.formats.input.index import is_packed
from corefine.formats.input.sources import Source
from corefine.formats.registry import Capabilities, Format, register
from corefine.formats.tables.label_columns import (
    Coded,
    LabelColumns,
    corpus_from_columns,
    find_columns,
)

LARGEST = 1 << 30
"""Bytes of a table that is unpacked in memory."""
_REMEDY = "Give the table as an uncompressed file."
_MAGIC = b"PAR1"


def _pyarrow() -> Any:
    try:
        import pyarrow
        import pyarrow.compute
        import pyarrow.parquet
    except ImportError:
        raise MissingExtraError("reading and writing Parquet", "pyarrow", "parquet") from None
    return pyarrow


def read(source: Source, layers: frozenset[str] | None) -> Corpus:
    """The corpus of a Parquet table of labels."""
    arrow = _pyarrow()
    try:
        file = arrow.parquet.ParquetFile(_opened(source))
        wanted = find_columns(file.schema_arrow.names, source)
        names = {name: file.schema_arrow.names[place] for name, place in wanted.items()}
        table = file.read(columns=list(names.values()))
    except (arrow.ArrowException, OSError, UnicodeDecodeError) as error:
        first_line = str(error).splitlines()[0]
        raise FormatError(
            f"cannot read this as a Parquet file: {first_line}",
            source.where(),
            "Write the file again.",
        ) from None
    finally:
        source.close()
    columns = {
        name: _strings(table.column(heading), heading, arrow, source)
        for name, heading in names.items()
    }
    mention = columns.pop("mention", None)
    coded = {name: Coded.of(column) for name, column in columns.items()}
    # A table has no lines: its rows count from 1.
    return corpus_from_columns(
        LabelColumns(mention=mention, **coded),
        lambda row: Location(f"{source.name}, row {row + 1}"),
        source,
    )


def _opened(source: Source) -> str | io.BytesIO:
    """What pyarrow reads: the path of a file, or the bytes of what is packed or no file."""
    if source.path is None or source.content is not None:
        return io.BytesIO(source.read_all(LARGEST, _REMEDY))
    if is_packed(source.path) and source.head().startswith(_MAGIC):
        return io.BytesIO(source.read_all(LARGEST, _REMEDY))
    return str(source.path)


def _strings(column: Any, heading: str, arrow: Any, source: Source) -> Strings:
    """A column as strings, its buffers taken over as they are."""
    missing = arrow.compute.is_null(column, nan_is_null=True)
    count = arrow.compute.sum(missing).as_py()
    if count:
        row = arrow.compute.index(missing, True).as_py() + 1
        raise FormatError(
            f"{count:,} rows have no value in the column {heading}, first row {row:,}",
            source.where(),
            "Fill or remove these rows.",
        )
    try:
        whole = arrow.compute.cast(column, arrow.large_string()).combine_chunks()
    except arrow.ArrowException:
        raise FormatError(
            f"the column {heading} contains neither strings nor numbers",
            source.where(),
            "Convert it.",
        ) from None
    parts = whole.chunks if isinstance(whole, arrow.ChunkedArray) else [whole]
    pieces = []
    for part in parts:
        _, offsets, data = part.buffers()
        bounds = np.frombuffer(offsets, np.int64)[part.offset : part.offset + len(part) + 1]
        content = np.frombuffer(data, np.uint8) if data is not None else np.zeros(0, np.uint8)
        strings = Strings(content[bounds[0] : bounds[-1]], bounds - bounds[0])
        _check_encoding(strings, heading, source)
        pieces.append(strings)
    return Strings.concatenate(pieces)


def _check_encoding(strings: Strings, heading: str, source: Source) -> None:
    """Refuse strings that are not UTF-8: files are free to hold such, and nothing else asks."""
    try:
        strings.data.tobytes().decode("utf-8")
        # What is whole may still be cut inside a character.
        inside = strings.data[strings.offsets[:-1][strings.lengths > 0]] & 0xC0 == 0x80
        if not inside.any():
            return
    except UnicodeDecodeError:
        pass
    raise FormatError(
        f"the column {heading} has strings that are not UTF-8", source.where(), "Convert them."
    )


def write(corpus: Corpus) -> Iterable[bytes]:
    """A table of document, mention and entity (and topic)."""
    arrow = _pyarrow()
    document = corpus.mentions.document
    names = corpus.entities.names
    entities = [str(number) for number in range(len(corpus.entities))] if names is None else names
    columns = {
        "document": [corpus.documents[number] for number in document.tolist()],
        "mention": [str(corpus.mention_id(index)) for index in range(len(corpus.mentions))],
        "entity": [entities[number] for number in corpus.mentions.entity.tolist()],
    }
    if corpus.topics:
        columns["topic"] = [corpus.topics[number] for number in document.tolist()]
    stream = io.BytesIO()
    arrow.parquet.write_table(arrow.table(columns), stream)
    yield stream.getvalue()


def sniff(head: bytes, name: str) -> float:
    return 0.95 if head.startswith(_MAGIC) else 0.0


PARQUET = register(
    Format(
        name="parquet",
        title="Labels as Parquet",
        suffixes=(".parquet",),
        sniff=sniff,
        read_columns=read,
        capabilities=Capabilities(text=False, names=True, topics=True),
        write=write,
        documentation="docs/formats/parquet.md",
        packages=_pyarrow,
    )
)
