"""Split antecedents: entities made of others ("they" is Anna and Ben), and what they are worth.

An entity with split antecedents has one mention more, which stands for the set of the entities that
it is made of (those that are made of others themselves are resolved into their elements). On one
side, entities with the same set are one entity. How much a set of the key is worth to a set of the
response is scored by the metric itself, on their elements; sets are aligned one to one so that the
sum of these F1 is greatest. The metric then counts the document with the aligned sets as mentions
that are shared in part (Yu et al. 2022; Paun et al. 2023, the Universal Anaphora scorer).

All of this is done on ordinary tables: pairs of sets are documents of a table of their own, and a
document with sets is a table whose cells hold fractions of mentions.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from corefine.corpus.arrays import BoolArray, FloatArray, IntArray
from corefine.metrics.antecedent_sets import SetPairs, SideSets, set_pairs
from corefine.metrics.base import Metric, Statistics, f_measure, ratio
from corefine.metrics.blanc import Blanc, pairs
from corefine.metrics.lea import Lea
from corefine.metrics.muc import Muc
from corefine.metrics.table import Cells, EntityColumns, Table


class Worth(NamedTuple):
    """Precision, recall and F1 of every pair of sets, and the pairs that are aligned."""

    precision: FloatArray
    recall: FloatArray
    f1: FloatArray
    aligned: IntArray


def worths(metric: Metric, sets: SetPairs) -> dict[str, Worth]:
    """What pairs of sets are worth to a metric, for each of its parts that is aligned by itself.

    The two halves of BLANC are two such parts, all other metrics are one. Sets that are the same
    are worth 1 to one another also where the metric finds no link in them.
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
        result[half] = Worth(precision, recall, f1, _aligned(sets, f1))
    return result


def set_statistics(metric: Metric, sets: SetPairs) -> Statistics:
    """The metric's statistics of every pair of sets, and of every set alone.

    Here MUC counts a singleton as one link, which is found if it is a singleton on both sides.
    """
    table = sets.table
    statistics = metric.statistics(table)
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
    """Which pairs are the same entities with the same mentions on both sides."""
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
    """The pairs, by number, of the one-to-one alignment whose sum of F1 is greatest.

    Of equally good alignments it is the one that scipy's solver finds when the sets are given in
    the order of their entities, which is what the Universal Anaphora scorer does.
    """
    from scipy.optimize import linear_sum_assignment

    by_document: dict[int, list[int]] = defaultdict(list)
    for number, (i, _) in enumerate(sets.pairs):
        by_document[sets.key.sets[i].document].append(number)
    ours, theirs = (_places(side) for side in (sets.key, sets.response))
    chosen: list[int] = []
    for document, numbers in by_document.items():
        worth = np.zeros((len(ours[document]), len(theirs[document])))
        at = {}
        for number in numbers:
            i, j = sets.pairs[number]
            place = ours[document][i], theirs[document][j]
            worth[place] = f1[number]
            at[place] = number
        best = zip(*linear_sum_assignment(-worth), strict=True)
        chosen += [at[place] for place in best if worth[place] > 0]
    return np.array(sorted(chosen), np.int64)


def _places(side: SideSets) -> dict[int, dict[int, int]]:
    """By document, the place of each set among those of the document."""
    places: dict[int, dict[int, int]] = defaultdict(dict)
    for number, one in enumerate(side.sets):
        places[one.document][number] = len(places[one.document])
    return places


def count_sets(metric: Metric, table: Table, mode: str) -> Statistics:
    """The statistics of every document, with its split antecedents or of them alone.

    ``mode`` is ``score`` or ``only``. Documents without split antecedents are counted as ever.
    """
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


def _count_only(metric: Metric, table: Table, sets: SetPairs | None) -> Statistics:
    """Parts of the aligned pairs of sets, wholes of all sets, by document."""
    count = len(table.documents)
    if sets is None:
        return {name: np.zeros(count) for name in metric.statistic_names}
    statistics, parts = set_statistics(metric, sets), worths(metric, sets)
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


def _counted_with(metric: Metric, table: Table, sets: SetPairs) -> Statistics:
    """The statistics of the documents with sets, aligned sets being shared in part."""
    parts = worths(metric, sets)
    if isinstance(metric, Blanc):
        joined, shared = _partly(table, sets, parts["coreferent"], parts["coreferent"].f1)
        apart, _ = _partly(table, sets, parts["separate"], parts["separate"].f1)
        links = joined.per_document(joined.cells.document, _between(shared))
        counted = metric.statistics(joined)
        return {
            **counted,
            "coreferent_common": counted["coreferent_common"] + links,
            # Here the links to a set that is worth less than 1 cancel out.
            "separate_common": metric.statistics(apart)["separate_common"],
        }
    (worth,) = parts.values()
    if metric.name.startswith("ceaf"):
        return metric.statistics(_partly(table, sets, worth, worth.f1)[0])
    result: Statistics = {}
    for side, value in (("precision", worth.precision), ("recall", worth.recall)):
        partly, shared = _partly(table, sets, worth, value)
        if isinstance(metric, Muc):
            partly = _without_sets_alone(partly, shared)
        counted = metric.statistics(partly)
        if isinstance(metric, Lea):
            counted[f"{side}_part"] = counted[f"{side}_part"] + _lea_links(
                metric, partly, shared, side
            )
        result |= {name: column for name, column in counted.items() if name.startswith(side)}
    return result


def _partly(
    table: Table, sets: SetPairs, worth: Worth, value: FloatArray
) -> tuple[Table, FloatArray]:
    """The documents with sets as a table whose cells hold fractions, and these fractions alone."""
    number = np.full(len(table.documents), -1)
    number[sets.documents] = np.arange(len(sets.documents))
    (key, ours), (response, theirs) = (
        _with_sets(side, own, number)
        for side, own in ((table.key, sets.key), (table.response, sets.response))
    )
    cells = table.cells
    wanted = np.flatnonzero(number[cells.document] >= 0)
    aligned = [sets.pairs[place] for place in worth.aligned.tolist()]
    rows = ours[np.concatenate([cells.key[wanted], _owners(sets.key, (i for i, _ in aligned))])]
    columns = theirs[
        np.concatenate([cells.response[wanted], _owners(sets.response, (j for _, j in aligned))])
    ]
    shared = np.concatenate([np.zeros(len(wanted)), value[worth.aligned]])
    amount = np.concatenate([cells.count[wanted].astype(np.float64), value[worth.aligned]])
    width = max(len(response), 1)
    codes, place = np.unique(rows * width + columns, return_inverse=True)
    row, column = np.divmod(codes, width)
    counts = _summed(place, amount, len(codes))
    partly = Table.from_cells(
        tuple(table.documents[each] for each in sets.documents.tolist()),
        key,
        response,
        Cells(row, column, counts, key.document[row]),
    )
    # Mentions are shared in part, so these are no whole numbers.
    partly.__dict__["key_matched"] = _summed(row, counts, len(key))
    partly.__dict__["response_matched"] = _summed(column, counts, len(response))
    return partly, _summed(place, shared, len(codes))


def _summed(index: IntArray, values: NDArray[Any], length: int) -> NDArray[Any]:
    """Sums by index, without rounding them to whole numbers."""
    return np.bincount(index, values, minlength=length).astype(np.float64)


def _owners(side: SideSets, places: Iterable[int]) -> IntArray:
    return np.array([side.sets[place].owner for place in places], np.int64)


def _with_sets(
    side: EntityColumns, own: SideSets, document: IntArray
) -> tuple[EntityColumns, IntArray]:
    """The entities of the documents with sets, their sets counted, and the new number of each."""
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
    """Without the cells that hold a set and no mention: MUC sees no link in them."""
    cells = partly.cells
    kept = cells.count > shared
    return Table.from_cells(
        partly.documents,
        partly.key,
        partly.response,
        Cells(cells.key[kept], cells.response[kept], cells.count[kept], cells.document[kept]),
    )


def _between(shared: FloatArray) -> FloatArray:
    """What the links of n mentions and a set worth s have more than n + s mentions would have.

    Each of the n has a link worth s to the set: n(n - 1)/2 + ns, which is
    (n + s)(n + s - 1)/2 + s(1 - s)/2.
    """
    return shared * (1 - shared) / 2


def _lea_links(metric: Lea, partly: Table, shared: FloatArray, side: str) -> FloatArray:
    cells = partly.cells
    own, entity = (partly.key, cells.key) if side == "recall" else (partly.response, cells.response)
    weight = metric.weights(partly, "key" if side == "recall" else "response")
    links = np.maximum(pairs(own.size), 1)
    return partly.per_document(cells.document, (weight / links)[entity] * _between(shared))
