"""The progress bar: on terminals only, one at a time, and gone at the end."""

from __future__ import annotations

import io
import sys

import pytest

from corefine.cli import presentation
from corefine.cli.presentation import CLEARED_LINE, ProgressBar


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def draw(monkeypatch: pytest.MonkeyPatch, stream: io.StringIO, patience: float = 0) -> str:
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(presentation, "PATIENCE", patience)
    with ProgressBar() as bar:
        for done in (1, 2, 4):
            bar("reading [red]a\x1b", done, 4)
        bar("counting", 100, 0)
        bar("counting", 200, 0)
    return stream.getvalue()


def test_each_task_has_a_bar_which_disappears(monkeypatch):
    drawn = draw(monkeypatch, Terminal())
    assert "reading [red]a\\x1b" in drawn
    assert "25%" in drawn
    assert "100%" in drawn.partition("counting")[0]
    assert "%" not in drawn.partition("counting")[2]
    assert drawn.count(CLEARED_LINE) == 2
    assert drawn.endswith(CLEARED_LINE)


def test_files_and_short_tasks_have_none(monkeypatch):
    assert draw(monkeypatch, io.StringIO()) == ""
    assert draw(monkeypatch, Terminal(), patience=60) == ""
