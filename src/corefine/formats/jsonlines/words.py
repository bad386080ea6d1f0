"""Words and clusters of a batch of JSON lines, under whichever key they stand."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from corefine.corpus.arrays import IntArray, offsets_of
from corefine.corpus.strings import Strings
from corefine.formats.jsonlines.arrays import StringLists, scan_numbers, scan_strings
from corefine.formats.jsonlines.columns import Clusters
from corefine.formats.jsonlines.lines_of_documents import Batch, is_given

if TYPE_CHECKING:
    from msgspec import Raw

Record = TypeVar("Record")

_SPACE = 32


def string_lists(batch: Batch[Record], key: str, depth: int) -> StringLists:
    """The arrays of strings (depth 2: arrays of these) under a key, which all lines must have."""
    require(batch, key)
    arrays: list[Raw] = [getattr(record, key) for record in batch.records]
    return scan_strings(arrays, depth) or _decoded(batch, arrays, key, depth)


def _decoded(batch: Batch[Record], arrays: Sequence[Raw], key: str, depth: int) -> StringLists:
    """The same string by string, refusing what is not one."""
    nested: list[list[list[str]]]
    if depth == 1:
        nested = [[batch.decode(n, array, list[str], key)] for n, array in enumerate(arrays)]
    else:
        nested = [batch.decode(n, array, list[list[str]], key) for n, array in enumerate(arrays)]
    for number, lists in enumerate(nested):
        if any("\0" in string for strings in lists for string in strings):
            batch.refuse(number, f"{key}: a string with a zero character", "Take it out.")
    return StringLists.of(nested)


def clusters_of(batch: Batch[Record], key: str, convention: str, width: int = 2) -> Clusters:
    """The clusters under a key, which all lines must have; a mention is so many numbers."""
    require(batch, key)
    arrays: list[Raw] = [getattr(record, key) for record in batch.records]
    found = scan_numbers(arrays, width)
    if found is None:
        from corefine.formats.jsonlines.records import Pairs, Triples

        kind: type[list[list[tuple[int, ...]]]] = Pairs if width == 2 else Triples  # type: ignore[assignment]
        lists = [batch.decode(number, array, kind, key) for number, array in enumerate(arrays)]
        flat = list(chain.from_iterable(lists))
        found = (
            np.array([len(clusters) for clusters in lists], np.int64),
            np.array([len(cluster) for cluster in flat], np.int64),
            np.array(list(chain.from_iterable(flat)), np.int64).reshape(-1, width),
        )
    counts, sizes, numbers = found
    return Clusters(key, convention, np.repeat(np.arange(len(arrays)), counts), sizes, numbers)


def layer(batch: Batch[Record], key: str, lengths: IntArray, depth: int = 1) -> Strings | None:
    """A column beside the words; None where no document has it, empty where one has not.

    ``lengths`` is how many words each document has: as many as the column must hold.
    """
    rows = [number for number, record in enumerate(batch.records) if is_given(record, key)]
    if not rows:
        return None
    some = Batch(
        batch.source, [batch.records[row] for row in rows], [batch.lines[row] for row in rows]
    )
    found = string_lists(some, key, depth)
    counts = found.per_document
    if not counts.any():
        return None
    absent = counts == 0
    check_lengths(some, np.where(absent, lengths[rows], counts), lengths[rows], key)
    if len(rows) == len(lengths) and not absent.any():
        return found.strings
    held = np.zeros(len(lengths), np.int64)
    held[rows] = counts
    filled = np.repeat(held > 0, lengths)
    sizes = np.zeros(int(lengths.sum()), np.int64)
    sizes[filled] = found.strings.lengths
    return Strings(found.strings.data, offsets_of(sizes))


def check_lengths(batch: Batch[Record], found: IntArray, lengths: IntArray, key: str) -> None:
    """Refuse a column that does not have an entry for each word."""
    wrong = np.flatnonzero(found != lengths)
    if len(wrong):
        document = int(wrong[0])
        batch.refuse(
            document,
            f"{key} has {found[document]:,} entries for {lengths[document]:,} words",
            "It must have one for each word.",
        )


def check_texts(batch: Batch[Record], clusters: Clusters, found: Strings, key: str) -> None:
    """Refuse lines whose mentions are not the strings that they give for them, where they do.

    ``found`` are the texts of all mentions; spaces are left out of account.
    """
    told = [number for number, record in enumerate(batch.records) if is_given(record, key)]
    if not told:
        return
    some = Batch(
        batch.source, [batch.records[row] for row in told], [batch.lines[row] for row in told]
    )
    given = string_lists(some, key, 2)
    rows = np.flatnonzero(np.isin(clusters.document_of_mentions, told))
    here = np.flatnonzero(np.isin(clusters.document, told))
    if not np.array_equal(given.lengths, clusters.sizes[here]):
        _refuse_sizes(some, clusters, given, np.array(told), key)
    if len(rows) < len(found):
        found = found.take(rows)
    different = _without_spaces(found).differs_from(_without_spaces(given.strings))
    if different is not None:
        document, cluster, number = clusters.place(int(rows[different]))
        batch.refuse(
            document,
            f"{key}[{cluster}][{number}] is {given.strings[different]!r}, but {clusters.key} has "
            f"{found[different]!r} there: its ends seem to be counted otherwise",
            clusters.convention,
        )


def _refuse_sizes(
    batch: Batch[Record], clusters: Clusters, given: StringLists, told: IntArray, key: str
) -> None:
    bounds = offsets_of(given.counts)
    for number, document in enumerate(told.tolist()):
        sizes = clusters.sizes[clusters.document == document]
        if not np.array_equal(given.lengths[bounds[number] : bounds[number + 1]], sizes):
            batch.refuse(
                number,
                f"{key} does not have a string for each mention of {clusters.key}",
                f"Leave {key} out, or give it as the tool writes it.",
            )


def _without_spaces(column: Strings) -> Strings:
    kept = column.data != _SPACE
    if kept.all():
        return column
    return Strings(column.data[kept], offsets_of(kept.astype(np.int64))[column.offsets])


def require(batch: Batch[Record], key: str) -> None:
    """Refuse the first line that has nothing under a key."""
    for document, record in enumerate(batch.records):
        if not is_given(record, key):
            batch.refuse(
                document,
                f"the key {key!r} is missing",
                "The page of the format shows what a line looks like.",
            )
