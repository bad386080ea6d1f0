"""The fields of many lines as columns: words, clusters, and what stands beside them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from corefine.corpus.arrays import BoolArray, IntArray, offsets_of
from corefine.corpus.strings import Strings
from corefine.formats.columns.conll import PLACEHOLDERS
from corefine.formats.jsonlines.json_arrays import StringLists, scan_numbers, scan_strings
from corefine.formats.jsonlines.json_records import Record

_SAYS_NOTHING = np.zeros(256, bool)
_SAYS_NOTHING[list(PLACEHOLDERS)] = True


def string_lists(records: Sequence[Record], key: str, depth: int) -> StringLists:
    """The arrays of strings (depth 2: arrays of these) under a key, which all lines must have."""
    found = scan_strings([record.raw(key) for record in records], depth)
    if found is not None:
        return found
    if depth == 1:
        return checked_lists(records, key, [[record.decode(key, list[str])] for record in records])
    nested = [record.decode(key, list[list[str]]) for record in records]
    return checked_lists(records, key, nested)


def checked_lists(
    records: Sequence[Record], key: str, nested: Sequence[Sequence[Sequence[str]]]
) -> StringLists:
    """Lists of strings, which may not hold the zero that stands between strings in columns."""
    for record, lists in zip(records, nested, strict=True):
        if any("\0" in string for strings in lists for string in strings):
            record.refuse(f"{key}: a string with a null character", "Remove it.")
    return StringLists.of(nested)


@dataclass(frozen=True, slots=True, eq=False)
class Clusters:
    """The clusters of lines, flat: numbers of mentions, sizes of clusters."""

    records: Sequence[Record]
    key: str
    """Under which key they stand."""
    convention: str
    """What the numbers mean, in a sentence for messages."""
    document: IntArray
    """The line of each cluster."""
    sizes: IntArray
    numbers: IntArray
    """One row a mention."""

    @classmethod
    def of(cls, records: Sequence[Record], key: str, convention: str, width: int) -> Clusters:
        """The clusters under a key, which all lines must have; a mention is so many numbers."""
        found = scan_numbers([record.raw(key) for record in records], width)
        if found is None:
            from corefine.formats.text.json_values import CLUSTERS

            lists = [record.decode(key, CLUSTERS[width]) for record in records]
            flat = list(chain.from_iterable(lists))
            found = (
                np.array([len(clusters) for clusters in lists], np.int64),
                np.array([len(cluster) for cluster in flat], np.int64),
                np.array(list(chain.from_iterable(flat)), np.int64).reshape(-1, width),
            )
        counts, sizes, numbers = found
        document = np.repeat(np.arange(len(records)), counts)
        return cls(records, key, convention, document, sizes, numbers)

    @property
    def document_of_mentions(self) -> IntArray:
        return np.repeat(self.document, self.sizes)

    def place(self, mention: int) -> tuple[int, str]:
        """The line of a mention, and its cluster and number in it, as JSON counts them."""
        ends = np.cumsum(self.sizes)
        cluster = int(np.searchsorted(ends, mention, side="right"))
        document = int(self.document[cluster])
        first = int(np.searchsorted(self.document, document))
        number = mention - int(ends[cluster] - self.sizes[cluster])
        return document, f"[{cluster - first}][{number}]"

    def refuse(self, wrong: BoolArray, problem: Callable[[int], str]) -> None:
        """Refuse the first mention that is wrong, if any is, saying what is wrong with it."""
        if wrong.any():
            mention = int(np.argmax(wrong))
            document, path = self.place(mention)
            message = f"{self.key}{path} is {self.numbers[mention].tolist()}, {problem(mention)}"
            self.records[document].refuse(message, self.convention)

    def check(self, start: IntArray, stop: IntArray, lengths: IntArray, unit: str) -> None:
        """Refuse mentions without a word, and mentions beyond the end of their document."""
        length = lengths[self.document_of_mentions]
        self.refuse(
            (stop <= start) | (stop > length),
            lambda mention: (
                f"beyond the {length[mention]:,} {unit} of the document"
                if stop[mention] > length[mention]
                else "which ends before it starts"
            ),
        )


def column(
    records: Sequence[Record], key: str, lengths: IntArray, depth: int = 1
) -> Strings | None:
    """A column beside the words; empty for lines that have none, or say nothing; None if all do.

    ``lengths`` is how many words each document has: as many as the column must hold.
    """
    rows = np.flatnonzero([record.has(key) for record in records])
    some = [records[row] for row in rows.tolist()]
    if not some:
        return None
    found = string_lists(some, key, depth)
    counts, strings = found.per_document, found.strings
    given = counts > 0
    check_lengths(some, np.where(given, counts, lengths[rows]), lengths[rows], key)
    says = strings.lengths > 1
    short = np.flatnonzero(strings.lengths == 1)
    says[short] = ~_SAYS_NOTHING[strings.data[strings.offsets[short]]]
    before = offsets_of(says.astype(np.int64))[offsets_of(counts)]
    telling = np.diff(before) > 0
    if not telling.any():
        return None
    if len(rows) == len(records) and telling.all():
        return strings
    filled = np.zeros(len(records), bool)
    filled[rows[telling]] = True
    return spread(strings.take(np.flatnonzero(np.repeat(telling, counts))), filled, lengths)


def spread(strings: Strings, filled: BoolArray, lengths: IntArray) -> Strings:
    """Strings of the words of some documents as a column of all, which is empty for the others."""
    sizes = np.zeros(int(lengths.sum()), np.int64)
    sizes[np.repeat(filled, lengths)] = strings.lengths
    return Strings(strings.data, offsets_of(sizes))


def check_lengths(records: Sequence[Record], found: IntArray, lengths: IntArray, key: str) -> None:
    """Refuse a column that does not have an entry for each word."""
    for row in np.flatnonzero(found != lengths).tolist():
        records[row].refuse(
            f"{key} has {found[row]:,} entries for {lengths[row]:,} words",
            "It must have one entry per word.",
        )


def sentence_starts(records: Sequence[Record], lists: StringLists, key: str) -> IntArray:
    """The first string of each sentence: where the numbers under a key change, else the lists."""
    if not any(record.has(key) for record in records):
        return offsets_of(lists.lengths)[:-1][lists.lengths > 0]
    number = sentence_numbers(records, lists, key)
    return openings(number, lists.per_document)


def sentence_numbers(records: Sequence[Record], lists: StringLists, key: str) -> IntArray:
    """The number of the sentence of each string: what lines have under a key, else its list's."""
    from corefine.formats.text.json_values import Indices

    number = np.repeat(np.arange(len(lists.lengths)), lists.lengths)
    counts = lists.per_document
    offsets = offsets_of(counts)
    for row, record in enumerate(records):
        if record.has(key) and (given := record.decode(key, Indices)):
            check_lengths([record], np.array([len(given)]), counts[row : row + 1], key)
            number[offsets[row] : offsets[row + 1]] = given
    return number


def openings(number: IntArray, lengths: IntArray) -> IntArray:
    """Where numbers change, and where documents begin."""
    opens = np.ones(len(number), bool)
    opens[1:] = number[1:] != number[:-1]
    opens[offsets_of(lengths)[:-1][lengths > 0]] = True
    return np.flatnonzero(opens)


def check_strings(
    clusters: Clusters, found: Strings, key: str, *, listed: bool = False, unsaid: bytes = b" "
) -> None:
    """Refuse lines whose mentions are not the strings that they give for them, where they do.

    ``found`` are the texts of all mentions; spaces, or what else is ``unsaid``, are left out of
    account. ``listed``: lines give each string as the list of its words.
    """
    told = [row for row, record in enumerate(clusters.records) if record.has(key)]
    some = [clusters.records[row] for row in told]
    if listed:
        words = [record.decode(key, list[list[list[str]]]) for record in some]
        given = checked_lists(
            some, key, [[[" ".join(span) for span in spans] for spans in each] for each in words]
        )
    else:
        given = string_lists(some, key, 2)
    _check_sizes(clusters, given, told, key)
    rows = np.flatnonzero(np.isin(clusters.document_of_mentions, told))
    if len(rows) < len(found):
        found = found.take(rows)
    different = _without(found, unsaid).differs_from(_without(given.strings, unsaid))
    if different is not None:
        document, path = clusters.place(int(rows[different]))
        clusters.records[document].refuse(
            f"{key}{path} is {given.strings[different]!r}, but {clusters.key} has "
            f"{found[different]!r} there: the end may be counted differently",
            clusters.convention,
        )


def _check_sizes(clusters: Clusters, given: StringLists, told: Sequence[int], key: str) -> None:
    """Refuse lines that do not give a string for each mention of each cluster."""
    here = np.isin(clusters.document, told)
    if np.array_equal(given.lengths, clusters.sizes[here]):
        return
    bounds = offsets_of(given.counts).tolist()
    for number, document in enumerate(told):
        sizes = clusters.sizes[clusters.document == document]
        if not np.array_equal(given.lengths[bounds[number] : bounds[number + 1]], sizes):
            clusters.records[document].refuse(
                f"{key} does not have one string per mention of {clusters.key}",
                f"Leave out {key}, or give it as the tool writes it.",
            )


def _without(column: Strings, unsaid: bytes) -> Strings:
    kept = column.data != unsaid[0]
    for sign in unsaid[1:]:
        kept &= column.data != sign
    if kept.all():
        return column
    return Strings(column.data[kept], offsets_of(kept.astype(np.int64))[column.offsets])
