"""``corefine metrics``."""

from __future__ import annotations

from typing import Any

import click

from corefine.cli.help_pages import Command
from corefine.cli.presentation import Presentation, output_options, wrapped
from corefine.metrics import Metric, registered
from corefine.metrics.registry import parse
from corefine.output.grid import Column, Grid

INDENT = "    "
COLUMNS = ("name", "title", "summary", "use", "example", "citation")


@click.command("metrics", cls=Command)
@click.argument("names", nargs=-1, metavar="[NAME]...")
@output_options()
def command(names: tuple[str, ...], **options: Any) -> None:
    """List the metrics, or describe NAMEs: definition, use, an example, and the reference.

    \b
    corefine metrics
    corefine metrics lea blanc
    """
    presentation = Presentation.from_options(options)
    metrics = [type(parse(name)) for name in names] or list(registered())
    if presentation.form != "table" or presentation.place != "-":
        rows = [tuple(getattr(metric, column) for column in COLUMNS) for metric in metrics]
        if presentation.form == "json":
            presentation.write_json([dict(zip(COLUMNS, row, strict=True)) for row in rows])
        else:
            presentation.show_grids([Grid(tuple(map(Column, COLUMNS)), rows)])
        return
    if names:
        for metric in metrics:
            _describe(metric)
        return
    rows = [(metric.name, metric.summary) for metric in metrics]
    notes = ["'corefine metrics NAME' describes one; 'corefine help metrics' lists groups"]
    columns = (Column("metric"), Column("measures", shortest=30))
    presentation.show_grids([Grid(columns, rows, notes=tuple(notes))])


def _describe(metric: type[Metric]) -> None:
    summary = wrapped(f"{metric.name}  {metric.summary}", INDENT, first="")
    click.echo(click.style(metric.name, bold=True) + summary.removeprefix(metric.name))
    if metric.use:
        click.echo(wrapped(metric.use, INDENT))
    if metric.example:
        click.echo(f"{INDENT}$ {metric.example}")
    click.echo(f"{click.style(wrapped(metric.citation, INDENT), dim=True)}\n")
