"""Options that commands share: sides, names, formats, metrics, settings."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import Any, TypeVar, cast

import click
from click.core import ParameterSource

from corefine.errors import Location, UsageError
from corefine.matching.settings import CHOICES, HELP, Settings
from corefine.scoring.breakdowns import SUMMARIES as DIVISIONS
from corefine.scoring.breakdowns import breakdowns_from
from corefine.scoring.presets import PRESETS
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
        help=f"Format of the {side or 'input'}.  [default: detected from the content]",
    )


align_option = click.option(
    "--align",
    type=click.Choice(("tolerant", "crac")),
    default="tolerant",
    show_default=True,
    help="How to align the output of a language model with the source text: tolerantly, or like "
    "the cleaner of the CRAC shared task.",
)
against_option = click.option(
    "--against",
    metavar="KEY",
    help="Source corpus of text tagged by a language model.",
)


def refuse_unused(tagged: bool, against: str | None, align: str) -> None:
    """Raise an error if options for tagged text are given without tagged text."""
    if not tagged and (against is not None or align != "tolerant"):
        raise UsageError(
            "--against and --align apply only to text tagged by a language model",
            remedy="Leave them out, or give the format of the input.",
        )


sample_option = click.option(
    "--sample", is_flag=True, expose_value=False, help="Use the bundled sample; give no files."
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


suite_option = click.option(
    "--suite",
    is_flag=True,
    help="Many data sets at once: key and response are folders whose files have the same names, or "
    "TOML files that list them. Scores are averaged over data sets (macro).",
)


def refuse_with_suite(**given: Any) -> None:
    """Raise an error if options that suites do not have are given."""
    for name, value in given.items():
        if value not in (None, (), False):
            raise UsageError(f"--suite cannot be combined with --{name.replace('_', '-')}")


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
            raise UsageError(f"two {what}s are named {name!r}", remedy="Rename one with NAME=PATH.")
        named[name] = path
    return named


def named_runs(arguments: Sequence[str], what: str = "system") -> dict[str, str | list[str]]:
    """As :func:`named_paths`, but NAME=PATTERN means all matching files: several runs."""
    patterns = dict(filter(lambda one: one[0] is not None, map(_name_and_path, arguments)))
    return {
        name: _runs(path) if name in patterns else path
        for name, path in named_paths(arguments, what).items()
    }


def stored_results(arguments: Sequence[str]) -> list[str | dict[str, str | list[str]]]:
    """Stored results: PATH or PATTERN, and a dict for each NAME=PATH or NAME=PATTERN."""
    found: list[str | dict[str, str | list[str]]] = []
    for name, path in map(_name_and_path, arguments):
        paths = _stored_in(path) if os.path.isdir(path) else _runs(path)
        if name is not None:
            found.append({name: paths})
        else:
            found += [paths] if isinstance(paths, str) else paths
    return found


def _stored_in(folder: str) -> list[str]:
    """The saved results of a folder, without those of its subfolders."""
    names = sorted(name for name in os.listdir(folder) if name.endswith((".json", ".json.gz")))
    if not names:
        raise UsageError(
            "the directory has no saved results",
            Location(folder),
            "'corefine score --save FILE.json' saves them.",
        )
    return [os.path.join(folder, name) for name in names]


def _runs(path: str) -> str | list[str]:
    from glob import glob, has_magic

    if not has_magic(path) or os.path.exists(path):
        return path
    found = sorted(glob(path))
    if not found:
        raise UsageError(f"no file matches {path!r}", remedy="Write NAME=runs/name-*.conll.")
    return found if len(found) > 1 else found[0]


def _name_and_path(argument: str) -> tuple[str | None, str]:
    name, equals, path = argument.partition("=")
    # A file may have an equals sign in its own name, and a folder of the path before it.
    if not equals or os.path.exists(argument) or os.sep in name:
        return None, argument
    if not name.strip() or not path:
        raise UsageError(f"{argument!r} has no name or no path", remedy="Write NAME=PATH.")
    return name.strip(), path


def one_from_standard_input(*paths: str) -> None:
    """Refuse two inputs from standard input."""
    if paths.count("-") > 1:
        raise UsageError("only one input can be read from standard input")


def metrics_option(default: str = "default", names: str = "") -> Callable[[Command], Command]:
    """``--metrics``."""
    listed = names or "default, all, or a comma-separated list such as muc,lea"
    return click.option(
        "-m",
        "--metrics",
        default=default,
        show_default=True,
        metavar="NAMES",
        help=f"{listed} ('corefine help metrics').",
    )


def kinds_option(default: str = "auto") -> Callable[[Command], Command]:
    """``--kinds``."""
    return click.option(
        "--kinds",
        default=default,
        show_default=True,
        metavar="SOURCE",
        help="Source of mention kinds (name, nominal, pronoun): auto (format, else pos), format "
        "(as annotated), pos (part-of-speech tags), guess (word lists of English, Polish and "
        "Dutch), none, or a FILE of lines with document, start, end, type. A comma-separated list "
        "is tried in order.",
    )


categories_options = options(
    click.option(
        "--lenient",
        is_flag=True,
        help="Put entities with an overlapping but no exact mention in Holen's category 2b, not 4.",
    ),
    click.option(
        "--literal",
        is_flag=True,
        help="Apply Holen's formula for category 2b literally, even if no missed mention overlaps.",
    ),
)

by_options = options(
    click.option(
        "--by",
        multiple=True,
        metavar="WAYS",
        help="Also break scores down, a comma-separated list of "
        + ", ".join(f"{name} ({summary})" for name, summary in DIVISIONS.items())
        + ". Set bin edges with size(2,5), spread(100,1000), distance(20,100,500).",
    ),
    click.option(
        "--genres",
        metavar="FILE|PATTERN",
        help="Genres for --by genre: a file of document ids and genres, or a regular expression "
        "over document ids.  [default: the id up to the first '/', '_' or '-']",
    ),
)


def tables_known(tables: Iterable[str], by: Sequence[str], asked: str | None) -> list[str]:
    """The available tables; ``by-…`` only with ``--by``."""
    ways = {division.name for division in breakdowns_from(by)}
    known = []
    for name in tables:
        way = name.removeprefix("by-")
        if way == name or way in ways:
            known.append(name)
        elif name in [word.strip() for word in (asked or "").split(",")]:
            raise UsageError(f"the table {name} needs --by {way}")
    return known


BY_TABLES = tuple(f"by-{name}" for name in DIVISIONS)
"""The tables of breakdowns."""


def scorer_option(command: Command) -> Command:
    """``--scorer`` or ``--as``."""
    from corefine.scoring.scorers.profiles import PROFILES

    return click.option(
        "--scorer",
        "--as",
        "scorer",
        type=click.Choice(tuple(PROFILES)),
        help="Score by another scorer's conventions.",
    )(command)


def settings_for_scorer(options: dict[str, Any]) -> dict[str, Any]:
    """Options without the settings that are not given, if another scorer has its own."""
    if options.get("scorer") is None:
        return options
    if options.get("preset") is not None:
        raise UsageError("--preset cannot be combined with --as")
    given = given_settings(options)
    settings = (*CHOICES, "window", "kinds")
    return {name: value for name, value in options.items() if name not in settings} | given


def plan_options(*names: str) -> Callable[[Command], Command]:
    """Options of tests and intervals, from the fields of the plan of a comparison."""
    from dataclasses import fields

    from corefine.comparing.plan import Plan

    declared = {one.name: one for one in fields(Plan)}
    found = []
    for name in names:
        choices, default = declared[name].metadata["choices"], declared[name].default
        kind: Any = click.Choice(choices) if choices else str if default is None else type(default)
        found.append(
            click.option(
                f"--{name}",
                type=kind,
                default=default,
                show_default=default is not None,
                metavar="NAME" if default is None else None if choices else "N",
                help=declared[name].metadata["help"],
            )
        )
    return options(*found)


seed_option = click.option("--seed", type=int, default=0, show_default=True, help="Random seed.")


window_option = click.option(
    "--window", type=click.IntRange(min=1), metavar="N", help=HELP["window"]
)


refused_window_option = click.option(
    "--window",
    type=click.IntRange(min=1),
    metavar="N",
    hidden=True,
    help="Refused: whole documents are analysed.",
)
"""For analyses of whole documents, which say why they refuse it; the help does not offer it."""


def settings_options(command: Command) -> Command:
    """An option for each setting that changes a score, and ``--preset`` for many at once."""

    @wraps(command)
    def chosen(*arguments: Any, **options: Any) -> Any:
        if options["preset"] is None:
            del options["preset"]
            return command(*arguments, **options)
        # A preset holds where the user gives nothing else.
        given = given_settings(options)
        kept = {name: value for name, value in options.items() if name not in CHOICES}
        return command(*arguments, **{**kept, **given})

    return _with_settings(cast(Command, chosen))


def _preset_option(what: str) -> Callable[[Command], Command]:
    return click.option(
        "--preset",
        type=click.Choice(tuple(PRESETS)),
        metavar="PRESET",
        help=f"{what} of a shared task: {', '.join(PRESETS)} ('corefine help presets').",
    )


def _with_settings(command: Command) -> Command:
    command = _preset_option("Settings and metrics")(command)
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
    """An option per setting, None if not given; ``default`` describes that case."""
    return options(
        _preset_option("Settings"),
        *(
            click.option(
                f"--{name.replace('_', '-')}",
                type=click.Choice(CHOICES[name]),
                show_default=default,
                help=HELP[name],
            )
            for name in CHOICES
        ),
    )


def given_settings(options: dict[str, Any]) -> dict[str, Any]:
    """The settings that the user gives, and not those that are defaults."""
    source = click.get_current_context().get_parameter_source
    return {
        name: options[name]
        for name in (*CHOICES, "window")
        if source(name) is ParameterSource.COMMANDLINE
    }


class MemoryType(click.ParamType):  # type: ignore[type-arg] # generic only in new versions
    """An amount of memory such as 512M or 2G, as bytes."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        match = re.fullmatch(
            r"([0-9]{1,15}(?:\.[0-9]+)?)\s*([KMGT]?)i?B?", str(value).strip(), re.IGNORECASE
        )
        if match is None or not float(match.group(1)):
            self.fail(f"{value!r} is not a memory size; write 512M or 2G.", param, ctx)
        power = " KMGT".index(match.group(2).upper() or " ")
        return int(float(match.group(1)) * 1024**power)


MEMORY = MemoryType()
