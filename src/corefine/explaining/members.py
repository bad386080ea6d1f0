"""The rows of every entity, found once, and the names of entities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from corefine.corpus.arrays import IntArray, offsets_of, ranges
from corefine.corpus.corpus import Corpus


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


def entity_labels(corpus: Corpus, entities: Sequence[int] | IntArray | None = None) -> list[str]:
    """A name for each of these entities (or for all): its own, or its number in its document."""
    chosen = np.arange(len(corpus.entities)) if entities is None else np.asarray(entities, np.int64)
    if corpus.entities.names is not None:
        return corpus.entities.names.take(chosen).tolist()
    document = corpus.entities.document
    first = np.full(len(corpus.documents), len(document))
    np.minimum.at(first, document, np.arange(len(document)))
    return [str(number) for number in (chosen - first[document[chosen]] + 1).tolist()]


def place_in_run(values: IntArray) -> IntArray:
    """0, 1, 2, … within each run of equal values.

    >>> place_in_run(np.array([7, 7, 3, 7])).tolist()
    [0, 1, 0, 0]
    """
    opens = np.flatnonzero(np.append(True, values[1:] != values[:-1])[: len(values)])
    return ranges(np.zeros(len(opens), np.int64), np.diff(opens, append=len(values)))
