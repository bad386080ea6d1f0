"""Options that several commands share, so that they have the same names everywhere."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeVar

import click

from corefine.matching.settings import CHOICES, HELP, Settings

Command = TypeVar("Command", bound=Callable[..., Any])

OUTPUTS = ("table", "json", "csv", "markdown", "latex")


def key_and_response(command: Command) -> Command:
    """The two files, and the formats they are in."""
    for decorate in (
        click.argument("key", type=str),
        click.argument("response", type=str),
        format_option("key"),
        format_option("response"),
    )[::-1]:
        command = decorate(command)
    return command


def format_option(side: str) -> Callable[[Command], Command]:
    return click.option(
        f"--{side}-format",
        metavar="FORMAT",
        help=f"Format of the {side}, where it is not the one that its content shows.",
    )


def metrics_option(default: str = "default") -> Callable[[Command], Command]:
    return click.option(
        "-m",
        "--metrics",
        default=default,
        show_default=True,
        metavar="NAMES",
        help="default, all, or names with commas between them: muc,lea,blanc(rule=luo2014).",
    )


def kinds_option(command: Command) -> Command:
    """Where the kinds of mentions are known from."""
    return click.option(
        "--kinds",
        default="auto",
        show_default=True,
        metavar="SOURCE",
        help="Where names, nominals and pronouns are known from, for metrics that tell them apart: "
        "auto (what the format says, else parts of speech), format, pos, guess (lists of words, "
        "English and Polish), none, or a FILE with document, start, end and kind in each line. "
        "Several with commas between them are asked in turn.",
    )(command)


def categories_options(command: Command) -> Command:
    """How Holen's categories are told apart where her formulas leave a choice."""
    for decorate in (
        click.option(
            "--lenient",
            is_flag=True,
            help="Take an entity of which no mention is exact, but one overlaps, for category 2b "
            "instead of 4.",
        ),
        click.option(
            "--strict",
            is_flag=True,
            help="Ask for a partial mention in category 2b; without one it is 'other'.",
        ),
    )[::-1]:
        command = decorate(command)
    return command


def settings_options(command: Command) -> Command:
    """An option for each setting that changes a score."""
    for name in reversed(CHOICES):
        command = click.option(
            f"--{name.replace('_', '-')}",
            type=click.Choice(CHOICES[name]),
            default=getattr(Settings(), name),
            show_default=True,
            help=HELP[name],
        )(command)
    return command


def output_option(*outputs: str) -> Callable[[Command], Command]:
    """The form of the output; JSON and the others go to standard output alone."""
    return click.option(
        "--output",
        type=click.Choice(outputs or OUTPUTS),
        default="table",
        show_default=True,
        help="Form of the output.",
    )


def take_settings(options: dict[str, Any]) -> Settings:
    """The settings among a command's options, taken out of them."""
    return Settings(**{name: options.pop(name) for name in CHOICES})


class MemoryType(click.ParamType[int]):
    """An amount of memory such as 512M or 2G, as bytes."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]?)i?B?", str(value).strip(), re.IGNORECASE)
        if match is None or not float(match.group(1)):
            self.fail(f"{value!r} is not an amount of memory; write 512M or 2G.", param, ctx)
        power = " KMGT".index(match.group(2).upper() or " ")
        return int(float(match.group(1)) * 1024**power)


MEMORY = MemoryType()
