"""Several runs of a system, and systems that were scored already."""

from __future__ import annotations

import re
from functools import cache
from statistics import mean, stdev
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t, ttest_ind

import corefine
from corefine.cli import main
from corefine.comparing import randomization
from corefine.comparing.plan import Plan
from corefine.comparing.runs import Runs
from tests.building.panels import panel_of_values, simulated_runs
from tests.building.partitions import conll, entity_lists
from tests.building.refusals import refused
from tests.comparing.test_simulation import CORPORA, slack
from tests.comparing.test_systems import many_documents

KEY, SYSTEMS = many_documents()
FAST: dict[str, Any] = {"trials": 200, "replicates": 200}


def scored(*names):
    return [corefine.score(KEY, SYSTEMS[name], "lea,conll") for name in names]


def test_mean_and_deviation_of_the_runs():
    runs = {"a": scored("good", "middling"), "b": scored("poor", "poor", "middling")}
    found = corefine.compare(runs, **FAST)
    for name, of in runs.items():
        f1 = [one["lea"].f1 for one in of]
        assert found.standing(name, "lea").score.f1 == pytest.approx(mean(f1))
        (row,) = [r for r in found.tables("runs")[0].rows if r[:2] == ("lea", name)]
        assert list(row[2:5]) == [len(f1), pytest.approx(mean(f1)), pytest.approx(stdev(f1))]
    assert found.signature.endswith("|runs:2+3")
    assert any("Only two runs of a" in warning for warning in found.warnings)
    assert any("Few runs (3)" in warning for warning in found.warnings)
    assert found.standing("a", "lea").interval is None
    assert found.standing("b", "lea").interval is not None
    assert found.difference("a", "b", "lea").interval is None


def test_p_is_never_below_the_smallest_possible_one():
    """Five documents, all won by the better system in all runs: 2/32, as without runs."""
    key = {f"d{number}": [[1, 2, 3], [4, 5, 6]] for number in range(5)}
    good = [key, {name: [[1, 2, 3], [4, 5]] for name in key}, key]
    poor = [{name: [[1, 4], [2, 5]] for name in key}, {name: [[1, 5]] for name in key}]
    runs = {
        name: [corefine.score(key, one, "lea") for one in of]
        for name, of in (("good", good), ("poor", poor))
    }
    for seed in range(20):
        found = corefine.compare(runs, seed=seed, replicates=50, trials=500)
        p = found.difference("good", "poor", "lea").p
        assert p is not None
        assert p >= 2 / 32
        assert not found.difference("good", "poor", "lea").significant


@given(st.integers(0, 10**6), st.integers(2, 7), st.integers(2, 4))
def test_p_and_intervals_of_runs_stay_in_their_range(seed, documents, count):
    generator = np.random.default_rng(seed)
    runs = simulated_runs(generator, (1.5, -1.5), documents, count, 1.0)
    pairs = runs.mean_panel.pairs()
    p = runs.test(pairs, Plan(trials=150, seed=seed % 7)).p_values[0, 0]
    assert p >= max(2 / 2**documents, 1 / 151)
    drawn = runs.bootstrap(pairs, Plan(replicates=60))
    assert np.isnan(drawn.scores).all() == (count == 2)
    if count > 2:
        assert (np.abs(drawn.differences) <= 1).all()
        assert ((drawn.scores >= 0) & (drawn.scores <= 1)).all()


def test_equal_runs_are_one_run():
    """Where runs do not differ, only documents are left: the interval is that of one run."""
    once = corefine.compare({"a": scored("good"), "b": scored("middling")}, **FAST)
    thrice = corefine.compare({"a": scored("good") * 3, "b": scored("middling") * 3}, **FAST)
    one, three = (found.standing("a", "lea").interval for found in (once, thrice))
    assert three == pytest.approx(one, abs=1e-12)
    p = [found.difference("a", "b", "lea").p for found in (once, thrice)]
    assert p[0] == p[1]


def test_a_paper_shows_the_deviation_of_the_runs():
    runs = [*scored("good"), *scored("middling"), *scored("poor")]
    found = corefine.compare({"a": runs, "b": scored("same")}, **FAST)
    f1 = [100 * one["lea"].f1 for one in runs]
    assert f"{mean(f1):.2f} ± {stdev(f1):.2f}" in found.to_markdown("paper")
    assert found.difference("a", "b", "lea").interval is not None  # one run is not few runs


@pytest.mark.slow
def test_files_and_stored_results_give_the_same(tmp_path, capsys):
    key = conll(tmp_path / "key.conll", KEY)
    for name, letter in (("good", "a-1"), ("middling", "a-2"), ("poor", "b-1"), ("same", "b-2")):
        response = conll(tmp_path / f"{letter}.conll", SYSTEMS[name])
        corefine.score(key, response, "lea").save(tmp_path / f"{letter}.json")
    shown = []
    for first in ([key], []):
        ending = "conll" if first else "json"
        sides = [*first, f"a={tmp_path}/a-*.{ending}", f"b={tmp_path}/b-*.{ending}"]
        assert main(["compare", *sides, "-m", "lea", "--trials", "99", "--replicates", "99"]) == 0
        shown.append(capsys.readouterr().out)
    assert shown[0] == shown[1]
    assert re.match(r"a scores \S+ LEA points higher than b", shown[0])
    for sides in (
        [f"{tmp_path}/a-1.json", f"{tmp_path}/b-1.conll"],
        [key, f"{tmp_path}/a-1.json", f"{tmp_path}/b-1.conll"],
        [f"{tmp_path}/a-1.json", f"{tmp_path}/b-1.json", "--match", "head"],
        [key, "a=nosuch-*.conll", f"{tmp_path}/b-1.conll"],
    ):
        assert main(["compare", *sides]) == 2


@pytest.mark.slow
@given(st.lists(st.tuples(*[entity_lists(6)] * 3), min_size=1, max_size=6))
def test_stored_results_compare_as_responses_do_to_the_last_bit(tmp_path_factory, documents):
    folder = tmp_path_factory.getbasetemp()
    key, *systems = ({f"d{n}": one[side] for n, one in enumerate(documents)} for side in range(3))
    ways: dict[str, Any] = {"by": "size", "singletons": "drop"}
    stored = []
    for name, system in zip("ab", systems, strict=True):
        stored.append(folder / f"{name}.json.gz")
        corefine.score(key, system, **ways).save(stored[-1])
    few: dict[str, Any] = {"trials": 30, "replicates": 20}
    first = corefine.compare(key, dict(zip("ab", systems, strict=True)), **few, **ways)
    second = corefine.compare(*stored, **few)
    assert repr(second.to_dict(documents=True)) == repr(first.to_dict(documents=True))
    assert second.to_text() == first.to_text()


def test_scores_against_other_keys_or_settings_are_refused():
    first = corefine.score(KEY, SYSTEMS["good"])
    with refused("different-keys"):
        corefine.compare(first, corefine.score(SYSTEMS["good"], SYSTEMS["poor"]))
    with refused("different-settings"):
        corefine.compare(first, corefine.score(KEY, SYSTEMS["poor"], singletons="drop"))


@cache
def true_means(spread):
    """The mean F1 of two systems over very many documents and runs."""
    generator = np.random.default_rng(7)
    large = [simulated_runs(generator, (0.6, 0.5), 10_000, 20, spread) for _ in range(10)]
    return np.mean([one.means[:, 0, 2] for one in large], axis=0)


@pytest.mark.slow
@pytest.mark.parametrize("runs", [3, 10])
def test_coverage_and_type_1_error(runs):
    """95% intervals hold the true means, and their difference, in 92% of corpora or more; the test
    errs in at most 5%."""
    spread, documents, corpora = 0.05, 100, CORPORA
    true = true_means(spread)
    generator = np.random.default_rng(5)
    held, wrong = np.zeros(3), 0
    true = np.append(true, true[0] - true[1])
    for seed in range(corpora):
        different = simulated_runs(generator, (0.6, 0.5), documents, runs, spread)
        pairs = different.mean_panel.pairs()
        resampled = different.bootstrap(pairs, Plan(replicates=499, seed=seed))
        bounds = [*resampled.scores[:, 0, 2], resampled.differences[0, 0]]
        low, high = np.array(bounds).T
        held += (low <= true) & (true <= high)
        same = simulated_runs(generator, (0.5, 0.5), documents, runs, spread)
        wrong += int(same.test(pairs, Plan(trials=299, seed=seed)).p_values[0, 0] <= 0.05)
    print(f"{runs} runs: coverage {held / corpora}, type I error {wrong / corpora}")
    assert (held / corpora >= 0.92 - slack(0.92)).all(), held / corpora
    assert wrong / corpora <= 0.05 + slack(0.05), wrong / corpora


def test_parts_of_runs_are_means():
    """By size: the mean over the runs."""
    runs = {
        name: [corefine.score(KEY, SYSTEMS[one], "lea", by="size") for one in of]
        for name, of in {"a": ("good", "middling", "same"), "b": ("poor", "poor", "poor")}.items()
    }
    found = corefine.compare(runs, **FAST)
    parts = {(one.group, one.system): one for one in found.parts}
    for (group, system), part in parts.items():
        known = [one.breakdown["size"].get(group, {}).get("lea") for one in runs[system]]
        # A run without a singleton has found none.
        for name in ("precision", "recall", "f1"):
            values = [getattr(one, name) if one else 0.0 for one in known]
            assert getattr(part.score, name) == pytest.approx(mean(values))
        assert part.interval is None
        assert known[0] is None or part.score.signature == known[0].signature


def test_parts_of_single_runs_have_the_intervals_of_scores():
    single = {name: corefine.score(KEY, SYSTEMS[name], "lea", by="size") for name in SYSTEMS}
    for part in corefine.compare(single, **FAST).parts:
        ends = single[part.system].part_intervals(replicates=FAST["replicates"])["size"]
        assert part.interval == ends.get(part.group, {}).get("lea")


def test_the_piece_does_not_matter(monkeypatch):
    runs = simulated_runs(np.random.default_rng(0), (0.6, 0.5), 12, 3)
    pairs, plan = runs.mean_panel.pairs(), Plan(trials=300)
    whole = runs.test(pairs, plan)
    monkeypatch.setattr(randomization, "PIECE", 7)
    assert np.array_equal(runs.test(pairs, plan).extreme, whole.extreme)


def test_stored_results_that_were_divided_in_different_ways():
    """What both were divided by is shown, and nothing else."""
    first = corefine.score(KEY, SYSTEMS["good"], "lea", by=["kind", "size(3)"])
    second = corefine.score(KEY, SYSTEMS["poor"], "lea", by="size(3)")
    found = corefine.compare(first, second, **FAST)
    assert {one.by for one in found.parts} == {"size(3)"}
    assert "by-size" in found.table_names
    assert not corefine.compare(first, corefine.score(KEY, SYSTEMS["poor"], "lea"), **FAST).parts


@pytest.mark.parametrize("count", [2, 3])
def test_where_documents_do_not_vary_runs_are_compared_by_students_t(count):
    """P is that of the t test, and intervals of means have its width."""
    generator = np.random.default_rng(count)
    values = np.array([0.53, 0.5])[:, np.newaxis] + generator.normal(0, 0.01, (2, count))
    panel = panel_of_values(*np.repeat(values.reshape(-1, 1), 300, axis=1))
    members = (np.arange(count), np.arange(count, 2 * count))
    found = Runs(("a", "b"), panel, members, {})
    result = found.bootstrap(found.mean_panel.pairs(), Plan(replicates=9999))
    assert result.p_values[0, 0] == pytest.approx(ttest_ind(*values).pvalue, abs=0.01)
    if count > 2:
        low, high = result.scores[0, 0, 2]
        half = t.ppf(0.975, count - 1) * stdev(values[0]) / count**0.5
        assert (high - low) / 2 == pytest.approx(half, rel=0.06)
        assert (high + low) / 2 == pytest.approx(mean(values[0]), abs=half / 10)
