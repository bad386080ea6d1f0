"""``corefine runs FOLDER``."""

from __future__ import annotations

from typing import Any

import click

from corefine.cli.help_pages import Command
from corefine.cli.options import plan_options
from corefine.cli.presentation import Presentation, output_options, tell
from corefine.cli.progress import ProgressBar
from corefine.comparing.plan import Plan
from corefine.comparing.run_registry import PATTERN, registered_runs

TABLES = ("experiments", "differences", "runs")


@click.command("runs", cls=Command)
@click.argument("folder", type=str)
@click.option(
    "--pattern",
    default=PATTERN,
    show_default=True,
    help="File names without suffix, with the fields {system}, {data}, {epoch} and {seed}.",
)
@click.option(
    "-m", "--metric", default="conll", show_default=True, metavar="NAME", help="Metric to show."
)
@plan_options("alpha", "trials", "replicates", "seed")
@output_options(*TABLES, default="experiments, and differences of two systems")
def command(folder: str, pattern: str, metric: str, **options: Any) -> None:
    """List the saved results in FOLDER by data set and experiment, with last and best epochs.

    Results are saved by 'corefine score --save'. Several seeds of an experiment are averaged. With
    two systems, their difference at the last epoch is tested on each data set. A file with the
    suffix .html is a page.

    \b
    corefine runs results/
    corefine runs results/ --pattern '{data}_{system}_{epoch}' -m lea -o index.html
    """
    out = options["out"]
    is_page = out.endswith((".html", ".htm")) and options["output"] is None
    if is_page:
        options["output"] = "table"
    presentation = Presentation.from_options(options, TABLES)
    with ProgressBar() as progress:
        found = registered_runs(
            folder, pattern=pattern, metric=metric, plan=Plan(**options), progress=progress
        )
    if not is_page:
        presentation.show(found)
        return
    from corefine.report.page import Section, render_leaderboard

    sections = [Section(name, grid.title, [grid]) for name, grid in zip(
        found.table_names, found.tables(*found.table_names), strict=True
    )]  # fmt: skip
    signature = str(found.runs[0].scores.signature)
    presentation.write(render_leaderboard("Runs", found.verdict, (), signature, sections))
    tell(f"{out}: {len(found.runs):,} results")
