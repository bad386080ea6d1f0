"""``corefine check FILE…``."""

from __future__ import annotations

from dataclasses import asdict

import click

from corefine.auditing.checking import Checked, check
from corefine.cli.output import show, show_json
from corefine.showing.grid import Column, Grid, Value

_NUMBERS = ("documents", "tokens", "mentions", "entities", "singletons", "longest")


@click.command("check", short_help="Validate files: every problem, and what is in them.")
@click.argument("files", nargs=-1, required=True, metavar="FILE…")
@click.option("--format", "format_name", metavar="FORMAT", help="Format, if not sniffed.")
@click.option(
    "--output",
    type=click.Choice(("table", "json", "csv", "markdown")),
    default="table",
    show_default=True,
    help="Form of the summary.",
)
def command(files: tuple[str, ...], format_name: str | None, output: str) -> int:
    """Validate FILEs, directories or patterns, and tell what is in them.

    Every problem is printed with its file, line and remedy on standard error, then a summary on
    standard output. The exit status is 2 if there is a problem, and 0 if there are only warnings.
    """
    results = [result for path in files for result in check(path, format_name)]
    for result in results:
        for problem in result.problems:
            click.echo(f"corefine: error: {problem}", err=True)
        for warning in result.warnings:
            click.echo(f"corefine: warning: {_placed(warning, result)}", err=True)
    if output == "json":
        show_json([_as_dict(result) for result in results])
    else:
        show(_grid(results), output)
    return 2 if any(result.problems for result in results) else 0


def _placed(warning: str, result: Checked) -> str:
    return warning if result.source in warning else f"{result.source}: {warning}"


def _grid(results: list[Checked]) -> Grid:
    rows: list[tuple[Value, ...]] = []
    for result in results:
        summary = None if result.summary is None else asdict(result.summary)
        kinds = {} if summary is None else summary["kinds"]
        numbers = [None if summary is None else summary[name] for name in _NUMBERS]
        told = ", ".join(f"{count:,} {kind}" for kind, count in kinds.items() if count)
        rows.append((result.source, result.format, *numbers, told, len(result.problems)))
    columns = (
        Column("file"),
        Column("format"),
        *(Column(name, "integer") for name in _NUMBERS[:-1]),
        Column("longest entity", "integer", "longest"),
        Column("kinds"),
        Column("problems", "integer"),
    )
    return Grid(columns, rows)


def _as_dict(result: Checked) -> dict[str, object]:
    return {
        "file": result.source,
        "format": result.format,
        "problems": [
            {
                "message": problem.message,
                "line": None if problem.where is None else problem.where.line,
                "remedy": problem.remedy,
            }
            for problem in result.problems
        ],
        "warnings": list(result.warnings),
        "summary": None if result.summary is None else asdict(result.summary),
    }
