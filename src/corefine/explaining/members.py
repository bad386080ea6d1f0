"""Members: the rows of every entity, found once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from corefine.corpus.arrays import IntArray, offsets_of


@dataclass(frozen=True, slots=True, eq=False)
class Members:
    """Rows by entity, each entity's in their order."""

    rows: IntArray
    offsets: IntArray

    @classmethod
    def of(cls, entity: IntArray, entities: int) -> Members:
        """Sort rows by the entity that is given for each; -1 stands for none."""
        rows = np.argsort(entity, kind="stable")[np.count_nonzero(entity < 0) :]
        return cls(rows, offsets_of(np.bincount(entity[rows], minlength=entities)))

    def __getitem__(self, entity: int) -> IntArray:
        return self.rows[self.offsets[entity] : self.offsets[entity + 1]]
