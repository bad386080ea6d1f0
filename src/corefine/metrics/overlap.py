"""Mention overlap: how many words of the mentions were found, whatever they refer to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from corefine.corpus.arrays import IntArray, counted, ranges
from corefine.corpus.corpus import Corpus
from corefine.corpus.words import named_spans
from corefine.errors import UsageError
from corefine.matching.alignment import align
from corefine.matching.places import Places
from corefine.metrics.anaphors import CRAC_2022
from corefine.metrics.base import RatioMetric, Statistics
from corefine.metrics.chains import spans_of
from corefine.metrics.registry import register
from corefine.metrics.table import MentionTable

MOST_WORDS = 2**28
"""Total number of words above which pairs of numbers are not plausible as spans."""


@register
class MentionOverlap(RatioMetric):
    r"""Mention overlap ratio (Žabokrtský et al. 2022).

    .. math:: O = \max \sum |k \cap r|, \quad R = \frac{O}{\sum |k|}, \quad P = \frac{O}{\sum |r|}

    over all one-to-one pairings of key mentions k with response mentions r, as sets of words; a
    zero is a word at its own place. The mention matching of the other metrics does not affect it.
    A mention that is only a name counts as one word; a pair of numbers is a span.
    """

    name = "mor"
    title = "Mention overlap"
    summary = "Mention overlap ratio: words shared in the best one-to-one matching of mentions."
    use = (
        "Use it with head or partial matching, which tolerate wrong boundaries: it shows how "
        "much of the mentions was covered. It does not depend on --match. It ignores "
        "coreference, and long mentions weigh more."
    )
    example = "corefine score key.conllu response.conllu --match head --metrics conll,mor"
    citation = "Žabokrtský et al. 2022, CRAC shared task on multilingual coreference, CRAC"
    references = (CRAC_2022,)

    @property
    def needs_text(self) -> bool:
        return True

    def statistics(self, table: MentionTable) -> Statistics:
        matched = table.matched
        key, response = matched.key, matched.response
        units = _units(table)
        if has_words(key) and has_words(response):
            documents = [side.mentions.document for side in (key, response)]
            within = units if matched.grouping is None else documents
            found = shared_words(Places.of(key, response), within)
        else:
            both = np.flatnonzero((table.key_entity >= 0) & (table.response_entity >= 0))
            codes = [np.full(len(key.mentions), -1), np.full(len(response.mentions), -2)]
            codes[0][matched.key_mention[both]] = both
            codes[1][matched.response_mention[both]] = both
            found = shared_names(codes)
        part = table.per_document(units[0][found.key], found.overlap)
        return {
            "precision_part": part,
            "precision_whole": table.per_document(units[1], found.response_words),
            "recall_part": part,
            "recall_whole": table.per_document(units[0], found.key_words),
        }


class SharedWords(NamedTuple):
    """The key mentions of the best one-to-one pairing, the words of each pair and mention."""

    key: IntArray
    overlap: IntArray
    key_words: IntArray
    response_words: IntArray


def shared_words(sides: tuple[Places, Places], within: Sequence[IntArray]) -> SharedWords:
    """The best pairing of the mentions of two sides ``within`` documents or windows."""
    for side in sides:
        _require_spans(side.corpus)
    words = [_words(side, part) for side, part in zip(sides, within, strict=True)]
    sizes = [len(side.corpus.mentions) for side in sides]
    pairs = _best_pairs(words[0], words[1], sizes[1])
    lengths = (
        np.bincount(owner, minlength=size) for (owner, _, _), size in zip(words, sizes, strict=True)
    )
    return SharedWords(*pairs, *lengths)


def shared_names(codes: Sequence[IntArray]) -> SharedWords:
    """The same for mentions without words, each one word: equal codes are the same mention."""
    ours, theirs = (np.argsort(code, kind="stable") for code in codes)
    arranged = [code[order] for code, order in zip(codes, (ours, theirs), strict=True)]
    # The nth of the key's mentions with a code is paired with the nth of the response's.
    nth = [np.arange(len(code)) - np.searchsorted(code, code) for code in arranged]
    stop, start = (np.searchsorted(arranged[1], arranged[0], side) for side in ("right", "left"))
    paired = ours[nth[0] < stop - start]
    return SharedWords(paired, np.ones(len(paired), np.int64), *(np.ones_like(c) for c in codes))


def _units(table: MentionTable) -> list[IntArray]:
    """The document, window or group of documents of each mention, of the key and the response."""
    matched = table.matched
    units = []
    for corpus, mention in (
        (matched.key, matched.key_mention),
        (matched.response, matched.response_mention),
    ):
        unit = np.zeros(len(corpus.mentions), np.int64)
        rows = np.flatnonzero(mention >= 0)
        unit[mention[rows]] = table.document[rows]
        units.append(unit)
    return units


def has_words(corpus: Corpus) -> bool:
    """True if the words of all mentions are known, or if there are no mentions."""
    if not len(corpus.mentions):
        return True
    return corpus.has_places or named_spans(corpus.mentions.names) is not None


def _require_spans(corpus: Corpus) -> None:
    """Refuse pairs of numbers that are not spans of a text."""
    spans = named_spans(corpus.mentions.names)
    if spans is None:
        return
    size = spans[:, 1] - spans[:, 0] + 1
    if (size < 1).any():
        first = int(np.argmax(size < 1))
        document = corpus.documents[int(corpus.mentions.document[first])]
        raise UsageError(
            f"the mention {tuple(spans[first].tolist())} of document {document!r} ends before it "
            "begins",
            remedy="Give the first and the last token of a mention, both included.",
        )
    if size.sum(dtype=np.float64) > MOST_WORDS:
        raise UsageError(
            f"the mentions have {size.sum(dtype=np.float64):.3g} words, too many to compare",
            remedy="Give the first and the last token of a mention, or leave out mor.",
        )


def _words(side: Places, unit: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """The mention of each word of a side, the unit that it is in and its place."""
    mentions = side.corpus.mentions
    if not len(mentions):
        owner = place = np.zeros(0, np.int64)
    elif mentions.names is None:
        owner, place = side.words(np.arange(len(mentions)))
    else:
        size, _, first = spans_of(side)
        owner, place = np.repeat(np.arange(len(mentions)), size), ranges(first, size)
    return owner, unit[owner], place


def _best_pairs(
    key: tuple[IntArray, IntArray, IntArray],
    response: tuple[IntArray, IntArray, IntArray],
    responses: int,
) -> tuple[IntArray, IntArray]:
    """The key mentions of the best one-to-one pairing, and how many words each pair shares.

    Mentions with the same words are paired first: since |k ∩ r'| + |k ∩ k'| is at most
    |k| + |k' ∩ r'|, no pairing that separates them shares more. Few mentions are left to align.
    """
    width = 1 + max(int(place.max(initial=0)) for _, _, place in (key, response))
    (ours, our_word), (theirs, their_word) = (
        (owner, document * width + place) for owner, document, place in (key, response)
    )
    same, twins, sizes = _same_words(ours, our_word, theirs, their_word)
    left, right = ~np.isin(ours, same), ~np.isin(theirs, twins)
    ours, our_word, theirs, their_word = (
        ours[left],
        our_word[left],
        theirs[right],
        their_word[right],
    )
    order = np.argsort(their_word, kind="stable")
    their_word, theirs = their_word[order], theirs[order]
    low = np.searchsorted(their_word, our_word, "left")
    count = np.searchsorted(their_word, our_word, "right") - low
    codes = np.repeat(ours, count) * max(responses, 1) + theirs[ranges(low, count)]
    codes, overlap = counted(codes)
    ours, theirs = np.divmod(codes, max(responses, 1))
    chosen = align(ours, theirs, overlap.astype(np.float64))
    return np.concatenate([same, ours[chosen]]), np.concatenate([sizes, overlap[chosen]])


def _same_words(
    ours: IntArray, our_word: IntArray, theirs: IntArray, their_word: IntArray
) -> tuple[IntArray, IntArray, IntArray]:
    """Pairs of mentions that have the same words, each mention at most once; how many these are.

    The words of a mention stand together, in their order.
    """
    (mine, my_start, my_size), (other, other_start, other_size) = (
        np.unique(owner, return_index=True, return_counts=True) for owner in (ours, theirs)
    )
    # Mentions with equal codes are compared word by word, so codes need not be unique.
    factor = 1 + max(int(size.max(initial=0)) for size in (my_size, other_size))
    _, left, right = np.intersect1d(
        our_word[my_start] * factor + my_size,
        their_word[other_start] * factor + other_size,
        return_indices=True,
    )
    equal = my_size[left] == other_size[right]
    left, right = left[equal], right[equal]
    sizes = my_size[left]
    differs = (
        our_word[ranges(my_start[left], sizes)] != their_word[ranges(other_start[right], sizes)]
    )
    same = ~np.isin(np.arange(len(left)), np.repeat(np.arange(len(left)), sizes)[differs])
    return mine[left[same]], other[right[same]], sizes[same]
