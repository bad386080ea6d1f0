"""Chains: the mentions of each entity stand in the order of the text, however a file lists them."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from corefine.corpus.columns import Entities, Mentions, Tokens
from corefine.corpus.corpus import Corpus
from corefine.corpus.strings import Strings
from corefine.metrics.anaphors import chains_of
from corefine.scoring.count import tabulate
from corefine.scoring.request import Request

WORDS, ENTITIES = 5, 3
mentions = st.lists(
    st.tuples(
        st.integers(0, 1),
        st.integers(0, ENTITIES - 1),
        st.integers(0, WORDS - 1),
        st.integers(1, WORDS),
    ).filter(lambda mention: mention[2] < mention[3]),
    min_size=1,
    unique_by=lambda mention: (mention[0], *mention[2:]),
)


def corpus_of(listed: list[tuple[int, int, int, int]]) -> Corpus:
    """Two documents with mentions in the order of the list within each."""
    rows = sorted(listed, key=lambda mention: mention[0])
    document, entity, start, stop = np.array(rows).T
    return Corpus(
        ("a", "b"),
        Entities(np.repeat([0, 1], ENTITIES)),
        Mentions(document, document * ENTITIES + entity, start, stop),
        Tokens(
            Strings.from_list(["w"] * 2 * WORDS),
            np.array([0, WORDS, 2 * WORDS]),
            np.array([0, WORDS]),
        ),
    )


@given(mentions, mentions)
def test_chains_are_in_the_order_of_the_text(
    ours: list[tuple[int, int, int, int]], theirs: list[tuple[int, int, int, int]]
) -> None:
    key, response = corpus_of(ours), corpus_of(theirs)
    table = tabulate(key, response, Request.of("mor"))
    matched = table.matched
    assert matched is not None
    sides = (
        (matched.key, matched.key_mention, table.key_entity),
        (matched.response, matched.response_mention, table.response_entity),
    )
    for (corpus, mention, entity), chains in zip(sides, chains_of(table), strict=True):
        rows = np.flatnonzero(entity >= 0).tolist()
        spans = {
            row: (
                int(entity[row]),
                int(corpus.mentions.start[mention[row]]),
                int(corpus.mentions.stop[mention[row]]),
            )
            for row in rows
        }
        assert chains.order.tolist() == sorted(rows, key=lambda row: spans[row])
