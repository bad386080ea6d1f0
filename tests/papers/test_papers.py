"""What the papers print, beside what is computed: the counts, and every verdict."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

import pytest

from corefine.cli import main
from corefine.papers import PAPERS, Reproduction, reproduce
from corefine.papers.moosavi_strube import figure_key
from corefine.papers.results import Cell, load
from tests.conftest import load_cases

reproduced = cache(reproduce)


def counts(paper: str, *tables: str) -> tuple[int, int, int, int]:
    result: Reproduction = reproduced(paper)
    rows = [result.counts(table) for table in tables]
    names = ("published", "reproduced", "explained", "unexplained")
    first, second, third, fourth = (sum(row[name] for row in rows) for name in names)
    return first, second, third, fourth


@pytest.mark.parametrize(
    ("paper", "tables", "expected"),
    [
        ("chen-ng", ("Table 1",), (120, 120, 0, 0)),
        ("moosavi-strube", ("Table 3",), (10, 9, 1, 0)),
        ("moosavi-strube", ("section 5",), (2, 2, 0, 0)),
        ("kaczmarek-marcinczuk", ("Table 1",), (10, 6, 4, 0)),
        ("holen", ("Table 2", "Table 3", "Table 4", "Table 5"), (225, 217, 8, 0)),
        ("holen", ("Table 6",), (103, 103, 0, 0)),
    ],
)
def test_cells_that_are_reproduced(
    paper: str, tables: tuple[str, ...], expected: tuple[int, int, int, int]
) -> None:
    assert counts(paper, *tables) == expected


def test_nothing_is_left_unexplained() -> None:
    for paper in PAPERS:
        assert reproduced(paper).counts()["unexplained"] == 0


def test_the_claims_that_fail_are_those_known_to_fail() -> None:
    failing = {
        paper: [(claim.where, claim.why) for claim in reproduced(paper).claims if not claim.holds]
        for paper in PAPERS
    }
    assert failing == {
        "chen-ng": [],
        "holen": [("section 4.1", "its mentions only overlap: by her formula it failed")],
        "moosavi-strube": [
            ("7.1 (3)", "it fails at 20%"),
            ("7.1 (3)", "it fails at 80%"),
            ("7.5", "it is zero at 20%"),
        ],
        "kaczmarek-marcinczuk": [],
        "mcores": [],
    }


def test_ranks_of_table_5_that_are_misprinted() -> None:
    wrong = {
        (cell.row, cell.computed)
        for cell in reproduced("moosavi-strube").cells
        if cell.column == "muc" and cell.table.startswith("Table 5") and not cell.agrees
    }
    assert wrong == {("songyang", 11), ("zhokova", 12), ("li", 13)}


def test_agreement_of_metrics_on_table_5() -> None:
    (matrix,) = reproduced("moosavi-strube").matrices
    place = {name: number for number, name in enumerate(matrix.names)}
    printed = {("muc", "b3"): 0.846, ("ceafm", "conll"): 0.956, ("ceafe", "lea"): 0.824}
    for (one, other), value in printed.items():
        assert matrix.values[place[one]][place[other]] == pytest.approx(value, abs=0.0005)


def test_agreement_is_as_the_paper_writes_numbers() -> None:
    assert Cell("t", "r", "c", 66.66, 66.667, decimals=2, cuts=True).agrees
    assert not Cell("t", "r", "c", 66.66, 66.667, decimals=2).agrees
    assert Cell("t", "r", "c", 66.67, 66.667, decimals=2).agrees
    assert not Cell("t", "r", "c", 66.67, None, decimals=2).agrees


FIGURES = {case["name"].removeprefix("lea_"): case for case in load_cases("lea_figures")}


@pytest.mark.parametrize("name", [n for n in load("moosavi_strube") if re.match(r"fig\d_", n)])
def test_the_responses_of_the_figures_are_those_of_the_test_data(name: str) -> None:
    facts, case = load("moosavi_strube"), FIGURES[name]
    assert figure_key(facts["figure_key"]) == case["key"]
    response = [chain.split() for chain in facts[name]]
    assert sorted(map(sorted, response)) == sorted(map(sorted, case["response"]))


def test_the_command_writes_everything(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reproduce", "moosavi-strube", "-o", str(tmp_path / "out")]) == 0
    out = capsys.readouterr().out
    assert "32 of 35 claims hold" in out
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert {"reproduction.md", "reproduction.json", "reproduction.html"} <= names
    assert len([name for name in names if name.endswith(".svg")]) == 8
    form = json.loads((tmp_path / "out" / "reproduction.json").read_text("utf-8"))
    assert form["moosavi-strube"]["tables"]["Table 3"]["reproduced"] == 9
    assert main(["reproduce", "nobody"]) == 2
