"""Pair classification: all pairs of mentions of a document, as coreferent or not.

Pairs are not listed. A group of pairs, such as those of a name and a pronoun, is counted in the
entities of each side, in the cells and in the documents; the non-coreferent pairs follow from these
numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import combinations_with_replacement
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from corefine.corpus.arrays import FloatArray, IntArray, counted, numbered, offsets_of, ranges
from corefine.corpus.columns import Kind
from corefine.corpus.words import Wording, wording_of
from corefine.errors import UsageError
from corefine.metrics.base import RatioMetric, Statistics, fractions
from corefine.metrics.blanc import LINKS, link_counts
from corefine.metrics.table import MentionTable, Table, pairs

CITATION = "Bodnari, Szolovits & Uzuner 2012, MCORES, JAMIA 19(5), appendix II"
Groups = dict[str, FloatArray]
"""The number of pairs of each group, per document."""
Counter = Callable[[IntArray, IntArray], Groups]
"""Counts pairs of mentions in the same set: the rows of the mentions, and the set of each."""
SLICE = 1 << 22
"""Pairs of mentions that are compared at once."""


class PairMetric(RatioMetric):
    """Precision and recall of one class of pairs."""

    references = ("bodnari-etal-2012-mcores",)
    divides_by = frozenset({"kind"})
    sort: ClassVar[str]

    def statistics(self, table: Table) -> Statistics:
        return self._of_links(table.shared("link counts", lambda: link_counts(table)))

    def by_kind(self, table: MentionTable) -> dict[str, Statistics]:
        """The pairs by the kinds of their mentions, such as ``name-pronoun``."""
        return self._of_groups(table.shared("links by kind", lambda: links_by_kind(table)))

    def by_overlap(self, table: MentionTable) -> dict[str, Statistics]:
        """The pairs by shared words: ``exact``, ``partial`` or ``none``."""
        return self._of_groups(table.shared("links by overlap", lambda: links_by_overlap(table)))

    def by_unit(self, table: MentionTable, units: Mapping[str, IntArray]) -> dict[str, Statistics]:
        """The pairs by the smallest unit that contains both; units of rows from small to large."""
        return self._of_groups(table.shared("links by unit", lambda: links_by_unit(table, units)))

    def _of_groups(self, groups: Mapping[str, Statistics]) -> dict[str, Statistics]:
        return {group: self._of_links(links) for group, links in groups.items()}

    def _of_links(self, links: Statistics) -> Statistics:
        return fractions(*(links[f"{self.sort}_{side}"] for side in ("common", "response", "key")))


class CoreferentPairs(PairMetric):
    r"""Pairs of coreferent mentions: the coreferent half of BLANC.

    .. math:: R = |C_k \cap C_r| / |C_k|, \quad P = |C_k \cap C_r| / |C_r|

    C are the pairs of mentions that key (k) or response (r) puts into one entity.

    Use it to evaluate a pair classifier, or to find out which pairs are hard. It can be broken down
    by mention kind, semantic type and token overlap. Large entities have very many pairs and
    dominate the score.

    .. code-block:: console

        $ corefine score key.conll response.conll --metrics pairs --by overlap
    """

    name = "pairs.coreferent"
    title = "Coreferent pairs"
    summary = "Coreferent mention pairs."
    citation = CITATION
    counts_singletons = False
    sort = "coreferent"


class NonCoreferentPairs(PairMetric):
    r"""Pairs of mentions that do not corefer: the non-coreferent half of BLANC.

    .. math:: R = |N_k \cap N_r| / |N_k|, \quad P = |N_k \cap N_r| / |N_r|

    N are the pairs of mentions of one document that key (k) or response (r) has in two entities.

    Use it along with pairs.coreferent. Nearly all pairs are non-coreferent, so it is high with gold
    mentions, whatever the response. With system mentions it mostly reflects mention detection.

    .. code-block:: console

        $ corefine score key.conll response.conll --metrics pairs --by kind
    """

    name = "pairs.non_coreferent"
    title = "Non-coreferent pairs"
    summary = "Non-coreferent mention pairs."
    citation = CITATION
    sort = "separate"


def divided_links(table: MentionTable, count: Counter) -> dict[str, Statistics]:
    """The counts of :func:`~corefine.metrics.blanc.link_counts` for each group of pairs."""
    key, response, document = table.key_entity, table.response_entity, table.document
    in_key, in_response = np.flatnonzero(key >= 0), np.flatnonzero(response >= 0)
    both = np.flatnonzero((key >= 0) & (response >= 0))
    counts = {
        "coreferent_common": count(both, table.cell[both]),
        "coreferent_key": count(in_key, key[in_key]),
        "coreferent_response": count(in_response, response[in_response]),
        "shared_key": count(both, key[both]),
        "shared_response": count(both, response[both]),
        "all_common": count(both, document[both]),
        "all_key": count(in_key, document[in_key]),
        "all_response": count(in_response, document[in_response]),
    }
    found = {}
    for group in counts["all_common"]:
        links = {name: groups[group] for name, groups in counts.items()}
        joined_once = links["shared_key"] + links["shared_response"] - links["coreferent_common"]
        found[group] = {
            **{name: links[name] for name in LINKS[:3]},
            "separate_common": links["all_common"] - joined_once,
            "separate_key": links["all_key"] - links["coreferent_key"],
            "separate_response": links["all_response"] - links["coreferent_response"],
        }
    return found


def links_by_kind(table: MentionTable) -> dict[str, Statistics]:
    """Links by the kinds of their two mentions, such as ``name-pronoun``."""

    def count(rows: IntArray, sets: IntArray) -> Groups:
        first, number = numbered(sets)
        codes = number * len(Kind) + table.kinds[rows]
        counts = np.bincount(codes, minlength=len(first) * len(Kind)).reshape(-1, len(Kind))
        groups = {}
        for one, other in combinations_with_replacement(sorted(Kind, key=lambda k: (k == 0, k)), 2):
            among = pairs(counts[:, one]) if one == other else counts[:, one] * counts[:, other]
            name = f"{one.name.lower()}-{other.name.lower()}"
            groups[name] = table.per_document(table.document[rows[first]], among)
        return groups

    return divided_links(table, count)


def links_by_unit(table: MentionTable, units: Mapping[str, IntArray]) -> dict[str, Statistics]:
    """Links by the smallest unit that contains both mentions, such as a document or a topic."""

    def count(rows: IntArray, sets: IntArray) -> Groups:
        groups, smaller = {}, np.zeros(len(table.documents))
        for name, unit in units.items():
            first, number = numbered(sets * (int(unit.max(initial=0)) + 1) + unit[rows])
            size = np.bincount(number, minlength=len(first))
            within = table.per_document(table.document[rows[first]], pairs(size))
            groups[name], smaller = within - smaller, within
        return groups

    return divided_links(table, count)


def links_by_overlap(table: MentionTable) -> dict[str, Statistics]:
    """Links by the words that their two mentions share, with case: ``exact`` (the same set of
    words), ``partial`` (at least one) or ``none``.

    Mentions of a set with the same words are compared as one node.
    """
    wording = _row_wording(table)
    codes = wording.words.codes()
    words = [frozenset(part.tolist()) for part in np.split(codes, wording.offsets[1:-1])]
    distinct = {one: place for place, one in enumerate(dict.fromkeys(words))}
    wordset = np.array([distinct[one] for one in words[: len(table.document)]], np.int64)
    lengths = np.array([len(one) for one in distinct], np.int64)
    flat = np.array([word for one in distinct for word in one], np.int64)
    starts, width = offsets_of(lengths)[:-1], int(flat.max(initial=0)) + 1

    def count(rows: IntArray, sets: IntArray) -> Groups:
        first, number = numbered(sets)
        codes, size = counted(number * len(distinct) + wordset[rows])
        owner, words = np.divmod(codes, max(len(distinct), 1))
        document = table.document[rows[first]]
        total = table.per_document(document, pairs(np.bincount(number, minlength=len(first))))
        same = table.per_document(document[owner], np.where(lengths[words] > 0, pairs(size), 0))
        node = np.repeat(np.arange(len(codes)), lengths[words])
        word = owner[node] * width + flat[ranges(starts[words], lengths[words])]
        partial = np.zeros(len(table.documents))
        for one, other in _sharing(node, word, len(codes)):
            partial += table.per_document(document[owner[one]], size[one] * size[other])
        return {"exact": same, "partial": partial, "none": total - same - partial}

    return divided_links(table, count)


def _sharing(
    node: IntArray, word: IntArray, nodes: int
) -> Iterator[tuple[IntArray, NDArray[np.integer]]]:
    """Pairs of nodes that share a word, in slices of bounded work."""
    from scipy.sparse import csr_array

    _, column, often = np.unique(word, return_inverse=True, return_counts=True)
    shape = (nodes, len(often))
    incidence = csr_array((np.ones(len(node), np.int32), (node, column)), shape=shape)
    work = np.cumsum(np.bincount(node, often[column], minlength=nodes)) // SLICE
    for rows in np.split(np.arange(nodes), np.flatnonzero(np.diff(work)) + 1):
        product = incidence[rows] @ incidence.T
        one, other = np.repeat(rows, np.diff(product.indptr)), product.indices
        yield one[other < one], other[other < one]


def _row_wording(table: MentionTable) -> Wording:
    """The words of each row: the key's, or the response's for mentions that only it has."""
    key, response = wording_of(table.matching.key), wording_of(table.matching.response)
    if len(table.document) and not len(key.words) and not len(response.words):
        raise UsageError(
            "pairs cannot be broken down by token overlap: the mentions have no words",
            remedy="Score files with text, or give mentions as strings of words.",
        )
    rows = len(table.matching.key.mentions)
    return Wording.concatenate(
        [
            key.take(table.matching.key_mention[:rows]),
            response.take(table.matching.response_mention[rows:]),
        ]
    )


class LinkMetric(RatioMetric):
    """Coreferent pairs within one document, or across two.

    If entities do not cross documents, all pairs are within one.
    """

    group: ClassVar[str]
    counts_singletons = False
    needs_scope = True
    perfect_is_one = False
    citation = "Cybulska & Vossen 2014, Using a sledgehammer to crack a nut?, LREC"
    references = ("cybulska-vossen-2014-ecb",)

    def statistics(self, table: MentionTable) -> Statistics:
        units = {"within": table.document, "across": table.document}
        if table.matching.grouping is not None and table.origin is not None:
            units["within"] = table.origin
        links = table.shared("links across", lambda: links_by_unit(table, units))[self.group]
        return fractions(*(links[f"coreferent_{side}"] for side in ("common", "response", "key")))


class LinksWithin(LinkMetric):
    """Coreferent pairs within a document (see :class:`CoreferentPairs`).

    Use it for cross-document coreference, to see how much of a score is earned within documents. It
    counts coreferent pairs within a document. With --scope document it equals pairs.coreferent.

    .. code-block:: console

        $ corefine score key.csv response.csv --scope corpus
    """

    name = "links.within"
    title = "Links within documents"
    summary = "Coreferent pairs within a document."
    group = "within"


class LinksAcross(LinkMetric):
    """Coreferent pairs across documents; 0 unless the scope joins documents.

    Use it for cross-document coreference, to see how good the links across documents are. It counts
    coreferent pairs across two documents. With --scope document it is 0.

    .. code-block:: console

        $ corefine score key.csv response.csv --scope corpus
    """

    name = "links.across"
    title = "Links across documents"
    summary = "Coreferent pairs across documents (--scope corpus or topic)."
    group = "across"
