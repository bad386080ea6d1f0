"""Labels of mentions by which what a metric counts is divided: one for each row, on each side."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from corefine.corpus.arrays import FloatArray, IntArray
from corefine.metrics.table import Table

Labels = NDArray[np.uint8]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RowLabels:
    """Recall is divided by what a mention is in the key, precision by what it is in the response.

    A row that a side lacks has any label there.
    """

    names: tuple[str, ...]
    key: Labels
    response: Labels
    of_entities: bool = False
    """Whether all mentions of an entity have the same label."""
    key_order: IntArray | None = None
    """The order of the rows in the text, where it is another than the table's."""
    response_order: IntArray | None = None

    def by_document(self, table: Table, documents: IntArray, labels: Labels) -> FloatArray:
        """How many rows of each label each document has: documents × labels."""
        width = len(self.names)
        counts = np.bincount(documents * width + labels, minlength=len(table.documents) * width)
        return counts.reshape(-1, width).astype(np.float64)
