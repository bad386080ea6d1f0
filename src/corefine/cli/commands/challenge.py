"""``corefine challenge gap|winobias KEY RESPONSE``."""

from __future__ import annotations

from typing import Any

import click

from corefine.auditing.challenges import CHALLENGES, challenge
from corefine.auditing.challenges.gap import MATCHES
from corefine.cli.help_pages import Command
from corefine.cli.options import key_and_response, one_from_standard_input, plan_options
from corefine.cli.presentation import Presentation, output_options, warn
from corefine.cli.progress import ProgressBar
from corefine.errors import UsageError
from corefine.matching.settings import CHOICES, HELP


@click.command("challenge", cls=Command)
@click.argument("name", type=click.Choice(tuple(CHALLENGES)))
@key_and_response
@click.option(
    "--match",
    type=click.Choice(MATCHES),
    help="GAP: a mention matches a name if the spans are equal, or if one contains the other.  "
    "[default: exact]",
)
@click.option("-m", "--metrics", metavar="NAMES", help="WinoBias: metrics.  [default: conll,muc]")
@click.option(
    "--missing-documents",
    type=click.Choice(CHOICES["missing_documents"]),
    help=f"WinoBias: {HELP['missing_documents'][0].lower()}{HELP['missing_documents'][1:]}  "
    "[default: error]",
)
@plan_options("alpha", "trials", "replicates", "seed")
@output_options()
def command(name: str, key: str, response: str, **options: Any) -> None:
    """Score RESPONSE on the challenge set KEY and measure its gender bias.

    GAP: KEY is the TSV file; RESPONSE is a file of answers, or a resolver's output in any format
    and tokenisation with the example ids as document ids. WinoBias: KEY and RESPONSE are files,
    directories or quoted glob patterns, of all four files at once or of one type; document ids or
    file names give type and condition.

    \b
    corefine challenge gap gap-test.tsv answers.tsv
    corefine challenge gap gap-test.tsv resolved.jsonl
    corefine challenge winobias 'winobias/*_stereotype.conll' 'resolved/*.conll'
    """
    presentation = Presentation.from_options(options)
    one_from_standard_input(key, response)
    unfit = ("metrics", "key_format", "missing_documents") if name == "gap" else ("match",)
    for option in unfit:
        if options.pop(option) is not None:
            raise UsageError(f"--{option.replace('_', '-')} does not apply to {name}")
    given = {option: value for option, value in options.items() if value is not None}
    with ProgressBar() as progress:
        result = challenge(name, key, response, progress=progress, **given)
    warn(result.warnings)
    presentation.show(result)
