"""Random corpora with a text, for formats that are written and read again."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from corefine.corpus.arrays import offsets_of
from corefine.corpus.columns import Entities, Mentions, Tokens
from corefine.corpus.corpus import Corpus
from corefine.corpus.strings import Strings

Spans = list[tuple[int, int, int]]
"""Mentions of one document: entity, first token, last token."""

WORDS = st.one_of(
    st.sampled_from(["Anna", "she", "the", "don't", "3.14", ",", '"', "\\", "[", "]]", "ß", "語"]),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=6),
)
SOLID_WORDS = st.one_of(
    st.sampled_from(["Anna", "she", "don't", "well-known", "3.14", "U.S.", ",", '"', "\\n", "語"]),
    st.text(st.characters(exclude_categories=["Cs", "Cc", "Z"]), min_size=1, max_size=6),
)
"""Words without white space or control characters."""
NAMES = st.one_of(
    st.sampled_from(["x", "bc/cctv/00/cctv_0000", "x; part 7", "a (b)", "語 語", '"', "12"]),
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8),
)


def make(
    documents: dict[str, tuple[list[list[str]], Spans]],
    names: list[str] | None = None,
    **layers: list[str],
) -> Corpus:
    """A corpus of documents, each given by its sentences and its mentions."""
    words = [word for sentences, _ in documents.values() for sent in sentences for word in sent]
    sizes = [len(sent) for sentences, _ in documents.values() for sent in sentences]
    tokens = [sum(map(len, sentences)) for sentences, _ in documents.values()]
    rows = [
        (number, number * 100 + entity, first, last + 1)
        for number, (_, spans) in enumerate(documents.values())
        for entity, first, last in spans
    ]
    document, label, start, stop = np.array(rows, np.int64).reshape(-1, 4).T
    values, entity = np.unique(label, return_inverse=True)
    return Corpus(
        tuple(documents),
        Entities(values // 100, None if names is None else Strings.from_list(names)),
        Mentions(document, entity, start, stop),
        Tokens(
            Strings.from_list(words),
            offsets_of(np.array(tokens, np.int64)),
            offsets_of(np.array(sizes, np.int64))[:-1],
            {name: Strings.from_list(values) for name, values in layers.items()},
        ),
    )


@st.composite
def corpora(draw: st.DrawFn, words: st.SearchStrategy[str] = WORDS, repeats: bool = True) -> Corpus:
    """Documents of any words, with mentions that cross and repeat as they like."""
    documents: dict[str, tuple[list[list[str]], Spans]] = {}
    for name in draw(st.lists(NAMES, min_size=1, max_size=4, unique=True)):
        sentences = draw(st.lists(st.lists(words, min_size=1, max_size=5), max_size=3))
        size = sum(map(len, sentences))
        spans: Spans = []
        if size:
            place = st.integers(0, size - 1)
            drawn = draw(st.lists(st.tuples(st.integers(0, 4), place, place), max_size=9))
            spans = [(entity, min(a, b), max(a, b)) for entity, a, b in drawn]
            if not repeats:
                spans = list({span[1:]: span for span in spans}.values())
        documents[name] = (sentences, spans)
    return make(documents)


def content(corpus: Corpus) -> dict[str, Any]:
    """Everything that a file with text must keep."""
    tokens = corpus.tokens
    assert tokens is not None
    return {
        "entities": corpus.to_dict(),
        "words": tokens.words.tolist(),
        "offsets": tokens.offsets.tolist(),
        "sentences": tokens.sentences.tolist(),
        "layers": {name: column.tolist() for name, column in tokens.layers.items()},
    }
