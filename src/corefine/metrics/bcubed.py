"""B³: the share of each mention's entity that was found."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from corefine.corpus.arrays import FloatArray, IntArray
from corefine.metrics.base import Contributions, MentionMetric, SetMetric, kind_weights
from corefine.metrics.information import InformationWeight, weights_of
from corefine.metrics.table import MentionTable, Table, by_row

BAGGA_BALDWIN = """\
@inproceedings{bagga-baldwin-1998-b3,
  author = {Bagga, Amit and Baldwin, Breck},
  title = {Algorithms for Scoring Coreference Chains},
  booktitle = {The First International Conference on Language Resources and Evaluation Workshop \
on Linguistics Coreference},
  year = {1998},
}"""


@dataclass(frozen=True)
class BCubed(MentionMetric, SetMetric):
    r"""The mention-based metric B³ (Bagga & Baldwin 1998).

    .. math:: R = \frac{\sum_{k,r} |k \cap r|^2 / |k|}{\sum_k |k|}, \quad
              P = \frac{\sum_{k,r} |k \cap r|^2 / |r|}{\sum_r |r|}

    A mention that only one side has counts in that side's denominator and earns nothing.

    Use it when every mention should count the same, in large and small entities. For each mention
    it measures how complete and how pure its entity is. Singletons dominate the score where there
    are many.

    ``weights`` gives mentions other weights than 1: by kind, ``b3(weights=name=2+pronoun=0.5)``
    (unlisted kinds weigh 1), or in Python a function from a corpus to one weight per mention. Then
    R is ``Σ w(m)·|k ∩ r|/|k|`` over the key's mentions m, divided by ``Σ w(m)``; P swaps roles.

    .. code-block:: console

        $ corefine score key.conll response.conll --metrics b3 --singletons drop
    """

    name = "b3"
    title = "B³"
    summary = "Mention-based: how complete and pure each mention's entity is."
    citation = "Bagga & Baldwin 1998, Algorithms for scoring coreference chains, LREC"
    references = (BAGGA_BALDWIN,)
    aliases = ("bcub", "bcubed", "b-cubed", "b³")

    accepts = (("weights", ("1 for each mention", "name=2+pronoun=0.5")),)

    weights: str | InformationWeight = ""

    def __post_init__(self) -> None:
        if isinstance(self.weights, str) and self.weights:
            kind_weights(self.weights)

    @property
    def splits_twinless(self) -> bool:
        return not self.weights

    @property
    def scores_sets(self) -> bool:  # type: ignore[override]
        return not self.weights

    @property
    def needs_kinds(self) -> bool:
        return bool(self.weights)

    @property
    def needs_mentions(self) -> bool:
        return bool(self.weights)

    @property
    def divides_by(self) -> frozenset[str]:  # type: ignore[override]
        return frozenset() if self.weights else super().divides_by

    def contributions(self, table: Table) -> Contributions:
        if self.weights:
            assert isinstance(table, MentionTable)
            return self._weighted(table)
        cells, key, response = table.cells, table.key, table.response
        square = cells.count * cells.count
        return Contributions(
            square / response.size[cells.response],
            square / key.size[cells.key],
            response.size,
            key.size,
        )

    def _weighted(self, table: MentionTable) -> Contributions:
        """Contributions with a weight for each mention; the key's weight counts for shared ones."""
        cells, key, response = table.cells, table.key, table.response
        if isinstance(self.weights, str):
            row = kind_weights(self.weights)[table.kinds]
        else:
            matching = table.matching
            corpora = matching.key, matching.response
            row = by_row(matching, *(weights_of(self.weights, corpus) for corpus in corpora))
        both = (table.key_entity >= 0) & (table.response_entity >= 0)
        width = max(len(response), 1)
        code = table.key_entity * width + table.response_entity
        cell = np.searchsorted(cells.key * width + cells.response, code[both])
        found = np.bincount(cell, row[both], minlength=len(cells.count)) * cells.count

        def total(entity: IntArray, count: int) -> FloatArray:
            rows = entity >= 0
            return np.bincount(entity[rows], row[rows], minlength=count).astype(np.float64)

        return Contributions(
            found / response.size[cells.response],
            found / key.size[cells.key],
            total(table.response_entity, len(response)),
            total(table.key_entity, len(key)),
        )
