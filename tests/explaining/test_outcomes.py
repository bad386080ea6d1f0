"""Right and wrong: outcomes against their definitions, and cells that add up to the scores."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import corefine
from corefine.corpus.corpus import Corpus
from corefine.explaining.diagnosis import TYPES, ErrorType
from corefine.explaining.explanation import Explanation
from corefine.explaining.outcomes import NONE, RIGHT, Outcomes
from tests.building.contests import METRICS, contests
from tests.building.explained_corpora import corpus_of

WORDS = 14


def drawn(random: Random, documents: int) -> Corpus:
    """Words in entities, some of them left out; the same words whatever is drawn."""
    text = [[f"w{at}" for at in range(WORDS)]]
    listed = []
    for _ in range(documents):
        entities: list[list[tuple[int, int]]] = [[] for _ in range(4)]
        for word in range(WORDS):
            owner = random.randrange(6)
            if owner < 4:
                entities[owner].append((word, word))
        listed.append((text, [one for one in entities if one] or [[(0, 0)]]))
    return corpus_of(listed)


def explained(key: Corpus, response: Corpus) -> Explanation:
    return corefine.explain(key, response, "muc,mentions")


@pytest.mark.slow
@given(st.integers(0, 10_000))
def test_cells_add_up_to_what_compare_says(seed):
    random = Random(seed)
    key, one, other = (drawn(random, 3) for _ in range(3))
    compared = corefine.compare(
        key, {"one": one, "other": other}, metrics="mentions,muc", trials=10, replicates=10
    )
    outcomes = [Outcomes.of(explained(key, side).diagnosis) for side in (one, other)]
    for found in contests(*outcomes):
        cells = (found.both, found.first_only, found.second_only, found.neither)
        assert sum(cells) == outcomes[0].total(found.level) == outcomes[1].total(found.level)
        assert found.both + found.first_only == outcomes[0].right(found.level)
        assert found.both + found.second_only == outcomes[1].right(found.level)
        if found.level in METRICS:
            metric = METRICS[found.level]
            first = (found.both + found.first_only) * found.first_worth
            second = (found.both + found.second_only) * found.second_worth
            assert first == pytest.approx(compared.standing("one", metric).score.f1)
            assert second == pytest.approx(compared.standing("other", metric).score.f1)


@given(st.integers(0, 10_000))
def test_links_and_entities_are_right_by_their_definitions(seed):
    random = Random(seed)
    key, response = drawn(random, 2), drawn(random, 2)
    explanation = explained(key, response)
    codes = Outcomes.of(explanation.diagnosis).codes
    mentions = explanation.matching.key.mentions
    table = explanation.table
    for at in range(len(mentions)):
        before = [
            other
            for other in range(len(mentions))
            if mentions.entity[other] == mentions.entity[at]
            and mentions.start[other] < mentions.start[at]
        ]
        response_entity = table.response_entity[at]
        right = response_entity >= 0 and any(
            table.response_entity[other] == response_entity for other in before
        )
        assert (codes["links"][at] == NONE) == (not before)
        assert (codes["links"][at] == RIGHT) == right
        assert (codes["mentions"][at] == RIGHT) == (response_entity >= 0)
    wrong = {str(TYPES[code - 1]) for code in codes["mentions"].tolist() if code > 0}
    assert wrong <= {ErrorType.SPAN, ErrorType.MISSING_MENTION, ErrorType.MISSING_ENTITY}
    perfect = explanation.entities.counts["1"]
    assert int((codes["entities"] == RIGHT).sum()) == perfect
