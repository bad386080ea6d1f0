"""``corefine agree A B…``."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from corefine.cli.naming import named_paths
from corefine.cli.options import metrics_option, output_option, settings_options, take_settings
from corefine.cli.output import show, show_json, warn
from corefine.cli.reading import read_one
from corefine.comparing.annotators.agreement import (
    SYMMETRIC,
    Agreement,
    agree_corpora,
    symmetric_metrics,
)
from corefine.comparing.annotators.tables import TABLES, check_tables, grids
from corefine.errors import UsageError


@click.command("agree", short_help="Agreement of two or more annotations of the same text.")
@click.argument("annotations", type=str, nargs=-1, metavar="A B...")
@metrics_option(SYMMETRIC)
@click.option("--format", metavar="FORMAT", help="Format of the files, where it is not shown.")
@settings_options
@click.option(
    "--entities",
    type=click.IntRange(min=0),
    default=20,
    show_default=True,
    metavar="N",
    help="How many of the entities that they differ on to list; CSV and JSON hold all.",
)
@click.option(
    "--tables",
    metavar="NAMES",
    help=f"Tables to show, with commas between them: {', '.join(TABLES)}. Without it: all.",
)
@output_option()
def command(
    annotations: tuple[str, ...],
    metrics: str,
    format: str | None,
    entities: int,
    tables: str | None,
    output: str,
    **options: Any,
) -> None:
    """How far two or more annotations of the same text agree, none of them being the key.

    An annotation is a path, or NAME=PATH. There are the F1 of every two annotators by metrics that
    do not ask which side is the key, Krippendorff's α of their entities with MASI's distance, how
    many mentions they share, and the entities that they differ on.
    """
    settings = take_settings(options)
    asked = symmetric_metrics(metrics)
    wanted = _tables(tables, output)
    paths = named_paths(annotations, "annotation")
    if len(paths) < 2:
        raise UsageError("agreement needs at least two annotations")
    if list(paths.values()).count("-") > 1:
        raise UsageError("only one annotation can come from standard input")
    corpora = {name: read_one(path, format) for name, path in paths.items()}
    agreement = agree_corpora(corpora, asked, settings)
    warn(agreement.warnings)
    _show(agreement, wanted, entities, output)


def _tables(asked: str | None, output: str) -> tuple[str, ...]:
    names = tuple(TABLES) if asked is None else tuple(n.strip() for n in asked.split(",") if n)
    check_tables(names)
    if output == "csv":
        if asked is None:
            return ("metrics",)
        if len(names) != 1:
            raise UsageError("CSV holds one table", remedy="Name it: --tables entities.")
    return names


def _show(agreement: Agreement, tables: tuple[str, ...], entities: int, output: str) -> None:
    if output == "json":
        show_json(agreement.to_dict())
        return
    for number, (name, grid) in enumerate(zip(tables, grids(agreement, tables), strict=True)):
        if name == "entities" and output != "csv" and len(grid.rows) > entities:
            more = f"{len(grid.rows) - entities:,} more; list them with --entities."
            grid = replace(grid, rows=grid.rows[:entities], notes=(more,))
        if number:
            click.echo()
        show(grid, output)
