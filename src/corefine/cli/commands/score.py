"""``corefine score KEY RESPONSE``."""

from __future__ import annotations

from typing import Any

import click

from corefine.cli.grammar import (
    BY_TABLES,
    MEMORY,
    align_option,
    by_options,
    given_settings,
    key_and_response,
    kinds_option,
    metrics_option,
    one_from_standard_input,
    settings_options,
    tables_known,
    window_option,
)
from corefine.cli.presentation import Presentation, output_options, warn
from corefine.cli.progress import ProgressBar
from corefine.errors import UsageError
from corefine.scoring.conventions.tools import TOOLS
from corefine.scoring.score import ENGINES, score

TABLES = ("scores", *BY_TABLES, "documents", "long", "alignment", "tags")


@click.command("score", short_help="Score a response against a key.")
@key_and_response
@align_option
@metrics_option()
@kinds_option()
@settings_options
@window_option
@by_options
@click.option("--per-document", is_flag=True, help="Also score each document.")
@click.option(
    "--as", "tool", type=click.Choice(tuple(TOOLS)), help="Follow another scorer's conventions."
)
@click.option(
    "--why-differs",
    type=click.Choice(tuple(TOOLS)),
    help="Show which convention moves which metric from corefine's number to that scorer's.",
)
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    help="Processes for large files.  [default: one for each core]",
)
@click.option(
    "--memory",
    type=MEMORY,
    help="Memory limit, such as 512M: for streaming large files [default: 512M], and for CEAF's "
    "alignments, which become bounds where it does not suffice.",
)
@click.option(
    "--engine",
    type=click.Choice(ENGINES),
    default=ENGINES[0],
    show_default=True,
    help="Count on this machine, or on a Dask cluster; files may be in shards.",
)
@click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="Dask scheduler, such as tcp://127.0.0.1:8786.  [default: workers started here]",
)
@click.option(
    "--save",
    metavar="FILE",
    help="Also store the statistics by document in FILE (.json, .json.gz), for 'corefine gate', "
    "'corefine compare' and 'corefine leaderboard'.",
)
@click.option("--name", metavar="NAME", help="Name of the system in the file of --save.")
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help="How long to wait for the Dask scheduler and a first worker.  [default: 8]",
)
@output_options(*TABLES, usual="scores and what --by and --per-document ask for")
def command(
    key: str,
    response: str,
    by: tuple[str, ...],
    per_document: bool,
    tool: str | None,
    why_differs: str | None,
    save: str | None,
    name: str | None,
    **options: Any,
) -> None:
    """Score RESPONSE against KEY; either may be '-' for standard input.

    Scores are micro-averaged over documents and shown in percent; --output json gives them from 0
    to 1 at full precision. The last line is the signature: two numbers are comparable if theirs
    are the same.

    \b
    corefine score key.conll response.conll
    corefine score key.conllu response.conllu --match head --singletons drop -o scores.json
    corefine score key.conll response.conll --save baseline.json
    corefine score key.conllu answers.jsonl --response-format markdown --tables scores,alignment
    """
    known = tables_known(TABLES, by, options["tables"])
    presentation = Presentation.taken(options, known)
    one_from_standard_input(key, response)
    if save is not None and why_differs is not None:
        raise UsageError("--save cannot be combined with --why-differs")
    if name is not None and save is None:
        raise UsageError("--name names the system in the file of --save: give --save FILE")
    if tool is not None or why_differs is not None:
        # A tool's conventions hold where the user gives no other.
        given = given_settings(options)
        if options["genres"] is not None:
            given["genres"] = options["genres"]
        options = {
            name: options[name] for name in ("key_format", "response_format", "metrics", "align")
        } | given
    with ProgressBar() as progress:
        if why_differs is not None:
            from corefine.scoring.conventions.why_differs import why_differs as find

            if by:
                raise UsageError("--by cannot be combined with --why-differs")
            steps = find(key, response, why_differs, progress=progress, **options)
        else:
            scores = score(key, response, by=by, tool=tool, progress=progress, **options)
    if why_differs is not None:
        warn(steps.warnings)
        if presentation.form == "json":
            presentation.write_json(steps.to_dict()["steps"])
        else:
            presentation.show(steps)
        return
    warn(scores.warnings)
    if save is not None:
        scores.save(save, name=name)
    extra = ["documents"] if per_document else []
    if presentation.form == "csv" and per_document:
        extra = ["long"]
    presentation.show(scores, *extra, documents=per_document)
