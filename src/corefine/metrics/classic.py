"""The metrics with the simplest definitions: mention detection, exact entities, MUC and B³."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from corefine.corpus.arrays import FloatArray, IntArray
from corefine.metrics.base import (
    MentionMetric,
    RatioMetric,
    RowLabels,
    Statistics,
    count_cells,
    either_side,
)
from corefine.metrics.information import InformationWeight, kind_weights, weights_of
from corefine.metrics.table import (
    Contributions,
    Labels,
    MentionTable,
    Table,
    sums_by,
    without_cells,
)

if TYPE_CHECKING:
    from corefine.metrics.split_antecedents import SharedSets


class MentionDetection(MentionMetric):
    r"""Precision and recall of the sets of mentions.

    .. math:: R = \frac{|M_k \cap M_r|}{|M_k|}, \quad P = \frac{|M_k \cap M_r|}{|M_r|}

    Use it along with every other metric, since only detected mentions can be linked. It
    distinguishes missed mentions from wrong links. It ignores coreference, and is 100 with gold
    mentions.

    .. code-block:: console

        $ corefine score key.conll response.conll --metrics mentions,lea
    """

    name = "mentions"
    title = "Mentions"
    summary = "Mention detection."
    citation = "Pradhan et al. 2011, CoNLL-2011 shared task, CoNLL"
    references = ("pradhan-etal-2011-conll",)
    aliases: ClassVar[tuple[str, ...]] = ("mention", "mention-detection")

    def contributions(self, table: Table) -> Contributions:
        count = table.cells.count
        return Contributions(count, count, table.response.size, table.key.size)


class ExactEntities(RatioMetric):
    r"""The entities that both sides have with the same mentions.

    .. math:: R = \frac{|K \cap R|}{|K|} \qquad P = \frac{|K \cap R|}{|R|}

    Singletons count like other entities. Entity resolution calls it cluster precision and recall
    (Barnes 2015; Binette & Steorts 2022).

    Use it to know how many entities need no correction. It gives nothing for an entity of which a
    single mention is missing. It falls quickly with the size of entities.

    .. code-block:: console

        $ corefine score key.conll response.conll --metrics exact
    """

    name = "exact"
    title = "Exact entities"
    summary = "Entities that are reproduced exactly (cluster precision and recall)."
    citation = "Barnes 2015, A practioner's guide to evaluating entity resolution results"
    references = ("barnes-2015-practioners",)
    aliases = ("clusters",)

    def contributions(self, table: Table) -> Contributions:
        """Each cell that is a whole entity on both sides counts once."""
        cells, key, response = table.cells, table.key.size, table.response.size
        whole = (cells.count == key[cells.key]) & (cells.count == response[cells.response])
        return Contributions(whole, whole, np.ones(len(response)), np.ones(len(key)))


class Muc(RatioMetric):
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
    references = ("vilain-etal-1995-muc",)
    counts_singletons = False
    scores_sets = True
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
        return table.summed(Contributions(links, links, *wholes))

    def statistics_of_shared(self, sets: SharedSets) -> Statistics:
        """A set alone in its cell has no link."""
        precision, recall = (
            count_cells(self, without_cells(table, table.cells.count <= shared))
            for table, shared in (sets.table("", "precision"), sets.table("", "recall"))
        )
        return either_side(precision, recall)

    def by_label(self, table: MentionTable, labels: RowLabels) -> dict[str, Statistics]:
        """Each mention except the first of its part has one link, to the mention before it."""
        count, documents = len(labels.names), len(table.documents)
        ours = table.order if labels.key_order is None else labels.key_order
        theirs = table.order if labels.response_order is None else labels.response_order

        def links(group: IntArray, order: IntArray, label: Labels) -> FloatArray:
            """The links by document and label."""
            rows = _following(group, order)
            codes = table.document[rows] * count + label[rows]
            found = np.bincount(codes, minlength=documents * count).reshape(-1, count)
            return found.astype(np.float64)

        columns = {
            "precision_part": links(table.cell, theirs, labels.response),
            "precision_whole": links(table.response_entity, theirs, labels.response),
            "recall_part": links(table.cell, ours, labels.key),
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


@dataclass(frozen=True)
class BCubed(MentionMetric):
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
    references = ("bagga-baldwin-1998-b3",)
    aliases = ("bcub", "bcubed", "b-cubed", "b³")
    examples = (("weights", ("1 for each mention", "name=2+pronoun=0.5")),)
    splits_twinless = True
    scores_sets = True

    weights: str | InformationWeight = ""

    def __post_init__(self) -> None:
        if not self.weights:
            return
        if isinstance(self.weights, str):
            kind_weights(self.weights)
        self._set(
            needs_kinds=True, splits_twinless=False, scores_sets=False, divides_by=frozenset()
        )

    def contributions(self, table: Table) -> Contributions:
        cells, key, response = table.cells, table.key.size, table.response.size
        if self.weights:
            assert isinstance(table, MentionTable)
            weights = self._weights(table)
            found = sums_by(table.cell, weights, len(cells)) * cells.count
            theirs = sums_by(table.response_entity, weights, len(response))
            ours = sums_by(table.key_entity, weights, len(key))
        else:
            found, theirs, ours = cells.count * cells.count, response, key
        return Contributions(found / response[cells.response], found / key[cells.key], theirs, ours)

    def _weights(self, table: MentionTable) -> FloatArray:
        """The weight of each row; the key's weight counts for shared mentions."""
        if isinstance(self.weights, str):
            return kind_weights(self.weights)[table.kinds]
        ours, theirs = (
            weights_of(self.weights, corpus)
            for corpus in (table.matching.key, table.matching.response)
        )
        return table.matching.by_row(ours, theirs)
