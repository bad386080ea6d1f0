"""Clustering: from the scores of pairs to entities.

A way of clustering keeps some of the pairs as links; entities are what the links connect. A pair
is satisfactory if its score is at least the threshold. The pairs of an anaphor stand together, in
the order of their antecedents.

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

from corefine.corpus.arrays import BoolArray, FloatArray, IntArray, by_first_appearance
from corefine.resolving.mention_pairs import MentionPairs

Clustering = Callable[[MentionPairs, FloatArray, float], MentionPairs]


def aggressive_merge(pairs: MentionPairs, scores: FloatArray, threshold: float) -> MentionPairs:
    """Every satisfactory pair."""
    return pairs.where(scores >= threshold)


def closest_link(pairs: MentionPairs, scores: FloatArray, threshold: float) -> MentionPairs:
    """For each anaphor the satisfactory pair with the closest antecedent."""
    return _last_of_each(pairs, scores >= threshold)


def best_link(pairs: MentionPairs, scores: FloatArray, threshold: float) -> MentionPairs:
    """For each anaphor the satisfactory pair with the highest score, the closest of equal ones.

    >>> pairs = MentionPairs(np.array([0, 1, 2]), np.array([3, 3, 3]))
    >>> best_link(pairs, np.array([0.8, 0.9, 0.6]), 0.5).antecedent.tolist()
    [1]
    """
    if not len(pairs):
        return pairs
    starts = np.flatnonzero(np.append(True, pairs.anaphor[1:] != pairs.anaphor[:-1]))
    sizes = np.diff(starts, append=len(pairs))
    best = np.repeat(np.maximum.reduceat(scores, starts), sizes)
    return _last_of_each(pairs, (scores == best) & (scores >= threshold))


CLUSTERINGS: dict[str, Clustering] = {
    "aggressive-merge": aggressive_merge,
    "closest-link": closest_link,
    "best-link": best_link,
}


def entities_of(count: int, links: MentionPairs) -> IntArray:
    """The entity of each of ``count`` markables, numbered in the order of their first markables."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    ones = np.ones(len(links), np.int8)
    graph = coo_array((ones, (links.antecedent, links.anaphor)), shape=(count, count))
    labels = connected_components(graph, directed=False)[1]
    return by_first_appearance(labels.astype(np.int64))[0]


def _last_of_each(pairs: MentionPairs, wanted: BoolArray) -> MentionPairs:
    """Of the wanted pairs the last of each anaphor: that with the closest antecedent."""
    good = pairs.where(wanted)
    last: BoolArray = np.ones(len(good), bool)
    last[:-1] = good.anaphor[1:] != good.anaphor[:-1]
    return good.where(last)
