"""``corefine audit KEY RESPONSE``."""

from __future__ import annotations

from typing import Any

import click

from corefine.auditing.audit import METRICS, audit
from corefine.auditing.audit import TABLES as AUDIT_TABLES
from corefine.cli.help_pages import Command
from corefine.cli.options import (
    key_and_response,
    kinds_option,
    metrics_option,
    one_from_standard_input,
    sample_option,
    settings_options,
    window_option,
)
from corefine.cli.presentation import Presentation, output_options, warn
from corefine.cli.progress import ProgressBar
from corefine.formats.tagged.copies import LOSS_TABLES

TABLES = (*AUDIT_TABLES, *LOSS_TABLES)


@click.command("audit", cls=Command)
@key_and_response
@sample_option
@metrics_option(METRICS)
@kinds_option()
@settings_options
@window_option
@output_options(*TABLES, default="changes")
def command(key: str, response: str, **options: Any) -> None:
    """Perturb RESPONSE with edits known to help or hurt, and check that each metric agrees.

    The edits remove or add wrong links, split correct entities, merge unrelated ones, swap names,
    drop pronouns and add spurious mentions. If a metric's recall rises when only wrong links are
    added, do not rely on its recall for this data. Only what is right or wrong by construction is
    judged; --tables outcomes shows every expectation beside its outcome.

    \b
    corefine audit key.conll response.conll
    corefine audit key.conll response.conll --metrics b3,lea --tables violations
    """
    presentation = Presentation.from_options(options, TABLES)
    one_from_standard_input(key, response)
    with ProgressBar() as progress:
        result = audit(key, response, progress=progress, **options)
    warn(result.scores.warnings)
    presentation.show(result)
