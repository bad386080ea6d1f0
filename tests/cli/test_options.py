"""One grammar for all commands: the same words for sides, formats, forms, places and tables."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import click
import pytest

from corefine.cli import cli, command_names, main
from corefine.cli.presentation import FORMS
from corefine.cli.samples import sample_path

KEY, CAREFUL, EAGER = map(sample_path, ("key", "careful", "eager"))
FAST = ("--trials", "9", "--replicates", "9")
CALLS: dict[str, tuple[str, ...]] = {
    "score": (KEY, CAREFUL),
    "compare": (KEY, CAREFUL, f"second={EAGER}", *FAST),
    "agree": (CAREFUL, f"second={EAGER}"),
    "entities": (KEY, CAREFUL),
    "explain": (KEY, CAREFUL),
    "audit": (KEY, CAREFUL, "--metrics", "muc,lea"),
    "check": (KEY, CAREFUL),
    "formats": (),
    "metrics": (),
}
"""For every command that presents a result, arguments with which it works."""
OTHERS = {"report", "reproduce", "resolve", "convert", "demo", "help"}


def command(name: str) -> click.Command:
    found = cli.get_command(click.Context(cli), name)
    assert found is not None
    return found


def options(name: str) -> dict[str, click.Parameter]:
    return {flag: one for one in command(name).params for flag in one.opts}


def test_every_command_is_walked() -> None:
    unknown = set(command_names()) - set(CALLS) - OTHERS
    for name in unknown:  # a new command has at least the words of the grammar
        flags = options(name)
        assert "--out" not in flags or "-o" in flags
    assert {*CALLS, *OTHERS} <= set(command_names())


@pytest.mark.parametrize("name", command_names())
def test_words_mean_the_same_everywhere(name: str) -> None:
    flags = options(name)
    if "--output" in flags:
        assert isinstance(flags["--output"].type, click.Choice), "--output is a form"
    if "--out" in flags:
        assert "-o" in flags
        assert not isinstance(flags["-o"].type, click.Choice), "-o is a place"
    arguments = [one.name for one in command(name).params if isinstance(one, click.Argument)]
    if "key" in arguments and arguments != ["key"]:
        assert {"--key-format", "--response-format"} <= set(flags)
    assert "--input-format" not in flags
    text = command(name).get_help(click.Context(command(name)))
    assert "with commas between them" not in text


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("form", FORMS)
def test_every_form_to_standard_output_and_to_a_file(
    name: str, form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    suffix = {"table": ".txt", "json": ".json", "csv": ".csv", "markdown": ".md", "latex": ".tex"}
    place = tmp_path / f"out{suffix[form]}"
    assert main([name, *CALLS[name], "--output", form]) == 0
    shown = capsys.readouterr().out
    if form == "table" and name in ("metrics", "formats"):
        return  # a short list; files have the whole table
    assert main([name, *CALLS[name], "-o", str(place)]) == 0
    assert capsys.readouterr().out == ""
    assert place.read_text("utf-8") == shown
    if form == "json":
        json.loads(shown)
    if form == "csv":
        rows = list(csv.reader(shown.splitlines()))
        assert len({len(row) for row in rows}) == 1


@pytest.mark.parametrize("name", CALLS)
def test_wrong_options_fail_before_any_work(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    missing = [str(tmp_path / "no-such-file") if Path(a).exists() else a for a in CALLS[name]]
    wrong = [(["-o", str(tmp_path / "out.xyz")], "output format")]
    if "--tables" in options(name):
        wrong.append((["--tables", "sores"], "table cannot be 'sores'"))
    if name not in ("check", "formats", "metrics"):
        wrong.append((["--metrics", "lae"], "lae"))
        wrong.append((["--singletons", "maybe"], "maybe"))
    for extra, message in wrong:
        assert main([name, *missing, *extra]) == 2
        captured = capsys.readouterr()
        assert message in captured.err
        assert "no-such-file" not in captured.err
        assert captured.out == ""
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["compare", "report", "agree"])
def test_responses_are_named(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    named = [f"one={CAREFUL}", f"two={EAGER}"]
    sides = named if name == "agree" else [KEY, *named]
    extra = {"compare": FAST, "report": ("--replicates", "9", "-o", str(tmp_path / "r.html"))}
    assert main([name, *sides, "--metrics", "muc", *extra.get(name, ())]) == 0
    shown = capsys.readouterr().out
    text = (tmp_path / "r.html").read_text("utf-8") if name == "report" else shown
    assert "one" in text
    assert "two" in text
    assert main([name, *sides[:-1], f"one={EAGER}", "--metrics", "muc"]) == 2
    assert "are named 'one'" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["score", "entities", "explain", "audit", "compare", "agree"])
def test_tables_are_chosen_by_name(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    help_text = " ".join(command(name).get_help(click.Context(command(name))).split())
    listed = help_text.split("Tables to show, a comma-separated list of ")[1]
    first = listed.split(",")[0].strip()
    assert main([name, *CALLS[name], "--tables", first]) == 0
    one = capsys.readouterr().out
    assert main([name, *CALLS[name], "--tables", "all"]) == 0
    assert len(capsys.readouterr().out) > len(one)
    assert main([name, *CALLS[name], "--tables", first, "--output", "json"]) == 0
    (table,) = json.loads(capsys.readouterr().out)
    assert table["rows"]
