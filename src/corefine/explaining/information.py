"""Information: what a mention tells of its entity that no earlier mention has told.

Holen (2013) conjectures that mentions carry information of different weight and leaves open how
much. By default a pronoun or a zero weighs 0, and any other mention as many as it has content words
that no earlier mention of its entity has; a name weighs at least 1.
"""

from __future__ import annotations

import numpy as np

from corefine.columns import FloatArray
from corefine.corpus import Kind
from corefine.explaining.phrases import Phrases
from corefine.table import Table


def information_weights(table: Table, phrases: Phrases) -> FloatArray:
    """By row: the weight of a mention within its key entity; 0 for rows that the key lacks."""
    words = np.flatnonzero(phrases.content & (table.key_entity[phrases.owner] >= 0))
    words = words[np.argsort(phrases.turn[phrases.owner[words]], kind="stable")]
    owner = phrases.owner[words]
    width = int(phrases.word.max(initial=0)) + 1
    codes = table.key_entity[owner] * width + phrases.word[words]
    first = np.unique(codes, return_index=True)[1]
    weights = np.bincount(owner[first], minlength=len(phrases)).astype(np.float64)
    if table.kind is not None:
        named = (table.kind == Kind.NAME) & (table.key_entity >= 0)
        weights[named] = np.maximum(weights[named], 1)
        weights[np.isin(table.kind, (Kind.PRONOUN, Kind.ZERO))] = 0
    return weights
