"""Split antecedents: entities made of other entities ("they" is Anna and Ben).

An entity with split antecedents has one more mention, which represents the set of its elements (an
element that is itself made of others is replaced by its elements). On one side, entities with the
same set are one entity. A pair of a key set and a response set is scored by the metric itself, on
their elements; sets are aligned one to one so that the sum of these F1 is largest. The metric then
counts the document with the aligned sets as partly shared mentions (Yu et al. 2022; Paun et al.
2023, the Universal Anaphora scorer).

Pairs of sets are documents of a table of their own, and a document with sets is a table whose cells
hold fractions of mentions.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from corefine.corpus.arrays import BoolArray, FloatArray, IntArray, offsets_of
from corefine.corpus.corpus import Corpus
from corefine.metrics.base import Metric, Statistics
from corefine.metrics.table import Cells, EntityColumns, MentionTable, Table


class AntecedentSet(NamedTuple):
    """The split antecedent of an entity: the numbers of its elements in the table."""

    document: int
    owner: int
    elements: tuple[int, ...]


@dataclass(frozen=True, eq=False, repr=False)
class SideSets:
    """The sets of one side, and the entities that they join."""

    sets: list[AntecedentSet]
    joined: dict[int, int]
    """Entities with the set of an earlier entity, and that entity."""

    @property
    def document(self) -> IntArray:
        """The document of each set."""
        return np.array([one.document for one in self.sets], np.int64)

    @property
    def owner(self) -> IntArray:
        """The entity of each set."""
        return np.array([one.owner for one in self.sets], np.int64)


@dataclass(frozen=True, eq=False, repr=False)
class SetPairs:
    """All sets of both sides, and a table with a document per pair of sets.

    The documents are the pairs of a key set and a response set, then each key set, then each
    response set.
    """

    key: SideSets
    response: SideSets
    pairs: IntArray
    """The number of the key set and of the response set of each pair."""
    table: Table

    @property
    def key_alone(self) -> slice:
        """The documents of single key sets."""
        return slice(len(self.pairs), len(self.pairs) + len(self.key.sets))

    @property
    def response_alone(self) -> slice:
        """The documents of single response sets."""
        return slice(len(self.pairs) + len(self.key.sets), None)

    @property
    def documents(self) -> IntArray:
        """The documents of the corpus with sets."""
        return np.union1d(self.key.document, self.response.document)


def set_pairs(table: MentionTable) -> SetPairs | None:
    """The sets of both sides of a table; None if there are no sets."""
    return table.shared("split antecedents", lambda: _set_pairs(table))


def _set_pairs(table: MentionTable) -> SetPairs | None:
    key = _sets_of(table.matching.key, table.key)
    response = _sets_of(table.matching.response, table.response)
    if not key.sets and not response.sets:
        return None
    pairs = [
        (i, j)
        for document in np.union1d(key.document, response.document)
        for i in np.flatnonzero(key.document == document)
        for j in np.flatnonzero(response.document == document)
    ]
    documents = [
        *((key.sets[i].elements, response.sets[j].elements) for i, j in pairs),
        *((one.elements, ()) for one in key.sets),
        *(((), one.elements) for one in response.sets),
    ]
    numbers = np.array(pairs, np.int64).reshape(-1, 2)
    return SetPairs(key, response, numbers, _table_of(table, documents))


def _sets_of(corpus: Corpus, side: EntityColumns) -> SideSets:
    """The sets of a corpus, in the order of their entities."""
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
    sets: dict[tuple[int, ...], AntecedentSet] = {}
    joined: dict[int, int] = {}
    for owner in sorted(made_of):
        elements = _elements(owner, made_of)
        if elements in sets:
            joined[owner] = sets[elements].owner
        elif elements:  # else a cycle without any plain entity
            sets[elements] = AntecedentSet(int(side.document[owner]), owner, elements)
    return SideSets(list(sets.values()), joined)


def _elements(owner: int, made_of: dict[int, dict[int, None]]) -> tuple[int, ...]:
    """The elements of an entity that are not made of others."""
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


def _table_of(table: Table, documents: list[tuple[tuple[int, ...], tuple[int, ...]]]) -> Table:
    """A table with a document per group of key entities and response entities of another."""
    sides, starts = [], []
    for place, side in enumerate((table.key, table.response)):
        source = np.array([one for pair in documents for one in pair[place]], np.int64)
        lengths = np.array([len(pair[place]) for pair in documents], np.int64)
        owner = np.repeat(np.arange(len(documents)), lengths)
        sides.append(EntityColumns(owner, side.size[source], source))
        starts.append(offsets_of(lengths))
    cells = table.cells
    within = np.isin(cells.key, sides[0].source) & np.isin(cells.response, sides[1].source)
    columns = (column[within].tolist() for column in (cells.key, cells.response, cells.count))
    shared = {(key, response): count for key, response, count in zip(*columns, strict=True)}
    rows = [
        (starts[0][number] + i, starts[1][number] + j, shared[key, response], number)
        for number, (ours, theirs) in enumerate(documents)
        for i, key in enumerate(ours)
        for j, response in enumerate(theirs)
        if (key, response) in shared
    ]
    names = tuple(map(str, range(len(documents))))
    return Table(names, sides[0], sides[1], Cells(*np.array(rows, np.int64).reshape(-1, 4).T))


class SetScores(NamedTuple):
    """Precision, recall and F1 of each pair of sets, and the aligned pairs."""

    precision: FloatArray
    recall: FloatArray
    f1: FloatArray
    aligned: IntArray


def score_sets(metric: Metric, sets: SetPairs) -> dict[str, SetScores]:
    """The scores of pairs of sets by a metric, by part of the metric.

    Equal sets score 1 even if the metric finds no link in them.
    """
    same, result = _same(sets), {}
    for part, triple in metric.set_scores(metric.set_statistics(sets.table)).items():
        scores: Any = triple
        precision, recall, f1 = (np.where(same, 1.0, each[: len(same)]) for each in scores)
        result[part] = SetScores(precision, recall, f1, _aligned(sets, f1))
    return result


def _same(sets: SetPairs) -> BoolArray:
    """Mask of pairs of equal sets: the same entities with the same mentions."""
    table = sets.table
    cells, key, response = table.cells, table.key, table.response
    equal = (cells.count == key.size[cells.key]) & (cells.count == response.size[cells.response])
    count = len(table.documents)
    found = np.bincount(cells.document[equal], minlength=count)
    ours, theirs = (np.bincount(side.document, minlength=count) for side in (key, response))
    same: BoolArray = (found == ours) & (found == theirs)
    return same[: len(sets.pairs)]


def _aligned(sets: SetPairs, f1: FloatArray) -> IntArray:
    """The pairs of the one-to-one alignment with the largest sum of F1.

    Ties are broken by SciPy's solver with sets in the order of their entities, as in the Universal
    Anaphora scorer.
    """
    from scipy.optimize import linear_sum_assignment

    key, response = sets.key.document, sets.response.document
    chosen, start = [np.zeros(0, np.int64)], 0
    for document in sets.documents:
        shape = np.count_nonzero(key == document), np.count_nonzero(response == document)
        pairs = np.arange(start, start + shape[0] * shape[1]).reshape(shape)
        best = pairs[linear_sum_assignment(f1[pairs], maximize=True)]
        chosen.append(best[f1[best] > 0])
        start += pairs.size
    return np.concatenate(chosen)


def count_sets(metric: Metric, table: MentionTable, only: bool) -> Statistics:
    """The statistics per document with split antecedents, or of these ``only``."""
    sets = set_pairs(table)
    if only:
        return _count_only(metric, table, sets)
    statistics = metric.statistics(table)
    if sets is None:
        return statistics
    changed = metric.statistics_of_shared(SharedSets(table, sets, score_sets(metric, sets)))
    result = {}
    for name, values in statistics.items():
        result[name] = np.array(values, np.float64)
        result[name][sets.documents] = changed[name]
    return result


def _count_only(metric: Metric, table: MentionTable, sets: SetPairs | None) -> Statistics:
    """Numerators of the aligned pairs of sets, denominators of all sets, per document."""
    if sets is None:
        return {name: np.zeros(len(table.documents)) for name in metric.statistic_names}
    parts = score_sets(metric, sets)
    first = next(iter(parts.values()))
    result = {}
    for name, values in metric.set_statistics(sets.table).items():
        aligned = parts.get(name.partition("_")[0], first).aligned
        ours, theirs = values[sets.key_alone], values[sets.response_alone]
        key, response = sets.pairs[aligned].T
        document = sets.key.document[key]
        of_key = table.per_document(sets.key.document, ours)
        of_response = table.per_document(sets.response.document, theirs)
        result[name] = table.per_document(document, values[aligned])
        if name == "recall_whole" or name.endswith("_key"):
            result[name] = of_key
        elif name == "precision_whole" or name.endswith("_response"):
            result[name] = of_response
        elif name == "unshared_mentions":
            of_aligned = table.per_document(document, ours[key] + theirs[response])
            result[name] += of_key + of_response - of_aligned
    return result


@dataclass(frozen=True, eq=False, repr=False)
class SharedSets:
    """The documents with sets, in which aligned sets are partly shared mentions."""

    whole: Table
    sets: SetPairs
    scores: dict[str, SetScores]

    def table(self, part: str, measure: str) -> tuple[Table, FloatArray]:
        """A table with fractional cells, and the fraction of each cell that is a set.

        Sets are aligned for this ``part`` of the metric, and shared by this ``measure``:
        ``precision``, ``recall`` or ``f1``.
        """
        scores = self.scores[part]
        return _partly(self.whole, self.sets, scores, getattr(scores, measure))


def _partly(
    table: Table, sets: SetPairs, scores: SetScores, value: FloatArray
) -> tuple[Table, FloatArray]:
    """The documents with sets as a table with fractional cells, and the fractions of the sets."""
    number = np.full(len(table.documents), -1)
    number[sets.documents] = np.arange(len(sets.documents))
    key, ours = _with_sets(table.key, sets.key, number)
    response, theirs = _with_sets(table.response, sets.response, number)
    cells = table.cells
    wanted = np.flatnonzero(number[cells.document] >= 0)
    i, j = sets.pairs[scores.aligned].T
    rows = ours[np.concatenate([cells.key[wanted], sets.key.owner[i]])]
    columns = theirs[np.concatenate([cells.response[wanted], sets.response.owner[j]])]
    width = max(len(response), 1)
    codes, place = np.unique(rows * width + columns, return_inverse=True)
    row, column = np.divmod(codes, width)
    fractions = value[scores.aligned]
    shared = np.bincount(place[len(wanted) :], fractions, len(codes)).astype(np.float64)
    amount = np.concatenate([cells.count[wanted], fractions])
    counts: Any = np.bincount(place, amount, len(codes)).astype(np.float64)
    names = tuple(table.documents[each] for each in sets.documents.tolist())
    return Table(names, key, response, Cells(row, column, counts, key.document[row])), shared


def _with_sets(
    side: EntityColumns, own: SideSets, document: IntArray
) -> tuple[EntityColumns, IntArray]:
    """The entities of the documents with sets, with their sets, and the new number of each."""
    owner = np.arange(len(side))
    for entity, first in own.joined.items():
        owner[entity] = first
    size = np.bincount(owner, side.size, minlength=len(side)).astype(np.int64)
    size[own.owner] += 1
    kept = np.flatnonzero((document[side.document] >= 0) & (owner == np.arange(len(side))))
    number = np.full(len(side), -1)
    number[kept] = np.arange(len(kept))
    columns = EntityColumns(document[side.document[kept]], size[kept], side.source[kept])
    return columns, number[owner]


def with_joined_sets(table: MentionTable) -> MentionTable:
    """The table in which key entities with the same set of antecedents are one entity."""
    sets = set_pairs(table)
    if sets is None or not sets.key.joined:
        return table
    entity = np.arange(-1, len(table.key))
    for one, first in sets.key.joined.items():
        entity[one + 1] = first
    return replace(table, key_entity=entity[table.key_entity + 1])
