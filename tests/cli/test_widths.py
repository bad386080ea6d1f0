"""Every command in terminals of several widths, on real data: one screen, no cut number.

A pipe gets all columns. A terminal shows whole numbers of the same tables, and names the columns
that it leaves out.
"""

from __future__ import annotations

import io
import itertools
import json
import re
import shutil
import sys
from collections import Counter
from pathlib import Path

import pytest

import corefine
from corefine.cli import main
from tests.explaining.test_challenges import gap_file

pytestmark = [pytest.mark.data, pytest.mark.slow]

NUMBER = re.compile(r"(?<![\w.])[+−-]?\d[\d,]*\.\d\d(?![\d.])")
COPIED = re.compile(r"\s*(\$ .*|corefine .*|\w+ = \{.*|\S+(\s+\S+)?|--\w+ \[.*)")
WORD = re.compile(r"\w+")
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
WIDTHS = (60, 80, 120)
ONE_SCREEN = {60: 34, 80: 30, 120: 30}
"""Lines, by width: notes on hidden columns are longer where more columns are hidden."""
FEW = ("--trials", "50", "--replicates", "20")
COMMANDS: dict[str, tuple[str, ...]] = {
    "score": ("score", "KEY", "XGB"),
    "score --preset": ("score", "KEY", "XGB", "--preset", "conll2012"),
    "score with all metrics": ("score", "KEY", "XGB", "--metrics", "all", "--kinds", "guess"),
    "why-differs": ("score", "KEY", "XGB", "--why-differs", "perl-8.01"),
    "compare": ("compare", "KEY", "XGB", "RULES", "arkref-with-gold-semantics=ARKREF", *FEW),
    "compare two": ("compare", "KEY", "XGB", "arkref-with-gold-semantics=ARKREF", *FEW),
    "suite": ("suite", "GOLD", "OURS", "--replicates", "20", "--jobs", "1"),
    "suite of two": ("suite", "GOLD", "xrenner-rules=OURS", "arkref=THEIRS", *FEW, "--jobs", "1"),
    "suite --tables": ("suite", "GOLD", "OURS", "--tables", "official", "--replicates", "20",
                         "--jobs", "1"),
    "adjudicate": ("adjudicate", "XGB", "RULES"),
    "agree": ("agree", "XGB", "RULES"),
    "explain": ("explain", "KEY", "XGB"),
    "entities": ("entities", "KEY", "XGB"),
    "audit": ("audit", "KEY", "XGB"),
    "check": ("check", "KEY", "XGB"),
    "demo": ("demo",),
    "gate": ("gate", "KEY", "XGB", "--against", "BASELINE", "--trials", "50"),
    "challenge gap": ("challenge", "gap", "GAP", "ANSWERS"),
    "challenge winobias": ("challenge", "winobias", "WINO", "ANSWERED"),
    "reproduce": ("reproduce", "holen"),
    "resolve": ("resolve", "cross-validate", "KEY", "--preset", "headmatch,singletons",
                "--folds", "2", "--jobs", "1"),
    "metrics": ("metrics",),
    "formats": ("formats",),
    "presets": ("presets",),
}  # fmt: skip
LONG = {"reproduce"}
"""Commands that print more than one screen on purpose, with prose that a terminal may cut short."""
LISTS: dict[str, tuple[str, ...]] = {
    "metrics": ("metrics", "lea", "parent"),
    "presets": ("presets", "crac25"),
    "metrics --bibtex": ("metrics", "conll", "lea", "parent", "--bibtex"),
    "leaderboard": ("leaderboard", "xgb=SAVED", "rules=BASELINE", "-o", "index.html"),
    "help": ("help",),
    **{f"help {name}": ("help", *name.split()) for name in ("score", "compare", "resolve train")},
}
FILES = {"KEY": "key", "XGB": "xrenner-xgb", "RULES": "xrenner-rules", "ARKREF": "arkref-goldsem"}


class Terminal(io.StringIO):
    """A standard output that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture(scope="module")
def made(data, tmp_path_factory):
    """What the names in COMMANDS stand for: real files, saved results, suites, a challenge."""
    folder = tmp_path_factory.mktemp("made")
    paths = {
        name: first_documents(data / "gum" / f"{file}.conll", folder)
        for name, file in FILES.items()
    }
    for name, response in (("SAVED", "XGB"), ("BASELINE", "RULES")):
        paths[name] = folder / f"{name.lower()}.json"
        counted = corefine.score(paths["KEY"], paths[response])
        counted.save(paths[name])
    paths["SAVES"] = folder / "saves"
    paths["SAVES"].mkdir()
    for name in ("SAVED", "BASELINE"):
        shutil.copy(paths[name], paths["SAVES"] / f"{name.lower()}-gum-e1-s1.json")
    for suite, file in (("GOLD", "key"), ("OURS", "xrenner-rules"), ("THEIRS", "arkref-goldsem")):
        paths[suite] = folder / suite.lower()
        paths[suite].mkdir()
        for corpus in ("gum", "ontogum"):
            made = first_documents(data / corpus / f"{file}.conllu", folder)
            made.rename(paths[suite] / f"en_{corpus}-dev.conllu")
    paths["GAP"], paths["ANSWERS"] = Path(gap_file(folder)), folder / "answers.tsv"
    paths["ANSWERS"].write_text("t-1\tTRUE\tFALSE\nt-2\tTRUE\tFALSE\nt-4\tFALSE\tTRUE\n")
    for name, antecedents in (("WINO", (0, 0)), ("ANSWERED", (0, 3))):
        paths[name] = folder / f"{name.lower()}.jsonl"
        paths[name].write_text("".join(map(schema, ("stereotype", "not_stereotype"), antecedents)))
    return paths


def first_documents(path: Path, folder: Path) -> Path:
    """The first documents of a corpus as a file of the folder."""
    documents = itertools.islice(corefine.read(path), 6)
    corefine.write(corefine.Corpus.from_documents(documents), folder / path.name, lossy=True)
    return folder / path.name


def schema(condition: str, antecedent: int) -> str:
    """A sentence of WinoBias in which "she" is the doctor (0) or the nurse (3)."""
    words = ["The", "doctor", "met", "the", "nurse", "because", "she", "was", "ill", "."]
    clusters = [[[antecedent, antecedent + 1], [6, 6]]]
    record = {"doc_key": f"type1/{condition}//0", "sentences": [words], "clusters": clusters}
    return json.dumps(record) + "\n"


def arguments(command: tuple[str, ...], made: dict[str, Path]) -> list[str]:
    given = []
    for word in command:
        label, equals, name = word.rpartition("=")
        given.append(f"{label}{equals}{made[name]}" if name in made else word)
    return given


def printed(given: list[str], width: int, monkeypatch: pytest.MonkeyPatch) -> str:
    """What the command prints to a terminal of this width, without colours."""
    terminal = Terminal()
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    with monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", terminal)
        assert main(given) == 0
    return COLOUR.sub("", terminal.getvalue())


@pytest.mark.parametrize("name", COMMANDS)
def test_default_output_fits_one_screen(name, made, monkeypatch, capsys):
    given = arguments(COMMANDS[name], made)
    assert main(given) == 0
    piped = capsys.readouterr().out
    expected = Counter(NUMBER.findall(piped))
    for width in WIDTHS:
        shown = printed(given, width, monkeypatch)
        lines = shown.splitlines()
        assert name in LONG or len(lines) <= ONE_SCREEN[width], width
        assert [line for line in lines if len(line) > width] == [], width
        assert Counter(NUMBER.findall(shown)) - expected == Counter(), width  # none is cut
        if width == max(WIDTHS) and "Hidden at" not in shown and name not in LONG:
            assert expected - Counter(NUMBER.findall(shown)) == Counter()


@pytest.mark.parametrize("name", LISTS)
def test_every_word_is_there(name, made, tmp_path, monkeypatch, capsys):
    """What is looked up, and help: wrapped, and nothing is cut.

    Only what is copied stays on one line: commands, signatures, BibTeX.
    """
    monkeypatch.chdir(tmp_path)
    given = arguments(LISTS[name], made)
    assert main(given) == 0
    expected = set(WORD.findall(capsys.readouterr().out))
    for width in WIDTHS:
        shown = printed(given, width, monkeypatch)
        assert expected - set(WORD.findall(shown)) == set(), width
        beyond = [line for line in shown.splitlines() if len(line) > width]
        assert [line for line in beyond if not COPIED.fullmatch(line)] == [], width
