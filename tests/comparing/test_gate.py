"""The gate: when it fails, when it passes, when it refuses, and what it writes."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from dataclasses import replace

import numpy as np
import pytest

import corefine
from corefine.cli import main
from corefine.comparing.gate import Gate
from corefine.comparing.plan import Plan
from corefine.comparing.systems import compare_scores
from corefine.errors import UsageError
from tests.building.partitions import conll
from tests.comparing.test_systems import many_documents

KEY, SYSTEMS = many_documents()
GOOD, MIDDLING, POOR = (SYSTEMS[name] for name in ("good", "middling", "poor"))


@pytest.fixture
def files(tmp_path):
    paths = {name: conll(tmp_path / f"{name}.conll", one) for name, one in SYSTEMS.items()}
    paths["key"] = conll(tmp_path / "key.conll", KEY)
    paths["baseline"] = str(tmp_path / "baseline.json")
    corefine.score(paths["key"], paths["good"]).save(paths["baseline"])
    return paths


@pytest.mark.parametrize(
    ("response", "baseline", "passed", "verdict"),
    [
        (POOR, GOOD, False, "failed: conll F1 fell by "),
        (GOOD, POOR, True, "passed: conll F1 rose by "),
        (GOOD, GOOD, True, "passed: conll F1 is unchanged at "),
    ],
)
def test_verdicts(response, baseline, passed, verdict):
    result = corefine.gate(KEY, response, corefine.score(KEY, baseline), max_drop=0)
    compared = corefine.compare(KEY, {"new": response, "old": baseline}, "conll")
    found = compared.difference("new", "old", "conll")
    assert result.passed is passed
    assert result.drop == pytest.approx(-100 * found.difference)
    assert result.difference.p == found.p
    assert result.verdict.startswith(verdict)
    assert f"{100 * result.f1('response'):.2f}" in result.verdict
    assert response is baseline or f"from {100 * result.f1('baseline'):.2f}" in result.verdict
    assert result.to_dict()["passed"] is passed
    assert result.to_text(*result.table_names)
    for _, old, new, rise in result.tables("documents")[0].rows:
        assert rise == float(new) - float(old)  # type: ignore[arg-type]


def test_a_significant_drop_within_the_bound_passes():
    """The bound itself may be lost; what goes beyond it may not."""
    baseline = corefine.score(KEY, GOOD)
    drop = corefine.gate(KEY, POOR, baseline).drop
    within = corefine.gate(KEY, POOR, baseline, max_drop=drop)
    assert within.difference.significant
    assert within.passed
    assert "within the allowed" in within.verdict
    assert corefine.gate(KEY, POOR, baseline, max_drop=drop - 0.01).failed


def test_a_large_drop_on_few_documents_passes():
    """With three documents no p is below 2/8."""
    few = {name: KEY[name] for name in list(KEY)[:3]}
    empty = {name: [[1, 2]] for name in few}
    result = corefine.gate(few, empty, corefine.score(few, few), max_drop=1)
    assert result.drop > 10
    assert result.difference.p == 2 / 8
    assert result.passed
    assert "but not significant (p = 0.25 > 0.05)" in result.verdict
    assert any("No difference can be significant" in warning for warning in result.warnings)
    # Nothing is caught, and no drop is said to be.
    assert result.detectable is None
    assert result.power(50) is None


def test_the_response_is_scored_as_the_baseline_was(tmp_path):
    baseline = corefine.score(KEY, GOOD, "muc,lea", singletons="drop", twinless="drop")
    baseline.save(tmp_path / "b.json.gz")
    result = corefine.gate(KEY, MIDDLING, tmp_path / "b.json.gz", metric="lea")
    expected = corefine.score(KEY, MIDDLING, "lea", singletons="drop", twinless="drop")["lea"]
    assert result.comparison.scores["response"]["lea"] == expected
    perl = corefine.score(KEY, GOOD, scorer="perl-8.01")
    assert corefine.gate(KEY, GOOD, perl).passed


def moved_mention(key):
    """One mention of one document in another entity, all else equal."""
    name = next(iter(key))
    first, second, *rest = key[name]
    return key | {name: [first[1:], [*second, first[0]], *rest]}


@pytest.mark.parametrize(
    ("key", "version", "options"),
    [
        (moved_mention(KEY), None, {}),
        (KEY, "0.0.1", {}),
        (KEY, None, {"metric": "lea"}),
        (KEY, None, {"metric": "nosuch"}),
        (KEY, None, {"singletons": "drop"}),
        *((KEY, None, {"max_drop": bound}) for bound in (-1, float("nan"), float("inf"))),
        (KEY, None, {"alpha": 2}),
    ],
)
def test_what_is_refused(key, version, options):
    baseline = corefine.score(KEY, GOOD, "conll")
    if version:
        baseline = replace(baseline, version=version)
    with pytest.raises(UsageError):
        corefine.gate(key, GOOD, baseline, **options)


def test_a_true_drop_is_caught_with_the_stated_power():
    result = corefine.gate(KEY, MIDDLING, corefine.score(KEY, GOOD), max_drop=0)
    assert result.detectable is not None
    assert result.power(result.detectable) == pytest.approx(0.8, abs=0.02)
    # Where there is no bound to speak of, it is what a comparison states.
    stated = result.difference.detectable
    assert stated is not None
    assert result.detectable == pytest.approx(100 * stated, rel=1e-12)
    compared = corefine.compare(KEY, {"old": GOOD, "new": MIDDLING}, "conll")
    assert compared.power("new", "old", "conll", 0.02) == pytest.approx(result.power(2))
    # Of three comparisons each is judged more strictly.
    three = corefine.compare(KEY, {"old": GOOD, "new": MIDDLING, "poor": POOR}, "conll")
    powers = [one.power("new", "old", "conll", 0.02) or 0 for one in (three, compared)]
    assert 0 < powers[0] < powers[1]
    runs = {"old": [GOOD, POOR], "new": [MIDDLING, GOOD]}
    scored = {name: [corefine.score(KEY, one, "muc") for one in of] for name, of in runs.items()}
    assert corefine.compare(scored, trials=9, replicates=9).power("new", "old", "muc", 0.1) is None
    bounded = corefine.gate(KEY, MIDDLING, corefine.score(KEY, GOOD), max_drop=50)
    assert bounded.power(50) == pytest.approx(0.5)


def run(capsys, *arguments):
    status = main(["gate", *map(str, arguments)])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_exit_status_and_files(capsys, files, tmp_path):
    summary, junit = tmp_path / "summary.md", tmp_path / "junit.xml"
    arguments = ("--against", files["baseline"], "--summary", summary, "--junit", junit)
    status, out, _ = run(capsys, files["key"], files["poor"], *arguments)
    assert status == 1
    assert out.startswith("failed: conll F1 fell by ")
    verdict = out.splitlines()[0]
    assert summary.read_text().startswith("### corefine gate failed\n")
    assert "| document | baseline | response | difference |" in summary.read_text()
    tree = ElementTree.parse(junit).getroot()
    (failure,) = tree.iter("failure")
    assert failure.get("message") == verdict
    (suite,) = tree.iter("testsuite")
    counts = {"tests": "1", "failures": "1", "errors": "0"}
    assert tree.attrib == counts
    # The schema of Jenkins asks for the number of errors, too.
    assert suite.attrib == {"name": "corefine", "skipped": "0", **counts}
    assert failure.get("type") == "drop"

    status, out, _ = run(capsys, files["key"], files["good"], *arguments)
    assert status == 0
    assert out.startswith("passed: ")
    assert not list(ElementTree.parse(junit).getroot().iter("failure"))


# --- Simulations --------------------------------------------------------------------------------


def simulated_scores(generator, drop, documents=120):
    """A baseline and a response on the same documents, whose true B³ F1 differs by ``drop`` points.

    Documents are of very different size and difficulty, and each system has its luck on each of
    them. Precision and recall have the same expectation, 70% for the baseline.
    """
    size = np.ceil(generator.lognormal(4.5, 0.8, documents))
    hard = generator.normal(0.0, 0.12, documents)
    template = corefine.score({"a": [[1, 2]]}, {"a": [[1, 2]]}, "b3")
    names = tuple(f"d{number}" for number in range(documents))
    found = {}
    for name, share in (("response", 0.7 - drop / 100), ("baseline", 0.7)):
        values = {}
        for side in ("precision", "recall"):
            luck = generator.normal(0.0, 0.06, documents)
            values[f"{side}_part"] = np.clip(share + hard + luck, 0, 1) * size
            values[f"{side}_whole"] = size
        counts = replace(template.counts, documents=names, values={"b3": values})
        found[name] = replace(template, counts=counts)
    return found


def compared(scores, seed):
    return compare_scores(scores, Plan(trials=399, replicates=1, seed=seed, baseline="baseline"))


@pytest.mark.slow
def test_changes_without_effect_fail_in_at_most_5_percent_of_runs():
    """A two-sided test at 5% errs towards a drop in 2.5%; a bound can only lower that."""
    generator = np.random.default_rng(1914)
    runs = 400
    failed = dict.fromkeys((0.0, 0.5), 0)
    for seed in range(runs):
        found = compared(simulated_scores(generator, 0.0, 60), seed)
        for bound in failed:
            failed[bound] += Gate(found, bound).failed
    print(f"without effect, {runs} runs: failed by bound {failed}")
    assert all(number / runs <= 0.05 for number in failed.values()), failed
    assert abs(failed[0.0] / runs - 0.025) <= 3 * binomial_error(0.025, runs)


@pytest.mark.slow
@pytest.mark.parametrize(("documents", "drop"), [(40, 3.43), (120, 2.0)])
def test_drops_are_caught_with_the_stated_power(documents, drop):
    """The mean of the power that gates state is the share of true drops that they catch.

    A comparison states what is ``detectable``, (z_{1−α/2} + z_{.8})·SE: 3.43 points on average with
    40 documents, which are caught in 80%.
    """
    generator = np.random.default_rng(1915)
    runs = 250
    caught, stated = 0, []
    for seed in range(runs):
        result = Gate(compared(simulated_scores(generator, drop, documents), seed), 0.5)
        caught += result.failed
        stated.append(result.power(drop))
        # The bound is small: the gate says what a comparison says.
        assert result.difference.detectable is not None
        assert result.detectable == pytest.approx(100 * result.difference.detectable, abs=1e-9)
    power = float(np.mean(np.array(stated, np.float64)))
    print(f"{documents} documents, {drop} points: caught {caught / runs:.3f}, stated {power:.3f}")
    assert abs(caught / runs - power) <= 0.01 + 3 * binomial_error(power, runs)


def binomial_error(share, runs):
    return (share * (1 - share) / runs) ** 0.5


@pytest.mark.slow
def test_a_baseline_that_was_scored_within_a_memory_limit(tmp_path):
    key, response = conll(tmp_path / "key.conll", KEY), conll(tmp_path / "r.conll", GOOD)
    limit = ["--memory", "64M"]
    saved = [str(tmp_path / f"{name}.json") for name in ("one", "two")]
    for place in saved:
        assert main(["score", key, response, *limit, "--save", place]) == 0
    assert main(["gate", key, response, "--against", saved[0]]) == 0
    assert main(["compare", *saved, "--trials", "50", "--replicates", "50"]) == 0


def test_documents_without_a_mention_fail_if_mentions_are_required(tmp_path, capsys):
    name = next(iter(KEY))
    emptied = {**GOOD, name: []}
    baseline = corefine.score(KEY, GOOD, "muc")
    assert corefine.gate(KEY, GOOD, baseline, metric="muc", require_mentions=True).passed
    assert corefine.gate(KEY, emptied, baseline, metric="muc", max_drop=50).passed
    found = corefine.gate(KEY, emptied, baseline, metric="muc", max_drop=50, require_mentions=True)
    assert found.failed
    assert found.silent_documents == (name,)
    assert repr(name) in found.verdict
    assert found.metric == "muc"
    key, response = conll(tmp_path / "key.conll", KEY), conll(tmp_path / "r.conll", emptied)
    corefine.score(key, response, "muc").save(tmp_path / "base.json")
    options = ["--against", str(tmp_path / "base.json"), "-m", "muc"]
    assert main(["gate", key, response, *options]) == 0
    assert main(["gate", key, response, *options, "--require-mentions"]) == 1
