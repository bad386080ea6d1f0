"""Corpora with a text, made by hand or at random, for the tests of explanations."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from random import Random

from hypothesis import strategies as st

from corefine.corpus.columns import Kind
from corefine.corpus.corpus import Corpus
from corefine.metrics.table import MentionTable
from corefine.scoring.count import match
from tests.building.text_corpora import document_of

Span = tuple[int, int]
"""First word and last word, both included."""
Entities = list[list[Span]]
Text = list[list[str]]
"""Sentences of words."""
DocumentText = tuple[Text, Entities]


def corpus_of(
    documents: Sequence[DocumentText], kinds: Sequence[dict[Span, Kind]] | None = None
) -> Corpus:
    """A corpus of documents that are given by their sentences and entities."""
    return Corpus.from_documents(
        document_of(f"d{number}", *document, count(), {} if kinds is None else kinds[number])
        for number, document in enumerate(documents)
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
    keys: list[DocumentText] = []
    responses: list[DocumentText] = []
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
