"""Transformations of a response, from corpus to corpus: what an audit does to the user's files.

Each takes a key and a response and gives a response in which one thing is better or worse. Others
can be added: a function from a :class:`~corefine.metrics.table.Table` to
:class:`~corefine.auditing.labels.Changed`, and :func:`transformed` makes the corpus.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

import numpy as np

from corefine.auditing import labels
from corefine.auditing.labels import Changed, Labelling
from corefine.corpus.arrays import IntArray
from corefine.corpus.columns import Entities, Mentions
from corefine.corpus.corpus import Corpus
from corefine.corpus.joining import relabelled
from corefine.corpus.selection import take_mentions
from corefine.errors import UsageError
from corefine.kinds import KindSpec, plan_of
from corefine.matching.settings import Settings
from corefine.metrics.table import Table
from corefine.scoring.tabulating import tabulate


def transformed(
    key: Corpus, response: Corpus, labelling: Labelling, kinds: KindSpec = "auto"
) -> Corpus:
    """The response after a transformation that is given by labels."""
    table, _, _ = tabulate(key, response, Settings(), plan_of(kinds))
    return corpus_of(table, labelling(table))


def corpus_of(table: Table, changed: Changed) -> Corpus:
    """The response that labels stand for: its own mentions, those of the key, and invented ones."""
    matched = table.matched
    assert matched is not None
    present = changed.labels >= 0
    own = np.flatnonzero(present & (matched.response_mention >= 0))
    taken = np.flatnonzero(present & (matched.response_mention < 0))
    parts = [
        _with_mentions(matched.response, matched.response_mention[own]),
        _with_mentions(matched.key, matched.key_mention[taken]),
    ]
    entity = [changed.labels[own], changed.labels[taken]]
    if changed.invented is not None and len(changed.invented):
        parts.append(_invented(matched.response, matched.key, changed.invented))
        fresh = int(changed.labels.max(initial=-1)) + 1
        entity.append(fresh + np.arange(len(changed.invented)) // 2)
    return relabelled(parts, np.concatenate(entity))


def _with_mentions(corpus: Corpus, rows: IntArray) -> Corpus:
    return replace(corpus, mentions=take_mentions(corpus.mentions, rows))


def _invented(response: Corpus, key: Corpus, documents: IntArray) -> Corpus:
    """Mentions that neither side has: names of their own, or words that are no mention."""
    count = len(documents)
    place = np.arange(count)
    start, stop, names = place, place + 1, None
    if response.has_places:
        start, stop = _free_spans(response, key, documents)
    else:
        names = [f"invented mention {number}" for number in range(count)]
    mentions = Mentions(
        documents,
        np.zeros(count, np.int64),
        start,
        stop,
        names,
        head=None if response.mentions.head is None else start,
        type=None if response.mentions.type is None else np.full(count, -1),
    )
    return replace(response, entities=Entities(documents[:1]), mentions=mentions, types=())


def _free_spans(response: Corpus, key: Corpus, documents: IntArray) -> tuple[IntArray, IntArray]:
    """A place for each invented mention at which no mention stands: the shortest and first ones."""
    spans: list[tuple[int, int]] = []
    numbers, counts = np.unique(documents, return_counts=True)
    for document, wanted in zip(numbers.tolist(), counts.tolist(), strict=True):
        taken: set[tuple[int, int]] = set()
        length = wanted
        for corpus in (response, key):
            rows = corpus.mentions.document == document
            start, stop = corpus.mentions.start[rows], corpus.mentions.stop[rows]
            taken.update(zip(start.tolist(), stop.tolist(), strict=True))
            length = max(length, int(corpus.mentions.stop[rows].max(initial=0)) + wanted)
        if response.tokens is not None:
            length = int(np.diff(response.tokens.offsets)[document])
        free = (
            (start, start + words)
            for words in range(1, length + 1)
            for start in range(length - words + 1)
            if (start, start + words) not in taken
        )
        found = list(islice(free, wanted))
        if len(found) < wanted:
            raise UsageError(
                f"document {response.documents[document]!r} is too short to invent "
                f"{wanted} mentions in it"
            )
        spans.extend(found)
    places = np.array(spans, np.int64).reshape(-1, 2)
    return places[:, 0], places[:, 1]


def more_precise(key: Corpus, response: Corpus, kinds: KindSpec = "auto") -> Corpus:
    """Remove the mentions whose links are all wrong; what is left alone stays as a singleton."""
    return transformed(key, response, labels.more_precise, kinds)


def less_precise_a(key: Corpus, response: Corpus, kinds: KindSpec = "auto") -> Corpus:
    """Add wrong pairs of mentions that the response lacks, as many as there can be."""
    return transformed(key, response, labels.less_precise_a, kinds)


def less_precise_b(key: Corpus, response: Corpus, kinds: KindSpec = "auto") -> Corpus:
    """Add wrong entities of missing mentions, each with at most one mention of a key entity."""
    return transformed(key, response, labels.less_precise_b, kinds)


def less_precise_b_as_scored(key: Corpus, response: Corpus, kinds: KindSpec = "auto") -> Corpus:
    """Add a wrong pair of missing mentions a document, and all others as singletons."""
    return transformed(key, response, labels.less_precise_b_as_scored, kinds)


def all_singletons(key: Corpus, response: Corpus, kinds: KindSpec = "auto") -> Corpus:
    """Leave every mention of the key alone."""
    return transformed(key, response, labels.all_singletons, kinds)


def response_in_one_entity(key: Corpus, response: Corpus, kinds: KindSpec = "auto") -> Corpus:
    """Put all mentions of the response into one entity a document."""
    return transformed(key, response, labels.response_in_one_entity, kinds)


def key_in_one_entity(key: Corpus, response: Corpus, kinds: KindSpec = "auto") -> Corpus:
    """Put all mentions of the key into one entity a document."""
    return transformed(key, response, labels.key_in_one_entity, kinds)


def split_largest(key: Corpus, response: Corpus, kinds: KindSpec = "auto") -> Corpus:
    """Split, in each document, the largest entity in which nothing is wrong into halves."""
    return transformed(key, response, labels.split_largest, kinds)


def merge_largest(key: Corpus, response: Corpus, kinds: KindSpec = "auto") -> Corpus:
    """Merge, in each document, the two largest entities that the key keeps apart."""
    return transformed(key, response, labels.merge_largest, kinds)


def swap_names(key: Corpus, response: Corpus, kinds: KindSpec = "auto") -> Corpus:
    """Exchange the names of entities that stand for different key entities."""
    return transformed(key, response, labels.swap_names, kinds)


def drop_pronouns(key: Corpus, response: Corpus, kinds: KindSpec = "auto") -> Corpus:
    """Remove every pronoun and zero."""
    return transformed(key, response, labels.drop_pronouns, kinds)


def keep_pronouns(key: Corpus, response: Corpus, kinds: KindSpec = "auto") -> Corpus:
    """Keep nothing but pronouns and zeros."""
    return transformed(key, response, labels.keep_pronouns, kinds)


def add_spurious(key: Corpus, response: Corpus, kinds: KindSpec = "auto") -> Corpus:
    """Add pairs of mentions that the key does not have, a tenth of its mentions."""
    return transformed(key, response, labels.add_spurious, kinds)
