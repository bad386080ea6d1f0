"""Information: what the mentions of a table tell of their key entities.

The weight of a mention is that of :func:`corefine.information.new_words`, which LEA's importance
uses too, so that the two speak of the same information.
"""

from __future__ import annotations

import numpy as np

from corefine.columns import FloatArray
from corefine.explaining.phrases import Phrases
from corefine.information import new_words
from corefine.table import Table


def information_weights(table: Table, phrases: Phrases) -> FloatArray:
    """By row: the weight of a mention within its key entity; 0 for rows that the key lacks."""
    weights = np.zeros(len(phrases))
    if table.matched is None:
        raise ValueError("this table does not know the mentions that it was made from")
    rows = np.flatnonzero(table.key_entity >= 0)
    weights[rows] = new_words(table.matched.key)[table.matched.key_mention[rows]]
    return weights
