"""The response that the labels of an audit stand for, as a corpus of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, islice

import numpy as np

from corefine.auditing.transformations import Changed, Labelling
from corefine.corpus.arrays import IntArray, numbered
from corefine.corpus.columns import Entities, Mentions
from corefine.corpus.corpus import Corpus
from corefine.corpus.joining import joined_mentions
from corefine.corpus.selection import take_mentions
from corefine.errors import UsageError
from corefine.kinds.kind_plan import KindSpec
from corefine.metrics.table import MentionTable
from corefine.scoring.count import tabulate
from corefine.scoring.request import Request


def transformed(
    key: Corpus, response: Corpus, labelling: Labelling, kinds: KindSpec = "auto"
) -> Corpus:
    """The response after a transformation that is given by labels."""
    table = tabulate(key, response, Request.of(kinds=kinds, shows_kinds=True))
    return corpus_of(table, labelling(table))


def corpus_of(table: MentionTable, changed: Changed) -> Corpus:
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
    return _relabelled(parts, np.concatenate(entity))


def _relabelled(parts: Sequence[Corpus], entity: IntArray) -> Corpus:
    """The mentions of corpora of the same documents, in entities by these labels.

    ``entity`` has a label for each mention, one part after another; equal labels are one entity,
    which must lie within a document. Tokens and all else are those of the first part.
    """
    types = tuple(dict.fromkeys(chain.from_iterable(part.types for part in parts)))
    nothing = [0] * len(parts)
    mentions = joined_mentions(parts, nothing, nothing, types)
    first, number = numbered(entity)
    document = mentions.document[first]
    # Entities and mentions both stand in the order of documents.
    arranged = np.argsort(document, kind="stable")
    rank = np.empty(len(first), np.int64)
    rank[arranged] = np.arange(len(first))
    order = np.argsort(mentions.document, kind="stable")
    return replace(
        parts[0],
        entities=Entities(document[arranged]),
        mentions=take_mentions(replace(mentions, entity=rank[number]), order),
        types=types,
        relations=(),
    )


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
