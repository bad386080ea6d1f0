"""Help: options in groups, examples that parse, and the bundled sample without a path."""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from corefine.cli import COMMANDS as SECTIONS
from corefine.cli import cli, command_names, main
from corefine.cli.help_pages import OPTION_GROUPS, Command, CommandGroup
from corefine.cli.samples import SAMPLES, sample_path


def commands() -> Iterator[tuple[str, click.Command]]:
    """Every command and command of a group, by the words that call it."""
    for name in command_names():
        found = cli.get_command(click.Context(cli), name)
        assert found is not None
        yield name, found
        if isinstance(found, click.Group):
            yield from ((f"{name} {inner}", one) for inner, one in found.commands.items())


COMMANDS = dict(commands())
LEAVES = {name: one for name, one in COMMANDS.items() if not isinstance(one, click.Group)}


@pytest.mark.parametrize("name", LEAVES)
def test_every_option_has_a_group_and_a_help_text(name: str) -> None:
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


def test_the_list_of_commands_names_each_one_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    shown = capsys.readouterr().out
    for section, summaries in SECTIONS.items():
        assert f"\n{section}:\n" in shown
        for name, (_, summary) in summaries.items():
            assert [name, *summary.split()] in map(str.split, shown.splitlines())


def test_the_list_of_commands_imports_no_numpy() -> None:
    asking = "from corefine.cli import main; main(['--help']); import sys; print(*sys.modules)"
    said = subprocess.run(
        [sys.executable, "-c", asking], capture_output=True, text=True, check=True
    )
    modules = said.stdout.splitlines()[-1].split()
    assert "click" in modules
    assert "numpy" not in modules


def test_groups_follow_one_order() -> None:
    text = COMMANDS["score"].get_help(click.Context(COMMANDS["score"]))
    places = [text.index(f"\n{group}:\n") for group in OPTION_GROUPS if f"\n{group}:\n" in text]
    assert len(places) == 4
    assert places == sorted(places)


@pytest.mark.parametrize("name", COMMANDS)
def test_two_examples_that_parse(name: str) -> None:
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


def test_help_of_commands_is_their_own(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["help", "resolve", "train"]) == 0
    shown = capsys.readouterr().out
    assert main(["resolve", "train", "--help"]) == 0
    assert capsys.readouterr().out == shown
    assert main(["help"]) == 0
    shown = capsys.readouterr().out
    assert "Score and compare:" in shown
    assert main(["help", "scroe"]) == 2
    assert "Did you mean 'score'?" in capsys.readouterr().err


def test_rarely_used_options_are_shown_on_request(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
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


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["score", "a", "b", "--preset", "crac5"], "crac25"),
        (["score", "a", "b", "--match=hed"], "head"),
        (["challenge", "gapp", "a", "b"], "gap"),
        (["score", "a", "b", "c"], "corefine compare"),
    ],
)
def test_errors_suggest_what_may_be_meant(
    arguments: list[str], hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    said = capsys.readouterr().err
    assert f"Did you mean {hint!r}?" in said or hint in said.splitlines()[-1]


@pytest.mark.parametrize("name", ["score", "compare", "explain", "entities", "audit", "agree"])
def test_the_sample_needs_no_path(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    few = ["--metrics", "lea"] + (["--trials", "9", "--replicates", "9"] * (name == "compare"))
    assert main([name, "--sample", *few]) == 0
    shown = capsys.readouterr().out
    paths = [sample_path(one) for one in SAMPLES]
    sides = {"compare": paths, "agree": paths[1:]}.get(name, paths[:2])
    assert main([name, *sides, *few]) == 0
    assert capsys.readouterr().out == shown
    assert main([name, "--sample", *sides, *few]) == 2
    assert capsys.readouterr().out == ""


def test_demo_writes_the_sample(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(2):  # the same files again are no harm
        assert main(["demo", "--write", str(tmp_path / "sample")]) == 0
        written = [Path(line) for line in capsys.readouterr().out.splitlines()]
        assert [path.stem for path in written] == list(SAMPLES)
    for path in written:
        assert path.read_bytes() == Path(sample_path(path.stem)).read_bytes()
    written[1].write_text("mine\n")
    assert main(["demo", "--write", str(tmp_path / "sample")]) == 2
    assert "exists and is not the bundled sample" in capsys.readouterr().err
    assert written[1].read_text() == "mine\n"


def test_all_sentences_are_printed_to_one_file(tmp_path: Path) -> None:
    """Help pages, message templates and the texts of HTML pages, to be read through."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.building.sentences"],
        cwd=Path(__file__).resolve().parents[2],
        capture_output=True,
        text=True,
        check=True,
    )
    (tmp_path / "sentences.txt").write_text(done.stdout, "utf-8")
    for name in COMMANDS:
        assert f"\n===== corefine {name}\n" in done.stdout
    for said in ("no such file or directory", "Choose a mention in the text", "Random seed."):
        assert said in done.stdout
    stale = [
        "whose worth is known", "what stands first", "go the same way", "nobody learns",
        "Agree to lose", "Of random numbers", "with commas between", "have other tokens",
        "hangs", "conflated and divided", "Shuffles of the test",
    ]  # fmt: skip
    assert [words for words in stale if words in done.stdout] == []
