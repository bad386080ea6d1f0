"""Errors: a text in which each type occurs once, and all errors against their definitions."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given

from corefine.corpus.columns import Kind
from corefine.corpus.corpus import Corpus
from corefine.explaining.diagnosis import TYPES, Diagnosis, ErrorType, MentionStatus
from corefine.explaining.error_analysis import GROUPS, Errors
from corefine.explaining.phrases import Phrases
from corefine.metrics.table import MentionTable
from corefine.scoring.count import match
from tests.building.explained_corpora import corpus_of, sides

STORY = [
    sentence.split()
    for sentence in (
        "The old painter met Marta Reyes in Rome .",
        "She liked the painter , and he liked her .",
        "It rained , and the city was grey .",
        "A dog barked at a cat ; the dog was loud .",
        "Tomas wrote to Marta , and Tomas came .",
    )
]
PAINTER, MARTA, CITY, DOG, TOMAS = (0, 2), (4, 5), (7, 7), (28, 29), (40, 40)
KEY = [
    [PAINTER, (11, 12), (15, 15)],
    [MARTA, (9, 9), (17, 17), (43, 43)],
    [CITY, (23, 24)],
    [DOG, (35, 36)],
    [TOMAS, (46, 46)],
]
RESPONSE = [
    # "old painter" is a span error.
    [(1, 2), (11, 12), (15, 15)],
    # "Marta" at the end is split from Marta Reyes; "her" is missing.
    [MARTA, (9, 9)],
    [(43, 43)],
    # The city and Tomas are merged; "It" is extra.
    [CITY, (19, 19), (23, 24), TOMAS, (46, 46)],
    # The dog is missing; the cat is extra.
    [(32, 33)],
]
KINDS = {
    PAINTER: Kind.NOMINAL,
    (11, 12): Kind.NOMINAL,
    (15, 15): Kind.PRONOUN,
    MARTA: Kind.NAME,
    (9, 9): Kind.PRONOUN,
    (17, 17): Kind.PRONOUN,
    (43, 43): Kind.NAME,
    (19, 19): Kind.PRONOUN,
    CITY: Kind.NAME,
    TOMAS: Kind.NAME,
    (32, 33): Kind.NOMINAL,
}


def errors_of(key: Corpus, response: Corpus) -> tuple[Errors, Diagnosis, Phrases]:
    table = MentionTable.of(match(key, response))
    phrases = Phrases.of(table.matching)
    diagnosis = Diagnosis.of(table, phrases)
    return Errors(diagnosis, phrases), diagnosis, phrases


@pytest.fixture
def story():
    sides = [corpus_of([(STORY, entities)], [KINDS]) for entities in (KEY, RESPONSE)]
    return errors_of(*sides)[0]


def test_every_type_occurs_once(story):
    assert story.counts() == {str(name): 1 for name in TYPES}
    assert repr(story).startswith("<Errors: 1 span error, 1 merged entities")
    assert [error.start for error in story] == sorted(error.start for error in story)
    assert [error.number for error in story] == list(range(7))
    assert story[0].to_dict()["type"] == "span error"


DESCRIBED = {
    "span error": ("The old painter", "nominal", "nominal", 1, "partial", ("1",), ("1",), None),
    "merged entities": ("Tomas", "name", "name", 2, "none", ("5", "3"), ("4",), "Rome"),
    "split entity": ("Marta", "name", "name", 3, "partial", ("2",), ("3", "2"), "Marta Reyes"),
    "extra mention": ("It", "pronoun", "name", 0, "none", (), ("4",), "Rome"),
    "extra entity": ("a cat", "nominal", None, None, None, (), ("5",), None),
    "missing mention": ("her", "pronoun", "name", 0, "none", ("2",), (), "Marta Reyes"),
    "missing entity": ("A dog", "unknown", None, 0, "partial", ("4",), (), None),
}


def test_description_of_each_error(story):
    assert {
        str(error.type): (
            error.text, error.kind, error.rest_kind, error.distance, error.match,
            error.key_names, error.response_names, error.other_text,
        )
        for error in story
    } == DESCRIBED  # fmt: skip
    described = {error.type: error for error in story}
    assert described[ErrorType.SPAN].found_text == "old painter"
    assert (described[ErrorType.SPAN].sentence, described[ErrorType.SPLIT].sentence) == (0, 4)
    assert described[ErrorType.MERGED].other_entity == 2
    assert len(described[ErrorType.MISSING_ENTITY].key_mentions) == 2


def test_breakdowns_count_every_error(story):
    for field in GROUPS:
        counted = story.by(field)
        assert {name: sum(row.values()) for name, row in counted.items()} == story.counts()
    assert story.by("kind")["extra mention"]["pronoun"] == 1
    assert story.by("match")["split entity"]["partial"] == 1
    assert story.by("distance")["split entity"]["3-5"] == 1
    assert [error.type for error in story.of_type("split entity")] == [ErrorType.SPLIT]


# What is said of an error, computed again from its definition.

ORDER = ["name", "nominal", "pronoun", "zero", "unknown"]
FUNCTION_WORDS = {"she", "the", "it"}


def mention(table: MentionTable, row: int) -> tuple[list[str], int, str]:
    """The words, the sentence and the kind of a row."""
    matching = table.matching
    side, index = (
        (matching.key, int(matching.key_mention[row]))
        if matching.key_mention[row] >= 0
        else (matching.response, int(matching.response_mention[row]))
    )
    assert side.tokens is not None
    at = int(side.tokens.offsets[side.mentions.document[index]] + side.mentions.start[index])
    sentence = int(np.searchsorted(side.tokens.sentences, at, side="right"))
    return side.text_of(index).lower().split(), sentence, Kind(table.kinds[row]).name.lower()


def compared(table: MentionTable, part: list[int], rest: list[int]) -> tuple:
    """Kind, kind of the rest, distance and match of two lists of rows, pair by pair."""

    def best(rows: list[int]) -> str | None:
        return min((mention(table, row)[2] for row in rows), key=ORDER.index, default=None)

    pairs = [(mention(table, x), mention(table, y)) for x in part for y in rest]
    if not pairs:
        return best(part), None, None, None
    match = "none"
    if any(set(x[0]) & set(y[0]) - FUNCTION_WORDS for x, y in pairs):
        match = "partial"
    if any(x[0] == y[0] for x, y in pairs):
        match = "exact"
    return best(part), best(rest), min(abs(x[1] - y[1]) for x, y in pairs), match


def among_themselves(table: MentionTable, rows: list[int]) -> tuple:
    """The same for all pairs of an entity's mentions, without any rest."""
    results = [compared(table, [x], [y for y in rows if y != x]) for x in rows]
    kind = min((result[0] for result in results), key=ORDER.index)
    if len(rows) == 1:
        return kind, None, None, None
    match = max((r[3] for r in results), key=["none", "partial", "exact"].index)
    return kind, None, min(r[2] for r in results), match


def expected(diagnosis: Diagnosis) -> Counter:
    """All errors from the definitions, one tuple each."""
    table = diagnosis.table
    key, response = table.key_entity.tolist(), table.response_entity.tolist()
    rows = range(len(key))
    found: Counter = Counter()
    for row in rows:
        status = diagnosis.status[row]
        in_key = [other for other in rows if key[other] == key[row] and other != row]
        in_response = [o for o in rows if response[o] == response[row] and o != row]
        if status == MentionStatus.WRONG_BOUNDARIES:
            found["span error", compared(table, [row], in_key)] += 1
        elif status == MentionStatus.MISSING:
            found["missing mention", compared(table, [row], in_key)] += 1
        elif status == MentionStatus.EXTRA:
            found["extra mention", compared(table, [row], in_response)] += 1
    for column, bad, name in (
        (key, MentionStatus.IN_MISSING_ENTITY, "missing entity"),
        (response, MentionStatus.IN_EXTRA_ENTITY, "extra entity"),
    ):
        for entity in set(column) - {-1}:
            members = [row for row in rows if column[row] == entity]
            if diagnosis.status[members[0]] == bad:
                found[name, among_themselves(table, members)] += 1
    parts = {
        (int(diagnosis.key[row]), int(diagnosis.response[row]))
        for row in rows
        if diagnosis.status[row] in (MentionStatus.FOUND, MentionStatus.WRONG_BOUNDARIES)
    }
    for k, r in parts:
        found_rows = [
            row for row in rows if key[row] == k and diagnosis.status[row] != MentionStatus.MISSING
        ]
        if diagnosis.largest[k] != r:
            part = [row for row in found_rows if diagnosis.response[row] == r]
            rest = [row for row in found_rows if row not in part]
            found["split entity", compared(table, part, rest)] += 1
        if diagnosis.main[r] != k:
            members = [row for row in rows if response[row] == r]
            part = [row for row in members if diagnosis.key[row] == k]
            rest = [row for row in members if row not in part]
            found["merged entities", compared(table, part, rest)] += 1
    return found


@given(sides())
def test_errors_against_their_definitions(corpora):
    errors, diagnosis, _ = errors_of(*corpora)
    listed = Counter(
        (str(error.type), (error.kind, error.rest_kind, error.distance, error.match))
        for error in errors
    )
    assert listed == expected(diagnosis)


@given(sides())
def test_mentions_and_entities_of_errors_belong_together(corpora):
    errors, diagnosis, _ = errors_of(*corpora)
    matching = errors.matching
    for error in errors:
        assert error.key_mentions or error.response_mentions
        for index in error.key_mentions:
            assert matching.key.mentions.document[index] == error.document_number
            assert matching.key.mentions.entity[index] == error.key_entities[0]
        for index in error.response_mentions:
            assert matching.response.mentions.document[index] == error.document_number
            assert matching.response.mentions.entity[index] == error.response_entities[0]
        assert error.document == matching.key.documents[error.document_number]
    parts = len(diagnosis.parts)
    counts = errors.counts()
    assert counts["split entity"] == parts - np.count_nonzero(diagnosis.largest >= 0)
    assert counts["merged entities"] == parts - np.count_nonzero(diagnosis.main >= 0)


def test_names_without_a_text():
    key = Corpus.from_entities([["Anna Lee", "she", "Lee"], ["Rome"]])
    response = Corpus.from_entities([["Anna Lee", "she"], ["Lee"], ["it"]])
    errors, _, _ = errors_of(key, response)
    assert {error.type: error.text for error in errors} == {
        ErrorType.SPLIT: "Lee",
        ErrorType.EXTRA_ENTITY: "it",
        ErrorType.MISSING_ENTITY: "Rome",
    }
    split = next(error for error in errors if error.type is ErrorType.SPLIT)
    assert (split.distance, split.sentence, split.match) == (None, None, "partial")
