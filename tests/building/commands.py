"""The command line, run in this process."""

from __future__ import annotations

import io
import json
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from typing import Any, NamedTuple

import click

from corefine.cli import cli, command_names, main


class Answer(NamedTuple):
    """The exit status of a command, and what it printed."""

    status: int
    output: str
    messages: str

    @property
    def json(self) -> Any:
        """The output of ``--output json``."""
        assert self.status == 0, self.messages
        return json.loads(self.output)

    @property
    def f1(self) -> dict[str, float]:
        """F1 by metric of ``--output json``."""
        return {metric: score["f1"] for metric, score in self.json["scores"].items()}

    @property
    def error(self) -> str:
        """The error of a refusal: the last line of the messages."""
        return self.messages.rstrip("\n").rpartition("\n")[2]


def run(*arguments: object) -> Answer:
    """Run a command; an exception that is no error of corefine is raised."""
    streams = [io.TextIOWrapper(io.BytesIO(), "utf-8", newline="") for _ in range(2)]
    with redirect_stdout(streams[0]), redirect_stderr(streams[1]):
        status = main(list(map(str, arguments)))
    texts = []
    for stream in streams:
        stream.flush()
        texts.append(stream.buffer.getvalue().decode("utf-8"))  # type: ignore[attr-defined]
    return Answer(status, *texts)


@cache
def commands() -> dict[str, click.Command]:
    """Every command by its words: ``score``, ``resolve train``."""
    context = click.Context(cli)
    found: dict[str, click.Command] = {}
    for name in command_names():
        command = cli.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            for part in command.list_commands(context):
                inner = command.get_command(context, part)
                assert inner is not None
                found[f"{name} {part}"] = inner
        else:
            found[name] = command
    return found


def options(command: str) -> dict[str, click.Option]:
    """The options of a command by their long names."""
    return {
        name: one
        for one in commands()[command].params
        if isinstance(one, click.Option)
        for name in one.opts
        if name.startswith("--")
    }
