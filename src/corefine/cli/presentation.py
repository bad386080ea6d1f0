"""Presentation of results: tables and JSON to a terminal or file, warnings to standard error.

Without ``--tables`` a command prints the result's verdict and its default tables. In a terminal,
tables are fitted to its width and coloured; files and pipes get all columns and no colours.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, TypeVar

import click

from corefine.cli.outputs import OUTPUT
from corefine.cli.runtime import complain
from corefine.errors import UsageError, escaped, printable
from corefine.output.grid import Grid
from corefine.output.plain_text import wrapped_note
from corefine.output.result import LAYOUTS, Result, check_layout, check_tables
from corefine.output.text_table import styled

Command = TypeVar("Command", bound=Callable[..., Any])

FORMS = ("table", "json", "csv", "markdown", "latex")
SUFFIXES = {".txt": "table", ".json": "json", ".csv": "csv", ".md": "markdown", ".tex": "latex"}
"""Output formats by file suffix."""
LINE = 100
"""The longest line of prose."""


@dataclass(frozen=True, slots=True)
class Presentation:
    """The output format, the file, and the tables that were asked for."""

    form: str = "table"
    place: str = "-"
    tables: tuple[str, ...] = ()
    everything: bool = False
    """All tables were asked for."""
    layout: str = "tables"

    @classmethod
    def from_options(cls, options: dict[str, Any], known: Iterable[str] = ()) -> Presentation:
        """Take ``--output``, ``-o``, ``--tables`` and ``--layout`` from options, and check them."""
        form, place = options.pop("output"), options.pop("out", "-")
        asked = options.pop("tables", None)
        names = [name.strip() for name in (asked or "").split(",") if name.strip()]
        everything = names == ["all"]
        if everything:
            names = list(known)
        check_tables(names, known)
        if form is None:
            form = "table" if place == "-" else _form_of(place)
        layout = options.pop("layout", "tables")
        check_layout(layout, form)
        if form == "csv" and len(names) > 1:
            raise UsageError(
                "CSV can hold only one table", remedy=f"Choose one, such as --tables {names[0]}."
            )
        return cls(form, place, tuple(names), everything, layout)

    @property
    def in_terminal(self) -> bool:
        """True if tables are printed to a terminal."""
        return self.form == "table" and self.place == "-" and sys.stdout.isatty()

    def show(
        self, result: Result, *extra: str, paper: dict[str, Any] | None = None, **options: Any
    ) -> None:
        """Write the tables that were named, or the verdict, the default and the ``extra`` tables.

        Options are passed to the tables and to the JSON form that have them, ``paper`` to the table
        of a paper.
        """
        if self.layout == "paper":
            table = result.paper_table(**(paper or {}))
            self.write(table.to_latex() if self.form == "latex" else table.to_markdown())
            return
        names = self.tables
        if self.everything:
            names = tuple(name for name in names if name in result.table_names)
        if self.form == "json":
            self.write(result.to_json(*names, **_for_json(result, options)))
        elif names:
            self.show_grids(result.tables(*names, **options))
        elif self.form == "csv":
            self.show_grids(result.tables(*(extra[:1] or (result.csv_table,)), **options))
        elif self.form == "table":
            self.show_grids(result.summary(*extra, **options), result.verdict, result.footer)
        else:
            grids = result.tables(*result.default_tables, *extra, **options)
            self.show_grids([grid for grid in grids if grid.rows])

    def show_grids(self, grids: Sequence[Grid], heading: str = "", footer: str = "") -> None:
        """Write tables between a heading and a footer."""
        if self.form == "json":
            self.write_json([grid.to_dict() for grid in grids])
            return
        width = shutil.get_terminal_size().columns
        color = self.in_terminal and has_color()
        if self.in_terminal:
            blocks = [grid.to_text(width, color=color) for grid in grids]
        else:
            writer = {"table": "to_text", "markdown": "to_markdown", "latex": "to_latex"}
            blocks = [getattr(grid, writer.get(self.form, "to_csv"))() for grid in grids]
        if heading:
            heading = "\n".join(map(escaped, heading.split("\n")))
            blocks.insert(0, wrapped(heading) if self.in_terminal else heading)
        text = "\n\n".join(blocks)
        if footer:
            lines = wrapped_note(footer, width) if self.in_terminal else [footer]
            text = "\n".join([text, *(styled(line, "dim") if color else line for line in lines)])
        if text:
            self.write(text)

    def write_json(self, value: Any) -> None:
        """Write plain values as JSON."""
        import json

        self.write(json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False))

    def write(self, text: str) -> None:
        """Write text to standard output, or atomically to the file."""
        if self.place == "-":
            click.echo(_escaped_json(text) if self.form == "json" else text, color=has_color())
            return
        from corefine.output.saving import write_atomically

        write_atomically(self.place, text + "\n")


def has_color() -> bool:
    """True if standard output is a terminal that shows colours and the user does not object."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return sys.stdout.isatty() and not plain


def _escaped_json(text: str) -> str:
    """JSON with escapes for terminal control characters and what standard output cannot encode."""
    import json

    text = re.sub("[\x7f-\x9f]", lambda found: f"\\u{ord(found[0]):04x}", text)
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        return "".join(one if one.isascii() else json.dumps(one)[1:-1] for one in text)
    return text


def wrapped(text: str, indent: str = "", *, first: str | None = None) -> str:
    """The text broken between words to fit the terminal; long words stay whole.

    ``indent`` precedes every line but the first, if ``first`` is given.
    """
    width = min(shutil.get_terminal_size().columns, LINE)
    initial = indent if first is None else first
    return "\n".join(
        textwrap.fill(
            line,
            width,
            initial_indent=initial,
            subsequent_indent=indent,
            break_long_words=False,
            break_on_hyphens=False,
        )
        for line in text.splitlines()
    )


def _for_json(result: Result, options: dict[str, Any]) -> dict[str, Any]:
    """The options that the result's JSON form has."""
    from inspect import signature

    known = signature(result.to_dict).parameters
    return {name: value for name, value in options.items() if name in known}


def _form_of(place: str) -> str:
    suffix = PurePath(place).suffix
    if suffix in SUFFIXES:
        return SUFFIXES[suffix]
    raise UsageError(
        f"unknown output format of the name {place!r}",
        remedy=f"Use one of the suffixes {', '.join(SUFFIXES)}, or give --output.",
    )


def output_options(
    *tables: str, forms: Sequence[str] = FORMS, default: str = "all"
) -> Callable[[Command], Command]:
    """``--output``, ``-o`` and, if there are tables, ``--tables``."""

    def decorate(command: Command) -> Command:
        options = [
            click.option(
                "--output",
                type=click.Choice(tuple(forms)),
                help="Output format.  [default: from the suffix of -o, else table]",
            ),
            click.option(
                "-o",
                "--out",
                type=OUTPUT,
                default="-",
                metavar="FILE",
                help="Write to FILE (.txt, .json, .csv, .md, .tex) instead of standard output.",
            ),
        ]
        if tables:
            options.append(
                click.option(
                    "--tables",
                    metavar="NAMES",
                    help=f"Tables to show, a comma-separated list of {', '.join(tables)}, all.  "
                    f"[default: {default}]",
                )
            )
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


layout_option = click.option(
    "--layout",
    type=click.Choice(LAYOUTS),
    default=LAYOUTS[0],
    show_default=True,
    help="Use paper for one table of systems by metrics with a caption, for LaTeX or Markdown.",
)


def warn(warnings: Iterable[str]) -> None:
    """Write warnings to standard error, one per line or, in a terminal, wrapped between words."""
    for warning in warnings:
        text = f"corefine: warning: {printable(warning)}"
        in_terminal = sys.stderr is not None and sys.stderr.isatty()
        complain(wrapped(text, "  ", first="") if in_terminal else text)


def tell(text: str, *, err: bool = False) -> None:
    """Write a line, with escapes for terminal control characters."""
    if err:
        complain(escaped(text))
    else:
        click.echo(escaped(text))
