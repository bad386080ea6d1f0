"""``corefine metrics``."""

from __future__ import annotations

import click

from corefine.cli.output import show
from corefine.metrics import GROUPS, registered
from corefine.report.grid import Column, Grid


@click.command("metrics", short_help="List the metrics, with a line and a citation each.")
@click.option(
    "--output",
    type=click.Choice(("table", "csv", "markdown", "latex")),
    default="table",
    show_default=True,
    help="Form of the output.",
)
def command(output: str) -> None:
    """List the metrics that --metrics takes, with what each measures and where it is defined."""
    if output != "table":
        rows = [
            (metric.name, metric.title, metric.summary, metric.citation) for metric in registered()
        ]
        columns = ("name", "title", "summary", "citation")
        show(Grid(tuple(map(Column, columns)), rows), output)
        return
    width = max(len(metric.name) for metric in registered())
    for metric in registered():
        click.echo(f"{click.style(metric.name.ljust(width), bold=True)}  {metric.summary}")
        click.echo(f"{'':{width}}  {click.style(metric.citation, dim=True)}")
    click.echo()
    for name, members in GROUPS.items():
        click.echo(f"{name} stands for {','.join(members)}")
    click.echo("all stands for all of them")
