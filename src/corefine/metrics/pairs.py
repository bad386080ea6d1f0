"""Pair classification: every two mentions of a document, as coreferent or not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from corefine.metrics.base import Properties, RatioMetric, Statistics
from corefine.metrics.blanc import link_counts
from corefine.metrics.registry import GROUPS, register
from corefine.table import Table

CITATION = "Bodnari, Szolovits & Uzuner 2012, MCORES, JAMIA 19(5), appendix II"


class PairMetric(RatioMetric):
    """Precision and recall of one class of pairs, counted from the table and never listed."""

    sort: ClassVar[str]

    def statistics(self, table: Table) -> Statistics:
        links = table.shared("link counts", lambda: link_counts(table))
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
    citation = CITATION
    sort = "separate"


GROUPS["pairs"] = (CoreferentPairs.name, NonCoreferentPairs.name)
