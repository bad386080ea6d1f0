"""Kinds of both sides: what a document borrows does not depend on which others are beside it."""

from __future__ import annotations

import pytest
from hypothesis import given

from corefine.corpus.columns import Kind
from corefine.corpus.corpus import Corpus
from corefine.corpus.selection import select_documents
from corefine.kinds.kind_plan import plan_of, with_kinds
from corefine.matching.settings import Settings
from corefine.scoring.count import match
from tests.building.node_corpora import Annotated, corpus_of, two_sides


def kinds(key: Corpus, response: Corpus) -> tuple[list[int], list[int]]:
    matching, *_ = with_kinds(match(key, response, Settings(zeros="linear")), plan_of("auto"))
    found = []
    for side in (matching.key, matching.response):
        column = side.mentions.kind
        found.append([0] * len(side.mentions) if column is None else column.tolist())
    return found[0], found[1]


@given(two_sides())
def test_kinds_of_a_corpus_are_those_of_its_documents(sides):
    alone = [
        kinds(*(select_documents(side, [number]) for side in sides))
        for number in range(len(sides[0]))
    ]
    whole = kinds(*sides)
    assert whole == tuple(
        [kind for part in side for kind in part] for side in zip(*alone, strict=True)
    )


def test_words_borrow_across_empty_nodes_of_either_side():
    tags = ("NNP", "PRP", "NN")
    plain, nodes = (0, 0, 0, 0), (1, 0, 2, 0)
    for ours, theirs in ((plain, nodes), (nodes, plain), (nodes, nodes)):
        key = corpus_of([Annotated(ours, tags, ())])
        words = Annotated(theirs, None, ()).words
        places = [words.index(f"w{number}") for number in range(3)]
        mentions = tuple((place, place + 1, place) for place in places)
        response = corpus_of([Annotated(theirs, None, mentions)])
        assert kinds(key, response)[1] == [Kind.NAME, Kind.PRONOUN, Kind.NOMINAL]


def test_the_first_word_of_the_next_document_does_not_count():
    first = Annotated((0, 0, 0), ("NN", "DT"), ((0, 2, 0),))
    second = Annotated((0, 0), ("WP",), ((0, 1, 0),))
    both = corpus_of([first, second])
    assert kinds(both, both)[0][0] == kinds(corpus_of([first]), corpus_of([first]))[0][0]


@pytest.mark.parametrize("name", ["<lambda>", "rule"])
def test_two_rules_of_one_name_are_not_one(name):
    def made(kind: Kind):
        def rule(expression: object) -> Kind:
            return kind

        return (lambda expression: kind) if name == "<lambda>" else rule

    first, second = made(Kind.NAME), made(Kind.PRONOUN)
    assert plan_of(first) == plan_of(first)
    assert plan_of(first) != plan_of(second)
    assert plan_of(first).asked != plan_of(second).asked
