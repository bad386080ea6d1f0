"""Presenting results: tables and JSON to standard output or a file, warnings to standard error."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, TypeVar

import click

from corefine.cli.outputs import OUTPUT
from corefine.errors import UsageError
from corefine.showing.grid import Grid
from corefine.showing.result import Result, check_tables

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

    @classmethod
    def taken(cls, options: dict[str, Any], known: Iterable[str] = ()) -> Presentation:
        """What ``--output``, ``-o`` and ``--tables`` ask for, checked before any work begins."""
        form, place = options.pop("output"), options.pop("out", "-")
        asked = options.pop("tables", None)
        names = [name.strip() for name in (asked or "").split(",") if name.strip()]
        if names == ["all"]:
            names = list(known)
        check_tables(names, known)
        if form is None:
            form = "table" if place == "-" else _form_of(place)
        if form == "csv" and len(names) > 1:
            raise UsageError("CSV holds one table", remedy=f"Name one: --tables {names[0]}.")
        return cls(form, place, tuple(names))

    def show(self, result: Result, *extra: str, heading: str = "", **options: Any) -> None:
        """Present a result: the tables that were named, or the usual ones and these extra ones.

        Options go to the tables that have them, and to the form for JSON. A heading stands before
        the usual tables where people read them.
        """
        if self.form == "json":
            self.write(result.to_json(*self.tables, **_for_json(result, options)))
            return
        names = self.tables
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
                click.echo(f"{heading}\n")
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
        self.write("\n\n".join([heading, *tables] if heading else tables))

    def write_json(self, value: Any) -> None:
        """Write plain values as JSON, and nothing else."""
        import json

        self.write(json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False))

    def write(self, text: str) -> None:
        """Write text to the place that was asked for, a file atomically."""
        if self.place == "-":
            click.echo(_escaped_json(text) if self.form == "json" else text)
            return
        from corefine.showing.saving import write_atomically

        write_atomically(self.place, text + "\n")


def _escaped_json(text: str) -> str:
    """JSON in which characters that standard output cannot encode are escaped as JSON does it."""
    import json

    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        return "".join(one if one.isascii() else json.dumps(one)[1:-1] for one in text)
    return text


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
        f"the name {place!r} does not tell the form of the output",
        remedy=f"End it in {', '.join(SUFFIXES)}, or name the form with --output.",
    )


def output_options(
    *tables: str, forms: Sequence[str] = FORMS, usual: str = "all that say something"
) -> Callable[[Command], Command]:
    """``--output`` is a form, ``-o`` a place, ``--tables`` a choice of tables."""

    def decorate(command: Command) -> Command:
        options = [
            click.option(
                "--output",
                type=click.Choice(tuple(forms)),
                help="Form of the output.  [default: table, or what the suffix of -o tells]",
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
                    help=f"Tables to show, as a comma-separated list: {', '.join(tables)}, all.  "
                    f"[default: {usual}]",
                )
            )
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def warn(warnings: Iterable[str]) -> None:
    """Write warnings to standard error, one a line."""
    for warning in warnings:
        click.echo(f"corefine: warning: {warning}", err=True)
