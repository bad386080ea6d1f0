"""``corefine help [TOPIC]``."""

from __future__ import annotations

import click

from corefine.cli.help_pages import Command
from corefine.cli.presentation import wrapped
from corefine.cli.topics import TOPICS, topic_text
from corefine.errors import UsageError, closest


@click.command("help", cls=Command)
@click.argument("words", nargs=-1, metavar="[COMMAND|TOPIC]...")
@click.option("--all", "everything", is_flag=True, help="Show rarely used options too.")
@click.pass_context
def command(context: click.Context, words: tuple[str, ...], everything: bool) -> None:
    """Explain a command, or one of the topics metrics, formats, matching, signature, presets.

    \b
    corefine help signature
    corefine help score --all
    """
    root = context.find_root()
    if not words:
        click.echo(root.get_help())
        click.echo()
        click.echo(
            wrapped(f"Topics for 'corefine help TOPIC': {', '.join(TOPICS)}.", "  ", first="")
        )
        return
    if len(words) == 1 and words[0] in TOPICS:
        click.echo(topic_text(words[0]))
        return
    found: click.Command = root.command
    place = root
    for word in words:
        known = found.list_commands(place) if isinstance(found, click.Group) else []
        inner = found.get_command(place, word) if isinstance(found, click.Group) else None
        if inner is None:
            raise UsageError(
                f"there is no command or topic {' '.join(words)!r}",
                remedy=f"'corefine help' lists them.{closest(word, [*known, *TOPICS])}",
            )
        found, place = inner, click.Context(inner, place, word)
    if isinstance(found, Command):
        found.shows_all = everything
    click.echo(found.get_help(place))
