"""Clustering: from the scores of pairs to entities.

A way of clustering keeps some of the pairs as links; entities are what the links connect. A pair
is satisfactory if its score is at least the threshold.

``aggressive-merge``
    every satisfactory pair is a link: single link (McCarthy and Lehnert 1995).
``closest-link``
    each markable is linked to the closest satisfactory antecedent (Soon et al. 2001).
``best-link``
    each markable is linked to the satisfactory antecedent with the highest score, of equal ones
    to the closest (Ng and Cardie 2002).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from corefine.corpus.arrays import BoolArray, FloatArray, IntArray
from corefine.resolving.pairs import Pairs

Clustering = Callable[[Pairs, FloatArray, float], Pairs]


def aggressive_merge(pairs: Pairs, scores: FloatArray, threshold: float) -> Pairs:
    """Every satisfactory pair."""
    return pairs.where(scores >= threshold)


def closest_link(pairs: Pairs, scores: FloatArray, threshold: float) -> Pairs:
    """For each anaphor the satisfactory pair with the closest antecedent."""
    good = pairs.where(scores >= threshold)
    order = np.lexsort((good.antecedent, good.anaphor))
    return _last_of_each(good, order)


def best_link(pairs: Pairs, scores: FloatArray, threshold: float) -> Pairs:
    """For each anaphor the satisfactory pair with the highest score, the closest of equal ones.

    >>> pairs = Pairs(np.array([0, 1, 2]), np.array([3, 3, 3]))
    >>> best_link(pairs, np.array([0.8, 0.9, 0.6]), 0.5).antecedent.tolist()
    [1]
    """
    satisfactory = scores >= threshold
    good, values = pairs.where(satisfactory), scores[satisfactory]
    order = np.lexsort((good.antecedent, values, good.anaphor))
    return _last_of_each(good, order)


CLUSTERINGS: dict[str, Clustering] = {
    "aggressive-merge": aggressive_merge,
    "closest-link": closest_link,
    "best-link": best_link,
}


def entities_of(count: int, links: Pairs) -> IntArray:
    """The entity of each of ``count`` markables, numbered in the order of their first markables.

    Every markable starts as an entity of its own, named after itself. In each round an entity is
    renamed after the earliest one that it is linked to, and the renamings are followed to their
    end; this is repeated until no link joins two names.
    """
    name = np.arange(count)
    while True:
        left, right = name[links.antecedent], name[links.anaphor]
        if np.array_equal(left, right):
            break
        np.minimum.at(name, np.maximum(left, right), np.minimum(left, right))
        while not np.array_equal(name, shorter := name[name]):
            name = shorter
    return np.unique(name, return_inverse=True)[1].reshape(-1)


def _last_of_each(pairs: Pairs, order: IntArray) -> Pairs:
    """In this order, which goes by anaphor, the last pair of each anaphor."""
    anaphor = pairs.anaphor[order]
    last: BoolArray = np.ones(len(order), bool)
    last[:-1] = anaphor[1:] != anaphor[:-1]
    rows = order[last]
    return Pairs(pairs.antecedent[rows], pairs.anaphor[rows])
