"""``corefine bundle KEY``."""

from __future__ import annotations

import click

from corefine.cli.help_pages import Command
from corefine.cli.outputs import OUTPUT
from corefine.cli.presentation import tell
from corefine.integrations.codabench import write_bundle


@click.command("bundle", cls=Command)
@click.argument("key", metavar="KEY")
@click.option(
    "-m",
    "--metrics",
    default="conll,lea",
    show_default=True,
    metavar="NAMES",
    help="Metrics of the leaderboard; the first one ranks it.",
)
@click.option("--preset", metavar="PRESET", help="Settings and metrics of a shared task.")
@click.option(
    "--title", default="Coreference resolution", show_default=True, help="Title of the task."
)
@click.option(
    "--image",
    default="corefine:latest",
    show_default=True,
    help="Container image with corefine that the scoring program runs in.",
)
@click.option(
    "-o",
    "--out",
    type=OUTPUT,
    default="bundle.zip",
    show_default=True,
    metavar="FILE",
    help="File to write.",
)
def command(key: str, metrics: str, preset: str | None, title: str, image: str, out: str) -> None:
    """Write a Codabench competition that scores submissions against KEY.

    The bundle contains the key as reference data, a scoring program that calls corefine, and
    placeholder pages. Upload it under Benchmarks, Management, and edit the pages there.

    \b
    corefine bundle key.conll --metrics conll,lea -o bundle.zip
    corefine bundle key.conllu --preset crac25 --title 'My shared task' --image lab/corefine
    """
    write_bundle(key, out, metrics, title=title, image=image, preset=preset)
    if out != "-":
        tell(f"{out}: upload it to Codabench under Benchmarks, Management")
