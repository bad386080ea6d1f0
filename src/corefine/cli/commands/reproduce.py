"""``corefine reproduce [PAPER]``."""

from __future__ import annotations

import json
from pathlib import Path

import click

from corefine.cli.help_pages import Command
from corefine.cli.outputs import OUTPUT
from corefine.cli.presentation import FORMS, Presentation, wrapped
from corefine.output.saving import write_atomically
from corefine.papers import PAPERS, reproduce
from corefine.papers.output import papers_grid, to_html, to_markdown
from corefine.papers.results import Reproduction


@click.command("reproduce", cls=Command)
@click.argument("paper", required=False, type=click.Choice(tuple(PAPERS)))
@click.option(
    "--output",
    type=click.Choice(FORMS),
    default="table",
    show_default=True,
    help="Output format.",
)
@click.option(
    "-o",
    "--out",
    type=OUTPUT,
    metavar="DIR",
    help="Write all cells, claims and figures to DIR as Markdown, JSON, HTML and SVG.",
)
@click.option(
    "--details", is_flag=True, help="Also print the numbers that differ and the claims that fail."
)
def command(paper: str | None, output: str, out: str | None, details: bool) -> None:
    """Recompute every table and figure of the papers that corefine implements.

    Each printed number is recomputed from the paper's data, derived from its other numbers, or not
    derivable. A number that does not come out as printed is explained by a computation, or
    unexplained. Each claim holds or fails. Without PAPER, all papers are recomputed.

    \b
    corefine reproduce
    corefine reproduce moosavi-strube -o reproduction
    """
    papers = [reproduce(name) for name in ([paper] if paper else PAPERS)]
    if out is not None:
        folder = Path(out)
        for one in papers:
            one.save_plots(folder)
        write_atomically(folder / "reproduction.md", to_markdown(papers))
        everything = {one.name: one.to_dict() for one in papers}
        text = json.dumps(everything, ensure_ascii=False, indent=1, allow_nan=False)
        write_atomically(folder / "reproduction.json", text)
        write_atomically(folder / "reproduction.html", to_html(papers))
    presentation = Presentation(output)
    if output == "json":
        presentation.write_json({one.name: one.to_dict() for one in papers})
        return
    if output == "csv":
        presentation.show_grids([papers_grid(papers)])
        return
    if details:
        for one in papers:
            _describe(one, presentation)
            click.echo()
    presentation.show_grids([papers_grid(papers)])
    if out is not None:
        click.echo(f"\nwritten to {out}")


def _describe(paper: Reproduction, presentation: Presentation) -> None:
    """Print the counts of one paper, the numbers that differ, and the claims that fail."""
    click.echo(click.style(wrapped(paper.citation), bold=True))
    names = ("counts", "differences", "underivable")
    for name in (name for name in names if name in paper.table_functions()):
        presentation.show_grids(paper.tables(name))
        click.echo()
    if paper.directions:
        same = sum(way.agrees for way in paper.directions)
        click.echo(
            f"{same} of {len(paper.directions)} changes have the same direction on a generated "
            "corpus (written with -o)"
        )
    holding = paper.claims_that_hold
    click.echo(f"{holding} of {len(paper.claims)} claims hold")
    if holding < len(paper.claims):
        click.echo()
        presentation.show_grids(paper.tables("claims", failing=True))
