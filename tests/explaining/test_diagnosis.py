"""Corrections of a response, against a step-by-step correction of sets of mentions."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import corefine
from corefine.corpus.arrays import Strings
from corefine.explaining.diagnosis import TYPES, Diagnosis, MentionStatus
from corefine.explaining.phrases import Phrases
from corefine.metrics.table import MentionTable
from tests.building.explained_corpora import DocumentText, Span, corpus_of, sides, table_of

Partition = set[frozenset[int]]


def diagnosis_of(table: MentionTable) -> Diagnosis:
    return Diagnosis.of(table, Phrases.of(table.matching))


def partition(labels: np.ndarray) -> Partition:
    """Sets of rows with the same label; -1 stands for absence."""
    groups = defaultdict(set)
    for row, label in enumerate(labels.tolist()):
        if label >= 0:
            groups[label].add(row)
    return set(map(frozenset, groups.values()))


def step_by_step(diagnosis: Diagnosis) -> list[Partition]:
    """The response after each correction, by what the corrections do to entities as sets.

    Kummerfeld & Klein's algorithm: alter spans, split, merge, remove, introduce.
    """
    key = dict(enumerate(diagnosis.table.key_entity.tolist()))
    entities = list(partition(diagnosis.table.response_entity))
    main = {
        entity: int(diagnosis.main[diagnosis.table.response_entity[min(entity)]])
        for entity in entities
    }
    states = [set(entities)]

    def altered(entity: frozenset[int]) -> frozenset[int]:
        twins = diagnosis.twin
        return frozenset(
            int(twins[row]) if diagnosis.status[row] == MentionStatus.WRONG_SPAN else row
            for row in entity
        )

    main = {altered(entity): number for entity, number in main.items()}
    entities = list(main)
    states.append(set(entities))

    pieces: list[frozenset[int]] = []
    for entity in entities:
        parts: dict[int, set[int]] = defaultdict(set)
        for row in entity:
            parts[key[row] if key[row] >= 0 else main[entity]].add(row)
        pieces.extend(map(frozenset, parts.values()))
    states.append(set(pieces))

    merged: dict[int, set[int]] = defaultdict(set)
    for place, piece in enumerate(pieces):
        owners = {key[row] for row in piece} - {-1}
        assert len(owners) <= 1
        merged[owners.pop() if owners else -1 - place].update(piece)
    states.append(set(map(frozenset, merged.values())))

    right = {owner: {row for row in rows if key[row] >= 0} for owner, rows in merged.items()}
    states.append({frozenset(right[owner] or merged[owner]) for owner in merged})
    right = {owner: rows for owner, rows in right.items() if rows}
    states.append(set(map(frozenset, right.values())))

    whole = partition(diagnosis.table.key_entity)
    found = {entity for entity in whole if any(entity & rows for rows in right.values())}
    states.append(found)
    states.append(whole)
    return states


@given(sides())
def test_corrections_in_sequence_equal_a_step_by_step_correction(corpora):
    diagnosis = diagnosis_of(table_of(*corpora))
    for count, expected in enumerate(step_by_step(diagnosis)):
        assert partition(diagnosis.corrected_labels(TYPES[:count])) == expected


@given(sides(), st.permutations(TYPES))
def test_no_correction_is_the_response_and_all_are_the_key(corpora, order):
    diagnosis = diagnosis_of(table_of(*corpora))
    table = diagnosis.table
    assert partition(diagnosis.corrected_labels(())) == partition(table.response_entity)
    assert partition(diagnosis.corrected_labels(order)) == partition(table.key_entity)


@pytest.mark.parametrize(("inner", "found"), [((1, 2), 1), ((1, 1), 0)])
def test_half_of_the_words_are_enough_for_a_span_error(inner, found):
    key, response = (corpus_of([([list("abcd")], [[one]])]) for one in ((0, 3), inner))
    errors = corefine.explain(key, response, "lea").errors
    assert len(errors.of_type("span error")) == found


@given(sides())
def test_span_errors_are_the_best_one_to_one_pairing(corpora):
    """Against all ways to pair the mentions that are alike, in documents small enough for that."""
    diagnosis = diagnosis_of(table_of(*corpora))
    table = diagnosis.table
    matching = table.matching

    def place(row: int) -> tuple[int, set[int]]:
        side, index = (
            (matching.key, matching.key_mention[row])
            if matching.key_mention[row] >= 0
            else (matching.response, matching.response_mention[row])
        )
        start, stop = int(side.mentions.start[index]), int(side.mentions.stop[index])
        return int(table.document[row]), set(range(start, stop))

    ours = np.flatnonzero((table.key_entity >= 0) & (table.response_entity < 0)).tolist()
    theirs = np.flatnonzero((table.key_entity < 0) & (table.response_entity >= 0)).tolist()
    weights = {}
    for mine in ours:
        for other in theirs:
            document, words = place(mine)
            other_document, other_words = place(other)
            common = words & other_words
            if document != other_document or not common:
                continue
            edges = (min(words) == min(other_words)) + (max(words) == max(other_words))
            if edges or 2 * len(common) >= len(words | other_words):
                dice = 2 * len(common) / (len(words) + len(other_words))
                weights[mine, other] = dice + edges / 2

    def best(rows: list[int], taken: frozenset[int]) -> float:
        if not rows:
            return 0.0
        first, *rest = rows
        options = [
            weights[first, other] + best(rest, taken | {other})
            for other in theirs
            if other not in taken and (first, other) in weights
        ]
        return max([best(rest, taken), *options])

    pairs = [(row, int(diagnosis.twin[row])) for row in ours if diagnosis.twin[row] >= 0]
    assert all(pair in weights for pair in pairs)
    relevant = sorted({mine for mine, _ in weights})
    if len(relevant) <= 8:
        assert sum(weights[pair] for pair in pairs) == pytest.approx(best(relevant, frozenset()))


def test_heads_decide_where_both_sides_have_them():
    text = [["the", "director", "of", "the", "Rome", "office", "left"]]
    key: DocumentText = (text, [[(0, 5)]])
    response: DocumentText = (text, [[(3, 5)]])
    ours, theirs = corpus_of([key]), corpus_of([response])

    def span_errors(head: int, other: int) -> int:
        heads = [
            replace(corpus, mentions=replace(corpus.mentions, head=np.array([at])))
            for corpus, at in ((ours, head), (theirs, other))
        ]
        diagnosis = diagnosis_of(table_of(*heads))
        return int((diagnosis.status == MentionStatus.WRONG_BOUNDARIES).sum())

    assert span_errors(-1, -1) == 1
    assert span_errors(1, 5) == 0
    assert span_errors(5, 5) == 1
    assert span_errors(-1, 5) == 1


def test_heads_by_parts_of_speech_come_first_and_do_not_forbid():
    def diagnosed(text: str, tags: str, key: list[list[Span]], response: list[list[Span]]) -> list:
        layers = {"pos": Strings.from_list(tags.split())}
        sides = []
        for entities in (key, response):
            corpus = corpus_of([([text.split()], entities)])
            assert corpus.tokens is not None
            sides.append(replace(corpus, tokens=replace(corpus.tokens, layers=layers)))
        diagnosis = diagnosis_of(table_of(*sides))
        matching = diagnosis.table.matching
        return [
            (
                matching.key.text_of(int(matching.key_mention[row])),
                matching.response.text_of(int(matching.response_mention[diagnosis.twin[row]])),
            )
            for row in np.flatnonzero(diagnosis.status == MentionStatus.WRONG_BOUNDARIES).tolist()
        ]

    name = ("the name Kusiilay", "DT NN NNP", [[(0, 2)]], [[(0, 1)]])
    assert diagnosed(*name) == [("the name Kusiilay", "the name")]
    # The shorter one is more alike, but only the longer one has the head.
    text, tags = "the old dog of Rome", "DT JJ NN IN NNP"
    assert diagnosed(text, tags, [[(2, 4)]], [[(3, 4)], [(0, 2)]]) == [
        ("dog of Rome", "the old dog")
    ]
