"""Presenting results: tables and JSON to standard output or a file, warnings to standard error."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, TypeVar

import click

from corefine.cli.outputs import OUTPUT
from corefine.cli.runtime import complain
from corefine.errors import UsageError, escaped, printable
from corefine.output.grid import Grid
from corefine.output.paper import LAYOUTS, check_layout
from corefine.output.result import Result, check_tables

Command = TypeVar("Command", bound=Callable[..., Any])

FORMS = ("table", "json", "csv", "markdown", "latex")
SUFFIXES = {".txt": "table", ".json": "json", ".csv": "csv", ".md": "markdown", ".tex": "latex"}
"""The forms that the suffix of a file stands for."""


@dataclass(frozen=True, slots=True)
class Presentation:
    """In which form, where, and which tables."""

    form: str = "table"
    place: str = "-"
    tables: tuple[str, ...] = ()
    everything: bool = False
    """Whether all tables were asked for: those that the result has."""
    layout: str = "tables"

    @classmethod
    def taken(cls, options: dict[str, Any], known: Iterable[str] = ()) -> Presentation:
        """What ``--output``, ``-o`` and ``--tables`` ask for, checked before any work begins."""
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
        if layout == "paper" and options.get("metrics") == "default" and not options.get("preset"):
            # What is not shown must not count in a correction for multiple comparisons.
            options["metrics"] = "muc,b3,ceafe,conll"
        if form == "csv" and len(names) > 1:
            raise UsageError(
                "CSV can hold only one table", remedy=f"Choose one, such as --tables {names[0]}."
            )
        return cls(form, place, tuple(names), everything, layout)

    def show(
        self,
        result: Result,
        *extra: str,
        heading: str = "",
        paper: dict[str, Any] | None = None,
        **options: Any,
    ) -> None:
        """Present a result: the tables that were named, or the usual ones and these extra ones.

        Options go to the tables that have them, and to the form for JSON. A heading stands before
        the usual tables where people read them. ``paper`` are options of the paper's table.
        """
        names = self.tables
        if self.everything:
            names = tuple(name for name in names if name in result.table_names)
        if self.layout == "paper":
            table = result.paper_table(**(paper or {}))
            self.write(table.to_latex() if self.form == "latex" else table.to_markdown())
            return
        if self.form == "json":
            self.write(result.to_json(*names, **_for_json(result, options)))
            return
        if not names:
            usual = (result.csv_table,) if self.form == "csv" else result.usual_tables
            names = extra[:1] if extra and self.form == "csv" else (*usual, *extra)
        grids = result.tables(*names, **options)
        shown = [grid for grid in grids if grid.rows or self.tables or self.form == "csv"]
        self.show_grids(shown, "" if self.tables or self.form != "table" else heading)

    def show_grids(self, grids: Sequence[Grid], heading: str = "") -> None:
        """Present tables, one under another."""
        if not grids:
            return
        if self.form == "table" and self.place == "-" and sys.stdout.isatty():
            if heading:
                click.echo(f"{wrapped(_plain_lines(heading))}\n")
            for number, grid in enumerate(grids):
                if number:
                    click.echo()
                grid.print_to_terminal()
            return
        if self.form == "json":
            self.write_json([grid.to_dict() for grid in grids])
            return
        writer = {"table": "to_text", "markdown": "to_markdown", "latex": "to_latex"}
        name = writer.get(self.form, "to_csv")
        tables = [getattr(grid, name)() for grid in grids]
        self.write("\n\n".join([_plain_lines(heading), *tables] if heading else tables))

    def write_json(self, value: Any) -> None:
        """Write plain values as JSON, and nothing else."""
        import json

        self.write(json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False))

    def write(self, text: str) -> None:
        """Write text to the place that was asked for, a file atomically."""
        if self.place == "-":
            click.echo(_escaped_json(text) if self.form == "json" else text)
            return
        from corefine.output.saving import write_atomically

        write_atomically(self.place, text + "\n")


def _escaped_json(text: str) -> str:
    """JSON in which characters that standard output cannot encode are escaped as JSON does it."""
    import json

    # Those that command a terminal are no control characters to JSON.
    text = re.sub("[\x7f-\x9f]", lambda found: f"\\u{ord(found[0]):04x}", text)
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        return "".join(one if one.isascii() else json.dumps(one)[1:-1] for one in text)
    return text


LINE = 100
"""Longer lines of prose are hard to read."""


def wrapped(text: str, indent: str = "", *, first: str | None = None) -> str:
    """The text broken between words to fit the terminal; long words stay whole.

    ``indent`` comes before every line; ``first``, where given, before the first one instead.
    """
    import shutil
    import textwrap

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
    """Those options that the form for JSON has."""
    from inspect import signature

    known = signature(result.to_dict).parameters
    return {name: value for name, value in options.items() if name in known}


def _form_of(place: str) -> str:
    suffix = PurePath(place).suffix
    if suffix in SUFFIXES:
        return SUFFIXES[suffix]
    raise UsageError(
        f"cannot tell the output format from the name {place!r}",
        remedy=f"Use one of the suffixes {', '.join(SUFFIXES)}, or give --output.",
    )


def output_options(
    *tables: str, forms: Sequence[str] = FORMS, usual: str = "all non-empty tables"
) -> Callable[[Command], Command]:
    """``--output`` is a form, ``-o`` a place, ``--tables`` a choice of tables."""

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
                    f"[default: {usual}]",
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
    """Write warnings to standard error, one a line."""
    for warning in warnings:
        tell(f"corefine: warning: {printable(warning)}", err=True)


def tell(text: str, *, err: bool = False) -> None:
    """Write a line for people, in which nothing that a file or a user wrote commands a terminal."""
    if err:
        complain(escaped(text))
    else:
        click.echo(escaped(text))


def _plain_lines(text: str) -> str:
    return "\n".join(map(escaped, text.split("\n")))
