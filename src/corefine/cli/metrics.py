"""``corefine metrics``."""

from __future__ import annotations

import shutil
import textwrap

import click

from corefine.cli.output import show
from corefine.metrics import GROUPS, Metric, registered
from corefine.metrics.registry import parse
from corefine.showing.grid import Column, Grid

COLUMNS = ("name", "title", "summary", "use", "example", "citation")


@click.command("metrics", short_help="List the metrics: what each measures and when to use it.")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option(
    "--output",
    type=click.Choice(("table", "csv", "markdown", "latex")),
    default="table",
    show_default=True,
    help="Form of the output.",
)
def command(names: tuple[str, ...], output: str) -> None:
    """List the metrics that --metrics takes: what each measures, when to use it, an example, and
    where it is defined. With NAMEs only those."""
    metrics = [type(parse(name)) for name in names] or list(registered())
    if output != "table":
        rows = [tuple(getattr(metric, column) for column in COLUMNS) for metric in metrics]
        show(Grid(tuple(map(Column, COLUMNS)), rows), output)
        return
    width = min(shutil.get_terminal_size().columns, 100)
    for metric in metrics:
        _describe(metric, width)
    if not names:
        for name, members in GROUPS.items():
            click.echo(f"{name} stands for {','.join(members)}")
        click.echo("all stands for all of them")


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
