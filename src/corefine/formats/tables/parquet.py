"""Labels as Parquet: the columns document, mention and entity, strings or whole numbers.

The smallest valid file is a table of the columns ``mention`` and ``entity`` with one row. It needs
pyarrow, which is an extra.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

import numpy as np

from corefine.corpus.corpus import Corpus
from corefine.corpus.strings import Strings
from corefine.errors import FormatError, Location, MissingExtraError
from corefine.formats.input.index import is_packed
from corefine.formats.input.sources import Source
from corefine.formats.registry import Capabilities, Format, register
from corefine.formats.tables.labels import Column, LabelTable, corpus_of, find_columns, label_rows

LARGEST = 1 << 30
"""Maximum number of bytes of a packed file, and of the strings of a column."""
_MAGIC = b"PAR1"


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
    try:
        schema = arrow.parquet.read_schema(_opened(source))
        places = find_columns(schema.names, source.where())
        names = [schema.names[place] for role in places.values() for place in role]
        table = arrow.parquet.read_table(
            _opened(source), columns=names, read_dictionary=names, use_threads=False
        )
    except (arrow.ArrowException, OSError, UnicodeDecodeError) as error:
        first_line = str(error).splitlines()[0]
        raise FormatError(
            f"cannot read this as a Parquet file: {first_line}",
            source.where(),
            "Write the file again.",
        ) from None
    finally:
        source.close()
    columns = {name: _column(table.column(name), name, arrow, source) for name in names}
    found = {
        role: columns[schema.names[place[0]]] for role, place in places.items() if role != "mention"
    }
    given = [columns[schema.names[place]] for place in places.get("mention", ())]
    mention: Any = None
    if len(given) == 1:
        mention = _expanded(given[0], source)
    elif given:
        mention = list(zip(*(_numbers(column, source) for column in given), strict=True))
    return corpus_of(
        LabelTable(mention=mention, **found),
        lambda row: Location(f"{source.name}, row {row + 1}"),
        source.name,
    )


def _opened(source: Source) -> str | io.BytesIO:
    """The path of a file, or the bytes of a packed file or of a stream."""
    if source.path is not None and source.content is None and not is_packed(source.path):
        return str(source.path)
    if source.content is None:
        source.content = source.read_all(LARGEST, "Give the table as an uncompressed file.")
    return io.BytesIO(source.content)


def _column(column: Any, heading: str, arrow: Any, source: Source) -> Column:
    """The distinct strings of a column and the number of each row's."""
    if column.null_count or arrow.types.is_floating(column.type):
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
        coded = column.dictionary_encode().combine_chunks()
        if isinstance(coded, arrow.ChunkedArray):
            coded = coded.unify_dictionaries().combine_chunks()
        values = arrow.compute.cast(coded.dictionary, arrow.string()).to_pylist()
    except arrow.ArrowException:
        raise FormatError(
            f"the column {heading} contains neither strings nor numbers",
            source.where(),
            "Convert it.",
        ) from None
    except UnicodeDecodeError:
        raise FormatError(
            f"the column {heading} has strings that are not UTF-8", source.where(), "Convert them."
        ) from None
    return Column(values, np.asarray(coded.indices, np.int64))


def _expanded(column: Column, source: Source) -> Strings:
    """The string of each row, unless they need too much memory."""
    values = Strings.from_list(column.values)
    size = int(values.lengths[column.rows].sum())
    if size > LARGEST:
        raise FormatError(
            f"the mentions have {size >> 20:,} MiB of text",
            source.where(),
            f"Use shorter ids: at most {LARGEST >> 20:,} MiB are read.",
        )
    return values.take(column.rows)


def _numbers(column: Column, source: Source) -> list[int]:
    try:
        values = [int(value) for value in column.values]
    except ValueError:
        raise FormatError(
            "spans that are not numeric", source.where(), "Boundaries of spans are whole numbers."
        ) from None
    return [values[row] for row in column.rows.tolist()]


def write(corpus: Corpus) -> Iterator[bytes]:
    """Write a table of document, mention and entity, and topic if the corpus has topics."""
    arrow = _pyarrow()
    header, rows = label_rows(corpus)
    columns = list(zip(*rows, strict=True)) or [()] * len(header)
    stream = io.BytesIO()
    arrow.parquet.write_table(arrow.table(list(map(list, columns)), names=header), stream)
    yield stream.getvalue()


def detect(head: bytes, name: str) -> bool:
    """True if the file starts as Parquet files do."""
    return head.startswith(_MAGIC)


PARQUET = register(
    Format(
        "parquet",
        "Labels as Parquet",
        (".parquet",),
        read_columns=read,
        detect=detect,
        write=write,
        capabilities=Capabilities(text=False, names=True, discontinuous=True, topics=True),
        documentation="docs/formats/parquet.md",
        packages=_pyarrow,
    )
)
