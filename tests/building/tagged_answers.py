"""Answers in every dialect: written from a corpus, and read beside it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from hypothesis import strategies as st

from corefine import Document
from corefine.corpus.corpus import Corpus
from corefine.formats.io.sources import Source
from corefine.formats.registry import format_named
from tests.building.text_corpora import make


def written(corpus: Corpus, dialect: str) -> bytes:
    write = format_named(dialect).write
    assert write is not None
    return b"".join(write(corpus))


def read(data: bytes, key: Corpus, dialect: str, align: str = "tolerant") -> Corpus:
    read_against = format_named(dialect).read_against
    assert read_against is not None
    return read_against([Source("answers.jsonl", content=data)], key, align)


def spans(corpus: Corpus) -> set[frozenset[Hashable]]:
    return {frozenset(entity) for entities in corpus.to_dict().values() for entity in entities}


WORDS = [
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa",
    "she", "he", "her", "him", "it",
]  # fmt: skip
OVERLAPPING = ["he", "He", "she", "he-she", "she's", "US", "US-China", "China", "我", "我们", "们"]
"""Words of which some are parts of others."""


@st.composite
def documents(draw: st.DrawFn, known: Sequence[str] = WORDS) -> Corpus:
    """A document of 12 to 40 words with up to ten mentions that do not overlap."""
    words = draw(st.lists(st.sampled_from(known), min_size=12, max_size=40))
    found: list[tuple[int, int, int]] = []
    place = 0
    while place < len(words) and len(found) < 10:
        place += draw(st.integers(0, 3))
        size = draw(st.integers(1, 2))
        if place + size <= len(words):
            found.append((draw(st.integers(0, 3)), place, place + size - 1))
        place += size
    return make({"x": ([words], found or [(0, 0, 0)])})


def strings_of(document: Document) -> list[list[str]]:
    """The mentions of each entity in text order."""
    return [[document.words_of(m) for m in entity] for entity in document.entities.values()]
