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
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from corefine.corpus.arrays import BoolArray, FloatArray, IntArray
from corefine.corpus.corpus import Corpus
from corefine.metrics.base import Metric, Statistics, count_cells, f_measure, ratio
from corefine.metrics.blanc import Blanc, pairs
from corefine.metrics.lea import Lea
from corefine.metrics.muc import Muc
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


@dataclass(frozen=True, eq=False, repr=False)
class SetPairs:
    """All sets of both sides, and a table with a document per pair of sets.

    The documents are the pairs that share a mention, then each key set, then each response set.
    """

    key: SideSets
    response: SideSets
    pairs: list[tuple[int, int]]
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
        found = {one.document for one in (*self.key.sets, *self.response.sets)}
        return np.array(sorted(found), np.int64)


def set_pairs(table: MentionTable) -> SetPairs | None:
    """The sets of both sides of a table; None if there are no sets."""
    return table.shared("split antecedents", lambda: _set_pairs(table))


def _set_pairs(table: MentionTable) -> SetPairs | None:
    key = _sets_of(table.matched.key, table.key)
    response = _sets_of(table.matched.response, table.response)
    if not key.sets and not response.sets:
        return None
    return _paired(table, key, response)


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
    sets: list[AntecedentSet] = []
    joined: dict[int, int] = {}
    owners: dict[tuple[int, ...], int] = {}
    for owner in sorted(made_of):
        elements = _elements(owner, made_of)
        if not elements:
            continue  # a cycle without any plain entity
        if elements in owners:
            joined[owner] = owners[elements]
        else:
            owners[elements] = owner
            sets.append(AntecedentSet(int(side.document[owner]), owner, elements))
    return SideSets(sets, joined)


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
    no_elements: tuple[int, ...] = ()
    documents = [
        *((key.sets[i].elements, response.sets[j].elements, shared[i, j]) for i, j in found),
        *((one.elements, no_elements, []) for one in key.sets),
        *((no_elements, one.elements, []) for one in response.sets),
    ]
    return SetPairs(key, response, found, _table_of(table, documents))


def _holders(side: SideSets) -> dict[int, list[int]]:
    """The sets that each entity is an element of."""
    holders: dict[int, list[int]] = defaultdict(list)
    for place, one in enumerate(side.sets):
        for element in one.elements:
            holders[element].append(place)
    return holders


def _table_of(
    table: Table,
    documents: Iterable[tuple[tuple[int, ...], tuple[int, ...], list[tuple[int, int, int]]]],
) -> Table:
    """A table with a document per group of entities of another table."""
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
    return Table(names, key, response, cells)


class SetScores(NamedTuple):
    """Precision, recall and F1 of each pair of sets, and the aligned pairs."""

    precision: FloatArray
    recall: FloatArray
    f1: FloatArray
    aligned: IntArray


def score_sets(metric: Metric, sets: SetPairs) -> dict[str, SetScores]:
    """The scores of pairs of sets by a metric; BLANC has separate scores for each half.

    Equal sets score 1 even if the metric finds no link in them.
    """
    statistics = set_statistics(metric, sets)
    halves = ("coreferent", "separate") if isinstance(metric, Blanc) else ("",)
    result = {}
    for half in halves:
        if half:
            common = statistics[f"{half}_common"]
            precision = ratio(common, statistics[f"{half}_response"])
            recall = ratio(common, statistics[f"{half}_key"])
            triple = [precision, recall, f_measure(precision, recall)]
        else:
            triple = [np.asarray(each) for each in metric.score(statistics)]
        same = _same(sets)
        precision, recall, f1 = (np.where(same, 1.0, each[: len(sets.pairs)]) for each in triple)
        result[half] = SetScores(precision, recall, f1, _aligned(sets, f1))
    return result


def set_statistics(metric: Metric, sets: SetPairs) -> Statistics:
    """The statistics of each pair of sets, and of each single set.

    MUC counts a singleton in a set as one link, found if it is a singleton on both sides.
    """
    table = sets.table
    statistics = count_cells(metric, table)
    if isinstance(metric, Muc):
        key, response, cells = table.key, table.response, table.cells
        alone = (key.size[cells.key] == 1) & (response.size[cells.response] == 1)
        found = table.per_document(cells.document, alone)
        statistics = {
            "precision_part": statistics["precision_part"] + found,
            "recall_part": statistics["recall_part"] + found,
            "precision_whole": statistics["precision_whole"]
            + table.per_document(response.document, response.size == 1),
            "recall_whole": statistics["recall_whole"]
            + table.per_document(key.document, key.size == 1),
        }
    return statistics


def _same(sets: SetPairs) -> BoolArray:
    """Mask of pairs of equal sets: the same entities with the same mentions."""
    table = sets.table
    cells, key, response = table.cells, table.key, table.response
    equal = (cells.count == key.size[cells.key]) & (cells.count == response.size[cells.response])
    found = table.per_document(cells.document, equal)
    ours, theirs = (
        table.per_document(side.document, np.ones(len(side), np.int64)) for side in (key, response)
    )
    same: BoolArray = (found == ours) & (found == theirs)
    return same[: len(sets.pairs)]


def _aligned(sets: SetPairs, f1: FloatArray) -> IntArray:
    """The pairs of the one-to-one alignment with the largest sum of F1.

    Ties are broken by SciPy's solver with sets in the order of their entities, as in the Universal
    Anaphora scorer.
    """
    from scipy.optimize import linear_sum_assignment

    by_document: dict[int, list[int]] = defaultdict(list)
    for number, (i, _) in enumerate(sets.pairs):
        by_document[sets.key.sets[i].document].append(number)
    ours, theirs = (_places(side) for side in (sets.key, sets.response))
    chosen: list[int] = []
    for document, numbers in by_document.items():
        table = np.zeros((len(ours[document]), len(theirs[document])))
        at = {}
        for number in numbers:
            i, j = sets.pairs[number]
            place = ours[document][i], theirs[document][j]
            table[place] = f1[number]
            at[place] = number
        best = zip(*linear_sum_assignment(-table), strict=True)
        chosen += [at[place] for place in best if table[place] > 0]
    return np.array(sorted(chosen), np.int64)


def _places(side: SideSets) -> dict[int, dict[int, int]]:
    """The position of each set among those of its document."""
    places: dict[int, dict[int, int]] = defaultdict(dict)
    for number, one in enumerate(side.sets):
        places[one.document][number] = len(places[one.document])
    return places


def count_sets(metric: Metric, table: MentionTable, mode: str) -> Statistics:
    """The statistics per document with split antecedents (``score``), or of these (``only``)."""
    sets = set_pairs(table)
    if mode == "only":
        return _count_only(metric, table, sets)
    statistics = metric.statistics(table)
    if sets is None:
        return statistics
    changed = _counted_with(metric, table, sets)
    result = {}
    for name, values in statistics.items():
        result[name] = np.array(values, np.float64)
        result[name][sets.documents] = changed[name]
    return result


def _count_only(metric: Metric, table: MentionTable, sets: SetPairs | None) -> Statistics:
    """Numerators of the aligned pairs of sets, denominators of all sets, per document."""
    count = len(table.documents)
    if sets is None:
        return {name: np.zeros(count) for name in metric.statistic_names}
    statistics, parts = set_statistics(metric, sets), score_sets(metric, sets)
    documents = {
        "key": np.array([one.document for one in sets.key.sets], np.int64),
        "response": np.array([one.document for one in sets.response.sets], np.int64),
    }
    result = {}
    for name, values in statistics.items():
        half = name.partition("_")[0] if len(parts) > 1 and name != "unshared_mentions" else ""
        aligned = parts[half if half in parts else next(iter(parts))].aligned
        owners = documents["key"][[sets.pairs[number][0] for number in aligned.tolist()]]
        of_pairs = table.per_document(owners, values[aligned])
        if name in ("recall_whole", "coreferent_key", "separate_key"):
            result[name] = table.per_document(documents["key"], values[sets.key_alone])
        elif name in ("precision_whole", "coreferent_response", "separate_response"):
            result[name] = table.per_document(documents["response"], values[sets.response_alone])
        elif name == "unshared_mentions":
            key, response = values[sets.key_alone].copy(), values[sets.response_alone].copy()
            for number in aligned.tolist():
                i, j = sets.pairs[number]
                key[i] = response[j] = 0
            alone = table.per_document(documents["key"], key)
            result[name] = of_pairs + alone + table.per_document(documents["response"], response)
        else:
            result[name] = of_pairs
    return result


def _counted_with(metric: Metric, table: MentionTable, sets: SetPairs) -> Statistics:
    """The statistics of the documents with sets, in which aligned sets are partly shared."""
    parts = score_sets(metric, sets)
    if isinstance(metric, Blanc):
        joined, shared = _partly(table, sets, parts["coreferent"], parts["coreferent"].f1)
        apart, _ = _partly(table, sets, parts["separate"], parts["separate"].f1)
        links = joined.per_document(joined.cells.document, _between(shared))
        counted = count_cells(metric, joined)
        return {
            **counted,
            "coreferent_common": counted["coreferent_common"] + links,
            # Here the links to a partly shared set cancel out.
            "separate_common": count_cells(metric, apart)["separate_common"],
        }
    (scores,) = parts.values()
    if metric.name.startswith("ceaf"):
        return count_cells(metric, _partly(table, sets, scores, scores.f1)[0])
    result: Statistics = {}
    for side, value in (("precision", scores.precision), ("recall", scores.recall)):
        partly, shared = _partly(table, sets, scores, value)
        if isinstance(metric, Muc):
            partly = _without_sets_alone(partly, shared)
        counted = count_cells(metric, partly)
        if isinstance(metric, Lea):
            counted[f"{side}_part"] = counted[f"{side}_part"] + _lea_links(
                metric, partly, shared, side
            )
        result |= {name: column for name, column in counted.items() if name.startswith(side)}
    return result


def _partly(
    table: Table, sets: SetPairs, scores: SetScores, value: FloatArray
) -> tuple[Table, FloatArray]:
    """The documents with sets as a table with fractional cells, and the fractions of the sets."""
    number = np.full(len(table.documents), -1)
    number[sets.documents] = np.arange(len(sets.documents))
    (key, ours), (response, theirs) = (
        _with_sets(side, own, number)
        for side, own in ((table.key, sets.key), (table.response, sets.response))
    )
    cells = table.cells
    wanted = np.flatnonzero(number[cells.document] >= 0)
    aligned = [sets.pairs[place] for place in scores.aligned.tolist()]
    rows = ours[np.concatenate([cells.key[wanted], _owners(sets.key, (i for i, _ in aligned))])]
    columns = theirs[
        np.concatenate([cells.response[wanted], _owners(sets.response, (j for _, j in aligned))])
    ]
    shared = np.concatenate([np.zeros(len(wanted)), value[scores.aligned]])
    amount = np.concatenate([cells.count[wanted].astype(np.float64), value[scores.aligned]])
    width = max(len(response), 1)
    codes, place = np.unique(rows * width + columns, return_inverse=True)
    row, column = np.divmod(codes, width)
    counts: Any = np.bincount(place, amount, minlength=len(codes)).astype(np.float64)
    partly = Table(
        tuple(table.documents[each] for each in sets.documents.tolist()),
        key,
        response,
        Cells(row, column, counts, key.document[row]),
    )
    return partly, np.bincount(place, shared, minlength=len(codes)).astype(np.float64)


def _owners(side: SideSets, places: Iterable[int]) -> IntArray:
    return np.array([side.sets[place].owner for place in places], np.int64)


def _with_sets(
    side: EntityColumns, own: SideSets, document: IntArray
) -> tuple[EntityColumns, IntArray]:
    """The entities of the documents with sets, with their sets, and the new number of each."""
    owner = np.arange(len(side))
    for entity, first in own.joined.items():
        owner[entity] = first
    size = np.bincount(owner, side.size, minlength=len(side)).astype(np.int64)
    size[[one.owner for one in own.sets]] += 1
    kept = np.flatnonzero((document[side.document] >= 0) & (owner == np.arange(len(side))))
    number = np.full(len(side), -1)
    number[kept] = np.arange(len(kept))
    columns = EntityColumns(document[side.document[kept]], size[kept], side.source[kept])
    return columns, number[owner]


def _without_sets_alone(partly: Table, shared: FloatArray) -> Table:
    """The table without cells of a set alone, in which MUC finds no link."""
    cells = partly.cells
    kept = cells.count > shared
    return Table(
        partly.documents,
        partly.key,
        partly.response,
        Cells(cells.key[kept], cells.response[kept], cells.count[kept], cells.document[kept]),
    )


def _between(shared: FloatArray) -> FloatArray:
    """The links of n mentions and a set of score s in excess of those of n + s mentions.

    Each of the n has a link of weight s to the set: n(n - 1)/2 + ns, which is
    (n + s)(n + s - 1)/2 + s(1 - s)/2.
    """
    return shared * (1 - shared) / 2


def _lea_links(metric: Lea, partly: Table, shared: FloatArray, side: str) -> FloatArray:
    cells = partly.cells
    own, entity = (partly.key, cells.key) if side == "recall" else (partly.response, cells.response)
    weight = metric.weights(partly, "key" if side == "recall" else "response")
    links = np.maximum(pairs(own.size), 1)
    return partly.per_document(cells.document, (weight / links)[entity] * _between(shared))
