"""Pairs of mentions that have the same words, share some, or share none, counted and not listed.

Mentions with the same set of words are one node with a number, so a thousand times "the mass" cost
as much as once. Of two different nodes it must be known whether they share a word. The few words
that very many nodes have ("the", "of") are bits of a mask: nodes with the same mask are counted
together, and masks are compared with masks. Nodes that share no such word are found through the
rarer words, by a sparse product in which each pair of nodes appears once.

The cost is the words of the mentions, plus the pairs of nodes that share a rarer word, plus the
square of the number of different masks; memory is bounded, since both are done in slices.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from corefine.corpus.arrays import BoolArray, FloatArray, IntArray, offsets_of, ranges
from corefine.corpus.words import Wording
from corefine.metrics.blanc import pairs
from corefine.metrics.table import MentionTable

MASK_BITS = 62
FREQUENT = 64
"""A word that so many nodes of one set have may be given a bit."""
SLICE = 1 << 22
"""Pairs that are looked at at once."""


def overlapping_pairs(
    table: MentionTable, wording: Wording, sets: IntArray, parts: list[BoolArray]
) -> list[dict[str, FloatArray]]:
    """Pairs within sets of mentions by their words, by document, for several parts of the rows.

    ``sets`` numbers the sets (-1: a mention is in none); a row takes part where its flag is set.
    """
    nodes = _nodes(table, wording, sets, parts)
    columns = len(parts)
    total, exact, sharing = (np.zeros((len(table.documents), columns)) for _ in range(3))
    counts = nodes.counts
    for column in range(columns):
        size = np.bincount(nodes.set, counts[:, column], minlength=len(nodes.document))
        total[:, column] = table.per_document(nodes.document, pairs(size))
        same = np.where(nodes.worded, pairs(counts[:, column]), 0.0)
        exact[:, column] = table.per_document(nodes.document[nodes.set], same)
    mask, rare = _divide(nodes)
    for document, number in chain(_by_masks(nodes, mask), _by_rare_words(nodes, mask, rare)):
        for column in range(columns):
            sharing[:, column] += table.per_document(document, number[:, column])
    return [
        {
            "exact": exact[:, column],
            "partial": sharing[:, column],
            "none": total[:, column] - exact[:, column] - sharing[:, column],
        }
        for column in range(columns)
    ]


@dataclass(frozen=True, slots=True, eq=False)
class _Nodes:
    """Mentions of one set with the same words: their set, how many there are of them in each part,
    and their words. The nodes of a set stand together."""

    set: IntArray
    counts: FloatArray
    worded: BoolArray
    document: IntArray
    """The document of each set."""
    words: IntArray
    """The different words of all nodes, side by side."""
    offsets: IntArray

    @property
    def owner(self) -> IntArray:
        """The node of each word."""
        return np.repeat(np.arange(len(self.set)), np.diff(self.offsets))


def _nodes(table: MentionTable, wording: Wording, sets: IntArray, parts: list[BoolArray]) -> _Nodes:
    rows = np.flatnonzero((sets >= 0) & np.logical_or.reduce(parts))
    wordset, words, offsets = table.shared("word sets", lambda: _word_sets(wording))
    numbers, first, number = np.unique(sets[rows], return_index=True, return_inverse=True)
    width = len(offsets) - 1
    codes, node = np.unique(number * width + wordset[rows], return_inverse=True)
    owner, which = np.divmod(codes, max(width, 1))
    counts = np.stack(
        [np.bincount(node, part[rows], minlength=len(codes)) for part in parts], axis=1
    ).astype(np.float64)
    lengths = np.diff(offsets)[which]
    return _Nodes(
        owner,
        counts,
        lengths > 0,
        table.document[rows][first] if len(numbers) else numbers,
        words[ranges(offsets[:-1][which], lengths)],
        offsets_of(lengths),
    )


def _word_sets(wording: Wording) -> tuple[IntArray, IntArray, IntArray]:
    """The set of words of each mention by number; the words of each set, and where they begin."""
    numbers, vocabulary = wording.vocabulary()
    width = max(len(vocabulary), 1)
    codes = np.unique(wording.owner * width + numbers)
    owner, word = np.divmod(codes, width)
    lengths = np.bincount(owner, minlength=len(wording.offsets) - 1)
    offsets = offsets_of(lengths)
    seen: dict[bytes, int] = {}
    block = word.tobytes()
    size = word.itemsize
    wordset = np.array(
        [
            seen.setdefault(block[size * start : size * stop], len(seen))
            for start, stop in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True)
        ],
        np.int64,
    )
    sets = [np.frombuffer(words, word.dtype) for words in seen]
    return (
        wordset,
        np.concatenate([np.zeros(0, word.dtype), *sets]),
        offsets_of(np.array([len(words) for words in sets], np.int64)),
    )


def _divide(nodes: _Nodes) -> tuple[NDArray[np.uint64], BoolArray]:
    """A mask of frequent words for each node, and which of the nodes' words are rare."""
    mask = np.zeros(len(nodes.set), np.uint64)
    if not len(nodes.words):
        return mask, np.zeros(0, bool)
    owner = nodes.owner
    width = int(nodes.words.max()) + 1
    codes, often = np.unique(nodes.set[owner] * width + nodes.words, return_counts=True)
    word = codes % width
    greatest = np.zeros(width, np.int64)
    np.maximum.at(greatest, word, often)
    cost = np.bincount(word, pairs(often), minlength=width)
    frequent = np.flatnonzero(greatest >= FREQUENT)
    frequent = frequent[np.argsort(-cost[frequent], kind="stable")][:MASK_BITS]
    bit = np.full(width, -1)
    bit[frequent] = np.arange(len(frequent))
    bits = bit[nodes.words]
    rare = bits < 0
    has = np.flatnonzero(~rare)
    np.bitwise_or.at(mask, owner[has], np.uint64(1) << bits[has].astype(np.uint64))
    return mask, rare


def _by_masks(nodes: _Nodes, mask: NDArray[np.uint64]) -> Iterator[tuple[IntArray, FloatArray]]:
    """Pairs of nodes that share a frequent word: documents, and numbers of pairs for each part."""
    masked = np.flatnonzero(mask)
    if not len(masked):
        return
    order = masked[np.lexsort((mask[masked], nodes.set[masked]))]
    owner, bits, counts = nodes.set[order], mask[order], nodes.counts[order]
    opens = np.ones(len(order), bool)
    opens[1:] = (owner[1:] != owner[:-1]) | (bits[1:] != bits[:-1])
    starts = np.flatnonzero(opens)
    summed = np.add.reduceat(counts, starts, axis=0)
    squares = np.add.reduceat(counts * counts, starts, axis=0)
    owner, bits = owner[starts], bits[starts]
    document = nodes.document[owner]
    yield document, (summed * summed - squares) / 2
    # Masks of one set with each other: each with those that stand before it in the set.
    place = np.arange(len(owner))
    begins = np.ones(len(owner), bool)
    begins[1:] = owner[1:] != owner[:-1]
    before = place - np.maximum.accumulate(np.where(begins, place, 0))
    for rows in _slices(before):
        one = np.repeat(rows, before[rows])
        other = ranges(rows - before[rows], before[rows])
        meet = (bits[one] & bits[other]) != 0
        one, other = one[meet], other[meet]
        yield document[one], summed[one] * summed[other]


def _by_rare_words(
    nodes: _Nodes, mask: NDArray[np.uint64], rare: BoolArray
) -> Iterator[tuple[IntArray, FloatArray]]:
    """Pairs of nodes that share a rare word and no frequent one."""
    if not rare.any():
        return
    from scipy.sparse import csr_array

    owner = nodes.owner[rare]
    width = int(nodes.words.max()) + 1
    codes, word = np.unique(nodes.set[owner] * width + nodes.words[rare], return_inverse=True)
    often = np.bincount(word)
    several = often[word] > 1
    owner, word = owner[several], word[several]
    shape = (len(nodes.set), len(codes))
    incidence = csr_array((np.ones(len(owner), np.int32), (owner, word)), shape=shape)
    transposed = incidence.T.tocsr()
    work = np.bincount(owner, often[word], minlength=len(nodes.set)).astype(np.int64)
    for rows in _slices(work):
        product = incidence[rows] @ transposed
        one, other = np.repeat(rows, np.diff(product.indptr)), product.indices
        wanted = (other < one) & ((mask[one] & mask[other]) == 0)
        one, other = one[wanted], other[wanted]
        yield nodes.document[nodes.set[one]], nodes.counts[one] * nodes.counts[other]


def _slices(work: IntArray) -> list[IntArray]:
    """Rows that have work to do, in slices of bounded work (a single row may exceed the bound)."""
    rows = np.flatnonzero(work)
    if not len(rows):
        return []
    number = (np.cumsum(work[rows]) - work[rows]) // SLICE
    return np.split(rows, np.flatnonzero(np.diff(number)) + 1)
