"""``corefine demo``."""

from __future__ import annotations

import click

from corefine.cli.help_pages import Command
from corefine.cli.outputs import OUTPUT
from corefine.cli.presentation import Presentation
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
@click.option(
    "--kinds", is_flag=True, help="Two examples from papers that only mention kinds distinguish."
)
def command(write: str | None, kinds: bool) -> None:
    """Score a bundled sample on which metrics disagree.

    Two systems resolve the same story. The careful one has high precision but splits
    entities; the eager one merges all people into one entity and all things into another.

    \b
    corefine demo
    corefine demo --write sample
    """
    if write is not None:
        for path in write_samples(write):
            click.echo(path)
        return
    if kinds:
        _show_contrasts()
        return
    paths = [sample_path(name) for name in SYSTEMS]
    scores = {
        name: score(sample_path("key"), path, "all")
        for name, path in zip(SYSTEMS, paths, strict=True)
    }
    Presentation().show_grids(
        [_side_by_side(scores)],
        "Two systems resolve the same story. The careful one splits entities; the eager one "
        "merges all people into one entity and all things into another.",
    )
    click.echo("Try 'corefine score --sample', 'corefine demo --write DIR'")


def _show_contrasts() -> None:
    for contrast in CONTRASTS:
        key = [list(entity) for entity in contrast.key]
        scores = {
            name: score(key, [list(entity) for entity in response], "all", kinds=contrast.kinds)
            for name, response in contrast.responses.items()
        }
        heading = f"{contrast.title}\n{contrast.story}"
        Presentation().show_grids([_side_by_side(scores)], heading)
        click.echo()


def _side_by_side(scores: dict[str, Scores]) -> Grid:
    """F1 of two responses by every metric, and the response that it prefers."""
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
