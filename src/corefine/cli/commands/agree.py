"""``corefine agree A B…``."""

from __future__ import annotations

from typing import Any

import click

from corefine.cli.grammar import (
    format_option,
    metrics_option,
    named_paths,
    one_from_standard_input,
    settings_options,
)
from corefine.cli.presentation import Presentation, output_options, warn
from corefine.cli.progress import ProgressBar
from corefine.comparing.annotators.agreement import SYMMETRIC, agree
from corefine.comparing.annotators.tables import TABLES
from corefine.errors import UsageError


@click.command("agree", short_help="Agreement of two or more annotations of the same text.")
@click.argument("annotations", type=str, nargs=-1, metavar="[NAME=]A [NAME=]B...")
@format_option()
@metrics_option(SYMMETRIC)
@settings_options
@click.option(
    "--entities",
    type=click.IntRange(min=0),
    default=20,
    show_default=True,
    metavar="N",
    help="List N of the entities on which the annotators differ; CSV and JSON list all.",
)
@output_options(*TABLES, usual="all")
def command(annotations: tuple[str, ...], entities: int, **options: Any) -> None:
    """Measure the agreement of two or more annotations of the same text, none of them the key.

    There are the F1 of every two annotators by metrics that do not ask which side is the key,
    Krippendorff's α of their entities with the MASI distance, the mentions they share, and the
    entities on which they differ.

    \b
    corefine agree anna.conll ben.conll
    corefine agree anna=first.tsv ben=second.tsv --metrics b3,lea --output markdown
    """
    presentation = Presentation.taken(options, TABLES)
    paths = named_paths(annotations, "annotation")
    if len(paths) < 2:
        raise UsageError("agreement needs at least two annotations")
    one_from_standard_input(*paths.values())
    with ProgressBar() as progress:
        agreement = agree(paths, progress=progress, **options)
    warn(agreement.warnings)
    top = None if presentation.form == "csv" else {"entities": entities}
    presentation.show(agreement, top=top)
