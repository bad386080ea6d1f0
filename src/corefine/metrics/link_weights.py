"""Weights of links and of chains (Chen & Ng 2013), counted instead of built.

A link weighs by the most informative mention in it: a name, else a nominal, else a pronoun. A chain
weighs as its maximum spanning tree. Links fall into three classes, and a class joins all that it
can reach: a name joins everything, a nominal all nominals and pronouns, a pronoun all pronouns. So
Kruskal's algorithm needs no links, only the number of things that each class can join.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import astuple, dataclass

import numpy as np

from corefine.corpus.arrays import BoolArray, FloatArray, IntArray
from corefine.corpus.columns import Kind
from corefine.corpus.expression import Expression
from corefine.errors import UsageError
from corefine.metrics.table import Table

LinkWeight = Callable[[Expression, Expression], float]
"""A weight for the link between two mentions, 0 or more."""


@dataclass(frozen=True, slots=True)
class Weights:
    """What a link with a name, a link with a nominal, any other link, and a singleton weigh."""

    name: float
    nominal: float
    pronoun: float
    singleton: float

    def __post_init__(self) -> None:
        for part, value in zip(self.__slots__, astuple(self), strict=True):
            if not isinstance(value, int | float) or not math.isfinite(value) or value < 0:
                raise UsageError(
                    f"the weight {part}={value} is not a finite number of at least 0",
                    remedy="Write for example name=1,nominal=0.75,pronoun=0.5,singleton=1.",
                )

    @property
    def descending(self) -> bool:
        """Whether a more informative link weighs at least as much."""
        return self.name >= self.nominal >= self.pronoun


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


def chain_weights(table: Table, weights: Weights) -> ChainWeights:
    """The weights of all cells and entities, in time linear in the mentions."""
    if table.kinds.any():
        # Before the cells, which are then taken from these counts instead of being sorted again.
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
    key_single, response_single = table.key.size == 1, table.response.size == 1
    of_key[key_single] = weights.singleton
    of_response[response_single] = weights.singleton
    trees[key_single[cells.key] & response_single[cells.response]] = weights.singleton
    return ChainWeights(trees, of_key, of_response)


def found_singletons(table: Table) -> BoolArray:
    """Which cells are a singleton on both sides."""
    cells = table.cells
    key: BoolArray = table.key.size == 1
    response: BoolArray = table.response.size == 1
    return key[cells.key] & response[cells.response]


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


def _parts(table: Table) -> IntArray:
    """How many cells each response entity has, with each mention that the key lacks."""
    owner, length = table.cells.response, len(table.response)
    found = np.bincount(owner, table.cells.count, minlength=length).astype(np.int64)
    return np.bincount(owner, minlength=length) + table.response.size - found


def _joined_parts(table: Table) -> _Blocks:
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

    With descending weights every link of the tree weighs as the best class that the chain has.
    Otherwise the classes are taken in the order of their weights, as Kruskal takes links: each adds
    its weight as often as it raises the rank, and the rank of several classes together is the
    greatest of theirs, since what a pronoun joins a nominal joins too, and a name joins all.
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
