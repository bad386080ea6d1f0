"""Two annotations of one text, each with empty nodes, parts of speech and mentions of its own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from corefine.corpus.arrays import offsets_of
from corefine.corpus.columns import Entities, Mentions, Tokens
from corefine.corpus.corpus import Corpus
from corefine.corpus.strings import Strings

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
    words = [document.words for document in documents]
    flat = [word for part in words for word in part]
    rows = [
        (number, start, stop, entity)
        for number, document in enumerate(documents)
        for start, stop, entity in document.mentions
    ]
    entities = sorted({(number, entity) for number, _, _, entity in rows})
    cells = [
        document.tags[int(word[1:])] if document.tags is not None and word[0] == "w" else ""
        for document, part in zip(documents, words, strict=True)
        for word in part
    ]
    offsets = offsets_of(np.array([len(part) for part in words], np.int64))
    table = np.array(rows, np.int64).reshape(-1, 4).T
    return Corpus(
        tuple(f"d{number}" for number in range(len(documents))),
        Entities(np.array([number for number, _ in entities], np.int64)),
        Mentions(
            table[0],
            np.array([entities.index((row[0], row[3])) for row in rows], np.int64),
            table[1],
            table[2],
        ),
        Tokens(
            Strings.from_list(flat),
            offsets,
            offsets[:-1],
            {"pos": Strings.from_list(cells)} if any(cells) else {},
            np.array([word[0] == "e" for word in flat]) if any("e" in w for w in flat) else None,
        ),
    )


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
