"""``corefine demo``."""

from __future__ import annotations

import click

from corefine.cli.help_pages import Command
from corefine.cli.outputs import OUTPUT
from corefine.cli.presentation import Presentation, wrapped
from corefine.cli.samples import sample_path, write_samples
from corefine.cli.samples.paper_examples import CONTRASTS
from corefine.output.grid import Column, Grid, Value
from corefine.scoring.score import score
from corefine.scoring.scores import Scores

SYSTEMS = ("careful", "eager")


@click.command("demo", cls=Command)
@click.option(
    "--write",
    type=OUTPUT,
    metavar="DIR",
    help="Only copy the sample files (key, careful and eager.conll) to DIR.",
)
def command(write: str | None) -> None:
    """Score a bundled sample on which metrics disagree.

    Two systems resolve the same story. The careful one has high precision but splits
    entities; the eager one merges all people into one entity and all things into another. Two
    examples from the literature follow that only metrics with mention kinds can distinguish.

    \b
    corefine demo
    corefine demo --write sample
    """
    if write is not None:
        for path in write_samples(write):
            click.echo(path)
        return
    click.echo(
        wrapped(
            "Two systems resolve the same story. The careful one splits entities; the eager one "
            "merges all people into one entity and all things into another."
        )
        + "\n"
    )
    names = [sample_path(name) for name in SYSTEMS]
    careful, eager = (score(sample_path("key"), path, "all") for path in names)
    Presentation().show_grids([_side_by_side(dict(zip(SYSTEMS, (careful, eager), strict=True)))])
    click.echo("\nTry the sample yourself:")
    click.echo("  corefine score --sample")
    click.echo("  corefine demo --write DIR")
    click.echo(
        "\n"
        + wrapped(
            "Two responses can make the same error on different mentions. Metrics that ignore "
            "mention kinds see no difference."
        )
    )
    for contrast in CONTRASTS:
        click.echo(f"\n{contrast.title}\n\n{wrapped(contrast.story)}\n")
        key = [list(entity) for entity in contrast.key]
        found = {
            name: score(key, [list(entity) for entity in response], "all", kinds=contrast.kinds)
            for name, response in contrast.responses.items()
        }
        Presentation().show_grids([_side_by_side(found)])


def _side_by_side(scores: dict[str, Scores]) -> Grid:
    """The F1 of two responses by every metric, and which of them it prefers."""
    (one, first), (other, second) = scores.items()
    rows: list[tuple[Value, ...]] = []
    for metric, mine in first.items():
        theirs = second[metric].f1
        close = abs(mine.f1 - theirs) < 1e-12
        rows.append(
            (metric, mine.f1, theirs, "neither" if close else one if mine.f1 > theirs else other)
        )
    columns = (
        Column("metric"),
        Column(f"{one} F1", "percent"),
        Column(f"{other} F1", "percent"),
        Column("prefers"),
    )
    return Grid(columns, rows, notes=(first.signature.conventions,))
