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
    formats,
    jobs_option,
    memory_option,
    missing_breakdowns,
    option,
    output_options,
    plot_options,
    refuse_others,
    sample_option,
    scorer_option,
    scoring_options,
)
from corefine.cli.presentation import Presentation, computed
from corefine.cli.runtime import OUTPUT
from corefine.corpus.copies import LOSS_TABLES
from corefine.matching.settings import Settings
from corefine.scoring.presets import settings_of
from corefine.scoring.score import score
from corefine.scoring.scorers import SCORERS
from corefine.scoring.sides import names_of

DETAILS = ("per_document", "intervals", "plots", "plot_format")
"""Options that show more of the same scores."""
SCORE_TABLES = ("scores", *BY_TABLES, "topics", "documents", "long", "paper", *LOSS_TABLES)


@click.command("score", cls=Command)
@click.argument("key", required=False, metavar="KEY")
@click.argument("response", required=False, metavar="RESPONSE")
@formats
@sample_option
@option(
    "--table",
    metavar="FILE",
    help="Score a table of counts (CSV, Parquet) with the columns key, response, count and "
    "document, instead of KEY and RESPONSE.",
)
@option(
    "--threshold",
    "link_threshold",
    type=click.FloatRange(0, 1),
    help="Least probability of pairs in the format labels:pairs.",
)
@scoring_options()
@by_options
@flag("--per-document", "Also report scores per document.")
@scorer_option
@option(
    "--why-differs",
    type=Choice(SCORERS),
    help="Show which conventions make this scorer's numbers differ from corefine's.",
)
@jobs_option
@memory_option
@option(
    "--scheduler",
    metavar="ADDRESS",
    help="Run on the Dask cluster of a scheduler, such as tcp://127.0.0.1:8786, or on local "
    "workers ('local'); sharded files are read, too.",
)
@flag("--intervals", "Also give 95% confidence intervals of F1 (bootstrap over documents).")
@option(
    "--save",
    type=OUTPUT,
    metavar="FILE",
    help="Also save the statistics of each document to FILE (.json, .json.gz), for 'corefine "
    "gate', 'compare' and 'leaderboard'.",
)
@plot_options
@output_options(
    *SCORE_TABLES, default="scores, and those of --by and --per-document; alignment of LLM output"
)
def score_command(
    per_document: bool,
    intervals: bool,
    key: str | None = None,
    response: str | None = None,
    table: str | None = None,
    link_threshold: float | None = None,
    why_differs: str | None = None,
    save: str | None = None,
    scheduler: str | None = None,
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
    if table is None and response is None:
        raise click.MissingParameter(
            param_hint=f"'{'RESPONSE' if key else 'KEY'}'", param_type="argument"
        )
    if table is not None and key is not None:
        raise click.UsageError("--table takes the place of KEY and RESPONSE: leave these out")
    missing = missing_breakdowns(options["by"])
    scope: dict[str, Any] = {n: options[n] for n in ("preset", "scope") if n in options}
    if settings_of(scope).get("scope") != "topic":
        missing["topics"] = "--scope topic"
    presentation = Presentation.from_options(options, SCORE_TABLES, missing)
    if scheduler is not None:
        options |= {"engine": "dask", "scheduler": None if scheduler == "local" else scheduler}
    if why_differs is not None:
        from corefine.scoring.scorers.profile import refuse_kinds
        from corefine.scoring.scorers.why_differs import why_differs as find

        known = ("key_format", "response_format", "metrics", *Settings.__dataclass_fields__)
        refuse_others("cannot be combined with --why-differs", "why_differs", "kinds", *known)
        refuse_kinds(options.get("kinds", "auto"))
        options = {name: value for name, value in options.items() if name in known}
        steps = computed(find, key, response, why_differs, **options)
        if presentation.form == "json":
            presentation.write_json(steps.to_dict()["steps"])
        else:
            presentation.show(steps)
        return
    if table is not None:
        from corefine.scoring.records import score_table  # most runs read mentions

        known = ("metrics", "by", "preset", *Settings.__dataclass_fields__)
        refuse_others("does not apply to --table", "table", "save", *DETAILS, *known)
        given = {name: value for name, value in options.items() if name in known}
        scores = score_table(table, **given)
    else:
        scores = computed(score, key, response, threshold=link_threshold, **options)
    if save is not None:
        scores.save(save)
    documents = "long" if presentation.form == "csv" else "documents"
    presentation.show(
        scores,
        *([documents] if per_document else []),
        name=names_of([response or table], "response")[0],
        documents=per_document,
        intervals=intervals,
    )
