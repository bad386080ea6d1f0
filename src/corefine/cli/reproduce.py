"""``corefine reproduce [PAPER]``."""

from __future__ import annotations

import json
from pathlib import Path

import click

from corefine.cli.output import show
from corefine.papers import PAPERS, reproduce
from corefine.papers.reproduction import (
    claims_grid,
    counts_grid,
    figures,
    tables_grid,
    to_dict,
    to_html,
    to_markdown,
)
from corefine.showing.grid import Grid
from corefine.showing.plots import save_figures
from corefine.showing.saving import write_bytes


@click.command("reproduce", short_help="Compute the tables of the papers beside what they print.")
@click.argument("paper", required=False, type=click.Choice(tuple(PAPERS)))
@click.option(
    "--output",
    type=click.Path(file_okay=False),
    metavar="DIR",
    help="Write all cells, claims and figures here, as Markdown, JSON, HTML and SVG.",
)
def command(paper: str | None, output: str | None) -> None:
    """Compute every table of the papers that corefine implements, beside what they print.

    Each cell is reproduced, explained (a misprint, another reading, not derivable) or unexplained;
    each claim holds or fails, with the numbers. PAPER is one of them; without it all are computed.
    """
    papers = [reproduce(name) for name in ([paper] if paper else PAPERS)]
    for one in papers:
        click.echo(click.style(one.citation, bold=True))
        if one.cells:
            show(tables_grid(one), "table")
        failing = [claim for claim in one.claims if not claim.holds]
        held = f"{len(one.claims) - len(failing)} of {len(one.claims)} claims hold"
        click.echo(held if one.claims else "")
        if failing:
            whole = claims_grid(one)
            rows = [row for row in whole.rows if row[2] == "fails"]
            show(Grid(whole.columns, rows), "table")
        click.echo()
    if output is not None:
        folder = Path(output)
        drawings = {name: drawn for one in papers for name, drawn in figures(one).items()}
        save_figures(drawings, folder)
        write_bytes(folder / "reproduction.md", to_markdown(papers).encode("utf-8"))
        text = json.dumps(to_dict(papers), ensure_ascii=False, indent=1, allow_nan=False)
        write_bytes(folder / "reproduction.json", text.encode("utf-8"))
        write_bytes(folder / "reproduction.html", to_html(papers).encode("utf-8"))
        click.echo(f"written to {folder}\n")
    show(counts_grid(papers), "table")
