"""corefud-scorer of the CRAC shared tasks (Žabokrtský et al. 2022).

- Mentions are matched by head, and singletons dropped, unless other settings are given.
- Mentions without a head have the first word as head.
- A mention that an entity repeats is one; a mention of several entities counts for each, and is
  found in the last by the order of their ids. Entities with the same id are one, even across
  documents.
- Matched mentions are looked up by position, which confuses zeros at the same position.
- An empty half of BLANC counts if either side has links of it.
- Mention overlap counts a mention of several entities in each.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from corefine.corpus.arrays import IntArray
from corefine.corpus.corpus import Corpus
from corefine.corpus.selection import keep_mentions
from corefine.matching.places import Places
from corefine.matching.settings import Settings
from corefine.metrics.anaphors import spans_of
from corefine.metrics.base import RatioMetric, Statistics
from corefine.metrics.overlap import has_words, shared_names, shared_words
from corefine.scoring.scorers.counters import Entities, MetricSums, owners_of
from corefine.scoring.scorers.lists import EntityLists, distinct_mentions, listed
from corefine.scoring.scorers.profile import ScorerProfile

PROFILE = ScorerProfile(
    "corefud",
    ("muc", "b3", "ceafe", "ceafm", "blanc", "lea", "conll", "mor", "zero"),
    Settings(match="head", singletons="drop"),
    duplicates="once",
    confuses_zeros=True,
    blanc="either",
)


def with_heads(corpus: Corpus) -> Corpus:
    """The corpus with the first word as the head of each mention, if it has no heads at all."""
    mentions = corpus.mentions
    if mentions.head is not None:
        return corpus
    return replace(corpus, mentions=replace(mentions, head=mentions.start))


def count_overlap(lists: EntityLists, profile: ScorerProfile) -> Statistics:
    """Mention overlap; a mention of several entities counts in each."""
    rows = [np.sort(kept) for kept in distinct_mentions(lists, profile)]
    key, response = (
        keep_mentions(corpus, np.isin(np.arange(len(corpus.mentions)), kept))
        for corpus, kept in zip(lists.corpora, rows, strict=True)
    )
    documents = [side.mentions.document for side in (key, response)]
    if has_words(key) and has_words(response):
        found = shared_words(Places.of(key, response))
    else:
        found = shared_names([code[kept] for code, kept in zip(lists.codes, rows, strict=True)])

    def sums(document: IntArray, words: IntArray) -> Any:
        return np.bincount(document, words, len(key.documents)).astype(np.float64)

    common = sums(documents[0][found.key], found.overlap)
    wholes = sums(documents[1], found.response_words), sums(documents[0], found.key_words)
    columns = common, wholes[0], common, wholes[1]
    return dict(zip(RatioMetric.statistic_names, columns, strict=True))


def count_zeros(lists: EntityLists, profile: ScorerProfile) -> Statistics:
    """Anaphoric zeros; the mentions of an entity are in text order."""
    entities, zeros = [], []
    for corpus, code, kept, side in zip(
        lists.corpora,
        lists.codes,
        distinct_mentions(lists, profile),
        Places.of(*lists.corpora),
        strict=True,
    ):
        entity = corpus.mentions.entity[kept]
        first = np.full(len(corpus.entities), len(kept))
        np.minimum.at(first, entity, np.arange(len(kept)))
        spans = [column[kept] for column in spans_of(side)] if has_words(corpus) else []
        in_text = kept[np.lexsort((np.arange(len(kept)), *spans, first[entity]))]
        entities.append(listed(corpus, code, in_text))
        zeros.append(listed(corpus, side.zero.astype(np.int64), in_text))
    counts = [
        _anaphors(key, response, (ours, theirs), lists.twins)
        for key, response, ours, theirs in zip(*entities, *zeros, strict=True)
    ]
    names = ("tp", "wl", "fn", "fp")
    return {name: np.array([one[name] for one in counts], np.float64) for name in names}


def _anaphors(
    key: Entities, response: Entities, zeros: tuple[Entities, Entities], twins: Mapping[int, int]
) -> MetricSums:
    """Zeros that are not the first of their entity, as tp, wl, fn and fp.

    Mentions are in text order; ``zeros`` marks zeros on both sides. A key mention is looked up at
    its own position first, then as the mention that it was matched with.
    """
    owners = owners_of(response)
    firsts = {entity[0] for entity in response}
    judged: set[int] = set()
    counts = {"tp": 0.0, "wl": 0.0, "fn": 0.0, "fp": 0.0}
    for entity, marks in zip(key, zeros[0], strict=True):
        earlier: set[int] = set()
        for place, (mention, zero) in enumerate(zip(entity, marks, strict=True)):
            other = mention if mention in owners else twins.get(mention)
            if place and zero:
                if other is None or other in firsts:
                    counts["fn"] += 1
                else:
                    counts["tp" if owners[other] in earlier else "wl"] += 1
                if other is not None:
                    judged.add(other)
            if other is not None:
                earlier.add(owners[other])
    counts["fp"] = sum(
        zero and mention not in firsts and mention not in judged
        for entity, marks in zip(response, zeros[1], strict=True)
        for mention, zero in zip(entity, marks, strict=True)
    )
    return counts
