"""Every table of every result comes back from every form: the same rows, cells and values."""

from __future__ import annotations

import csv
import io
import json
import math
import re
import unicodedata
from collections.abc import Callable
from functools import cache
from html.parser import HTMLParser
from itertools import chain, cycle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import corefine
from corefine.curating.checking import Checks, check
from corefine.explaining.papers import reproduce
from corefine.output.grid import Column, Grid, LazyRows, Marked, Value
from corefine.output.html import grid_table
from corefine.output.result import Result
from tests.building.refusals import refused
from tests.building.sample import sample_path

KEY, CAREFUL, EAGER = (str(sample_path(name)) for name in ("key", "careful", "eager"))


def checks() -> Checks:
    return Checks([*check(KEY), *check(CAREFUL)])


def cross_validation() -> Result:
    pytest.importorskip("sklearn")
    from corefine.resolving import cross_validate
    from tests.building.report_corpora import harbour_key

    return cross_validate(harbour_key(), ["sieve"], folds=2)


SLOW = ("cross-validation", "reproduction")
RESULTS: dict[str, Callable[[], Result]] = {
    "scores": lambda: corefine.score(KEY, CAREFUL, "muc,lea,conll", by=["kind"]),
    "comparison": lambda: corefine.compare(
        KEY,
        {"careful": CAREFUL, "eager": EAGER},
        "muc,lea",
        trials=50,
        replicates=20,
    ),
    "three systems": lambda: corefine.compare(
        KEY, {"careful": CAREFUL, "eager": EAGER, "key": KEY}, "muc,ceafe", replicates=20
    ),
    "runs": lambda: corefine.compare(
        {
            name: [corefine.score(KEY, one, "muc,ceafe") for one in runs]
            for name, runs in {"a": (CAREFUL, EAGER), "b": (EAGER, KEY)}.items()
        },
        trials=20,
        replicates=20,
    ),
    "suite": lambda: corefine.score_suite(
        {"letter": KEY}, {"letter": CAREFUL}, "muc,lea", replicates=20
    ),
    "agreement": lambda: corefine.agree({"a": KEY, "b": CAREFUL, "c": EAGER}),
    "explanation": lambda: corefine.explain(KEY, CAREFUL, "muc,lea"),
    "entities": lambda: corefine.entities(KEY, CAREFUL, "muc,lea"),
    "audit": lambda: corefine.audit(KEY, CAREFUL, "muc,lea"),
    "cross-validation": cross_validation,
    "reproduction": lambda: reproduce("moosavi-strube"),
    "checks": checks,
}
result_named = cache(lambda name: RESULTS[name]())
every_result = pytest.mark.parametrize(
    "name", [pytest.param(one, marks=[pytest.mark.slow] * (one in SLOW)) for one in RESULTS]
)


def numbers_of(grid: Grid) -> list[list[Any]]:
    """The rows as programs should get them: without marks, and None for NaN."""
    rows = [[cell.value if isinstance(cell, Marked) else cell for cell in row] for row in grid.rows]
    return [[None if value != value else value for value in row] for row in rows]


def from_csv(grid: Grid) -> list[list[Any]]:
    _, *rows = csv.reader(io.StringIO(grid.to_csv()))
    return [
        [read_back(text, column) for text, column in zip(row, grid.columns, strict=True)]
        for row in rows
    ]


def read_back(text: str, column: Column) -> Any:
    if column.unit == "text":
        return text
    return None if text == "" else float(text)


def in_csv(value: Any, column: Column) -> Any:
    if column.unit == "text":
        text = "" if value is None else str(value)
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        text = "".join(
            one if one in "\t\n" or not is_control(one) else f"\\x{ord(one):02x}" for one in text
        )
        return f"'{text}" if runs_in_a_spreadsheet(text) else text
    return value


def is_control(character: str) -> bool:
    return unicodedata.category(character) == "Cc"


def runs_in_a_spreadsheet(text: str) -> bool:
    """Whether a cell begins as a formula does and is neither a sign alone nor a number."""
    begun = text.lstrip()
    if text.startswith(("\t", "\n")):
        return True
    if begun.startswith(("@", "\uff20")):
        return "(" in begun and not re.search(r"[\s@]", begun[1:].partition("(")[0])
    if not begun.startswith(("=", "+", "-", "\uff1d", "\uff0b", "\uff0d")):
        return False
    number = re.fullmatch(r"[+-]?[0-9][0-9.,]*%?([eE][+-]?[0-9]+)?", text)
    return bool(begun[1:].strip()) and number is None


def markdown_cells(grid: Grid) -> list[list[str]]:
    lines = [line for line in grid.to_markdown().splitlines() if line.startswith("| ")]
    return [re.split(r"(?<!\\)(?:\\\\)*\|", line)[1:-1] for line in (lines[0], *lines[2:])]


def latex_cells(grid: Grid) -> list[list[str]]:
    body = grid.to_latex().partition(r"\toprule")[2].partition(r"\bottomrule")[0]
    lines = [line for line in body.splitlines() if line.endswith(r" \\")]
    assert len(lines) + 1 == len(body.strip().splitlines())
    return [re.split(r"(?<!\\)&", line) for line in lines]


class TableReader(HTMLParser):
    """Rows, cells and caption of an HTML table."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.caption = ""
        self.tags: set[str] = set()
        self._open = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.add(tag)
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")
        if tag in ("td", "th", "caption"):
            self._open = tag

    def handle_data(self, data: str) -> None:
        if self._open == "caption":
            self.caption += data
        elif self._open:
            self.rows[-1][-1] += data


def check_every_form(grid: Grid) -> None:
    shape = [len(grid.columns)] * (len(grid.rows) + 1)
    title = " ".join(grid.title.splitlines())
    expected = numbers_of(grid)
    assert from_csv(grid) == [
        [in_csv(cell, column) for cell, column in zip(row, grid.columns, strict=True)]
        for row in expected
    ]
    form = json.loads(json.dumps(grid.to_dict(), allow_nan=False))
    assert form["rows"] == expected
    assert form["title"] == grid.title
    assert len(form["columns"]) == len(grid.columns)
    assert [len(row) for row in markdown_cells(grid)] == shape
    assert [len(row) for row in latex_cells(grid)] == shape
    page = TableReader(str(grid_table(grid)))
    assert [len(row) for row in page.rows] == shape
    assert page.tags <= {"table", "caption", "thead", "tbody", "tr", "th", "td", "sup", "strong"}
    heading = 2 if title else 0
    assert len(grid.to_text().splitlines()) == heading + len(shape) + len(grid.notes)
    if title.isalnum():
        assert title in grid.to_text()
        assert title in grid.to_markdown()
        assert grid.to_latex().count(title) == 2  # as a comment, and in print
        assert title in page.caption


@every_result
def test_every_table_in_every_form(name):
    """Numbers stand in columns of numbers, so that programs can sort and add them."""
    result = result_named(name)
    assert result.table_names
    for table in (one for one in result.table_names if one != "paper"):
        (grid,) = result.tables(table)
        check_every_form(grid)
        for value, column in zip(chain(*numbers_of(grid)), cycle(grid.columns), strict=False):
            if value is not None:
                assert isinstance(value, str) == (column.unit == "text"), (grid.title, column)
        assert result.to_csv(table) == grid.to_csv()
        assert result.to_text(table) == grid.to_text()
        assert json.loads(result.to_json(table)) == [json.loads(json.dumps(grid.to_dict()))]
    with refused("unknown-value"):
        result.tables("nonsense")


@every_result
def test_the_document_is_left_out_last(name):
    """It is the first of the columns of the lowest priority; 80 characters are enough for it."""
    for grid in result_named(name).tables(*result_named(name).table_names):
        assert all(one.priority <= 1 for one in grid.columns if one.title == "document")
        hidden = grid.head(5).to_text(80).partition("Hidden at this width: ")[2].partition(". ")[0]
        assert "document" not in hidden.replace("\n", " ").split(", ")


@every_result
def test_the_whole_result(name, tmp_path):
    result = result_named(name)
    assert set(result.default_tables) <= set(result.table_names)
    assert result.csv_table in result.table_names
    assert json.loads(result.to_json()) == json.loads(json.dumps(result.to_dict()))
    for grid in result.tables():
        assert grid.to_markdown() in result.to_markdown()
        assert grid.to_latex() in result.to_latex()
    paths = result.save_plots(tmp_path)
    assert [path.stem for path in paths] == list(result.figures())
    assert all(path.read_text("utf-8").startswith("<svg") for path in paths)


@every_result
def test_a_notebook_shows_what_a_terminal_shows(name):
    result = result_named(name)
    grids = result.summary()
    verdict = [result.verdict] if result.verdict else []
    shown = "\n\n".join([*verdict, *(grid.to_text() for grid in grids)])
    assert repr(result) == (f"{shown}\n{result.footer}" if result.footer else shown)
    page = TableReader(result._repr_html_())
    texts = [cell.strip() for row in page.rows for cell in row]
    for grid in grids:
        for row in grid.rows:
            for column, value in zip(grid.columns, row, strict=True):
                shown = column.number(value) if isinstance(value, Marked) else column.shown(value)
                assert any(text.startswith(shown.strip()) for text in texts)


@every_result
def test_an_option_that_no_table_has_is_refused(name):
    result = result_named(name)
    for call in (result.tables, result.summary, result.to_text, result.to_markdown, result.to_csv):
        with refused("unknown-value"):
            call(documents_of=True)
    others = result.table_options(*result.table_names) - result.table_options(result.csv_table)
    for option in others:
        with refused("unknown-value"):
            result.to_csv(**{option: 1})


def test_options_go_to_the_tables_that_have_them():
    explanation = corefine.explain(KEY, CAREFUL, "muc")
    one, three = (explanation.tables("examples", examples=n)[0] for n in (1, 3))
    assert len(one.rows) < len(three.rows)
    kinds, worst = explanation.tables("kinds", "worst", top={"worst": 0})
    assert len(kinds.rows) > 0
    assert (list(worst.rows), worst.notes) == ([], ("… 1 more",))
    entities = corefine.entities(KEY, CAREFUL)
    (grid,) = entities.tables("entities", sort="size", top=2)
    assert [row[3] for row in grid.rows] == sorted((e.size for e in entities), reverse=True)[:2]


def test_few_rows_of_many_are_made():
    made: list[int] = []

    def row(number: int) -> tuple[Value, ...]:
        made.append(number)
        return (number,)

    grid = Grid((Column("n", "integer"),), LazyRows(range(1000), row)).head(3)
    assert grid.to_csv().split() == ["n", "0", "1", "2"]
    assert made == [0, 1, 2]


HOSTILE = [
    "a | b",
    "a & b",
    "two\nlines",
    "two\r\nlines",
    "a\rb",
    "line\u2028separator",
    "<script>alert(1)</script>",
    "\\",
    "\\|",
    "ends in \\",
    "[1ex]",
    "*",
    "100% $x$ #1 _a_ {b} ~ ^",
    '"quoted", and',
    "`code`",
    "\x00\x1b[31m",
    "\x9b31m\x7f",
    "\u202eesrever",
    "=1+1",
    "  @SUM(A1)",
    "@anna",
    "+cmd|' /C calc'!A0",
    "-2+3",
    "-0.5",
    "\t=1",
    "\uff1d1",
    "-",
    "[x](javascript:alert(1))",
    "",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_no_cell_breaks_its_row(text):
    grid = Grid(
        (Column(text, name="first"), Column("F1", "percent"), Column("last", group=text)),
        [(text, 1 / 3, text), (text, None, text), ("plain", Marked(0.5, "*", best=True), text)],
        text,
        (text,),
    )
    if "\n" not in text and "\r" not in text:
        check_every_form(Grid(grid.columns[:2], [row[:2] for row in grid.rows], text))
    assert [len(row) for row in markdown_cells(grid)] == [3] * 4
    latex = [len(row) for row in latex_cells(grid)]
    assert latex == [3] * (5 if text else 4)  # a row of groups
    assert not any(line.startswith(("[", "*")) for line in grid.to_latex().splitlines())
    assert "<script" not in grid.to_markdown()
    assert "](java" not in Grid(grid.columns, grid.rows, text).to_markdown()
    for form in (grid.to_text(), grid.to_markdown(), grid.to_latex(), grid.to_csv()):
        assert not any(is_control(one) for one in form if one not in "\t\n")
    assert "\u202e" not in grid.to_text()
    assert [row[0] for row in from_csv(grid)] == [in_csv(row[0], Column("")) for row in grid.rows]


@given(st.lists(st.tuples(st.text(max_size=20), st.floats() | st.none()), max_size=5))
def test_any_text_and_any_number(rows):
    grid = Grid((Column("name"), Column("value", "number")), rows)
    assert [len(row) for row in markdown_cells(grid)] == [2] * (len(rows) + 1)
    assert [len(row) for row in latex_cells(grid)] == [2] * (len(rows) + 1)
    assert len(grid.to_text().split("\n")) == len(rows) + 1
    finite = [None if value is None or not math.isfinite(value) else value for _, value in rows]
    form = json.loads(json.dumps(grid.to_dict(), allow_nan=False))
    assert [row[1] for row in form["rows"]] == finite
    assert [row[1] for row in from_csv(grid)] == finite
