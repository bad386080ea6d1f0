"""Attributes of markables and features of pairs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corefine.corpus.columns import Entities, Kind, Mentions
from corefine.corpus.corpus import Corpus
from corefine.corpus.document import Document, Mention
from corefine.errors import UsageError
from corefine.resolving import CLASSIFIERS, CLUSTERINGS, PAIRINGS, PRESETS, RECIPES
from corefine.resolving.attributes import (
    FEMININE,
    MASCULINE,
    NEUTER,
    PLURAL,
    SINGULAR,
    MarkableAttributes,
)
from corefine.resolving.features import FEATURES, PairView, matrix
from corefine.resolving.markables import markables_of
from corefine.resolving.mention_pairs import MentionPairs, candidate_pairs
from corefine.resolving.resolver import TUNINGS
from corefine.resolving.words import WordCodes, last_before_modifiers, parents
from tests.building.resolving_corpora import marked, stories

TEXT = """
[1 Mrs./NNP Clara/NNP Dalloway/NNP ] bought/VBD [2 the/DT red/JJ flowers/NNS of/IN [3 spring/NN ] ]
[1 She/PRP ] told/VBD [4 [1 her/PRP$ ] husband/NN ] ,/, [4 Richard/NNP ] ,/, of/IN [2 them/PRP ] ./.
“/'' [1 I/PRP ] bought/VBD [2 these/DT flowers/NNS ] ,/, ”/'' [1 Dalloway/NNP ] said/VBD ./.
[5 The/DT International/NNP Lamp/NNP Trust/NNP ] and/CC [6 a/DT blue/JJ flower/NN ] wilted/VBD ./.
[5 ILT/NNP ] closed/VBD [7 its/PRP$ doors/NNS ] ,/, and/CC “/'' [8 I/PRP ] slept/VBD ”/'' ./.
"""


@pytest.fixture(scope="module")
def attributes() -> MarkableAttributes:
    return MarkableAttributes(markables_of(marked(TEXT)))


def row(attributes: MarkableAttributes, text: str, number: int = 0) -> int:
    """The row of the markable with this text."""
    corpus = attributes.markables.corpus
    found = [i for i in range(len(attributes)) if corpus.text_of(i) == text]
    return found[number]


def value(attributes: MarkableAttributes, feature: str, first: int, second: int) -> float:
    pairs = MentionPairs(np.array([first]), np.array([second]))
    return float(matrix(PairView(attributes, pairs), [feature])[0, 0])


def test_order_kinds_and_heads_of_markables(attributes: MarkableAttributes) -> None:
    markables = attributes.markables
    assert [markables.corpus.text_of(i) for i in range(6)] == [
        "Mrs. Clara Dalloway", "the red flowers of spring", "spring", "She", "her husband", "her",
    ]  # fmt: skip
    assert markables.tokens.words[int(markables.head[1])] == "flowers"
    kinds = [markables.kind[row(attributes, text)] for text in ("Richard", "She", "spring")]
    assert kinds == [Kind.NAME, Kind.PRONOUN, Kind.NOMINAL]


@pytest.mark.parametrize(
    ("text", "column", "expected"),
    [
        ("Mrs. Clara Dalloway", "gender", FEMININE),
        ("Richard", "gender", MASCULINE),
        ("her husband", "gender", MASCULINE),
        ("its doors", "number", PLURAL),
        ("a blue flower", "number", SINGULAR),
        ("these flowers", "number", PLURAL),
        ("She", "number", SINGULAR),
        ("them", "gender", 0),
    ],
)
def test_number_and_gender(
    attributes: MarkableAttributes, text: str, column: str, expected: int
) -> None:
    assert getattr(attributes, column)[row(attributes, text)] == expected


def test_semantic_types_tell_animacy() -> None:
    mentions = [Mention("a", [(0, 1)], type="place"), Mention("b", [(2, 3)], type="person")]
    corpus = Corpus.from_documents([Document("d", ["Oslo", "and", "Kim", "grew"], mentions)])
    kinds = {(0, 0): "name", (2, 2): "name"}
    attributes = MarkableAttributes(markables_of(corpus, kinds=kinds))
    assert attributes.gender.tolist() == [NEUTER, MASCULINE | FEMININE]


@pytest.mark.parametrize(
    ("feature", "first", "second", "expected"),
    [
        ("last_word_match", "Mrs. Clara Dalloway", "Dalloway", 1),
        ("name_contained", "Mrs. Clara Dalloway", "Dalloway", 1),
        ("alias", "Mrs. Clara Dalloway", "Dalloway", 1),
        ("alias", "Mrs. Clara Dalloway", "Richard", 0),
        ("acronym", "The International Lamp Trust", "ILT", 1),
        ("acronym", "The International Lamp Trust", "Richard", 0),
        ("head_match", "the red flowers of spring", "these flowers", 1),
        ("text_match", "the red flowers of spring", "these flowers", 0),
        ("new_modifier", "the red flowers of spring", "these flowers", 0),
        ("new_modifier", "these flowers", "a blue flower", 1),
        ("token_overlap", "the red flowers of spring", "these flowers", 0.5),
        ("overlap_share", "the red flowers of spring", "these flowers", 1 / 3),
        ("gender_agreement", "Mrs. Clara Dalloway", "She", 1),
        ("gender_agreement", "Mrs. Clara Dalloway", "Richard", -1),
        ("gender_agreement", "Mrs. Clara Dalloway", "them", 0),
        ("number_agreement", "the red flowers of spring", "them", 1),
        ("apposition", "her husband", "Richard", 1),
        ("nested", "her husband", "her", 1),
        ("nested", "She", "her", 0),
        ("same_sentence", "She", "them", 1),
        ("sentence_distance", "Mrs. Clara Dalloway", "ILT", 4),
        ("j_demonstrative", "the red flowers of spring", "these flowers", 1),
        ("j_indefinite", "these flowers", "a blue flower", 1),
        ("j_quoted", "She", "these flowers", 1),
        ("j_quoted", "She", "Dalloway", 0),
    ],
)
def test_features_of_pairs(
    attributes: MarkableAttributes, feature: str, first: str, second: str, expected: float
) -> None:
    found = value(attributes, feature, row(attributes, first), row(attributes, second))
    assert found == pytest.approx(expected)


def test_persons_of_speech_belong_to_their_quotation(attributes: MarkableAttributes) -> None:
    first, second = row(attributes, "I"), row(attributes, "I", 1)
    assert value(attributes, "text_match", first, second) == 1
    assert value(attributes, "same_voice", first, second) == -1
    assert value(attributes, "address", first, second) == 0


def test_rivals_are_the_agreeing_markables_in_between(attributes: MarkableAttributes) -> None:
    first, second = row(attributes, "Mrs. Clara Dalloway"), row(attributes, "her")
    between = [
        i
        for i in range(first + 1, second)
        if (attributes.number[i] & SINGULAR or not attributes.number[i])
        and (attributes.gender[i] & FEMININE or not attributes.gender[i])
    ]
    assert value(attributes, "rivals", first, second) == len(between) == 2


def test_every_feature_of_every_pair_equals_that_of_the_pair_alone() -> None:
    attributes = MarkableAttributes(markables_of(stories(1, 2)))
    pairs = MentionPairs.joined(list(candidate_pairs(attributes.markables.document)))
    together = matrix(PairView(attributes, pairs), list(FEATURES))
    for number in np.random.default_rng(0).choice(len(pairs), 25, replace=False).tolist():
        one = MentionPairs(pairs.antecedent[[number]], pairs.anaphor[[number]])
        alone = matrix(PairView(attributes, one), list(FEATURES))
        assert np.array_equal(alone[0], together[number])


def test_every_feature_has_a_sentence_and_every_recipe_has_known_features() -> None:
    assert all(feature.summary.endswith(".") for feature in FEATURES.values())
    for recipe in RECIPES.values():
        for features in recipe.feature_sets.values():
            assert set(features) <= set(FEATURES)
            assert len(set(features)) == len(features)
    with pytest.raises(UsageError, match="text_match"):
        RECIPES["soon"].changed(features=("text_mach",))


@given(st.sets(st.tuples(st.integers(0, 11), st.integers(1, 8)), min_size=2, max_size=12))
def test_common_phrases_equal_a_search_for_the_third_markable(spans: set[tuple[int, int]]) -> None:
    corpus = marked("one two three four five six\nseven eight nine ten eleven twelve")
    starts, stops = zip(*((first, min(first + size, 12)) for first, size in spans), strict=True)
    rows = np.arange(len(spans))
    corpus = replace(
        corpus,
        entities=Entities(np.zeros(len(spans), np.int64)),
        mentions=Mentions(np.zeros(len(spans), np.int64), rows, np.array(starts), np.array(stops)),
    )
    attributes = MarkableAttributes(markables_of(corpus))
    markables = attributes.markables
    pairs = MentionPairs.joined(list(candidate_pairs(markables.document)))
    found = matrix(PairView(attributes, pairs), ["common_phrase"])[:, 0]
    start, stop = markables.start.tolist(), markables.stop.tolist()
    # Of two markables over the same words the first covers what the second does.
    expected = [
        any(start[k] <= start[i] and stop[k] >= max(stop[i], stop[j]) for k in range(i))
        for i, j in zip(pairs.antecedent.tolist(), pairs.anaphor.tolist(), strict=True)
    ]
    assert found.tolist() == expected


def test_the_head_without_parts_of_speech_stands_before_the_modifiers() -> None:
    corpus = marked("[1 the old man of the sea ] saw [2 Anna 's ] [3 , that ] .")
    assert corpus.tokens is not None
    words = WordCodes.of(corpus.tokens.words)
    head = last_before_modifiers(words, corpus.mentions.start, corpus.mentions.stop)
    assert [corpus.tokens.words[int(token)] for token in head] == ["man", "Anna", "that"]


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ("2 0 2 2 0 2", [1, -1, 1, 4, -1, 4]),
        ("2 0 5 2 0 4", [1, -1, -1, 4, -1, -1]),  # beyond the sentence
    ],
)
def test_dependencies_are_numbered_by_sentence(head: str, expected: list[int]) -> None:
    corpus = marked("[1 Anna ] slept .\n[1 She ] woke .", head=head, deprel="a b c d e f")
    assert corpus.tokens is not None
    found = parents(corpus.tokens)
    assert found is not None
    assert found.tolist() == expected


def test_predicate_nominals_and_appositions_come_from_dependencies() -> None:
    corpus = marked(
        "[1 Anna ] is [1 a doctor ] .\n[2 Tom ] [2 the baker ] slept .",
        head="4 4 4 0 4 4 3 1 0 4",
        deprel="nsubj cop det root punct nsubj det appos root punct",
    )
    attributes = MarkableAttributes(markables_of(corpus))
    assert value(attributes, "predicate_nominal", 0, 1) == 1
    assert value(attributes, "apposition", 2, 3) == 1
    assert value(attributes, "nested", 2, 3) == 0  # adjacent
    assert value(attributes, "predicate_nominal", 0, 2) == 0


def test_the_documentation_names_every_part() -> None:
    page = (Path(__file__).parents[2] / "docs" / "resolving.md").read_text("utf-8")
    parts = [*PRESETS, *FEATURES, *PAIRINGS, *CLASSIFIERS, *CLUSTERINGS, *TUNINGS]
    assert [name for name in parts if f"`{name}`" not in page] == []
    for name, recipe in RECIPES.items():
        sizes = ", ".join(str(len(features)) for features in recipe.feature_sets.values())
        assert f"| `{name}` | `{recipe.pairs}` | {sizes} | `{recipe.classifier}`" in page
