"""Mention overlap: how many words of the mentions were found, whatever they refer to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from corefine.corpus.arrays import IntArray, counted, ranges
from corefine.corpus.corpus import Corpus
from corefine.corpus.words import named_spans
from corefine.matching.assignment import align
from corefine.matching.places import Places
from corefine.metrics.base import RatioMetric, Statistics
from corefine.metrics.chains import matched_of, spans_of
from corefine.metrics.registry import register
from corefine.metrics.table import Table


@register
@dataclass(frozen=True)
class MentionOverlap(RatioMetric):
    r"""Mention overlap ratio (Žabokrtský et al. 2022).

    .. math:: O = \max \sum |k \cap r|, \quad R = \frac{O}{\sum |k|}, \quad P = \frac{O}{\sum |r|}

    over all one-to-one pairings of key mentions k with response mentions r, as sets of words; a
    zero is a word at its own place. How mentions are matched for the other metrics does not bear
    on it. A mention that is only a name counts as one word; a pair of
    numbers is a span.
    """

    name = "mor"
    title = "Mention overlap"
    summary = "Words of mentions found, in the best one-to-one pairing of mentions."
    use = (
        "Use it beside head or partial matching, which forgive wrong boundaries: it shows how much "
        "of the mentions was found. It does not depend on --match. It says nothing of coreference, "
        "and long mentions weigh more."
    )
    example = "corefine score key.conllu response.conllu --match head --metrics conll,mor"
    citation = "Žabokrtský et al. 2022, CRAC shared task on multilingual coreference, CRAC"

    @property
    def needs_mentions(self) -> bool:
        return True

    def statistics(self, table: Table) -> Statistics:
        matched = matched_of(table)
        key, response = matched.key, matched.response
        sides = Places.of(key, response)
        if _has_words(key) and _has_words(response):
            ours, overlap = _best_pairs(_words(sides[0]), _words(sides[1]), len(response.mentions))
            sizes = [spans_of(side)[0] for side in sides]
        else:
            both = (table.key_entity >= 0) & (table.response_entity >= 0)
            ours, overlap = matched.key_mention[both], np.ones(np.count_nonzero(both), np.int64)
            sizes = [np.ones(len(side.mentions), np.int64) for side in (key, response)]
        unit = _units(table)
        found = table.per_document(unit[key.mentions.document[ours]], overlap)
        wholes = [
            table.per_document(unit[side.mentions.document], size)
            for side, size in zip((key, response), sizes, strict=True)
        ]
        return {
            "precision_part": found,
            "precision_whole": wholes[1],
            "recall_part": found,
            "recall_whole": wholes[0],
        }


def _units(table: Table) -> IntArray:
    """The unit of scoring that each document of the corpora belongs to."""
    matched = matched_of(table)
    if matched.grouping is not None:
        return matched.grouping.of_document
    return np.arange(len(matched.key.documents))


def _has_words(corpus: Corpus) -> bool:
    return corpus.has_places or named_spans(corpus.mentions.names) is not None


def _words(side: Places) -> tuple[IntArray, IntArray, IntArray]:
    """The mention of each word of a side, its document and its place."""
    mentions = side.corpus.mentions
    if mentions.names is None:
        owner, place = side.words(np.arange(len(mentions)))
    else:
        size, _, first = spans_of(side)
        owner, place = np.repeat(np.arange(len(mentions)), size), ranges(first, size)
    return owner, mentions.document[owner], place


def _best_pairs(
    key: tuple[IntArray, IntArray, IntArray],
    response: tuple[IntArray, IntArray, IntArray],
    responses: int,
) -> tuple[IntArray, IntArray]:
    """The key mentions of the best one-to-one pairing, and how many words each pair shares."""
    width = 1 + max(int(place.max(initial=0)) for _, _, place in (key, response))
    (ours, our_word), (theirs, their_word) = (
        (owner, document * width + place) for owner, document, place in (key, response)
    )
    order = np.argsort(their_word, kind="stable")
    their_word, theirs = their_word[order], theirs[order]
    low = np.searchsorted(their_word, our_word, "left")
    count = np.searchsorted(their_word, our_word, "right") - low
    codes = np.repeat(ours, count) * max(responses, 1) + theirs[ranges(low, count)]
    codes, overlap = counted(codes)
    ours, theirs = np.divmod(codes, max(responses, 1))
    chosen = align(ours, theirs, overlap.astype(np.float64))
    return ours[chosen], overlap[chosen]
