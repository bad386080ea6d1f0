"""``corefine score KEY RESPONSE``."""

from __future__ import annotations

from typing import Any

import click

from corefine.cli.help_pages import Command
from corefine.cli.options import (
    BY_TABLES,
    MEMORY,
    by_options,
    given_settings,
    key_and_response,
    kinds_option,
    metrics_option,
    one_from_standard_input,
    sample_option,
    settings_options,
    tables_known,
    window_option,
)
from corefine.cli.outputs import OUTPUT
from corefine.cli.presentation import Presentation, layout_option, output_options, warn
from corefine.cli.progress import ProgressBar
from corefine.errors import UsageError
from corefine.formats.tagged.copies import LOSS_TABLES
from corefine.scoring.presets import settings_of
from corefine.scoring.score import ENGINES, score
from corefine.scoring.scorers.profiles import PROFILES, refuse_options
from corefine.scoring.sides import names_of

TABLES = ("scores", *BY_TABLES, "topics", "documents", "long", *LOSS_TABLES)


@click.command("score", cls=Command)
@key_and_response
@sample_option
@metrics_option()
@kinds_option()
@settings_options
@window_option
@by_options
@click.option("--per-document", is_flag=True, help="Also report scores per document.")
@click.option(
    "--scorer",
    "--as",
    "scorer",
    type=click.Choice(tuple(PROFILES)),
    help="Score by another scorer's conventions.",
)
@click.option(
    "--why-differs",
    type=click.Choice(tuple(PROFILES)),
    help="Show which conventions make this scorer's numbers differ from corefine's.",
)
@click.option("--allow-empty", is_flag=True, help="Accept a key file without mentions.")
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    metavar="N",
    help="Processes for large files.  [default: one per core]",
)
@click.option(
    "--memory",
    type=MEMORY,
    help="Memory limit such as 512M for streaming large files.  [default: 512M]",
)
@click.option(
    "--engine",
    type=click.Choice(ENGINES),
    default=ENGINES[0],
    show_default=True,
    help="Run on this machine, or on a Dask cluster (which also reads sharded files).",
)
@click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="Dask scheduler, such as tcp://127.0.0.1:8786.  [default: local workers]",
)
@click.option(
    "--save",
    type=OUTPUT,
    metavar="FILE",
    help="Also save the statistics of each document to FILE (.json, .json.gz), for 'corefine "
    "gate', 'compare' and 'leaderboard'.",
)
@click.option(
    "--intervals",
    is_flag=True,
    help="Also give 95% confidence intervals of F1 (bootstrap over documents).",
)
@click.option("--name", metavar="NAME", help="System name to store with --save.")
@click.option(
    "--date",
    metavar="DATE",
    help="Date to store with --save, such as 2026-11-16.  [default: now]",
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help="Time to wait for the Dask scheduler and a first worker.  [default: 6]",
)
@layout_option
@output_options(
    *TABLES, default="scores, and those of --by and --per-document; alignment of LLM output"
)
def command(
    key: str,
    response: str,
    by: tuple[str, ...],
    per_document: bool,
    scorer: str | None,
    why_differs: str | None,
    save: str | None,
    name: str | None,
    date: str | None,
    intervals: bool,
    **options: Any,
) -> None:
    """Score RESPONSE against KEY; either may be '-' for standard input.

    Scores are micro-averaged over documents and shown as percentages; --output json gives values
    from 0 to 1 at full precision. The last line is the signature: two scores are comparable only
    if their signatures are equal ('corefine help signature').

    \b
    corefine score --sample
    corefine score key.conll response.conll
    corefine score key.conllu response.conllu --match head --singletons drop -o scores.json
    corefine score key.conll response.conll --save baseline.json
    corefine score key.conllu answers.jsonl --response-format markdown --tables scores,alignment
    """
    known = tables_known(TABLES, by, options["tables"])
    scope = {name: options[name] for name in ("preset", "scope") if options.get(name)}
    if settings_of(scope).get("scope") != "topic":
        known.remove("topics")
    presentation = Presentation.from_options(options, known)
    one_from_standard_input(key, response)
    if save is not None and why_differs is not None:
        raise UsageError("--save cannot be combined with --why-differs")
    if name is not None and save is None:
        raise UsageError("--name needs --save FILE, where the system name is stored")
    if date is not None and save is None:
        raise UsageError("--date needs --save FILE, where the date is stored")
    if scorer is not None or why_differs is not None:
        # A tool's conventions hold where the user gives no other.
        genres = {} if options["genres"] is None else {"genres": options["genres"]}
        names = ["key_format", "response_format", "metrics"]
        if why_differs is None:
            names.append("allow_empty")
        options = _of_tool(options, *names) | genres
    with ProgressBar() as progress:
        if why_differs is not None:
            from corefine.scoring.scorers.why_differs import why_differs as find

            if by:
                raise UsageError("--by cannot be combined with --why-differs")
            steps = find(key, response, why_differs, progress=progress, **options)
        else:
            scores = score(key, response, by=by, scorer=scorer, progress=progress, **options)
    if why_differs is not None:
        warn(steps.warnings)
        if presentation.form == "json":
            presentation.write_json(steps.to_dict()["steps"])
        else:
            presentation.show(steps)
        return
    warn(scores.warnings)
    if save is not None:
        scores.save(save, name=name, date=date)
    extra = ["documents"] if per_document else []
    if presentation.form == "csv" and per_document:
        extra = ["long"]
    row = name or names_of([response], "response")[0]
    presentation.show(
        scores, *extra, paper={"name": row}, documents=per_document, intervals=intervals
    )


def _of_tool(options: dict[str, Any], *names: str) -> dict[str, Any]:
    """The options of these names, and the settings that override those of another scorer."""
    if options.get("preset") is not None:
        raise UsageError("--preset cannot be combined with --as or --why-differs")
    refuse_options({name: value for name, value in options.items() if name not in names})
    return {name: options[name] for name in names if name in options} | given_settings(options)
