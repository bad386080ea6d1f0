"""Strings that occur several times: placements, and the range of scores over them."""

from __future__ import annotations

import json
import random
import re
from functools import cache

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import corefine
from corefine import Corpus, Document, Mention
from corefine.scoring.count import tabulate
from corefine.scoring.placements import NOWHERE, _placed, placements_of
from corefine.scoring.request import Request
from tests.building.tagged_answers import OVERLAPPING, documents, strings_of
from tests.building.text_corpora import make
from tests.conftest import RealCorpora


def shuffled(clusters: list[list[str]], chance: random.Random) -> list[list[str]]:
    found = [chance.sample(cluster, len(cluster)) for cluster in clusters]
    return chance.sample(found, len(found))


def check_shuffles(key: Corpus, count: int) -> None:
    answers = {document.name: strings_of(document) for document in key}
    wanted = corefine.score(
        key, {n: json.dumps(c) for n, c in answers.items()}, "muc,b3,ceafe,conll"
    )
    chance = random.Random(7)
    for _ in range(count):
        other = {name: json.dumps(shuffled(clusters, chance)) for name, clusters in answers.items()}
        scores = corefine.score(key, other, "muc,b3,ceafe,conll")
        if wanted.placement_range is None:
            assert scores["b3"].f1 == 1
        else:
            _, low, high = wanted.placement_range
            assert low <= scores["conll"].f1 <= high


@settings(max_examples=8)
@given(documents() | documents(OVERLAPPING))
def test_any_order_of_strings_scores_within_the_range(key):
    check_shuffles(key, 3)


def check_perfect(document: Document, chance: random.Random) -> None:
    clusters = strings_of(document)
    for answer in (clusters, shuffled(clusters, chance)):
        scores = corefine.score([document], {document.name: json.dumps(answer)}, "b3")
        top = scores.placement_range[2] if scores.placement_range else scores["b3"].f1
        assert top == pytest.approx(1, abs=1e-12)


@given(documents(OVERLAPPING), st.randoms(use_true_random=False))
def test_the_range_of_perfect_strings_contains_100(key, chance):
    check_perfect(key[0], chance)


@pytest.mark.slow
@settings(max_examples=25)
@given(drawn=st.data())
def test_the_range_of_perfect_strings_contains_100_in_real_texts(data, drawn):
    source = drawn.draw(st.sampled_from(real_documents(data)))
    words = source.tokens or []
    start = drawn.draw(st.integers(0, max(0, len(words) - 60)))
    stop = min(len(words), start + drawn.draw(st.integers(60, 600)))
    inside = [
        Mention(mention.entity, [(first - start, last - start)])
        for mention in source.mentions
        for first, last in mention.spans
        if len(mention.spans) == 1 and start <= first and last <= stop
    ]
    assume(inside)
    check_perfect(Document("x", words[start:stop], inside), random.Random(start))


@given(documents(OVERLAPPING), st.data())
def test_no_placement_has_two_mentions_at_one_place(key, data):
    words = key[0].tokens
    parts = sorted({part for word in words for part in (word, *re.split("[-']", word))})
    clusters = data.draw(
        st.lists(st.lists(st.sampled_from(parts), min_size=1, max_size=6), min_size=1, max_size=4)
    )
    corpus = corefine.read_tagged(json.dumps(clusters), words)
    document = corpus[0]
    assert corpus.copies is not None
    choices = corpus.copies.documents[0].choices
    found = [NOWHERE if one.attributes else one.spans[0] for one in document.mentions]
    entity = np.array([list(document.entities).index(one.entity) for one in document.mentions])
    moving = [row for choice in choices for row in choice.rows]
    placements = placements_of(choices, entity, found, {}).tolist() if choices else []
    fixed = [span for row, span in enumerate(found) if row not in moving]
    for spans_found in (found, *([*fixed, *map(tuple, one)] for one in placements)):
        taken = [span for span in spans_found if span != NOWHERE]
        assert len(taken) == len(set(taken))


@cache
def real_documents(data: RealCorpora) -> list[Document]:
    return [document for path in data.files("*/key.conll") for document in corefine.read(path)]


@pytest.mark.slow
def test_shuffles_of_real_texts_stay_within_the_range(data):
    for path in data.files("*/key.conllu")[:2]:
        check_shuffles(Corpus.from_documents([next(iter(corefine.read(path)))]), 4)


@pytest.mark.parametrize("seed", range(20))
def test_the_first_placements_agree_least_and_most(seed):
    """Strings that are not found agree with nothing, although their mentions have a place."""
    chance = random.Random(seed)
    words = chance.choices(OVERLAPPING, k=10)
    mentions = [(chance.randrange(3), n, n) for n in range(10) if not n or chance.random() < 0.6]
    key = make({"x": ([words], mentions)})
    clusters = [chance.choices([*OVERLAPPING[:4], "dragon"], k=4) for _ in range(3)]
    response = corefine.read_tagged(json.dumps(clusters), key[0].tokens)
    assert response.copies is not None
    if response.copies.has_choices:
        tables = [tabulate(key, one, Request.of("muc")) for one in _placed(key, response)]
        agreed = [int((table.cells.count**2).sum()) for table in tables]
        assert (agreed[0], agreed[1]) == (min(agreed), max(agreed))
