"""Commands that write one file to publish: ``report`` and ``leaderboard``."""

from __future__ import annotations

from typing import Any

import click

from corefine.cli.help_pages import Command
from corefine.cli.options import (
    IDENTITY_ONLY,
    by_options,
    flag,
    key_and_responses,
    named_paths,
    number,
    one_from_standard_input,
    option,
    page_option,
    refuse,
    sample_option,
    scoring_options,
    statistics_options,
    stored_results,
)
from corefine.cli.presentation import ProgressBar, computed, tell, warn
from corefine.errors import shown
from corefine.output.saving import check_page

LARGE = 60.0
"""Megabytes from which on a browser takes long to open the file."""


@click.command("report", cls=Command)
@key_and_responses
@flag(
    "--suite",
    "Many data sets at once: key and response are folders whose files have the same names, or "
    "TOML files that list them. Scores are averaged over data sets (macro).",
)
@sample_option
@scoring_options(left_out=(*IDENTITY_ONLY, "duplicates"))
@by_options
@click.option(
    "--documents",
    multiple=True,
    metavar="IDS",
    help="Show the text of these documents only (comma-separated list of ids).",
)
@number("--worst", "Show the N lowest-scoring documents.")
@page_option("report.html")
def report_command(
    key: str, responses: tuple[str, ...], out: str, suite: bool, **options: Any
) -> None:
    """Write an HTML report on one or more RESPONSEs.

    The report is one self-contained file: scores with confidence intervals, charts, tables of
    entities and errors, and the text with key and response mentions. All documents are scored;
    --documents and --worst select those whose text is shown.

    \b
    corefine report key.conll response.conll
    corefine report key.conll rules=a.conll neural=b.conll --worst 20 -o compared.html
    corefine report --suite gold/ system/ --preset crac25 --worst 20
    """
    from corefine.comparing.power import distinct_warnings
    from corefine.report.report import report
    from corefine.report.suite import report_suite

    check_page(out)
    named = named_paths(responses)
    one_from_standard_input((key, *named.values()))
    options["documents"] = options["documents"] or None
    if suite:
        refuse("cannot be combined with --suite", "by", "genres")
    with ProgressBar() as progress:
        made = (report_suite if suite else report)(key, named, progress=progress, **options)
    warn(shown(distinct_warnings(made.scores)))
    made.save(out)
    size = len(made.html.encode("utf-8")) / 1e6
    if size > LARGE:
        warn([f"{out} is large and may open slowly; show fewer documents with --worst"])
    if out != "-":
        tell(f"{out}: {size:.1f} MB")


@click.command("leaderboard", cls=Command)
@click.argument("results", nargs=-1, required=True, metavar="[NAME=]RESULT...")
@option(
    "-m",
    "--metrics",
    metavar="NAMES",
    help="Metrics (comma-separated list).  [default: those that all results have]",
)
@option(
    "--about",
    metavar="FILE",
    help='JSON file about task and systems: {"task": {"text", "link", "licence", "submit"}, '
    '"systems": {NAME: {"link", "authors", "description"}}}.',
)
@statistics_options("alpha")
@page_option("index.html")
def leaderboard_command(results: tuple[str, ...], out: str, **options: Any) -> None:
    """Write a sortable page from RESULTs saved by 'corefine score --save'.

    The newest result of each system is ranked, with confidence intervals and the groups
    of systems that do not differ significantly; older results are its history. Systems are named by
    NAME=RESULT, or after their files. NAME=PATTERN
    stands for all results of a system.

    \b
    corefine leaderboard results/*.json -o index.html
    corefine leaderboard rules=rules.json 'neural=results/neural-*.json' -m conll,lea
    """
    from corefine.report.leaderboard import leaderboard

    check_page(out)
    board = computed(leaderboard, *stored_results(results), **options)
    board.save(out)
    if out != "-":
        counts = {"system": len(board.newest), "result": len(board.results)}
        said = [f"{count} {what}{'s' if count > 1 else ''}" for what, count in counts.items()]
        tell(f"{out}: {', '.join(said)}")
