"""``corefine formats``."""

from __future__ import annotations

from typing import Any

import click

from corefine.cli.help_pages import Command
from corefine.cli.presentation import Presentation, output_options, wrapped
from corefine.formats import Format, all_formats, format_named
from corefine.output.grid import Column, Grid

_REPRESENTED = {
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
@click.argument("names", nargs=-1, metavar="[NAME]...")
@output_options()
def command(names: tuple[str, ...], **options: Any) -> None:
    """List the supported formats, or describe NAMEs and the annotations that they represent.

    Formats are detected from the content; override this with --key-format and --response-format.
    Every format is read from files, directories, glob patterns, gzip and standard input.

    \b
    corefine formats
    corefine formats --output json
    """
    presentation = Presentation.from_options(options)
    formats = [format_named(name) for name in names] or list(all_formats())
    if not names and presentation.form == "table" and presentation.place == "-":
        listed = ", ".join(f.name + ("*" if _written(f) else "") for f in formats)
        click.echo(f"{len(formats)} formats are read; those with * are also written:\n")
        click.echo(wrapped(listed, "  "))
        click.echo("\n'corefine formats NAME' or '-o formats.csv' describes them")
        return
    rows = [
        (
            format.name,
            format.title,
            " ".join(format.suffixes),
            "read, written" if _written(format) else "read",
            ", ".join(_represented(format)),
        )
        for format in formats
    ]
    titles = {"name": "name", "title": "format", "suffixes": "suffixes", "use": "use"}
    titles["holds"] = "represents, besides mentions"
    if presentation.form == "json":
        presentation.write_json([dict(zip(titles, row, strict=True)) for row in rows])
        return
    columns = tuple(
        Column(title, name=name, shortest=len(title) + 8) for name, title in titles.items()
    )
    presentation.show_grids([Grid(columns, rows)])


def _written(format: Format) -> bool:
    return format.write is not None or format.write_files is not None


def _represented(format: Format) -> list[str]:
    known = format.capabilities
    found = ["text"] if known.text else []
    return found + [words for name, words in _REPRESENTED.items() if getattr(known, name)]
