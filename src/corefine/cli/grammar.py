"""The grammar that all commands share: sides, names, formats, metrics, settings."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from corefine.errors import UsageError
from corefine.matching.settings import CHOICES, HELP, WINDOW_HELP, Settings
from corefine.scoring.divisions import division_names, divisions_asked
from corefine.scoring.divisions.registry import registered
from corefine.scoring.sides import names_of

Command = TypeVar("Command", bound=Callable[..., Any])


def options(*decorators: Callable[[Any], Any]) -> Callable[[Command], Command]:
    """Several options, in this order."""

    def decorate(command: Command) -> Command:
        for option in reversed(decorators):
            command = option(command)
        return command

    return decorate


def format_option(side: str = "") -> Callable[[Command], Command]:
    """``--key-format``, ``--response-format``, or ``--format`` where there is one input."""
    return click.option(
        f"--{side}-format" if side else "--format",
        metavar="FORMAT",
        help=f"Format of the {side or 'input'}, where it is not recognised by its content.",
    )


align_option = click.option(
    "--align",
    type=click.Choice(("tolerant", "crac")),
    default="tolerant",
    show_default=True,
    help="How text tagged by a language model is aligned with its source: tolerantly, or as the "
    "cleaner of the CRAC shared task does.",
)
against_option = click.option(
    "--against",
    metavar="KEY",
    help="Corpus with the source of text tagged by a language model.",
)


def refuse_unused(tagged: bool, against: str | None, align: str) -> None:
    """Refuse what is said of tagged text where there is none."""
    if not tagged and (against is not None or align != "tolerant"):
        raise UsageError(
            "--against and --align are for text tagged by a language model",
            remedy="Leave them out, or name the format of the input.",
        )


key_and_response = options(
    click.argument("key", type=str),
    click.argument("response", type=str),
    format_option("key"),
    format_option("response"),
)
key_and_responses = options(
    click.argument("key", type=str),
    click.argument("responses", type=str, nargs=-1, required=True, metavar="[NAME=]RESPONSE..."),
    format_option("key"),
    format_option("response"),
)


def named_paths(arguments: Sequence[str], what: str = "response") -> dict[str, str]:
    """A path for each name: NAME=PATH, or named after the file.

    >>> named_paths(["runs/a/out.conll", "runs/b/out.conll", "best=c.conll.gz"])
    {'a/out': 'runs/a/out.conll', 'b/out': 'runs/b/out.conll', 'best': 'c.conll.gz'}
    """
    split = [_name_and_path(argument) for argument in arguments]
    unnamed = iter(names_of([path for name, path in split if name is None], what))
    named: dict[str, str] = {}
    for name, path in split:
        name = next(unnamed) if name is None else name
        if name in named:
            raise UsageError(
                f"two {what}s are named {name!r}", remedy="Give them other names: NAME=PATH."
            )
        named[name] = path
    return named


def _name_and_path(argument: str) -> tuple[str | None, str]:
    name, equals, path = argument.partition("=")
    # A file may have an equals sign in its own name, and a folder of the path before it.
    if not equals or os.path.exists(argument) or os.sep in name:
        return None, argument
    if not name.strip() or not path:
        raise UsageError(f"{argument!r} lacks a name or a path", remedy="Write NAME=PATH.")
    return name.strip(), path


def one_from_standard_input(*paths: str) -> None:
    """Refuse two inputs from standard input."""
    if paths.count("-") > 1:
        raise UsageError("only one input can come from standard input")


def metrics_option(default: str = "default", names: str = "") -> Callable[[Command], Command]:
    """``--metrics``."""
    listed = names or "default, all, or a comma-separated list: muc,lea,blanc(rule=luo2014)"
    return click.option(
        "-m",
        "--metrics",
        default=default,
        show_default=True,
        metavar="NAMES",
        help=f"{listed}. 'corefine metrics' explains them.",
    )


def kinds_option(default: str = "auto") -> Callable[[Command], Command]:
    """``--kinds``."""
    return click.option(
        "--kinds",
        default=default,
        show_default=True,
        metavar="SOURCE",
        help="Source of mention types (name, nominal, pronoun): auto (the format, else parts of "
        "speech), format, pos, guess (word lists for English and Polish), none, or a FILE with "
        "document, start, end and type in each line; a comma-separated list is asked in turn.",
    )


categories_options = options(
    click.option(
        "--lenient",
        is_flag=True,
        help="Holen's category 2b, not 4, for an entity with an overlapping but no exact mention.",
    ),
    click.option(
        "--strict",
        is_flag=True,
        help="Category 2b only with an overlapping mention; 'other' without one.",
    ),
)

by_options = options(
    click.option(
        "--by",
        multiple=True,
        metavar="WAYS",
        help="Also score parts, a comma-separated list: "
        + ", ".join(f"{name} ({one.summary})" for name, one in registered().items())
        + ". Bounds can be given: size(2,5), spread(100,1000), distance(20,100,500).",
    ),
    click.option(
        "--genres",
        metavar="FILE|PATTERN",
        help="Genres for --by genre: a file of documents and genres, or a pattern in the ids of "
        "documents.  [default: what stands before the first '/', '_' or '-']",
    ),
)


def tables_known(tables: Iterable[str], by: Sequence[str], asked: str | None) -> list[str]:
    """Those tables that there are; ``by-…`` only where such scores are asked for."""
    ways = {division.name for division in divisions_asked(by)}
    known = []
    for name in tables:
        way = name.removeprefix("by-")
        if way == name or way in ways:
            known.append(name)
        elif name in (asked or ""):
            raise UsageError(f"the table {name} needs --by {way}")
    return known


BY_TABLES = tuple(f"by-{name}" for name in division_names())
"""The tables of scores by part."""

seed_option = click.option("--seed", type=int, default=0, show_default=True, help="Random seed.")


window_option = click.option(
    "--window", type=click.IntRange(min=1), metavar="TOKENS", help=WINDOW_HELP
)


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


def optional_settings(default: str) -> Callable[[Command], Command]:
    """An option for each setting, None where it is not given; ``default`` says what holds then."""
    return options(
        *(
            click.option(
                f"--{name.replace('_', '-')}",
                type=click.Choice(CHOICES[name]),
                show_default=default,
                help=HELP[name],
            )
            for name in CHOICES
        )
    )


def given_settings(options: dict[str, Any]) -> dict[str, Any]:
    """The settings that the user gives, and not those that are defaults."""
    source = click.get_current_context().get_parameter_source
    return {
        name: options[name]
        for name in (*CHOICES, "window")
        if source(name) is ParameterSource.COMMANDLINE
    }


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
