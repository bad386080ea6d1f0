"""Table: which key entity shares how many mentions with which response entity, by document.

Everything that a metric counts it counts from here. The whole corpus is one table: a column for
each thing, a number for each document, and no loop over documents, entities or mentions.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from corefine.corpus.arrays import BoolArray, FloatArray, IntArray, counted, numbered
from corefine.corpus.columns import Kind
from corefine.matching.matched import Matched
from corefine.matching.twinless import cai_strube
from corefine.metrics.label_counts import LabelCounts, LabelledCells, by_entity

if TYPE_CHECKING:
    from corefine.corpus.expression import Expression

Result = TypeVar("Result")


@dataclass(frozen=True, eq=False, repr=False)
class EntityColumns:
    """The entities of one side: their document and how many mentions they have."""

    document: IntArray
    size: IntArray
    source: IntArray
    """Which entity of the corpus each one is; -1 for one that scoring added."""

    def __len__(self) -> int:
        return len(self.size)


@dataclass(frozen=True, eq=False, repr=False)
class Cells:
    """The non-empty intersections: key entity, response entity, shared mentions, document.

    They are ordered by key entity, then by response entity.
    """

    key: IntArray
    response: IntArray
    count: IntArray
    document: IntArray

    def __len__(self) -> int:
        return len(self.count)


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """Key and response as one contingency table.

    ``key_entity`` and ``response_entity`` have a row for each distinct mention (-1: not on that
    side); they index ``key`` and ``response``. ``matched`` leads back to the corpora.
    """

    documents: tuple[str, ...]
    key: EntityColumns
    response: EntityColumns
    document: IntArray
    key_entity: IntArray
    response_entity: IntArray
    kind: NDArray[np.uint8] | None = None
    matched: Matched | None = None
    origin: IntArray | None = None
    """The document in which each mention stands, where ``document`` is a group or a window."""
    type: IntArray | None = None
    """The semantic type of each row, as an index of ``types``; -1 where there is none."""
    types: tuple[str, ...] = ()

    @classmethod
    def of(cls, matched: Matched) -> Table:
        """The table of two matched corpora, whose twinless mentions are treated already."""
        key, response = matched.key.mentions, matched.response.mentions
        ours, theirs = matched.key_mention, matched.response_mention
        both = len(key)  # the rows of the key come first, in order
        documents, origin = matched.key.documents, None
        key_owner, response_owner = (
            corpus.entities.document for corpus in (matched.key, matched.response)
        )
        document = np.concatenate([key.document, response.document[theirs[both:]]])
        if matched.grouping is not None:
            documents, group = matched.grouping.names, matched.grouping.of_document
            key_owner, response_owner = group[key_owner], group[response_owner]
            document, origin = group[document], document
        elif matched.windows is not None:
            windows = matched.windows
            key_owner, response_owner = map(windows.of_entities, (matched.key, matched.response))
            ours_at, theirs_at = map(windows.of_mentions, (matched.key, matched.response))
            documents, origin = windows.names, document
            document = np.concatenate([ours_at, theirs_at[theirs[both:]]])
        key_side, key_number = _side(key_owner, key.entity)
        response_side, response_number = _side(response_owner, response.entity)
        return cls(
            documents,
            key_side,
            response_side,
            document,
            np.concatenate([key_number, np.full(len(ours) - both, -1)]),
            np.where(theirs >= 0, response_number[theirs], -1)
            if len(response_number)
            else np.full(len(theirs), -1),
            _kinds(matched),
            matched,
            origin,
            *_types(matched),
        )

    @classmethod
    def from_cells(
        cls,
        documents: tuple[str, ...],
        key: EntityColumns,
        response: EntityColumns,
        cells: Cells,
        within_links: tuple[FloatArray, ...] | None = None,
    ) -> Table:
        """A table of which only the cells are known: for metrics that look at no single mention.

        ``within_links`` are what the property of this name gives.
        """
        nothing = np.zeros(0, np.int64)
        table = cls(documents, key, response, nothing, nothing, nothing)
        # A cached property is what stands in the instance under its name.
        document = key.document[cells.key]
        table.__dict__["cells"] = Cells(cells.key, cells.response, cells.count, document)
        table.__dict__["within_links"] = within_links
        return table

    @property
    def split_antecedents(self) -> str:
        """How split antecedents are counted: ``ignore``, ``score`` or ``only``."""
        return "ignore" if self.matched is None else self.matched.split_antecedents

    @cached_property
    def within_links(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Coreferent links whose mentions stand in one document: of both sides, response, key."""
        both = np.where(
            (self.key_entity >= 0) & (self.response_entity >= 0),
            self.key_entity * max(len(self.response), 1) + self.response_entity,
            -1,
        )
        return (
            self._links_within(both),
            self._links_within(self.response_entity),
            self._links_within(self.key_entity),
        )

    def _links_within(self, group: IntArray) -> FloatArray:
        """The pairs of rows of the same group (-1 is none) and the same document."""
        rows = np.flatnonzero(group >= 0)
        origin = self.document if self.origin is None else self.origin
        first, part = numbered(group[rows] * (int(origin.max(initial=0)) + 1) + origin[rows])
        size = np.bincount(part)
        return self.per_document(self.document[rows][first], size * (size - 1) // 2)

    @cached_property
    def cells(self) -> Cells:
        width = max(len(self.response), 1)
        if "_cells_by_kind" in self.__dict__:
            # The mentions are sorted by cell already.
            codes = self._cells_by_kind.codes
            count = self._cells_by_kind.counts.sum(axis=0)
        else:
            ours, theirs = self.key_entity, self.response_entity
            shared = (ours >= 0) & (theirs >= 0)
            if not shared.all():
                ours, theirs = ours[shared], theirs[shared]
            codes = ours * width
            codes += theirs
            codes, count = counted(codes)
        key, response = np.divmod(codes, width)
        return Cells(key, response, count, self.key.document[key])

    @cached_property
    def _cells_by_kind(self) -> LabelledCells:
        return self._labelled_cells(self.kinds, len(Kind))

    @cached_property
    def kind_counts(self) -> LabelCounts:
        """Mentions by kind, a row for each of :class:`~corefine.corpus.corpus.Kind`."""
        if self.kinds.any():
            return self._with_entities(self._cells_by_kind, self.kinds, len(Kind))
        # Where no kind is known there is nothing to tell apart.
        response = self.response.size
        return LabelCounts(
            *(
                _in_first_row(counts, len(Kind))
                for counts in (
                    self.cells.count,
                    self.key.size,
                    response,
                    response - self.response_matched,
                )
            )
        )

    @cached_property
    def kinds(self) -> NDArray[np.uint8]:
        """The kind of each row; all are unknown where nothing tells it."""
        return np.zeros(len(self.document), np.uint8) if self.kind is None else self.kind

    def count_labels(self, labels: NDArray[np.uint8], count: int) -> LabelCounts:
        """Mentions by any label below ``count``, given for each row."""
        return self._with_entities(self._labelled_cells(labels, count), labels, count)

    def _labelled_cells(self, labels: NDArray[np.uint8], count: int) -> LabelledCells:
        both = np.flatnonzero((self.key_entity >= 0) & (self.response_entity >= 0))
        key, response = self.key_entity[both], self.response_entity[both]
        return LabelledCells.of(labels[both], count, key, response, max(len(self.response), 1))

    def _with_entities(
        self, cells: LabelledCells, labels: NDArray[np.uint8], count: int
    ) -> LabelCounts:
        alone = np.flatnonzero(self.key_entity < 0)
        entities = len(self.response)
        return LabelCounts(
            cells.counts,
            by_entity(labels, count, self.key_entity, len(self.key)),
            by_entity(labels, count, self.response_entity, entities),
            by_entity(labels[alone], count, self.response_entity[alone], entities),
        )

    @cached_property
    def _results(self) -> dict[Hashable, Any]:
        return {}

    def shared(self, name: Hashable, compute: Callable[[], Result]) -> Result:
        """What several metrics use, computed for the first of them that asks."""
        if name not in self._results:
            self._results[name] = compute()
        result: Result = self._results[name]
        return result

    @cached_property
    def key_matched(self) -> IntArray:
        """For each key entity, how many of its mentions the response has as well."""
        return _sum(self.cells.key, self.cells.count, len(self.key))

    @cached_property
    def response_matched(self) -> IntArray:
        """For each response entity, how many of its mentions the key has as well."""
        return _sum(self.cells.response, self.cells.count, len(self.response))

    def restricted(self, rows: BoolArray) -> Table:
        """The table of only these mentions, on both sides; the documents stay."""
        if self.matched is None:
            raise ValueError("this table does not know its mentions")
        return Table.of(self.matched.without(~rows))

    @cached_property
    def order(self) -> IntArray:
        """The place of each row in the order of the text.

        Mentions that are only names come as they were given: those of the key, then the others.
        """
        if self.matched is None:
            raise ValueError("this table does not know its mentions")
        place = np.empty(len(self.document), np.int64)
        document = self.document if self.origin is None else self.origin
        if not (self.matched.key.has_places and self.matched.response.has_places):
            place[np.argsort(document, kind="stable")] = np.arange(len(place))
            return place
        ours, theirs = self.matched.key_mention, self.matched.response_mention
        key, response = self.matched.key.mentions, self.matched.response.mentions
        rows = len(key)
        start = np.concatenate([key.start[ours[:rows]], response.start[theirs[rows:]]])
        stop = np.concatenate([key.stop[ours[:rows]], response.stop[theirs[rows:]]])
        place[np.lexsort((stop, start, document))] = np.arange(len(place))
        return place

    @cached_property
    def twinless_tables(self) -> tuple[Table, Table] | None:
        """The tables for precision and for recall, where Cai & Strube's rule makes two of one."""
        if self.matched is None or self.matched.twinless != "cai-strube":
            return None
        precision, recall = cai_strube(self.matched)
        return Table.of(precision), Table.of(recall)

    @cached_property
    def swapped(self) -> Table:
        """The same table with key and response in each other's place."""
        if len(self.document) == 0 and len(self.cells):
            return Table.from_cells(self.documents, self.response, self.key, _swapped(self.cells))
        return Table(
            self.documents,
            self.response,
            self.key,
            self.document,
            self.response_entity,
            self.key_entity,
            self.kind,
            origin=self.origin,
        )

    def expression(self, row: int) -> Expression:
        """The mention of a row as a function of the user sees it."""
        from corefine.corpus.expression import expression_at

        if self.matched is None:
            raise ValueError("this table does not know its mentions")
        ours, theirs = int(self.matched.key_mention[row]), int(self.matched.response_mention[row])
        kind = int(self.kinds[row])
        if ours >= 0:
            return expression_at(self.matched.key, ours, kind)
        return expression_at(self.matched.response, theirs, kind)

    def per_document(self, document: IntArray, values: NDArray[np.generic]) -> FloatArray:
        """Sums of the values by document, the same bits in whatever order the values come."""
        count = len(self.documents)
        if _whole(values):
            if count == 1:
                # Whole numbers add up to the same in any order: one document needs no counting.
                return np.array([float(values.sum())])
            sums = np.bincount(document, values, minlength=count)
            return sums.astype(np.float64, copy=False)
        return exact_sums(document, values.astype(np.float64, copy=False), count)


def _whole(values: NDArray[np.generic]) -> bool:
    """Whether all values are whole numbers, which floats add up exactly in any order."""
    if values.dtype.kind in "bui":
        return True
    floats = values.astype(np.float64, copy=False)
    few = floats[:64]  # which tell it nearly always
    return bool((few == np.rint(few)).all() and (floats == np.rint(floats)).all())


def exact_sums(owner: IntArray, values: FloatArray, owners: int) -> FloatArray:
    """Sums by owner in fixed point: whole numbers add up to the same in any order.

    Each owner's values are scaled by a power of two so that their sum just fits 62 bits.
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


def _swapped(cells: Cells) -> Cells:
    order = np.lexsort((cells.key, cells.response))
    return Cells(cells.response[order], cells.key[order], cells.count[order], cells.document[order])


def _sum(index: IntArray, values: IntArray, length: int) -> IntArray:
    return np.bincount(index, values, minlength=length).astype(np.int64)


def _in_first_row(counts: IntArray, rows: int) -> IntArray:
    table = np.zeros((rows, len(counts)), np.int64)
    table[0] = counts
    return table


def _side(entity_document: IntArray, entity: IntArray) -> tuple[EntityColumns, IntArray]:
    """The entities that have mentions, and each mention's entity by its new number."""
    size = np.bincount(entity, minlength=len(entity_document))
    present = size > 0
    if present.all():
        return EntityColumns(entity_document, size, np.arange(len(size))), entity
    number = np.cumsum(present) - 1
    source = np.flatnonzero(present)
    return EntityColumns(entity_document[source], size[source], source), number[entity]


def _kinds(matched: Matched) -> NDArray[np.uint8] | None:
    """The kind of each row: the key's, and the response's for mentions that only it has."""
    ours, theirs = matched.key.mentions.kind, matched.response.mentions.kind
    if ours is None and theirs is None:
        return None
    kind = np.full(len(matched.key_mention), Kind.UNKNOWN, np.uint8)
    rows = len(matched.key.mentions)
    if ours is not None:
        kind[:rows] = ours
    if theirs is not None:
        kind[rows:] = theirs[matched.response_mention[rows:]]
    return kind


def _types(matched: Matched) -> tuple[IntArray | None, tuple[str, ...]]:
    """The semantic type of each row: the key's, and the response's for what only it has."""
    ours, theirs = matched.key.mentions.type, matched.response.mentions.type
    if ours is None and theirs is None:
        return None, ()
    names = tuple(dict.fromkeys([*matched.key.types, *matched.response.types]))
    types = np.full(len(matched.key_mention), -1)
    rows = len(matched.key.mentions)
    if ours is not None:
        types[:rows] = ours
    if theirs is not None:
        number = {name: place for place, name in enumerate(names)}
        renamed = np.array([*(number[name] for name in matched.response.types), -1], np.int64)
        types[rows:] = renamed[theirs[matched.response_mention[rows:]]]
    return types, names
