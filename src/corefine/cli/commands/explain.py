"""``corefine explain KEY RESPONSE``."""

from __future__ import annotations

from typing import Any

import click

from corefine.cli.help_pages import Command
from corefine.cli.options import (
    BY_TABLES,
    by_options,
    categories_options,
    key_and_response,
    kinds_option,
    metrics_option,
    one_from_standard_input,
    sample_option,
    settings_options,
    tables_known,
    window_option,
)
from corefine.cli.presentation import Presentation, output_options, warn
from corefine.cli.progress import ProgressBar
from corefine.explaining.diagnosis import TYPES
from corefine.explaining.explanation import explain
from corefine.explaining.tables import TABLES
from corefine.formats.tagged.copies import LOSS_TABLES


@click.command("explain", cls=Command)
@key_and_response
@sample_option
@metrics_option()
@kinds_option()
@settings_options
@window_option
@by_options
@click.option(
    "--order",
    default=",".join(TYPES),
    metavar="TYPES",
    help="Order in which error types are corrected, a comma-separated list.  "
    f"[default: {', '.join(TYPES)}]",
)
@click.option(
    "--examples",
    type=click.IntRange(min=0),
    metavar="N",
    help="Show up to N errors of each type.  [default: 2 of the three most expensive types]",
)
@click.option(
    "--worst",
    type=click.IntRange(min=0),
    metavar="N",
    help="Show the N documents with the lowest F1 (by CoNLL, else the first metric).  [default: 3]",
)
@categories_options
@output_options(
    *TABLES,
    *BY_TABLES,
    *LOSS_TABLES,
    default="types, worst, examples, and those of --by",
)
def command(
    key: str,
    response: str,
    order: str,
    examples: int | None,
    worst: int | None,
    **options: Any,
) -> None:
    """Find the errors in RESPONSE, and the F1 lost to each error type.

    Errors are the edits that turn RESPONSE into KEY: span errors, merged and split entities, extra
    and missing mentions and entities. Error types are corrected one after another, and the
    response is rescored after each. --tables errors lists every error.

    \b
    corefine explain key.conll response.conll
    corefine explain key.conll response.conll --tables errors -o errors.csv
    """
    known = tables_known((*TABLES, *BY_TABLES, *LOSS_TABLES), options["by"], options["tables"])
    presentation = Presentation.from_options(options, known)
    one_from_standard_input(key, response)
    types = [name.strip() for name in order.split(",")]
    with ProgressBar() as progress:
        explanation = explain(key, response, order=types, progress=progress, **options)
    warn(explanation.warnings)
    rows = {} if worst is None else {"worst": worst}
    presentation.show(explanation, top=rows, examples=examples)
