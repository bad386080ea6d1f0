r"""Krippendorff's α of annotations of entities, with Passonneau's MASI distance.

Units are the mentions that at least one annotator has. The value that an annotator gives to a unit
is a *set*: all mentions of the entity in which he or she put it (Passonneau 2004). Two sets differ
by

.. math:: \delta(A, B) = 1 - \frac{|A \cap B|}{|A \cup B|} \cdot M

with M = 1 if they are equal, 2/3 if one holds the other, 1/3 if they only overlap, 0 if they do not
(MASI, Passonneau 2006). With m_u values of unit u and n values of all units that have two or more,

.. math:: D_o = \frac{1}{n} \sum_u \frac{1}{m_u - 1} \sum_{i \ne j} \delta(v_{ui}, v_{uj}), \quad
          D_e = \frac{1}{n (n-1)} \sum_{i \ne j} \delta(v_i, v_j), \quad
          \alpha = 1 - D_o / D_e

the sum of D_e running over all ordered pairs of values (Krippendorff 2004).

An annotator without a mention has no value for it, and units with one value are not compared. This
looks at linking alone. Where singletons are not annotated it looks at little: a link that one
annotator made and the other did not is then missing, not contested. ``as_singletons`` therefore
gives an annotator without the mention the set of that mention alone.

Sets of different documents have no mention in common, so their distance is 1, and D_e of many
documents nears 1 whatever the annotators do. ``within_documents`` expects disagreement only within
a document, D_e being the mean of the documents' own, weighted by their values. It is the stricter
figure; for one document the two are the same.

α is None if D_e is 0: no two values, or all of them the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from corefine.corpus.arrays import FloatArray, IntArray
from corefine.corpus.document import connected_components
from corefine.errors import UsageError
from corefine.metrics.table import MentionTable


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """Mentions that at least one annotator has, with the entity of each annotator.

    ``entity`` has a row for each unit and a column for each annotator: the number of the entity
    among those of that annotator, or -1 if the annotator does not have the mention.
    """

    document: IntArray
    entity: IntArray

    @property
    def marks(self) -> IntArray:
        """Number of annotators that have each unit."""
        marks: IntArray = np.count_nonzero(self.entity >= 0, axis=1)
        return marks

    def as_singletons(self) -> Units:
        """Units with an entity of its own for each mention that an annotator does not have."""
        entity = self.entity.copy()
        for column in entity.T:
            lacking = np.flatnonzero(column < 0)
            column[lacking] = column.max(initial=-1) + 1 + np.arange(len(lacking))
        return replace(self, entity=entity)

    def numbered(self) -> tuple[IntArray, int]:
        """The entities of all annotators in one numbering (still -1 for none), and how many."""
        counts = self.entity.max(axis=0, initial=-1) + 1
        first = np.cumsum(counts) - counts
        return np.where(self.entity >= 0, self.entity + first, -1), int(counts.sum())


@dataclass(frozen=True, slots=True)
class Reliability:
    """Krippendorff's α, and what it is made of."""

    alpha: float | None
    within_documents: float | None
    observed: float | None
    """D_o, the mean disagreement on a mention."""
    expected: float | None
    """D_e over all values."""
    expected_within: float | None
    """D_e within documents."""
    units: int
    """Mentions with two or more values."""
    values: int


def masi_distance(left: IntArray, right: IntArray, common: IntArray) -> FloatArray:
    """MASI's distance from the sizes of two sets and of what they have in common.

    >>> masi_distance(np.array([3, 3]), np.array([3, 2]), np.array([3, 2])).round(4).tolist()
    [0.0, 0.5556]
    """
    smaller, larger = np.minimum(left, right), np.maximum(left, right)
    kind = np.where(common == 0, 0.0, np.where(common < smaller, 1 / 3, 2 / 3))
    kind = np.where((common == larger) & (common > 0), 1.0, kind)
    distance: FloatArray = 1 - kind * common / np.maximum(left + right - common, 1)
    return distance


def masi_alpha(units: Units) -> Reliability:
    """Krippendorff's α with MASI's distance.

    All sums run over pairs of entities that share a mention, of which there are no more than
    mentions for every two annotators; all other pairs of values have the distance 1.
    """
    entity, count = units.numbered()
    size = np.bincount(entity[entity >= 0], minlength=count)
    several = units.marks >= 2
    entity, document, marks = entity[several], units.document[several], units.marks[several]
    values = np.bincount(entity[entity >= 0], minlength=count).astype(np.float64)
    total = float(values.sum())
    if total == 0:
        return Reliability(None, None, None, None, None, 0, 0)
    owner = np.zeros(count, np.int64)
    for column in entity.T:
        owner[column[column >= 0]] = document[column >= 0]

    disagreement = 0.0
    # Σ over ordered pairs of values of 1 − δ, by document: first those of equal values.
    alike = np.bincount(owner, values**2)
    for one, other in combinations(range(entity.shape[1]), 2):
        both = np.flatnonzero((entity[:, one] >= 0) & (entity[:, other] >= 0))
        codes, cell, common = np.unique(
            entity[both, one] * count + entity[both, other],
            return_inverse=True,
            return_counts=True,
        )
        left, right = np.divmod(codes, count)
        distance = masi_distance(size[left], size[right], common)
        disagreement += 2 * float((distance[cell] / (marks[both] - 1)).sum())
        weight = 2 * values[left] * values[right] * (1 - distance)
        alike += np.bincount(owner[left], weight, minlength=len(alike))

    per_document = np.bincount(owner, values, minlength=len(alike))
    observed = disagreement / total
    expected = (total**2 - float(alike.sum())) / (total * (total - 1))
    some = per_document > 1
    inside = (per_document[some] ** 2 - alike[some]) / (per_document[some] - 1)
    expected_within = float(inside.sum()) / total
    return Reliability(
        _alpha(observed, expected),
        _alpha(observed, expected_within),
        observed,
        expected,
        expected_within,
        int(several.sum()),
        int(total),
    )


def _alpha(observed: float, expected: float) -> float | None:
    # All values are the same, up to rounding.
    return None if expected <= 1e-12 else 1 - observed / expected


def joint_units(
    tables: Mapping[tuple[str, str], MentionTable], annotators: Sequence[str]
) -> tuple[Units, IntArray]:
    """The units of all annotators, from the tables of every two of them.

    Also gives the mention of each annotator that each unit is, as a column of units × annotators
    with -1 for none. Mentions that match are one unit. If inexact matching would make one unit of
    two mentions of the same annotator, this is an error.
    """
    columns = {name: _columns(tables, name) for name in annotators}
    first, total = {}, 0
    for name, (owners, _) in columns.items():
        first[name], total = total, total + len(owners)
    links: list[tuple[int, int]] = []
    for (one, other), table in tables.items():
        ours, theirs = table.matching.key_mention, table.matching.response_mention
        both = (ours >= 0) & (theirs >= 0)
        pairs = zip(first[one] + ours[both], first[other] + theirs[both], strict=True)
        links += ((int(a), int(b)) for a, b in pairs)
    roots, unit_of = np.unique(connected_components(total, links), return_inverse=True)
    mention = np.full((len(roots), len(columns)), -1)
    entity = np.full((len(roots), len(columns)), -1)
    document = np.zeros(len(roots), np.int64)
    for number, (name, (owners, documents)) in enumerate(columns.items()):
        units = unit_of[first[name] : first[name] + len(owners)]
        if len(np.unique(units)) < len(units):
            raise UsageError(
                "two annotations match the mentions of a third inconsistently, so identical "
                "mentions cannot be determined",
                remedy="Use --match exact and --zeros linear (match='exact', zeros='linear').",
            )
        mention[units, number] = np.arange(len(units))
        entity[units, number] = owners
        document[units] = documents
    return Units(document, entity), mention


def _columns(
    tables: Mapping[tuple[str, str], MentionTable], annotator: str
) -> tuple[IntArray, IntArray]:
    """The entity and the document of every mention of an annotator."""
    pair = next(pair for pair in tables if annotator in pair)
    table = tables[pair]
    mentions, entities = (
        (table.matching.key_mention, table.key_entity)
        if annotator == pair[0]
        else (table.matching.response_mention, table.response_entity)
    )
    rows = np.flatnonzero(mentions >= 0)
    owner = np.empty(len(rows), np.int64)
    document = np.empty(len(rows), np.int64)
    owner[mentions[rows]] = entities[rows]
    document[mentions[rows]] = table.document[rows]
    return owner, document
