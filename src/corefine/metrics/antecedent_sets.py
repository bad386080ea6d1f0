"""Antecedent sets: the entities that an entity is made of ("they" is Anna and Ben), in pairs.

An element that is made of others itself is resolved into its elements. On one side, entities with
the same set are one entity. Pairs of a key set and a response set are documents of a table of their
own, so that any metric can score a set against another by their elements.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from corefine.corpus.arrays import IntArray
from corefine.corpus.corpus import Corpus
from corefine.metrics.table import Cells, EntityColumns, Table


class AntecedentSet(NamedTuple):
    """The split antecedent of an entity: the entities, by their numbers in the table, it is of."""

    document: int
    owner: int
    elements: tuple[int, ...]


@dataclass(frozen=True, eq=False, repr=False)
class SideSets:
    """The sets of one side, and which entities they make one."""

    sets: list[AntecedentSet]
    joined: dict[int, int]
    """Entities whose set another entity has already, and that entity."""


@dataclass(frozen=True, eq=False, repr=False)
class SetPairs:
    """All sets of both sides, and a table of which every document is a pair of sets.

    The documents are the pairs that share a mention, then every key set, then every response set.
    """

    key: SideSets
    response: SideSets
    pairs: list[tuple[int, int]]
    table: Table

    @property
    def key_alone(self) -> slice:
        """The documents that are a key set and nothing else."""
        return slice(len(self.pairs), len(self.pairs) + len(self.key.sets))

    @property
    def response_alone(self) -> slice:
        """The documents that are a response set and nothing else."""
        return slice(len(self.pairs) + len(self.key.sets), None)

    @property
    def documents(self) -> IntArray:
        """The documents of the corpus that have sets."""
        found = {one.document for one in (*self.key.sets, *self.response.sets)}
        return np.array(sorted(found), np.int64)


def set_pairs(table: Table) -> SetPairs | None:
    """The sets of a table's two sides; None where neither has any."""
    return table.shared("split antecedents", lambda: _set_pairs(table))


def _set_pairs(table: Table) -> SetPairs | None:
    if table.matched is None:
        return None
    key = _sets_of(table.matched.key, table.key)
    response = _sets_of(table.matched.response, table.response)
    if not key.sets and not response.sets:
        return None
    return _paired(table, key, response)


def _sets_of(corpus: Corpus, side: EntityColumns) -> SideSets:
    """The sets of a corpus, in the order of the entities that have them."""
    relations = [relation for relation in corpus.relations if relation.kind == "split"]
    if not relations or corpus.entities.names is None:
        return SideSets([], {})
    concerned = {relation.document for relation in relations}
    number: dict[tuple[int, str], int] = {}
    for row in np.flatnonzero(np.isin(side.document, list(concerned))).tolist():
        name = corpus.entities.names[int(side.source[row])]
        number.setdefault((int(side.document[row]), name), row)
    made_of: dict[int, dict[int, None]] = defaultdict(dict)
    for relation in relations:
        whole = number.get((relation.document, relation.source))
        element = number.get((relation.document, relation.target))
        if whole is not None and element is not None:
            made_of[whole][element] = None
    sets: list[AntecedentSet] = []
    joined: dict[int, int] = {}
    owners: dict[tuple[int, ...], int] = {}
    for owner in sorted(made_of):
        elements = _elements(owner, made_of)
        if not elements:
            continue  # a circle: nothing in it is not made of others
        if elements in owners:
            joined[owner] = owners[elements]
        else:
            owners[elements] = owner
            sets.append(AntecedentSet(int(side.document[owner]), owner, elements))
    return SideSets(sets, joined)


def _elements(owner: int, made_of: dict[int, dict[int, None]]) -> tuple[int, ...]:
    """What an entity is made of in the end: entities that are not made of others."""
    seen, waiting, found = {owner}, list(made_of[owner]), set()
    while waiting:
        one = waiting.pop()
        if one in seen:
            continue
        seen.add(one)
        if one in made_of:
            waiting.extend(made_of[one])
        else:
            found.add(one)
    return tuple(sorted(found))


def _paired(table: Table, key: SideSets, response: SideSets) -> SetPairs:
    """The sets that share a mention, and the table in which each pair is a document."""
    cells = table.cells
    held_by = {side: _holders(sets) for side, sets in (("key", key), ("response", response))}
    within = np.isin(cells.key, list(held_by["key"])) & np.isin(
        cells.response, list(held_by["response"])
    )
    shared: dict[tuple[int, int], list[tuple[int, int, int]]] = defaultdict(list)
    for row in np.flatnonzero(within).tolist():
        ours, theirs = int(cells.key[row]), int(cells.response[row])
        for i in held_by["key"][ours]:
            for j in held_by["response"][theirs]:
                shared[i, j].append((ours, theirs, int(cells.count[row])))
    found = sorted(shared)
    nothing: tuple[int, ...] = ()
    documents = [
        *((key.sets[i].elements, response.sets[j].elements, shared[i, j]) for i, j in found),
        *((one.elements, nothing, []) for one in key.sets),
        *((nothing, one.elements, []) for one in response.sets),
    ]
    return SetPairs(key, response, found, _table_of(table, documents))


def _holders(side: SideSets) -> dict[int, list[int]]:
    """For each entity the sets that it is an element of."""
    holders: dict[int, list[int]] = defaultdict(list)
    for place, one in enumerate(side.sets):
        for element in one.elements:
            holders[element].append(place)
    return holders


def _table_of(
    table: Table,
    documents: Iterable[tuple[tuple[int, ...], tuple[int, ...], list[tuple[int, int, int]]]],
) -> Table:
    """A table of documents that are some entities of each side of another table."""
    sides: tuple[list[int], list[int]] = ([], [])
    owners: tuple[list[int], list[int]] = ([], [])
    rows: list[tuple[int, int, int]] = []
    count = 0
    for ours, theirs, shared in documents:
        places = []
        for entities, side, owner in zip((ours, theirs), sides, owners, strict=True):
            places.append({entity: len(side) + place for place, entity in enumerate(entities)})
            side += entities
            owner += [count] * len(entities)
        rows += [(places[0][k], places[1][r], n) for k, r, n in sorted(shared)]
        count += 1
    key, response = (
        EntityColumns(np.array(owner, np.int64), size[source], source)
        for owner, size, source in zip(
            owners,
            (table.key.size, table.response.size),
            (np.array(side, np.int64) for side in sides),
            strict=True,
        )
    )
    columns = np.array(rows, np.int64).reshape(-1, 3).T
    cells = Cells(columns[0], columns[1], columns[2], key.document[columns[0]])
    names = tuple(map(str, range(count)))
    return Table.from_cells(names, key, response, cells)
