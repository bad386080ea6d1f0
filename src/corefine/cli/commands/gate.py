"""``corefine gate KEY RESPONSE --against BASELINE``."""

from __future__ import annotations

from typing import Any

import click

from corefine.cli.help_pages import Command
from corefine.cli.options import (
    MEMORY,
    key_and_response,
    one_from_standard_input,
    optional_settings,
    plan_options,
)
from corefine.cli.outputs import OUTPUT
from corefine.cli.presentation import Presentation, output_options, tell, warn
from corefine.cli.progress import ProgressBar
from corefine.comparing.gate import gate
from corefine.formats.tagged.copies import LOSS_TABLES

TABLES = ("verdict", "documents", *LOSS_TABLES)


@click.command("gate", cls=Command)
@key_and_response
@click.option(
    "--against",
    required=True,
    metavar="FILE",
    help="Baseline saved by 'corefine score --save FILE' or 'corefine suite --save DIR'.",
)
@click.option(
    "--max-drop",
    type=click.FloatRange(min=0),
    default=0.5,
    show_default=True,
    metavar="POINTS",
    help="Largest allowed drop, in F1 points.",
)
@click.option(
    "-m",
    "--metric",
    default="conll",
    show_default=True,
    metavar="NAME",
    help="A metric of the baseline, or an average of its metrics.",
)
@click.option(
    "--require-mentions",
    is_flag=True,
    help="Also fail if the response has no mention in a document with mentions in the key.",
)
@click.option(
    "--kinds", metavar="SOURCE", help="Source of mention kinds.  [default: the baseline's]"
)
@optional_settings("the baseline's")
@plan_options("alpha", "trials", "replicates", "seed")
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    metavar="N",
    help="Processes for large files.  [default: one per core]",
)
@click.option("--memory", type=MEMORY, help="Memory limit for large files, such as 512M.")
@click.option(
    "--summary",
    type=OUTPUT,
    metavar="FILE",
    help="Write the verdict as Markdown (for a CI job summary).",
)
@click.option("--junit", type=OUTPUT, metavar="FILE", help="Write the verdict as JUnit XML.")
@output_options(*TABLES, default="verdict, and alignment of LLM output")
def command(key: str, response: str, summary: str | None, junit: str | None, **options: Any) -> int:
    """Compare RESPONSE with a saved baseline, and fail if F1 dropped.

    The exit status is 1 if F1 dropped by more than --max-drop and the drop is significant; 2 if
    the baseline is corrupt or has a different key or signature; 0 otherwise. The baseline's
    response file is not needed. For the baseline of a suite, KEY and RESPONSE are those of
    'corefine suite'.

    \b
    corefine score key.conll old.conll --save baseline.json
    corefine gate key.conll new.conll --against baseline.json
    corefine gate key.conll new.conll --against baseline.json --max-drop 1 --junit gate.xml
    """
    presentation = Presentation.from_options(options, TABLES)
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
        tell(result.verdict)
    return 1 if result.failed else 0
