"""Labels straight to the table: records, clusterings, mentions that are known by an id only.

The two sides are joined by the codes of their mentions, and pairs of entities are counted, without
a row per mention as in :class:`.MentionTable`. Metrics that do not look at single mentions count
the same numbers from either table. Anything unusual, such as a mention that is given twice, is left
to the usual way, which can say where it is.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from corefine.corpus.arrays import BoolArray, IntArray, Strings
from corefine.corpus.corpus import Corpus
from corefine.errors import FormatError, Location, UsageError, emitting
from corefine.formats.io.sources import Source
from corefine.formats.labels import columns_of
from corefine.matching.matching import Fingerprint, Provenance
from corefine.matching.settings import Settings
from corefine.metrics.registry import MetricSpec
from corefine.metrics.table import Cells, EntityColumns, Table, cells_of, side_of
from corefine.scoring.count import Counts, count_metric, try_without_singletons
from corefine.scoring.fingerprint import Codes, fingerprint_of, fingerprint_of_sizes, mention_codes
from corefine.scoring.request import Request, RequestOptions
from corefine.scoring.sanity import gather
from corefine.scoring.scores import Scores
from corefine.scoring.sides import as_frame

_USUAL = Settings()
_ALLOWED = frozenset({"singletons", "twinless", "missing_documents", "words", "allow_empty"})
"""Settings that the table of records can follow; others need mentions unless they are unset."""


def count_records(key: Corpus, response: Corpus, request: Request) -> Counts | None:
    """The counts of labels by a table without mentions; None if mentions are needed."""
    found = tabulate_records(key, response, request)
    return None if found is None else _count(*found, request)


def _count(table: Table, provenance: Provenance, request: Request) -> Counts:
    """The counts of a table without mentions."""
    settings, whole = request.settings, table
    if settings.twinless == "drop":
        table = without_twinless(table)
    else:
        evidence = try_without_singletons(
            provenance.evidence, request, lambda _: without_singletons(whole)
        )
        provenance = replace(provenance, evidence=evidence)
    values = {
        name: count_metric(metric, table, settings) for name, metric in request.needed.items()
    }
    return Counts(request, table.documents, values, (), provenance)


@emitting
def score_table(
    table: Table | str | os.PathLike[str] | Any,
    metrics: MetricSpec = "default",
    **settings: Unpack[RequestOptions],
) -> Scores:
    """Score a table of counts, such as a query over labels of billions of records yields.

    ``table`` is a :class:`Table`, a data frame, or a CSV or Parquet file with the columns ``key``,
    ``response``, ``count`` and, optionally, ``document``: how many mentions a key entity and a
    response entity share. The entity is missing for mentions that only the other side has. Metrics
    and settings are those that need no single mentions: ``singletons`` and ``twinless="drop"``.

    >>> table = Table.from_counts(["a", "a", "b"], ["x", None, "y"], [2, 1, 3])
    >>> score_table(table, "b3")["b3"].precision
    1.0
    """
    request = Request.of(metrics, **settings)
    if request.scorer is not None or not _needs_no_mentions(request):
        raise UsageError(
            "a table of counts has no mentions, which these metrics or settings need",
            remedy="Use metrics such as b3, ceafe and lea, and the settings singletons (keep, "
            "drop) and twinless (none, drop); or score the labels themselves.",
        )
    found = table if isinstance(table, Table) else _read_table(table)
    key = fingerprint_of_sizes(found.documents, found.key.document, found.key.size)
    if request.settings.singletons == "drop":
        found = without_singletons(found)
    nothing = Corpus.from_lists(found.documents, [[] for _ in found.documents])
    return _count(found, _provenance(found, key, nothing, nothing), request).scores()


def _read_table(given: Any) -> Table:
    """The table of a data frame, or of a file with a header."""
    if isinstance(given, str | os.PathLike):
        path = os.fspath(given)
        columns: Mapping[str, Any] = columns_of(Source(path, Path(path)))
    else:
        path, frame = "the table", as_frame(given)
        columns = {str(name): frame[name].to_list() for name in frame.columns}
    missing = [name for name in ("key", "response", "count") if name not in columns]
    if missing:
        raise FormatError(
            f"no column {' and '.join(missing)} among: {', '.join(columns)}",
            Location(path),
            "A table of counts has the columns key, response, count and, optionally, document.",
        )
    count = columns["count"]
    if len(count) and isinstance(count[0], str):
        counts = re.compile(r"\s*[0-9]{1,18}\s*")
        wrong = next((row for row, text in enumerate(count) if not counts.fullmatch(text)), None)
        if wrong is not None:
            raise FormatError(f"{count[wrong][:60]!r} is not a count", Location(path, wrong + 2))
        count = list(map(int, count))
    return Table.from_counts(columns["key"], columns["response"], count, columns.get("document"))


def tabulate_records(
    key: Corpus, response: Corpus, request: Request
) -> tuple[Table, Provenance] | None:
    """The table of two corpora of labels, before mentions on one side only are treated.

    None if the request or the corpora need mentions.
    """
    if not (_needs_no_mentions(request) and _are_labels(key, response)):
        return None
    codes = mention_codes(key)
    fingerprint = fingerprint_of(key, codes=codes)
    if key.has_places and request.settings.singletons == "drop":
        return None  # the positions of the rows that are left are evidence
    rows = _shared_mentions(key, response, [codes, mention_codes(response)])
    del codes
    if rows is None:
        return None
    table = _table(key, response, *rows)
    del rows
    if request.settings.singletons == "drop":
        table = without_singletons(table)
    return table, _provenance(table, fingerprint, key, response)


def _provenance(
    table: Table, fingerprint: Fingerprint, key: Corpus, response: Corpus
) -> Provenance:
    return Provenance(
        fingerprint,
        warnings=(*key.warnings, *response.warnings),
        evidence=gather(table, key, response),
    )


def _needs_no_mentions(request: Request) -> bool:
    settings = request.settings
    unusual = [
        name
        for name in Settings.__slots__
        if name not in _ALLOWED and getattr(settings, name) != getattr(_USUAL, name)
    ]
    if unusual or settings.twinless not in ("none", "drop"):
        return False
    if request.by or request.shows_kinds or request.kinds is not None:
        return False
    package = __name__.partition(".")[0]
    return bool(request.needed) and all(
        metric.layer == "identity"
        and not metric.needs_mentions
        and type(metric).__module__.partition(".")[0] == package
        for metric in request.needed.values()
    )


def _are_labels(key: Corpus, response: Corpus) -> bool:
    """True if both sides are labels of the same documents and nothing else."""
    for side in (key, response):
        extra = side.tokens, side.relations, side.annotations, side.mentions.attributes, side.copies
        if side.format != "labels" or any(extra) or not len(side.mentions):
            return False
    names = key.documents
    return names == response.documents and len(set(names)) == len(names)


def _shared_mentions(
    key: Corpus, response: Corpus, codes: list[Codes]
) -> tuple[IntArray, IntArray] | None:
    """The rows of the mentions on both sides; None if one is given twice or ids are of two forms.

    Mentions are joined by their codes, and then compared in full.
    """
    ours, theirs = key.mentions, response.mentions
    names = ours.names, theirs.names
    if ours.names is None and theirs.names is None:
        same = np.array_equal(ours.document, theirs.document)
        every = np.arange(len(ours))
        return (every, every) if same else None
    strings = all(isinstance(one, Strings) for one in names)
    if not strings and not all(
        isinstance(one, np.ndarray) and one.dtype.kind == "i" for one in names
    ):
        return None
    rows = _join(*codes)
    if rows is None or not _equal(*names, *rows):
        return None
    one = len(key.documents) == 1
    return rows if one or (ours.document[rows[0]] == theirs.document[rows[1]]).all() else None


def _join(key: Codes, response: Codes) -> tuple[IntArray, IntArray] | None:
    """The rows with the same code on both sides; None if a side has a code twice."""
    ours, theirs = np.argsort(key), np.argsort(response)
    key, response = key[ours], response[theirs]
    if any((codes[1:] == codes[:-1]).any() for codes in (key, response)):
        return None
    if not np.array_equal(key, response):
        place = np.minimum(np.searchsorted(key, response), len(key) - 1)
        found: BoolArray = key[place] == response
        ours, theirs = ours[place[found]], theirs[found]
    twin = np.full(len(key), -1)
    twin[ours] = theirs
    rows = np.flatnonzero(twin >= 0)
    return rows, twin[rows]


def _equal(names: Any, others: Any, rows: IntArray, other_rows: IntArray) -> bool:
    """True if the names of two columns in these rows are equal."""
    if isinstance(names, Strings):
        return names.equal_rows(rows, others, other_rows)
    return np.array_equal(names[rows], others[other_rows])


def _table(key: Corpus, response: Corpus, ours: IntArray, theirs: IntArray) -> Table:
    """The table of corpora whose shared mentions are in these rows."""
    (key_side, key_entity), (response_side, response_entity) = (
        side_of(side.entities.document, side.mentions.entity) for side in (key, response)
    )
    cells = cells_of(key_side, response_side, key_entity[ours], response_entity[theirs])
    return Table(key.documents, key_side, response_side, cells)


def without_singletons(table: Table) -> Table:
    """The table without entities of one mention, on both sides."""
    return _kept(table, table.key.size > 1, table.response.size > 1)


def without_twinless(table: Table) -> Table:
    """The table of the mentions that are on both sides."""
    key = replace(table.key, size=table.key_matched)
    response = replace(table.response, size=table.response_matched)
    matched = Table(table.documents, key, response, table.cells)
    return _kept(matched, key.size > 0, response.size > 0)


def _kept(table: Table, key: BoolArray, response: BoolArray) -> Table:
    """The table of these entities."""
    if key.all() and response.all():
        return table
    cells = table.cells
    both = key[cells.key] & response[cells.response]
    return Table(
        table.documents,
        _chosen(table.key, key),
        _chosen(table.response, response),
        Cells(
            (np.cumsum(key) - 1)[cells.key[both]],
            (np.cumsum(response) - 1)[cells.response[both]],
            cells.count[both],
            cells.document[both],
        ),
    )


def _chosen(side: EntityColumns, kept: NDArray[np.bool_]) -> EntityColumns:
    return EntityColumns(side.document[kept], side.size[kept], side.source[kept])
