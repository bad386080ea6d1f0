"""Plain readings of tables."""

from __future__ import annotations

import csv
import io

from corefine.corpus.corpus import Corpus
from corefine.formats.tables.label_columns import COLUMNS
from tests.fuzzing.readings.plain import Files, UnclearError, one, text_of


def of_rows(corpus: Corpus) -> object:
    return corpus.to_dict()


def labels(files: Files) -> object:
    """Entities by document, as the module csv gives the rows."""
    text = text_of(one(files))
    rows = [row for row in csv.reader(io.StringIO(text, newline="")) if row]
    header = [name.strip().lower() for name in rows[0]]
    at = {
        name: next((header.index(each) for each in allowed if each in header), -1)
        for name, allowed in COLUMNS.items()
    }
    found: dict[str, dict[str, list[object]]] = {}
    for number, row in enumerate(rows[1:]):
        document = row[at["document"]] if at["document"] >= 0 else ""
        mention = row[at["mention"]] if at["mention"] >= 0 else (number, number)
        found.setdefault(document, {}).setdefault(row[at["entity"]], []).append(mention)
    return {name: list(entities.values()) for name, entities in found.items()}


def parquet(files: Files) -> object:
    import pyarrow.parquet

    found: dict[str, dict[object, list[object]]] = {}
    table = pyarrow.parquet.read_table(io.BytesIO(one(files)))
    if table.column_names != ["document", "mention", "entity"]:
        raise UnclearError("other columns")
    for row in table.to_pylist():
        # Strings whose type has been lost are bytes.
        row = {name: v.decode() if isinstance(v, bytes) else v for name, v in row.items()}
        entities = found.setdefault(row["document"], {})
        entities.setdefault(row["entity"], []).append(row["mention"])
    return {name: list(entities.values()) for name, entities in found.items()}
