"""Bridging, discourse deixis and non-referring expressions, counted by hand and by brute force."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import corefine
from corefine.corpus.columns import Relation
from corefine.corpus.corpus import Corpus
from corefine.errors import UsageError
from corefine.metrics import registered
from corefine.scoring.request import Request
from tests.building.refusals import refused
from tests.building.text_corpora import make

Pairs = dict[int, int]
"""The antecedent of each anaphor, both the number of a word."""
WORDS = 7


def spans(labels: Sequence[int], pairs: Pairs) -> Corpus:
    """A corpus in which every word is a mention, with bridging links between words."""
    corpus = replace(Corpus.from_labels(labels))
    links = [
        Relation("bridge", 0, "", "", "", (one, one + 1), (other, other + 1))
        for one, other in pairs.items()
    ]
    return replace(corpus, relations=tuple(links))


@given(st.integers(0, 10_000))
def test_bridging_is_counted_by_definition(seed):
    random = Random(seed)
    labels, others = (random.choices(range(4), k=WORDS) for _ in range(2))
    key, response = (
        {one: random.randrange(WORDS) for one in range(WORDS) if random.random() < 0.7}
        for _ in range(2)
    )
    scores = corefine.score(spans(labels, key), spans(others, response), layer="bridging")
    both = set(key) & set(response)
    right = {
        "bridging.recognition": len(both),
        "bridging.mention": sum(key[one] == response[one] for one in both),
        "bridging.entity": sum(labels[key[one]] == labels[response[one]] for one in both),
    }
    assert list(scores) == list(right)
    for name, count in right.items():
        assert scores[name].recall == pytest.approx(float(Fraction(count, max(len(key), 1))))
        assert scores[name].precision == pytest.approx(
            float(Fraction(count, max(len(response), 1)))
        )


def test_links_that_name_entities():
    """The antecedent is the closest mention before the anaphor, as in CorefUD."""

    def side(anaphor: int, source: str, target: str) -> Corpus:
        mentions = [
            corefine.Mention(entity, [(word, word + 1)])
            for word, entity in enumerate(("e1", "e2", "e1", "e3"))
        ]
        link = Relation("bridge", 0, source, target, "", (anaphor, anaphor + 1))
        return Corpus.from_documents(
            [corefine.Document("d", ["w"] * 5, mentions, relations=[link])]
        )

    key = side(3, "e3", "e1")
    for response, expected in (
        (key, [1, 1, 1]),
        (side(3, "e3", "e2"), [1, 0, 0]),
        (side(1, "e2", "e1"), [0, 0, 0]),
    ):
        scores = corefine.score(key, response, layer="bridging")
        assert [scores[name].f1 for name in scores] == expected


def with_layer(name: str, documents: dict[str, list[list[int]]]) -> Corpus:
    """A corpus whose identity is empty and whose annotation of this name is given."""
    plain = Corpus.from_documents({document: [] for document in documents})
    return replace(plain, annotations={name: Corpus.from_documents(documents)})


def test_deixis_is_scored_as_identity_is():
    key = {"a": [[1, 2, 3], [4]], "b": [[1, 2]]}
    response = {"a": [[1, 2], [3, 4]], "b": [[1], [2]]}
    plain = corefine.score(key, response)
    layered = corefine.score(
        with_layer("deixis", key), with_layer("deixis", response), layer="deixis"
    )
    assert len(layered) == len(plain) == 8
    for name in plain:
        assert layered[f"{name}(layer=deixis)"] == plain[name]
    for document in plain.documents:
        assert (
            layered.documents[document]["conll(layer=deixis)"] == plain.documents[document]["conll"]
        )


def test_what_refers_to_nothing_is_counted_by_spans():
    key = with_layer("nonreferring", {"a": [[1], [2], [3]], "b": [[4]]})
    response = with_layer("nonreferring", {"a": [[1], [5]], "b": [[4]]})
    score = corefine.score(key, response, "nonreferring")["nonreferring"]
    assert (score.precision, score.recall) == (2 / 3, 2 / 4)


def test_all_metrics_are_those_of_identity():
    asked = Request.of("all").needed.values()
    assert {metric.layer for metric in asked} == {"identity"}
    layers = {metric().layer for metric in registered()}
    assert layers == {"identity", "bridging", "nonreferring"}


def test_semantic_types_divide_identity_alone():
    """The mentions of other annotations have no types, so that every type would count all."""
    request = Request.of("muc,bridging.entity,b3(layer=deixis)", by="type")
    (division,) = request.by
    divided = [str(one) for one in request.metrics.values() if division.can_divide(one)]
    assert divided == ["muc"]
    assert any("bridging.entity" in warning for warning in request.warnings)


def test_windows_cut_identity_and_leave_other_annotations_whole():
    """Split antecedents of another annotation are not in the way of windows of identity."""
    corpus = make({"d": ([list("abcd")], [(1, word, word) for word in range(4)])})
    annotated = replace(corpus, annotations={"deixis": corpus})
    plain = corefine.score(corpus, corpus, "muc", window=2)
    assert corefine.score(annotated, annotated, "muc", window=2)["muc"] == plain["muc"]


def test_requests_that_a_layer_refuses():
    side = replace(Corpus.from_labels(["e"]), annotations={"deixis": Corpus.from_labels(["e"])})
    for options in (
        {"metrics": "muc", "layer": "bridging"},
        {"metrics": "parent(layer=deixis)"},
        {"metrics": "muc(layer=nothing)"},
        {"metrics": "bridging.entity(layer=deixis)"},
        {"metrics": "muc(layer=deixis)", "scope": "corpus"},
        {"layer": "bridging", "window": 5},
        {"layer": "nothing"},
    ):
        with pytest.raises(UsageError):
            corefine.score(side, side, **options)
    with refused("usage"):
        corefine.explain(side, side, layer="bridging")
