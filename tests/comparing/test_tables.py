"""Comparisons as a person reads them: tables in all forms, and charts."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

import pytest

import corefine
from tests.comparing.test_systems import KEY, SYSTEMS, many_documents


@pytest.fixture(scope="module")
def comparison():
    key, systems = many_documents()
    return corefine.compare(key, systems, "b3,lea,conll", trials=2000, replicates=500)


def test_the_summary(comparison):
    lines = comparison.to_text("summary").splitlines()
    assert lines[0] == "F1 of 4 systems on 30 documents"
    assert lines[2].split() == ["system", "conll", "lea", "b3"]
    assert [line.split()[2::2] for line in lines[3:7]] == [[x] * 3 for x in ("a", "b", "b", "c")]
    assert lines[7].endswith("do not differ significantly (corrected p > 0.05).")
    assert lines[8] == comparison.signature


def test_marks_against_a_baseline():
    key, systems = many_documents()
    found = corefine.compare(key, systems, "lea", baseline="middling", trials=2000)
    lines = found.to_text("summary").splitlines()
    marked = {line.split()[0] for line in lines[3:7] if "*" in line}
    assert marked == {"good", "poor"}
    assert lines[7].startswith("* differs significantly from middling")


def test_the_default_output_is_a_verdict_and_one_table(comparison):
    assert comparison.to_text() == f"{comparison.verdict}\n\n{comparison.to_text('summary')}"
    assert len(comparison.to_text().splitlines()) <= 30
    many = corefine.compare(KEY, {f"s{n}": SYSTEMS["eager"] for n in range(30)}, "muc,lea")
    assert len(many.to_text().splitlines()) <= 30


def test_the_difference_of_two_systems():
    key, systems = many_documents()
    two = {name: systems[name] for name in ("poor", "good")}
    found = corefine.compare(key, two, "lea,conll", trials=2000, replicates=500)
    (grid,) = found.tables()
    assert [column.title for column in grid.columns[:4]] == ["metric", "good", "poor", "difference"]
    assert [row[0] for row in grid.rows] == ["conll", "lea"]
    difference = found.difference("good", "poor", "conll")
    value: Any = grid.rows[0][3]
    assert (value.value, value.mark) == (difference.difference, "*")
    assert grid.rows[0][4:8] == (*(difference.interval or ()), difference.p, difference.adjusted_p)


def test_charts(comparison):
    figures = comparison.figures()
    assert list(figures) == ["intervals"]
    low, high = comparison.standing("good", "lea").interval
    drawn = figures["intervals"].to_svg()
    assert f"({100 * low:.2f} to {100 * high:.2f})" in drawn


def test_charts_of_one_document():
    """There are no intervals, and still there is something to draw."""
    found = corefine.compare([[1, 2, 3]], {"a": [[1, 2]], "b": [[1, 2, 3]]}, "lea,muc")
    for figure in found.figures().values():
        ElementTree.fromstring(figure.to_svg())
