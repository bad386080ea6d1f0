"""Transformations, expectations and the audit."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import corefine
from corefine.corpus.corpus import Corpus
from corefine.explaining import transformations as change
from corefine.explaining.audit import TRIALS, audit, changed_table, wrong_mentions
from corefine.explaining.corrections import Pool
from corefine.explaining.transformations import Changed
from corefine.metrics.table import MentionTable
from corefine.output.grid import Marked
from corefine.scoring.count import tabulate
from corefine.scoring.request import Request
from tests.building.explained_corpora import sides as texts
from tests.building.explained_corpora import table_of
from tests.building.partitions import corpora, entity_lists
from tests.conftest import DATA, load_cases

CASES = load_cases("mention_effect")
BASES = {case["name"]: case for case in CASES if case["params"]["transform"] == "base"}
EXACT = {
    "more_precise": change.more_precise,
    "less_b_strict": change.less_precise_b,
    "less_b_as_scored": change.missing_mentions_alone,
}
PAPER = (
    "remove-wrong-mentions",
    "add-wrong-pairs",
    "add-wrong-entities",
    "add-missing-mentions",
)
PAIRS = sorted(DATA.glob("*/expected/*.json")) if DATA.is_dir() else []


def plain(entities: list[list[Any]]) -> list[list[Any]]:
    return sorted(sorted(entity) for entity in entities)


def corpus_of(table: MentionTable, changed: Changed) -> Corpus:
    """The response that labels stand for: its own mentions, those of the key, and invented ones."""
    matching = table.matching
    assert matching is not None
    entities: dict[str, dict[Any, list[Any]]] = {name: {} for name in matching.response.documents}
    for row in np.flatnonzero(changed.labels >= 0).tolist():
        side, mention = matching.response, int(matching.response_mention[row])
        if mention < 0:
            side, mention = matching.key, int(matching.key_mention[row])
        name = side.documents[side.mentions.document[mention]]
        entities[name].setdefault(changed.labels[row], []).append(side.mention_id(mention))
    for number, document in enumerate(changed.invented.tolist()):
        found = entities[matching.response.documents[document]]
        found.setdefault(("invented", number // 2), []).append(1000 + number)
    return Corpus.from_documents({name: list(found.values()) for name, found in entities.items()})


def transformed(key: Corpus, response: Corpus, labelling: Any) -> Corpus:
    """The response after a transformation."""
    table = tabulate(key, response, Request.of(shows_kinds=True))
    return corpus_of(table, labelling(table))


@pytest.mark.parametrize(
    "case",
    [case for case in CASES if case["params"]["transform"] in EXACT],
    ids=lambda case: case["name"],
)
def test_transformations_of_the_lea_paper(case):
    base = BASES[case["params"]["base"]]
    key, response = Corpus.from_entities(base["key"]), Corpus.from_entities(base["response"])
    result = transformed(key, response, EXACT[case["params"]["transform"]])
    assert plain(result.to_dict()[""]) == plain(case["response"])


@pytest.mark.parametrize("size", [5, 6, 7])
def test_the_largest_entity_is_split_in_half(size):
    side = Corpus.from_entities([list(range(size)), [8, 9]])
    (entities,) = transformed(side, side, change.split_largest).to_dict().values()
    assert sorted(map(len, entities)) == sorted([2, size // 2, size - size // 2])


@given(key=entity_lists(), response=entity_lists())
def test_wrong_pairs_are_wrong_and_as_many_as_there_can_be(key, response):
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
def test_recounting_equals_scoring_the_changed_corpus(trial, sides, kinds):
    told = {mention: kinds[mention] for mention in range(8)}
    key, response = (Corpus.from_documents(side) for side in sides)
    table = tabulate(key, response, Request.of(kinds=told, shows_kinds=True))
    changed = getattr(change, trial.change)(table)
    recounted_table = changed_table(Pool.of(table), changed)
    needed = {part for metric in audit_metrics() for part in metric.needs()}
    recounted = {str(part): part.statistics(recounted_table) for part in needed}
    scored = corefine.score(key, corpus_of(table, changed), list(audit_metrics()), kinds=told)
    for metric, columns in recounted.items():
        for name, column in columns.items():
            assert scored.counts.values[metric][name] == pytest.approx(column, abs=1e-9), (
                metric,
                name,
            )


def audit_metrics() -> list[Any]:
    from corefine.metrics import resolve

    return list(resolve("muc,b3,ceafm,ceafe,blanc,lea,mentions,lmuc,parent").values())


def test_names_that_lead_astray_are_seen_by_parent():
    key = [["Romeo", "he", "him"], ["Juliet", "she", "her"]]
    kinds = {"Romeo": "name", "Juliet": "name"}
    result = audit(key, key, metrics="muc,b3,parent", kinds=lambda m: kinds.get(m.text, "pronoun"))
    (swapped,) = [trial for trial in result.trials if trial.trial.name == "exchange-names"]
    assert swapped.scores["parent"].f1 == 0
    assert swapped.scores["b3"].f1 == pytest.approx(5 / 9)
    assert result.verdict.startswith("No violation found for MUC and PARENT; violations: B³ ")
    told = {str(one) for one in result.violations}
    assert told == {row[-1] for row in result.tables("violations")[0].rows}
    assert all(grid.rows for grid in result.tables(*result.table_names))


@pytest.mark.skipif(not PAIRS, reason=f"there are no real corpora at {DATA}; set COREFINE_DATA")
@pytest.mark.data
@pytest.mark.slow
@pytest.mark.parametrize("singletons", ["keep", "drop"])
@pytest.mark.parametrize("pair", PAIRS[::3], ids=lambda path: f"{path.parts[-3]}-{path.stem}")
def test_recall_of_muc_and_lea_stays(pair, singletons):
    folder = pair.parents[1]
    result = audit(folder / "key.conll", folder / f"{pair.stem}.conll", singletons=singletons)
    for trial in result.trials:
        if trial.trial.name in PAPER:
            for metric in ("muc", "lea"):
                before, after = result.scores[metric].recall, trial.scores[metric].recall
                assert after == pytest.approx(before, abs=1e-12), (trial.trial.name, metric)


ALONE = ("response-as-singletons", "key-as-singletons")


@given(sides=corpora(), kinds=st.lists(st.sampled_from(["name", "nominal", "pronoun"]), min_size=8))
def test_lea_is_blamed_for_nothing_that_is_wrong_by_construction(sides, kinds):
    """Links and self-links are what LEA counts: no recall without a right one more.

    If all mentions are merged, LEA may rise, since it weighs entities by their size.
    """
    told = {mention: kinds[mention] for mention in range(8)}
    key, response = (Corpus.from_documents(side) for side in sides)
    result = audit(key, response, metrics="lea", kinds=told)
    blamed = {(one.trial.name, one.expectation.quantity) for one in result.violations}
    assert not {(name, "recall") for name in PAPER} & blamed
    assert not {(name, "precision") for name in ALONE} & blamed
    assert ("key-in-one-entity", "precision") not in blamed


@given(texts())
def test_wrong_mentions_of_all_kinds_add_up(pair):
    *kinds, whole = wrong_mentions(table_of(*pair))
    for name in ("wrong", "linked"):
        assert sum(getattr(one, name) for one in kinds) == getattr(whole, name)


def test_a_singleton_of_the_key_is_right_alone():
    """The key's singleton is missing: adding it alone is right, so it is not added."""
    key = [["a", "b", "c"], ["d", "e"], ["s"], ["t"]]
    result = audit(key, [["a", "b"]], metrics="lea,b3")
    trial = next(one for one in result.trials if one.trial.name == "add-missing-mentions")
    assert trial.what == "1 wrong pair and 1 singleton were added"  # c with d, e alone
    assert trial.scores["lea"].recall == result.scores["lea"].recall
    assert {one.metric for one in trial.violations} == {"b3"}


def test_boundary_systems_without_singletons_are_empty():
    key, response = [["a", "b", "c"], ["d", "e"]], [["a", "b"], ["c", "d", "x"]]
    result = audit(key, response, metrics="muc,b3,lea", singletons="drop")
    assert not {one.trial.name for one in result.trials} & {*ALONE}
    assert result.left_out == (
        "response as singletons: skipped, because singletons are dropped",
        "key as singletons: skipped, because singletons are dropped",
    )
    assert result.note is not None
    assert result.note in result.to_text("outcomes")


def test_precision_of_a_system_that_decides_nothing():
    """B³ gives it 100, as the paper says (Luo 2005); LEA gives it the share that is right."""
    key, response = [["a", "b", "c"], ["d", "e"], ["s"]], [["a", "b"], ["c", "d", "x"]]
    result = audit(key, response, metrics="b3,lea", singletons="keep")
    by_name = {one.trial.name: one for one in result.trials}
    whole = by_name["key-as-singletons"]
    assert [str(one) for one in whole.violations] == [
        "B³ precision is 100.0 when every key mention became a singleton"
    ]
    assert whole.scores["lea"].precision == pytest.approx(1 / 6)
    own = by_name["response-as-singletons"]  # a, b, c, d are of the key, x is not
    assert own.scores["b3"].precision == pytest.approx(4 / 5)
    assert own.scores["lea"].f1 == 0
    assert {one.expectation.quantity for one in own.outcomes} == {"precision", "F1"}
    # Where the key has nothing but singletons, 100 is right.
    only = audit([["a"], ["b"]], [["a", "b"]], metrics="b3")
    assert not [one for one in only.violations if one.expectation.quantity == "precision"]


def test_one_entity_is_not_judged_if_more_links_are_correct():
    def trial(key: list[list[str]], response: list[list[str]]) -> Any:
        result = audit(key, response, metrics="muc,pairs.coreferent")
        return next(one for one in result.trials if one.trial.name == "response-in-one-entity")

    # Pairs get worse.
    judged = trial([["a", "b"], ["c", "d"]], [["a", "b"], ["c", "d"]])
    assert judged.outcomes
    assert not judged.remark
    for key in ([["a", "b", "c", "d"]], [["a", "c"], ["b"], ["d"]]):
        better = trial(key, [["a", "b"], ["c", "d"]])
        assert not better.outcomes
        assert "pairs of mentions" in better.remark


def test_names_are_exchanged_only_where_they_are_right():
    key = [["Romeo", "he"], ["Juliet", "she"]]
    response = [["Romeo", "she"], ["Juliet", "he"]]  # an exchange would mend it
    kinds = {"Romeo": "name", "Juliet": "name", "he": "pronoun", "she": "pronoun"}
    result = audit(key, response, metrics="muc", kinds=kinds)
    assert "exchange-names" not in {one.trial.name for one in result.trials}


def test_names_that_leave_many_strangers_are_not_judged():
    """Links: 2·37 / (37+742) before, 2·28 / (37+532) after, since many wrong ones are lost."""
    names, strangers = [f"Romeo {n}" for n in range(8)], [f"stranger {n}" for n in range(30)]
    key = [[*names, "he"], ["Juliet", "she"], *([one] for one in strangers)]
    response = [[*names, "he", *strangers], ["Juliet", "she"]]
    kinds = dict.fromkeys([*names, "Juliet"], "name") | dict.fromkeys(["he", "she"], "pronoun")
    result = audit(
        key, response, metrics="pairs.coreferent", kinds=kinds | dict.fromkeys(strangers, "nominal")
    )
    (swapped,) = [one for one in result.trials if one.trial.name == "exchange-names"]
    assert swapped.scores["pairs.coreferent"].f1 == pytest.approx(2 * 28 / (37 + 532))
    assert not swapped.outcomes
    assert "scores may rise" in swapped.remark


def test_metrics_of_words_and_places_are_not_judged_by_invented_mentions():
    key = {"d": [[(0, 2), (4, 5), (8, 9)], [(2, 3), (6, 7)]]}
    response = {"d": [[(0, 2), (4, 5), (6, 7)], [(2, 3), (8, 9)]]}
    result = audit(key, response, "b3,mor,anaphors,arcs,lea(importance=information)", kinds="none")
    judged = {one.trial.name: list(one.scores) for one in result.trials}
    assert judged.pop("invent-mentions") == ["b3"]
    assert set(map(len, judged.values())) == {4}
    assert result.untestable == {"lea(importance=information)": "no mention kinds"}
    assert "not testable: LEA (no mention kinds)" in result.verdict
    assert result.note is not None
    assert "not tested with spurious mentions" in result.note
    (changes,) = result.tables("changes")
    assert (
        next(row for row in changes.rows if row[0] == "spurious mentions added")[2:] == (None,) * 4
    )
    alone = audit(key, response, "mor", kinds="none")
    assert "invent-mentions" not in [one.trial.name for one in alone.trials]
    assert "invent-mentions" in result.to_json()
    assert result.figures()["changes"].marks


@pytest.mark.parametrize("metric", ["parent", "muc"])
def test_a_metric_that_does_not_apply_is_not_testable(metric):
    """Without kinds PARENT counts nothing, without links MUC does not."""
    key = [["a"], ["b"], ["c"]] if metric == "muc" else [["a", "b"], ["c", "d"]]
    result = audit(key, [key[0], *key[2:]], metrics=f"b3,{metric}")
    assert list(result.untestable) == [metric]
    assert metric not in {one.metric for one in result.outcomes}
    assert "not testable: " in result.verdict
    assert result.to_dict()["not_testable"] == result.untestable
    (grid,) = result.tables("changes")
    assert all(row[2] is None for row in grid.rows)


def test_merging_everything_is_judged():
    """MUC prefers the merged key of the sample, as Luo (2005) says."""
    folder = Path(__file__).parents[1] / "fixtures" / "sample"
    result = audit(folder / "key.conll", folder / "careful.conll")
    wrong = {(one.metric, one.trial.name) for one in result.violations}
    assert {("muc", "key-in-one-entity"), ("lmuc", "key-in-one-entity")} <= wrong
    assert ("lmuc", "response-in-one-entity") in wrong
    assert not [one for one in result.violations if one.metric == "lea"]
    assert result.verdict.startswith("No violation found for LEA, ")


def test_marks_and_colours_say_where_f1_moved_the_wrong_way():
    folder = Path(__file__).parents[1] / "fixtures" / "sample"
    result = audit(folder / "key.conll", folder / "eager.conll")
    (grid,) = result.tables("changes")
    metrics = list(result.scores)
    for row, trial in zip(grid.rows, result.trials, strict=True):
        for metric, cell in zip(metrics, row[1:], strict=True):
            wrong = any(
                one.metric == metric and one.expectation.quantity == "F1"
                for one in trial.violations
            )
            judged = metric in trial.directions
            assert isinstance(cell, Marked)
            assert (cell.mark == "!") == wrong
            assert cell.tone == ("bad" if wrong else "good" if judged else "")
    drawn = result.figures()["changes"].to_svg()
    assert "cf-warm" in drawn
    assert "cf-cool" in drawn


def test_every_expectation_has_a_source():
    for trial in TRIALS:
        assert re.search(r"20\d\d, sections? \d", trial.source), trial.name
