"""Chains weighed by any function of two mentions: real maximum spanning trees.

Weights that depend on the kinds of mentions alone need none of this (:mod:`.link_weights`). Here
every link of every chain is asked for once, so the cost is quadratic in the length of a chain.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from corefine.corpus.arrays import FloatArray, IntArray
from corefine.errors import UsageError
from corefine.metrics.base import written_value
from corefine.metrics.link_weights import ChainWeights, LinkWeight, found_singletons
from corefine.metrics.table import Table


def spanning_chain_weights(table: Table, link: LinkWeight, singleton: float) -> ChainWeights:
    """The weights of cells and entities under any weight of links; see :class:`.ChainWeights`."""
    expressions = [table.expression(row) for row in range(len(table.document))]

    def matrix(rows: Sequence[int]) -> FloatArray:
        """The weights of all links among these mentions."""
        weights = np.zeros((len(rows), len(rows)))
        for place, row in enumerate(rows):
            for other in range(place):
                weight = _checked(link, float(link(expressions[rows[other]], expressions[row])))
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
    for entity, rows in enumerate(_members(table.response_entity, len(table.response))):
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
        [_maximum_tree(matrix(rows)) for rows in _members(table.key_entity, len(table.key))],
        np.float64,
    )
    return ChainWeights(
        np.where(found_singletons(table), singleton, cells),
        np.where(table.key.size == 1, singleton, key),
        np.where(table.response.size == 1, singleton, response),
    )


def _checked(link: LinkWeight, weight: float) -> float:
    if not math.isfinite(weight) or weight < 0:
        raise UsageError(
            f"the link weight {written_value(link)} gave {weight}",
            remedy="A link must weigh a finite number of at least 0.",
        )
    return weight


def _members(entity: IntArray, entities: int) -> list[list[int]]:
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
