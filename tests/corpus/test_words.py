"""The words of mentions: how many are listed."""

from __future__ import annotations

import numpy as np

import corefine
from corefine.corpus.arrays import Strings
from corefine.corpus.columns import Entities, Mentions, Tokens
from corefine.corpus.corpus import Corpus
from tests.building.refusals import refused


def nested(count: int) -> Corpus:
    """So many mentions, each but the last around another one."""
    number = np.arange(count)
    words = Strings.from_list(["w"] * 2 * count)
    return Corpus(
        ("x",),
        Entities(np.zeros(count, np.int64)),
        Mentions(np.zeros(count, np.int64), number, number, 2 * count - number),
        Tokens(words, np.array([0, 2 * count]), np.array([0]), {"pos": words}),
    )


def test_words_of_deeply_nested_mentions_are_not_listed():
    """Fifty thousand of them have more words than memory holds: two thousand million."""
    corpus = nested(50_000)
    assert corefine.score(corpus, corpus)["b3"].f1 == 1
    with refused("error"):
        corefine.score(corpus, corpus, "all")
    assert corefine.score(nested(200), nested(200), "all")["b3"].f1 == 1
