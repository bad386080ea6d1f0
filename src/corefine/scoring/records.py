"""Labels straight to the table: records, clusterings, mentions that are known by an id only.

The two sides are joined by the codes of their mentions, and pairs of entities are counted, without
a row per mention as in :class:`.MentionTable`. Metrics that do not look at single mentions count
the same numbers from either table. Anything unusual, such as a mention that is given twice, is left
to the usual way, which can say where it is.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corefine.corpus.arrays import BoolArray, IntArray, Strings, counted
from corefine.corpus.corpus import Corpus
from corefine.matching.fingerprint import Codes, Fingerprint, mention_codes
from corefine.matching.matching import Provenance
from corefine.matching.settings import Settings
from corefine.metrics.table import Cells, EntityColumns, Table
from corefine.scoring.gathering import gather
from corefine.scoring.request import Request

_USUAL = Settings()
_ALLOWED = frozenset({"singletons", "twinless", "missing_documents", "words", "allow_empty"})
"""Settings that the table of records can follow; others need mentions unless they are unset."""


def tabulate_records(
    key: Corpus, response: Corpus, request: Request
) -> tuple[Table, Provenance] | None:
    """The table of two corpora of labels, before mentions on one side only are treated.

    None if the request or the corpora need mentions.
    """
    if not (_needs_no_mentions(request) and _are_labels(key, response)):
        return None
    codes = mention_codes(key)
    fingerprint = Fingerprint.of(key, codes=codes)
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
    provenance = Provenance(
        fingerprint,
        int(table.key.size.sum()),
        int(table.response.size.sum()),
        int(table.cells.count.sum()),
        warnings=(*key.warnings, *response.warnings),
        evidence=gather(table, key, response),
    )
    return table, provenance


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
    sides = [_entities(side) for side in (key, response)]
    width = len(response.entities)
    codes = key.mentions.entity[ours]
    codes *= width
    codes += response.mentions.entity[theirs]
    cells, count = counted(codes)
    rows, columns = np.divmod(cells, width)
    found = Cells(rows, columns, count, key.entities.document[rows])
    return without_empty(Table(key.documents, sides[0], sides[1], found))


def _entities(side: Corpus) -> EntityColumns:
    size = np.bincount(side.mentions.entity, minlength=len(side.entities))
    return EntityColumns(side.entities.document, size, np.arange(len(size)))


def without_empty(table: Table) -> Table:
    """The table without entities that have no mentions."""
    return _kept(table, table.key.size > 0, table.response.size > 0)


def without_singletons(table: Table) -> Table:
    """The table without entities of one mention, on both sides."""
    return _kept(table, table.key.size > 1, table.response.size > 1)


def without_twinless(table: Table) -> Table:
    """The table of the mentions that are on both sides."""
    key = replace(table.key, size=table.key_matched)
    response = replace(table.response, size=table.response_matched)
    return without_empty(Table(table.documents, key, response, table.cells))


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
