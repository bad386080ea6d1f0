"""BLANC: the mean over coreferent and non-coreferent links."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from corefine.corpus.arrays import FloatArray
from corefine.errors import UsageError
from corefine.metrics.base import Metric, Statistics, Triple, count_cells, f_measure, ratio
from corefine.metrics.table import Table, pairs

if TYPE_CHECKING:
    from corefine.metrics.split_antecedents import SharedSets

HALVES = ("coreferent", "separate")
EITHER = ("luo2014", "corefud")
"""Rules by which a half counts if either side has links of it."""
LINKS = tuple(f"{half}_{side}" for half in HALVES for side in ("common", "key", "response"))


def link_counts(table: Table) -> Statistics:
    """Coreferent and separate (non-coreferent) links of the key, of the response, and of both.

    Links are not listed: a document with m mentions, k of them in one entity, has k(k - 1)/2
    coreferent links in it and m(m - 1)/2 links in all. A link is separate on both sides if both its
    mentions are on both sides and neither side joins them: all links among the shared mentions,
    less those that the key joins, less those that the response joins, plus those that both join.
    """
    cells, key, response = table.cells, table.key, table.response
    counts = [
        (cells.document, cells.count),
        (key.document, key.size),
        (response.document, response.size),
        (key.document, table.key_matched),
        (response.document, table.response_matched),
    ]
    shared, in_key, in_response = [
        pairs(table.per_document(document, count)) for document, count in counts[:3]
    ]
    common, of_key, of_response, shared_key, shared_response = [
        table.per_document(document, pairs(count)) for document, count in counts
    ]
    return {
        "coreferent_common": common,
        "coreferent_key": of_key,
        "coreferent_response": of_response,
        "separate_common": shared - shared_key - shared_response + common,
        "separate_key": in_key - of_key,
        "separate_response": in_response - of_response,
    }


def links_to_sets(shared: FloatArray) -> FloatArray:
    """Difference between the links of n mentions and a set of score s, and those of n + s mentions.

    Each of the n has a link of weight s to the set: n(n - 1)/2 + ns, which is
    (n + s)(n + s - 1)/2 + s(1 - s)/2.
    """
    return shared * (1 - shared) / 2


@dataclass(frozen=True)
class Blanc(Metric):
    r"""BLANC for system mentions (Luo et al. 2014; Recasens & Hovy 2011 for given mentions).

    With C and N the coreferent and non-coreferent links of key (k) and response (r),

    .. math:: R_c = \frac{|C_k \cap C_r|}{|C_k|}, \; P_c = \frac{|C_k \cap C_r|}{|C_r|}, \;
              R_n = \frac{|N_k \cap N_r|}{|N_k|}, \; P_n = \frac{|N_k \cap N_r|}{|N_r|}

    and each of P, R and F is the mean of its two halves. What happens when a half is empty is
    where implementations part: ``rule=v8.01`` (default) follows the reference scorer, which drops a
    half if the *key* has no links of it; ``rule=luo2014`` drops it only if neither side has any,
    and where there are no links at all the score is 1 if the mentions are the same and 0 if not;
    ``rule=recasens2011`` is the original, defined only where both sides have the same mentions;
    ``rule=corefud`` is that of corefud-scorer and of the Universal Anaphora scorer: as luo2014, but
    0 where there are no links at all.

    Use it when non-coreference matters as much as coreference. It averages the scores of coreferent
    and non-coreferent links. Missed and spurious mentions weigh heavily, since they take part in
    many links.

    .. code-block:: console

        $ corefine score key.conll response.conll --metrics "blanc(rule=luo2014)"
    """

    name = "blanc"
    title = "BLANC"
    summary = "Link-based: mean over coreferent and non-coreferent links."
    citation = "Recasens & Hovy 2011, BLANC, NLE 17(4); Luo et al. 2014, An extension of BLANC, ACL"
    references = ("recasens-hovy-2011-blanc", "luo-etal-2014-blanc")
    statistic_names = (*LINKS, "unshared_mentions")

    choices = (("rule", ("v8.01", "luo2014", "recasens2011", "corefud")),)

    rule: str = "v8.01"

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(
            symmetric=self.rule in EITHER,  # other rules ask the key alone which halves count
            scores_sets=self.rule != "recasens2011",  # which is defined for equal mentions only
        )

    def statistics(self, table: Table) -> Statistics:
        unshared = table.per_document(table.key.document, table.key.size - table.key_matched)
        unshared += table.per_document(
            table.response.document, table.response.size - table.response_matched
        )
        unequal = np.flatnonzero(unshared)
        if self.rule == "recasens2011" and len(unequal):
            raise UsageError(
                f"{self} needs the same mentions in key and response; those of document "
                f"{table.documents[int(unequal[0])]!r} differ",
                remedy="Use blanc or blanc(rule=luo2014), which allow for system mentions.",
            )
        links = table.shared("link counts", lambda: link_counts(table))
        return {**links, "unshared_mentions": unshared}

    def set_scores(self, statistics: Statistics) -> dict[str, Triple]:
        """Sets are aligned separately for each half."""
        return {half: Triple(*half_scores(statistics, half)) for half in HALVES}

    def statistics_of_shared(self, sets: SharedSets) -> Statistics:
        joined, shared = sets.table("coreferent", "f1")
        apart, _ = sets.table("separate", "f1")
        counted = count_cells(self, joined)
        counted["coreferent_common"] = counted["coreferent_common"] + joined.per_document(
            joined.cells.document, links_to_sets(shared)
        )
        # Here the links to a partly shared set cancel out.
        counted["separate_common"] = count_cells(self, apart)["separate_common"]
        return counted

    def score(self, totals: Mapping[str, FloatArray]) -> Triple:
        joined, apart = (half_scores(totals, half) for half in HALVES)
        no_joined, no_apart = totals["coreferent_key"] == 0, totals["separate_key"] == 0
        if self.rule in EITHER:
            no_joined = no_joined & (totals["coreferent_response"] == 0)
            no_apart = no_apart & (totals["separate_response"] == 0)
        without_links = (totals["unshared_mentions"] == 0) & (self.rule == "luo2014")
        precision, recall, f1 = (
            np.where(
                no_joined,
                np.where(no_apart, without_links, second),
                np.where(no_apart, first, (first + second) / 2),
            )
            for first, second in zip(joined, apart, strict=True)
        )
        return Triple(precision, recall, f1)


def half_scores(
    totals: Mapping[str, FloatArray], half: str
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The scores of coreferent or of separate links."""
    common = totals[f"{half}_common"]
    precision = ratio(common, totals[f"{half}_response"])
    recall = ratio(common, totals[f"{half}_key"])
    return precision, recall, f_measure(precision, recall)
