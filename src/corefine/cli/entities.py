"""``corefine entities KEY RESPONSE``."""

from __future__ import annotations

from typing import Any

import click

from corefine.cli.options import (
    categories_options,
    key_and_response,
    kinds_option,
    output_option,
    settings_options,
    take_settings,
)
from corefine.cli.output import show, show_json, warn
from corefine.cli.reading import read_sides
from corefine.explaining.entities import SHOWN, check_order, entities_of_corpora
from corefine.explaining.entity_tables import (
    all_in_one_grid,
    categories_grid,
    entities_grid,
    spurious_grid,
)
from corefine.explaining.pairing import PAIR_METRICS, pair_metrics
from corefine.kinds import plan_of
from corefine.kinds.columns import LAYERS


@click.command("entities", short_help="Show how each entity of the key fared.")
@key_and_response
@click.option(
    "-m",
    "--metrics",
    default="all",
    show_default=True,
    metavar="NAMES",
    help=f"Names with commas between them, out of: {', '.join(PAIR_METRICS)}.",
)
@click.option(
    "--sort",
    default="key",
    show_default=True,
    metavar="BY",
    help="key (as they stand there), size, category, information, or a metric's name: the worst "
    "first.",
)
@click.option(
    "--top",
    type=click.IntRange(min=0),
    metavar="N",
    help=f"Show the first N entities.  [default: {SHOWN} in a table, all in other forms]",
)
@categories_options
@kinds_option
@settings_options
@output_option()
def command(
    key: str,
    response: str,
    key_format: str | None,
    response_format: str | None,
    metrics: str,
    sort: str,
    top: int | None,
    lenient: bool,
    strict: bool,
    kinds: str,
    output: str,
    **options: Any,
) -> None:
    """Show how each entity of KEY fared in RESPONSE.

    Each is aligned with the response entity that CEAFe gives it. The table has its category
    (Holen 2013), the F1 of the pair and its rank by each metric, and how much of its information
    was kept; then come the shares of the categories and the response entities that are aligned
    with none.
    """
    settings, plan = take_settings(options), plan_of(kinds)
    names = pair_metrics(metrics)
    check_order(sort, names)
    sides = read_sides(key, response, key_format, response_format, plan.layers | LAYERS)
    table = entities_of_corpora(
        *sides, settings, plan, metrics=names, lenient=lenient, strict=strict
    )
    warn(table.warnings)
    order = table.order(sort).tolist()
    if output == "json":
        form = table.to_dict()
        form["entities"] = [form["entities"][number] for number in order[:top]]
        show_json(form)
    elif output == "csv":
        show(all_in_one_grid(table, order[:top]), output)
    else:
        shown = order[: SHOWN if top is None and output == "table" else top]
        show(entities_grid(table, shown, len(order) - len(shown)), output)
        click.echo()
        show(categories_grid(table), output)
        if table.spurious:
            click.echo()
            show(spurious_grid(table, SHOWN if output == "table" else None), output)
