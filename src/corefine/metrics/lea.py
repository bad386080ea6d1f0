"""LEA: how important an entity is, and how well it is resolved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from corefine.choices import choose
from corefine.columns import FloatArray
from corefine.errors import UsageError
from corefine.metrics.base import RatioMetric, Statistics
from corefine.metrics.blanc import pairs
from corefine.metrics.registry import register
from corefine.table import Side, Table

Importance = Callable[[Side], FloatArray]
IMPORTANCES = ("size", "uniform")


@register
@dataclass(frozen=True)
class Lea(RatioMetric):
    r"""The link-based entity-aware metric (Moosavi & Strube 2016).

    .. math:: R = \frac{\sum_k \mathrm{importance}(k) \sum_r
              \frac{\mathrm{link}(k \cap r)}{\mathrm{link}(k)}}{\sum_k \mathrm{importance}(k)},
              \quad \mathrm{link}(n) = n(n-1)/2

    Precision swaps the roles. A singleton has one link, to itself, which only the same singleton on
    the other side resolves. ``importance`` is ``size`` (the paper's default), ``uniform``, or in
    Python a function from the entities of a side (columns ``size``, ``document``) to an array of
    weights.
    """

    name = "lea"
    title = "LEA"
    summary = "Entities: the share of each one's links that was found, weighted by its importance."
    citation = "Moosavi & Strube 2016, Which coreference evaluation metric do you trust?, ACL"

    importance: str | Importance = "size"

    def __post_init__(self) -> None:
        if not callable(self.importance):
            choose("the importance of lea", self.importance, IMPORTANCES)

    def statistics(self, table: Table) -> Statistics:
        precision_part, precision_whole = self._resolved(table.swapped)
        recall_part, recall_whole = self._resolved(table)
        return {
            "precision_part": precision_part,
            "precision_whole": precision_whole,
            "recall_part": recall_part,
            "recall_whole": recall_whole,
        }

    def _resolved(self, table: Table) -> tuple[FloatArray, FloatArray]:
        """Importance times resolution, and importance, summed over the key entities."""
        cells, key = table.cells, table.key
        weight = self._weights(key)
        alone = (key.size[cells.key] == 1) & (table.response.size[cells.response] == 1)
        links = pairs(cells.count) + alone
        links_of_entity = np.maximum(pairs(key.size), 1)
        found = weight[cells.key] * links / links_of_entity[cells.key]
        return table.per_document(cells.document, found), table.per_document(key.document, weight)

    def _weights(self, side: Side) -> FloatArray:
        if self.importance == "size":
            return side.size.astype(np.float64)
        if self.importance == "uniform":
            return np.ones(len(side))
        assert callable(self.importance)
        weights = np.asarray(self.importance(side), np.float64)
        if weights.shape != (len(side),) or not np.isfinite(weights).all() or (weights < 0).any():
            raise UsageError(
                f"the importance {self.importance!r} must give one finite weight of at least 0 "
                f"for each of {len(side)} entities; it gave shape {weights.shape}"
            )
        return weights
