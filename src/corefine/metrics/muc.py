"""MUC: the number of links that would have to be added."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from corefine.corpus.arrays import FloatArray, IntArray
from corefine.metrics.base import (
    Contributions,
    RatioMetric,
    RowLabels,
    SetMetric,
    Statistics,
    count_cells,
    either_side,
    summed,
)
from corefine.metrics.table import Labels, MentionTable, Table, without_cells

if TYPE_CHECKING:
    from corefine.metrics.split_antecedents import SharedSets

MUC_6 = """\
@inproceedings{vilain-etal-1995-muc,
  author = {Vilain, Marc and Burger, John and Aberdeen, John and Connolly, Dennis and \
Hirschman, Lynette},
  title = {A Model-Theoretic Coreference Scoring Scheme},
  booktitle = {Sixth Message Understanding Conference ({MUC}-6)},
  year = {1995},
}"""


class Muc(RatioMetric, SetMetric):
    r"""The link-based metric of the Message Understanding Conference (Vilain et al. 1995).

    .. math:: R = \frac{\sum_k |k| - |p(k)|}{\sum_k |k| - 1}

    where p(k) is the partition of k by the response; a mention of k in no response entity is a part
    of its own. Precision swaps the roles. A key entity that c response entities share m
    mentions with has :math:`c + |k| - m` parts, so :math:`|k| - |p(k)|` is the sum of :math:`n - 1`
    over its cells, and the two numerators are equal. Without links (all entities singletons) the
    score is 0.

    Use it to compare with older work, and as a part of the CoNLL score. It counts the minimal links
    of an entity, so over-merging costs little. It ignores singletons.

    .. code-block:: console

        $ corefine score key.conll response.conll --metrics muc
    """

    name = "muc"
    title = "MUC"
    summary = "Link-based: minimal number of links to be added or removed."
    citation = "Vilain et al. 1995, A model-theoretic coreference scoring scheme, MUC-6"
    references = (MUC_6,)
    counts_singletons = False
    divides_by = frozenset({"kind", "mention", "entity"})

    def contributions(self, table: Table) -> Contributions:
        links = table.cells.count - 1
        return Contributions(links, links, table.response.size - 1, table.key.size - 1)

    def set_statistics(self, table: Table) -> Statistics:
        """A singleton in a set counts as one link, found if it is a singleton on both sides."""
        key, response, cells = table.key.size, table.response.size, table.cells
        alone = (key[cells.key] == 1) & (response[cells.response] == 1)
        links = cells.count - 1 + alone
        wholes = np.maximum(response - 1, 1), np.maximum(key - 1, 1)
        return summed(table, Contributions(links, links, *wholes))

    def statistics_of_shared(self, sets: SharedSets) -> Statistics:
        """A set alone in its cell has no link."""
        precision, recall = (
            count_cells(self, without_cells(table, table.cells.count <= shared))
            for table, shared in (sets.table("", "precision"), sets.table("", "recall"))
        )
        return either_side(precision, recall)

    def by_label(self, table: MentionTable, labels: RowLabels) -> dict[str, Statistics]:
        """Each mention except the first of its part has one link, to the mention before it."""
        in_key, in_response = table.key_entity >= 0, table.response_entity >= 0
        cell = np.where(
            in_key & in_response, table.key_entity * len(table.response) + table.response_entity, -1
        )
        ours = table.order if labels.key_order is None else labels.key_order
        theirs = table.order if labels.response_order is None else labels.response_order

        def links(group: IntArray, order: IntArray, label: Labels) -> FloatArray:
            rows = _following(group, order)
            return labels.by_document(table, table.document[rows], label[rows])

        columns = {
            "precision_part": links(cell, theirs, labels.response),
            "precision_whole": links(table.response_entity, theirs, labels.response),
            "recall_part": links(cell, ours, labels.key),
            "recall_whole": links(table.key_entity, ours, labels.key),
        }
        return {
            name: {statistic: counts[:, label] for statistic, counts in columns.items()}
            for label, name in enumerate(labels.names)
        }


def _following(group: IntArray, place: IntArray) -> IntArray:
    """The rows that are not the first of their group in the text (-1: no group)."""
    order = np.lexsort((place, group))
    follows = np.zeros(len(order), bool)
    follows[order[1:]] = group[order[1:]] == group[order[:-1]]
    return np.flatnonzero(follows & (group >= 0))
