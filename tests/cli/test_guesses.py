"""Command lines that people guess, with the advice that they get."""

from __future__ import annotations

import pytest

from corefine.cli import main

ADVICE = {
    "score key.conll a.conll --json": "Write '--output json'.",
    "score --gold key.conll a.conll": "The key is the first argument",
    "score key.conll a.conll --metrics muc b3": "Separate metrics with commas",
    "score key.conll a.conll b.conll": "corefine compare KEY RESPONSE",
    "explain key.conll a.conll b.conll": "'explain' takes one response",
    "scor key.conll a.conll": "Did you mean 'score'?",
}


@pytest.mark.parametrize("line", ADVICE)
def test_wrong_command_lines_get_advice(line, capsys):
    assert main(line.split()) == 2
    assert ADVICE[line] in capsys.readouterr().err
