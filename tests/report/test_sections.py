"""Sections of the page: the audit, alignment losses, charts in two columns, titles of metrics."""

from __future__ import annotations

import re
from pathlib import Path

import corefine
from corefine.auditing.audit import Audit
from corefine.metrics.registry import title_of
from corefine.report.sections import _audit_table
from tests.building.report_corpora import THREE, three_responses

TAGGED = Path(__file__).resolve().parents[2] / "examples" / "tagged"


def words_of(html: str) -> str:
    return re.sub(r"\s+", " ", re.sub("<[^>]*>", " ", html))


def test_the_losses_of_tagged_answers_are_told() -> None:
    made = corefine.report(TAGGED / "key.jsonl", TAGGED / "answers.jsonl", replicates=20)
    section = made.html.split('<section id="alignment"')[1].split("</section>")[0]
    copies = made.scores["answers"].copies
    assert copies is not None
    told = words_of(section)
    for document in ("market", "harbour", "night", "letter", "garden"):
        assert f" {document} " in told
    assert "no answer" in told
    assert "Malformed tags" in told
    assert "tagged mentions were lost" in words_of(made.html.split('id="alignment"')[0])


def test_the_audit_shows_what_is_judged_beside_what_is_expected() -> None:
    sides = three_responses()
    audit = corefine.audit(sides["key"], sides["wild"], kinds="guess")
    assert isinstance(audit, Audit)
    table = str(_audit_table(audit, "wild"))
    rows = re.findall(r"<tr>(.*?)</tr>", table.split("<tbody>")[1])
    judged = [result for result in audit.trials if result.outcomes]
    assert len(rows) == len(judged)
    for row, result in zip(rows, judged, strict=True):
        told = words_of(row)
        assert result.trial.title in told
        assert all(str(one.expectation) in told for one in result.outcomes)
        assert result.remark in told
        wrong = {one.metric for one in result.violations}
        assert row.count("✗") == len(wrong)
    assert not re.search(r"✗ \w+ [+−]0\.0<", table)  # what moved is never shown as nothing


def test_metrics_are_written_as_in_papers() -> None:
    assert title_of("conll") == "CoNLL"
    assert title_of("blanc(rule=luo2014)") == "BLANC (rule=luo2014)"
    sides = three_responses()
    metrics = "muc,blanc,blanc(rule=luo2014),lea"
    html = corefine.report(
        sides["key"], *(sides[name] for name in THREE), names=THREE, metrics=metrics, replicates=20
    ).html
    overview, comparison = (
        words_of(html.split(f'<section id="{name}"')[1].split("</section>")[0])
        for name in ("overview", "comparison")
    )
    for told in (overview, comparison):
        assert "BLANC (rule=luo2014)" in told
        assert not re.search(r"\b(muc|lea)\b", told.replace("|", ""))
    assert "Signature" in comparison
