"""``corefine reproduce [PAPER]``."""

from __future__ import annotations

import json
from pathlib import Path

import click

from corefine.cli.presentation import FORMS, Presentation
from corefine.papers import PAPERS, reproduce
from corefine.papers.page import to_html, to_markdown
from corefine.papers.tables import papers_grid
from corefine.showing.saving import write_atomically


@click.command("reproduce", short_help="Recompute the papers' tables beside what they print.")
@click.argument("paper", required=False, type=click.Choice(tuple(PAPERS)))
@click.option(
    "--output",
    type=click.Choice(FORMS),
    default="table",
    show_default=True,
    help="Form of the output.",
)
@click.option(
    "-o",
    "--out",
    type=click.Path(file_okay=False),
    metavar="DIR",
    help="Write all cells, claims and figures to DIR, as Markdown, JSON, HTML and SVG.",
)
def command(paper: str | None, output: str, out: str | None) -> None:
    """Recompute every table of the papers that corefine implements, beside what they print.

    Each cell is reproduced, explained (a misprint, another reading, not derivable) or unexplained;
    each claim holds or fails, with the numbers. PAPER is one of them; the default is all.

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
    for one in papers:
        click.echo(click.style(one.citation, bold=True))
        presentation.show_grids(one.tables("counts") if one.cells else [])
        held = sum(claim.holds for claim in one.claims)
        click.echo(f"{held} of {len(one.claims)} claims hold" if one.claims else "")
        if held < len(one.claims):
            click.echo()
            presentation.show_grids(one.tables("claims", failing=True))
        click.echo()
    presentation.show_grids([papers_grid(papers)])
    if out is not None:
        click.echo(f"\nwritten to {out}")
