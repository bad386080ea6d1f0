"""Help: options in groups, examples that parse, and the bundled sample without a path."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest

from corefine.cli import COMMANDS as SECTIONS
from corefine.cli import cli, command_names, main
from corefine.cli.help_pages import OPTION_GROUPS, RARE, Command, CommandGroup
from corefine.formats.sample import SAMPLES, sample_path
from tests.building.commands import commands

LEAVES = commands()
GROUP = cli.get_command(click.Context(cli), "resolve")
assert GROUP is not None
COMMANDS = {**LEAVES, "resolve": GROUP}


@pytest.mark.parametrize("name", LEAVES)
def test_every_option_has_a_group_and_a_help_text(name):
    command = LEAVES[name]
    assert isinstance(command, Command), "declare it with @click.command(..., cls=Command)"
    command.shows_all = True
    shown = command.get_help(click.Context(command, info_name=name))
    command.shows_all = False
    for param in command.params:
        if isinstance(param, click.Option):
            group = command.group_of(param.name)
            assert f"\n{group}:\n" in shown
            assert param.help
            assert param.help[0].isupper() or param.help.startswith(("default", "all", "GAP"))
            assert param.help.rstrip("]").rstrip()[-1:] != ","
    assert "[x>" not in shown
    assert " RANGE" not in shown
    assert "x>=" not in shown
    assert "<x<" not in shown


def test_the_list_of_commands_names_each_one_there_is(capsys):
    assert main(["--help"]) == 0
    shown = capsys.readouterr().out
    for section, summaries in SECTIONS.items():
        assert f"\n{section}:\n" in shown
        for name, (_, summary) in summaries.items():
            if section == "More":
                assert re.search(rf"\b{name}\b", shown.partition("More:")[2])
            else:
                assert [name, *summary.split()] in map(str.split, shown.splitlines())


def test_the_command_line_stays_small(capsys, monkeypatch):
    """Commands, options and the length of the help would grow if they were not counted."""
    monkeypatch.setenv("COLUMNS", "80")
    assert len(command_names()) == 23
    assert sum(len(names) for title, names in SECTIONS.items() if title != "More") == 12
    assert main(["--help"]) == 0
    assert len(capsys.readouterr().out.splitlines()) <= 30
    own = {
        name: [one for one in command.params if isinstance(one, click.Option)]
        for name, command in LEAVES.items()
    }
    different = {max(one.opts, key=len) for found in own.values() for one in found}
    assert len(different) <= 85
    assert sum(map(len, own.values())) <= 330
    for name, found in own.items():
        assert sum(one.name not in RARE for one in found) <= 20, name


def test_the_list_of_commands_imports_no_numpy():
    asking = "from corefine.cli import main; main(['--help']); import sys; print(*sys.modules)"
    said = subprocess.run(
        [sys.executable, "-c", asking], capture_output=True, text=True, check=True
    )
    modules = said.stdout.splitlines()[-1].split()
    assert "click" in modules
    assert "numpy" not in modules


def test_groups_follow_one_order():
    text = COMMANDS["score"].get_help(click.Context(COMMANDS["score"]))
    places = [text.index(f"\n{group}:\n") for group in OPTION_GROUPS if f"\n{group}:\n" in text]
    assert len(places) == 4
    assert places == sorted(places)


@pytest.mark.parametrize("name", COMMANDS)
def test_two_examples_that_parse(name):
    command = COMMANDS[name]
    assert isinstance(command, Command | CommandGroup)
    own = [one for one in command.examples if one.startswith(f"corefine {name}")]
    assert len(own) >= 2, f"write two examples into the docstring of {name}"
    for example in command.examples:
        words = shlex.split(example)[1:]
        found: click.Command = cli
        while isinstance(found, click.Group):
            inner = found.get_command(click.Context(found), words.pop(0))
            assert inner is not None, example
            found = inner
        found.make_context(example, words)  # refuses what the command does not have


def test_help_of_commands_is_their_own(capsys):
    assert main(["help", "resolve", "train"]) == 0
    shown = capsys.readouterr().out
    assert main(["resolve", "train", "--help"]) == 0
    assert capsys.readouterr().out == shown
    assert main(["help"]) == 0
    shown = capsys.readouterr().out
    assert "Score and compare:" in shown
    assert main(["help", "scroe"]) == 2
    assert "Did you mean 'score'?" in capsys.readouterr().err


def test_rarely_used_options_are_shown_on_request(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["score", "--help"]) == 0
    short = capsys.readouterr().out
    assert len(short.splitlines()) <= 90
    assert "--scheduler" not in short
    assert "corefine help score --all" in short
    assert main(["help", "score", "--all"]) == 0
    shown = capsys.readouterr().out
    flags = [flag for param in COMMANDS["score"].params for flag in param.opts if flag[0] == "-"]
    assert all(flag in shown for flag in flags)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["score", "compare"])
def test_the_sample_needs_no_path(name, capsys):
    few = ["--metrics", "lea"] + (["--trials", "9", "--replicates", "9"] * (name == "compare"))
    assert main([name, "--sample", *few]) == 0
    shown = capsys.readouterr().out
    paths = [sample_path(one) for one in SAMPLES]
    sides = {"compare": paths}.get(name, paths[:2])
    assert main([name, *sides, *few]) == 0
    assert capsys.readouterr().out == shown
    assert main([name, "--sample", *sides, *few]) == 2
    assert capsys.readouterr().out == ""


def test_demo_writes_the_sample(tmp_path, capsys):
    for _ in range(2):  # the same files again are no harm
        assert main(["demo", "-o", str(tmp_path / "sample")]) == 0
        written = [Path(line) for line in capsys.readouterr().out.splitlines()]
        assert [path.stem for path in written] == list(SAMPLES)
    for path in written:
        assert path.read_bytes() == Path(sample_path(path.stem)).read_bytes()
    written[1].write_text("mine\n")
    assert main(["demo", "-o", str(tmp_path / "sample")]) == 2
    assert "exists and is not the bundled sample" in capsys.readouterr().err
    assert written[1].read_text() == "mine\n"
