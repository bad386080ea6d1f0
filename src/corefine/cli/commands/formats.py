"""``corefine formats``."""

from __future__ import annotations

from typing import Any

import click

from corefine.cli.help_pages import Command
from corefine.cli.presentation import Presentation, output_options
from corefine.formats import Format, all_formats
from corefine.output.grid import Column, Grid

_HELD = {
    "kinds": "mention kinds",
    "heads": "heads",
    "types": "entity types",
    "discontinuous": "discontinuous mentions",
    "zeros": "zeros",
    "minimum_spans": "minimum spans",
    "relations": "bridging",
    "annotations": "deixis",
    "topics": "topics",
}


@click.command("formats", cls=Command)
@output_options()
def command(**options: Any) -> None:
    """List the supported formats and the annotations that each can represent.

    Formats are detected from the content; override this with --key-format and --response-format.
    Every format is read from files, directories, glob patterns, gzip and standard input.

    \b
    corefine formats
    corefine formats --output json
    """
    presentation = Presentation.from_options(options)
    rows = [
        (
            format.name,
            format.title,
            " ".join(format.suffixes),
            "read, written" if _written(format) else "read",
            ", ".join(_held(format)),
        )
        for format in all_formats()
    ]
    titles = {"name": "name", "title": "format", "suffixes": "suffixes", "use": "use"}
    titles["holds"] = "represents, besides mentions"
    if presentation.form == "json":
        presentation.write_json([dict(zip(titles, row, strict=True)) for row in rows])
        return
    columns = tuple(Column(title, name=name) for name, title in titles.items())
    presentation.show_grids([Grid(columns, rows)])


def _written(format: Format) -> bool:
    return format.write is not None or format.write_files is not None


def _held(format: Format) -> list[str]:
    held = ["text"] if format.capabilities.text else []
    return held + [words for name, words in _HELD.items() if getattr(format.capabilities, name)]
