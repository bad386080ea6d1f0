"""Mention overlap: how many words of the mentions were found, whatever they refer to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from corefine.corpus.arrays import IntArray, ranges
from corefine.corpus.corpus import Corpus
from corefine.corpus.words import named_spans
from corefine.errors import UsageError
from corefine.matching.places import Places
from corefine.metrics.anaphors import spans_of
from corefine.metrics.base import RatioMetric, Statistics, fractions
from corefine.metrics.ceaf import align
from corefine.metrics.table import MentionTable

MOST_WORDS = 2**28
"""Total number of words above which pairs of numbers are not plausible as spans."""


class MentionOverlap(RatioMetric):
    r"""Mention overlap ratio (Žabokrtský et al. 2022).

    .. math:: O = \max \sum |k \cap r|, \quad R = \frac{O}{\sum |k|}, \quad P = \frac{O}{\sum |r|}

    over all one-to-one pairings of key mentions k with response mentions r, as sets of words; a
    zero is a word at its own place. The mention matching of the other metrics does not affect it.
    A mention that is only a name counts as one word; a pair of numbers is a span.

    Use it with head or partial matching, which tolerate wrong boundaries: it shows how much of the
    mentions was covered. It does not depend on --match. It ignores coreference, and long mentions
    weigh more.

    .. code-block:: console

        $ corefine score key.conllu response.conllu --match head --metrics conll,mor
    """

    name = "mor"
    title = "Mention overlap"
    summary = "Mention overlap ratio: words shared in the best one-to-one matching of mentions."
    citation = "Žabokrtský et al. 2022, CRAC shared task on multilingual coreference, CRAC"
    references = ("zabokrtsky-etal-2022-crac",)

    needs_text = True

    def statistics(self, table: MentionTable) -> Statistics:
        matching = table.matching
        key, response = matching.key, matching.response
        units = [side.unit for side in matching.places]
        if matching.grouping is not None:
            units = [matching.grouping.of_document[document] for document in units]
        if has_words(key) and has_words(response):
            found = shared_words(matching.places)
        else:
            both = np.flatnonzero((table.key_entity >= 0) & (table.response_entity >= 0))
            codes = [np.full(len(key.mentions), -1), np.full(len(response.mentions), -2)]
            codes[0][matching.key_mention[both]] = both
            codes[1][matching.response_mention[both]] = both
            found = shared_names(codes)
        return fractions(
            table.per_document(units[0][found.key], found.overlap),
            table.per_document(units[1], found.response_words),
            table.per_document(units[0], found.key_words),
        )


class SharedWords(NamedTuple):
    """The key mentions of the best one-to-one pairing, the words of each pair and mention."""

    key: IntArray
    overlap: IntArray
    key_words: IntArray
    response_words: IntArray


def shared_words(sides: tuple[Places, Places]) -> SharedWords:
    """The best pairing of the mentions of two sides within documents or windows."""
    words = [_words(side) for side in sides]
    width = 1 + max(int(place.max(initial=0)) for _, place in words)
    return _best_pairs(
        [
            (owner, side.unit[owner] * width + place, len(side.unit))
            for (owner, place), side in zip(words, sides, strict=True)
        ]
    )


def shared_names(codes: Sequence[IntArray]) -> SharedWords:
    """Pair mentions without words; each counts as one word, and equal codes are equal mentions."""
    return _best_pairs([(np.arange(len(code)), code, len(code)) for code in codes])


def _best_pairs(sides: Sequence[tuple[IntArray, IntArray, int]]) -> SharedWords:
    """The best pairing, from the mention and the code of each word and the number of mentions."""
    from scipy.sparse import csr_array

    names, column = np.unique(np.concatenate([word for _, word, _ in sides]), return_inverse=True)
    columns = np.split(column, [len(sides[0][0])])
    ours, theirs = (
        csr_array((np.ones(len(owner), np.int64), (owner, column)), shape=(count, len(names)))
        for (owner, _, count), column in zip(sides, columns, strict=True)
    )
    overlap = ours @ theirs.T
    overlap.sort_indices()
    key = np.repeat(np.arange(sides[0][2]), np.diff(overlap.indptr))
    chosen = align(key, overlap.indices.astype(np.int64), overlap.data.astype(np.float64))
    lengths = (np.bincount(owner, minlength=count) for owner, _, count in sides)
    return SharedWords(key[chosen], overlap.data[chosen], *lengths)


def has_words(corpus: Corpus) -> bool:
    """True if the words of all mentions are known, or if there are no mentions."""
    if not len(corpus.mentions):
        return True
    return corpus.has_places or named_spans(corpus.mentions.names) is not None


def _words(side: Places) -> tuple[IntArray, IntArray]:
    """The mention and the place of each word of a side."""
    mentions = side.corpus.mentions
    if not len(mentions):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    if mentions.names is None:
        return side.words(np.arange(len(mentions)))
    size, _, first = spans_of(side)
    _require_spans(side.corpus, size)
    return np.repeat(np.arange(len(mentions)), size), ranges(first, size)


def _require_spans(corpus: Corpus, size: IntArray) -> None:
    """Refuse pairs of numbers that are not spans of a text."""
    wrong = int(size.argmin() if size.min() < 1 else size.argmax())
    if size[wrong] < 1 or size.sum(dtype=np.float64) > MOST_WORDS:
        document = corpus.documents[int(corpus.mentions.document[wrong])]
        raise UsageError(
            f"{corpus.mention_id(wrong)!r} in document {document!r} cannot be a mention of "
            f"{size[wrong]:,} words",
            remedy="A span is (start, end) with the end exclusive: token 4 alone is (4, 5).",
        )
