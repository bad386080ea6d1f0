"""Mention detection: which mentions were found, whatever they refer to."""

from __future__ import annotations

import numpy as np

from corefine.metrics.base import MentionMetric, MentionShares, Statistics
from corefine.metrics.registry import register
from corefine.metrics.table import Table


@register
class MentionDetection(MentionMetric):
    r"""Precision and recall of the sets of mentions.

    .. math:: R = \frac{|M_k \cap M_r|}{|M_k|}, \quad P = \frac{|M_k \cap M_r|}{|M_r|}
    """

    name = "mentions"
    title = "Mentions"
    summary = "Mention detection."
    use = (
        "Use it along with every other metric, since only detected mentions can be linked. It "
        "distinguishes missed mentions from wrong links. It ignores coreference, and is 100 "
        "with gold mentions."
    )
    example = "corefine score key.conll response.conll --metrics mentions,lea"
    citation = "Pradhan et al. 2011, CoNLL-2011 shared task, CoNLL"
    aliases = ("mention", "mention-detection")

    def statistics(self, table: Table) -> Statistics:
        common = table.per_document(table.cells.document, table.cells.count)
        return {
            "precision_part": common,
            "precision_whole": table.per_document(table.response.document, table.response.size),
            "recall_part": common,
            "recall_whole": table.per_document(table.key.document, table.key.size),
        }

    def mention_shares(self, table: Table) -> MentionShares:
        found = np.ones(len(table.cells))
        return MentionShares(found, found, np.ones(len(table.response)), np.ones(len(table.key)))
