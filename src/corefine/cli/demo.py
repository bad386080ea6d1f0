"""``corefine demo``."""

from __future__ import annotations

import click

from corefine.cli.output import show
from corefine.report.grid import Column, Grid, Value
from corefine.samples import sample_path
from corefine.scoring import score

SYSTEMS = ("careful", "eager")


@click.command("demo", short_help="Score a small bundled text on which the metrics disagree.")
def command() -> None:
    """Score a small bundled text on which the metrics disagree.

    Two systems read the same story. The careful one links only what it is sure of and leaves
    entities in pieces; the eager one puts all people into one entity and all things into another.
    """
    click.echo(
        "Two systems read the same story. The careful one leaves entities in pieces;\n"
        "the eager one puts all people into one entity and all things into another.\n"
    )
    careful, eager = (score(sample_path("key"), sample_path(name), "all") for name in SYSTEMS)
    rows: list[tuple[Value, ...]] = []
    for metric, mine in careful.items():
        theirs = eager[metric]
        rows.append((metric, mine.f1, theirs.f1, _preferred(mine.f1, theirs.f1)))
    columns = (
        Column("metric"),
        Column("careful F1", "percent"),
        Column("eager F1", "percent"),
        Column("prefers"),
    )
    show(Grid(columns, rows, notes=(careful.signature.conventions,)), "table")
    click.echo("\nThe files are yours to try:")
    click.echo(f"  corefine score {sample_path('key')} {sample_path('careful')}")


def _preferred(careful: float, eager: float) -> str:
    return "neither" if careful == eager else SYSTEMS[eager > careful]
