"""Creation of training pairs, candidates and links."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corefine.resolving.mention_pairs import (
    PAIRINGS,
    MentionPairs,
    PairColumns,
    best_link,
    candidate_pairs,
    closest_link,
    entities_of,
    in_parts,
)


@st.composite
def documents(draw: st.DrawFn) -> PairColumns:
    sizes = draw(st.lists(st.integers(0, 8), min_size=1, max_size=4))
    document = np.repeat(np.arange(len(sizes)), sizes)
    count = len(document)
    label = np.array(draw(st.lists(st.integers(0, 3), min_size=count, max_size=count)), np.int64)
    pronoun = draw(st.lists(st.booleans(), min_size=count, max_size=count))
    name = draw(st.lists(st.booleans(), min_size=count, max_size=count))
    type_ = draw(st.lists(st.integers(-1, 1), min_size=count, max_size=count))
    # An entity belongs to one document.
    return PairColumns(
        document,
        document * 4 + label,
        np.array(pronoun, bool),
        np.array(name, bool),
        np.array(type_, np.int64),
    )


def by_hand(rows: PairColumns, name: str) -> set[tuple[int, int]]:
    """The pairs by the papers' words, one markable at a time."""
    pairs: set[tuple[int, int]] = set()
    assert rows.type is not None
    for j in range(len(rows.document)):
        before = [i for i in range(j) if rows.document[i] == rows.document[j]]
        same = [i for i in before if rows.entity[i] == rows.entity[j]]
        if name in ("resolve", "names"):
            pairs.update((i, j) for i in before if name == "resolve" or rows.name[i])
            continue
        first = min(same, default=-1)
        if name != "soon" and not rows.pronominal[j]:
            same = [i for i in same if not rows.pronominal[i]]
        if not same:
            continue
        closest = max(same)
        pairs.add((closest, j))
        back_to = first if name == "farthest" else closest
        pairs.update((i, j) for i in before if i > back_to and rows.entity[i] != rows.entity[j])
    return {
        (i, j)
        for i, j in pairs
        if -1 in (rows.type[i], rows.type[j]) or rows.type[i] == rows.type[j]
    }


@pytest.mark.parametrize("name", PAIRINGS)
@given(rows=documents())
def test_training_pairs_are_those_that_the_papers_describe(name: str, rows: PairColumns) -> None:
    pairs = PAIRINGS[name](rows)
    found = list(zip(pairs.antecedent.tolist(), pairs.anaphor.tolist(), strict=True))
    assert set(found) == by_hand(rows, name)
    assert found == sorted(set(found), key=lambda pair: (pair[1], pair[0]))


@given(rows=documents(), limit=st.integers(1, 30))
def test_candidates_do_not_depend_on_how_they_are_cut(rows: PairColumns, limit: int) -> None:
    whole = MentionPairs.joined(list(candidate_pairs(rows.document)))
    parts = list(candidate_pairs(rows.document, limit))
    joined = MentionPairs.joined(parts)
    assert np.array_equal(joined.antecedent, whole.antecedent)
    assert np.array_equal(joined.anaphor, whole.anaphor)
    anaphors = [set(part.anaphor.tolist()) for part in parts]
    assert sum(map(len, anaphors)) == len(set(whole.anaphor.tolist()))
    again = MentionPairs.joined(list(in_parts(whole, limit)))
    assert np.array_equal(again.antecedent, whole.antecedent)


@given(rows=documents(), data=st.data())
def test_links_give_the_components_of_their_graph(rows: PairColumns, data: st.DataObject) -> None:
    pairs = MentionPairs.joined(list(candidate_pairs(rows.document)))
    kept = data.draw(st.lists(st.booleans(), min_size=len(pairs), max_size=len(pairs)))
    links = pairs.where(np.array(kept, bool))
    count = len(rows.document)
    group = list(range(count))
    for i, j in zip(links.antecedent.tolist(), links.anaphor.tolist(), strict=True):
        old, new = group[j], group[i]
        group = [new if name == old else name for name in group]
    entity = entities_of(count, links)
    numbers: dict[int, int] = {}
    assert entity.tolist() == [numbers.setdefault(name, len(numbers)) for name in group]


@given(rows=documents(), data=st.data())
def test_closest_and_best_links_are_one_per_anaphor(rows: PairColumns, data: st.DataObject) -> None:
    pairs = MentionPairs.joined(list(candidate_pairs(rows.document)))
    levels = st.sampled_from([0.2, 0.5, 0.7, 0.9])
    drawn = data.draw(st.lists(levels, min_size=len(pairs), max_size=len(pairs)))
    scores = np.array(drawn, np.float64)
    table: dict[int, list[tuple[int, float]]] = {}
    for i, j, score in zip(pairs.antecedent.tolist(), pairs.anaphor.tolist(), drawn, strict=True):
        if score >= 0.5:
            table.setdefault(j, []).append((i, score))
    accepted = pairs.where(scores >= 0.5)
    closest, best = closest_link(accepted), best_link(accepted, scores[scores >= 0.5])
    assert dict(zip(closest.anaphor.tolist(), closest.antecedent.tolist(), strict=True)) == {
        j: max(i for i, _ in options) for j, options in table.items()
    }
    assert dict(zip(best.anaphor.tolist(), best.antecedent.tolist(), strict=True)) == {
        j: max(options, key=lambda option: (option[1], option[0]))[0]
        for j, options in table.items()
    }
