"""``corefine score KEY RESPONSE``."""

from __future__ import annotations

from typing import Any

import click

from corefine.cli.help_pages import Command
from corefine.cli.options import (
    BY_TABLES,
    Choice,
    by_options,
    flag,
    jobs_option,
    key_and_response,
    memory_option,
    missing_breakdowns,
    option,
    refuse,
    sample_option,
    scorer_option,
    scoring_options,
)
from corefine.cli.outputs import OUTPUT
from corefine.cli.presentation import (
    Presentation,
    computed,
    layout_option,
    output_options,
    plot_options,
)
from corefine.formats.tagged.copies import LOSS_TABLES
from corefine.matching.settings import Settings
from corefine.scoring.presets import settings_of
from corefine.scoring.score import ENGINES, score
from corefine.scoring.scorers.profiles import PROFILES, refuse_options
from corefine.scoring.sides import names_of

TABLES = ("scores", *BY_TABLES, "topics", "documents", "long", *LOSS_TABLES)


@click.command("score", cls=Command)
@key_and_response
@sample_option
@scoring_options()
@by_options
@flag("--per-document", "Also report scores per document.")
@scorer_option
@option(
    "--why-differs",
    type=Choice(tuple(PROFILES)),
    help="Show which conventions make this scorer's numbers differ from corefine's.",
)
@jobs_option
@memory_option
@option(
    "--engine",
    type=Choice(ENGINES),
    help="Run on this machine, or on a Dask cluster (which also reads sharded files).  "
    f"[default: {ENGINES[0]}]",
)
@option(
    "--scheduler",
    metavar="ADDRESS",
    help="Dask scheduler, such as tcp://127.0.0.1:8786.  [default: local workers]",
)
@option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help="Time to wait for the Dask scheduler and a first worker.  [default: 6]",
)
@flag("--intervals", "Also give 95% confidence intervals of F1 (bootstrap over documents).")
@option(
    "--save",
    type=OUTPUT,
    metavar="FILE",
    help="Also save the statistics of each document to FILE (.json, .json.gz), for 'corefine "
    "gate', 'compare' and 'leaderboard'.",
)
@option("--name", metavar="NAME", help="System name to store with --save.")
@option(
    "--date", metavar="DATE", help="Date to store with --save, such as 2026-11-16.  [default: now]"
)
@plot_options
@layout_option
@output_options(
    *TABLES, default="scores, and those of --by and --per-document; alignment of LLM output"
)
def score_command(
    key: str,
    response: str,
    per_document: bool,
    intervals: bool,
    why_differs: str | None = None,
    save: str | None = None,
    name: str | None = None,
    date: str | None = None,
    **options: Any,
) -> None:
    """Score RESPONSE against KEY; either may be '-' for standard input.

    Scores are micro-averaged over documents and shown as percentages; --output json gives values
    from 0 to 1 at full precision. The last line is the signature: two scores are comparable only
    if their signatures are equal.

    \b
    corefine score --sample
    corefine score key.conll response.conll
    corefine score key.conllu response.conllu --match head --singletons drop -o scores.json
    corefine score key.conll response.conll --save baseline.json
    corefine score key.conllu answers.jsonl --response-format markdown --tables scores,alignment
    """
    missing = missing_breakdowns(options["by"])
    scope: dict[str, Any] = {n: options[n] for n in ("preset", "scope") if n in options}
    if settings_of(scope).get("scope") != "topic":
        missing["topics"] = "--scope topic"
    presentation = Presentation.from_options(options, TABLES, missing)
    given = {"name": name, "date": date, "save": save, **options}
    if save is None:
        refuse(given, ("name", "date"), "needs --save FILE, where it is stored")
    if why_differs is not None:
        from corefine.scoring.scorers.why_differs import why_differs as find

        refuse_options(options)
        refuse(given, ("save", "by", "scorer", "preset"), "cannot be combined with --why-differs")
        known = ("key_format", "response_format", "metrics", *Settings.__dataclass_fields__)
        options = {name: value for name, value in options.items() if name in known}
        steps = computed(find, key, response, why_differs, **options)
        if presentation.form == "json":
            presentation.write_json(steps.to_dict()["steps"])
        else:
            presentation.show(steps)
        return
    scores = computed(score, key, response, **options)
    if save is not None:
        scores.save(save, name=name, date=date)
    documents = "long" if presentation.form == "csv" else "documents"
    presentation.show(
        scores,
        *([documents] if per_document else []),
        paper={"name": name or names_of([response], "response")[0]},
        documents=per_document,
        intervals=intervals,
    )
