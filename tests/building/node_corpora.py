"""Two annotations of one text, each with empty nodes, parts of speech and mentions of its own."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

from corefine.corpus.corpus import Corpus
from corefine.corpus.document import Document, Mention

TAGS = ("NNP", "NN", "PRP", "DT", "WP", "IN", ",", "VBD")


@dataclass(frozen=True)
class Annotated:
    """One document of one side."""

    nodes: tuple[int, ...]
    """How many empty nodes stand before each word, and behind the last one."""
    tags: tuple[str, ...] | None
    """A part of speech for each word."""
    mentions: tuple[tuple[int, int, int], ...]
    """First token, token behind the last one, and entity."""

    @property
    def words(self) -> list[str]:
        """The words with the empty nodes, which are named by their places."""
        found = []
        for word, count in enumerate(self.nodes):
            found += [f"e{word}.{number}" for number in range(1, count + 1)]
            found.append(f"w{word}")
        return found[:-1]


def corpus_of(documents: list[Annotated]) -> Corpus:
    """The corpus of one side."""
    return Corpus.from_documents(
        _document(f"d{number}", document) for number, document in enumerate(documents)
    )


def _document(name: str, annotated: Annotated) -> Document:
    words, tags = annotated.words, annotated.tags
    document = Document(name, words)
    document.empty_nodes = [row for row, word in enumerate(words) if word[0] == "e"]
    document.mentions = [
        Mention(entity, [(start, stop)]) for start, stop, entity in annotated.mentions
    ]
    if tags is not None:
        document.layers["pos"] = [tags[int(w[1:])] if w[0] == "w" else "" for w in words]
    return document


@st.composite
def annotated(draw: st.DrawFn, words: int, tags: tuple[str, ...]) -> Annotated:
    """One side of a document with so many words."""
    counts = st.sampled_from((0, 0, 0, 1, 2))
    nodes = draw(st.just((0,) * (words + 1)) | st.tuples(*[counts] * (words + 1)))
    tokens = words + sum(nodes)
    spans = draw(
        st.lists(
            st.tuples(st.integers(0, tokens - 1), st.integers(1, 4), st.integers(0, 2)),
            max_size=5,
            unique_by=lambda span: (span[0], min(span[0] + span[1], tokens)),
        )
    )
    mentions = tuple((start, min(start + size, tokens), entity) for start, size, entity in spans)
    return Annotated(nodes, draw(st.sampled_from((None, tags))), mentions)


@st.composite
def two_sides(draw: st.DrawFn) -> tuple[Corpus, Corpus]:
    """A key and a response of one to four documents."""
    key, response = [], []
    for words in draw(st.lists(st.integers(1, 5), min_size=1, max_size=4)):
        tags = draw(st.tuples(*[st.sampled_from(TAGS)] * words))
        key.append(draw(annotated(words, tags)))
        response.append(draw(annotated(words, tags)))
    return corpus_of(key), corpus_of(response)
