"""``corefine metrics``."""

from __future__ import annotations

import shutil
import textwrap
from typing import Any

import click

from corefine.cli.help_pages import Command
from corefine.cli.presentation import Presentation, output_options
from corefine.metrics import GROUPS, Metric, registered
from corefine.metrics.registry import parse
from corefine.showing.grid import Column, Grid

COLUMNS = ("name", "title", "summary", "use", "example", "citation")


@click.command("metrics", cls=Command)
@click.argument("names", nargs=-1, metavar="[NAME]...")
@output_options()
def command(names: tuple[str, ...], **options: Any) -> None:
    """Describe the metrics: what each measures, when to use it, an example, and its reference.

    Without NAMEs all metrics are described.

    \b
    corefine metrics
    corefine metrics lea blanc
    """
    presentation = Presentation.taken(options)
    metrics = [type(parse(name)) for name in names] or list(registered())
    if presentation.form != "table" or presentation.place != "-":
        rows = [tuple(getattr(metric, column) for column in COLUMNS) for metric in metrics]
        if presentation.form == "json":
            presentation.write_json([dict(zip(COLUMNS, row, strict=True)) for row in rows])
        else:
            presentation.show_grids([Grid(tuple(map(Column, COLUMNS)), rows)])
        return
    width = min(shutil.get_terminal_size().columns, 100)
    for metric in metrics:
        _describe(metric, width)
    if not names:
        for name, members in GROUPS.items():
            click.echo(f"{name}: short for {','.join(members)}")
        click.echo("all: every metric of identity coreference")


def _describe(metric: type[Metric], width: int) -> None:
    click.echo(f"{click.style(metric.name, bold=True)}  {metric.summary}")
    indent = "    "
    if metric.use:
        click.echo(
            textwrap.fill(metric.use, width, initial_indent=indent, subsequent_indent=indent)
        )
    if metric.example:
        click.echo(f"{indent}$ {metric.example}")
    click.echo(f"{indent}{click.style(metric.citation, dim=True)}\n")
