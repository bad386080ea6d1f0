"""``corefine formats``."""

from __future__ import annotations

import click

from corefine.cli.options import output_option
from corefine.cli.output import show, show_json
from corefine.formats import Format, all_formats
from corefine.showing.grid import Column, Grid

_HELD = {
    "kinds": "kinds",
    "heads": "heads",
    "types": "types",
    "discontinuous": "discontinuous mentions",
    "zeros": "zeros",
    "minimum_spans": "minimum spans",
    "relations": "bridging",
    "topics": "topics",
}


@click.command("formats", short_help="List the formats that are read and written.")
@output_option()
def command(output: str) -> None:
    """List the formats that are read and written, and what each can hold.

    Files are recognised by their content; --key-format and --response-format name a format where
    that fails. Every format is read from files, directories, patterns, gzip and standard input.
    """
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
    if output == "json":
        names = ("name", "title", "suffixes", "use", "holds")
        show_json([dict(zip(names, row, strict=True)) for row in rows])
        return
    columns = tuple(map(Column, ("name", "format", "suffixes", "use", "holds beside the mentions")))
    show(Grid(columns, rows), output)


def _written(format: Format) -> bool:
    return format.write is not None or format.write_files is not None


def _held(format: Format) -> list[str]:
    held = ["text"] if format.holds.text else []
    return held + [words for name, words in _HELD.items() if getattr(format.holds, name)]
