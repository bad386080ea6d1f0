"""``corefine check FILE…``."""

from __future__ import annotations

from typing import Any

import click

from corefine.auditing.checking import TABLES, Checked, Checks, check
from corefine.cli.help_pages import Command
from corefine.cli.options import against_option, align_option, format_option, refuse_unused
from corefine.cli.presentation import Presentation, output_options, tell, warn
from corefine.formats import read


@click.command("check", cls=Command)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@format_option()
@against_option
@align_option
@output_options(*TABLES, default="summary")
def command(
    files: tuple[str, ...],
    format: str | None,
    against: str | None,
    align: str,
    **options: Any,
) -> int:
    """Validate FILEs, directories or glob patterns, and summarise their content.

    Problems go to standard error with file, line and remedy; the summary goes to standard output.
    The exit status is 2 if there are errors, and 0 if there are only warnings. With --against,
    the output of a language model is checked against its source text: how much of it was copied,
    where it was cut off, and which tags are malformed.

    \b
    corefine check response.conll
    corefine check corpus/*.conllu --tables problems -o problems.csv
    corefine check answers.jsonl --against key.conllu
    """
    presentation = Presentation.from_options(options, TABLES)
    refuse_unused(against is not None, None, align)
    source = None if against is None else read(against)
    results = Checks(
        result for path in files for result in check(path, format, against=source, align=align)
    )
    for result in results:
        for problem in result.problems:
            tell(f"corefine: error: {problem}", err=True)
        warn(_placed(warning, result) for warning in result.warnings)
    if presentation.form == "json":
        presentation.write_json([result.to_dict() for result in results])
    else:
        presentation.show(results)
    return 2 if any(result.problems for result in results) else 0


def _placed(warning: str, result: Checked) -> str:
    return warning if result.source in warning else f"{result.source}: {warning}"
