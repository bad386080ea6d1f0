"""Metrics of other scorers that ask where mentions stand: mention overlap, and zeros."""

from __future__ import annotations

import numpy as np

from corefine.corpus.arrays import FloatArray, IntArray
from corefine.corpus.corpus import Corpus
from corefine.corpus.selection import keep_mentions
from corefine.matching.places import Places
from corefine.metrics.base import Statistics
from corefine.metrics.chains import spans_of
from corefine.metrics.overlap import has_words, shared_names, shared_words
from corefine.metrics.registry import parse
from corefine.scoring.scorers.counting import anaphors
from corefine.scoring.scorers.numbering import Numbered, listed_in
from corefine.scoring.scorers.profiles import ScorerProfile


def count_texts(numbered: Numbered, tool: ScorerProfile) -> dict[str, Statistics]:
    """The statistics of the metrics that ask where mentions stand in the text."""
    counted: dict[str, Statistics] = {}
    once = [
        _once(side, code, rows) if tool.repeats in ("once", "set") else rows
        for side, code, rows in zip(numbered.sides, numbered.codes, numbered.met, strict=True)
    ]
    if "mor" in tool.metrics:
        counted["mor"] = _overlap(numbered, once)
    if "zero" in tool.metrics:
        counted[str(parse("zero"))] = _zeros(numbered, once, tool)
    return counted


def _once(corpus: Corpus, codes: IntArray, rows: IntArray) -> IntArray:
    """The rows without those that repeat a mention of their entity."""
    pairs = np.stack([corpus.mentions.entity[rows], codes[rows]], axis=1)
    first: IntArray = np.sort(np.unique(pairs, axis=0, return_index=True)[1])
    return rows[first]


def _overlap(numbered: Numbered, rows: list[IntArray]) -> Statistics:
    """Mention overlap; a mention of several entities counts in each."""
    rows = [np.sort(kept) for kept in rows]
    key, response = (
        keep_mentions(corpus, np.isin(np.arange(len(corpus.mentions)), kept))
        for corpus, kept in zip(numbered.sides, rows, strict=True)
    )
    documents = [side.mentions.document for side in (key, response)]
    if has_words(key) and has_words(response):
        found = shared_words(Places.of(key, response), documents)
    else:
        found = shared_names([code[kept] for code, kept in zip(numbered.codes, rows, strict=True)])
    sums: list[FloatArray] = [
        np.bincount(document, amount, len(key.documents)).astype(np.float64)
        for document, amount in (
            (documents[0][found.key], found.overlap),
            (documents[0], found.key_words),
            (documents[1], found.response_words),
        )
    ]
    names = ("precision_part", "recall_part", "recall_whole", "precision_whole")
    return dict(zip(names, (sums[0], *sums), strict=True))


def _zeros(numbered: Numbered, rows: list[IntArray], tool: ScorerProfile) -> Statistics:
    """Anaphoric zeros; the mentions of an entity are in the order of the text."""
    lists, zeros = [], []
    for corpus, code, kept, side in zip(
        numbered.sides, numbered.codes, rows, Places.of(*numbered.sides), strict=True
    ):
        entity = corpus.mentions.entity[kept]
        place = np.full(len(corpus.entities), len(kept))
        np.minimum.at(place, entity, np.arange(len(kept)))
        spans = [column[kept] for column in spans_of(side)] if has_words(corpus) else []
        in_text = kept[np.lexsort((np.arange(len(kept)), *spans, place[entity]))]
        lists.append(listed_in(corpus, code, in_text, None, tool))
        zeros.append(listed_in(corpus, side.zero.astype(np.int64), in_text, None, tool))
    counts = [
        anaphors(key, response, (ours, theirs), numbered.twins)
        for key, response, ours, theirs in zip(*lists, *zeros, strict=True)
    ]
    names = ("tp", "wl", "fn", "fp")
    return {name: np.array([one[name] for one in counts], np.float64) for name in names}
