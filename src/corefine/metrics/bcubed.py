"""B³: for each mention, how much of its entity was found."""

from __future__ import annotations

import numpy as np

from corefine.metrics.base import MentionMetric, MentionShares, Properties, Statistics
from corefine.metrics.registry import register
from corefine.metrics.table import Table


@register
class BCubed(MentionMetric):
    r"""The mention-based metric B³ (Bagga & Baldwin 1998).

    .. math:: R = \frac{\sum_{k,r} |k \cap r|^2 / |k|}{\sum_k |k|}, \quad
              P = \frac{\sum_{k,r} |k \cap r|^2 / |r|}{\sum_r |r|}

    A mention that only one side has counts in that side's denominator and earns nothing.
    """

    name = "b3"
    title = "B³"
    summary = "Mention-based: how complete and pure each mention's entity is."
    use = (
        "Use it when every mention should count the same, in large and small entities. For "
        "each mention it measures how complete and how pure its entity is. Singletons dominate "
        "the score where there are many."
    )
    example = "corefine score key.conll response.conll --metrics b3 --singletons drop"
    citation = "Bagga & Baldwin 1998, Algorithms for scoring coreference chains, LREC"
    properties = Properties(splits_twinless=True, split_antecedents=True)
    aliases = ("bcub", "bcubed", "b-cubed", "b³")

    def statistics(self, table: Table) -> Statistics:
        cells = table.cells
        square = cells.count * cells.count
        return {
            "precision_part": table.per_document(
                cells.document, square / table.response.size[cells.response]
            ),
            "precision_whole": table.per_document(table.response.document, table.response.size),
            "recall_part": table.per_document(cells.document, square / table.key.size[cells.key]),
            "recall_whole": table.per_document(table.key.document, table.key.size),
        }

    def mention_shares(self, table: Table) -> MentionShares:
        cells, key, response = table.cells, table.key, table.response
        return MentionShares(
            cells.count / response.size[cells.response],
            cells.count / key.size[cells.key],
            np.ones(len(response)),
            np.ones(len(key)),
        )
