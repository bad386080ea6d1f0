"""Published and computed numbers of the papers: counts, verdicts and claims."""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import cache, partial
from pathlib import Path

import pytest

from corefine.cli import main
from corefine.explaining.papers import PAPERS, reproduce
from corefine.explaining.papers.evaluation import load
from corefine.explaining.papers.holen import compared
from corefine.explaining.papers.output import papers_grid
from corefine.explaining.papers.results import Cell, Reason
from tests.conftest import load_cases

reproduced = cache(reproduce)


HAND_COUNT = Path(__file__).resolve().parents[2] / "fixtures" / "printed_numbers.tsv"
SOURCES = ("printed", "recomputed", "derived", "not derivable")
VERDICTS = (
    "recomputed_as_printed", "derived_as_printed", "within_rounding", "explained", "unexplained",
)  # fmt: skip


def hand_count() -> dict[str, dict[str, tuple[int, ...]]]:
    """Numbers printed, recomputed, derived and not derivable, by paper and exhibit."""
    lines = [line for line in HAND_COUNT.read_text("utf-8").splitlines() if line[0] != "#"]
    by_paper: dict[str, dict[str, tuple[int, ...]]] = {}
    for paper, exhibit, *numbers, _ in (line.split("\t") for line in lines[1:]):
        by_paper.setdefault(paper, {})[exhibit] = tuple(map(int, numbers))
    return by_paper


@pytest.mark.parametrize("paper", PAPERS)
def test_every_number_of_every_table_and_figure_is_there(paper: str) -> None:
    result = reproduced(paper)
    found = {
        exhibit.name: tuple(result.counts(exhibit.name)[source] for source in SOURCES)
        for exhibit in result.exhibits
    }
    assert found == hand_count()[paper]
    assert {cell.table for cell in result.cells} <= found.keys()
    places = [(cell.table, cell.row, cell.column) for cell in result.cells]
    assert len(set(places)) == len(places)


def test_the_sums_are_those_of_the_hand_count() -> None:
    by_hand = [numbers for exhibits in hand_count().values() for numbers in exhibits.values()]
    totals = dict(zip(SOURCES, (sum(column) for column in zip(*by_hand, strict=True)), strict=True))
    grid = papers_grid([reproduced(paper) for paper in PAPERS])
    last = dict(zip((column.field for column in grid.columns), grid.rows[-1], strict=True))
    assert last["paper"] == "all"
    assert {name: last[name.replace(" ", "_")] for name in SOURCES} == totals
    assert totals["printed"] == sum(totals[source] for source in SOURCES[1:])
    numbers = [number for name in VERDICTS if isinstance(number := last[name], int)]
    assert len(numbers) == len(VERDICTS)
    assert sum(numbers) == totals["recomputed"] + totals["derived"]
    assert last["within_rounding"] == 14


@pytest.mark.parametrize(
    ("paper", "tables", "as_printed", "within_rounding"),
    [
        ("chen-ng", ("Table 1",), 120, 0),
        ("moosavi-strube", ("Table 3",), 9, 0),
        ("moosavi-strube", ("section 5",), 2, 0),
        ("moosavi-strube", ("Table 1",), 15, 3),
        ("moosavi-strube", ("Table 4",), 27, 8),
        ("moosavi-strube", ("Table 5",), 67, 0),
        ("kaczmarek-marcinczuk", ("Table 1",), 6, 0),
        ("kaczmarek-marcinczuk", ("Table 2", "Table 3"), 12, 2),
        ("holen", ("Table 2", "Table 3", "Table 4", "Table 5"), 217, 0),
        ("holen", ("Table 6",), 103, 0),
        ("holen", ("section 4.1.2", "section 4.1.4"), 6, 0),
        ("holen", ("section 5",), 3, 0),
        ("mcores", ("Table 2",), 1, 1),
        ("mcores", ("Table 6",), 12, 0),
    ],
)
def test_numbers_that_come_out_as_printed(
    paper: str, tables: tuple[str, ...], as_printed: int, within_rounding: int
) -> None:
    verdicts = Counter(cell.verdict for cell in reproduced(paper).cells if cell.table in tables)
    assert verdicts["as printed"] == as_printed
    assert verdicts["within rounding"] == within_rounding


def test_numbers_that_differ_and_their_explanations() -> None:
    """If the explanation is another reading of a definition, this reading gives the number."""
    apart = {
        (paper, cell.table, cell.row, cell.column): (
            cell.verdict,
            cell.explanation and cell.explanation.value,
        )
        for paper in PAPERS
        for cell in reproduced(paper).cells
        if cell.verdict in ("explained", "unexplained")
    }
    near = partial(pytest.approx, abs=1e-9)
    assert apart == {
        ("chen-ng", "section 4.1", "paragraph", "mentions"): ("explained", None),
        ("holen", "Table 2", "BN1", "muc R"): ("explained", near(600 / 7)),
        ("holen", "Table 2", "BN1", "muc F"): ("explained", near(1200 / 13)),
        ("holen", "Table 2", "BN1", "blanc P"): ("explained", near(1300 / 19)),
        ("holen", "Table 2", "BN1", "blanc R"): ("explained", near(1300 / 28)),
        ("holen", "Table 2", "BN1", "blanc F"): ("explained", pytest.approx(55.32, abs=0.005)),
        ("holen", "Table 4", "BN2", "muc P"): ("explained", near(200 / 3)),
        ("holen", "Table 4", "MZ40", "blanc R"): ("explained", near(100 / 5)),
        ("holen", "Table 4", "MZ40", "blanc F"): ("explained", pytest.approx(25.00, abs=0.005)),
        ("moosavi-strube", "Table 3", "cr2", "blanc"): ("explained", None),
        ("moosavi-strube", "Table 5", "songyang", "muc rank"): ("explained", None),
        ("moosavi-strube", "Table 5", "zhokova", "muc rank"): ("explained", None),
        ("moosavi-strube", "Table 5", "li", "muc rank"): ("explained", None),
        ("moosavi-strube", "section 2", "less precise b", "entities added"): ("explained", None),
        ("moosavi-strube", "section 3.1", "one entity", "muc P"): ("explained", None),
        ("moosavi-strube", "section 3.1", "one entity", "muc F"): ("unexplained", None),
        ("kaczmarek-marcinczuk", "Table 1", "lb3", "F"): ("explained", near(900 / 19)),
        ("kaczmarek-marcinczuk", "Table 1", "lmuc", "F"): ("unexplained", None),
        ("kaczmarek-marcinczuk", "Table 1", "lceafe", "F"): ("unexplained", None),
        ("kaczmarek-marcinczuk", "Table 1", "lceafm", "F"): ("unexplained", None),
    }
    for paper in PAPERS:
        for cell in reproduced(paper).cells:
            explanation = None if cell.agrees else cell.explanation
            if explanation is not None and explanation.value is not None:
                assert cell.gives(explanation.value)
            assert (cell.source == "not derivable") == bool(cell.reason)


def test_holen_uses_the_document_for_some_scores() -> None:
    """BN1's three missing mentions are in the response to BN2; MZ17 and MZ40 use the pair."""
    by_place = {one.place: one for one in compared(load("holen"))}
    assert by_place["BN1", "muc", "R"].document == pytest.approx(600 / 7)
    assert by_place["BN1", "blanc", "R"].document == pytest.approx(1300 / 28)
    assert by_place["BN2", "muc", "P"].document == pytest.approx(200 / 3)
    assert by_place["MZ40", "muc", "R"].document == pytest.approx(200 / 3)
    assert by_place["MZ17", "muc", "P"].document == pytest.approx(100 / 2)
    follows = Counter(one.follows for one in by_place.values())
    assert follows == {"document": 4, "pair": 5, "neither": 3}


def test_claims_that_fail() -> None:
    failing = {
        paper: [claim.where for claim in reproduced(paper).claims if not claim.holds]
        for paper in PAPERS
    }
    assert failing == {
        "chen-ng": [],
        "holen": ["2.1", "3", "5", "section 4.1", "5"],
        "moosavi-strube": ["2", "2", "4", "7.1 (3)", "7.1 (3)", "7.5", "3.4"],
        "kaczmarek-marcinczuk": ["section 4.5", "section 4.5", "5.3"],
        "mcores": ["appendix II", "appendix I"],
    }
    assert sum(len(reproduced(paper).claims) for paper in PAPERS) == 154


def test_every_claim_has_its_numbers() -> None:
    for paper in PAPERS:
        claims = reproduced(paper).claims
        assert claims
        assert len({(claim.where, claim.text) for claim in claims}) == len(claims)
        assert all(claim.numbers for claim in claims)
        assert all(claim.why for claim in claims if not claim.holds)
        for claim in claims:
            assert not re.search("[{}]", claim.text + claim.why)


def test_changes_of_table_1_on_other_data() -> None:
    """Three changes of twelve numbers, and the direction of each next to the printed one."""
    directions = reproduced("moosavi-strube").directions
    assert len(directions) == 36
    assert all(one.agrees for one in directions if one.column.endswith(" R"))
    assert sum(one.agrees for one in directions) == 31
    for one in directions:
        assert (one.stand_in_way == "falls") == (one.stand_in[1] < one.stand_in[0] - 1e-9)
    cells = [cell for cell in reproduced("moosavi-strube").cells if cell.table == "Table 1"]
    assert len(cells) == 48
    assert all(cell.stand_in is not None for cell in cells)


def test_agreement_of_metrics_on_table_5() -> None:
    (matrix,) = reproduced("moosavi-strube").matrices
    place = {name: number for number, name in enumerate(matrix.names)}
    printed = {("muc", "b3"): 0.846, ("ceafm", "conll"): 0.956, ("ceafe", "lea"): 0.824}
    for (one, other), value in printed.items():
        assert matrix.values[place[one]][place[other]] == pytest.approx(value, abs=0.0005)


def test_a_number_agrees_if_it_is_printed_alike() -> None:
    assert Cell("t", "r", "c", 66.66, 66.667, decimals=2, cuts=True).agrees
    assert not Cell("t", "r", "c", 66.66, 66.667, decimals=2).agrees
    assert not Cell("t", "r", "c", 66.67, None, decimals=2).agrees
    assert Cell("t", "r", "c", 66.67, 66.678, decimals=2, slack=0.005).verdict == "within rounding"
    guess = Reason("a guess, which is not computed", False)
    apart = Cell("t", "r", "c", 50.0, 40.0, explanation=guess)
    assert (apart.verdict, apart.why) == ("unexplained", guess.text)
    assert Cell("t", "r", "c", 50.0, 50.0, explanation=guess).why == ""


FIGURES = {case["name"].removeprefix("lea_"): case for case in load_cases("lea_figures")}


def test_the_command_writes_all_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reproduce", "moosavi-strube", "-o", str(tmp_path / "out")]) == 0
    assert "moosavi-strube" in capsys.readouterr().out
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert {"reproduction.md", "reproduction.json"} <= names
    assert len([name for name in names if name.endswith(".svg")]) == 8
    form = json.loads((tmp_path / "out" / "reproduction.json").read_text("utf-8"))
    assert form["moosavi-strube"]["exhibits"]["Table 3"]["recomputed, as printed"] == 9
    assert form["moosavi-strube"]["exhibits"]["Figure 8"]["points"] == 30
    assert main(["reproduce", "nobody"]) == 2
