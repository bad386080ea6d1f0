"""``corefine audit KEY RESPONSE``."""

from __future__ import annotations

from typing import Any

import click

from corefine.auditing.audit import METRICS, audit
from corefine.auditing.tables import AUDIT_TABLES
from corefine.cli.grammar import (
    key_and_response,
    kinds_option,
    metrics_option,
    one_from_standard_input,
    settings_options,
    window_option,
)
from corefine.cli.presentation import Presentation, output_options, warn
from corefine.cli.progress import ProgressBar


@click.command("audit", short_help="See which metrics can be trusted on these files.")
@key_and_response
@metrics_option(METRICS)
@kinds_option()
@settings_options
@window_option
@output_options(*AUDIT_TABLES, usual="all")
def command(key: str, response: str, **options: Any) -> None:
    """Perturb RESPONSE with edits known to help or hurt, and see whether each metric agrees.

    Wrong links are removed or added, correct entities split, unrelated ones merged, names
    exchanged, pronouns dropped, mentions invented. A metric whose recall rises when only wrong
    links were added cannot be trusted to tell recall on this data.

    \b
    corefine audit key.conll response.conll
    corefine audit key.conll response.conll --metrics b3,lea --tables violations
    """
    presentation = Presentation.taken(options, AUDIT_TABLES)
    one_from_standard_input(key, response)
    with ProgressBar() as progress:
        result = audit(key, response, progress=progress, **options)
    warn(result.scores.warnings)
    presentation.show(result)
