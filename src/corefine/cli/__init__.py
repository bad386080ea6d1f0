"""The command line: arguments in, one call, report out.

Each command has a file of its own, which is imported only when the command is used.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from importlib import import_module

import click

from corefine._version import __version__
from corefine.errors import CorefineError

COMMANDS = {
    "score": "corefine.cli.score",
    "compare": "corefine.cli.compare",
    "agree": "corefine.cli.agree",
    "entities": "corefine.cli.entities",
    "explain": "corefine.cli.explain",
    "report": "corefine.cli.report",
    "audit": "corefine.cli.audit",
    "reproduce": "corefine.cli.reproduce",
    "resolve": "corefine.cli.resolve",
    "convert": "corefine.cli.convert",
    "check": "corefine.cli.check",
    "formats": "corefine.cli.formats",
    "metrics": "corefine.cli.metrics",
    "demo": "corefine.cli.demo",
}
"""The commands in the order of the help, and the modules that hold them."""

WITHOUT_LINEAR_ALGEBRA = frozenset({"score", "convert", "check", "formats", "metrics", "demo"})
"""The commands that multiply no matrices, for which NumPy need not start a thread on every core:
on small files that would cost more than the scoring."""


class LazyGroup(click.Group):
    """A group of commands of which only the one that is called is imported."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        module = COMMANDS.get(cmd_name)
        if module is None:
            return None
        if cmd_name in WITHOUT_LINEAR_ALGEBRA:
            os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        command = import_module(module).command
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            from corefine.errors import closest

            raise click.UsageError(f"{error.message}{closest(args[0], COMMANDS)}", ctx) from None


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"]},
    no_args_is_help=True,
)
@click.version_option(__version__, prog_name="corefine")
def cli() -> None:
    """Judge coreference resolution: which mentions of a text refer to the same thing.

    corefine scores a response against a key, compares systems, explains errors, and tells when a
    score should not be trusted. Try 'corefine demo' first.
    """


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the exit status is 0, or 2 where the user has to change something."""
    try:
        status = cli.main(args=arguments, prog_name="corefine", standalone_mode=False)
        return status if isinstance(status, int) else 0
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
        click.echo(f"corefine: error: {error}", err=True)
        return 2
    except MemoryError:
        click.echo("corefine: error: there is not enough memory for this", err=True)
        return 2
