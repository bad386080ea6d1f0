"""The contingency table of key and response entities, from which all metrics are counted.

The whole corpus is one table: metrics compute with columns, and sum them per document.
:class:`Table` has the entities of both sides and their intersections; :class:`MentionTable` adds
the mentions.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from corefine.corpus.arrays import BoolArray, FloatArray, IntArray, counted
from corefine.corpus.columns import Kind
from corefine.corpus.values import column_of, distinct, document_ids
from corefine.errors import UsageError
from corefine.matching.matching import Matching

if TYPE_CHECKING:
    from corefine.corpus.expression import Expression

Result = TypeVar("Result")
Labels = NDArray[np.uint8]


@dataclass(frozen=True, eq=False, repr=False)
class EntityColumns:
    """The entities of one side: document and number of mentions."""

    document: IntArray
    size: IntArray
    source: IntArray
    """The number of the entity in its corpus; -1 for entities that scoring added."""

    def __len__(self) -> int:
        return len(self.size)


@dataclass(frozen=True, eq=False, repr=False)
class Cells:
    """Non-empty intersections of key and response entities, sorted by key and response entity.

    ``count`` is the number of shared mentions.
    """

    key: IntArray
    response: IntArray
    count: IntArray
    document: IntArray

    def __len__(self) -> int:
        return len(self.count)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LabelCounts:
    """Numbers of mentions by label (row) and cell or entity (column)."""

    cells: IntArray
    key: IntArray
    response: IntArray
    response_only: IntArray
    """Mentions of response entities that are not in the key."""


class Contributions(NamedTuple):
    """The numerators of precision and recall by cell, and the denominators by entity."""

    precision: np.ndarray
    recall: np.ndarray
    response: np.ndarray
    key: np.ndarray


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """Entities of key and response, and their intersections.

    >>> from corefine import score_table
    >>> score_table(Table.from_counts(["a", "a", "b"], ["x", "y", "y"], [2, 1, 3]), "lea")["lea"].f1
    0.6666666666666666
    """

    documents: tuple[str, ...]
    key: EntityColumns
    response: EntityColumns
    cells: Cells
    _results: dict[Hashable, Any] = field(default_factory=dict, init=False)

    @classmethod
    def from_counts(cls, key: Any, response: Any, count: Any, document: Any = None) -> Table:
        """The table of columns: numbers of mentions by key entity and response entity.

        An entity that is missing (None, NaN or an empty string) means mentions of the other side
        only. Without ``document`` all rows are one document. Equal rows are added up.

        >>> table = Table.from_counts(["a", "a"], ["x", None], [2, 1])
        >>> table.key.size, table.response.size
        (array([3]), array([2]))
        """
        counts = np.asarray(column_of(count, "count"))
        if counts.dtype.kind not in "iu" or not len(counts) or counts.min() < 1:
            raise UsageError("counts must be whole numbers from 1", remedy="Drop rows of 0.")
        counts = counts.astype(np.int64)
        names: tuple[str, ...] = ("",)
        documents = np.zeros(len(counts), np.int64)
        if document is not None:
            values, documents = distinct(column_of(document, "document"))
            names = document_ids(values)
        sides = []
        for what, column in (("key", key), ("response", response)):
            if len(column) != len(counts) or len(documents) != len(counts):
                raise UsageError(f"{what}, count and document have different numbers of rows")
            sides.append(_entities_of(column, documents, counts, what))
        (ours, key_entity), (theirs, response_entity) = sides
        if ((key_entity < 0) & (response_entity < 0)).any():
            raise UsageError("a row has neither a key entity nor a response entity")
        cells = cells_of(ours, theirs, key_entity, response_entity, counts)
        return cls(names, ours, theirs, cells)

    def shared(self, name: Hashable, compute: Callable[[], Result]) -> Result:
        """An intermediate result that several metrics use, computed once."""
        if name not in self._results:
            self._results[name] = compute()
        result: Result = self._results[name]
        return result

    @cached_property
    def key_matched(self) -> NDArray[Any]:
        """The number of matched mentions of each key entity."""
        return sums_by(self.cells.key, self.cells.count, len(self.key))

    @cached_property
    def response_matched(self) -> NDArray[Any]:
        """The number of matched mentions of each response entity."""
        return sums_by(self.cells.response, self.cells.count, len(self.response))

    def per_document(self, document: IntArray, values: NDArray[np.generic]) -> FloatArray:
        """Sums of values per document, identical to the bit for any order of the values."""
        count = len(self.documents)
        if _are_integers(values):
            if count == 1:
                return np.array([float(values.sum())])
            sums = np.bincount(document, values, minlength=count)
            return sums.astype(np.float64, copy=False)
        return exact_sums(document, values.astype(np.float64, copy=False), count)

    def summed(self, parts: Contributions) -> dict[str, FloatArray]:
        """The parts and wholes of precision and recall, summed per document."""
        precision = self.per_document(self.cells.document, parts.precision)
        return {
            "precision_part": precision,
            "precision_whole": self.per_document(self.response.document, parts.response),
            "recall_part": precision
            if parts.recall is parts.precision
            else self.per_document(self.cells.document, parts.recall),
            "recall_whole": self.per_document(self.key.document, parts.key),
        }


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class MentionTable(Table):
    """A table with its mentions: one row per distinct mention of either side."""

    document: IntArray
    key_entity: IntArray
    """The key entity of each row, -1 if it is not in the key."""
    response_entity: IntArray
    matching: Matching
    """The matched corpora."""
    kinds: Labels
    """The mention kind of each row."""
    origin: IntArray | None = None
    """The document of each row, if ``document`` is a group of documents or a window."""
    type: IntArray | None = None
    """The semantic type of each row as an index of ``types``, -1 if unknown."""
    types: tuple[str, ...] = ()

    @classmethod
    def of(cls, matching: Matching) -> MentionTable:
        """The table of two matched corpora."""
        key, response = matching.key, matching.response
        documents, origin = key.documents, None
        owners = [key.entities.document, response.entities.document]
        document = matching.by_row(key.mentions.document, response.mentions.document)
        if matching.grouping is not None:
            documents, group = matching.grouping.names, matching.grouping.of_document
            owners = [group[owner] for owner in owners]
            document, origin = group[document], document
        elif matching.windows is not None:
            windows = matching.windows
            documents, origin = windows.names, document
            owners = [windows.of_entities(corpus) for corpus in (key, response)]
            document = matching.by_row(windows.of_mentions(key), windows.of_mentions(response))
        key_side, key_number = side_of(owners[0], key.mentions.entity)
        response_side, response_number = side_of(owners[1], response.mentions.entity)
        key_entity = np.append(key_number, -1)[matching.key_mention]
        response_entity = np.append(response_number, -1)[matching.response_mention]
        types, type_names = _types(matching)
        return cls(
            documents,
            key_side,
            response_side,
            cells_of(key_side, response_side, key_entity, response_entity),
            document=document,
            key_entity=key_entity,
            response_entity=response_entity,
            matching=matching,
            kinds=_kinds(matching),
            origin=origin,
            type=types,
            types=type_names,
        )

    @cached_property
    def cell(self) -> IntArray:
        """The cell of each row, -1 if it is on one side only."""
        cells, width = self.cells, max(len(self.response), 1)
        shared = (self.key_entity >= 0) & (self.response_entity >= 0)
        codes = self.key_entity * width + self.response_entity
        place = np.searchsorted(cells.key * width + cells.response, codes)
        return np.where(shared, place, -1)

    def count_labels(self, labels: Labels, count: int) -> LabelCounts:
        """Numbers of mentions by label, for labels of rows below ``count``."""

        def by(group: IntArray, groups: int) -> IntArray:
            """Numbers of mentions by label and group; rows of no group (-1) do not count."""
            codes = labels * np.int64(groups + 1) + group + 1
            table = np.bincount(codes, minlength=count * (groups + 1))
            return table.reshape(count, groups + 1)[:, 1:]

        def compute() -> LabelCounts:
            only = np.where(self.key_entity < 0, self.response_entity, -1)
            return LabelCounts(
                by(self.cell, len(self.cells)),
                by(self.key_entity, len(self.key)),
                by(self.response_entity, len(self.response)),
                by(only, len(self.response)),
            )

        return self.shared("kinds", compute) if labels is self.kinds else compute()

    def restricted(self, rows: BoolArray) -> MentionTable:
        """The table with the mentions of these rows only, and all documents."""
        return MentionTable.of(self.matching.without(~rows))

    @cached_property
    def order(self) -> IntArray:
        """The position of each row in text order.

        Mentions without positions are in the order of the input: key, then response.
        """
        matching = self.matching
        position = np.empty(len(self.document), np.int64)
        document = self.document if self.origin is None else self.origin
        if not (matching.key.has_places and matching.response.has_places):
            position[np.argsort(document, kind="stable")] = np.arange(len(position))
            return position
        key, response = matching.key.mentions, matching.response.mentions
        start = matching.by_row(key.start, response.start)
        stop = matching.by_row(key.stop, response.stop)
        position[np.lexsort((stop, start, document))] = np.arange(len(position))
        return position

    @cached_property
    def in_text_order(self) -> MentionTable:
        """The table with entities numbered by their first mention in the text.

        Equally good alignments of entities are then chosen independently of the order in which
        files list entities. Mentions without a position are ordered by name.
        """
        matching = self.matching
        position = self.order
        if not (matching.key.has_places and matching.response.has_places):
            ours, theirs = (
                np.array([repr(side.mention_id(row)) for row in range(len(side.mentions))], str)
                for side in (matching.key, matching.response)
            )
            position = np.argsort(np.argsort(matching.by_row(ours, theirs), kind="stable"))
        key, key_entity = _renumbered(self.key, self.key_entity, position)
        response, response_entity = _renumbered(self.response, self.response_entity, position)
        return replace(
            self,
            key=key,
            response=response,
            cells=cells_of(key, response, key_entity, response_entity),
            key_entity=key_entity,
            response_entity=response_entity,
        )

    def expression(self, row: int) -> Expression:
        """The mention of a row as an expression, for functions of the user."""
        from corefine.corpus.expression import expression_at

        ours, theirs = int(self.matching.key_mention[row]), int(self.matching.response_mention[row])
        kind = int(self.kinds[row])
        if ours >= 0:
            return expression_at(self.matching.key, ours, kind)
        return expression_at(self.matching.response, theirs, kind)


def pairs(count: np.ndarray) -> FloatArray:
    """The number of pairs of ``count`` things."""
    number = np.asarray(count, np.float64)
    return number * (number - 1) / 2


def links_of(size: np.ndarray) -> FloatArray:
    """The number of links of entities; a singleton has one, to itself."""
    return np.maximum(pairs(size), 1)


def shared_links(table: Table) -> FloatArray:
    """The common links of each cell; a singleton's is shared with the same singleton only."""
    cells = table.cells
    alone = (table.key.size[cells.key] == 1) & (table.response.size[cells.response] == 1)
    links: FloatArray = pairs(cells.count) + alone
    return links


def without_cells(table: Table, dropped: BoolArray) -> Table:
    """The table without these cells."""
    cells = table.cells
    columns = (cells.key, cells.response, cells.count, cells.document)
    kept = Cells(*(column[~dropped] for column in columns))
    return Table(table.documents, table.key, table.response, kept)


def _are_integers(values: NDArray[np.generic]) -> bool:
    """True if all values are integers, whose floating-point sum is exact in any order."""
    if values.dtype.kind in "bui":
        return True
    floats = values.astype(np.float64, copy=False)
    return bool((floats == np.rint(floats)).all())


def exact_sums(owner: IntArray, values: FloatArray, owners: int) -> FloatArray:
    """Sums by owner in fixed-point arithmetic, independent of the order of the values.

    The values of each owner are scaled by a power of two so that their sum fits into 62 bits.
    """
    largest = np.zeros(owners)
    np.maximum.at(largest, owner, np.abs(values))
    bound = largest * np.bincount(owner, minlength=owners)
    if not np.isfinite(bound).all():
        return np.bincount(owner, values, minlength=owners).astype(np.float64)
    shift = 62 - np.frexp(bound)[1]
    scaled = np.rint(np.ldexp(values, shift[owner])).astype(np.int64)
    sums = np.zeros(owners, np.int64)
    np.add.at(sums, owner, scaled)
    return np.asarray(np.ldexp(sums.astype(np.float64), -shift), np.float64)


def sums_by(group: IntArray, values: NDArray[Any], groups: int) -> NDArray[Any]:
    """Sums of values by group, of the type of the values; rows of no group (-1) do not count.

    Split antecedents are counted in fractions, so counts may be fractional.
    """
    sums = np.bincount(group + 1, values, minlength=groups + 1)[1:]
    return sums.astype(values.dtype)


def side_of(entity_document: IntArray, entity: IntArray) -> tuple[EntityColumns, IntArray]:
    """The entities with mentions, and the new number of each mention's entity."""
    size = np.bincount(entity, minlength=len(entity_document))
    present = size > 0
    if present.all():
        return EntityColumns(entity_document, size, np.arange(len(size))), entity
    number = np.cumsum(present) - 1
    source = np.flatnonzero(present)
    return EntityColumns(entity_document[source], size[source], source), number[entity]


def _is_missing(value: Any) -> bool:
    """True for None, NaN, pandas.NA and an empty string."""
    if value is None or type(value).__name__ == "NAType":
        return True
    return bool(value == "" or value != value)


def _entities_of(
    column: Any, documents: IntArray, counts: IntArray, what: str
) -> tuple[EntityColumns, IntArray]:
    """The entities of a column of counts, and the entity of each row (-1: none)."""
    listed = column.tolist() if hasattr(column, "tolist") else list(column)
    given = np.array([not _is_missing(one) for one in listed], bool)
    values = column_of([one for one in listed if not _is_missing(one)], what)
    labels, codes = distinct(values)
    pairs, entity = np.unique(documents[given] * len(labels) + codes, return_inverse=True)
    rows = np.full(len(listed), -1)
    rows[given] = entity
    size = np.bincount(entity, counts[given], len(pairs)).astype(np.int64)
    return EntityColumns(pairs // len(labels), size, np.arange(len(pairs))), rows


def _renumbered(
    side: EntityColumns, entity: IntArray, position: IntArray
) -> tuple[EntityColumns, IntArray]:
    """Entities in the order of their first row, and the new entity of each row."""
    rows = np.flatnonzero(entity >= 0)
    first = np.full(len(side), len(entity))
    np.minimum.at(first, entity[rows], position[rows])
    order = np.lexsort((first, side.document))
    rank = np.empty(len(side) + 1, np.int64)
    rank[order], rank[-1] = np.arange(len(side)), -1
    columns = EntityColumns(side.document[order], side.size[order], side.source[order])
    return columns, rank[entity]


def cells_of(
    key: EntityColumns,
    response: EntityColumns,
    key_entity: IntArray,
    response_entity: IntArray,
    mentions: IntArray | None = None,
) -> Cells:
    """Count the cells of rows; ``mentions`` are the mentions of each row, by default one."""
    shared = (key_entity >= 0) & (response_entity >= 0)
    width = max(len(response), 1)
    codes = key_entity[shared] * width + response_entity[shared]
    if mentions is None:
        codes, count = counted(codes)
    else:
        codes, place = np.unique(codes, return_inverse=True)
        count = np.bincount(place, mentions[shared], len(codes)).astype(np.int64)
    rows, columns = np.divmod(codes, width)
    return Cells(rows, columns, count, key.document[rows])


def _kinds(matching: Matching) -> Labels:
    """The mention kind of each row."""
    if matching.key.mentions.kind is None and matching.response.mentions.kind is None:
        return np.full(len(matching.key_mention), Kind.UNKNOWN, np.uint8)
    ours, theirs = (
        np.full(len(mentions), Kind.UNKNOWN, np.uint8) if mentions.kind is None else mentions.kind
        for mentions in (matching.key.mentions, matching.response.mentions)
    )
    return matching.by_row(ours, theirs)


def _types(matching: Matching) -> tuple[IntArray | None, tuple[str, ...]]:
    """The semantic type of each row, and the names of the types."""
    if matching.key.mentions.type is None and matching.response.mentions.type is None:
        return None, ()
    names = tuple(dict.fromkeys([*matching.key.types, *matching.response.types]))
    columns = []
    for corpus in (matching.key, matching.response):
        number = np.array([*map(names.index, corpus.types), -1], np.int64)
        own = corpus.mentions.type
        columns.append(number[np.full(len(corpus.mentions), -1) if own is None else own])
    return matching.by_row(*columns), names
