"""Mentions that are added to the other side keep their words, whatever empty nodes it has."""

from __future__ import annotations

import numpy as np
from hypothesis import given

from corefine.corpus.corpus import Corpus
from corefine.matching.settings import Settings
from corefine.matching.twinless import cai_strube, treat_twinless
from corefine.scoring.count import match
from tests.building.node_corpora import Annotated, corpus_of, two_sides


def texts(corpus: Corpus) -> list[str]:
    return [corpus.text_of(index) for index in range(len(corpus.mentions))]


@given(two_sides())
def test_added_mentions_have_the_same_words_on_both_sides(sides):
    for twinless in ("add-to-key", "cai-strube"):
        settings = Settings(zeros="linear", twinless=twinless)
        matching = match(sides[0], sides[1], settings)
        before = texts(matching.key)
        treated = (
            cai_strube(matching)[0]
            if twinless == "cai-strube"
            else treat_twinless(matching, twinless)
        )
        ours, theirs = texts(treated.key), texts(treated.response)
        for key_row, response_row in zip(
            treated.key_mention.tolist(), treated.response_mention.tolist(), strict=True
        ):
            if key_row >= 0 and response_row >= 0:
                kept = [word for word in ours[key_row].split() if word[0] == "w"]
                assert kept == [word for word in theirs[response_row].split() if word[0] == "w"]
        if twinless == "add-to-key":
            added = np.flatnonzero(matching.key_mention < 0)
            wanted = [matching.response.text_of(int(m)) for m in matching.response_mention[added]]
            assert sorted(ours) == sorted(before + wanted)


def test_a_zero_that_the_key_lacks_becomes_a_token_of_the_key():
    key = corpus_of([Annotated((0, 0, 0), None, ((0, 2, 0),))])
    response = corpus_of([Annotated((0, 1, 0), None, ((1, 2, 0), (2, 3, 0), (0, 3, 1)))])
    matching = treat_twinless(match(key, response, Settings(zeros="linear")), "add-to-key")
    assert sorted(texts(matching.key)) == ["e1.1", "w0 e1.1 w1", "w0 w1", "w1"]
    assert matching.key.pieces_of(0) == [(0, 1), (2, 3)]
