"""MUC: how many links would have to be added."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from corefine.corpus.arrays import FloatArray, IntArray
from corefine.corpus.columns import Kind
from corefine.metrics.base import Properties, RatioMetric, Statistics
from corefine.metrics.registry import register
from corefine.metrics.table import Table


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
    use = (
        "Use it to compare with older work, and as a part of the CoNLL score. It counts the links "
        "that join an entity, so a response that joins too much loses little. It does not see "
        "singletons."
    )
    example = "corefine score key.conll response.conll --metrics muc"
    citation = "Vilain et al. 1995, A model-theoretic coreference scoring scheme, MUC-6"
    properties = Properties(counts_singletons=False, split_antecedents=True)

    def statistics(self, table: Table) -> Statistics:
        common = table.per_document(table.cells.document, table.cells.count - 1)
        return {
            "precision_part": common,
            "precision_whole": table.per_document(table.response.document, table.response.size - 1),
            "recall_part": common,
            "recall_whole": table.per_document(table.key.document, table.key.size - 1),
        }

    def by_kind(self, table: Table) -> dict[str, Statistics]:
        """Each mention but the first of its part in the text has one of the links: the one by which
        it is joined to what stands before it."""
        in_key, in_response = table.key_entity >= 0, table.response_entity >= 0
        cell = np.where(
            in_key & in_response, table.key_entity * len(table.response) + table.response_entity, -1
        )
        common = _counts_by_kind(table, cell)
        response = _counts_by_kind(table, table.response_entity)
        key = _counts_by_kind(table, table.key_entity)
        return {
            kind.name.lower(): {
                "precision_part": common[:, kind],
                "precision_whole": response[:, kind],
                "recall_part": common[:, kind],
                "recall_whole": key[:, kind],
            }
            for kind in Kind
        }


def _counts_by_kind(table: Table, group: IntArray) -> FloatArray:
    """By document and kind, the mentions that are not the first of their group (-1: in none)."""
    order = np.lexsort((table.order, group))
    follows = np.zeros(len(order), bool)
    follows[order[1:]] = group[order[1:]] == group[order[:-1]]
    rows = np.flatnonzero(follows & (group >= 0))
    codes = table.document[rows] * len(Kind) + table.kinds[rows]
    counts = np.bincount(codes, minlength=len(table.documents) * len(Kind))
    return counts.reshape(-1, len(Kind)).astype(np.float64)
