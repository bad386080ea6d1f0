"""The command line. Each command is a module of ``commands``, imported only when it is used."""

from __future__ import annotations

import gc
import io
import os
import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from types import ModuleType

import click

from corefine._version import __version__
from corefine.cli.help_pages import CommandGroup
from corefine.cli.runtime import (
    Ended,
    complain,
    discard_output,
    unwound_by_signals,
    whole_streams,
)
from corefine.errors import CorefineError, CorefineWarning, closest, printable

COMMANDS: dict[str, dict[str, tuple[str, str]]] = {
    "Score and compare": {
        "score": ("score", "Score a response against a key."),
        "compare": ("compare", "Compare systems: significance, confidence intervals, ranks."),
        "suite": ("compare", "Score and compare systems on many data sets."),
        "report": ("pages", "Write an HTML report: scores, charts, errors, text."),
    },
    "Understand errors and metrics": {
        "explain": ("explain", "Find errors, and the F1 lost to each error type."),
        "entities": ("examine", "Score each key entity separately."),
        "audit": ("examine", "Test which metrics to trust on this data."),
    },
    "Prepare and annotate data": {
        "check": ("prepare", "Validate files and summarise their content."),
        "convert": ("prepare", "Convert a corpus from one format to another."),
        "describe": ("curate", "Write a data card of one corpus, or several side by side."),
        "agree": ("examine", "Measure agreement between annotators."),
        "adjudicate": ("curate", "Build one gold annotation from several annotators."),
    },
    "More": {
        "gate": ("compare", "Fail if F1 drops significantly below a baseline (for CI)."),
        "leaderboard": ("pages", "Write a sortable HTML page from saved results."),
        "challenge": ("examine", "Score GAP or WinoBias, with gender bias."),
        "suspects": ("curate", "Find places where systems agree against the key."),
        "resolve": ("resolve", "Train, apply and cross-validate baseline resolvers."),
        "reproduce": ("look_up", "Recompute published tables, cell by cell."),
        "metrics": ("look_up", "Describe the metrics and when to use them."),
        "formats": ("prepare", "List the supported formats."),
        "presets": ("look_up", "List the settings and metrics of shared tasks."),
        "demo": ("look_up", "Score a bundled sample on which metrics disagree."),
        "help": ("look_up", "Explain a command."),
    },
}
"""Module and summary of each command, by section of the help.

The summaries are here so that the list is shown without importing the commands.
"""
MORE = "More"
"""Section of the help that lists names alone."""
MODULES = {name: row[0] for section in COMMANDS.values() for name, row in section.items()}

SYNONYMS = {
    "score": ("evaluate", "eval", "test"),
    "compare": ("diff", "significance"),
    "report": ("html", "page", "view"),
    "explain": ("errors", "analyse", "analyze"),
    "check": ("validate", "lint", "verify"),
    "describe": ("stats", "statistics", "info"),
    "agree": ("agreement", "iaa", "kappa"),
    "--version": ("version",),
}
"""Words that people type for a command."""

WITH_LARGE_MATRICES = frozenset({"compare", "suite", "resolve", "reproduce"})
"""Commands for which NumPy starts a thread per core; for small products these cost CPU only."""


def command_names() -> list[str]:
    """The names of all commands."""
    return list(MODULES)


def _imported(name: str) -> ModuleType:
    """Import a module and exclude its objects from garbage collection.

    Collecting them takes as long as a small scoring.
    """
    if name in sys.modules:
        return sys.modules[name]
    gc.disable()
    try:
        return import_module(name)
    finally:
        gc.freeze()
        gc.enable()


class LazyGroup(CommandGroup):
    """A group that imports only the command that is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return command_names()

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in MODULES:
            return None
        if cmd_name not in WITH_LARGE_MATRICES:
            os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        module = _imported(f"{__package__}.commands.{MODULES[cmd_name]}")
        command = getattr(module, f"{cmd_name}_command")
        assert isinstance(command, click.Command)
        return command

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands by what people want to do; rare commands are listed by name alone."""
        for title, section in COMMANDS.items():
            with formatter.section(title):
                if title == MORE:
                    names = ", ".join([*section, "--version"])
                    formatter.write_text(f"{names}. 'corefine help NAME' explains each.")
                else:
                    formatter.write_dl([(name, row[1]) for name, row in section.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            meant = next((name for name, words in SYNONYMS.items() if args[0] in words), args[0])
            hint = closest(meant, [*command_names(), "--version"])
            raise click.UsageError(f"{error.message}{hint}", ctx) from None


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"]},
    no_args_is_help=True,
)
@click.version_option(__version__, prog_name="corefine")
def cli() -> None:
    """Evaluate coreference resolution.

    \b
    corefine score key.conll response.conll
    corefine help score
    """


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the exit status is 0, or 2 if there is an error that a user can fix.

    A command may have a status of its own: that of a failed gate is 1. A signal that ends the run
    gives 128 plus its number, after temporary files and processes are removed.
    """
    with whole_streams(), unwound_by_signals(), warnings.catch_warnings():
        # The command line prints warnings itself.
        warnings.simplefilter("ignore", CorefineWarning)
        try:
            status = _run(arguments)
        except KeyboardInterrupt:
            complain("interrupted")
            status = 130
        try:
            sys.stdout.flush()
        except BrokenPipeError:
            discard_output()
        except OSError as error:
            discard_output()
            if not status:
                complain(f"corefine: error: standard output: {error.strerror}")
            return status or 2
        return status


def _run(arguments: Sequence[str] | None) -> int:
    try:
        status = cli.main(args=arguments, prog_name="corefine", standalone_mode=False)
        return status if isinstance(status, int) else 0
    except Ended as ended:
        return 128 + ended.signal
    except click.exceptions.Abort:
        complain("interrupted")
        return 130
    except click.ClickException as error:
        said = io.StringIO()
        error.show(said)
        for line in said.getvalue().rstrip("\n").split("\n"):
            complain(printable(line))
        return error.exit_code
    except CorefineError as error:
        complain(f"corefine: error: {error}")
        return 2
    except SystemExit:
        # click exits this way only if the reader of our output has gone, as `head` does.
        return 0
    except OSError as error:
        # Errors of files are CorefineErrors: what is left is standard output.
        place = error.filename or "standard output"
        complain(printable(f"corefine: error: {place}: {error.strerror or error}"))
        discard_output()
        return 2
    except MemoryError:
        complain("corefine: error: out of memory")
        return 2
