"""LMUC, LB³, LCEAFm and LCEAFe: the classic metrics with links weighted by information.

A link weighs by the most informative mention in it: a name, else a nominal, else a pronoun. A chain
weighs as its maximum spanning tree (Chen & Ng 2013). Links fall into three classes, and a class
joins all that it can reach: a name joins everything, a nominal all nominals and pronouns, a pronoun
all pronouns. So Kruskal's algorithm needs no links, only the number of things that each class can
join. Where any function of two mentions weighs their link, real trees are built, in time quadratic
in the length of a chain.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import cache
from numbers import Real
from typing import Any

import numpy as np

from corefine.corpus.arrays import BoolArray, FloatArray, IntArray
from corefine.corpus.columns import Kind
from corefine.corpus.expression import Expression
from corefine.errors import UsageError, choose
from corefine.metrics.base import (
    MentionMetric,
    Metric,
    RatioMetric,
    Statistics,
    Triple,
    f_measure,
    ratio,
    written_value,
)
from corefine.metrics.ceaf import aligned, aligned_statistics
from corefine.metrics.table import Contributions, LabelCounts, MentionTable

LinkWeight = Callable[[Expression, Expression], float]
"""A weight for the link between two mentions, 0 or more."""
HEAVIEST = 1e100
"""The largest weight: sums and products of larger ones would not be finite."""


@dataclass(frozen=True, slots=True)
class Weights:
    """Weights of links with a name, links with a nominal, all other links, and singletons."""

    name: float
    nominal: float
    pronoun: float
    singleton: float

    def __post_init__(self) -> None:
        for part, value in asdict(self).items():
            try:
                number = float(value)
            except (TypeError, ValueError):
                number = np.nan
            if not 0 <= number <= HEAVIEST:
                raise UsageError(
                    f"the weight {part}={value} is not a number from 0 to {HEAVIEST:g}",
                    remedy="Write, for example, name=1,nominal=0.75,pronoun=0.5,singleton=1.",
                )
            object.__setattr__(self, part, number)


PARTS = tuple(field.name for field in fields(Weights))
PRESETS = {
    "W1": Weights(1.0, 1.0, 1.0, 1e-20),
    "W2": Weights(1.0, 1.0, 1.0, 0.5),
    "W3": Weights(1.0, 1.0, 1.0, 1.0),
    "W4": Weights(1.0, 0.75, 0.5, 1.0),
    "W5": Weights(1.0, 0.5, 0.25, 1.0),
}
"""The weights of the paper's experiments."""


@dataclass(frozen=True, slots=True, eq=False)
class ChainWeights:
    """The paper's three functions: what cells, key entities and response entities weigh.

    ``cells`` are w_c (equation 8), ``key`` w_k (9) and ``response`` w_s (11).
    """

    cells: FloatArray
    key: FloatArray
    response: FloatArray


@dataclass(frozen=True)
class LinguisticMetric(RatioMetric):
    """A metric that sees a chain only through its weight.

    ``weights`` is a preset of the paper (``W1`` to ``W5``), :class:`.Weights`, four numbers for
    links with a name, links with a nominal, other links and singletons, or, in Python, a function
    of two :class:`Expression` that gives the weight of the link between them; ``singleton`` is then
    what a singleton weighs (1 unless given). ``system`` is the weight of a response entity:
    ``joined`` (equation 11), or ``symmetric``, like that of a key entity (equation 10).
    """

    citation = "Chen & Ng 2013, Linguistically aware coreference evaluation metrics, IJCNLP"
    references = ("chen-ng-2013-linguistic",)
    symmetric = False
    needs_kinds = True
    splits_twinless = True

    choices = (("system", ("joined", "symmetric")),)
    examples = (
        ("weights", ("W4", "W1", "W2", "W3", "W5")),
        ("singleton", ("that of the weights", "a number")),
    )

    weights: Weights | LinkWeight | str | tuple[float, float, float, float] = PRESETS["W4"]
    singleton: float | None = None
    system: str = "joined"

    def __post_init__(self) -> None:
        super().__post_init__()
        weights, singleton = self.weights, self.singleton
        if self.system == "symmetric" and callable(weights):
            raise UsageError(
                f"{self.name}(system=symmetric) takes numbers as weights, no function",
                remedy="Give weights such as W4.",
            )
        if isinstance(weights, str):
            weights = PRESETS[choose(f"the weights of {self.name}", weights, tuple(PRESETS))]
        elif isinstance(weights, tuple | list):
            if len(weights) != len(PARTS):
                raise UsageError(f"{self.name} takes four weights: {', '.join(PARTS)}")
            weights = Weights(*weights)
        if isinstance(weights, Weights):
            if singleton is not None:
                weights, singleton = replace(weights, singleton=singleton), None
        elif not callable(weights):
            raise UsageError(f"the weights of {self.name} cannot be {weights!r}")
        else:
            singleton = Weights(0, 0, 0, 1.0 if singleton is None else singleton).singleton
        self._set(weights=weights, singleton=singleton)

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, str]) -> Metric:
        cls.check_parameters(parameters, ("weights", "system", *PARTS))
        preset = cls(parameters.get("weights", "W4").upper()).weights
        given: Any = {part: parameters[part] for part in PARTS if part in parameters}
        system = parameters.get("system", "joined")
        return cls(replace(preset, **given), system=system)  # type: ignore[type-var]

    def parameters(self) -> dict[str, Any]:
        weights = self.weights
        preset = next((name for name, known in PRESETS.items() if known == weights), None)
        found: dict[str, Any] = {"weights": preset or weights}
        if preset == "W4":
            found = {}
        elif preset is None and isinstance(weights, Weights):
            found = asdict(weights)
        elif self.singleton not in (None, 1):
            found["singleton"] = self.singleton
        return found if self.system == "joined" else found | {"system": self.system}

    def chain_weights(self, table: MentionTable) -> ChainWeights:
        """Weights of cells and entities, computed once for all four metrics."""
        name = ("chain weights", self.weights, self.singleton, self.system)
        return table.shared(name, lambda: self._chain_weights(table))

    def _chain_weights(self, table: MentionTable) -> ChainWeights:
        if isinstance(self.weights, Weights):
            chains, singleton = counted_trees(table, self.weights), self.weights.singleton
            if self.system == "symmetric":
                tree = _tree_of_mentions(_kind_counts(table).response, self.weights)
                chains = ChainWeights(chains.cells, chains.key, tree)
        else:
            assert callable(self.weights)
            assert self.singleton is not None
            chains, singleton = built_trees(table, self.weights), self.singleton
        # Singletons have no tree, but a weight of their own.
        cells, key, response = table.cells, table.key.size == 1, table.response.size == 1
        chains.key[key] = singleton
        chains.response[response] = singleton
        chains.cells[key[cells.key] & response[cells.response]] = singleton
        return chains

    def score(self, totals: Mapping[str, FloatArray]) -> Triple:
        # A part may be its whole summed in another order, and pass it by a rounding error.
        precision = np.minimum(ratio(totals["precision_part"], totals["precision_whole"]), 1)
        recall = np.minimum(ratio(totals["recall_part"], totals["recall_whole"]), 1)
        return Triple(precision, recall, f_measure(precision, recall))


class Lmuc(LinguisticMetric):
    r"""Linguistically aware MUC (Chen & Ng 2013).

    .. math:: R = \frac{\sum_{k,r} w_c(k \cap r)}{\sum_k w_k(k)}, \quad
              P = \frac{\sum_{k,r} w_c(k \cap r)}{\sum_r w_s(r)}

    w_c and w_k are the weight of a maximum spanning tree whose links weigh by the best kind of
    mention in them; w_s adds to the trees of the correct parts of r the heaviest links that join
    these parts (equation 11), so that only wrong links cost precision. A mention that the key lacks
    is a part of its own. A singleton weighs ``singleton``, and is found only as a singleton.
    ``lmuc(name=1,nominal=1,pronoun=1,singleton=0)`` is MUC. ``lmuc(system=symmetric)`` weighs a
    response entity like a key entity (equation 10, which the paper rejects): uninformative links
    then cost precision as well as recall.

    Use it when links should count by how informative they are: a pronoun resolved to a name is
    worth more than one resolved to another pronoun. It is MUC with links weighted by their most
    informative mention, and with singletons. It needs mention kinds; the weights can be set.

    .. code-block:: console

        $ corefine score key.conll response.conll --metrics "lmuc(weights=W5)" --kinds guess
    """

    name = "lmuc"
    title = "LMUC"
    summary = "MUC with links weighted by mention kind: a link to a name is worth the most."
    splits_twinless = False

    def contributions(self, table: MentionTable) -> Contributions:
        weights = self.chain_weights(table)
        return Contributions(weights.cells, weights.cells, weights.response, weights.key)


class LBCubed(LinguisticMetric, MentionMetric):
    r"""Linguistically aware B³ (Chen & Ng 2013).

    .. math:: R = \frac{\sum_{k,r} |k \cap r| \, w_c(k \cap r) / w_k(k)}{\sum_k |k|}, \quad
              P = \frac{\sum_{k,r} |k \cap r| \, w_c(k \cap r) / w_s(r)}{\sum_r |r|}

    Recall averages over the key's mentions, precision over the response's. A singleton that should
    not be one scores 0, unlike in B³. Chains of weight zero are left out.

    Use it to measure, for each mention, how much of its entity's link weight was found. Unlike B³
    it gives no credit to a wrong singleton. The singleton weight has no effect, unless it is 0,
    which leaves singletons out.

    .. code-block:: console

        $ corefine score key.conll response.conll --metrics b3,lb3
    """

    name = "lb3"
    title = "LB³"
    summary = "B³ with links weighted by mention kind."
    aliases = ("lbcub", "lb³")

    def contributions(self, table: MentionTable) -> Contributions:
        weights, cells = self.chain_weights(table), table.cells
        found = cells.count * weights.cells
        return Contributions(
            ratio(found, weights.response[cells.response]),
            ratio(found, weights.key[cells.key]),
            np.where(weights.response > 0, table.response.size, 0),
            np.where(weights.key > 0, table.key.size, 0),
        )


class LCeafM(LinguisticMetric):
    r"""Linguistically aware mention-based CEAF (Chen & Ng 2013), with φ3 = w_c.

    .. math:: R = \frac{\Phi(g^*)}{\sum_k w_k(k)}, \quad P = \frac{\Phi(g^*)}{\sum_r w_s(r)}

    Use it when entities should be aligned at most once and links to names should count more. A
    split entity keeps the weight of one part. With singleton=0 singletons are ignored.

    .. code-block:: console

        $ corefine score key.conll response.conll --metrics "lceafm(singleton=0)"
    """

    name = "lceafm"
    title = "LCEAFm"
    summary = "CEAFm with links weighted by mention kind."

    def statistics(self, table: MentionTable) -> Statistics:
        weights = self.chain_weights(table)
        found = aligned(table, weights.cells)
        return aligned_statistics(table, Contributions(found, found, weights.response, weights.key))


class LCeafE(LinguisticMetric):
    r"""Linguistically aware entity-based CEAF (Chen & Ng 2013), with φ4 = 2w_c / (w_k + w_s).

    .. math:: R = \frac{\Phi(g^*)}{|K|}, \quad P = \frac{\Phi(g^*)}{|R|}

    Entities of weight zero are counted neither in :math:`|K|` nor in :math:`|R|`; φ4 of 0/0 is 0.

    Use it when every entity should count the same, but be judged by its informative links. An
    entity that lost its name is less similar to the key than one that lost a pronoun. As with
    CEAFe, small entities count as much as large ones.

    .. code-block:: console

        $ corefine score key.conll response.conll --metrics ceafe,lceafe
    """

    name = "lceafe"
    title = "LCEAFe"
    summary = "CEAFe with links weighted by mention kind."
    aliases = ("lceaf",)

    def statistics(self, table: MentionTable) -> Statistics:
        weights, cells = self.chain_weights(table), table.cells
        sides = weights.key[cells.key] + weights.response[cells.response]
        found = aligned(table, ratio(2 * weights.cells, sides))
        return aligned_statistics(
            table, Contributions(found, found, weights.response > 0, weights.key > 0)
        )


def counted_trees(table: MentionTable, weights: Weights) -> ChainWeights:
    """The trees of all cells and entities, in time linear in the mentions."""
    counts, cells, length = _kind_counts(table), table.cells, len(table.response)
    trees, of_key = (_tree_of_mentions(kinds, weights) for kinds in (counts.cells, counts.key))
    # The parts of a response entity are its cells, and each mention that the key lacks.
    _, nominals, pronouns = _three_classes(counts.cells)
    lone_names, lone_nominals, lone_pronouns = _three_classes(counts.response_only)
    lone_below = lone_nominals + lone_pronouns
    joins = _counted_tree(
        weights,
        np.bincount(cells.response, minlength=length) + lone_names + lone_below,
        np.bincount(cells.response[(nominals + pronouns) > 0], minlength=length) + lone_below,
        np.bincount(cells.response[pronouns > 0], minlength=length) + lone_pronouns,
        counts.response[Kind.NAME] > 0,
        counts.response[Kind.NOMINAL] > 0,
    )
    # A response entity keeps the trees of its correct parts; what joins the parts is spurious.
    joins += np.bincount(cells.response, trees, minlength=length)
    return ChainWeights(trees, of_key, joins)


def _kind_counts(table: MentionTable) -> LabelCounts:
    return table.count_labels(table.kinds, len(Kind))


def _tree_of_mentions(kinds: IntArray, weights: Weights) -> FloatArray:
    names, nominals, pronouns = _three_classes(kinds)
    below = nominals + pronouns
    return _counted_tree(weights, names + below, below, pronouns, names > 0, nominals > 0)


def _three_classes(kinds: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Names, nominals and pronouns; zeros and mentions of unknown kind weigh as pronouns."""
    others = kinds[Kind.PRONOUN] + kinds[Kind.ZERO] + kinds[Kind.UNKNOWN]
    return kinds[Kind.NAME], kinds[Kind.NOMINAL], others


def _counted_tree(
    weights: Weights,
    parts: IntArray,
    below_name: IntArray,
    pronominal: IntArray,
    has_name: BoolArray,
    has_nominal: BoolArray,
) -> FloatArray:
    """The weight of a maximum spanning tree over the parts of each chain.

    ``below_name`` is the number of parts with a nominal or pronoun, ``pronominal`` of those with a
    pronoun. The classes are processed in the order of their weights, as in Kruskal's algorithm:
    each adds its weight as often as it raises the rank. The rank of several classes together is the
    largest of theirs, since a nominal joins all that a pronoun joins, and a name joins everything.
    """
    ranks = (
        (weights.name, np.where(has_name, parts - 1, 0)),
        (weights.nominal, np.where(has_nominal, below_name - 1, 0)),
        (weights.pronoun, np.maximum(pronominal - 1, 0)),
    )
    total = np.zeros(len(parts))
    reached = np.zeros(len(parts), np.int64)
    for weight, rank in sorted(ranks, key=lambda entry: -entry[0]):
        reach = np.maximum(reached, rank)
        total += weight * (reach - reached)
        reached = reach
    return total


def built_trees(table: MentionTable, link: LinkWeight) -> ChainWeights:
    """The trees of all cells and entities under any weight of links."""
    expressions = [table.expression(row) for row in range(len(table.document))]

    @cache
    def weight(one: int, other: int) -> float:
        return _checked(link, link(expressions[one], expressions[other]))

    def tree(parts: Sequence[Sequence[int]]) -> float:
        """The weight of a maximum spanning tree over parts, joined by their heaviest link."""
        if len(parts) < 2:
            return 0.0
        from scipy.sparse.csgraph import minimum_spanning_tree

        heaviest = np.zeros((len(parts), len(parts)))
        for place, part in enumerate(parts):
            for before in range(place):
                heaviest[before, place] = max(
                    weight(min(one, other), max(one, other))
                    for one in parts[before]
                    for other in part
                )
        # Dense graphs take 0 for "no link", which changes no sum; the heaviest link comes first.
        return -float(minimum_spanning_tree(-heaviest).sum())

    def trees(entity: IntArray, entities: int) -> FloatArray:
        by_entity = _rows_by_entity(entity, entities)
        return np.array([tree([[row] for row in rows]) for rows in by_entity], np.float64)

    cells, cell = table.cells, table.cell
    of_cells = trees(cell, len(cells))
    response = np.bincount(cells.response, of_cells, len(table.response)).astype(np.float64)
    for entity, rows in enumerate(_rows_by_entity(table.response_entity, len(table.response))):
        parts: dict[int, list[int]] = defaultdict(list)
        for row in rows:
            # A mention that the key lacks is a part of its own.
            parts[int(cell[row]) if cell[row] >= 0 else -1 - row].append(row)
        response[entity] += tree(list(parts.values()))
    return ChainWeights(of_cells, trees(table.key_entity, len(table.key)), response)


def _checked(link: LinkWeight, weight: object) -> float:
    if not isinstance(weight, Real) or not 0 <= float(weight) <= HEAVIEST:
        raise UsageError(
            f"the link weight {written_value(link)} returned {weight}",
            remedy=f"A link must weigh a number from 0 to {HEAVIEST:g}.",
        )
    return float(weight)


def _rows_by_entity(entity: IntArray, entities: int) -> list[list[int]]:
    """The rows of each entity."""
    rows: list[list[int]] = [[] for _ in range(entities)]
    for row in np.flatnonzero(entity >= 0).tolist():
        rows[int(entity[row])].append(row)
    return rows
