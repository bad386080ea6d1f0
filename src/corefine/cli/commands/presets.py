"""``corefine presets``."""

from __future__ import annotations

from typing import Any

import click

from corefine.cli.help_pages import Command
from corefine.cli.presentation import Presentation, output_options, wrapped
from corefine.output.grid import Column, Grid
from corefine.scoring.presets import PRESETS

INDENT = "    "


@click.command("presets", cls=Command)
@output_options()
def command(**options: Any) -> None:
    """List the presets: the settings and metrics of a shared task, and its reference.

    \b
    corefine presets
    corefine presets --output json
    """
    presentation = Presentation.from_options(options)
    if presentation.form == "table" and presentation.place == "-":
        for preset in PRESETS.values():
            settings = " ".join(f"--{n.replace('_', '-')} {v}" for n, v in preset.settings.items())
            meaning = wrapped(f"{preset.name}  {preset.meaning}", INDENT, first="")
            click.echo(click.style(preset.name, bold=True) + meaning.removeprefix(preset.name))
            click.echo(wrapped(f"{settings} --metrics '{preset.metrics}'", INDENT))
            click.echo(f"{wrapped(preset.citation, INDENT)}\n")
        return
    names = ("name", "meaning", "settings", "metrics", "citation")
    rows = [
        (p.name, p.meaning, ",".join(f"{n}={v}" for n, v in p.settings.items()), p.metrics,
         p.citation)
        for p in PRESETS.values()
    ]  # fmt: skip
    presentation.show_grids([Grid(tuple(map(Column, names)), rows)])
