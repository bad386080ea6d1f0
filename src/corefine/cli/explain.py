"""``corefine explain KEY RESPONSE``."""

from __future__ import annotations

from typing import Any

import click

from corefine.cli.options import (
    categories_options,
    key_and_response,
    kinds_option,
    metrics_option,
    output_option,
    settings_options,
    take_settings,
)
from corefine.cli.output import show, show_json, warn
from corefine.cli.reading import read_sides
from corefine.explaining.attribution import check_corrections
from corefine.explaining.diagnosis import TYPES
from corefine.explaining.entity_tables import categories_grid
from corefine.explaining.explanation import Explanation, explain_corpora
from corefine.explaining.tables import (
    attribution_grid,
    circumstances_grid,
    errors_grid,
    examples_grid,
    kinds_grid,
    worst_grid,
)
from corefine.kinds import plan_of
from corefine.kinds.columns import LAYERS
from corefine.scoring.score import metrics_for
from corefine.scoring.tables import scores_grid


@click.command("explain", short_help="Show what went wrong, and what it costs.")
@key_and_response
@metrics_option()
@click.option(
    "--order",
    default=",".join(TYPES),
    metavar="TYPES",
    help="The types of errors, with commas between them, in the order in which they are corrected. "
    f" [default: {', '.join(TYPES)}]",
)
@click.option(
    "--examples",
    type=click.IntRange(min=0),
    default=3,
    show_default=True,
    metavar="N",
    help="Show up to N errors of each type in their context.",
)
@click.option(
    "--worst",
    type=click.IntRange(min=0),
    default=5,
    show_default=True,
    metavar="N",
    help="Show the N documents with the lowest F1, by conll if it is asked for, or else by the "
    "first metric.",
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
    order: str,
    examples: int,
    worst: int,
    lenient: bool,
    strict: bool,
    kinds: str,
    output: str,
    **options: Any,
) -> None:
    """Show what went wrong in RESPONSE, and how many points of F1 each type of error costs.

    Errors are what has to be corrected to turn RESPONSE into KEY (Kummerfeld & Klein 2013): spans
    that differ at the edges, entities that were merged or split, mentions and entities that are
    extra or missing. Each type is corrected alone, and one after another, and scored each time.
    --output csv lists the errors, one a line; --output json has everything.
    """
    settings, plan = take_settings(options), plan_of(kinds)
    asked = metrics_for(metrics, settings)
    corrections = check_corrections([name.strip() for name in order.split(",")])
    sides = read_sides(key, response, key_format, response_format, plan.layers | LAYERS)
    explanation = explain_corpora(
        *sides, asked, settings, plan, order=corrections, lenient=lenient, strict=strict
    )
    warn(explanation.warnings)
    if output == "json":
        show_json(explanation.to_dict())
    elif output == "csv":
        show(errors_grid(explanation.errors), output)
    else:
        _show(explanation, examples, worst, output)


def _show(explanation: Explanation, examples: int, worst: int, output: str) -> None:
    grids = [
        scores_grid(explanation.scores),
        kinds_grid(explanation),
        circumstances_grid(explanation.errors),
        attribution_grid(explanation.attribution, alone=True),
        attribution_grid(explanation.attribution, alone=False),
        categories_grid(explanation.entities),
        worst_grid(explanation, worst),
        examples_grid(explanation, examples),
    ]
    for place, grid in enumerate(grid for grid in grids if grid.rows):
        if place:
            click.echo()
        show(grid, output)
