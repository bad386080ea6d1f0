"""Resolvers that need no training: the floors of a comparison, and head match.

``singletons``
    every markable is an entity of its own.
``one-entity``
    all markables of a document are one entity.
``headmatch``
    markables of a document with the same head word, whatever their kind, are one entity.
"""

from __future__ import annotations

import numpy as np

from corefine.corpus.arrays import IntArray
from corefine.resolving.described import Described


def singletons(described: Described) -> IntArray:
    """Every markable by itself."""
    return np.arange(len(described))


def one_entity(described: Described) -> IntArray:
    """All markables of a document together."""
    return in_order_of_text(described.markables.document)


def headmatch(described: Described) -> IntArray:
    """Markables of a document with the same head word together."""
    words = len(described.markables.words.words)
    return in_order_of_text(described.markables.document * max(words, 1) + described.head)


def in_order_of_text(labels: IntArray) -> IntArray:
    """Labels as numbers from 0, in the order in which they first occur."""
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[inverse.reshape(-1)]
