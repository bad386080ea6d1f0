"""Every command in terminals of several widths, on real data: each digit is there, no line breaks.

What is printed to a pipe has all numbers; a terminal must show the same ones, however narrow.
"""

from __future__ import annotations

import io
import re
import sys
from collections import Counter
from pathlib import Path

import pytest

from corefine.cli import main
from tests.conftest import RealCorpora

pytestmark = [pytest.mark.data, pytest.mark.slow]

NUMBER = re.compile(r"(?<![\w.])[+−-]?\d[\d,]*\.\d\d(?![\d.])")
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
FEW = ("--trials", "50", "--replicates", "20")
TABLES = "scores,kinds,circumstances,corrected-alone,corrected-in-turn,categories,worst"
COMMANDS: dict[str, tuple[str, ...]] = {
    "score": ("score", "KEY", "XGB", "--per-document", "--by", "size"),
    "score with all metrics": ("score", "KEY", "XGB", "--metrics", "all", "--kinds", "guess"),
    "why-differs": ("score", "KEY", "XGB", "--why-differs", "perl-8.01"),
    "compare": ("compare", "KEY", "XGB", "RULES", "arkref-with-gold-semantics=ARKREF", *FEW,
                "--per-document"),
    "agree": ("agree", "XGB", "RULES"),
    "explain": ("explain", "KEY", "XGB", "--tables", TABLES),
    "entities": ("entities", "KEY", "XGB", "--ranks"),
    "audit": ("audit", "KEY", "XGB", "--tables", "scores,changes,wrong-mentions"),
    "check": ("check", "KEY", "XGB"),
    "demo": ("demo",),
    "reproduce": ("reproduce", "holen"),
    "resolve": ("resolve", "cross-validate", "KEY", "--presets", "headmatch,singletons",
                "--folds", "2", "--jobs", "1"),
}  # fmt: skip
FILES = {"KEY": "key", "XGB": "xrenner-xgb", "RULES": "xrenner-rules", "ARKREF": "arkref-goldsem"}


class Terminal(io.StringIO):
    """A standard output that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def arguments(command: tuple[str, ...], folder: Path) -> list[str]:
    given = []
    for word in command:
        for name, file in FILES.items():
            word = re.sub(rf"(^|=){name}$", rf"\g<1>{folder / file}.conll", word)
        given.append(word)
    return given


@pytest.mark.parametrize("name", COMMANDS)
def test_every_digit_is_there(
    name: str,
    data: RealCorpora,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    given = arguments(COMMANDS[name], data / "gum")
    assert main(given) == 0
    expected = Counter(NUMBER.findall(capsys.readouterr().out))
    for width in (60, 80, 100, 120):
        terminal = Terminal()
        monkeypatch.setenv("COLUMNS", str(width))
        monkeypatch.setenv("NO_COLOR", "1")
        monkeypatch.setenv("TERM", "xterm")
        with monkeypatch.context() as patched:
            patched.setattr(sys, "stdout", terminal)
            assert main(given) == 0
        shown = COLOUR.sub("", terminal.getvalue())
        assert expected - Counter(NUMBER.findall(shown)) == Counter(), width
        rows = [line for line in shown.splitlines() if line[:1] in "│┃└┌┏"]
        assert rows
        assert max(map(len, rows)) <= width
        beyond = [line for line in shown.splitlines() if len(line) > width]
        assert beyond == [], width
