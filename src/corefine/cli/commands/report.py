"""``corefine report KEY RESPONSE…``."""

from __future__ import annotations

from typing import Any

import click

from corefine.cli.help_pages import Command
from corefine.cli.options import (
    by_options,
    key_and_responses,
    kinds_option,
    metrics_option,
    named_paths,
    one_from_standard_input,
    refuse_with_suite,
    refused_window_option,
    sample_option,
    settings_options,
    suite_option,
)
from corefine.cli.outputs import OUTPUT
from corefine.cli.presentation import tell, warn
from corefine.cli.progress import ProgressBar
from corefine.output.saving import check_page
from corefine.report.report import report

LARGE = 60.0
"""Megabytes from which on a browser takes long to open the file."""


@click.command("report", cls=Command)
@key_and_responses
@suite_option
@sample_option
@metrics_option()
@kinds_option()
@settings_options
@refused_window_option
@by_options
@click.option(
    "--documents",
    multiple=True,
    metavar="IDS",
    help="Show the text of these documents only (comma-separated list of ids).",
)
@click.option(
    "--worst", type=click.IntRange(min=1), metavar="N", help="Show the N lowest-scoring documents."
)
@click.option("--title", help="Title of the report.")
@click.option(
    "--replicates",
    type=click.IntRange(min=1),
    metavar="N",
    default=10_000,
    show_default=True,
    help="Bootstrap samples for the confidence intervals.",
)
@click.option(
    "--confidence",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.95,
    show_default=True,
    help="Confidence level.",
)
@click.option(
    "-o",
    "--out",
    type=OUTPUT,
    default="report.html",
    show_default=True,
    metavar="FILE",
    help="Output file; '-' for standard output.",
)
def command(
    key: str,
    responses: tuple[str, ...],
    out: str,
    documents: tuple[str, ...],
    suite: bool,
    **options: Any,
) -> None:
    """Write an HTML report on one or more RESPONSEs.

    The report is one self-contained file: scores with confidence intervals, charts, tables of
    entities and errors, and the text with key and response mentions. All documents are scored;
    --documents and --worst select those whose text is shown.

    \b
    corefine report key.conll response.conll
    corefine report key.conll rules=a.conll neural=b.conll --worst 20 -o compared.html
    corefine report --suite gold/ system/ --preset crac25 --worst 20
    """
    check_page(out)
    named = named_paths(responses)
    one_from_standard_input(key, *named.values())
    with ProgressBar() as progress:
        shown = documents or None
        if suite:
            from corefine.report.suite import report_suite

            refuse_with_suite(by=options.pop("by"), genres=options.pop("genres"))
            made = report_suite(key, named, documents=shown, progress=progress, **options)
        else:
            made = report(
                key,
                *named.values(),
                names=list(named),
                documents=shown,
                progress=progress,
                **options,
            )
    for name, scores in made.scores.items():
        of = f"{name}: " if len(named) > 1 else ""
        warn(f"{of}{warning}" for warning in scores.warnings)
    made.save(out)
    size = len(made.html.encode("utf-8")) / 1e6
    if size > LARGE:
        warn([f"{out} is large and may open slowly; show fewer documents with --worst"])
    if out != "-":
        tell(f"{out}: {size:.1f} MB")
