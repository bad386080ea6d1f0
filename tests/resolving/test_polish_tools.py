"""IKAR, Ruler, Bartek, zero subjects: against plain computations from the definitions."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import binom

import corefine
from corefine.corpus.corpus import Corpus
from corefine.resolving import cross_validate, features, train
from corefine.resolving.attributes import MarkableAttributes, clash
from corefine.resolving.classifiers import prune
from corefine.resolving.cross_validation import settings_grid
from corefine.resolving.features import PairView, matrix
from corefine.resolving.markables import DETECT_ZEROS, markables_of
from corefine.resolving.mention_pairs import MentionPairs, candidate_pairs, entities_of
from corefine.resolving.resolver import CLUSTERINGS
from corefine.resolving.rules import four_rules, ruler
from corefine.resolving.zeros import insert_zeros
from tests.building.refusals import refused
from tests.building.resolving_corpora import marked, stories

TALE = """
[1 Clara/NNP Berg/NNP ] saw/VBD [2 the/DT boat/NN ] of/IN [4 David/NNP Lind/NNP ] ./.
[1 Mrs./NNP Berg/NNP ] liked/VBD [2 the/DT old/JJ boat/NN ] ./. [4 The/DT man/NN ] slept/VBD ./.
[1 She/PRP ] sold/VBD [3 the/DT Lind/NNP boat/NN ] to/IN [4 him/PRP ] ./.
[4 He/PRP ] sold/VBD [5 the/DT Berg/NNP boat/NN ] ./.
[4 David/NNP ] thanked/VBD [1 her/PRP ] ./.
"""


@pytest.fixture(scope="module")
def attributes() -> MarkableAttributes:
    return MarkableAttributes(markables_of(stories(1, 2, sentences=25)))


def every_pair(attributes: MarkableAttributes) -> MentionPairs:
    return MentionPairs.joined(list(candidate_pairs(attributes.markables.document)))


def rows(
    attributes: MarkableAttributes, *names: str
) -> Iterator[tuple[int, int, dict[str, float]]]:
    """The antecedent, the anaphor and the values of features of every pair."""
    pairs = every_pair(attributes)
    values = matrix(PairView(attributes, pairs), names)
    for i, j, row in zip(pairs.antecedent.tolist(), pairs.anaphor.tolist(), values, strict=True):
        yield i, j, dict(zip(names, map(float, row), strict=True))


def ruled(attributes: MarkableAttributes, pronouns: bool) -> list[int]:
    """Ruler by its table of parameters, one pair after another."""
    names = (
        *("nested", "number_agreement", "gender_agreement", "person_agreement", "both_names"),
        *("lemma_match", "alias", "head_lemma_match", "qualifier_clash", "i_subject", "same_role"),
        *("sentence_distance", "j_pronoun"),
    )
    best: dict[int, tuple[float, int]] = {}
    for i, j, v in rows(attributes, *names):
        if v["nested"] or v["number_agreement"] < 0 or v["person_agreement"] < 0:
            continue
        if v["gender_agreement"] < 0 and not v["both_names"]:
            continue
        if v["j_pronoun"] and (not pronouns or v["sentence_distance"] > 5):
            continue
        total = 1.0 * v["lemma_match"] + 0.9 * v["alias"] + 0.6 * v["j_pronoun"]
        total += 0.8 * (v["head_lemma_match"] and not v["qualifier_clash"])
        total += 0.1 * v["i_subject"] + 0.05 * (v["same_role"] > 0)
        total = round(total - min(0.05 * v["sentence_distance"], 0.3), 2)
        if total >= 0.5 and (total, i) > best.get(j, (0, -1)):
            best[j] = total, i
    anaphors = sorted(best)
    links = MentionPairs(np.array([best[j][1] for j in anaphors], int), np.array(anaphors, int))
    return entities_of(len(attributes), links).tolist()


def test_ruler_is_its_table_of_parameters(attributes: MarkableAttributes) -> None:
    for one in (attributes, MarkableAttributes(markables_of(marked(TALE)))):
        assert ruler(one).tolist() == ruled(one, pronouns=True)
        assert four_rules(one).tolist() == ruled(one, pronouns=False)
    assert ruler(one).tolist() != four_rules(one).tolist()


def test_boats_with_two_names_are_two() -> None:
    corpus = marked(TALE)
    one = MarkableAttributes(markables_of(corpus))
    texts = list(map(corpus.text_of, range(len(one))))
    row = texts.index
    entity = dict(zip(texts, ruler(one).tolist(), strict=True))
    assert entity["the boat"] == entity["the old boat"]
    pair = PairView(
        one, MentionPairs(np.array([row("the Lind boat")]), np.array([row("the Berg boat")]))
    )
    assert features.qualifier_clash(pair).tolist() == [True]


def test_ikar_gives_each_mention_to_the_largest_entity_then_the_closest(
    attributes: MarkableAttributes,
) -> None:
    """The four passes by their definition, with pairs accepted at random."""
    pairs = every_pair(attributes)
    draw = np.random.default_rng(3)
    for share in (0.02, 0.3):
        wanted = attributes.name[pairs.antecedent] & (draw.random(len(pairs)) < share)
        accepted = pairs.where(wanted)
        links = CLUSTERINGS["name-entities"](attributes, accepted, np.ones(len(accepted)))
        members: dict[int, list[int]] = {
            row: [row] for row in np.flatnonzero(attributes.name).tolist()
        }
        home = {row: row for row in members}
        for kind in range(4):
            for row in np.flatnonzero(attributes.kind_number + attributes.zero == kind).tolist():
                names = accepted.antecedent[accepted.anaphor == row].tolist()
                if not names:
                    continue
                best = max(names, key=lambda name: (len(members[home[name]]), name))
                members[home[best]].append(row)
                home[row] = home[best]
        expected = [home.get(row, row) for row in range(len(attributes))]
        found = entities_of(len(attributes), links).tolist()
        assert len(set(zip(found, expected, strict=True))) == len(set(found)) == len(set(expected))


def test_ikar_links_nothing_without_a_name() -> None:
    """What no name takes remains alone: only entities with a name have several mentions."""
    corpus = stories(*range(6), sentences=20)
    response = cross_validate(corpus, ["ikar"], folds=2, metrics="parent", jobs=1).responses["ikar"]
    for document in response:
        for mentions in document.entities.values():
            kinds = {mention.kind.name for mention in mentions}
            assert len(mentions) == 1 or "NAME" in kinds


def test_pronoun_link_counts_as_defined(attributes: MarkableAttributes) -> None:
    names = ("pronoun_link", "gender_agreement", "number_agreement", "person_agreement")

    def agree(row: int, other: int, *masks: str) -> bool:
        return not any(
            clash(getattr(attributes, mask)[row], getattr(attributes, mask)[other])
            for mask in masks
        )

    def meaning(name: int, phrase: int) -> float:
        return float(features.semantic_link(
            PairView(attributes, MentionPairs(np.array([name]), np.array([phrase])))
        )[0])  # fmt: skip

    for i, j, v in islice(rows(attributes, *names), None, None, 7):
        between = range(i + 1, j)
        rivals = [k for k in between if attributes.name[k] and agree(k, j, "gender")]
        expected = 3.0 * (not rivals) + 2 * (v["gender_agreement"] > 0)
        expected += (v["number_agreement"] > 0) + (v["person_agreement"] > 0)
        bridges = [
            k
            for k in between
            if attributes.nominal[k] and agree(k, j, "gender", "number", "person")
        ]
        if bridges:
            expected = max(expected, 4 + meaning(i, bridges[-1]))
        assert v["pronoun_link"] == expected


def test_weighted_overlap_is_a_cosine(attributes: MarkableAttributes) -> None:
    markables = attributes.markables
    words = [set(attributes.content[[row]].indices.tolist()) for row in range(len(attributes))]
    number = Counter(markables.document.tolist())
    frequency = Counter(word for row in words for word in row)
    for i, j, v in rows(attributes, "weighted_overlap", "dice_overlap", "new_words"):
        weight = {
            word: math.log(number[int(markables.document[i])] / frequency[word])
            for word in words[i] | words[j]
        }
        lengths = [math.sqrt(sum(weight[word] ** 2 for word in words[row])) for row in (i, j)]
        common = words[i] & words[j]
        cosine = sum(weight[word] ** 2 for word in common) / (lengths[0] * lengths[1] or 1)
        assert v["weighted_overlap"] == pytest.approx(cosine, abs=1e-6)
        dice = 2 * len(common) / max(len(words[i]) + len(words[j]), 1)
        assert v["dice_overlap"] == pytest.approx(dice)
        new = 0 if attributes.pronoun[j] else len(words[j] - words[i])
        assert v["new_words"] == new


def test_pruning_is_that_of_c45() -> None:
    """Each node by recursion; the upper limit of errors by solving the binomial distribution."""
    from sklearn.tree import DecisionTreeClassifier

    draw = np.random.default_rng(5)
    columns = draw.integers(0, 3, (300, 6))
    labels = (columns[:, 0] > 1) ^ (draw.random(300) < 0.25)
    grown = DecisionTreeClassifier(criterion="entropy", min_samples_leaf=2, random_state=0)
    whole = grown.fit(columns, labels).tree_
    left, right = whole.children_left.copy(), whole.children_right.copy()
    pairs = whole.n_node_samples
    wrong = [round(n * (1 - v.max())) for n, v in zip(pairs, whole.value[:, 0], strict=True)]

    def errors(node: int) -> float:
        n, e = int(pairs[node]), wrong[node]
        # The rate at which no more than e errors have a probability of a quarter.
        return n * brentq(lambda rate: binom.cdf(e, n, rate) - 0.25, 1e-12, 1 - 1e-12)

    leaves = set()

    def estimate(node: int) -> float:
        if left[node] < 0:
            return errors(node)
        below = estimate(left[node]) + estimate(right[node])
        if errors(node) <= below:
            leaves.add(node)
            return errors(node)
        return below

    estimate(0)
    prune(whole)
    assert set(np.flatnonzero((left >= 0) & (whole.children_left < 0)).tolist()) == leaves
    assert leaves
    assert grown.predict(columns).shape == (300,)


ZEROS = """
# newdoc id = d
# global.Entity = eid-etype-head-other
1	Jan	Jan	PROPN	_	Gender=Masc|Number=Sing	2	nsubj	_	Entity=(e1-person-1-)
2	wszedł	wejść	VERB	_	Gender=Masc|Number=Sing|Tense=Past|VerbForm=Fin	0	root	_	_
3	.	.	PUNCT	_	_	2	punct	_	_

0.1	_	_	PRON	_	Person=3	_	_	1:nsubj	Entity=(e1-person-1-)
1	Usiadł	usiąść	VERB	_	Gender=Masc|Number=Sing|Tense=Past|VerbForm=Fin	0	root	_	_
2	.	.	PUNCT	_	_	1	punct	_	_

1	Był	być	AUX	_	Gender=Masc|Number=Sing|Person=3|VerbForm=Fin	2	cop	_	_
1.1	_	_	PRON	_	Person=3	_	_	2:nsubj	Entity=(e1-person-1-)
2	zmęczony	zmęczony	ADJ	_	Gender=Masc|Number=Sing	0	root	_	_
3	.	.	PUNCT	_	_	2	punct	_	_

1	Zrobiono	zrobić	VERB	_	Person=0|VerbForm=Fin	0	root	_	_
2	to	to	PRON	_	PronType=Dem	1	obj	_	Entity=(e2-abstract-1-)
3	.	.	PUNCT	_	_	1	punct	_	_

1	Idź	iść	VERB	_	Mood=Imp|Number=Sing|Person=2|VerbForm=Fin	0	root	_	_
2	!	!	PUNCT	_	_	1	punct	_	_

1	Należy	należeć	VERB	_	Number=Sing|Person=3|VerbForm=Fin	0	root	_	_
2	czekać	czekać	VERB	_	VerbForm=Inf	1	xcomp	_	_
3	.	.	PUNCT	_	_	1	punct	_	_

1	Przyszli	przyjść	VERB	_	Number=Plur|Tense=Past|VerbForm=Fin	0	root	_	_
2	by	by	AUX	_	_	1	aux:cnd	_	_
3	śmy	być	AUX	_	Number=Plur|Person=1	1	aux:clitic	_	_
4	.	.	PUNCT	_	_	1	punct	_	_
"""


@pytest.fixture
def polish(tmp_path: Path) -> Corpus:
    path = tmp_path / "key.conllu"
    path.write_text(ZEROS.lstrip(), "utf-8")
    return corefine.read(path)


def test_zero_subjects_by_hand(polish: Corpus) -> None:
    tokens = insert_zeros(polish).tokens
    assert tokens is not None
    assert tokens.empty is not None
    zeros = np.flatnonzero(tokens.empty).tolist()
    found = [
        (tokens.words[zero + 1], tokens.layers["feats"][zero], tokens.layers["deps"][zero])
        for zero in zeros
    ]
    assert found == [
        ("Usiadł", "Case=Nom|Gender=Masc|Number=Sing|Person=3", "1:nsubj"),
        ("zmęczony", "Case=Nom|Gender=Masc|Number=Sing|Person=3", "2:nsubj"),
        ("Przyszli", "Case=Nom|Number=Plur|Person=1", "1:nsubj"),
    ]
    assert tokens.sentence_of(np.array(zeros)).tolist() == [1, 2, 6]


def test_detected_zeros_have_the_entities_of_gold_zeros(polish: Corpus) -> None:
    markables = markables_of(polish, DETECT_ZEROS)
    corpus = markables.corpus
    zeros = [i for i, kind in enumerate(markables.kind.tolist()) if kind == 4]
    jan = [corpus.text_of(i) for i in range(len(markables))].index("Jan")
    entity = markables.entity.tolist()
    assert [entity[i] == entity[jan] for i in zeros] == [True, True, False]
    # Two of three detected zeros are the two gold ones, wherever they stand.
    found = corefine.score(polish, corpus, "mentions", zeros="dependent")["mentions"]
    without = corefine.score(polish, corpus, "mentions", zeros="drop")["mentions"]
    assert (found.recall, without.recall) == (1, 1)
    assert found.precision == pytest.approx(4 / 5)
    assert without.precision == 1
    # Without zeros, empty nodes are neither mentions nor tokens.
    assert len(markables_of(polish, "detected")) == len(markables) - 3


def test_documents_without_syntax_have_no_zeros_to_detect() -> None:
    with refused("usage"):
        markables_of(marked("[1 Anna/NNP ] slept/VBD"), DETECT_ZEROS)


@pytest.mark.slow
def test_settings_are_scores_of_the_responses(polish: Corpus) -> None:
    """Gold and detected, with and without zeros: each cell is that of ``score``."""
    documents = []
    for number in range(4):
        (document,) = polish
        document.name = f"d{number}"
        documents.append(document)
    corpus = Corpus.from_documents(documents, "conllu")
    presets = ("ruler", "ruler-4")
    call: dict[str, Any] = {"folds": 2, "metrics": "parent,blanc", "jobs": 1}
    result = cross_validate(corpus, presets, markables=DETECT_ZEROS, settings=True, **call)
    assert result.settings is not None
    assert list(result.table_functions()) == ["scores", "pairs", "settings"]
    gold = cross_validate(corpus, presets, **call)
    for preset in presets:
        for source, run in (("gold", gold), ("detected", result)):
            settings: dict[str, Any] = {"NonZero": "drop", "All": "dependent"}
            for title, zeros in settings.items():
                scores = corefine.score(corpus, run.responses[preset], "parent,blanc", zeros=zeros)
                cell = result.settings[preset, source, title]
                assert cell.by_name == scores.by_name
    assert len(settings_grid(result).rows) == 8
    assert len({row[2:] for row in settings_grid(result).rows[:4]}) > 1


def test_a_balanced_recipe_learns_from_as_many_pairs_of_each_class() -> None:
    model = train(stories(1, 2, sentences=20), "ikar")
    for learned in model.resolver.learned.values():  # type: ignore[attr-defined]
        # Whole repetitions: between a third and a half where coreferent pairs were fewer.
        assert learned.classifier.tree_.value[0, 0, 1] >= 1 / 3
