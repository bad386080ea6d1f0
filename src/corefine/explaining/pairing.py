"""Pairs of a key entity and its response entity, and what each metric says of one such pair.

Entities are paired by CEAFe's alignment. The scores of a pair are those of Holen (2013), who reads
every metric as if key and response had no other entity. With n the shared mentions of K and R:

====== ======================= ======================= ==========================================
metric precision               recall                  F1
====== ======================= ======================= ==========================================
muc    (n − 1) / (\\|R\\| − 1)     (n − 1) / (\\|K\\| − 1)     2 (n − 1) / (\\|K\\| + \\|R\\| − 2)
b3     n / \\|R\\|                n / \\|K\\|                2n / (\\|K\\| + \\|R\\|)
ceafm  n / \\|R\\|                n / \\|K\\|                2n / (\\|K\\| + \\|R\\|)
ceafe  φ4                      φ4                      φ4 = 2n / (\\|K\\| + \\|R\\|)
blanc  l(n) / l(\\|R\\|)          l(n) / l(\\|K\\|)          2 l(n) / (l(\\|K\\|) + l(\\|R\\|))
lea    as blanc, but a singleton has one link, to itself, which only the same singleton resolves
====== ======================= ======================= ==========================================

with l(n) = n(n − 1)/2 links. BLANC has only its coreferent half here, since one entity has no
separate links. Without a shared mention everything is 0, and so is what divides by 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from corefine.corpus.arrays import BoolArray, FloatArray, IntArray, among
from corefine.errors import choose
from corefine.explaining.phrases import Phrases, overlapping_rows
from corefine.metrics.base import ratio
from corefine.metrics.ceaf import align
from corefine.metrics.table import MentionTable

PAIR_METRICS = ("muc", "b3", "ceafe", "ceafm", "blanc", "lea")


@dataclass(frozen=True, eq=False)
class Pairs:
    """The aligned response entity of each key entity (or -1), and their shared mentions."""

    table: MentionTable
    response: IntArray
    shared: IntArray

    @classmethod
    def of(cls, table: MentionTable, phrases: Phrases) -> Pairs:
        """Pair entities by CEAFe's alignment: the greatest sum of 2n / (|K| + |R|)."""
        cells = table.cells
        sizes = table.key.size[cells.key] + table.response.size[cells.response]
        similarity = 2 * cells.count / sizes
        chosen = _align(table, phrases, cells.key, cells.response, similarity)
        response, shared = np.full(len(table.key), -1), np.zeros(len(table.key), np.int64)
        response[cells.key[chosen]] = cells.response[chosen]
        shared[cells.key[chosen]] = cells.count[chosen]
        return cls(table, response, shared)

    def with_overlaps(self, phrases: Phrases) -> Pairs:
        """Pair the remaining entities by overlapping mentions.

        With o the number of mentions of K that share a content word of the text with a mention of
        R, the similarity of K and R is 2o / (|K| + |R|).
        """
        table = self.table
        ours = np.flatnonzero(np.append(self.response < 0, False)[table.key_entity])
        theirs = np.flatnonzero(np.append(self.key_of < 0, False)[table.response_entity])
        mine, other, _, content = overlapping_rows(phrases, ours, theirs)
        mine, other = mine[content > 0], other[content > 0]
        width = max(len(table.response), 1)
        # A mention of K counts once for R, however many mentions of R it meets.
        meetings = np.unique(np.stack([mine, table.response_entity[other]]), axis=1)
        cells, count = np.unique(
            table.key_entity[meetings[0]] * width + meetings[1], return_counts=True
        )
        key, response = np.divmod(cells, width)
        similarity = 2 * count / (table.key.size[key] + table.response.size[response])
        chosen = _align(table, phrases, key, response, similarity)
        paired = self.response.copy()
        paired[key[chosen]] = response[chosen]
        return Pairs(table, paired, self.shared)

    @cached_property
    def key_of(self) -> IntArray:
        """The aligned key entity of each response entity, or -1."""
        key = np.full(len(self.table.response), -1)
        aligned = np.flatnonzero(self.response >= 0)
        key[self.response[aligned]] = aligned
        return key

    @cached_property
    def paired_key(self) -> IntArray:
        """By row: the key entity aligned with the response entity that has the mention, or -1."""
        return np.append(self.key_of, -1)[self.table.response_entity]

    @cached_property
    def response_size(self) -> IntArray:
        """The size of each key entity's response entity, or 0."""
        return np.append(self.table.response.size, 0)[self.response]

    def defined(self, metric: str) -> BoolArray:
        """True for key entities on which the metric is defined.

        MUC and BLANC are not if neither side has a link, MUC not without a response entity (the
        dashes in Holen's Table 6).
        """
        links = (self.table.key.size > 1) | (self.response_size > 1)
        if metric == "muc":
            return links & (self.response >= 0)
        return links if metric == "blanc" else np.ones(len(links), bool)

    def defined_f1(self, metric: str) -> FloatArray:
        """F1 by one of ``PAIR_METRICS`` by key entity; NaN where it is undefined."""
        return np.where(self.defined(metric), self.scores(metric)[2], np.nan)

    def scores(self, metric: str) -> tuple[FloatArray, FloatArray, FloatArray]:
        """By key entity: precision, recall and F1 of its pair by one of ``PAIR_METRICS``.

        F1 is one division of whole numbers, so that equal fractions are equal and share a rank.
        """
        key, response, shared = self.table.key.size, self.response_size, self.shared
        if metric == "muc":
            common = np.maximum(shared - 1, 0)
            key, response = key - 1, np.maximum(response - 1, 0)
        elif metric in ("blanc", "lea"):
            same_singleton = (key == 1) & (response == 1) & (shared == 1)
            common = _links(shared) + (same_singleton & (metric == "lea"))
            key, response = _links(key), _links(response)
            if metric == "lea":
                key, response = np.maximum(key, 1), np.maximum(response, 1)
        else:
            common = shared
        part, whole, found = (column.astype(np.float64) for column in (common, key, response))
        f1 = ratio(2 * part, whole + found)
        if metric == "ceafe":
            return f1, f1, f1
        return ratio(part, found), ratio(part, whole), f1


def _align(
    table: MentionTable, phrases: Phrases, key: IntArray, response: IntArray, similarity: FloatArray
) -> IntArray:
    """Align entities one to one; ties are decided in text order, not by the order of the file."""
    ours = phrases.entity_order(table.key_entity, len(table.key))[key]
    theirs = phrases.entity_order(table.response_entity, len(table.response))[response]
    order = np.lexsort((theirs, ours))
    return order[align(ours[order], theirs[order], similarity[order])]


def _links(count: IntArray) -> IntArray:
    return count * (count - 1) // 2


def kept_shares(pairs: Pairs, phrases: Phrases) -> FloatArray:
    """The share of new content words of each key mention that its response entity retains.

    {flooding, flooding, flooding} against {flooding} retains everything. A content word of a
    mention of K is retained if any mention of K has the same word at a position that a mention of
    the aligned R covers; without a text, if a name in R has it. A mention that is found retains
    all. Nothing is retained of an entity that no response entity is aligned with.
    """
    table = pairs.table
    standing = pairs.paired_key
    found = (table.key_entity >= 0) & (standing == table.key_entity)

    words = np.flatnonzero(phrases.content)
    owner, word = phrases.owner[words], phrases.word[words]
    key, paired = table.key_entity[owner], standing[owner]
    spot = phrases.spot[words]
    width = int(spot.max(initial=0)) + 1
    covered = among(key * width + spot, (paired * width + spot)[paired >= 0]) & (key >= 0)
    width = int(word.max(initial=0)) + 1
    kept = among(key * width + word, (key * width + word)[covered]) & (key >= 0)

    # The new words of a mention count; without new words, all of its words.
    brings = np.zeros(len(words), bool)
    order = np.lexsort((phrases.turn[owner], word, key))
    fresh = np.ones(len(order), bool)
    fresh[1:] = (key[order][1:] != key[order][:-1]) | (word[order][1:] != word[order][:-1])
    brings[order[fresh]] = True
    rows = len(table.document)
    brings |= np.bincount(owner, brings, minlength=rows)[owner] == 0
    total = np.bincount(owner, brings, minlength=rows)
    share = np.bincount(owner, brings & kept, minlength=rows) / np.maximum(total, 1)
    return np.where(found, 1.0, share)


def pair_metrics(names: str | Sequence[str]) -> tuple[str, ...]:
    """Names of metrics that are defined for a pair of entities; ``all`` means all of them."""
    asked = names.split(",") if isinstance(names, str) else names
    chosen: list[str] = []
    for name in (name.strip().lower() for name in asked):
        if name in ("all", "default"):
            chosen.extend(PAIR_METRICS)
        else:
            chosen.append(choose("a metric of a pair of entities", name, PAIR_METRICS))
    return tuple(dict.fromkeys(chosen))
