"""``corefine audit KEY RESPONSE``."""

from __future__ import annotations

from typing import Any

import click

from corefine.auditing.audit import METRICS, Audit, audit_corpora
from corefine.auditing.tables import trials_grid, violations_grid, wrong_mentions_grid
from corefine.cli.options import (
    key_and_response,
    kinds_option,
    metrics_option,
    output_option,
    settings_options,
    take_settings,
)
from corefine.cli.output import show, show_json, warn
from corefine.cli.reading import read_sides
from corefine.kinds import plan_of
from corefine.scoring.score import metrics_for


@click.command("audit", short_help="See which metrics can be trusted on these files.")
@key_and_response
@metrics_option(METRICS)
@kinds_option
@settings_options
@output_option()
def command(
    key: str,
    response: str,
    key_format: str | None,
    response_format: str | None,
    metrics: str,
    kinds: str,
    output: str,
    **options: Any,
) -> None:
    """Change RESPONSE in ways whose worth is known, and see whether each metric knows it too.

    Wrong links are removed or added, right entities split, unlike ones merged, names exchanged,
    pronouns dropped, mentions invented. A metric whose recall rises when only wrong links were
    added cannot be trusted to tell recall on this data.
    """
    settings = take_settings(options)
    asked = metrics_for(metrics, settings)
    plan = plan_of(kinds)
    sides = read_sides(key, response, key_format, response_format, plan.layers)
    result = audit_corpora(*sides, asked, settings, plan)
    warn(result.scores.warnings)
    if output == "json":
        show_json(result.to_dict())
    elif output == "csv":
        show(violations_grid(result), output)
    else:
        _show(result, output)


def _show(result: Audit, output: str) -> None:
    for grid in (trials_grid(result), violations_grid(result), wrong_mentions_grid(result)):
        show(grid, output)
        click.echo()
    if result.note is not None and output == "table":
        click.echo(result.note)
