"""CEAF: the best one-to-one alignment of entities, by shared mentions or by similarity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from corefine.corpus.arrays import FloatArray, IntArray
from corefine.errors import choose
from corefine.metrics.assignment import align
from corefine.metrics.base import (
    Contributions,
    MentionMetric,
    RatioMetric,
    RowLabels,
    SetMetric,
    Statistics,
    count_cells,
    summed,
)
from corefine.metrics.blanc import pairs
from corefine.metrics.table import Labels, MentionTable, Table

if TYPE_CHECKING:
    from corefine.metrics.split_antecedents import SharedSets

LUO_2005 = """\
@inproceedings{luo-2005-ceaf,
  author = {Luo, Xiaoqiang},
  title = {On Coreference Resolution Performance Metrics},
  booktitle = {Proceedings of Human Language Technology Conference and Conference on Empirical \
Methods in Natural Language Processing},
  year = {2005},
}"""


ON = ("mentions", "links")


def _shared_links(table: Table) -> FloatArray:
    """Common links of each cell; the self-link of a singleton is shared with the same one only."""
    cells = table.cells
    alone = (table.key.size[cells.key] == 1) & (table.response.size[cells.response] == 1)
    links: FloatArray = pairs(cells.count) + alone
    return links


def _links(size: IntArray) -> FloatArray:
    """The links of entities; a singleton has one, to itself."""
    return np.maximum(pairs(size), 1)


def aligned(table: Table, similarity: FloatArray) -> FloatArray:
    """The similarity of each cell of the best one-to-one alignment, and 0 for other cells."""
    cells = table.cells
    return np.where(align(cells.key, cells.response, similarity), similarity, 0.0)


def aligned_statistics(table: Table, parts: Contributions) -> Statistics:
    """The sums of contributions; equally good alignments give the same sums to the bit."""
    statistics = summed(table, parts)
    return statistics | {
        name: _rounded(statistics[name]) for name in ("precision_part", "recall_part")
    }


def _rounded(sums: FloatArray) -> FloatArray:
    """Sums rounded to 13 significant digits, beyond which equally good alignments differ."""
    digits = np.clip(12 - np.floor(np.log10(np.maximum(sums, 1e-9))), 0, 22)
    scale = 10.0**digits  # exact up to the power of 22
    return np.where(sums > 1e-9, np.rint(sums * scale) / scale, sums)


@dataclass(frozen=True)
class _Aligned(SetMetric):
    """A metric of aligned entities, in which a set is shared by its F1 for both sides."""

    accepts = (("on", ON),)

    on: str = "mentions"

    def __post_init__(self) -> None:
        choose(f"on, of {self.name},", self.on, ON)

    @property
    def splits_twinless(self) -> bool:
        return self.on == "mentions"

    @property
    def scores_sets(self) -> bool:  # type: ignore[override]
        return self.on == "mentions"

    def statistics_of_shared(self, sets: SharedSets) -> Statistics:
        return count_cells(self, sets.table("", "f1")[0])


@dataclass(frozen=True)
class CeafM(MentionMetric, _Aligned):
    r"""Mention-based CEAF (Luo 2005), with :math:`\phi_3(k, r) = |k \cap r|`.

    .. math:: R = \frac{\Phi(g^*)}{\sum_k |k|}, \quad P = \frac{\Phi(g^*)}{\sum_r |r|}

    where g* is the one-to-one alignment of entities with the greatest total similarity.
    ``ceafm(on=links)`` counts common links instead of mentions, and a singleton as one link to
    itself (Moosavi & Strube 2016, section 3.3).

    Use it for the share of mentions in the correct entity. Each entity is aligned at most once, so
    splits and merges are penalised. Every mention counts the same.

    .. code-block:: console

        $ corefine score key.conll response.conll --metrics ceafm
    """

    name = "ceafm"
    title = "CEAFm"
    summary = "Mention-based: mentions shared by one-to-one aligned entities."
    citation = "Luo 2005, On coreference resolution performance metrics, HLT-EMNLP"
    references = (LUO_2005,)
    aliases = ("ceaf_m", "ceaf-m")

    @property
    def divides_by(self) -> frozenset[str]:  # type: ignore[override]
        return super().divides_by if self.on == "mentions" else frozenset()

    def contributions(self, table: Table) -> Contributions:
        if self.on == "links":
            found = aligned(table, _shared_links(table))
            return Contributions(found, found, _links(table.response.size), _links(table.key.size))
        found = aligned(table, table.cells.count.astype(np.float64))
        return Contributions(found, found, table.response.size, table.key.size)

    def statistics(self, table: Table) -> Statistics:
        return aligned_statistics(table, self.contributions(table))


@dataclass(frozen=True)
class CeafE(RatioMetric, _Aligned):
    r"""Entity-based CEAF (Luo 2005), with :math:`\phi_4(k, r) = 2|k \cap r| / (|k| + |r|)`.

    .. math:: R = \frac{\Phi(g^*)}{|K|}, \quad P = \frac{\Phi(g^*)}{|R|}

    Every entity weighs the same, a singleton as much as the longest one. With ``ceafe(on=links)``,
    φ = 2·common links / (links of k + links of r), and a singleton has one link, to itself (Moosavi
    & Strube 2016, section 3.3).

    Use it when every entity should count the same, however often it is mentioned. An error in a
    small entity costs as much as one in the largest. Correct links in unaligned entities earn
    nothing.

    .. code-block:: console

        $ corefine score key.conll response.conll --metrics ceafe
    """

    name = "ceafe"
    title = "CEAFe"
    summary = "Entity-based: similarity of one-to-one aligned entities."
    citation = "Luo 2005, On coreference resolution performance metrics, HLT-EMNLP"
    references = (LUO_2005,)
    aliases = ("ceaf", "ceaf_e", "ceaf-e")
    divides_by = frozenset({"entity"})

    def contributions(self, table: Table) -> Contributions:
        cells, key, response = table.cells, table.key, table.response
        ours, theirs = key.size[cells.key], response.size[cells.response]
        similarity = 2 * cells.count / (ours + theirs)
        if self.on == "links":
            similarity = 2 * _shared_links(table) / (_links(ours) + _links(theirs))
        found = aligned(table, similarity)
        return Contributions(found, found, np.ones(len(response)), np.ones(len(key)))

    def statistics(self, table: Table) -> Statistics:
        return aligned_statistics(table, self.contributions(table))

    def by_label(self, table: MentionTable, labels: RowLabels) -> dict[str, Statistics]:
        """The similarity of a pair counts for the key entity in recall, the response entity in
        precision."""
        if not labels.of_entities:
            raise TypeError("ceafe cannot be broken down by labels of single mentions")
        cells, parts = table.cells, self.contributions(table)
        ours = _of_entities(labels.key, table.key_entity, len(table.key))
        theirs = _of_entities(labels.response, table.response_entity, len(table.response))
        return {
            name: summed(
                table,
                Contributions(
                    parts.precision * (theirs[cells.response] == label),
                    parts.recall * (ours[cells.key] == label),
                    theirs == label,
                    ours == label,
                ),
            )
            for label, name in enumerate(labels.names)
        }


def _of_entities(labels: Labels, entity: IntArray, entities: int) -> Labels:
    """The label of each entity, which all of its mentions have."""
    found = np.zeros(entities, np.uint8)
    found[entity[entity >= 0]] = labels[entity >= 0]
    return found
