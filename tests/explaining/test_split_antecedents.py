"""What was split wrongly, as explain tells it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import corefine
from corefine.corpus.arrays import Strings
from corefine.corpus.columns import Entities, Relation
from tests.building.split_corpora import split_corpus
from tests.building.text_corpora import make


def test_sets_are_right_partial_missing_or_extra():
    plain: list[dict[str, Any]] = [{"mentions": [name], "split": None} for name in "abcd"]
    key = [*plain, {"mentions": ["f"], "split": "ab"}, {"mentions": ["g"], "split": "cd"}]
    response = [*plain, {"mentions": ["f"], "split": "ab"}, {"mentions": ["h"], "split": "cab"}]
    sides = split_corpus({"x": key}), split_corpus({"x": response})
    found = corefine.explain(*sides, "muc").split_antecedents
    assert [(row.answer, row.anaphor, row.key, row.response) for row in found] == [
        ("right", "f", ("a", "b"), ("a", "b")),
        ("partial", "g", ("c", "d"), ("a", "b", "c")),
    ]
    assert found[1].precision == 1 / 3
    assert found[1].recall == 1 / 2
    alone = corefine.explain(sides[0], split_corpus({"x": plain}), "muc")
    assert [row.answer for row in alone.split_antecedents] == ["missing", "missing"]
    extra = corefine.explain(split_corpus({"x": plain}), sides[0], "muc")
    assert [row.answer for row in extra.split_antecedents] == ["extra", "extra"]
    assert "Split antecedents" in alone.to_text("split-antecedents")
    assert "Split antecedents" not in corefine.explain([["a"]], [["a"]], "muc").to_text()


def test_windows_have_no_sets():
    """An entity that is cut is not the one that another is made of."""
    plain = make({"x": ([list("abcdef")], [(0, 0, 0), (1, 1, 1), (2, 4, 4), (0, 5, 5)])})
    named = Entities(plain.entities.document, Strings.from_list(["one", "two", "both"]))
    made_of = (Relation("split", 0, "both", "one"), Relation("split", 0, "both", "two"))
    corpus = replace(plain, entities=named, relations=made_of)
    assert len(corefine.explain(corpus, corpus, "muc").split_antecedents) == 1
    assert corefine.explain(corpus, corpus, "muc", window=3).split_antecedents == ()
