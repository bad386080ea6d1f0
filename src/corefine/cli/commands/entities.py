"""``corefine entities KEY RESPONSE``."""

from __future__ import annotations

from typing import Any

import click

from corefine.cli.help_pages import Command
from corefine.cli.options import (
    categories_options,
    key_and_response,
    kinds_option,
    metrics_option,
    one_from_standard_input,
    sample_option,
    settings_options,
    window_option,
)
from corefine.cli.presentation import Presentation, output_options, warn
from corefine.cli.progress import ProgressBar
from corefine.explaining.entities import SHOWN, TABLES, check_sort, entities
from corefine.explaining.pairing import PAIR_METRICS, pair_metrics


@click.command("entities", cls=Command)
@key_and_response
@sample_option
@metrics_option("all", f"all, or a comma-separated list of {', '.join(PAIR_METRICS)}")
@kinds_option()
@settings_options
@window_option
@click.option(
    "--sort",
    metavar="BY",
    help="Order of entities: worst (large entities with low scores first), key, size, category, "
    "information, or a metric (lowest first).  [default: worst in a table, else key]",
)
@click.option("--ranks", is_flag=True, help="Also show the rank of each entity by each metric.")
@click.option(
    "--top",
    type=click.IntRange(min=0),
    metavar="N",
    help=f"Show the first N entities.  [default: {SHOWN} in a table, all in other forms]",
)
@categories_options
@output_options(*TABLES, default="entities")
def command(
    key: str, response: str, sort: str | None, ranks: bool, top: int | None, **options: Any
) -> None:
    """Score each entity of KEY separately, large entities with low scores first.

    Key and response entities are aligned one to one, as in CEAFe. Reports each entity's category
    (Holen 2013), the F1 of the aligned pair by each metric, and the share of its information
    kept. --tables categories,spurious shows the distribution of categories and the response
    entities without a key entity; --output csv and json have everything.

    \b
    corefine entities key.conll response.conll
    corefine entities key.conll response.conll --sort lea --top 10
    """
    presentation = Presentation.from_options(options, TABLES)
    one_from_standard_input(key, response)
    in_table = presentation.form == "table"
    sort = sort or ("worst" if in_table else "key")
    check_sort(sort, pair_metrics(options["metrics"]))
    with ProgressBar() as progress:
        table = entities(key, response, progress=progress, **options)
    warn(table.warnings)
    rows = {} if top is None else {"entities": top, "both-sides": top}
    presentation.show(table, sort=sort, ranks=ranks, top=rows, entities=top)
