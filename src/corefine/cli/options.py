"""Options that commands share, each declared once: inputs, metrics, settings, statistics.

An option that is not given is not passed on: functions, presets and saved results have defaults.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields
from glob import glob, has_magic
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from corefine.cli.runtime import OUTPUT
from corefine.errors import Location, UsageError, closest
from corefine.matching.settings import CHOICES, Settings
from corefine.output.result import PLOT_FORMATS, PLOT_STYLES
from corefine.scoring.presets import PRESETS
from corefine.scoring.request import BREAKDOWNS
from corefine.scoring.scorers import SCORERS
from corefine.scoring.sides import held_by, names_of

Command = TypeVar("Command", bound=Callable[..., Any])
Decorator = Callable[[Command], Command]


class Choice(click.Choice):  # type: ignore[type-arg] # generic only in new versions
    """One of several words; errors suggest a similar one."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        words = list(map(str, self.choices))
        if value not in words:
            listed = ", ".join(map(repr, words))
            self.fail(f"{value!r} is not one of {listed}.{closest(str(value), words)}", param, ctx)
        return value


FORMS = ("table", "json", "csv", "markdown", "latex")
SUFFIXES = {".txt": "table", ".json": "json", ".csv": "csv", ".md": "markdown", ".tex": "latex"}
"""Output formats by file suffix."""
LEAST_MEMORY = 1 << 20
"""Fewer bytes are a mistake: ``--memory 1`` means 1G to most people."""


class MemoryType(click.ParamType):  # type: ignore[type-arg] # generic only in new versions
    """An amount of memory such as 512M or 2G, as bytes."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        match = re.fullmatch(
            r"([0-9]{1,15}(?:\.[0-9]+)?)\s*([KMGT]?)i?B?", str(value).strip(), re.IGNORECASE
        )
        power = 0 if match is None else " KMGT".index(match.group(2).upper() or " ")
        size = 0 if match is None else int(float(match.group(1)) * 1024**power)
        if size < LEAST_MEMORY:
            self.fail(f"{value!r} is not a memory size; write 512M or 2G.", param, ctx)
        return size


MEMORY = MemoryType()


def options(*decorators: Decorator[Any]) -> Decorator[Any]:
    """Several options, in this order."""

    def decorate(command: Command) -> Command:
        for option in reversed(decorators):
            command = option(command)
        return command

    return decorate


def option(
    *flags: str, help: str, type: Any = None, default: Any = None, metavar: str | None = None
) -> Decorator[Any]:
    """An option; the help shows its default, if it has one."""
    shown = default is not None
    return click.option(
        *flags, type=type, default=default, metavar=metavar, show_default=shown, help=help
    )


def flag(name: str, help: str) -> Decorator[Any]:
    """An option without a value."""
    return click.option(name, is_flag=True, help=help)


def number(name: str, help: str, *, least: int = 1, default: int | None = None) -> Decorator[Any]:
    """An option with a whole number."""
    return option(name, type=click.IntRange(min=least), metavar="N", default=default, help=help)


def refuse(reason: str, *names: str) -> None:
    """Raise an error for options on the command line that have no effect in a case."""
    context = click.get_current_context()
    for parameter in context.command.params:
        source = context.get_parameter_source(parameter.name or "")
        if parameter.name in names and source is ParameterSource.COMMANDLINE:
            raise UsageError(f"{max(parameter.opts, key=len)} {reason}")


def refuse_others(reason: str, *names: str) -> None:
    """Refuse all options but these and the options of the output."""
    parameters = click.get_current_context().command.params
    kept = {*names, "sample", "output", "out", "tables"}
    options = (str(one.name) for one in parameters if isinstance(one, click.Option))
    refuse(reason, *(name for name in options if name not in kept))


def choice(
    name: str, words: Sequence[str], help: str, default: str | None = None
) -> Decorator[Any]:
    """An option with one of several words."""
    return option(name, type=Choice(tuple(words)), help=help, default=default)


def format_option(side: str = "") -> Decorator[Any]:
    """``--key-format``, ``--response-format``, or ``--format`` where there is one input."""
    return option(
        f"--{side}-format" if side else "--format",
        metavar="FORMAT",
        help=f"Format of the {side or 'input'}.  [default: detected from the content]",
    )


sample_option = click.option(
    "--sample", is_flag=True, expose_value=False, help="Use the bundled sample; give no files."
)
formats = options(format_option("key"), format_option("response"))
key_and_response = options(click.argument("key"), click.argument("response"), formats)
key_and_responses = options(
    click.argument("key"),
    click.argument("responses", nargs=-1, required=True, metavar="[NAME=]RESPONSE..."),
    formats,
)
files_of_comparison = options(
    click.argument("key"),
    click.argument("responses", nargs=-1, metavar="[NAME=]RESPONSE..."),
    formats,
)
against_option = option(
    "--against", metavar="KEY", help="Source corpus of text tagged by a language model."
)
align_option = choice(
    "--align",
    CHOICES["align"],
    "How to align the output of a language model with the source text: tolerantly, or like the "
    "cleaner of the CRAC shared task.",
    default="tolerant",
)
jobs_option = number("--jobs", "Processes for large files.  [default: one per core]")
memory_option = option(
    "--memory", type=MEMORY, help="Memory limit such as 512M for large files.  [default: 512M]"
)
seed_option = option("--seed", type=int, default=0, help="Random seed.")
scorer_option = option(
    "--scorer",
    "--as",
    "scorer",
    type=Choice(SCORERS),
    help="Score by another scorer's conventions.",
)


def metrics_option(default: str = "default", names: str = "") -> Decorator[Any]:
    """``--metrics``."""
    listed = names or "default, all, or a comma-separated list such as muc,lea"
    return option(
        "-m", "--metrics", default=default, metavar="NAMES", help=f"{listed} ('corefine metrics')."
    )


IDENTITY_ONLY = ("split_antecedents", "layer")
"""Settings that error analysis does not have."""
RARELY_NEEDED = (*IDENTITY_ONLY, "align", "unfound", "duplicates")
"""Settings that commands without a score of their own leave to Python."""


def kinds_option(default: str = "auto") -> Decorator[Any]:
    """``--kinds``."""
    return option(
        "--kinds",
        metavar="SOURCE",
        help="Source of mention kinds (name, nominal, pronoun): auto (format, else pos), format "
        "(as annotated), pos (part-of-speech tags), guess (word lists of English, Polish and "
        "Dutch), none, or a FILE of lines with document, start, end, type. A comma-separated list "
        f"is tried in order.  [default: {default}]",
    )


def settings_options(*left_out: str) -> Decorator[Any]:
    """``--preset``, and an option per setting, except those that a command leaves to Python."""
    preset = choice(
        "--preset",
        tuple(PRESETS),
        "Settings and metrics of a shared task ('corefine presets').",
    )
    found = [preset]
    for one in fields(Settings):
        if one.name in left_out:
            continue
        name, text = f"--{one.name.replace('_', '-')}", one.metadata["help"]
        if one.name in CHOICES:
            text += f"  [default: {one.default}]"
            found.append(choice(name, CHOICES[one.name], text))
        elif one.type is bool:
            found.append(click.option(name, is_flag=True, default=None, help=text))
        else:
            found.append(number(name, text))
    return options(*found)


def scoring_options(
    metrics: str = "default", names: str = "", left_out: Sequence[str] = ()
) -> Decorator[Any]:
    """Metrics, mention kinds and settings."""
    return options(metrics_option(metrics, names), kinds_option(), settings_options(*left_out))


by_options = options(
    click.option(
        "--by",
        multiple=True,
        metavar="WAYS",
        help="Also break scores down, a comma-separated list of "
        + ", ".join(f"{name} ({summary})" for name, summary in BREAKDOWNS.items())
        + ". Set bin edges with size(2,5), spread(100,1000), distance(20,100,500).",
    ),
    option(
        "--genres",
        metavar="FILE|PATTERN",
        help="Genres for --by genre: a file of document ids and genres, or a regular expression "
        "over document ids.  [default: the id up to the first '/', '_' or '-']",
    ),
)
BY_TABLES = tuple(f"by-{name}" for name in BREAKDOWNS)
"""The tables of breakdowns."""
HUMAN_TABLES = tuple(f"human-{name}" for name in ("ranks", "tau", "tau-differences", "judges"))
"""Names of tables that exist if judgements are given."""
LOSS_TABLES = ("losses", "alignment", "tags")
"""Names of tables that exist if a language model wrote a response."""


def missing_breakdowns(by: Sequence[str]) -> dict[str, str]:
    """Tables of breakdowns that are not asked for, with the option that adds them."""
    ways: set[str] = set()
    if by:
        from corefine.scoring.breakdowns import breakdowns_from

        ways = {breakdown.name for breakdown in breakdowns_from(by)}
    return {f"by-{name}": f"--by {name}" for name in BREAKDOWNS if name not in ways}


def statistics_options(*names: str) -> Decorator[Any]:
    """Options of tests and confidence intervals, in the order of the plan."""
    from corefine.comparing.plan import CHOICES as WORDS
    from corefine.comparing.plan import HELP, Plan

    found, usual = [], {one.name: one.default for one in fields(Plan)}
    for name, text in HELP.items():
        default = usual[name]
        if default is not None:
            text += f"  [default: {default}]"
        if name in names and name in WORDS:
            found.append(choice(f"--{name}", WORDS[name], text))
        elif name in names:
            kind = str if default is None else type(default)
            found.append(option(f"--{name}", type=kind, metavar="N", help=text))
    return options(*found)


form_option = choice("--output", FORMS, "Output format.  [default: table]")
"""``--output`` of commands that list what there is."""


def output_options(
    *tables: str, default: str = "all", forms: Sequence[str] = FORMS
) -> Decorator[Any]:
    """``--output``, ``-o`` and, if there are tables, ``--tables``."""
    found = [
        choice("--output", forms, "Output format.  [default: from the suffix of -o, else table]"),
        option(
            "-o",
            "--out",
            type=OUTPUT,
            metavar="FILE",
            help="Write to FILE (.txt, .json, .csv, .md, .tex) instead of standard output.",
        ),
    ]
    return options(*found, tables_option(tables, default)) if tables else options(*found)


def tables_option(tables: Iterable[str], default: str) -> Decorator[Any]:
    """``--tables``."""
    help = f"Tables to show, a comma-separated list of {', '.join(tables)}, all."
    return option("--tables", metavar="NAMES", help=f"{help}  [default: {default}]")


plot_options = options(
    option("--plots", type=OUTPUT, metavar="DIR", help="Write the charts to a directory."),
    choice(
        "--plot-format",
        (*PLOT_FORMATS, *PLOT_STYLES[1:]),
        "Format of charts; paper-serif and paper-sans are PDF files as wide as a column, with text "
        "of 8 pt. PDF and PNG need the 'plots' extra.",
        default=PLOT_FORMATS[0],
    ),
)


def page_option(default: str) -> Decorator[Any]:
    """``-o`` of a command that writes one file."""
    help = "Output file; '-' is standard output."
    return option("-o", "--out", type=OUTPUT, default=default, metavar="FILE", help=help)


def refuse_unused(tagged: bool, against: str | None, align: str) -> None:
    """Raise an error if options for tagged text are given without tagged text."""
    if not tagged and (against is not None or align != "tolerant"):
        raise UsageError(
            "--against and --align apply only to text tagged by a language model",
            remedy="Leave them out, or give the format of the input.",
        )


def one_from_standard_input(paths: Sequence[object]) -> None:
    """Refuse two inputs from standard input."""
    if list(paths).count("-") > 1:
        raise UsageError("only one input can be read from standard input")


def named_paths(arguments: Sequence[str], what: str = "response") -> dict[str, str]:
    """A path for each name: NAME=PATH, or named after the file.

    >>> named_paths(["a/out.conll", "b/out.conll", "best=c.conll.gz"])
    {'a/out': 'a/out.conll', 'b/out': 'b/out.conll', 'best': 'c.conll.gz'}
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


def system_paths(arguments: Sequence[str]) -> dict[str, str | list[str]]:
    """As :func:`named_paths`, but NAME=PATTERN means all matching files: several runs."""
    patterns = {name for name, _ in map(_name_and_path, arguments) if name is not None}
    return {
        name: _matching(path) if name in patterns else path
        for name, path in named_paths(arguments, "system").items()
    }


def is_stored(argument: str) -> bool:
    """True if [NAME=]PATH or NAME=PATTERN refers to a saved result."""
    _, path = _name_and_path(argument)
    found = _matching(path)
    return held_by(found if isinstance(found, str) else found[0]) is not None


def stored_results(arguments: Sequence[str]) -> list[str | dict[str, str | list[str]]]:
    """Stored results: PATH, FOLDER or PATTERN, and a dict for each NAME=PATH or NAME=PATTERN."""
    found: list[str | dict[str, str | list[str]]] = []
    for name, path in map(_name_and_path, arguments):
        paths = _matching(os.path.join(path, "*.json*") if os.path.isdir(path) else path)
        if name is not None:
            found.append({name: paths})
        else:
            found += [paths] if isinstance(paths, str) else paths
    return found


def _matching(path: str) -> str | list[str]:
    """The files that a pattern matches; a list, if there are several."""
    if not has_magic(path) or os.path.exists(path):
        return path
    found = sorted(glob(path))
    if not found:
        raise UsageError("no file matches this pattern", Location(path), "Check the path.")
    return found if len(found) > 1 else found[0]


def _name_and_path(argument: str) -> tuple[str | None, str]:
    name, equals, path = argument.partition("=")
    # A file may have an equals sign in its own name, and a folder of the path before it.
    if not equals or os.path.exists(argument) or os.sep in name:
        return None, argument
    if not name.strip() or not path:
        raise UsageError(f"{argument!r} has no name or no path", remedy="Write NAME=PATH.")
    return name.strip(), path
