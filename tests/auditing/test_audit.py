"""Transformations, expectations and the audit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import corefine
from corefine.auditing import TRIALS, audit
from corefine.auditing import transformations as change
from corefine.auditing.audit import changed_table
from corefine.cli import main
from corefine.cli.samples import sample_path
from corefine.corpus.corpus import Corpus
from corefine.scoring.count import tabulate
from corefine.scoring.request import Request
from corefine.scoring.statistics import CorpusStatistics
from tests.building.changed_corpora import corpus_of, transformed
from tests.building.partitions import Entities, corpora, entity_lists
from tests.conftest import DATA, load_cases

CASES = load_cases("mention_effect")
BASES = {case["name"]: case for case in CASES if case["params"]["transform"] == "base"}
EXACT = {
    "more_precise": change.more_precise,
    "less_b_strict": change.less_precise_b,
    "less_b_as_scored": change.less_precise_b_as_scored,
}
PAPER = ("more-precise", "less-precise-a", "less-precise-b")
PAIRS = sorted(DATA.glob("*/expected/*.json")) if DATA.is_dir() else []


def plain(entities: list[list[Any]]) -> list[list[Any]]:
    return sorted(sorted(entity) for entity in entities)


@pytest.mark.parametrize(
    "case",
    [case for case in CASES if case["params"]["transform"] in EXACT],
    ids=lambda case: case["name"],
)
def test_transformations_of_the_lea_paper(case: dict[str, Any]) -> None:
    base = BASES[case["params"]["base"]]
    key, response = Corpus.from_entities(base["key"]), Corpus.from_entities(base["response"])
    result = transformed(key, response, EXACT[case["params"]["transform"]])
    assert plain(result.to_dict()[""]) == plain(case["response"])


@given(key=entity_lists(), response=entity_lists())
def test_wrong_pairs_are_wrong_and_as_many_as_there_can_be(
    key: Entities, response: Entities
) -> None:
    sides = Corpus.from_entities(key), Corpus.from_entities(response)
    result = transformed(*sides, change.less_precise_a)
    found = {mention for entity in response for mention in entity}
    missing = [[mention for mention in entity if mention not in found] for entity in key]
    owner: dict[Any, int] = {m: number for number, entity in enumerate(key) for m in entity}
    entities = result.to_dict()[""]
    added = [entity for entity in entities if not set(entity) & found]
    assert plain([entity for entity in entities if set(entity) & found]) == plain(response)
    assert all(len(pair) == 2 and owner[pair[0]] != owner[pair[1]] for pair in added)
    total, largest = sum(map(len, missing)), max(map(len, missing), default=0)
    assert len(added) == min(total // 2, total - largest)


@pytest.mark.parametrize("trial", TRIALS, ids=lambda trial: trial.name)
@given(sides=corpora(), kinds=st.lists(st.sampled_from(["name", "nominal", "pronoun"]), min_size=8))
def test_recounting_equals_scoring_the_changed_corpus(
    trial: Any, sides: tuple[dict[str, Entities], dict[str, Entities]], kinds: list[str]
) -> None:
    told = {mention: kinds[mention] for mention in range(8)}
    key, response = (Corpus.from_documents(side) for side in sides)
    table = tabulate(key, response, Request.of(kinds=told, shows_kinds=True)).table
    changed = trial.labelling(table)
    recounted = CorpusStatistics.of(changed_table(table, changed), audit_metrics())
    scored = corefine.score(key, corpus_of(table, changed), list(audit_metrics()), kinds=told)
    for metric, columns in recounted.values.items():
        for name, column in columns.items():
            assert scored.statistics.values[metric][name] == pytest.approx(column, abs=1e-9), (
                metric,
                name,
            )


def audit_metrics() -> list[Any]:
    from corefine.metrics import resolve

    return list(resolve("muc,b3,ceafm,ceafe,blanc,lea,mentions,lmuc,parent").values())


def test_violations_are_told_with_their_size() -> None:
    key = [["Anna", "she", "her"], ["Rome", "it"]]
    result = audit(key, [["Anna", "she"], ["her", "Rome"]], metrics="muc,b3,lea")
    texts = [str(violation) for violation in result.violations]
    assert (
        "B³ recall fell by 16.7 points when 2 mentions without a right link were removed" in texts
    )
    assert not any(
        violation.trial in PAPER and violation.metric in ("muc", "lea")
        for violation in result.violations
    )
    json.dumps(result.to_dict(), allow_nan=False)


def test_names_that_lead_astray_are_seen_by_parent() -> None:
    key = [["Romeo", "he", "him"], ["Juliet", "she", "her"]]
    kinds = {"Romeo": "name", "Juliet": "name"}
    result = audit(key, key, metrics="muc,b3,parent", kinds=lambda m: kinds.get(m.text, "pronoun"))
    (swapped,) = [trial for trial in result.trials if trial.trial.name == "swap-names"]
    assert swapped.scores["parent"].f1 == 0
    assert swapped.scores["b3"].f1 == pytest.approx(5 / 9)


@pytest.mark.skipif(not PAIRS, reason=f"there are no real corpora at {DATA}; set COREFINE_DATA")
@pytest.mark.data
@pytest.mark.parametrize("pair", PAIRS, ids=lambda path: f"{path.parts[-3]}-{path.stem}")
def test_recall_of_muc_and_lea_stays_without_singletons(pair: Path) -> None:
    folder = pair.parents[1]
    result = audit(folder / "key.conll", folder / f"{pair.stem}.conll", singletons="drop")
    assert result.note is None
    for trial in result.trials:
        if trial.trial.name in PAPER:
            for metric in ("muc", "lea"):
                before, after = result.scores[metric].recall, trial.scores[metric].recall
                assert after == pytest.approx(before, abs=1e-12), (trial.trial.name, metric)


def test_the_command_shows_and_writes_it(capsys: pytest.CaptureFixture[str]) -> None:
    files = (sample_path("key"), sample_path("eager"))
    assert main(["audit", *files]) == 0
    out = capsys.readouterr().out
    assert "B³ recall fell by 2.9 points when 1 mention without a right link was removed" in out
    assert "singletons drop" in out
    assert main(["audit", *files, "--output", "json"]) == 0
    form = json.loads(capsys.readouterr().out)
    names = [trial["name"] for trial in form["trials"]]
    assert "less-precise-a" not in names  # nothing is missing from this response
    assert "merge-largest" in names
    assert form["without_right_link"][-1]["kind"] == "all"
    assert main(["audit", *files, "--output", "csv", "--singletons", "drop"]) == 0
