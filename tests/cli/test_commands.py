"""Every command: what it prints, every output format, and one clear line per error."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import click
import pytest

import corefine
from corefine.cli import cli, command_names, main, presentation
from corefine.cli.options import FORMS
from corefine.cli.presentation import CLEARED_LINE, ProgressBar
from tests.building.commands import run
from tests.building.partitions import conll
from tests.building.sample import sample_path
from tests.comparing.test_systems import many_documents

KEY, CAREFUL, EAGER = map(sample_path, ("key", "careful", "eager"))
PAIR = (KEY, CAREFUL)
FEW = ("--trials", "9", "--replicates", "9")
GAP = (
    "ID\tText\tPronoun\tPronoun-offset\tA\tA-offset\tA-coref\tB\tB-offset\tB-coref\tURL\n"
    "x\tAnn met Eve when she left.\tshe\t17\tAnn\t0\tTRUE\tEve\t8\tFALSE\t-\n"
    "y\tAnn met Bob when he left.\the\t17\tAnn\t0\tFALSE\tBob\t8\tTRUE\t-\n"
)
EVERY: dict[str, tuple[tuple[str, ...], str]] = {
    "score": (PAIR, r"muc +100.00 +56.52 +72.22\n(.*\n)+match:exact\|.*\n$"),
    "score --per-document": ((*PAIR, "-m", "muc", "--per-document"), r"the-letter +72.22"),
    "score --intervals": ((*PAIR, "--intervals"), "fewer than two documents"),
    "score --why-differs": ((*PAIR, "--why-differs", "perl-8.01"), "perl-8.01"),
    "compare": (
        (KEY, CAREFUL, EAGER, *FEW),
        r"careful scores 2.15 CoNLL points higher than eager(.*\n)+conll +61.78 +59.63 +\+2.15",
    ),
    "compare --baseline": (
        (KEY, CAREFUL, EAGER, "--baseline", "eager", *FEW),
        r"baseline:eager\n$",
    ),
    "agree": (
        (CAREFUL, f"other={EAGER}"),
        r"Agreement of careful and other: (.*\n)+.* +link",
    ),
    "explain": (
        (*PAIR, "-m", "muc,b3"),
        r"Of 27.8 MUC points lost: (.*\n)+split entity +3 +9.83 +14.09\n(.*\n)+.* +72.22 +34 +12",
    ),
    "explain --tables": (
        (*PAIR, "-m", "muc,b3", "--tables", "kinds,corrected-alone,documents"),
        r"split entity +3 +25.00 +3 +0 +0\n(.*\n)+missing entity +4 +",
    ),
    "entities": (
        (*PAIR, "-m", "muc,b3"),
        r"2 \(18.2%\) are perfect(.*\n)+.*the letter +5 +2 +4 +4 +2a +85.71 +88.89 +87.30",
    ),
    "entities --tables ranks": (
        (*PAIR, "-m", "muc,b3", "--tables", "ranks"),
        r"the letter +5 +2 +4 +4 +2a +85.71 +3 +88.89 +3 +87.30",
    ),
    "entities --tables": (
        (*PAIR, "--tables", "categories,spurious"),
        r"2a +partial entity: mentions are missing +3 +27.27 .*\n(.*\n)+the-letter +1 +Marta Reyes",
    ),
    "entities --category-2b": (
        (*PAIR, "--category-2b", "lenient", "--tables", "categories"),
        "2b .* 0 +0.00",
    ),
    "audit": ((*PAIR, "-m", "muc,lea"), "No violation found"),
    "challenge": (("gap", "gap.tsv", "answers.tsv"), "100.00"),
    "check": (PAIR, "the-letter|careful.conll"),
    "convert": ((KEY, "-", "--to", "e2e"), '"doc_key"'),
    "gate": ((*PAIR, "--against", "base.json"), "passed: conll F1 is unchanged at 61.78"),
    "suite": (("gold", "ours"), "CoNLL F1 is 61.78 on average over 1 data sets"),
    "suite of two": (("gold", "ours", "theirs", *FEW), "Macro average over 1 data sets"),
    "leaderboard": (("base.json", "-o", "page.html"), "page.html: 1 system, 1 result"),
    "report": ((*PAIR, "-o", "page.html"), "page.html: 0.. MB"),
    "adjudicate": ((CAREFUL, EAGER), "splits off"),
    "describe": ((KEY, CAREFUL), r"mentions +34 +\d+"),
    "suspects": ((CAREFUL, f"one={KEY}", EAGER), r"4 places where(.*\n)+missing mention"),
    "check --fix": ((KEY, "--fix", "-o", "fixed.conll"), "0 repaired, 0 left"),
    "metrics": ((), "lea .*Link-based entity-aware"),
    "metrics lea": (("lea",), "Moosavi & Strube 2016"),
    "formats": ((), "conllu[*]"),
    "formats conll": (("conll",), "read, written"),
    "presets": ((), "crac25 .*CRAC 2025"),
    "presets crac25": (("crac25",), "match=head"),
    "metrics --bibtex": (("lea", "--bibtex"), "@inproceedings{moosavi-strube-2016-lea"),
    "reproduce": (("holen",), "holen +399"),
    "demo": ((), r"\nmuc .*> eager > careful\n(.*\n)*ceafm .*> careful > eager"),
    "help": (("gate",), "saved baseline"),
}
"""Arguments of a call, and a pattern in its output."""
ELSEWHERE = {"resolve"}
"""Commands with tests of their own."""
RESULTS = [
    name
    for name in EVERY
    if name.split()[0] in ("score", "compare", "agree", "explain", "entities", "audit", "check",
                           "challenge", "gate", "suite", "metrics", "formats", "presets",
                           "describe", "suspects")
    and not {"--why-differs", "--tables", "--fix", "--bibtex"} & set(name.split())
]  # fmt: skip
"""Calls whose result is written as JSON and CSV."""
METRICS_OF = ("score", "compare", "explain", "audit", "entities", "agree", "suite")


def options(name: str) -> dict[str, click.Parameter]:
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    return {flag: one for one in command.params for flag in one.opts}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """What the names in EVERY stand for."""
    folder = tmp_path_factory.mktemp("commands")
    for name, response in (("gold", KEY), ("ours", CAREFUL), ("theirs", EAGER)):
        (folder / name).mkdir()
        (folder / name / "letter.conll").write_text(Path(response).read_text("utf-8"), "utf-8")
    (folder / "gap.tsv").write_text(GAP)
    (folder / "answers.tsv").write_text("x\tTRUE\tFALSE\ny\tFALSE\tTRUE\n")
    (folder / "saved").mkdir()
    for place in ("base.json", "saved/a.json"):
        corefine.score(KEY, CAREFUL).save(folder / place)
    return folder


@pytest.fixture(autouse=True)
def at_home(folder, monkeypatch):
    monkeypatch.chdir(folder)


def test_every_command_is_called():
    called = {name.split()[0] for name in EVERY}
    assert called | ELSEWHERE >= set(command_names())


@pytest.mark.parametrize("call", EVERY)
def test_the_output_of_every_command(call):
    arguments, pattern = EVERY[call]
    status, out, err = run(call.split()[0], *arguments)
    assert status == 0, err
    assert re.search(pattern, out), out
    assert all(line.startswith("corefine: warning: ") for line in err.splitlines()), err


@pytest.mark.parametrize("form", FORMS)
def test_every_form_to_standard_output_and_to_a_file(form, tmp_path):
    suffix = {"table": ".txt", "json": ".json", "csv": ".csv", "markdown": ".md", "latex": ".tex"}
    place = tmp_path / f"out{suffix[form]}"
    shown = run("score", *PAIR, "--output", form)[1]
    assert run("score", *PAIR, "-o", place)[0] == 0
    assert place.read_text("utf-8") == shown


@pytest.mark.slow
@pytest.mark.parametrize("call", RESULTS)
def test_results_as_json_and_csv(call):
    asked = (call.split()[0], *EVERY[call][0], "--output")
    json.loads(run(*asked, "json")[1])
    rows = csv.reader(run(*asked, "csv")[1].splitlines())
    assert len({len(row) for row in rows}) == 1


@pytest.mark.parametrize("name", command_names())
def test_words_mean_the_same_everywhere(name):
    flags = options(name)
    if "--output" in flags:
        assert isinstance(flags["--output"].type, click.Choice), "--output is a form"
    if "--out" in flags:
        assert "-o" in flags
        assert not isinstance(flags["-o"].type, click.Choice), "-o is a place"
    arguments = [one.name for one in flags.values() if isinstance(one, click.Argument)]
    if "response" in arguments:
        assert {"--key-format", "--response-format"} <= set(flags)


@pytest.mark.parametrize("name", METRICS_OF[:-1])
def test_wrong_options_fail_before_files_are_read(name):
    missing = ["no-such-file" if Path(one).exists() else one for one in EVERY[name][0][:3]]
    status, _, err = run(name, *missing[: 3 if name == "compare" else 2], "-m", "lae")
    assert status == 2
    assert "no-such-file" not in err


def test_json_is_what_python_gives():
    calls = {
        ("score", *PAIR, "--per-document"): corefine.score(*PAIR).to_dict(documents=True),
        ("compare", KEY, CAREFUL, EAGER, *FEW): corefine.compare(
            KEY, CAREFUL, EAGER, trials=9, replicates=9
        ).to_dict(),
        ("entities", *PAIR): corefine.entities(*PAIR).to_dict(),
        ("explain", *PAIR, "-m", "lea"): corefine.explain(*PAIR, "lea").to_dict(),
        ("agree", CAREFUL, EAGER): corefine.agree(CAREFUL, EAGER).to_dict(),
    }
    for arguments, direct in calls.items():
        form = json.loads(run(*arguments, "--output", "json")[1])
        assert form == json.loads(json.dumps(direct)), arguments


@pytest.mark.slow
def test_every_option_reaches_the_plan(tmp_path):
    key, systems = many_documents()
    sides = [conll(tmp_path / "key.conll", key)]
    sides += [conll(tmp_path / f"{name}.conll", one) for name, one in systems.items()]
    words = "--test bootstrap --trials 300 --correction bh --alpha .1 --seed 7 --baseline poor"
    out = run("compare", *sides, "-m", "lea", "--output", "json", *words.split())[1]
    assert json.loads(out)["signature"].endswith(
        "test:bootstrap(300)|correction:bh|alpha:0.1|intervals:bootstrap(300)|seed:7|baseline:poor"
    )
    words = "--preset mcores --singletons drop"
    out = run("compare", *sides, "-m", "lea", "--output", "json", *words.split(), *FEW)[1]
    assert "|singletons:drop|" in json.loads(out)["signature"]
    assert "|test:randomization(pooled,9)|" in json.loads(out)["signature"]


def test_charts_follow_the_tables(tmp_path):
    call = ("compare", KEY, CAREFUL, EAGER, "-m", "lea", *FEW)
    expected = run(*call)[1]
    assert run(*call, "--plots", tmp_path / "plots")[0] == 0
    assert {path.suffix for path in (tmp_path / "plots").iterdir()} == {".svg"}
    (tmp_path / "taken" / "intervals.svg").mkdir(parents=True)
    status, out, err = run(*call, "--plots", tmp_path / "taken")
    assert (status, out) == (2, expected)
    assert "intervals.svg" in err


def test_png_without_its_extra_is_refused_before_the_work_begins(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "typst", None)
    monkeypatch.setattr("corefine.cli.commands.compare.compare", lambda *_: pytest.fail("began"))
    plots = ("--plots", tmp_path / "plots", "--plot-format", "png")
    status, out, err = run("compare", KEY, CAREFUL, EAGER, *plots)
    assert (status, out) == (2, "")
    assert "pip install 'corefine[plots]'" in err


def test_entities_and_errors_are_sorted_and_cut():
    out = run("entities", *PAIR, "--sort", "size", "--top", "2")[1]
    assert "… 9 more" in out
    assert "Marta" in out.splitlines()[3]
    arguments = ("explain", *PAIR, "-m", "muc", "--tables", "examples")
    assert "the-letter" not in run(*arguments, "--top", "0")[1]
    assert run(*arguments, "--top", "1")[1].count("the-letter") == 3


def test_warnings_go_to_standard_error_alone(tmp_path):
    key, response = tmp_path / "key.conll", tmp_path / "response.conll"
    key.write_text("#begin document (a)\na 0 0 Anna (1)\na 0 1 she (1)\n#end document\n")
    response.write_text("#begin document (a)\na 0 0 Anna (1)|(2)\na 0 1 she (1)\n#end document\n")
    status, out, err = run("score", key, response, "--output", "json")
    assert status == 0
    assert len(json.loads(out)["warnings"]) == 1
    assert err.startswith("corefine: warning: response: mention 'Anna'")
    status, out, err = run("score", key, response, "--duplicates", "error")
    assert (status, out) == (2, "")
    assert f"{response}:2" in err


@pytest.mark.slow
def test_standard_input_and_a_reader_that_goes_away():
    scoring = [sys.executable, "-m", "corefine", "score", KEY, "-", "-m", "muc", "--output", "csv"]
    done = subprocess.run(
        scoring, input=Path(CAREFUL).read_bytes(), capture_output=True, check=True
    )
    assert done.stdout.splitlines()[1].startswith(b"muc,1.0,0.565")
    reading, writing = os.pipe()
    os.close(reading)
    listing = [sys.executable, "-m", "corefine", "metrics"]
    done = subprocess.run(listing, stdout=writing, stderr=subprocess.PIPE)
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


# --- terminals of several widths ------------------------------------------------------------------

NUMBER = re.compile(r"(?<![\w.])[+−-]?\d[\d,]*\.\d\d(?![\d.])")
COPIED = re.compile(r"\s*(\$ .*|corefine .*|\w+ = \{.*|\S+(\s+\S+)?|--\w+ \[.*)")
"""Lines that are not wrapped, because they are copied: commands, signatures, BibTeX."""
LISTS = ("metrics lea", "presets crac25", "metrics --bibtex", "leaderboard", "report", "help")
"""What is looked up, and help: no word is left out."""
LONG = ("reproduce", "describe", "check --fix", *LISTS)
"""Calls that print more than one screen on purpose, or names of files."""


@pytest.mark.slow
@pytest.mark.parametrize(("width", "screen"), [(60, 34), (80, 30), (120, 30)])
@pytest.mark.parametrize("call", [call for call in EVERY if call != "convert"])
def test_every_output_fits_a_terminal(call, width, screen, monkeypatch):
    """One screen without a line that is cut; a pipe gets all columns."""
    asked = [call.split()[0], *map(str, EVERY[call][0])]
    piped = run(*asked)[1]
    terminal = Terminal()
    for name, value in (("COLUMNS", str(width)), ("NO_COLOR", "1"), ("TERM", "xterm")):
        monkeypatch.setenv(name, value)
    with monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", terminal)
        assert main(asked) == 0
    shown = re.sub(r"\x1b\[\d*m", "", terminal.getvalue())
    beyond = [line for line in shown.splitlines() if len(line) > width]
    if call in LISTS:
        assert set(re.findall(r"\w+", piped)) <= set(re.findall(r"\w+", shown))
        assert [line for line in beyond if not COPIED.fullmatch(line)] == []
    elif call not in LONG:
        assert beyond == []
        assert "--" in call or len(shown.splitlines()) <= screen
    expected, found = (Counter(NUMBER.findall(text)) for text in (piped, shown))
    assert found <= expected  # none is cut
    if width == 120 and "Hidden at" not in shown and call not in LONG:
        assert found == expected


# --- the progress bar ---------------------------------------------------------------------------


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
