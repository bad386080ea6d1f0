"""The command line: arguments in, one call, and the result is presented.

Each command is a file of ``commands``, found by its name and imported only when it is used.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import click

from corefine._version import __version__
from corefine.cli.outputs import guarded
from corefine.cli.surroundings import Ended, discard_output, unwound_by_signals, whole_streams
from corefine.errors import CorefineError, closest

ORDER = (
    "score",
    "compare",
    "gate",
    "leaderboard",
    "agree",
    "entities",
    "explain",
    "report",
    "audit",
    "challenge",
    "reproduce",
    "resolve",
    "convert",
    "check",
    "formats",
    "metrics",
    "demo",
)
"""How the help lists the commands; all others follow by name."""

WITHOUT_LINEAR_ALGEBRA = frozenset({"score", "convert", "check", "formats", "metrics", "demo"})
"""The commands that multiply no matrices, for which NumPy need not start a thread on every core:
on small files that would cost more than the scoring."""


def command_names() -> list[str]:
    """The names of all commands, which are those of their files."""
    found = {module.name for module in iter_modules([str(Path(__file__).parent / "commands")])}
    return [*(name for name in ORDER if name in found), *sorted(found.difference(ORDER))]


class LazyGroup(click.Group):
    """A group of commands of which only the one that is called is imported."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return command_names()

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in command_names():
            return None
        if cmd_name in WITHOUT_LINEAR_ALGEBRA:
            os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        command = import_module(f"{__package__}.commands.{cmd_name}").command
        assert isinstance(command, click.Command)
        return guarded(command)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            hint = closest(args[0], command_names())
            raise click.UsageError(f"{error.message}{hint}", ctx) from None


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"]},
    no_args_is_help=True,
)
@click.version_option(__version__, prog_name="corefine")
def cli() -> None:
    """Evaluate coreference resolution: score responses against a key, compare systems, explain
    errors, and see when not to trust a score. Try 'corefine demo' first.
    """


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the exit status is 0, or 2 where the user has to change something.

    A command may have a status of its own, as the gate has 1 where it fails.
    A signal that ends the run gives 128 and its number, after files and processes are cleared away.
    """
    with whole_streams(), unwound_by_signals():
        status = _run(arguments)
        try:
            sys.stdout.flush()
        except BrokenPipeError:
            discard_output()
        except OSError as error:
            discard_output()
            if not status:
                click.echo(f"corefine: error: standard output: {error.strerror}", err=True)
            return status or 2
        return status


def _run(arguments: Sequence[str] | None) -> int:
    try:
        status = cli.main(args=arguments, prog_name="corefine", standalone_mode=False)
        return status if isinstance(status, int) else 0
    except Ended as ended:
        return 128 + ended.signal
    except click.exceptions.Abort:
        click.echo("interrupted", err=True)
        return 130
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except CorefineError as error:
        click.echo(f"corefine: error: {error}", err=True)
        return 2
    except SystemExit:
        # click leaves this way only when the reader of our output has gone, as `head` does after
        # its first lines: nothing is wrong.
        return 0
    except OSError as error:
        # Reading and writing files tell their own errors: what is left is standard output.
        place = error.filename or "standard output"
        click.echo(f"corefine: error: {place}: {error.strerror or error}", err=True)
        discard_output()
        return 2
    except MemoryError:
        click.echo("corefine: error: there is not enough memory for this", err=True)
        return 2
