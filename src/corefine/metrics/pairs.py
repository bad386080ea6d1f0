"""Pair classification: every two mentions of a document, as coreferent or not.

The pairs of a document are never listed. A group of pairs, such as those of a name and a pronoun,
is counted in every set of mentions that matters (the entities of each side, the cells, the
documents), and what the two sides keep apart follows from these numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import ClassVar

import numpy as np

from corefine.corpus.arrays import BoolArray, FloatArray, IntArray
from corefine.corpus.columns import Kind
from corefine.corpus.words import Wording, wording_of
from corefine.errors import UsageError
from corefine.metrics.base import Properties, RatioMetric, Statistics
from corefine.metrics.blanc import link_counts, pairs
from corefine.metrics.registry import register
from corefine.metrics.shared_words import overlapping_pairs
from corefine.metrics.table import Table

CITATION = "Bodnari, Szolovits & Uzuner 2012, MCORES, JAMIA 19(5), appendix II"
Groups = dict[str, FloatArray]
"""For each group of pairs, their number by document."""
Counter = Callable[[IntArray, "list[BoolArray]"], list[Groups]]
"""Counts pairs within sets of mentions: a number for each row (-1: none), and which rows take part,
several times over."""


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


def divided_links(table: Table, count: Counter) -> dict[str, Statistics]:
    """The counts of :func:`~corefine.metrics.blanc.link_counts` for each group of pairs."""
    key, response = table.key_entity, table.response_entity
    in_key, in_response = key >= 0, response >= 0
    both = in_key & in_response
    cell = np.where(both, key * len(table.response) + response, -1)
    (common,) = count(cell, [both])
    of_key, shared_key = count(key, [in_key, both])
    of_response, shared_response = count(response, [in_response, both])
    all_key, all_response, all_shared = count(table.document, [in_key, in_response, both])
    return {
        group: {
            "coreferent_common": common[group],
            "coreferent_key": of_key[group],
            "coreferent_response": of_response[group],
            "separate_common": all_shared[group]
            - shared_key[group]
            - shared_response[group]
            + common[group],
            "separate_key": all_key[group] - of_key[group],
            "separate_response": all_response[group] - of_response[group],
        }
        for group in common
    }


def links_by_kind(table: Table) -> dict[str, Statistics]:
    """Links by the kinds of their two mentions, such as ``name-pronoun``."""
    kinds = table.kinds.astype(np.int64)

    def count(sets: IntArray, parts: list[BoolArray]) -> list[Groups]:
        return [_by_kinds(table, sets[part], kinds[part], table.document[part]) for part in parts]

    return divided_links(table, count)


def _by_kinds(table: Table, sets: IntArray, kinds: IntArray, document: IntArray) -> Groups:
    numbers, first, number = np.unique(sets, return_index=True, return_inverse=True)
    counts = np.bincount(number * len(Kind) + kinds, minlength=len(numbers) * len(Kind))
    counts = counts.reshape(-1, len(Kind)).astype(np.float64)
    owner = document[first]
    groups = {}
    for one, other in combinations_with_replacement(sorted(Kind, key=lambda k: (k == 0, k)), 2):
        inside = counts[:, one]
        number_of_pairs = pairs(inside) if one == other else inside * counts[:, other]
        name = f"{one.name.lower()}-{other.name.lower()}"
        groups[name] = table.per_document(owner, number_of_pairs)
    return groups


def links_by_overlap(table: Table) -> dict[str, Statistics]:
    """Links by the words that their two mentions share: ``exact`` (the same set of words),
    ``partial`` (at least one) or ``none``.

    Words are compared as they are written.
    """
    wording = _row_wording(table)

    def count(sets: IntArray, parts: list[BoolArray]) -> list[Groups]:
        return overlapping_pairs(table, wording, sets, parts)

    return divided_links(table, count)


def _row_wording(table: Table) -> Wording:
    """The words of each row: the key's, the response's for what only it has."""
    if table.matched is None:
        raise ValueError("this table does not know the mentions that it was made from")
    key, response = wording_of(table.matched.key), wording_of(table.matched.response)
    if len(table.document) and not len(key.words) and not len(response.words):
        raise UsageError(
            "pairs cannot be divided by the words that they share: the mentions have none",
            remedy="Score a text, or give mentions as strings of words.",
        )
    rows = len(table.matched.key.mentions)
    return Wording.concatenate(
        [
            key.take(table.matched.key_mention[:rows]),
            response.take(table.matched.response_mention[rows:]),
        ]
    )


class LinkMetric(RatioMetric):
    """Coreferent pairs whose mentions stand in the same document, or in two.

    Where the scope of entities is the document, all pairs are within one.
    """

    within: ClassVar[bool]
    properties = Properties(counts_singletons=False, needs_scope=True, identity=False)
    citation = "Cybulska & Vossen 2014, Using a sledgehammer to crack a nut?, LREC"

    def statistics(self, table: Table) -> Statistics:
        common, response, key = table.within_links
        if not self.within:
            links = table.shared("link counts", lambda: link_counts(table))
            common = links["coreferent_common"] - common
            response = links["coreferent_response"] - response
            key = links["coreferent_key"] - key
        return {
            "precision_part": common,
            "precision_whole": response,
            "recall_part": common,
            "recall_whole": key,
        }


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
