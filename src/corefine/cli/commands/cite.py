"""``corefine cite``."""

from __future__ import annotations

import click

from corefine.cli.help_pages import Command
from corefine.metrics.bibliography import cite


@click.command("cite", cls=Command)
@click.argument("metrics", nargs=-1, metavar="[METRIC]...")
def command(metrics: tuple[str, ...]) -> None:
    """Print BibTeX entries for corefine and for the papers that define METRICs.

    \b
    corefine cite
    corefine cite conll lea >> references.bib
    """
    click.echo(cite(metrics or None), nl=False)
