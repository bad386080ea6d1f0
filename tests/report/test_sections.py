"""Sections of the page: the audit, alignment losses, charts in two columns, titles of metrics."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

import corefine
from corefine.metrics.registry import title_of
from tests.building.report_corpora import THREE, three_responses

TAGGED = Path(__file__).resolve().parents[2] / "docs" / "examples" / "tagged"


def words_of(html: str) -> str:
    return re.sub(r"\s+", " ", re.sub("<[^>]*>", " ", html))


def test_the_losses_of_tagged_answers_are_told():
    made = corefine.report(TAGGED / "key.jsonl", TAGGED / "answers.jsonl", replicates=20)
    section = made.html.split('<div id="alignment"')[1].split("</section>")[0]
    copies = made.scores["answers"].copies
    assert copies is not None
    told = words_of(section)
    for document in ("market", "harbour", "night", "letter", "garden"):
        assert f" {document} " in told
    assert "no answer" in told
    assert "Malformed tags" in told
    assert "tagged mentions were lost" in words_of(made.html.split('id="alignment"')[0])


def test_the_audit_counts_wrong_reactions_by_system_and_metric():
    sides = three_responses()
    made = corefine.report(sides["key"], sides["wild"], kinds="guess", replicates=20)
    audit = corefine.audit(sides["key"], sides["wild"], "default", kinds="guess")
    matrix = made.html.split('<details id="audit"')[1].split("</table>")[0]
    wrong = Counter(one.metric for one in audit.violations)
    shown = re.findall(r'class="number (?:good|bad)">(\d+)<', matrix)
    judged = [name for name in audit.scores.by_name if name != "mentions"]
    assert list(map(int, shown)) == [wrong[name] for name in judged]


@pytest.mark.slow
def test_metrics_are_written_as_in_papers():
    assert title_of("conll") == "CoNLL"
    assert title_of("blanc(rule=luo2014)") == "BLANC (rule=luo2014)"
    sides = three_responses()
    metrics = "muc,blanc,blanc(rule=luo2014),lea"
    html = corefine.report(
        sides["key"], {name: sides[name] for name in THREE}, metrics=metrics, replicates=20
    ).html
    overview, comparison = (
        words_of(html.split(f'<section id="{name}"')[1].split("</section>")[0])
        for name in ("overview", "compare")
    )
    for told in (overview, comparison):
        assert "BLANC (rule=luo2014)" in told
        assert not re.search(r"\b(muc|lea)\b", told.replace("|", ""))
    assert "Signature" in comparison
