"""MUC: how many links would have to be added."""

from __future__ import annotations

from dataclasses import dataclass

from corefine.metrics.base import Properties, RatioMetric, Statistics
from corefine.metrics.registry import register
from corefine.table import Table


@register
@dataclass(frozen=True)
class Muc(RatioMetric):
    r"""The link-based metric of the Message Understanding Conference (Vilain et al. 1995).

    .. math:: R = \frac{\sum_k |k| - |p(k)|}{\sum_k |k| - 1}

    where p(k) is the partition of k by the response; a mention of k that no response entity holds
    is a part of its own. Precision swaps the roles. A key entity met by c response entities in m of
    its mentions has c + |k| - m parts, so |k| - |p(k)| is the sum of n - 1 over its cells, and the
    two numerators are equal. Without links (all entities singletons) the score is 0.
    """

    name = "muc"
    title = "MUC"
    summary = "Links: the fewest that must be added to join what was split."
    citation = "Vilain et al. 1995, A model-theoretic coreference scoring scheme, MUC-6"
    properties = Properties(counts_singletons=False)

    def statistics(self, table: Table) -> Statistics:
        common = table.per_document(table.cells.document, table.cells.count - 1)
        return {
            "precision_part": common,
            "precision_whole": table.per_document(table.response.document, table.response.size - 1),
            "recall_part": common,
            "recall_whole": table.per_document(table.key.document, table.key.size - 1),
        }
