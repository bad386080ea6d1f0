"""Corpora with a text, made by hand or at random, for the tests of explanations."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import numpy as np
from hypothesis import strategies as st

from corefine.corpus.arrays import offsets_of
from corefine.corpus.columns import Entities, Kind, Mentions, Tokens
from corefine.corpus.corpus import Corpus
from corefine.corpus.strings import Strings
from corefine.metrics.table import MentionTable
from corefine.scoring.count import match

Span = tuple[int, int]
"""First word and last word, both included."""
Document = tuple[list[list[str]], list[list[Span]]]
"""Sentences of words, and entities as lists of spans."""


def corpus_of(
    documents: Sequence[Document], kinds: Sequence[dict[Span, Kind]] | None = None
) -> Corpus:
    """A corpus of documents that are given by their sentences and entities."""
    words = [word for sentences, _ in documents for sentence in sentences for word in sentence]
    lengths = [sum(map(len, sentences)) for sentences, _ in documents]
    sentences = [len(sentence) for sentences, _ in documents for sentence in sentences]
    rows = [
        (number, span, entity)
        for number, (_, entities) in enumerate(documents)
        for entity, spans in enumerate(entities)
        for span in spans
    ]
    base = offsets_of(np.array([len(entities) for _, entities in documents], np.int64))
    document = np.array([number for number, _, _ in rows], np.int64)
    return Corpus(
        tuple(f"d{number}" for number in range(len(documents))),
        Entities(np.repeat(np.arange(len(documents)), np.diff(base))),
        Mentions(
            document,
            np.array([base[number] + entity for number, _, entity in rows], np.int64),
            np.array([span[0] for _, span, _ in rows], np.int64),
            np.array([span[1] + 1 for _, span, _ in rows], np.int64),
            kind=None
            if kinds is None
            else np.array(
                [kinds[number].get(span, Kind.UNKNOWN) for number, span, _ in rows], np.uint8
            ),
        ),
        Tokens(
            Strings.from_list(words),
            offsets_of(np.array(lengths, np.int64)),
            offsets_of(np.array(sentences, np.int64))[:-1],
        ),
    )


def table_of(key: Corpus, response: Corpus) -> MentionTable:
    return MentionTable.of(match(key, response))


WORDS = ("Anna", "anna", "Rome", "she", "the", "letter", "old", "it")


@st.composite
def sides(draw: st.DrawFn, documents: int = 3) -> tuple[Corpus, Corpus]:
    """Two annotations of the same random text, with spans that agree, overlap or differ.

    Only sizes and a seed are drawn, since drawing every word would take most of the time.
    """
    count, sentences, spans = draw(
        st.tuples(st.integers(1, documents), st.integers(1, 5), st.integers(0, 12))
    )
    random = Random(draw(st.integers(0, 2**32)))
    keys: list[Document] = []
    responses: list[Document] = []
    kinds: list[dict[Span, Kind]] = []
    for _ in range(count):
        text = [
            [random.choice(WORDS) for _ in range(random.randint(1, 6))] for _ in range(sentences)
        ]
        last = sum(map(len, text)) - 1
        starts = [random.randint(0, last) for _ in range(spans)]
        places = sorted({(start, min(start + random.randint(0, 3), last)) for start in starts})
        keys.append((text, _entities(random, places)))
        responses.append((text, _entities(random, places)))
        kinds.append({place: random.choice(list(Kind)) for place in places})
    return corpus_of(keys, kinds), corpus_of(responses, kinds)


def _entities(random: Random, spans: list[Span]) -> list[list[Span]]:
    """Some of the spans, in up to four entities."""
    groups: dict[int, list[Span]] = {}
    for span in spans:
        label = random.randint(-1, 3)
        if label >= 0:
            groups.setdefault(label, []).append(span)
    return list(groups.values())
