"""Tables of records as columns: counts of shared mentions, and pairs of records that match."""

from __future__ import annotations

from typing import Any

import numpy as np

from corefine.corpus.corpus import Corpus
from corefine.corpus.values import column_of, distinct
from corefine.errors import UsageError
from corefine.formats.io.sources import Source
from corefine.formats.labels import rows_of

PAIRS = (
    ("id_l", "id_r"), ("unique_id_l", "unique_id_r"), ("record_id_l", "record_id_r"),
    ("id_1", "id_2"), ("record_id_1", "record_id_2"), ("left", "right"),
)  # fmt: skip
"""Headings of the columns with the two records of a pair."""
PROBABILITIES = ("match_probability", "probability", "confidence", "score")
"""Headings of the column with the probability that a pair matches."""
_REMEDY = f"Name the columns {', '.join(PAIRS[0])} and, optionally, {PROBABILITIES[0]}."


def columns_of(source: Source) -> dict[str, list[Any]]:
    """The columns of a CSV, TSV or Parquet file, by heading in lower case."""
    if source.head().startswith(b"PAR1"):
        from corefine.formats.parquet import all_columns

        return all_columns(source)
    rows = list(rows_of(source))
    header = [heading.strip().lower() for heading in rows[0][1]] if rows else []
    for line, row in rows[1:]:
        if len(row) != len(header):
            raise source.error(f"{len(row)} cells instead of {len(header)}", line)
    if len(set(header)) < len(header) or len(rows) < 2:
        raise source.error("no rows, or two columns of one name", 1)
    return {name: [row[place] for _, row in rows[1:]] for place, name in enumerate(header)}


def read_pairs(source: Source, label: str) -> Corpus:
    """Read pairs of records; records that are linked by pairs are one entity.

    ``label`` is ``pairs``, or ``pairs:0.9`` for pairs of at least this probability.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    kind, _, threshold = label.partition(":")
    if kind != "pairs":
        raise UsageError(f"labels:{label} is no format", remedy="Use labels or labels:pairs.")
    columns = columns_of(source)
    names = next((pair for pair in PAIRS if set(pair) <= columns.keys()), None)
    if names is None:
        found = ", ".join(columns)
        raise source.error(f"no two columns of record ids among: {found}", 1, _REMEDY)
    linked = _linked(columns, threshold, source)
    sides = [column_of(columns[name], name) for name in names]
    records, codes = distinct([*map(_plain, sides[0]), *map(_plain, sides[1])])
    left, right = np.split(codes, 2)
    graph = coo_array(
        (np.ones(int(linked.sum()), bool), (left[linked], right[linked])), (len(records),) * 2
    )
    _, entity = connected_components(graph, directed=False)
    return Corpus.from_labels(entity.astype(np.int64), records)


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _linked(columns: dict[str, list[Any]], threshold: str, source: Source) -> np.ndarray:
    """True for each pair that links its records."""
    name = next((name for name in PROBABILITIES if name in columns), None)
    if (name is None) != (not threshold):
        text = "needs a threshold" if name else "has no probabilities, but a threshold is given"
        raise UsageError(
            f"{source.name} {text}",
            remedy="Give --threshold 0.9, or labels:pairs:0.9." if name else "Leave it out.",
        )
    if name is None:
        return np.ones(len(next(iter(columns.values()))), bool)
    try:
        least, values = float(threshold), np.array(columns[name], np.float64)
    except (TypeError, ValueError) as error:
        raise source.error(f"{name}: {error}", None) from None
    if not 0 <= least <= 1 or not np.isfinite(values).all():
        raise UsageError(
            f"threshold {threshold} is not between 0 and 1, or {name} has missing values",
            remedy="Use, for example, 0.9.",
        )
    return values >= least
