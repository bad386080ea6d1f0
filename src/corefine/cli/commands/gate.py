"""``corefine gate KEY RESPONSE --against BASELINE``."""

from __future__ import annotations

from typing import Any

import click

from corefine.cli.grammar import (
    MEMORY,
    key_and_response,
    one_from_standard_input,
    optional_settings,
    seed_option,
)
from corefine.cli.presentation import Presentation, output_options, warn
from corefine.cli.progress import ProgressBar
from corefine.comparing.gate import gate
from corefine.comparing.plan import Plan

TABLES = ("verdict", "documents")
_PLAN = Plan()


@click.command("gate", short_help="Stop a change that makes a system worse (for CI).")
@key_and_response
@click.option(
    "--against",
    required=True,
    metavar="FILE",
    help="The baseline, stored by 'corefine score --save FILE'.",
)
@click.option(
    "--max-drop",
    type=click.FloatRange(min=0),
    default=0.5,
    show_default=True,
    metavar="POINTS",
    help="Points of F1 that may be lost.",
)
@click.option(
    "-m",
    "--metric",
    default="conll",
    show_default=True,
    metavar="NAME",
    help="One metric of the baseline, or an average of such.",
)
@click.option(
    "--kinds", metavar="SOURCE", help="Source of mention types.  [default: the baseline's]"
)
@optional_settings("the baseline's")
@click.option(
    "--alpha", type=float, default=_PLAN.alpha, show_default=True, help="Significance level."
)
@click.option(
    "--trials", type=int, default=_PLAN.trials, show_default=True, help="Shuffles of the test."
)
@seed_option
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    help="Processes for large files.  [default: one for each core]",
)
@click.option("--memory", type=MEMORY, help="Memory limit for large files, such as 512M.")
@click.option("--summary", metavar="FILE", help="Write the verdict in Markdown, for a job page.")
@click.option("--junit", metavar="FILE", help="Write the verdict as JUnit XML.")
@output_options(*TABLES, usual="verdict")
def command(key: str, response: str, summary: str | None, junit: str | None, **options: Any) -> int:
    """Compare RESPONSE with a stored baseline, and fail if it has become worse.

    The exit status is 1 only if F1 dropped by more than --max-drop and the drop is significant; 2
    if the baseline is broken, of another key or of another signature; 0 otherwise. The response
    that the baseline was made from is not needed.

    \b
    corefine score key.conll old.conll --save baseline.json
    corefine gate key.conll new.conll --against baseline.json
    corefine gate key.conll new.conll --against baseline.json --max-drop 1 --junit gate.xml
    """
    presentation = Presentation.taken(options, TABLES)
    one_from_standard_input(key, response)
    against = options.pop("against")
    given = {name: value for name, value in options.items() if value is not None}
    with ProgressBar() as progress:
        result = gate(key, response, against, progress=progress, **given)
    warn(result.warnings)
    if summary is not None:
        Presentation("markdown", summary).write(result.to_summary().rstrip("\n"))
    if junit is not None:
        Presentation("table", junit).write(result.to_junit().rstrip("\n"))
    presentation.show(result)
    if presentation.place != "-":
        click.echo(result.verdict)
    return 1 if result.failed else 0
