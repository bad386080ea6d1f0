"""The command ``explain``."""

from __future__ import annotations

from typing import Any

import click

from corefine.cli.help_pages import Command
from corefine.cli.options import (
    BY_TABLES,
    RARELY_NEEDED,
    by_options,
    key_and_response,
    missing_breakdowns,
    number,
    output_options,
    plot_options,
    sample_option,
    scoring_options,
)
from corefine.cli.presentation import answer
from corefine.corpus.copies import LOSS_TABLES
from corefine.explaining.explanation import explain
from corefine.explaining.tables import TABLES

EXPLAIN_TABLES = (*TABLES, *BY_TABLES, *LOSS_TABLES)


@click.command("explain", cls=Command)
@key_and_response
@sample_option
@scoring_options(left_out=RARELY_NEEDED)
@by_options
@number(
    "--top",
    "Show up to N errors of each type.  [default: 2 of the three most expensive types]",
    least=0,
)
@plot_options
@output_options(*EXPLAIN_TABLES, default="types, worst, examples, and those of --by")
def explain_command(
    key: str,
    response: str,
    top: int | None = None,
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
    answer(
        explain,
        key,
        response,
        options=options,
        tables=EXPLAIN_TABLES,
        missing=missing_breakdowns(options["by"]),
        examples=top,
    )
