"""Comparing systems in one call: from corpora to differences, p-values, ranks and warnings."""

from __future__ import annotations

import json
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import corefine
from corefine.comparing.ranking import tau_matrix
from corefine.comparing.systems import compare_scores
from corefine.errors import UsageError, code_of
from tests.building.partitions import entity_lists
from tests.building.refusals import refused
from tests.conftest import ROOT

KEY = {
    "a": [[1, 2, 3], [4, 5]],
    "b": [[1, 2], [3, 4], [5]],
    "c": [[1, 2, 3, 4]],
    "d": [[1, 2], [3, 4, 5]],
}
CAREFUL = {"a": [[1, 2], [4, 5]], "b": [[1, 2]], "c": [[1, 2], [3, 4]], "d": [[1, 2], [3, 4]]}
EAGER = {"a": [[1, 2, 3, 4, 5]], "b": [[1, 2, 3, 4]], "c": [[1, 2, 3, 4]], "d": [[1, 2, 3, 4, 5]]}
SYSTEMS = {"careful": CAREFUL, "eager": EAGER, "key": KEY}


def test_a_metric_is_found_by_any_of_its_names():
    comparison = corefine.compare(KEY, SYSTEMS, "conll,blanc(rule=luo2014)")
    assert comparison.metrics == ("conll", "blanc(rule=luo2014)")
    assert comparison.standing("eager", "MELA").metric == "conll"
    assert comparison.standing("eager", "blanc( rule=luo2014 )").metric == "blanc(rule=luo2014)"
    with refused("unknown-value"):
        comparison.standing("eager", "lea")
    with pytest.raises(UsageError, match="Did you mean 'eager'"):
        comparison.standing("eagre", "conll")


def test_the_order_of_a_pair_gives_the_sign():
    comparison = corefine.compare(KEY, SYSTEMS, "lea")
    there, back = (
        comparison.difference(*pair, "lea") for pair in (("key", "eager"), ("eager", "key"))
    )
    assert there.difference == -back.difference > 0
    assert there.p == back.p
    assert there.interval is not None
    assert back.interval == (-there.interval.high, -there.interval.low)
    assert back.turned() == there


def test_a_baseline_leaves_no_letters_and_no_other_pairs():
    comparison = corefine.compare(KEY, SYSTEMS, "muc,lea", baseline="eager")
    assert [(one.first, one.second) for one in comparison.differences[:2]] == [
        ("careful", "eager"),
        ("key", "eager"),
    ]
    assert {one.letters for one in comparison.standings} == {None}
    assert comparison.standing("key", "lea").rank == 1
    with refused("usage"):
        comparison.groups("lea")
    with refused("not-compared"):
        comparison.difference("careful", "key", "lea")
    assert "baseline:eager" in comparison.signature


def many_documents(seed=3, documents=30):
    """A key, and systems of three qualities of which two are equal."""
    generator = np.random.default_rng(seed)
    key: dict[str, list[list[int]]] = {}
    systems: dict[str, dict[str, list[list[int]]]]
    systems = {name: {} for name in ("good", "middling", "same", "poor")}
    for number in range(documents):
        entities = [list(range(5 * e, 5 * e + 5)) for e in range(4)]
        key[f"d{number}"] = entities
        for name, errors in (("good", 1), ("middling", 4), ("poor", 12)):
            found = [list(entity) for entity in entities]
            for mention in generator.choice(20, errors, replace=False).tolist():
                found[mention // 5].remove(mention)
                found[int(generator.integers(4))].append(mention)
            systems[name][f"d{number}"] = [entity for entity in found if entity]
        systems["same"][f"d{number}"] = systems["middling"][f"d{number}"]
    return key, systems


def test_ranks_letters_and_groups():
    key, systems = many_documents()
    comparison = corefine.compare(key, systems, "b3,lea")
    for metric in comparison.metrics:
        standings = [comparison.standing(system, metric) for system in systems]
        assert [one.rank for one in standings] == [1, 2, 2, 4]
        assert [one.letters for one in standings] == ["a", "b", "b", "c"]
        assert comparison.groups(metric) == [["good"], ["middling", "same"], ["poor"]]
    same = comparison.difference("middling", "same", "lea")
    assert (same.difference, same.p, same.effect_size, same.differing_documents) == (0, 1, 0, 0)
    assert any(
        "middling and same are identical on every document" in text for text in comparison.warnings
    )


def test_scores_of_evaluators_can_be_compared():
    """The documents may have come in another order."""
    judges = {name: corefine.Evaluator("lea") for name in ("careful", "eager")}
    for name, response in (("careful", CAREFUL), ("eager", EAGER)):
        order = KEY if name == "careful" else list(reversed(KEY))
        for document in order:
            judges[name].update(KEY[document], response[document], document)
    comparison = compare_scores({name: judge.compute() for name, judge in judges.items()})
    direct = corefine.compare(KEY, {"careful": CAREFUL, "eager": EAGER}, "lea")
    assert comparison.to_dict() == direct.to_dict()


def test_scores_of_other_documents_or_metrics_cannot_be_compared():
    whole = corefine.score(KEY, CAREFUL, "lea")
    part = corefine.score({"a": KEY["a"]}, {"a": EAGER["a"]}, "lea")
    with refused("different-documents"):
        compare_scores({"one": whole, "two": part})
    with refused("different-documents"):
        compare_scores({"one": part, "two": whole})
    with refused("different-metrics"):
        compare_scores({"one": whole, "two": corefine.score(KEY, EAGER, "muc")})


def test_documents_that_a_system_lacks():
    fewer = {name: CAREFUL[name] for name in "abc"}
    with refused("alignment"):
        corefine.compare(KEY, {"fewer": fewer, "eager": EAGER}, "lea")
    comparison = corefine.compare(
        KEY, {"fewer": fewer, "eager": EAGER}, "lea", missing_documents="count"
    )
    assert comparison.documents == tuple("abcd")
    assert comparison.document_scores("lea")[0, 3] == 0
    assert comparison.warnings[0].startswith("fewer: document 'd' missing from the response")


def test_one_document():
    comparison = corefine.compare([[1, 2, 3]], {"a": [[1, 2]], "b": [[1, 2, 3]]}, "lea")
    (found,) = comparison.differences
    assert (found.interval, found.effect_size, found.detectable) == (None,) * 3
    assert found.p == 1
    assert "With one document" in comparison.warnings[-1]
    assert json.loads(json.dumps(comparison.to_dict(), allow_nan=False))


def test_what_metrics_disagree_on():
    comparison = corefine.compare(KEY, SYSTEMS, "default")
    f1 = {
        metric: {name: comparison.standing(name, metric).score.f1 for name in SYSTEMS}
        for metric in comparison.metrics
    }
    expected = {
        (one, other, *pair)
        for one, other in combinations(comparison.metrics, 2)
        for pair in permutations(SYSTEMS, 2)
        if f1[one][pair[0]] > f1[one][pair[1]] and f1[other][pair[0]] < f1[other][pair[1]]
    }
    found = comparison.disagreements
    assert {(one.metric, one.opposing, one.better, one.worse) for one in found} == expected
    assert ("muc", "ceafe", "eager", "careful") in expected
    for one in found:
        assert one.difference == f1[one.metric][one.better] - f1[one.metric][one.worse] > 0
        assert one.opposing_difference < 0
        assert not one.both_significant


def test_the_agreement_of_metrics():
    comparison = corefine.compare(KEY, SYSTEMS, "conll,muc,ceafe")
    assert comparison.system_tau.shape == (3, 3)
    # Three systems, of which muc and ceafe order two the other way: (2 − 1) / 3.
    assert comparison.system_tau[1, 2] == pytest.approx(1 / 3)
    assert comparison.document_tau.shape == (3, 3, 3)
    scores = np.stack([comparison.document_scores(name)[0] for name in comparison.metrics], axis=1)
    assert comparison.document_tau[0] == pytest.approx(tau_matrix(scores), nan_ok=True)
    assert np.isnan(comparison.document_tau[2]).all()  # the key is perfect on every document


def test_few_documents_are_a_warning():
    for metric in ("muc", "blanc"):
        warnings = corefine.compare(KEY, SYSTEMS, metric).warnings
        assert [code_of(one) for one in warnings] == ["too-few-documents", "few-documents"]
        assert "0.125" in warnings[0]
        assert " 86%" in warnings[1]


def test_what_scoring_warns_of_is_said_once():
    twice = {**EAGER, "a": [[1, 2], [2, 3]]}
    key = {**KEY, "c": [[1, 2], [2, 3]]}
    warnings = corefine.compare(key, {"twice": twice, "careful": CAREFUL}, "muc").warnings
    assert sum("document 'c'" in text for text in warnings) == 1
    assert any(text.startswith("twice: response: mention '2' of document 'a'") for text in warnings)


documents = st.integers(1, 6)


@given(st.data(), documents)
def test_what_holds_of_any_comparison(data, count):
    names = [f"d{number}" for number in range(count)]

    def corpus():
        return {name: data.draw(entity_lists(mentions=8)) for name in names}

    key, systems = corpus(), {name: corpus() for name in "xyz"}
    comparison = corefine.compare(key, systems, "b3,lea,conll", trials=70, replicates=30)
    back = corefine.compare(
        key, dict(reversed(systems.items())), "b3,lea,conll", trials=70, replicates=30
    )
    for metric in comparison.metrics:
        for one, other in combinations(systems, 2):
            found, turned = (each.difference(one, other, metric) for each in (comparison, back))
            assert found.difference == pytest.approx(turned.difference, abs=1e-12)
            assert found.p == turned.p
            if found.adjusted_p is None:
                assert not comparison.standing(one, metric).applicable
                continue
            assert found.significant == (found.adjusted_p <= 0.05)
            left, right = (comparison.standing(name, metric) for name in (one, other))
            assert found.difference == pytest.approx(left.score.f1 - right.score.f1, abs=1e-12)
            shared = set(left.letters or "") & set(right.letters or "")
            assert bool(shared) == (not found.significant)
        for name in systems:
            standing = comparison.standing(name, metric)
            assert standing.rank == back.standing(name, metric).rank
            for interval in standing.intervals.values():
                assert -1e-12 <= interval.low <= interval.high <= 1 + 1e-12
    json.dumps(comparison.to_dict(documents=True), allow_nan=False)


def test_the_bootstrap_test_is_refused_for_few_documents():
    with refused("too-few-documents"):
        corefine.compare(KEY, SYSTEMS, "muc", test="bootstrap", trials=10)
    key, systems = many_documents(documents=20)
    found = corefine.compare(key, systems, "muc", test="bootstrap", trials=99)
    assert any("type I error" in one for one in found.warnings)


def test_a_metric_that_does_not_apply_is_not_tested():
    """No zeros in the corpus: no score, no comparison, and no letter."""
    systems = {"careful": CAREFUL, "eager": EAGER}
    alone = corefine.compare(KEY, systems, "lea")
    found = corefine.compare(KEY, systems, "lea,anaphors(kind=zero)", kinds="none")
    assert found.comparisons == alone.comparisons == 1
    assert found.difference("eager", "careful", "lea") == alone.difference(
        "eager", "careful", "lea"
    )
    idle = found.standing("eager", "anaphors(kind=zero)")
    assert (idle.f1, idle.letters, idle.interval) == (None, None, None)
    assert found.difference("eager", "careful", "anaphors(kind=zero)").p is None
    assert " –" in found.to_text("difference")
    assert "anaphors" in next(one for one in found.warnings if "Not applicable" in one)


def test_mcores_tests_the_average_alone():
    """Appendix IV: 3,000 draws from the pooled entries, p = (Nt+1)/(N+1), Bonferroni."""
    key, systems = many_documents()
    found = corefine.compare(key, systems, preset="mcores")
    assert {one.metric for one in found.differences if one.p is not None} == {"mcores"}
    assert found.comparisons == 6
    for one in found.differences:
        if one.p is not None:
            assert one.p * 3001 == pytest.approx(round(one.p * 3001))
            assert one.adjusted_p == pytest.approx(min(1, 6 * one.p))
    assert "test:randomization(pooled,3000)|correction:bonferroni" in found.signature


@pytest.mark.data
@pytest.mark.slow
def test_the_table_of_the_page_is_what_is_computed(data):
    systems = (
        "xrenner-xgb", "xrenner-rules", "arkref-goldsem", "arkref-goldsem-window3", "arkref-nosem",
    )  # fmt: skip
    paths = {name: data / "gum" / f"{name}.conll" for name in systems}
    shown = corefine.compare(data / "gum" / "key.conll", paths).to_markdown("summary")
    written = (ROOT / "docs" / "comparing.md").read_text("utf-8").splitlines()
    _, _, *rows = [line for line in shown.splitlines() if line.startswith("|")]
    assert set(rows) <= set(written)
