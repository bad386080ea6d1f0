"""Properties of all writable formats: what is written comes back, or the loss is announced."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import corefine
from corefine import CorefineError, Corpus, Document, Kind, Mention
from corefine.formats import all_formats, format_named, losses
from corefine.formats.losses import read_back
from tests.fuzzing.samples import TAGGED

pytest.importorskip("pyarrow", reason="the extra parquet is not installed")

WRITTEN = [
    one.name for one in all_formats() if one.write is not None or one.write_files is not None
]
WORDS = st.one_of(
    st.sampled_from(
        ["Anna", "she", "of", ".", '"', "||", "1:0", "&", "<b>", "T1", "(1)", "語", "_"]
    ),
    st.text(st.characters(exclude_categories=["Cs", "Cc", "Z", "Cf"]), min_size=1, max_size=5),
)
NAMES = st.sampled_from(["x", "bc/cctv/00", "a.txt", "50%", ".hidden", "語 語", "a (b)"])


@st.composite
def documents(draw: st.DrawFn, name: str) -> Document:
    """Sentences of any words, with mentions that overlap and repeat as they like."""
    sentences = draw(st.lists(st.lists(WORDS, min_size=1, max_size=5), min_size=1, max_size=3))
    tokens = [word for sentence in sentences for word in sentence]
    document = Document(name, tokens)
    document.sentences = [sum(map(len, sentences[:number])) for number in range(len(sentences))]
    position = st.integers(0, len(tokens) - 1)
    for first, other in draw(st.lists(st.tuples(position, position), max_size=7)):
        start, stop = min(first, other), max(first, other) + 1
        spans = [(start, stop)]
        if stop - start > 2 and draw(st.integers(0, 3)) == 0:
            gap = draw(st.integers(start + 1, stop - 2))
            spans = [(start, gap), (gap + 1, stop)]
        mention = Mention(f"e{draw(st.integers(0, 3))}", spans)
        mention.kind = draw(st.sampled_from([Kind.UNKNOWN, Kind.NAME, Kind.PRONOUN]))
        mention.type = draw(st.sampled_from([None, "PER", "odd type"]))
        mention.head = draw(st.sampled_from([None, start]))
        document.mentions.append(mention)
    return document


@st.composite
def corpora(draw: st.DrawFn) -> Corpus:
    names = draw(st.lists(NAMES, min_size=1, max_size=3, unique=True))
    return Corpus.from_documents(draw(documents(name)) for name in names)


def characters(corpus: Corpus) -> dict[str, tuple[str, Counter[Any]]]:
    """Visible text, and entities as characters: the same whatever the tokens are."""
    found = {}
    for document in corpus:
        ends = [0]
        for token in document.tokens or []:
            ends.append(ends[-1] + len(token))
        entities = Counter(
            frozenset(
                Counter(
                    tuple((ends[start], ends[stop]) for start, stop in mention.spans)
                    for mention in mentions
                ).items()
            )
            for mentions in document.entities.values()
        )
        found[document.name] = ("".join(document.tokens or []), entities)
    return found


@pytest.mark.parametrize("format", WRITTEN)
@settings(max_examples=5)
@given(corpus=corpora())
def test_what_is_written_without_loss_comes_back(format: str, corpus: Corpus) -> None:
    chosen = format_named(format)
    try:
        lost = losses(corpus, chosen)
    except CorefineError:
        return  # nothing is written
    if lost:
        return
    found = read_back(corpus, chosen)
    if chosen.capabilities.text and format not in TAGGED:
        assert characters(found) == characters(corpus)
    spans = [(d.name, tuple(m.spans)) for d in corpus for m in d.mentions]
    if spans and len(spans) == len(set(spans)):
        scores = corefine.score(corpus, found, "mentions,lea")
        assert scores["mentions"].f1 == scores["lea"].f1 == 1


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.parametrize("format", WRITTEN)
def test_novels_come_back(format: str, data: Path) -> None:
    """Converting real texts and back loses nothing, or says so."""
    corpus = corefine.read(data / "litbank" / "key.conll")
    if not losses(corpus, format_named(format)) and format_named(format).capabilities.text:
        assert characters(read_back(corpus, format_named(format))) == characters(corpus)
