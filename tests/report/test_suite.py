"""The report on a suite: macro averages, documents named after data sets, missing responses."""

from __future__ import annotations

import pytest

import corefine
from corefine.cli import main
from tests.building.conll_documents import write
from tests.building.refusals import refused

KEYS = {
    "en": {"1": [["a", "b", "c"]], "2": [["a", "b"]]},
    "de": {"1": [["x", "y"]], "2": [["a", "b"], ["c", "d"]]},
}
OURS = {"en": {"1": [["a", "b"]], "2": [["a", "b"]]}}
THEIRS = {**OURS, "de": {"1": [["x", "y"]], "2": [["a", "c"]]}}


def test_the_report_has_the_averages_over_data_sets():
    made = corefine.report_suite(KEYS, {"ours": OURS, "theirs": THEIRS}, metrics="muc,lea")
    suites = {
        name: corefine.score_suite(KEYS, side, "muc,lea")
        for name, side in (("ours", OURS), ("theirs", THEIRS))
    }
    assert list(made.scores) == ["theirs", "ours"]  # the best first
    for name, suite in suites.items():
        assert made.scores[name].by_name == suite.micro.by_name
        assert f"{100 * suite['lea'].f1:.2f}" in made.html
    assert "F1 by data set (theirs)" in made.html
    assert "ours: no response to de: all its mentions count as missed" in made.html
    assert made.scores["ours"].counts.documents == ("en/1", "en/2", "de/1", "de/2")
    assert "average:macro(2)" in made.html
    assert "MUC macro F1" in made.html
    assert "micro F1" in made.html
    assert "No ranking: ours has no response to de" in made.html
    complete = corefine.report_suite(KEYS, {"a": KEYS, "b": THEIRS}, metrics="muc,lea")
    assert "No ranking" not in complete.html
    for options in ({"by": "kind"}, {"scope": "corpus"}, {"window": 5}):
        with refused("usage"):
            corefine.report_suite(KEYS, {"ours": OURS}, **options)


def test_threats_to_the_score_are_told_apart_from_notes_on_data_sets():
    key = {name: {"1": [[f"{name}{at}" for at in range(60)]]} for name in ("en", "de")}
    halves = {name: {"1": [one["1"][0][:30], one["1"][0][30:]]} for name, one in key.items()}
    made = corefine.report_suite(key, {"halves": halves, "none": {"en": halves["en"]}})
    doubts = made.html.split("What should I distrust?")[1].split("</ul>")[0]
    assert doubts.count("none: no response to de") == 1
    assert "gold mentions" not in doubts
    notes = made.html.split("<summary>Notes")[1].split("</details>")[0]
    assert notes.count("en: all 60 mentions match") == 1


@pytest.mark.slow
def test_the_command_line_reports_on_suites(tmp_path):
    for side, seed in (("keys", 0), ("responses", 100)):
        (tmp_path / side).mkdir()
        for name in ("a", "b"):
            write(tmp_path / side / f"{name}.conll", ["d0", "d1"], seed)
    page = tmp_path / "page.html"
    asked = ["report", "--suite", str(tmp_path / "keys"), str(tmp_path / "responses")]
    assert main([*asked, "-m", "muc,lea", "-o", str(page)]) == 0
    assert "Data sets" in page.read_text(encoding="utf-8")
    assert main([*asked, "--by", "kind", "-o", str(page)]) == 2
    inside = tmp_path / "keys" / "a.conll"
    before = inside.read_bytes()
    assert main([*asked, "-o", str(inside)]) == 2
    assert inside.read_bytes() == before


def test_missing_documents_count_as_in_suites():
    """A response that lacks some documents, or all of them, scores the same in both."""
    for side in ({**OURS, "de": {"1": [["x", "y"]]}}, {**OURS, "de": {"3": [["x", "y"]]}}):
        suite = corefine.score_suite(KEYS, side, "muc,lea")
        made = corefine.report_suite(KEYS, {"ours": side}, metrics="muc,lea")
        assert made.scores["ours"].by_name == suite.micro.by_name
        assert f"{100 * suite['lea'].f1:.2f}" in made.html
