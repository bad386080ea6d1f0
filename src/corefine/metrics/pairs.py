"""Pair classification: every two mentions of a document, as coreferent or not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from corefine.corpus.arrays import FloatArray, IntArray, numbered
from corefine.metrics.base import Properties, RatioMetric, Statistics
from corefine.metrics.blanc import link_counts, pairs
from corefine.metrics.pair_groups import links_by_kind, links_by_overlap
from corefine.metrics.registry import GROUPS, register
from corefine.metrics.table import Table

CITATION = "Bodnari, Szolovits & Uzuner 2012, MCORES, JAMIA 19(5), appendix II"


class PairMetric(RatioMetric):
    """Precision and recall of one class of pairs, counted from the table and never listed."""

    sort: ClassVar[str]

    def statistics(self, table: Table) -> Statistics:
        return self._of_links(table.shared("link counts", lambda: link_counts(table)))

    def by_kind(self, table: Table) -> dict[str, Statistics]:
        """The pairs by the kinds of their mentions, such as ``name-pronoun``."""
        links = table.shared("links by kind", lambda: links_by_kind(table))
        return {group: self._of_links(counts) for group, counts in links.items()}

    def by_overlap(self, table: Table) -> dict[str, Statistics]:
        """The pairs by the words that they share: ``exact``, ``partial`` or ``none``."""
        links = table.shared("links by overlap", lambda: links_by_overlap(table))
        return {group: self._of_links(counts) for group, counts in links.items()}

    def _of_links(self, links: Statistics) -> Statistics:
        common = links[f"{self.sort}_common"]
        return {
            "precision_part": common,
            "precision_whole": links[f"{self.sort}_response"],
            "recall_part": common,
            "recall_whole": links[f"{self.sort}_key"],
        }


@register
@dataclass(frozen=True)
class CoreferentPairs(PairMetric):
    r"""Pairs of coreferent mentions: the coreferent half of BLANC.

    .. math:: R = |C_k \cap C_r| / |C_k|, \quad P = |C_k \cap C_r| / |C_r|

    C are the pairs of mentions that key (k) or response (r) puts into one entity.
    """

    name = "pairs.coreferent"
    title = "Coreferent pairs"
    summary = "Pairs of mentions: which were joined rightly."
    use = (
        "Use it to judge a classifier of pairs, or to see which sorts of pairs are hard. It can "
        "be divided by the kinds of the two mentions, by semantic type and by the words that they "
        "share. A long entity has very many pairs, and decides the score."
    )
    example = "corefine score key.conll response.conll --metrics pairs --by overlap"
    citation = CITATION
    properties = Properties(counts_singletons=False)
    sort = "coreferent"


@register
@dataclass(frozen=True)
class NonCoreferentPairs(PairMetric):
    r"""Pairs of mentions that do not corefer: the non-coreferent half of BLANC.

    .. math:: R = |N_k \cap N_r| / |N_k|, \quad P = |N_k \cap N_r| / |N_r|

    N are the pairs of mentions of one document that key (k) or response (r) has in two entities.
    """

    name = "pairs.non_coreferent"
    title = "Non-coreferent pairs"
    summary = "Pairs of mentions: which were kept apart rightly."
    use = (
        "Use it beside pairs.coreferent. Nearly all pairs of a text do not corefer, so it is high "
        "where mentions are given, whatever is done. Where they are not, it mostly tells how well "
        "mentions were found."
    )
    example = "corefine score key.conll response.conll --metrics pairs --by kind"
    citation = CITATION
    sort = "separate"


class LinkMetric(RatioMetric):
    """Coreferent pairs whose mentions stand in the same document, or in two.

    Where the scope of entities is the document, all pairs are within one.
    """

    within: ClassVar[bool]
    properties = Properties(counts_singletons=False, needs_scope=True, identity=False)
    citation = "Cybulska & Vossen 2014, Using a sledgehammer to crack a nut?, LREC"

    def statistics(self, table: Table) -> Statistics:
        key = self._links(table, table.key_entity, len(table.key))
        response = self._links(table, table.response_entity, len(table.response))
        both = np.where(
            (table.key_entity >= 0) & (table.response_entity >= 0),
            table.key_entity * max(len(table.response), 1) + table.response_entity,
            -1,
        )
        _, cell = numbered(both)
        common = self._links(table, np.where(both < 0, -1, cell), int(cell.max(initial=-1)) + 1)
        return {
            "precision_part": common,
            "precision_whole": response,
            "recall_part": common,
            "recall_whole": key,
        }

    def _links(self, table: Table, entity: IntArray, count: int) -> FloatArray:
        """The links of the entities, by the group of documents that they belong to."""
        rows = np.flatnonzero(entity >= 0)
        origin = table.document if table.origin is None else table.origin
        first, part = numbered(entity[rows] * (int(origin.max(initial=0)) + 1) + origin[rows])
        within = table.per_document(table.document[rows][first], pairs(np.bincount(part)))
        if self.within:
            return within
        size = np.bincount(entity[rows], minlength=count)
        owner = np.zeros(count, np.int64)
        owner[entity[rows]] = table.document[rows]
        return table.per_document(owner, pairs(size)) - within


@register
@dataclass(frozen=True)
class LinksWithin(LinkMetric):
    """Coreferent pairs within a document (see :class:`CoreferentPairs`)."""

    name = "links.within"
    title = "Links within documents"
    summary = "Coreferent pairs whose mentions stand in one document."
    use = (
        "Use it where entities reach beyond documents, to see what of a score is earned within "
        "them. It counts coreferent pairs whose mentions stand in one document. Where each "
        "document stands alone it is the same as pairs.coreferent."
    )
    example = "corefine score key.csv response.csv --scope corpus"
    within = True


@register
@dataclass(frozen=True)
class LinksAcross(LinkMetric):
    """Coreferent pairs across documents; 0 unless the scope joins documents."""

    name = "links.across"
    title = "Links across documents"
    summary = "Coreferent pairs whose mentions stand in two documents (--scope corpus or topic)."
    use = (
        "Use it where entities reach beyond documents, to see what linking across them is worth. "
        "It counts coreferent pairs whose mentions stand in two documents. Where each document "
        "stands alone it is 0."
    )
    example = "corefine score key.csv response.csv --scope corpus"
    within = False


GROUPS["links"] = (LinksWithin.name, LinksAcross.name)
GROUPS["pairs"] = (CoreferentPairs.name, NonCoreferentPairs.name)
