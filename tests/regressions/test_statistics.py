"""Replays of findings about statistics and about sentences of the documentation."""

from __future__ import annotations

import random
import re
from typing import Any

import numpy as np
import pytest

import corefine
from corefine.comparing.plan import Plan
from corefine.comparing.power import COVERAGE, warnings_on_reach
from corefine.comparing.randomization import randomization_test
from corefine.comparing.runs import Runs
from corefine.errors import Caution
from tests.building.panels import panel_of_values
from tests.conftest import ROOT

FAST: dict[str, Any] = {"trials": 99, "replicates": 99}


def documents(count, entities):
    return {f"d{number}": entities for number in range(count)}


def page(name):
    return (ROOT / "docs" / f"{name}.md").read_text("utf-8")


@pytest.mark.parametrize("trials", [3000, 19, 11])
def test_pooled_p_is_never_below_its_exact_minimum(trials):
    """Three documents: 2 of 20 assignments are the most extreme."""
    panel = panel_of_values([0.9, 0.8, 0.85], [0.1, 0.2, 0.15])
    for seed in range(20):
        found = randomization_test(panel, scheme="pooled", trials=trials, seed=seed)
        assert found.p_values[0, 0] >= 0.1
    assert randomization_test(panel, scheme="pooled", trials=3000).p_values[0, 0] == 0.1


def test_a_pooled_test_that_cannot_be_significant_says_so():
    (warning,) = warnings_on_reach(3, 1, Plan(scheme="pooled", trials=3000))
    assert warning.code == "too-few-documents"
    assert "the smallest possible p is 0.1" in warning
    assert not warnings_on_reach(4, 1, Plan(scheme="pooled", trials=3000))


def test_the_verdict_is_about_the_tested_metric():
    key = documents(6, [[1, 2, 3], [4, 5]])
    systems = {"a": documents(6, [[1, 2], [4, 5]]), "b": documents(6, [[1, 2, 3, 4, 5]])}
    found = corefine.compare(key, systems, preset="mcores", replicates=99)
    assert found.headline == "mcores"
    assert "not tested" not in found.verdict
    assert found.tables("difference")[0].rows[0][0] == "mcores"


def test_the_verdict_says_what_the_metric_cannot():
    """An interval from −0.00, and equal scores of a metric that counts nothing."""
    key = documents(2, [["x", "y"]])
    systems = {"a": documents(2, []), "b": {**key, "d1": []}}
    assert "(95% CI 0.00 to 100.00)" in corefine.compare(key, systems, **FAST).verdict
    verdict = corefine.compare(key, systems, "zero", **FAST).verdict
    assert verdict == "Anaphors has nothing to count in this corpus."


def runs_of(generator, quality, runs, spread):
    """Runs of two systems on 30 documents, with noise by document and by run."""
    values = generator.normal(0, 0.1, 30) + generator.normal(0, 0.05, (2, runs, 30))
    values += np.array(quality)[:, np.newaxis, np.newaxis]
    values += generator.normal(0, spread, (2, runs, 1))
    members = (np.arange(runs), np.arange(runs, 2 * runs))
    return Runs(("a", "b"), panel_of_values(*values.reshape(2 * runs, 30)), members, {})


@pytest.mark.parametrize("count", [3, 5])
@pytest.mark.parametrize("spread", [0.0, 0.005])
def test_several_runs_are_not_too_conservative(count, spread):
    """Equal systems: differences are found in 2% to 9%, and 90% to 98% of intervals hold 0."""
    generator = np.random.default_rng(17)
    wrong, covered, corpora = 0, 0, 200
    for seed in range(corpora):
        runs = runs_of(generator, (0.5, 0.5), count, spread)
        pairs = runs.mean_panel.pairs()
        wrong += int(runs.test(pairs, Plan(trials=199, seed=seed)).p_values[0, 0] <= 0.05)
        low, high = runs.bootstrap(pairs, Plan(replicates=199, seed=seed)).differences[0, 0]
        covered += int(low <= 0 <= high)
    assert 0.02 <= wrong / corpora <= 0.09
    assert 0.90 <= covered / corpora <= 0.98


def test_a_system_with_one_run_is_taken_to_vary_like_the_other():
    """Equal systems: the variance between runs of the first was 0, and 19% were significant."""
    generator = np.random.default_rng(18)
    wrong = 0
    for seed in range(200):
        runs = runs_of(generator, (0.5, 0.5), 5, 0.02)
        one = Runs(runs.systems, runs.panel, (np.arange(1), np.arange(5, 10)), {})
        pairs = one.mean_panel.pairs()
        wrong += int(one.test(pairs, Plan(trials=199, seed=seed)).p_values[0, 0] <= 0.05)
    assert wrong / 200 <= 0.10


def test_a_second_run_that_is_alike_does_not_hide_a_difference():
    found = []
    for seed in range(20):
        runs = runs_of(np.random.default_rng(seed), (0.55, 0.5), 2, 0.0)
        found.append(runs.test(runs.mean_panel.pairs(), Plan(trials=999)).p_values[0, 0])
    assert np.mean(np.array(found) <= 0.05) >= 0.8


def test_intervals_of_pairs_are_said_to_be_too_narrow():
    key, response = documents(12, [[1, 2, 3], [4]]), documents(12, [[1, 2], [3, 4]])
    codes = {
        metric: [
            one.code
            for one in corefine.compare(key, {"a": key, "b": response}, metric, **FAST).warnings
            if isinstance(one, Caution)
        ]
        for metric in ("blanc", "pairs", "lea")
    }
    assert "intervals-of-pairs" in codes["blanc"]
    assert "intervals-of-pairs" in codes["pairs"]
    assert "intervals-of-pairs" not in codes["lea"]


def test_small_data_sets_are_said_to_give_too_many_differences():
    keys = {name: documents(5, [[1, 2, 3], [4, 5]]) for name in "xyz"}
    systems = {"a": keys, "b": {name: documents(5, [[1, 2]]) for name in keys}}
    found = corefine.compare_suite(keys, systems, metrics="lea", **FAST)
    assert any("type I error" in warning for warning in found.warnings)


def test_the_coverage_of_the_warning_is_that_of_the_page():
    """Scores and difference by documents, in the table of coverage."""
    scores, difference = (
        re.search(rf"^\| {name} \|(.*)\|$", page("comparing"), re.MULTILINE)
        for name in ("scores", "difference")
    )
    assert scores
    assert difference
    table = page("comparing").split("| scores |")[0].rsplit("| documents |", 1)[1].split("\n")[0]
    sizes = [int(cell) for cell in table.strip(" |").split("|")]
    rows = [[float(cell) for cell in one[1].split("|")] for one in (scores, difference)]
    for documents_, *printed in zip(sizes, *rows, strict=True):
        if documents_ in COVERAGE:
            low, high = sorted(printed)
            assert low <= COVERAGE[documents_] <= high


def test_sentences_that_were_wrong_are_gone():
    assert "(`compare` warns)" not in page("resolving")
    assert "English and Polish" not in page("resolving")
    assert "means gold mentions" not in page("how-to/gold-or-predicted-mentions")


def test_a_perfect_detector_has_a_mention_f1_of_100_without_gold_mentions():
    """Mention F1 tells that the spans are the key's, not where they came from."""
    key = documents(1, [[1, 2, 3], [4]])
    assert corefine.score(key, documents(1, [[1, 4], [2], [3]]), "mentions")["mentions"].f1 == 1


def test_guessing_knows_the_languages_of_the_page():
    from corefine.kinds.guess import languages

    named = re.search(r"can\s+be\s+guessed\s+for\s+([\w,\s]+?)\.", page("resolving"))
    assert named
    assert set(re.split(r",\s|\sand\s", named[1])) == {one.name for one in languages()}


@pytest.mark.parametrize(("metrics", "least", "most"), [("conll,lea", 140, 230), ("all", 400, 600)])
def test_size_of_stored_results(tmp_path, metrics, least, most):
    """docs/gate.md: kB for 1,000 documents."""
    assert f"{least} to {most} kB" in page("gate")
    generator = random.Random(5)

    def partition(size):
        entities: dict[int, list[int]] = {}
        for mention in range(size):
            entities.setdefault(generator.randint(0, size // 3), []).append(mention)
        return list(entities.values())

    sides = [{f"document-{n}": partition(20 + n % 40) for n in range(1000)} for _ in range(2)]
    path = tmp_path / "saved.json"
    corefine.score(sides[0], sides[1], metrics).save(path)
    assert least <= path.stat().st_size / 1000 <= most


def test_unknown_kinds_are_no_warning_where_no_metric_uses_them():
    mentions = [corefine.Mention("1", [(number, number + 1)], type="person") for number in range(3)]
    corpus = corefine.Corpus.from_documents([corefine.Document("d", ["a", "b", "c"], mentions)])
    found = corefine.score(corpus, corpus, "lea", by="type", kinds="format")
    assert not any("kind" in warning for warning in found.warnings)
    assert any("kind" in warning for warning in corefine.score(corpus, corpus, "lb3").warnings)


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.parametrize("seed", [1, 3])
def test_the_difference_of_two_presets_depends_on_the_split(data, seed):
    """docs/resolving.md: ng-cardie minus soon-tuned on LitBank, extremes of five seeds."""
    pytest.importorskip("sklearn")
    from corefine.resolving import cross_validate

    row = r"`ng-cardie` − `soon-tuned` \| \+\d\.\d\d \[\+(\d\.\d\d), \+(\d\.\d\d)\]"
    stated = re.search(row, page("resolving"))
    assert stated
    kinds = f"{data / 'litbank' / 'types.tsv'},auto,guess"
    key = data / "litbank" / "key.conll"
    found = cross_validate(key, ["soon-tuned", "ng-cardie"], kinds=kinds, folds=2, seed=seed)
    soon, other = (found.scores[name]["conll"].f1 for name in ("soon-tuned", "ng-cardie"))
    assert 100 * (other - soon) == pytest.approx(float(stated[2 if seed == 1 else 1]), abs=0.006)
