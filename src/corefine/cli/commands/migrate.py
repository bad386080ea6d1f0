"""``corefine migrate PATH``."""

from __future__ import annotations

import click

from corefine.cli.help_pages import Command
from corefine.compat.migrate import find_calls


@click.command("migrate", cls=Command)
@click.argument("path", metavar="PATH")
def command(path: str) -> None:
    """List the calls of other scorers in a code base, and the lines that replace them.

    PATH is a folder or a file. No file is changed. The replacements print and return what the
    scorers print and return: scorer.pl 8.01, coval, corefud-scorer, CorefEvaluator (e2e-coref and
    its descendants), ConllCorefScores (AllenNLP) and the metric coval of Hugging Face evaluate.

    \b
    corefine migrate .
    """
    calls = list(find_calls(path))
    for call in calls:
        click.echo(f"{call}\n")
    files = len({call.path for call in calls})
    if not calls:
        click.echo(f"No calls of other scorers found in {path}.")
    else:
        click.echo(f"Calls of other scorers: {len(calls)} in {files} file{'s' * (files != 1)}.")
