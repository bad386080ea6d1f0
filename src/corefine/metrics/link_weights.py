"""Weights of links and of chains (Chen & Ng 2013), counted instead of built.

A link weighs by the most informative mention in it: a name, else a nominal, else a pronoun. A chain
weighs as its maximum spanning tree. Links fall into three classes, and a class joins all that it
can reach: a name joins everything, a nominal all nominals and pronouns, a pronoun all pronouns. So
Kruskal's algorithm needs no links, only the number of things that each class can join. Where any
function of two mentions weighs their link, real trees are built, in time quadratic in the length
of a chain.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass
from numbers import Real

import numpy as np

from corefine.corpus.arrays import BoolArray, FloatArray, IntArray
from corefine.corpus.columns import Kind
from corefine.corpus.expression import Expression
from corefine.errors import UsageError
from corefine.metrics.base import written_value
from corefine.metrics.table import MentionTable

LinkWeight = Callable[[Expression, Expression], float]
"""A weight for the link between two mentions, 0 or more."""


@dataclass(frozen=True, slots=True)
class Weights:
    """Weights of links with a name, links with a nominal, all other links, and singletons."""

    name: float
    nominal: float
    pronoun: float
    singleton: float

    def __post_init__(self) -> None:
        for part, value in zip(self.__slots__, astuple(self), strict=True):
            if not isinstance(value, int | float) or not 0 <= value <= HEAVIEST:
                raise UsageError(
                    f"the weight {part}={value} is not a number from 0 to {HEAVIEST:g}",
                    remedy="Write, for example, name=1,nominal=0.75,pronoun=0.5,singleton=1.",
                )

    @property
    def descending(self) -> bool:
        """True if more informative links have at least the weight of less informative ones."""
        return self.name >= self.nominal >= self.pronoun


HEAVIEST = 1e100
"""The largest weight: sums and products of more would be no numbers."""

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


def chain_weights(table: MentionTable, weights: Weights) -> ChainWeights:
    """The weights of all cells and entities, in time linear in the mentions."""
    if table.kinds.any():
        counts = table.kind_counts
        trees = _spanning(_single_mentions(counts.cells), weights)
        of_key = _spanning(_single_mentions(counts.key), weights)
        of_response = _spanning(_joined_parts(table), weights)
    else:
        # All mentions weigh as pronouns, and so do all links.
        each = np.float64(weights.pronoun)
        trees = (table.cells.count - 1) * each
        of_key = (table.key.size - 1) * each
        of_response = (_parts(table) - 1) * each
    cells = table.cells
    # A response entity keeps the trees of its correct parts; what joins the parts is spurious.
    of_response += np.bincount(cells.response, trees, minlength=len(table.response))
    return _with_singletons(table, ChainWeights(trees, of_key, of_response), weights.singleton)


def _with_singletons(table: MentionTable, chains: ChainWeights, weight: float) -> ChainWeights:
    """The same with singletons, which have no tree, at their own weight."""
    cells, key, response = table.cells, table.key.size == 1, table.response.size == 1
    chains.key[key] = weight
    chains.response[response] = weight
    chains.cells[key[cells.key] & response[cells.response]] = weight
    return chains


@dataclass(frozen=True, slots=True, eq=False)
class _Blocks:
    """For each chain: its blocks, those with a nominal or pronoun, those with a pronoun; and
    whether it has a name and a nominal at all."""

    all: IntArray
    below_name: IntArray
    pronominal: IntArray
    has_name: BoolArray
    has_nominal: BoolArray


def _three_classes(kinds: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Names, nominals and the others: zeros, and mentions of unknown kind, weigh as pronouns."""
    others = kinds[Kind.PRONOUN] + kinds[Kind.ZERO]
    others += kinds[Kind.UNKNOWN]
    return kinds[Kind.NAME], kinds[Kind.NOMINAL], others


def _single_mentions(kinds: IntArray) -> _Blocks:
    """The blocks of a tree inside a chain: its mentions."""
    names, nominals, pronouns = _three_classes(kinds)
    below = nominals + pronouns
    return _Blocks(names + below, below, pronouns, names > 0, nominals > 0)


def _parts(table: MentionTable) -> IntArray:
    """Number of cells per response entity, plus one for each mention that the key lacks."""
    owner, length = table.cells.response, len(table.response)
    found = np.bincount(owner, table.cells.count, minlength=length).astype(np.int64)
    return np.bincount(owner, minlength=length) + table.response.size - found


def _joined_parts(table: MentionTable) -> _Blocks:
    """The blocks of a response entity: its cells, and each mention that the key lacks."""
    counts, owner, length = table.kind_counts, table.cells.response, len(table.response)
    _, nominals, pronouns = _three_classes(counts.cells)
    lone_names, lone_nominals, lone_pronouns = _three_classes(counts.response_only)
    lone_below = lone_nominals + lone_pronouns
    return _Blocks(
        np.bincount(owner, minlength=length) + lone_names + lone_below,
        np.bincount(owner[(nominals + pronouns) > 0], minlength=length) + lone_below,
        np.bincount(owner[pronouns > 0], minlength=length) + lone_pronouns,
        counts.response[Kind.NAME] > 0,
        counts.response[Kind.NOMINAL] > 0,
    )


def _spanning(blocks: _Blocks, weights: Weights) -> FloatArray:
    """The weight of a maximum spanning tree over the blocks of each chain.

    With descending weights every link of the tree has the weight of the best class of the chain.
    Otherwise the classes are processed in the order of their weights, as in Kruskal's algorithm:
    each adds its weight as often as it raises the rank. The rank of several classes together is the
    largest of theirs, since a nominal joins all that a pronoun joins, and a name joins everything.
    """
    if weights.descending:
        by_class = np.array([weights.pronoun, weights.nominal, weights.name, weights.name], float)
        return by_class[blocks.has_nominal + 2 * blocks.has_name] * (blocks.all - 1)
    ranks = (
        (weights.name, np.where(blocks.has_name, blocks.all - 1, 0)),
        (weights.nominal, np.where(blocks.has_nominal, blocks.below_name - 1, 0)),
        (weights.pronoun, np.maximum(blocks.pronominal - 1, 0)),
    )
    total = np.zeros(len(blocks.all))
    reached = np.zeros(len(blocks.all), np.int64)
    for weight, rank in sorted(ranks, key=lambda entry: -entry[0]):
        reach = np.maximum(reached, rank)
        total += weight * (reach - reached)
        reached = reach
    return total


def spanning_chain_weights(table: MentionTable, link: LinkWeight, singleton: float) -> ChainWeights:
    """The weights of cells and entities under any weight of links; see :class:`.ChainWeights`."""
    expressions = [table.expression(row) for row in range(len(table.document))]

    def matrix(rows: Sequence[int]) -> FloatArray:
        """The weights of all links among these mentions."""
        weights = np.zeros((len(rows), len(rows)))
        for place, row in enumerate(rows):
            for other in range(place):
                weight = _checked(link, link(expressions[rows[other]], expressions[row]))
                weights[place, other] = weights[other, place] = weight
        return weights

    cells = np.zeros(len(table.cells))
    response = np.zeros(len(table.response))
    cell_number = {
        pair: number
        for number, pair in enumerate(
            zip(table.cells.key.tolist(), table.cells.response.tolist(), strict=True)
        )
    }
    for entity, rows in enumerate(_rows_by_entity(table.response_entity, len(table.response))):
        links = matrix(rows)
        blocks: dict[int, list[int]] = {}
        for place, row in enumerate(rows):
            owner = int(table.key_entity[row])
            # A mention that the key lacks is a block of its own; negative numbers keep them apart.
            blocks.setdefault(owner if owner >= 0 else -1 - place, []).append(place)
        for owner, places in blocks.items():
            if owner >= 0:
                weight = _maximum_tree(links[np.ix_(places, places)])
                cells[cell_number[owner, entity]] = weight
                response[entity] += weight
        response[entity] += _maximum_tree(_between(links, list(blocks.values())))
    key = np.array(
        [_maximum_tree(matrix(rows)) for rows in _rows_by_entity(table.key_entity, len(table.key))],
        np.float64,
    )
    return _with_singletons(table, ChainWeights(cells, key, response), singleton)


def _checked(link: LinkWeight, weight: object) -> float:
    if not isinstance(weight, Real) or not 0 <= float(weight) <= HEAVIEST:
        raise UsageError(
            f"the link weight {written_value(link)} returned {weight}",
            remedy=f"A link must weigh a number from 0 to {HEAVIEST:g}.",
        )
    return float(weight)


def _rows_by_entity(entity: IntArray, entities: int) -> list[list[int]]:
    """The rows of each entity."""
    rows = np.flatnonzero(entity >= 0)
    rows = rows[np.argsort(entity[rows], kind="stable")]
    bounds = np.cumsum(np.bincount(entity[rows], minlength=entities))[:-1]
    return [part.tolist() for part in np.split(rows, bounds)] if entities else []


def _between(links: FloatArray, blocks: list[list[int]]) -> FloatArray:
    """The heaviest link between each two blocks."""
    heaviest = np.zeros((len(blocks), len(blocks)))
    for place, block in enumerate(blocks):
        for other in range(place):
            weight = links[np.ix_(block, blocks[other])].max()
            heaviest[place, other] = heaviest[other, place] = weight
    return heaviest


def _maximum_tree(links: FloatArray) -> float:
    """The weight of a maximum spanning tree; links of weight 0 need not be in it."""
    if len(links) < 2:
        return 0.0
    from scipy.sparse.csgraph import minimum_spanning_tree

    # Dense graphs take 0 for "no link", which changes no sum; the heaviest link comes first.
    return -float(minimum_spanning_tree(-np.triu(links)).sum())
