"""Random corpora with a text, for formats that are written and read again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from typing import Any

from hypothesis import strategies as st

from corefine.corpus.columns import Kind
from corefine.corpus.corpus import Corpus
from corefine.corpus.document import Document, Mention

Spans = list[tuple[int, int, int]]
"""Mentions of one document: entity, first token, last token."""

SOLID_WORDS = st.one_of(
    st.sampled_from(["Anna", "she", "don't", "well-known", "3.14", "U.S.", ",", '"', "\\n", "語"]),
    st.text(st.characters(exclude_categories=["Cs", "Cc", "Z"]), min_size=1, max_size=6),
)
"""Words without white space or control characters."""
PLAIN_WORDS = st.text(st.sampled_from("aBcé語1"), min_size=1, max_size=4)


def make(
    documents: dict[str, tuple[list[list[str]], Spans]],
    names: list[str] | None = None,
    **layers: list[str],
) -> Corpus:
    """A corpus of documents, each given by its sentences and its mentions.

    ``names`` are those of all entities, ``layers`` the values of all tokens.
    """
    made = []
    for name, (sentences, spans) in documents.items():
        tokens = [word for sentence in sentences for word in sentence]
        document = Document(name, tokens, starts=starts(sentences))
        for layer, values in layers.items():
            document.layers[layer], layers[layer] = values[: len(tokens)], values[len(tokens) :]
        numbers = sorted({entity for entity, _, _ in spans})
        labels: dict[int, str | int] = {number: number for number in numbers}
        if names is not None:
            labels = dict(zip(numbers, names, strict=False))
            names = names[len(numbers) :]
        document.mentions = [
            Mention(labels[entity], [(first, last + 1)]) for entity, first, last in spans
        ]
        made.append(document)
    return Corpus.from_documents(made)


def document_of(
    name: str,
    sentences: Sequence[Sequence[str]],
    entities: Iterable[Iterable[Any]],
    labels: Iterable[str | int],
    kinds: Mapping[Any, Kind],
) -> Document:
    """A document with entities of spans: first and last word, or several of these."""
    document = Document(name, [word for sentence in sentences for word in sentence])
    document.starts = starts(sentences)
    for spans, label in zip(entities, labels, strict=False):
        for span in spans:
            parts = [span] if isinstance(span[0], int) else span
            places = [(first, last + 1) for first, last in parts]
            document.mentions.append(Mention(label, places, kind=kinds.get(span, Kind.UNKNOWN)))
    return document


def starts(sentences: Sequence[Sequence[str]]) -> list[int]:
    """The first token of each sentence."""
    return [0, *accumulate(map(len, sentences))][: len(sentences)]


@st.composite
def representable(draw: st.DrawFn, can: frozenset[str]) -> Corpus:
    """Documents with the annotations of a format: mentions that do not cross, in sentences."""
    documents = []
    for name in draw(st.lists(st.sampled_from(["a", "b_1", "c"]), min_size=1, unique=True)):
        words = draw(st.lists(PLAIN_WORDS, min_size=2, max_size=9))
        middle = draw(st.integers(1, len(words) - 1))
        document = Document(name, words, starts=[0, middle])
        types = [draw(st.sampled_from(["person", "place"])) for _ in range(3)]
        ends = {low: draw(st.integers(low + 1, middle if low < middle else len(words)))
                for low in draw(st.sets(st.integers(0, len(words) - 1), max_size=5))}  # fmt: skip
        last = 0
        for start, stop in sorted(ends.items()):
            if start < last:
                continue
            last, entity = stop, draw(st.integers(0, 2))
            mention = Mention(entity, [(start, stop)])
            if "discontinuous" in can and stop - start > 2:
                mention.spans = [(start, start + 1), (stop - 1, stop)]
            if "heads" in can:
                mention.head = start
            if "kinds" in can:
                mention.kind = draw(st.sampled_from([Kind.NAME, Kind.NOMINAL, Kind.PRONOUN]))
            if "types" in can:
                mention.type = types[entity]
            if "minimum_spans" in can and draw(st.booleans()):
                mention.minimum = (start, start + 1)
            document.mentions.append(mention)
        if "topics" in can:
            document.topic = "topic"
        documents.append(document)
    return Corpus.from_documents(documents)
