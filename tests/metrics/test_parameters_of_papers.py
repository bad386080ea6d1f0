"""Parameters that the papers ask for, against brute force over mentions and links."""

from __future__ import annotations

from itertools import combinations, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import corefine
from tests.building.refusals import refused

KINDS = ("name", "nominal", "pronoun")
mentions = list("abcdef")
partitions = st.lists(st.integers(0, 2), min_size=6, max_size=6).map(
    lambda labels: [
        group
        for label in range(3)
        if (group := [m for m, own in zip(mentions, labels, strict=True) if own == label])
    ]
)
some = st.lists(st.sampled_from(mentions), min_size=1, max_size=6, unique=True)
kinds = st.lists(st.sampled_from(KINDS), min_size=6, max_size=6).map(
    lambda found: dict(zip(mentions, found, strict=True))
)


def of(partition, kept):
    return [group for one in partition if (group := [m for m in one if m in kept])]


def links(entity):
    return {frozenset(pair) for pair in combinations(entity, 2)} or {frozenset(entity)}


def f1(part, precision_whole, recall_whole):
    precision = part / precision_whole if precision_whole else 0
    recall = part / recall_whole if recall_whole else 0
    return 2 * precision * recall / (precision + recall) if precision + recall else 0


def best(key, response, similarity):
    """The greatest total similarity of all one-to-one alignments."""
    small, large = sorted((key, response), key=len)
    turned = small is response and small is not key
    return max(
        sum(similarity(*((b, a) if turned else (a, b))) for a, b in zip(small, order, strict=True))
        for order in permutations(large, len(small))
    )


@given(partitions, partitions, some)
def test_ceaf_on_links(key, response, kept):
    response = of(response, kept)
    found = corefine.score(key, response, "ceafm(on=links),ceafe(on=links)")

    def common(one, other):
        return len(links(one) & links(other))

    whole = [sum(len(links(one)) for one in side) for side in (response, key)]
    assert found["ceafm(on=links)"].f1 == pytest.approx(f1(best(key, response, common), *whole))

    def relative(one, other):
        return 2 * common(one, other) / (len(links(one)) + len(links(other)))

    expected = f1(best(key, response, relative), len(response), len(key))
    assert found["ceafe(on=links)"].f1 == pytest.approx(expected)


@given(partitions, partitions, some, kinds)
def test_b3_with_weights(key, response, kept, kind):
    response = of(response, kept)
    weight = {"name": 2.0, "nominal": 1.0, "pronoun": 0.5}
    home = {m: set(one) for one in key for m in one}
    away = {m: set(one) for one in response for m in one}

    def average(mine, other):
        total = sum(weight[kind[m]] for m in mine)
        parts = (
            weight[kind[m]] * len(mine[m] & other[m]) / len(mine[m]) for m in mine if m in other
        )
        return sum(parts) / total

    name = "b3(weights=name=2+pronoun=0.5)"
    found = corefine.score(key, response, name, kinds=kind)[name]
    assert found.recall == pytest.approx(average(home, away))
    assert found.precision == pytest.approx(average(away, home))
    plain = corefine.score(key, response, "b3,b3(weights=name=1)", kinds=kind)
    assert plain["b3(weights=name=1)"].f1 == pytest.approx(plain["b3"].f1)


@given(partitions, partitions, kinds)
def test_lea_by_kind(key, response, kind):
    weight = {"name": 3.0, "nominal": 0.0, "pronoun": 1.0}

    def side(mine, other):
        importance = [sum(weight[kind[m]] for m in one) for one in mine]
        resolved = [
            sum(len(links(one) & links(own)) for own in other) / len(links(one)) for one in mine
        ]
        total = sum(importance)
        both = zip(importance, resolved, strict=True)
        return sum(i * r for i, r in both) / total if total else 0

    name = "lea(importance=kind:name=3+pronoun=1)"
    found = corefine.score(key, response, name, kinds=kind)[name]
    assert found.recall == pytest.approx(side(key, response))
    assert found.precision == pytest.approx(side(response, key))


def test_lea_by_type():
    """The majority of the mentions with a type decides; unlisted types weigh 1."""
    types = {1: ["person", "person", "place"], 2: ["place", "", "", ""], 3: ["time", "time"]}
    found = [(entity, one) for entity, own in types.items() for one in own]
    words = [f"w{number}" for number in range(len(found))]
    given = [
        corefine.Mention(str(entity), [(number, number + 1)], kind=corefine.Kind.NAME, type=one)
        for number, (entity, one) in enumerate(found)
    ]
    sides = [
        corefine.Corpus.from_documents([corefine.Document("d", words, own)])
        for own in (given, given[3:])
    ]
    name = "lea(importance=type:person=4+place=2)"
    scored = corefine.score(sides[0], sides[1], name, kinds="format")[name]
    assert scored.recall == pytest.approx((2 + 1) / (4 + 2 + 1))
    assert scored.precision == 1
    with refused("usage"):
        corefine.score([["a", "b"]], [["a", "b"]], name)


@given(partitions, partitions, st.integers(1, 9))
def test_weighted_mean(key, response, weight):
    found = corefine.score(key, response, f"muc,b3,mean({weight}*muc,b3)")
    expected = (weight * found["muc"].f1 + found["b3"].f1) / (weight + 1)
    assert found[f"mean({weight}*muc,b3)"].f1 == pytest.approx(expected)


@given(partitions, partitions, kinds)
def test_symmetric_weight_of_response_entities(key, response, kind):
    """Equation 10: P is R with the sides swapped; equation 11 never costs more precision."""
    names = "lmuc(system=symmetric),lmuc"
    found = corefine.score(key, response, names, kinds=kind)
    back = corefine.score(response, key, names, kinds=kind)
    one, other = found["lmuc(system=symmetric)"], back["lmuc(system=symmetric)"]
    assert one.precision == pytest.approx(other.recall)
    assert one.recall == pytest.approx(found["lmuc"].recall)
    assert (one.precision or 0) <= (found["lmuc"].precision or 0) + 1e-9


def test_parent_by_each_sides_own_kinds():
    """A response that takes the name for a pronoun refers to nothing."""
    key, own = (
        [
            corefine.Mention("1", [(0, 1)], kind=first),
            corefine.Mention("1", [(1, 2)], kind=corefine.Kind.PRONOUN),
        ]
        for first in (corefine.Kind.NAME, corefine.Kind.PRONOUN)
    )
    sides = [
        corefine.Corpus.from_documents([corefine.Document("d", ["Ann", "she"], one)])
        for one in (key, own)
    ]
    found = corefine.score(sides[0], sides[1], "parent,parent(split=own)", kinds="format")
    assert found["parent"].f1 == 1
    assert found["parent(split=own)"].f1 == 0
    same = corefine.score(sides[0], sides[0], "parent,parent(split=own)", kinds="format")
    assert same["parent(split=own)"].f1 == 1
