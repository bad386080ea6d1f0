"""Tables as text of any width: no number is cut, and no column is left out silently."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corefine.output.grid import Column, Grid, Marked
from corefine.output.plain_text import cell_width, shortened_inside, wrapped_note

NUMBERS = [Column(f"score {number}", "percent", priority=number) for number in range(6)]
GRID = Grid(
    (Column("metric"), Column("a system with a long name", priority=9), *NUMBERS),
    [
        (f"metric{row}", "system" * 5, *(Marked((row * 6 + n) / 131, "ab") for n in range(6)))
        for row in range(5)
    ],
    "A title",
    ("a note",),
)


@pytest.mark.parametrize("width", range(25, 120, 5))
def test_no_number_is_cut(width):
    shown = GRID.to_text(width)
    assert all(len(line) <= width for line in shown.splitlines())
    note = re.sub(r"\s+", " ", shown).partition("Hidden at this width: ")[2].partition(". ")[0]
    left_out = note.split(", ") if note else []
    for number, column in enumerate(NUMBERS):
        for row in range(5):
            value = f"{100 * (row * 6 + number) / 131:.2f} ab"
            assert (value in shown) == (column.title not in left_out)
    assert left_out == [c.heading for c in GRID.columns if c.heading in left_out]
    assert "A title" in shown
    assert "a note" in shown


def test_columns_are_left_out_by_priority():
    columns = (Column("name"), Column("b", priority=1), Column("c", priority=2), Column("d"))
    grid = Grid(columns, [("n" * 12, "b" * 12, "c" * 12, "d" * 12)])
    assert grid.to_text(40).splitlines()[0].split() == ["name", "b", "d"]
    assert grid.to_text(30).splitlines()[0].split() == ["name", "d"]
    assert "Hidden at this width: b, c." in grid.to_text(30).replace("\n", " ")


def test_a_table_of_essential_columns_is_transposed():
    columns = (Column("metric"), *(Column(name, "percent") for name in ("P", "R", "F1")))
    grid = Grid(columns, [("muc", 0.25, 0.5, 1 / 3), ("lea", 0.5, 0.5, 0.5)])
    assert grid.to_text(22) == (
        "metric    muc    lea\nP       25.00  50.00\nR       50.00  50.00\nF1      33.33  50.00"
    )
    assert grid.to_text(15).splitlines() == [
        "metric  muc", "P       25.00", "R       50.00", "F1      33.33", "",
        "metric  lea", "P       50.00", "R       50.00", "F1      50.00",
    ]  # fmt: skip


def test_wide_characters_are_aligned():
    grid = Grid(
        (Column("name"), Column("n", "integer")), [("北京", 1), ("Oslo", 2), ("e\u0301", 3)]
    )
    assert {cell_width(line) for line in grid.to_text().splitlines()} == {7}


def test_colours_do_not_change_the_text():
    rows = [("muc", Marked(0.5, "!", tone="bad")), ("lea", Marked(0.6, best=True))]
    grid = Grid((Column("metric"), Column("F1", "percent")), rows, "title", ("note",))
    coloured = grid.to_text(color=True)
    assert "\x1b[31m50.00!\x1b[0m" in coloured
    assert "\x1b[1m60.00\x1b[0m" in coloured
    assert re.sub(r"\x1b\[\d*m", "", coloured) == grid.to_text()


@pytest.mark.parametrize("value", [-1e-9, 0.0, 1e-9])
def test_zero_has_no_sign(value):
    assert Column("d", "difference").shown(value) == Column("p", "percent").shown(value) == "0.00"


@given(st.text(), st.integers(1, 30))
def test_shortened_text_fits(text, width):
    assert cell_width(shortened_inside(text, width)) <= width


@given(st.lists(st.text("ab|", min_size=1, max_size=9), min_size=1), st.integers(9, 40))
def test_wrapped_notes_keep_every_word(words, width):
    note = " ".join(words)
    lines = wrapped_note(note, width)
    assert " ".join(lines).split() == note.split()
    assert max(map(len, lines)) <= width or len(words) == 1


@given(st.lists(st.text("ab-", min_size=1, max_size=30), min_size=1, max_size=6, unique=True))
def test_different_names_stay_different(names):
    columns = (Column("system"), Column("F1", "percent"))
    shown = Grid(columns, [(name, 0.5) for name in names]).to_text(24).split("\n")[1:]
    assert len(set(shown)) >= len(names)
