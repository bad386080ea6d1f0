"""``corefine demo``."""

from __future__ import annotations

import click

from corefine.cli.presentation import Presentation
from corefine.cli.samples import sample_path
from corefine.cli.samples.paper_examples import CONTRASTS
from corefine.scoring.score import score
from corefine.scoring.scores import Scores
from corefine.showing.grid import Column, Grid, Value

SYSTEMS = ("careful", "eager")


@click.command("demo", short_help="Score a small bundled text on which the metrics disagree.")
def command() -> None:
    """Score a small bundled text on which the metrics disagree.

    Two systems read the same story. The careful one links only what it is sure of and leaves
    entities in pieces; the eager one puts all people into one entity and all things into another.
    Then two examples from papers, which only metrics that know names from pronouns tell apart.
    """
    click.echo(
        "Two systems read the same story. The careful one leaves entities in pieces;\n"
        "the eager one puts all people into one entity and all things into another.\n"
    )
    names = [sample_path(name) for name in SYSTEMS]
    careful, eager = (score(sample_path("key"), path, "all") for path in names)
    Presentation().show_grids([_side_by_side(dict(zip(SYSTEMS, (careful, eager), strict=True)))])
    click.echo("\nThe files are yours to try:")
    click.echo(f"  corefine score {sample_path('key')} {sample_path('careful')}")
    click.echo(
        "\nTwo responses can make the same error on different mentions. Metrics that do not tell\n"
        "names from pronouns see no difference."
    )
    for contrast in CONTRASTS:
        click.echo(f"\n{contrast.title}\n\n{contrast.story}\n")
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
