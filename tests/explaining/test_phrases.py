"""Phrases: the words and places of mentions, also of discontinuous ones and of zeros."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import corefine
from corefine.corpus.arrays import Strings
from corefine.corpus.columns import Pieces
from corefine.corpus.corpus import Corpus
from corefine.explaining.phrases import Phrases
from corefine.scoring.count import match
from tests.building.explained_corpora import DocumentText, corpus_of

TEXT = [["Anna", "met", "Old", "Tom"], ["the", "old", "tom", "left", "anna"]]


def phrases_of(key: Corpus, response: Corpus) -> Phrases:
    return Phrases.of(match(key, response))


def discontinuous(document: DocumentText, mention: int, parts: list[tuple[int, int]]) -> Corpus:
    corpus = corpus_of([document])
    pieces = Pieces(
        np.full(len(parts), mention),
        np.array([start for start, _ in parts]),
        np.array([stop + 1 for _, stop in parts]),
    )
    return replace(corpus, mentions=replace(corpus.mentions, pieces=pieces))


def test_discontinuous_mentions_have_the_words_of_their_parts():
    key = discontinuous((TEXT, [[(0, 3)], [(2, 3)]]), 0, [(0, 0), (3, 3)])
    phrases = phrases_of(key, corpus_of([(TEXT, [])]))
    assert phrases.place[phrases.owner == 0].tolist() == [0, 3]
    assert phrases.place[phrases.owner == 1].tolist() == [2, 3]
    response = corpus_of([(TEXT, [[(0, 0)], [(2, 3)]])])
    errors = corefine.explain(key, response).errors
    assert [(error.text, error.found_text) for error in errors] == [("Anna Tom", "Anna")]


@pytest.mark.parametrize("empty_side", ["key", "response"])
def test_empty_nodes_of_one_side_move_no_word(empty_side):
    """One side has an empty node before "Old", so that its tokens are counted differently."""
    spoken = [["Anna", "met", "Old", "Tom", "there"]]
    silent = [["Anna", "met", "_", "Old", "Tom", "there"]]
    plain = corpus_of([(spoken, [[(2, 3)]])])
    zeros = corpus_of([(silent, [[(3, 5)], [(2, 2)]])])
    assert zeros.tokens is not None
    empty = np.array([False, False, True, False, False, False])
    zeros = replace(zeros, tokens=replace(zeros.tokens, empty=empty))
    key, response = (zeros, plain) if empty_side == "key" else (plain, zeros)
    explanation = corefine.explain(key, response)
    counts = explanation.errors.counts()
    assert counts["span error"] == 1
    span = explanation.examples("span error")[0]
    assert {span.text, span.found_text} == {"Old Tom", "Old Tom there"}
    assert counts["missing entity" if empty_side == "key" else "extra entity"] == 1
    (zero,) = (error for error in explanation.errors if error.kind == "zero")
    assert zero.text == "_"


def test_heads_are_found_by_parts_of_speech():
    words = [["the", "head", "of", "the", "office", "left"]]
    tags = ["DT", "NN", "IN", "DT", "NN", "VBD"]

    def tagged(span: tuple[int, int]) -> Corpus:
        corpus = corpus_of([(words, [[span]])])
        assert corpus.tokens is not None
        layers = {"pos": Strings.from_list(tags)}
        return replace(corpus, tokens=replace(corpus.tokens, layers=layers))

    def span_errors(key: Corpus, response: Corpus) -> int:
        return corefine.explain(key, response).errors.counts()["span error"]

    phrases = phrases_of(tagged((0, 4)), tagged((3, 4)))
    assert phrases.head.tolist() == [1, 4]
    assert not phrases.head_given.any()
    # They are a guess: an edge in common is enough, too.
    assert span_errors(tagged((0, 4)), tagged((3, 4))) == 1
    assert span_errors(tagged((0, 4)), tagged((0, 1))) == 1
    assert span_errors(tagged((0, 4)), tagged((2, 3))) == 0
    # One side's columns tell the heads of both; without any, the words decide.
    assert span_errors(tagged((0, 4)), corpus_of([(words, [[(1, 4)]])])) == 1
    assert span_errors(corpus_of([(words, [[(0, 4)]])]), corpus_of([(words, [[(2, 4)]])])) == 1


def test_sentences_that_are_cut_differently_are_not_compared():
    key = corpus_of([(TEXT, [[(0, 0), (8, 8)]])])
    response = corpus_of([([[word for line in TEXT for word in line]], [[(0, 0), (2, 3)]])])
    phrases = phrases_of(key, response)
    assert phrases.sentence.tolist() == [0, 1, -1]
    extra = corefine.explain(key, response).examples("extra mention")[0]
    assert (extra.distance, extra.sentence) == (None, None)
