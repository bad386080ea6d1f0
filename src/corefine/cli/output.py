"""Writing results: grids and JSON to standard output, warnings to standard error."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

import click

from corefine.showing.grid import Grid


def show(grid: Grid, output: str) -> None:
    """Write a grid in the form that was asked for."""
    if output == "table" and sys.stdout.isatty():
        grid.print_to_terminal()
        return
    writers = {
        "table": grid.to_text,
        "markdown": grid.to_markdown,
        "latex": grid.to_latex,
        "csv": grid.to_csv,
    }
    click.echo(writers[output]())


def show_json(value: Any) -> None:
    """Write JSON to standard output, and nothing else."""
    import json

    click.echo(json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False))


def warn(warnings: Iterable[str]) -> None:
    """Write warnings to standard error, one a line."""
    for warning in warnings:
        click.echo(f"corefine: warning: {warning}", err=True)
