"""Pairs of mentions by words and kinds: the case of the appendix, and brute force."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import corefine
from corefine.corpus.corpus import Corpus
from corefine.corpus.document import Document, Mention
from corefine.metrics import pairs
from tests.building.partitions import Entities, entity_lists
from tests.building.refusals import refused
from tests.conftest import CASES

WORDS = ("the", "old", "mass", "left", "lung", "a", "scan")
VOCABULARY = st.lists(
    st.lists(st.sampled_from(WORDS), min_size=0, max_size=4).map(" ".join), min_size=12, max_size=12
)
SORTS = {"pairs.coreferent": True, "pairs.non_coreferent": False}


def brute_force(
    key: list[list[str]], response: list[list[str]], group_of: Any, group: str, joined: bool
) -> tuple[float, float]:
    """Precision and recall of one class of pairs in one group."""
    found: list[set[frozenset[str]]] = []
    for side in (key, response):
        owner = {mention: number for number, entity in enumerate(side) for mention in entity}
        found.append(
            {
                frozenset(pair)
                for pair in combinations(owner, 2)
                if (owner[pair[0]] == owner[pair[1]]) == joined and group_of(*pair) == group
            }
        )
    common = len(found[0] & found[1])
    return (
        common / len(found[1]) if found[1] else 0.0,
        common / len(found[0]) if found[0] else 0.0,
    )


def overlap(first: str, second: str) -> str:
    one, other = (set(name.split("#")[0].split()) for name in (first, second))
    if one == other and one:
        return "exact"
    return "partial" if one & other else "none"


def named(side: Entities, texts: list[str]) -> list[list[str]]:
    return [[f"{texts[mention]}#{mention}" for mention in entity] for entity in side]


def check_overlaps(key: list[list[str]], response: list[list[str]]) -> None:
    scores = corefine.score(key, response, "pairs", by="overlap")
    for group in ("exact", "partial", "none"):
        for name, joined in SORTS.items():
            expected = brute_force(key, response, overlap, group, joined)
            score = scores.breakdown["overlap"][group][name]
            assert (score.precision, score.recall) == pytest.approx(expected, abs=1e-12), group


@given(entity_lists(), entity_lists(), VOCABULARY)
@example([[0, 1, 2, 3]], [[0, 1], [2, 3]], [*["", "", "the old", "the"] * 3])
def test_overlaps_equal_brute_force(key, response, texts):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pairs, "SLICE", 3)
        if any(texts[mention] for entity in [*key, *response] for mention in entity):
            check_overlaps(named(key, texts), named(response, texts))


@given(entity_lists(), entity_lists(), st.lists(st.integers(0, 4), min_size=12, max_size=12))
def test_kinds_of_pairs_equal_brute_force(key, response, numbers):
    words = ("name", "nominal", "pronoun", "zero", "unknown")
    kinds = {f"m{mention}": words[number] for mention, number in enumerate(numbers)}

    def group_of(first: str, second: str) -> str:
        return "-".join(sorted((kinds[first], kinds[second]), key=words.index))

    ours, theirs = ([[f"m{m}" for m in entity] for entity in side] for side in (key, response))
    scores = corefine.score(ours, theirs, "pairs", by="kind", kinds=kinds)
    groups = {group_of(*pair) for pair in combinations(kinds, 2)}
    for group in groups:
        for name, joined in SORTS.items():
            expected = brute_force(ours, theirs, group_of, group, joined)
            score = scores.breakdown["kind"].get(group, {}).get(name)
            if score is None:
                assert expected == (0, 0)
            else:
                assert (score.precision, score.recall) == pytest.approx(expected, abs=1e-12)


def test_the_case_of_words_and_types():
    case = json.loads((CASES / "pairs_significance_clustering.json").read_text())["pair_breakdown"]
    texts = {name: f"{' '.join(words)}#{name}" for name, words in case["tokens"].items()}
    sides = [[[texts[m] for m in entity] for entity in case[side]] for side in ("key", "response")]
    types = {texts[mention]: type_ for mention, type_ in case["types"].items()}
    key, response = (_typed(side, types) for side in sides)
    scores = corefine.score(key, response, "pairs", by=["overlap", "type"], kinds="none")
    found = {
        "all": scores.by_name,
        **{
            f"{by}:{group}": values
            for by, groups in scores.breakdown.items()
            for group, values in groups.items()
        },
    }
    names = {"coref": "pairs.coreferent", "noncoref": "pairs.non_coreferent"}
    for group, expected in case["expected"].items():
        for sort, values in expected.items():
            score = found[group].get(names[sort])
            numbers = [0, 0, 0] if score is None else [score.precision, score.recall, score.f1]
            assert numbers == pytest.approx(values, abs=1e-9), (group, sort)


def _typed(entities: list[list[str]], types: dict[str, str]) -> Corpus:
    corpus = Corpus.from_entities(entities)
    names = tuple(sorted(set(types.values())))
    column = [names.index(types[m]) for entity in entities for m in entity]
    mentions = replace(corpus.mentions, type=np.array(column))
    return replace(corpus, types=names, mentions=mentions)


def test_pairs_need_words_to_be_divided_by_them():
    with refused("usage"):
        corefine.score([[1, 2]], [[1, 2]], "pairs", by="overlap")


@pytest.mark.parametrize(("entity", "across"), [("e", 1), ("f", 0)])
def test_links_within_a_document_and_across_documents(entity, across):
    """Two mentions in one document and one in another: one link within, two across."""

    def side(last: str) -> Corpus:
        first = [Mention("e", [(0, 1)]), Mention("e", [(1, 2)])]
        other = Document("b", ["z"], [Mention(last, [(0, 1)])])
        return Corpus.from_documents([Document("a", ["x", "y"], first), other])

    scores = corefine.score(side("e"), side(entity), "links.within,links.across", scope="corpus")
    assert (scores["links.within"].f1, scores["links.across"].f1) == (1, across)
