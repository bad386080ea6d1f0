"""Labels as Parquet: the columns document, mention and entity, strings or whole numbers.

The smallest valid file is a table of the columns ``mention`` and ``entity`` with one row. It needs
pyarrow, which is an extra.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from corefine.corpus.arrays import Strings
from corefine.corpus.corpus import Corpus
from corefine.errors import Location, MissingExtraError
from corefine.formats.io.index import is_packed
from corefine.formats.io.sources import Source
from corefine.formats.labels import LabelColumn, corpus_of, find_columns, label_rows
from corefine.formats.registry import Format, register

LARGEST = 1 << 30
"""Maximum number of bytes of a packed file, and of the strings of a column."""


def _pyarrow() -> Any:
    try:
        import pyarrow
        import pyarrow.compute
        import pyarrow.parquet
    except ImportError:
        raise MissingExtraError("reading and writing Parquet", "pyarrow", "parquet") from None
    return pyarrow


def read(source: Source, layers: frozenset[str] | None = None) -> Corpus:
    """Read a table of labels; strings that recur are decoded once."""
    arrow = _pyarrow()
    with _refusing(arrow, source):
        schema = arrow.parquet.read_schema(_opened(source))
        places = find_columns(schema.names, source.where())
        names = [schema.names[place] for role in places.values() for place in role]
        table = arrow.parquet.read_table(_opened(source), columns=names, use_threads=False)
    if not table.num_rows:
        raise source.error("the table has no rows", None, "Write the file again.")
    found: dict[str, LabelColumn] = {}
    mentions: Strings | list[Any] | None = None
    for role, place in places.items():
        columns = [table.column(schema.names[one]) for one in place]
        for one, column in zip(place, columns, strict=True):
            _require_values(column, schema.names[one], arrow, source)
        if role != "mention":
            found[role] = _coded(columns[0], schema.names[place[0]], arrow, source)
        elif len(columns) == 1:
            mentions = _strings(columns[0], schema.names[place[0]], arrow, source)
        else:
            ends = [_numbers(column, arrow, source) for column in columns]
            mentions = list(zip(*ends, strict=True))
    del table, columns, column
    return corpus_of(
        found, mentions, lambda row: Location(f"{source.name}, row {row + 1}"), source.name
    )


def all_columns(source: Source) -> dict[str, list[Any]]:
    """All columns of a table, by heading in lower case."""
    arrow = _pyarrow()
    with _refusing(arrow, source):
        table = arrow.parquet.read_table(_opened(source), use_threads=False)
    return {name.lower(): table.column(name).to_pylist() for name in table.column_names}


@contextmanager
def _refusing(arrow: Any, source: Source) -> Iterator[None]:
    """Refuse a file that Arrow cannot read, and close it."""
    try:
        yield
    except (arrow.ArrowException, OSError, UnicodeDecodeError) as error:
        first_line = str(error).splitlines()[0]
        raise source.error(
            f"cannot read this as a Parquet file: {first_line}", None, "Write the file again."
        ) from None
    finally:
        source.close()


def _opened(source: Source) -> str | io.BytesIO:
    """The path of a file, or the bytes of a packed file or of a stream."""
    if source.path is not None and source.content is None and not is_packed(source.path):
        return str(source.path)
    if source.content is None:
        source.content = source.read_all(LARGEST, "Give the table as an uncompressed file.")
    return io.BytesIO(source.content)


def _require_values(column: Any, heading: str, arrow: Any, source: Source) -> None:
    """Refuse a column with missing values."""
    if not column.null_count and not arrow.types.is_floating(column.type):
        return
    missing = arrow.compute.is_null(column, nan_is_null=True)
    count = arrow.compute.sum(missing).as_py()
    if count:
        row = arrow.compute.index(missing, True).as_py() + 1
        raise source.error(
            f"{count:,} rows have no value in the column {heading}, first row {row:,}",
            None,
            "Fill or remove these rows.",
        )


def _coded(column: Any, heading: str, arrow: Any, source: Source) -> LabelColumn:
    """The distinct strings of a column by first appearance, and the number of each row's."""
    coded = column.dictionary_encode().combine_chunks()
    if isinstance(coded, arrow.ChunkedArray):
        coded = coded.unify_dictionaries().combine_chunks()
    values = _strings(arrow.chunked_array([coded.dictionary]), heading, arrow, source)
    return LabelColumn(values, np.asarray(coded.indices, np.int64))


def _strings(column: Any, heading: str, arrow: Any, source: Source) -> Strings:
    """A column of strings or numbers as strings; Arrow strings are not copied."""
    try:
        texts = arrow.compute.cast(column, arrow.large_string()).combine_chunks()
        texts.validate(full=True)
    except arrow.ArrowException as error:
        message = f"the column {heading} has neither strings in UTF-8 nor numbers: {error}"
        raise source.error(message, None, "Convert it.") from None
    _, offsets, data = texts.buffers()
    size = len(texts)
    bounds = np.frombuffer(offsets, np.int64)[texts.offset : texts.offset + size + 1]
    block = np.zeros(0, np.uint8) if data is None else np.frombuffer(data, np.uint8)
    if bounds[-1] - bounds[0] > LARGEST:
        raise source.error(
            f"the column {heading} has {int(bounds[-1] - bounds[0]) >> 20:,} MiB of text",
            None,
            f"Use shorter ids: at most {LARGEST >> 20:,} MiB are read.",
        )
    return Strings(block, bounds)


def _numbers(column: Any, arrow: Any, source: Source) -> list[int]:
    try:
        numbers: list[int] = arrow.compute.cast(column, arrow.int64()).to_pylist()
    except arrow.ArrowException as error:
        message = f"spans that are not whole numbers: {error}"
        raise source.error(message, None, "Boundaries of spans are whole numbers.") from None
    return numbers


def write(corpus: Corpus) -> Iterator[bytes]:
    """Write a table of document, mention and entity, and topic if the corpus has topics."""
    arrow = _pyarrow()
    header, rows = label_rows(corpus)
    columns = list(zip(*rows, strict=True)) or [()] * len(header)
    stream = io.BytesIO()
    arrow.parquet.write_table(arrow.table(list(map(list, columns)), names=header), stream)
    yield stream.getvalue()


register(
    Format(
        "parquet",
        "Labels as Parquet",
        (".parquet",),
        detect=lambda head, name: head.startswith(b"PAR1"),
        write=write,
        read_columns=read,
    )
)
