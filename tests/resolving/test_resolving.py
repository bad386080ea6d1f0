"""Resolvers from end to end: presets, models in files, cross-validation, pair reports."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import corefine
from corefine.corpus.corpus import Corpus
from corefine.corpus.selection import keep_mentions, select_documents
from corefine.errors import CorefineError
from corefine.resolving import (
    PRESETS,
    PairReport,
    apply,
    cross_validate,
    features,
    load_model,
    rules,
    train,
)
from corefine.resolving.attributes import MarkableAttributes
from corefine.resolving.cross_validation import TypeScore, mean_over_types
from corefine.resolving.features import PairView
from corefine.resolving.markables import markables_of
from corefine.resolving.mention_pairs import (
    MentionPairs,
    candidate_pairs,
    closest_link,
    entities_of,
)
from corefine.resolving.models import HEADER
from corefine.resolving.pair_report import decisions
from corefine.resolving.rules import RULES, headmatch, sieve
from corefine.scoring.fingerprint import fingerprint_of
from corefine.scoring.scores import Score
from tests.building.resolving_corpora import marked, stories
from tests.conftest import CASES

pytest.importorskip("skops", reason="the extra resolve is not installed")
pytestmark = pytest.mark.slow  # resolvers are trained
SOURCES = str(Path(corefine.__file__).parent.parent)
TRAINED = [name for name in PRESETS if name not in RULES]


@pytest.fixture(scope="module")
def corpora() -> tuple[Corpus, Corpus]:
    """Documents to train on and others to apply to."""
    return stories(*range(8)), stories(*range(8, 12))


def header_of(model: Path) -> dict[str, Any]:
    """The header of a model file."""
    with zipfile.ZipFile(model) as archive:
        header: dict[str, Any] = json.loads(archive.read(HEADER))
    return header


def conll(key: Corpus, response: Corpus) -> float:
    return corefine.score(key, response, metrics="conll")["conll"].f1


@pytest.mark.parametrize("preset", TRAINED)
def test_a_trained_preset_is_better_than_head_match(
    preset: str, corpora: tuple[Corpus, Corpus]
) -> None:
    seen, unseen = corpora
    response = apply(train(seen, preset), unseen)
    assert corefine.score(unseen, response, metrics="mentions")["mentions"].f1 == 1
    assert conll(unseen, response) > conll(unseen, apply("headmatch", unseen))


EVERY_PRESET = """
import sys, corefine
from corefine.resolving import apply, train
for preset in sys.argv[1:]:
    train("seen.conll", preset).save(f"{preset}.skops")
    corefine.write(apply(f"{preset}.skops", "seen.conll"), f"{preset}.jsonl", lossy=True)
"""


def test_processes_that_hash_otherwise_make_the_same_models(tmp_path: Path) -> None:
    made = []
    for number in ("1", "2"):
        folder = tmp_path / number
        folder.mkdir()
        corefine.write(stories(*range(2), sentences=15), folder / "seen.conll")
        environment = {**os.environ, "PYTHONPATH": SOURCES, "PYTHONHASHSEED": number}
        call = [sys.executable, "-c", EVERY_PRESET, *TRAINED]
        subprocess.run(call, cwd=folder, env=environment, check=True)
        files = sorted(folder.iterdir())
        made.append([header_of(f) if f.suffix == ".skops" else f.read_bytes() for f in files])
    assert len(made[0]) == 1 + 2 * len(TRAINED)
    assert made[0] == made[1]


def test_a_model_knows_what_it_was_trained_on(
    corpora: tuple[Corpus, Corpus], tmp_path: Path
) -> None:
    seen, unseen = corpora
    path = tmp_path / "model.skops"
    model = train(seen, "soon", seed=5)
    model.save(path)
    loaded = load_model(path)
    assert loaded.preset == "soon"
    assert loaded.training == model.training
    assert loaded.training.fingerprint == str(fingerprint_of(seen)) != str(fingerprint_of(unseen))
    assert (loaded.training.documents, loaded.training.seed) == (8, 5)
    assert [file.name for file in tmp_path.iterdir()] == ["model.skops"]


@pytest.mark.parametrize(
    "parts",
    [
        {"classifier": "logistic"},
        {"classifier": "sklearn.ensemble.RandomForestClassifier", "threshold": "half"},
        {"clustering": "best-link", "threshold": 0.4},
        {"pairs": "ng-cardie", "threshold": "by-kind"},
        {"features": ("text_match", "gender_agreement")},
    ],
)
def test_parts_can_be_replaced_and_kept(
    parts: dict[str, Any], corpora: tuple[Corpus, Corpus], tmp_path: Path
) -> None:
    seen, unseen = corpora
    model = train(seen, "soon-tuned", **parts)
    model.save(tmp_path / "model.skops")
    again = load_model(tmp_path / "model.skops")
    assert apply(again, unseen).to_dict() == apply(model, unseen).to_dict()
    plain = apply(train(seen, "soon-tuned"), unseen)
    assert apply(model, unseen).to_dict() != plain.to_dict()


def test_a_classifier_object_is_not_changed(corpora: tuple[Corpus, Corpus]) -> None:
    from sklearn.naive_bayes import BernoulliNB

    given = BernoulliNB()
    assert apply(train(corpora[0], "soon", classifier=given), corpora[1])
    assert not hasattr(given, "classes_")


def test_singletons_are_dropped_where_the_training_documents_have_none(
    corpora: tuple[Corpus, Corpus],
) -> None:
    seen, unseen = corpora
    sizes = np.bincount(seen.mentions.entity)
    without = keep_mentions(seen, sizes[seen.mentions.entity] > 1)
    model = train(without, "soon")
    for response, fewest in (
        (apply(model, unseen, singletons="keep"), 1),
        (apply(model, unseen), 2),
        (cross_validate(seen, ["soon"], folds=2).responses["soon"], 1),
        (cross_validate(without, ["soon"], folds=2).responses["soon"], 2),
    ):
        assert np.bincount(response.mentions.entity).min() == fewest
        assert len(response.entities) == response.mentions.entity.max() + 1


TALE = """
[1 Clara/NNP Berg/NNP ] ,/, [1 a/DT painter/NN ] ,/, saw/VBD [2 the/DT old/JJ boat/NN ] ./.
[1 Mrs./NNP Berg/NNP ] bought/VBD [2 the/DT boat/NN ] ./.
[1 She/PRP ] sold/VBD [3 a/DT boat/NN ] to/IN [4 David/NNP ] ./.
[4 He/PRP ] thanked/VBD [1 her/PRP ] ./.
"""


def test_rules_on_a_text_by_hand() -> None:
    corpus = marked(TALE)
    assert conll(corpus, apply("sieve", corpus)) == 1
    attributes = MarkableAttributes(markables_of(corpus))
    entity = headmatch(attributes)
    boats = [i for i in range(len(attributes)) if "boat" in attributes.markables.corpus.text_of(i)]
    assert len(set(entity[boats].tolist())) == 1
    assert len(set(sieve(attributes)[boats].tolist())) == 2
    assert apply("singletons", corpus).mentions.entity.tolist() == list(range(10))
    assert set(apply("one-entity", corpus).mentions.entity.tolist()) == {0}


def slow_sieve(attributes: MarkableAttributes) -> list[int]:
    """The sieve by its definition: every pass tries all pairs of a document."""
    pairs = MentionPairs.joined(list(candidate_pairs(attributes.markables.document)))
    found = MentionPairs.joined([])
    current = attributes

    def mergeable(pair: PairView) -> Any:
        indefinite = pair.right(attributes.indefinite)
        return ~features.nested(pair) & ~features.any_clash(pair) & ~indefinite

    def construct(pair: PairView) -> Any:
        allowed = features.apposition(pair) | features.predicate_nominal(pair)
        return (allowed & ~features.any_clash(pair)) | features.acronym(pair)

    def strict(pair: PairView) -> Any:
        heads = features.nominal_head_match(pair) & ~features.new_modifier(pair)
        names = features.last_word_match(pair) & ~features.modifier_clash(pair)
        return (heads | names) & mergeable(pair)

    for rule in (
        lambda pair: (
            (pair.same_text & pair.neither_pronoun & mergeable(pair)) | (features.address(pair) > 0)
        ),
        construct,
        strict,
        lambda pair: (
            features.nominal_head_match(pair) & ~features.modifier_clash(pair) & mergeable(pair)
        ),
    ):
        allowed = np.asarray(rule(PairView(current, pairs)), bool)
        found = MentionPairs.joined([found, closest_link(pairs.where(allowed))])
        current = rules._of_entities(attributes, entities_of(len(attributes), found))
    found = MentionPairs.joined([found, rules._pronouns(current)])
    return entities_of(len(attributes), found).tolist()


def test_the_sieve_equals_a_search_of_all_pairs() -> None:
    for corpus in (stories(*range(8)), marked(TALE)):
        attributes = MarkableAttributes(markables_of(corpus))
        assert sieve(attributes).tolist() == slow_sieve(attributes)


def test_the_sieve_tries_few_pairs_of_a_long_document(monkeypatch: pytest.MonkeyPatch) -> None:
    """4,000 mentions in one document have 8 million pairs."""
    names = " ".join(f"[{n} Person{n % 1000}/NNP ] saw/VBD [p he/PRP ] ./.\n" for n in range(2_000))
    attributes = MarkableAttributes(markables_of(marked(names)))
    tried = 0

    class Counting(PairView):
        def __init__(self, attributes: MarkableAttributes, pairs: MentionPairs) -> None:
            nonlocal tried
            tried += len(pairs)
            super().__init__(attributes, pairs)

    monkeypatch.setattr(rules, "PairView", Counting)
    entity = sieve(attributes)
    assert len(set(entity[::2].tolist())) == 1000
    assert tried < 20 * len(attributes)


def test_cross_validation_resolves_each_document_with_a_model_of_the_others(
    corpora: tuple[Corpus, Corpus],
) -> None:
    seen, _ = corpora
    count = len(seen.documents)
    result = cross_validate(seen, ["soon", "headmatch"], folds=count, seed=1)
    for name, response in result.responses.items():
        assert response.documents == seen.documents
        assert conll(seen, response) == result.scores[name]["conll"].f1
    assert result.responses["headmatch"].to_dict() == apply("headmatch", seen).to_dict()
    for number in (0, 3):
        rest = select_documents(seen, [i for i in range(count) if i != number])
        alone = apply(train(rest, "soon", seed=1), select_documents(seen, [number]))
        name = seen.documents[number]
        assert result.responses["soon"].to_dict()[name] == alone.to_dict()[name]


def test_runs_by_type_are_runs_on_the_markables_of_the_type(
    corpora: tuple[Corpus, Corpus],
) -> None:
    seen, _ = corpora
    names = ("person", "object")
    column = np.array([text.islower() for text in map(seen.text_of, range(len(seen.mentions)))])
    typed = replace(
        seen, types=names, mentions=replace(seen.mentions, type=column.astype(np.int64))
    )
    result = cross_validate(typed, ["soon", "headmatch"], folds=3, per_type=True, metrics="b3")
    assert result.types is not None
    assert result.default_tables == ("scores", "types")
    for number, name in enumerate(names):
        part = keep_mentions(typed, column == number)
        alone = cross_validate(part, ["soon", "headmatch"], folds=3, metrics="b3")
        for preset in ("soon", "headmatch"):
            rows = {
                row.runs: row
                for row in result.types.scores
                if (row.preset, row.type) == (preset, name)
            }
            assert rows["by type"].f1["b3"] == alone.scores[preset]["b3"].f1
            assert rows["by type"].pairs == alone.pairs[preset].score("all")
            assert rows["together"].pairs == result.pairs[preset].score(f"type:{name}")
            response = result.responses[preset]
            assert response.mentions.type is not None
            cut = keep_mentions(response, response.mentions.type == number)
            assert rows["together"].f1["b3"] == corefine.score(part, cut, "b3")["b3"].f1
    assert "types" not in alone.table_names


def test_the_mean_over_types_is_that_of_the_paper() -> None:
    """MCORES' Table 6, runs by type: "across all" is the mean of four types, of F too."""
    printed = {
        "persons": (0.902, 0.894, 0.898),
        "problems": (0.703, 0.866, 0.776),
        "treatments": (0.754, 0.911, 0.825),
        "tests": (0.754, 0.849, 0.799),
    }
    scores = [
        TypeScore("mcores", "by type", name, Score(f1, precision, recall), {"muc": f1})
        for name, (precision, recall, f1) in printed.items()
    ]
    mean = mean_over_types(scores)
    assert mean.pairs.precision == pytest.approx(3.113 / 4)
    assert mean.pairs.recall == pytest.approx(3.52 / 4)
    assert mean.pairs.f1 == mean.f1["muc"] == pytest.approx(3.298 / 4)


def test_types_bind_pairs_only_where_a_recipe_keeps_to_them(
    corpora: tuple[Corpus, Corpus],
) -> None:
    seen, _ = corpora
    column = np.arange(len(seen.mentions)) % 2
    typed = replace(seen, types=("a", "b"), mentions=replace(seen.mentions, type=column))
    parts: dict[str, Any] = {
        "pairs": "resolve",
        "clustering": "aggressive-merge",
        "threshold": 0.01,
    }
    for within in (False, True):
        model = train(typed, "soon", within_types=within, **parts)
        response = apply(model, typed)
        assert response.mentions.type is not None
        order = np.lexsort((response.mentions.start, response.mentions.entity))
        entity, type_ = response.mentions.entity[order], response.mentions.type[order]
        mixed = (entity[1:] == entity[:-1]) & (type_[1:] != type_[:-1])
        assert mixed.any() == (not within)


@pytest.mark.parametrize("metrics", ["conll,lea", "lea,parent"])
def test_cross_validated_scores_have_the_signature_of_score(
    metrics: str, corpora: tuple[Corpus, Corpus]
) -> None:
    seen, _ = corpora
    result = cross_validate(seen, ["headmatch"], folds=2, metrics=metrics)
    again = corefine.score(seen, result.responses["headmatch"], metrics, kinds="auto,guess")
    assert str(result.scores["headmatch"].signature) == str(again.signature)
    assert result.scores["headmatch"].to_dict() == again.to_dict()


def test_classification_of_pairs_is_broken_down_as_in_the_case() -> None:
    case = json.loads((CASES / "pairs_significance_clustering.json").read_text("utf-8"))[
        "pair_breakdown"
    ]
    entity = {name: str(n) for n, names in enumerate(case["key"]) for name in names}
    text = " ; ".join(f"[{entity[name]} {' '.join(case['tokens'][name])} ]" for name in entity)
    corpus = marked(text)
    types = tuple(sorted(set(case["types"].values())))
    column = np.array([types.index(case["types"][name]) for name in entity])
    typed = replace(corpus, types=types, mentions=replace(corpus.mentions, type=column))
    attributes = MarkableAttributes(markables_of(typed))
    response = {name: n for n, names in enumerate(case["response"]) for name in names}
    found = np.array([response[name] for name in entity])
    pairs = MentionPairs.joined(list(candidate_pairs(np.zeros(len(found), np.int64))))
    decided = found[pairs.antecedent] == found[pairs.anaphor]
    report = PairReport.of(attributes, [(pairs, decided)])
    assert set(report.groups()) == set(case["expected"])
    for group, classes in case["expected"].items():
        for name, said in (("coreferent", "coref"), ("non-coreferent", "noncoref")):
            score = report.score(group, name)
            assert [score.precision, score.recall, score.f1] == pytest.approx(classes[said])


def test_pair_reports_of_parts_add_up(corpora: tuple[Corpus, Corpus]) -> None:
    seen, unseen = corpora
    model = train(seen, "soon")
    whole = MarkableAttributes(markables_of(unseen))
    total = PairReport.of(whole, decisions(model.resolver, whole))
    parts = PairReport()
    for number in range(len(unseen.documents)):
        part = MarkableAttributes(markables_of(select_documents(unseen, [number])))
        parts += PairReport.of(part, decisions(model.resolver, part))
    assert parts == total
    assert total.score("all").f1 > 0.3
    sizes = [total.size(group) for group in total.groups() if group.startswith("overlap:")]
    assert sum(sizes) == total.size("all")


@pytest.mark.data
def test_presets_are_better_than_head_match_on_novels(data: Path) -> None:
    key = corefine.read(data / "litbank" / "key.conll")
    kinds = data / "litbank" / "types.tsv"
    seen, unseen = (select_documents(key, list(range(part, 14, 2))) for part in (0, 1))
    values = {
        name: conll(unseen, apply(name if name in RULES else train(seen, name, kinds=kinds), unseen,
                                  kinds=kinds))
        for name in ("resolve-tuned", "soon-tuned", "ng-cardie", "bartek", "sieve", "headmatch")
    }  # fmt: skip
    assert min(values, key=values.__getitem__) == "headmatch"
    assert values["ng-cardie"] > values["resolve-tuned"]


@pytest.mark.parametrize(
    "wrong",
    [
        *({"markables": "golden"}, {"kinds": "absent.tsv"}, {"classifier": "oak"}),
        *({"clustering": "farthest"}, {"features": ("no_such",)}, {"threshold": 2}),
        *({"colour": "red"}, {"metrics": "mucc"}, {"folds": 1}),
        *({"presets": []}, {"presets": ["soon", "soon"]}, {"presets": ["sooon"]}),
        {"presets": ["sieve"], "classifier": "tree"},
        {"per_type": True, "markables": "detected"},
    ],
    ids=str,
)
def test_arguments_are_checked_before_anything_is_read(wrong: dict[str, Any]) -> None:
    asked = {"presets": ["headmatch", "soon"], **wrong}
    calls: list[Callable[[], object]] = [lambda: cross_validate("no-such-file.conll", **asked)]
    if not wrong.keys() & {"metrics", "folds", "presets", "per_type"}:
        calls.append(lambda: train("no-such-file.conll", **wrong))
    for call in calls:
        with pytest.raises(CorefineError) as raised:
            call()
        assert "no-such-file" not in str(raised.value)


@pytest.mark.parametrize(
    "call",
    [
        lambda: train(stories(1, 2), "sieve"),
        lambda: train(marked("[1 Anna ] saw [2 Tom ] and [3 a dog ] ."), "resolve"),
        lambda: train(marked("[1 She ] saw [2 a dog ] ; [1 she ] slept ."), "ikar"),
        lambda: cross_validate(stories(1), ["soon"]),
        lambda: cross_validate(stories(1, 2), ["headmatch"], per_type=True),
        lambda: apply("absent.skops", stories(1)),
        lambda: train(stories(1, 2), "soon", threshold="half").save("absent/model.skops"),
    ],
)
def test_what_cannot_be_done_is_refused(call: Callable[[], object]) -> None:
    with pytest.raises(CorefineError):
        call()
