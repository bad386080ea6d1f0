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
@click.argument("names", nargs=-1, type=click.Choice(tuple(PRESETS)), metavar="[NAME]...")
@output_options()
def command(names: tuple[str, ...], **options: Any) -> None:
    """List the presets, or describe NAMEs: settings and metrics of a shared task, and reference.

    \b
    corefine presets
    corefine presets --output json
    """
    presentation = Presentation.from_options(options)
    if presentation.form == "table" and presentation.place == "-":
        if not names:
            rows = [(preset.name, preset.meaning) for preset in PRESETS.values()]
            note = "'corefine presets NAME' gives settings, metrics and reference"
            columns = (Column("preset"), Column("shared task or paper", shortest=30))
            presentation.show_grids([Grid(columns, rows, notes=(note,))])
            return
        for preset in (PRESETS[name] for name in names):
            settings = " ".join(f"--{n.replace('_', '-')} {v}" for n, v in preset.settings.items())
            meaning = wrapped(f"{preset.name}  {preset.meaning}", INDENT, first="")
            click.echo(click.style(preset.name, bold=True) + meaning.removeprefix(preset.name))
            click.echo(wrapped(f"{settings} --metrics '{preset.metrics}'", INDENT))
            click.echo(f"{wrapped(preset.citation, INDENT)}\n")
        return
    fields = ("name", "meaning", "settings", "metrics", "citation")
    described = [
        (p.name, p.meaning, ",".join(f"{n}={v}" for n, v in p.settings.items()), p.metrics,
         p.citation)
        for p in PRESETS.values()
        if not names or p.name in names
    ]  # fmt: skip
    presentation.show_grids([Grid(tuple(map(Column, fields)), described)])
