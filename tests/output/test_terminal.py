"""Tables in a terminal of any width: every number is there, whole."""

from __future__ import annotations

import pytest

from corefine.output.grid import Column, Grid, Marked

GRID = Grid(
    (
        Column("metric"),
        Column("a system with a long name"),
        *(Column(f"score {number}", "percent") for number in range(12)),
        Column("what is left to say of it"),
    ),
    [
        (
            f"metric{row}",
            "system" * 5,
            *(Marked((row * 12 + n) / 131, "ab") for n in range(12)),
            "x",
        )
        for row in range(5)
    ],
    "A title",
    ("a note",),
)


@pytest.mark.parametrize("width", [25, 40, 60, 80, 100, 120, 200])
def test_no_number_is_cut(
    width: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    GRID.print_to_terminal()
    shown = capsys.readouterr().out
    assert all(len(line) <= width for line in shown.splitlines())
    for row in range(5):
        for number in range(12):
            value = f"{100 * (row * 12 + number) / 131:.2f}"
            assert f" {value} ab" in shown, value
    assert "A title" in shown
    assert "a note" in shown
