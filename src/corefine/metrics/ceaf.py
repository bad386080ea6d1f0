"""CEAF: the best one-to-one alignment of entities, by shared mentions or by similarity."""

from __future__ import annotations

import numpy as np

from corefine.corpus.arrays import FloatArray, IntArray
from corefine.matching.alignment import align
from corefine.metrics.base import MentionMetric, MentionShares, Properties, RatioMetric, Statistics
from corefine.metrics.registry import register
from corefine.metrics.row_labels import Labels, RowLabels
from corefine.metrics.table import Table


def aligned_similarity(table: Table, similarity: FloatArray) -> Statistics:
    """The largest sum of similarities of a one-to-one alignment, per document."""
    cells = table.cells
    chosen = align(cells.key, cells.response, similarity)
    common = _rounded(table.per_document(cells.document[chosen], similarity[chosen]))
    return {"precision_part": common, "recall_part": common}


def _rounded(sums: FloatArray) -> FloatArray:
    """Sums rounded to 13 significant digits, beyond which equally good alignments differ."""
    digits = np.clip(12 - np.floor(np.log10(np.maximum(sums, 1e-9))), 0, 22)
    scale = 10.0**digits  # exact up to the power of 22
    return np.where(sums > 1e-9, np.rint(sums * scale) / scale, sums)


@register
class CeafM(MentionMetric):
    r"""Mention-based CEAF (Luo 2005), with :math:`\phi_3(k, r) = |k \cap r|`.

    .. math:: R = \frac{\Phi(g^*)}{\sum_k |k|}, \quad P = \frac{\Phi(g^*)}{\sum_r |r|}

    where g* is the one-to-one alignment of entities with the greatest total similarity.
    """

    name = "ceafm"
    title = "CEAFm"
    summary = "Mention-based: mentions shared by one-to-one aligned entities."
    use = (
        "Use it for the share of mentions in the correct entity. Each entity is aligned at "
        "most once, so splits and merges are penalised. Every mention counts the same."
    )
    example = "corefine score key.conll response.conll --metrics ceafm"
    citation = "Luo 2005, On coreference resolution performance metrics, HLT-EMNLP"
    properties = Properties(splits_twinless=True, split_antecedents=True)
    aliases = ("ceaf_m", "ceaf-m")

    def statistics(self, table: Table) -> Statistics:
        return {
            **aligned_similarity(table, table.cells.count.astype(np.float64)),
            "precision_whole": table.per_document(table.response.document, table.response.size),
            "recall_whole": table.per_document(table.key.document, table.key.size),
        }

    def mention_shares(self, table: Table) -> MentionShares:
        cells = table.cells
        chosen = align(cells.key, cells.response, cells.count.astype(np.float64)).astype(float)
        return MentionShares(chosen, chosen, np.ones(len(table.response)), np.ones(len(table.key)))


@register
class CeafE(RatioMetric):
    r"""Entity-based CEAF (Luo 2005), with :math:`\phi_4(k, r) = 2|k \cap r| / (|k| + |r|)`.

    .. math:: R = \frac{\Phi(g^*)}{|K|}, \quad P = \frac{\Phi(g^*)}{|R|}

    Every entity weighs the same, a singleton as much as the longest one.
    """

    name = "ceafe"
    title = "CEAFe"
    summary = "Entity-based: similarity of one-to-one aligned entities."
    use = (
        "Use it when every entity should count the same, however often it is mentioned. An "
        "error in a small entity costs as much as one in the largest. Correct links in "
        "unaligned entities earn nothing."
    )
    example = "corefine score key.conll response.conll --metrics ceafe"
    citation = "Luo 2005, On coreference resolution performance metrics, HLT-EMNLP"
    properties = Properties(splits_twinless=True, split_antecedents=True)
    aliases = ("ceaf", "ceaf_e", "ceaf-e")

    def statistics(self, table: Table) -> Statistics:
        cells = table.cells
        sizes = table.key.size[cells.key] + table.response.size[cells.response]
        return {
            **aligned_similarity(table, 2 * cells.count / sizes),
            "precision_whole": table.per_document(
                table.response.document, np.ones(len(table.response))
            ),
            "recall_whole": table.per_document(table.key.document, np.ones(len(table.key))),
        }

    @property
    def divides_by_entity(self) -> bool:
        return True

    def by_label(self, table: Table, labels: RowLabels) -> dict[str, Statistics]:
        """The similarity of an aligned pair belongs to the key's entity for recall, and to the
        response's for precision."""
        if not labels.of_entities:
            raise TypeError("ceafe cannot be divided by labels of single mentions")
        cells, key, response = table.cells, table.key, table.response
        similarity = 2 * cells.count / (key.size[cells.key] + response.size[cells.response])
        chosen = align(cells.key, cells.response, similarity)
        found = np.where(chosen, similarity, 0.0)
        ours = _of_entities(labels.key, table.key_entity, len(key))
        theirs = _of_entities(labels.response, table.response_entity, len(response))
        return {
            name: {
                "precision_part": table.per_document(
                    cells.document, found * (theirs[cells.response] == label)
                ),
                "precision_whole": table.per_document(response.document, theirs == label),
                "recall_part": table.per_document(
                    cells.document, found * (ours[cells.key] == label)
                ),
                "recall_whole": table.per_document(key.document, ours == label),
            }
            for label, name in enumerate(labels.names)
        }


def _of_entities(labels: Labels, entity: IntArray, entities: int) -> Labels:
    """The label of each entity, which all of its mentions have."""
    found = np.zeros(entities, np.uint8)
    found[entity[entity >= 0]] = labels[entity >= 0]
    return found
