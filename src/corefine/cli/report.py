"""``corefine report KEY RESPONSE…``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from corefine.cli.options import format_option, kinds_option, metrics_option, settings_options
from corefine.cli.output import warn
from corefine.cli.progress import WorkProgress
from corefine.cli.reading import read_one
from corefine.corpus.corpus import Corpus
from corefine.errors import UsageError
from corefine.matching.settings import CHOICES
from corefine.report.composing import response_names
from corefine.report.making import report

LARGE = 60.0
"""Megabytes from which on a browser takes long to open the file."""


@click.command("report", short_help="Write an HTML report: scores, charts, errors, text.")
@click.argument("key", type=str)
@click.argument("responses", type=str, nargs=-1, required=True, metavar="RESPONSE...")
@click.option(
    "-o", "--out", default="report.html", show_default=True, metavar="FILE", help="File to write."
)
@format_option("key")
@format_option("response")
@metrics_option()
@kinds_option
@settings_options
@click.option(
    "--documents",
    multiple=True,
    metavar="IDS",
    help="Show the text of these documents only; ids with commas between them.",
)
@click.option(
    "--worst", type=click.IntRange(min=1), metavar="N", help="Show the N lowest-scoring documents."
)
@click.option("--title", help="Title of the report.")
@click.option(
    "--replicates",
    type=click.IntRange(min=1),
    default=10_000,
    show_default=True,
    help="Bootstrap samples for the intervals.",
)
@click.option(
    "--confidence",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.95,
    show_default=True,
    help="Confidence of the intervals.",
)
def command(
    key: str,
    responses: tuple[str, ...],
    out: str,
    key_format: str | None,
    response_format: str | None,
    metrics: str,
    kinds: str,
    documents: tuple[str, ...],
    worst: int | None,
    title: str | None,
    replicates: int,
    confidence: float,
    **options: Any,
) -> None:
    """Write an HTML report on one or more RESPONSEs to KEY.

    The report is one file without anything outside of it: scores with intervals, charts, tables of
    entities and errors, and the text with the mentions of key and response. All documents are
    scored; --documents and --worst choose those whose text is in the report.
    """
    if (key, *responses).count("-") > 1:
        raise UsageError("only one of key and responses can come from standard input")
    settings = {name: options.pop(name) for name in CHOICES}
    names = response_names(responses, None)
    key_corpus = read_one(key, key_format, None)
    with WorkProgress() as progress:
        made = report(
            key_corpus,
            *(read_one(response, response_format, None) for response in responses),
            names=names,
            metrics=metrics,
            kinds=kinds,
            documents=_identifiers(documents, key_corpus),
            worst=worst,
            title=title,
            replicates=replicates,
            confidence=confidence,
            progress=progress,
            **settings,
        )
    for name, scores in made.scores.items():
        of = f"{name}: " if len(names) > 1 else ""
        warn(f"{of}{warning}" for warning in scores.warnings)
    made.save(out)
    size = len(made.html.encode("utf-8")) / 1e6
    if size > LARGE:
        warn([f"{out} is large and opens slowly: --worst and --documents show fewer documents"])
    click.echo(f"{out}: {size:.1f} MB")


def _identifiers(asked: Sequence[str], key: Corpus) -> list[str] | None:
    """Document ids from lists with commas; an id may itself have commas in it."""
    if not asked:
        return None
    known = set(key.documents)
    return [
        name
        for text in asked
        for name in ([text] if text in known else [part.strip() for part in text.split(",")])
    ]
