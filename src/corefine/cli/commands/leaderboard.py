"""``corefine leaderboard RESULT…``."""

from __future__ import annotations

from typing import Any

import click

from corefine.cli.help_pages import Command
from corefine.cli.options import plan_options, stored_results
from corefine.cli.outputs import OUTPUT
from corefine.cli.presentation import tell, warn
from corefine.cli.progress import ProgressBar
from corefine.output.saving import check_page
from corefine.report.leaderboard import leaderboard


@click.command("leaderboard", cls=Command)
@click.argument("results", type=str, nargs=-1, required=True, metavar="[NAME=]RESULT...")
@click.option(
    "-m",
    "--metrics",
    metavar="NAMES",
    help="Metrics (comma-separated list).  [default: those that all results have]",
)
@click.option(
    "--title", default="Coreference leaderboard", show_default=True, help="Title of the page."
)
@plan_options("alpha", "trials", "replicates", "seed")
@click.option(
    "-o",
    "--out",
    type=OUTPUT,
    default="index.html",
    show_default=True,
    metavar="FILE",
    help="File to write; '-' is standard output.",
)
def command(results: tuple[str, ...], out: str, **options: Any) -> None:
    """Write a sortable page from RESULTs saved by 'corefine score --save'.

    The newest result of each system is ranked, with confidence intervals and the groups
    of systems that do not differ significantly; older ones are its history. Systems are named by
    NAME=RESULT, by 'corefine score --save FILE --name NAME', or after their files. NAME=PATTERN
    stands for all results of a system.

    \b
    corefine leaderboard results/*.json -o index.html
    corefine leaderboard rules=rules.json 'neural=results/neural-*.json' -m conll,lea
    """
    check_page(out)
    with ProgressBar() as progress:
        board = leaderboard(*stored_results(results), progress=progress, **options)
    warn(board.warnings)
    board.save(out)
    if out != "-":
        counts = {"system": len(board.newest), "result": len(board.results)}
        said = [f"{count} {what}{'s' if count > 1 else ''}" for what, count in counts.items()]
        tell(f"{out}: {', '.join(said)}")
