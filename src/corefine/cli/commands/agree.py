"""``corefine agree A B…``."""

from __future__ import annotations

from typing import Any

import click

from corefine.cli.help_pages import Command
from corefine.cli.options import (
    format_option,
    metrics_option,
    named_paths,
    one_from_standard_input,
    refused_window_option,
    sample_option,
    settings_options,
)
from corefine.cli.presentation import Presentation, output_options, warn
from corefine.cli.progress import ProgressBar
from corefine.comparing.annotators.agreement import SYMMETRIC, agree
from corefine.comparing.annotators.tables import LISTED, TABLES
from corefine.errors import UsageError


@click.command("agree", cls=Command)
@click.argument("annotations", type=str, nargs=-1, metavar="[NAME=]A [NAME=]B...")
@format_option()
@sample_option
@metrics_option(SYMMETRIC)
@settings_options
@refused_window_option
@click.option(
    "--entities",
    type=click.IntRange(min=0),
    default=20,
    show_default=True,
    metavar="N",
    help="List the first N entities that the annotators disagree on; CSV and JSON list all.",
)
@output_options(*TABLES, default="pairs, differences")
def command(annotations: tuple[str, ...], entities: int, **options: Any) -> None:
    """Measure agreement between two or more annotations of the same text; none of them is the key.

    Reports F1 for every pair of annotators (symmetric metrics only), Krippendorff's α over
    entities with the MASI distance, mention overlap, and the entities that annotators disagree on.

    \b
    corefine agree anna.conll ben.conll
    corefine agree anna=first.tsv ben=second.tsv --metrics b3,lea --output markdown
    """
    presentation = Presentation.from_options(options, TABLES)
    paths = named_paths(annotations, "annotation")
    if len(paths) < 2:
        raise UsageError("agreement needs at least two annotations")
    one_from_standard_input(*paths.values())
    with ProgressBar() as progress:
        agreement = agree(paths, progress=progress, **options)
    warn(agreement.warnings)
    if presentation.form == "csv":
        presentation.show(agreement)
    else:
        presentation.show(agreement, top={"entities": entities}, listed=LISTED)
