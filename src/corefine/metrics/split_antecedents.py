"""Split antecedents: entities made of other entities ("they" is Anna and Ben).

An entity with split antecedents has one more mention, which represents the set of its elements (an
element that is itself made of others is replaced by its elements). On one side, entities with the
same set are one entity. A pair of a key set and a response set is scored by the metric itself, on
their elements; sets are aligned one to one so that the sum of these F1 is largest. The metric then
counts the document with the aligned sets as partly shared mentions (Yu et al. 2022; Paun et al.
2023, the Universal Anaphora scorer).

Documents with sets are counted one by one. Its pairs of sets are documents of a table of their own,
and with its sets it is a table whose cells hold fractions of mentions.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from corefine.corpus.arrays import BoolArray, FloatArray, IntArray, offsets_of
from corefine.corpus.corpus import Corpus
from corefine.metrics.base import Metric, Statistics
from corefine.metrics.table import Cells, EntityColumns, MentionTable, Table, exact_sums


class AntecedentSet(NamedTuple):
    """The split antecedent of an entity: the numbers of its elements in the table."""

    document: int
    owner: int
    elements: tuple[int, ...]


@dataclass(frozen=True, eq=False, repr=False)
class Side:
    """The sets of one side of a document, or of the corpus."""

    sets: list[AntecedentSet] = field(default_factory=list)
    joined: dict[int, int] = field(default_factory=dict)
    """Entities with the set of an earlier entity, and that entity."""


@dataclass(frozen=True, eq=False, repr=False)
class DocumentSets:
    """The sets of a document, and a table with a document per pair of sets.

    The documents of ``pairs`` are the pairs of a key set and a response set, then each key set,
    then each response set.
    """

    document: int
    key: Side
    response: Side
    pairs: Table


def sets_of(table: MentionTable) -> list[DocumentSets]:
    """The sets of each document of a table that has any."""
    return table.shared("split antecedents", lambda: _sets_by_document(table))


def _sets_by_document(table: MentionTable) -> list[DocumentSets]:
    sides = _side(table.matching.key, table.key), _side(table.matching.response, table.response)
    found = []
    for document in sorted({one.document for side in sides for one in side.sets}):
        key, response = (
            Side([one for one in side.sets if one.document == document], side.joined)
            for side in sides
        )
        pairs = _pairs(
            table, [one.elements for one in key.sets], [one.elements for one in response.sets]
        )
        found.append(DocumentSets(document, key, response, pairs))
    return found


def _side(corpus: Corpus, side: EntityColumns) -> Side:
    """The sets of a corpus, in the order of their entities."""
    relations = [relation for relation in corpus.relations if relation.kind == "split"]
    if not relations or corpus.entities.names is None:
        return Side()
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
    return Side(list(sets.values()), joined)


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


def _pairs(table: Table, ours: list[tuple[int, ...]], theirs: list[tuple[int, ...]]) -> Table:
    """The table of pairs of sets, given their elements."""
    documents: list[tuple[tuple[int, ...], tuple[int, ...]]] = [
        *((one, other) for one in ours for other in theirs),
        *((one, ()) for one in ours),
        *(((), other) for other in theirs),
    ]
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
        for number, pair in enumerate(documents)
        for i, key in enumerate(pair[0])
        for j, response in enumerate(pair[1])
        if (key, response) in shared
    ]
    names = tuple(map(str, range(len(documents))))
    return Table(names, sides[0], sides[1], Cells(*np.array(rows, np.int64).reshape(-1, 4).T))


class SetScores(NamedTuple):
    """Precision, recall and F1 by key set and response set, and the aligned sets."""

    precision: FloatArray
    recall: FloatArray
    f1: FloatArray
    aligned: tuple[IntArray, IntArray]


def score_sets(metric: Metric, sets: DocumentSets) -> dict[str, SetScores]:
    """The scores of pairs of sets by a metric, by part of the metric.

    Equal sets score 1 even if the metric finds no link in them. Sets are aligned one to one so that
    the sum of F1 is greatest. Ties are broken by SciPy's solver with sets in the order of their
    entities, as in the Universal Anaphora scorer.
    """
    from scipy.optimize import linear_sum_assignment

    shape, result = (len(sets.key.sets), len(sets.response.sets)), {}
    same = _same(sets.pairs)
    for part, triple in metric.set_scores(metric.set_statistics(sets.pairs)).items():
        scores: Any = triple
        precision, recall, f1 = (
            np.where(same, 1.0, each)[: shape[0] * shape[1]].reshape(shape) for each in scores
        )
        i, j = linear_sum_assignment(f1, maximize=True)
        shared = f1[i, j] > 0
        result[part] = SetScores(precision, recall, f1, (i[shared], j[shared]))
    return result


def _same(pairs: Table) -> BoolArray:
    """Mask of pairs of equal sets: the same entities with the same mentions."""
    cells, key, response = pairs.cells, pairs.key, pairs.response
    equal = (cells.count == key.size[cells.key]) & (cells.count == response.size[cells.response])
    found, ours, theirs = (
        np.bincount(documents, minlength=len(pairs.documents))
        for documents in (cells.document[equal], key.document, response.document)
    )
    same: BoolArray = (found == ours) & (found == theirs)
    return same


def count_sets(metric: Metric, table: MentionTable, only: bool) -> Statistics:
    """The statistics per document with split antecedents, or of these ``only``."""
    if only:
        counted = {name: np.zeros(len(table.documents)) for name in metric.statistic_names}
    else:
        plain = metric.statistics(table)
        counted = {name: np.array(values, np.float64) for name, values in plain.items()}
    for sets in sets_of(table):
        scores = score_sets(metric, sets)
        if only:
            found = _count_only(metric, sets, scores)
        else:
            found = metric.statistics_of_shared(SharedSets(table, sets, scores))
        for name, values in found.items():
            counted[name][sets.document] = values[0]
    return counted


def _count_only(metric: Metric, sets: DocumentSets, scores: dict[str, SetScores]) -> Statistics:
    """Numerators of the aligned pairs of sets, denominators of all sets."""
    shape, first = (len(sets.key.sets), len(sets.response.sets)), next(iter(scores.values()))
    result = {}
    for name, values in metric.set_statistics(sets.pairs).items():
        aligned = scores.get(name.partition("_")[0], first).aligned
        alone = values[shape[0] * shape[1] :]
        ours, theirs = alone[: shape[0]], alone[shape[0] :]
        counted = values[: shape[0] * shape[1]].reshape(shape)[aligned]
        if name == "recall_whole" or name.endswith("_key"):
            counted = ours
        elif name == "precision_whole" or name.endswith("_response"):
            counted = theirs
        elif name == "unshared_mentions":
            of_aligned = ours[aligned[0]] + theirs[aligned[1]]
            counted = np.concatenate([counted, ours, theirs, -of_aligned])
        result[name] = exact_sums(np.zeros(len(counted), np.int64), counted, 1)
    return result


@dataclass(frozen=True, eq=False, repr=False)
class SharedSets:
    """A document in which aligned sets are partly shared mentions."""

    whole: Table
    sets: DocumentSets
    scores: dict[str, SetScores]

    def table(self, part: str, measure: str) -> tuple[Table, FloatArray]:
        """The document as a table with fractional cells, and the fraction of each that is a set.

        Sets are aligned for this ``part`` of the metric, and shared by this ``measure``:
        ``precision``, ``recall`` or ``f1``.
        """
        document, scores, cells = self.sets.document, self.scores[part], self.whole.cells
        key, ours = _with_sets(self.whole.key, self.sets.key, document)
        response, theirs = _with_sets(self.whole.response, self.sets.response, document)
        counts: dict[tuple[int, int], float] = defaultdict(float)
        fractions: dict[tuple[int, int], float] = defaultdict(float)
        inside = cells.document == document
        columns = (column[inside].tolist() for column in (cells.key, cells.response, cells.count))
        for one, other, count in zip(*columns, strict=True):
            counts[ours[one], theirs[other]] += count
        for i, j in zip(*scores.aligned, strict=True):
            cell = ours[self.sets.key.sets[i].owner], theirs[self.sets.response.sets[j].owner]
            fractions[cell] = float(getattr(scores, measure)[i, j])
            counts[cell] += fractions[cell]
        ordered = sorted(counts)
        rows, columns_of = np.array(ordered, np.int64).reshape(-1, 2).T
        amounts: Any = np.array([counts[cell] for cell in ordered], np.float64)
        shared = np.array([fractions.get(cell, 0.0) for cell in ordered], np.float64)
        names = (self.whole.documents[document],)
        found = Cells(rows, columns_of, amounts, np.zeros(len(ordered), np.int64))
        return Table(names, key, response, found), shared


def _with_sets(
    side: EntityColumns, own: Side, document: int
) -> tuple[EntityColumns, dict[int, int]]:
    """The entities of a document with their sets as mentions, and the new number of each."""
    entities = np.flatnonzero(side.document == document).tolist()
    kept = [entity for entity in entities if entity not in own.joined]
    number = {entity: place for place, entity in enumerate(kept)}
    number |= {entity: number[own.joined[entity]] for entity in entities if entity in own.joined}
    size = np.zeros(len(kept), np.int64)
    for entity in entities:
        size[number[entity]] += side.size[entity]
    for one in own.sets:
        size[number[one.owner]] += 1
    return EntityColumns(np.zeros(len(kept), np.int64), size, side.source[kept]), number


def with_joined_sets(table: MentionTable) -> MentionTable:
    """The table in which key entities with the same set of antecedents are one entity."""
    joined = {one: first for sets in sets_of(table) for one, first in sets.key.joined.items()}
    if not joined:
        return table
    entity = np.arange(-1, len(table.key))
    for one, first in joined.items():
        entity[one + 1] = first
    return replace(table, key_entity=entity[table.key_entity + 1])
