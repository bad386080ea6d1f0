"""Joining corpora, and choosing among their documents."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from corefine import score
from corefine.corpus.arrays import Strings
from corefine.corpus.columns import Tokens
from corefine.corpus.corpus import Corpus
from corefine.corpus.joining import concatenate
from corefine.corpus.selection import select_documents
from tests.building.refusals import refused

SORTS = tuple(product((True, False), repeat=2))


def corpus(name: str, text: bool, named: bool) -> Corpus:
    """A document of three words with two mentions, with or without text and names of mentions."""
    made = Corpus.from_lists([name], [[["a", "b"]]])
    tokens = Tokens(Strings.from_list(["x", "y", "z"]), np.array([0, 3]), np.array([0]))
    names = made.mentions.names if named else None
    mentions = replace(made.mentions, names=names)
    return replace(made, mentions=mentions, tokens=tokens if text else None)


@pytest.mark.parametrize(("first", "second"), tuple(product(SORTS, SORTS)))
def test_only_corpora_of_one_sort_are_joined(first, second):
    parts = [corpus("one", *first), corpus("two", *second)]
    if first != second:
        with refused("mixed-documents"):
            concatenate(parts)
        return
    joined = concatenate(parts)
    for number, part in enumerate(parts):
        again = select_documents(joined, [number])
        assert again.to_dict() == part.to_dict()
        assert again.has_places == part.has_places
        assert (again.tokens is None) == (part.tokens is None)


def test_two_documents_of_one_name_are_never_joined():
    part = Corpus.from_documents({"d": [["a"]]})
    with refused("repeated-document"):
        concatenate([part, part])
    nameless = Corpus.from_entities([["a"]])
    joined = concatenate([nameless, nameless])
    assert score(joined, joined)["muc"].f1 == 0
    with refused("alignment"):
        score(joined, concatenate([joined, part]))
    with refused("usage"):
        select_documents(part, [0, 0])
