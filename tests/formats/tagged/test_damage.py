"""Properties of every dialect: gold scores 100, and damage costs only what the rule says."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import corefine
from corefine.formats.tagged.dialects import WRITTEN
from tests.building.tagged_answers import read, spans, written
from tests.building.text_corpora import SOLID_WORDS, make

every_dialect = pytest.mark.parametrize("dialect", WRITTEN)
Span = tuple[int, int, int]
"""Entity, first word, last word."""


@st.composite
def nested_documents(
    draw: st.DrawFn, words: st.SearchStrategy[str] = SOLID_WORDS
) -> tuple[list[list[str]], list[Span]]:
    """A document with mentions that do not cross: pieces of pieces of the text."""
    sentences = draw(st.lists(st.lists(words, min_size=1, max_size=6), min_size=1, max_size=4))
    count = sum(map(len, sentences))
    found: list[Span] = []
    for _ in range(draw(st.integers(0, 6))):
        first = draw(st.integers(0, count - 1))
        last = draw(st.integers(first, count - 1))
        crosses = any(a < first <= b < last or first < a <= last < b for _, a, b in found)
        if not crosses and all((a, b) != (first, last) for _, a, b in found):
            found.append((draw(st.integers(0, 3)), first, last))
    return sentences, found


@every_dialect
@given(document=nested_documents())
def test_gold_is_read_as_it_was_written(dialect, document):
    key = make({"x": document})
    response = read(written(key, dialect), key, dialect)
    assert spans(response) == spans(key)
    assert response.copies is not None
    assert response.copies.total.lost == response.copies.total.moved == 0


UNIQUE = st.integers(0, 10**6).map(lambda number: f"w{number}")


DAMAGES = ("keep", "change", "drop", "insert")


def damaged(word: str, place: int, damage: str) -> str:
    """What a model writes instead of a word."""
    return {
        "keep": word,
        "change": f"zz{place}",
        "drop": "",
        "insert": f"{word} yy{place}",
    }[damage]


def answer_of(key: corefine.Corpus, dialect: str, damages: dict[str, str]) -> bytes:
    """Gold in a dialect, some words of which are written otherwise."""
    gold = written(key, dialect)
    text = gold.decode() if dialect == "crac-text" else json.loads(gold)["output"]
    for word, new in damages.items():
        text = re.sub(rf"\b{word}\b", new, text)
    return json.dumps({"doc_id": "x", "output": text}).encode()


def unique(sentences: list[list[str]]) -> list[str]:
    return [f"{word}n{place}" for place, word in enumerate(w for s in sentences for w in s)]


@every_dialect
@given(document=nested_documents(UNIQUE), data=st.data())
def test_damage_outside_mentions_costs_nothing(dialect, document, data):
    sentences, found = document
    words = unique(sentences)
    key = make({"x": ([words], found)})
    inside = {place for _, first, last in found for place in range(first, last + 1)}
    damages = {
        word: damaged(word, place, data.draw(st.sampled_from(DAMAGES)))
        for place, word in enumerate(words)
        if place not in inside
    }
    response = read(answer_of(key, dialect, damages), key, dialect)
    assert spans(response) == spans(key)


@every_dialect
@given(document=nested_documents(UNIQUE), data=st.data())
def test_damage_inside_mentions_costs_what_the_rule_says(dialect, document, data):
    """A mention goes from its first to its last word that has a partner in the source.

    A changed word has the one in whose place it stands, as far as its neighbours tell: no two
    damaged words are neighbours here. In CRAC's text tags belong to words, and go with them.
    """
    sentences, found = document
    words = unique(sentences)
    key = make({"x": ([words], found)})
    ends = {place for _, *both in found for place in both} if dialect == "crac-text" else set()
    damages: dict[str, str] = {}
    dropped: set[int] = set()
    before = "keep"
    for place, word in enumerate(words if len(words) > 1 else []):
        allowed = DAMAGES if before == "keep" else ("keep",)
        before = data.draw(st.sampled_from(allowed))
        if before in ("drop", "insert") and place in ends:
            before = "keep"
        damages[word] = damaged(word, place, before)
        if before == "drop":
            dropped.add(place)
    response = read(answer_of(key, dialect, damages), key, dialect)
    expected: dict[int, set[tuple[int, int]]] = {}
    lost = 0
    for entity, first, last in found:
        left = [place for place in range(first, last + 1) if place not in dropped]
        if left:
            expected.setdefault(entity, set()).add((left[0], left[-1] + 1))
        else:
            lost += 1
    assert spans(response) == set(map(frozenset, expected.values()))
    assert response.copies is not None
    total = response.copies.total
    assert total.deleted == len(dropped)
    assert total.lost + len(total.faults) == lost  # a tag around nothing is malformed
    assert total.changed == sum(new.startswith("zz") for new in damages.values())
    assert total.inserted == sum(" yy" in new for new in damages.values())
    mentions = [response.mentions.start.tolist(), response.mentions.stop.tolist()]
    assert all(0 <= start < stop <= len(words) for start, stop in zip(*mentions, strict=True))
