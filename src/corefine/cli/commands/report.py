"""``corefine report KEY RESPONSE…``."""

from __future__ import annotations

from typing import Any

import click

from corefine.cli.grammar import (
    by_options,
    key_and_responses,
    kinds_option,
    metrics_option,
    named_paths,
    one_from_standard_input,
    settings_options,
)
from corefine.cli.outputs import OUTPUT
from corefine.cli.presentation import warn
from corefine.cli.progress import ProgressBar
from corefine.report.report import report

LARGE = 60.0
"""Megabytes from which on a browser takes long to open the file."""


@click.command("report", short_help="Write an HTML report: scores, charts, errors, text.")
@key_and_responses
@metrics_option()
@kinds_option()
@settings_options
@by_options
@click.option(
    "--documents",
    multiple=True,
    metavar="IDS",
    help="Show the text of these documents only, as a comma-separated list.",
)
@click.option(
    "--worst", type=click.IntRange(min=1), metavar="N", help="Show the N lowest-scoring documents."
)
@click.option("--title", help="Title of the report.")
@click.option(
    "--replicates",
    type=click.IntRange(min=1),
    default=10_000,
    show_default=True,
    help="Bootstrap samples for the confidence intervals.",
)
@click.option(
    "--confidence",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.95,
    show_default=True,
    help="Level of the confidence intervals.",
)
@click.option(
    "-o",
    "--out",
    type=OUTPUT,
    default="report.html",
    show_default=True,
    metavar="FILE",
    help="File to write; '-' is standard output.",
)
def command(
    key: str, responses: tuple[str, ...], out: str, documents: tuple[str, ...], **options: Any
) -> None:
    """Write an HTML report on one or more RESPONSEs to KEY.

    The report is one file that needs nothing else: scores with confidence intervals, charts,
    tables of entities and errors, and the text with the mentions of key and responses. All
    documents are scored; --documents and --worst choose those whose text is shown.

    \b
    corefine report key.conll response.conll
    corefine report key.conll rules=a.conll neural=b.conll --worst 20 -o compared.html
    """
    named = named_paths(responses)
    one_from_standard_input(key, *named.values())
    with ProgressBar() as progress:
        made = report(
            key,
            *named.values(),
            names=list(named),
            documents=documents or None,
            progress=progress,
            **options,
        )
    for name, scores in made.scores.items():
        of = f"{name}: " if len(named) > 1 else ""
        warn(f"{of}{warning}" for warning in scores.warnings)
    made.save(out)
    size = len(made.html.encode("utf-8")) / 1e6
    if size > LARGE:
        warn([f"{out} is large and opens slowly: --worst and --documents show fewer documents"])
    if out != "-":
        click.echo(f"{out}: {size:.1f} MB")
