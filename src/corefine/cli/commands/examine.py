"""Commands that examine entities, metrics and annotators, and challenge sets."""

from __future__ import annotations

from typing import Any

import click

from corefine.cli.help_pages import Command
from corefine.cli.options import (
    HUMAN_TABLES,
    RARELY_NEEDED,
    Choice,
    choice,
    format_option,
    key_and_response,
    metrics_option,
    named_paths,
    number,
    one_from_standard_input,
    option,
    output_options,
    plot_options,
    refuse,
    scoring_options,
    settings_options,
)
from corefine.cli.presentation import Presentation, answer, computed
from corefine.corpus.copies import LOSS_TABLES
from corefine.curating.agreement import SYMMETRIC, agree
from corefine.curating.agreement import TABLES as AGREE_TABLES
from corefine.errors import UsageError
from corefine.explaining.audit import METRICS, audit
from corefine.explaining.audit import TABLES as AUDIT_TABLES
from corefine.explaining.challenges import CHALLENGES, challenge
from corefine.explaining.entities import SHOWN, check_sort, entities
from corefine.explaining.entities import TABLES as ENTITY_TABLES
from corefine.explaining.judging import LEVELS
from corefine.explaining.pairing import PAIR_METRICS, pair_metrics
from corefine.matching.settings import CHOICES, HELP

CATEGORY_2B = ("lenient", "literal")


@click.command("entities", cls=Command)
@key_and_response
@scoring_options(
    "all",
    f"all, or a comma-separated list of {', '.join(PAIR_METRICS)}",
    (*RARELY_NEEDED, "window", "missing_documents", "allow_empty"),
)
@option(
    "--sort",
    metavar="BY",
    help="Order of entities: worst (large entities with low scores first), key, size, category, "
    "information, or a metric (lowest first).  [default: worst in a table, else key]",
)
@number(
    "--top",
    f"Show the first N entities.  [default: {SHOWN} in a table, all in other forms]",
    least=0,
)
@choice(
    "--category-2b",
    CATEGORY_2B,
    "Holen's category 2b: lenient includes entities with an overlapping but no exact mention "
    "(otherwise 4); literal applies the formula even if no missed mention overlaps.",
)
@option(
    "--overlap",
    default="words",
    metavar="RULE",
    help="When mentions overlap: words (a common content word), head, or substring(N).",
)
@option(
    "--information",
    default="new-words",
    metavar="WEIGHT",
    help="Information weight of a mention: new-words (content words new in the entity), or kinds "
    "such as name=2,nominal=1,pronoun=0.",
)
@option(
    "--judgements",
    metavar="FILE",
    help="CSV of human ranks or scores (document, entity, judge, rank or score): shows them beside "
    "the metrics, with Kendall's τ.",
)
@choice("--level", LEVELS, "What was judged.", default="entity")
@option("--worksheet", metavar="FILE", help="Write the sheet for judges, .csv or .html.")
@option(
    "--draw",
    metavar="N,M",
    help="Draw N random texts of each genre for the worksheet, of at most M sentences.",
)
@output_options(*ENTITY_TABLES, *HUMAN_TABLES, default="entities")
def entities_command(
    key: str,
    response: str,
    sort: str | None = None,
    top: int | None = None,
    worksheet: str | None = None,
    draw: str | None = None,
    category_2b: str | None = None,
    **options: Any,
) -> None:
    """Score each entity of KEY separately, large entities with low scores first.

    Key and response entities are aligned one to one, as in CEAFe. Reports each entity's category
    (Holen 2013), the F1 of the aligned pair by each metric, and the share of its information
    kept. --tables categories,spurious shows the distribution of categories and the response
    entities without a key entity; --output csv and json have everything.

    \b
    corefine entities key.conll response.conll
    corefine entities key.conll response.conll --sort lea --top 10
    corefine entities key.conll response.conll --worksheet sheet.csv
    corefine entities key.conll response.conll --judgements sheet.csv
    """
    missing = dict.fromkeys(HUMAN_TABLES, "--judgements FILE")
    missing = {} if options.get("judgements") else missing
    presentation = Presentation.from_options(options, (*ENTITY_TABLES, *HUMAN_TABLES), missing)
    sort = sort or ("worst" if presentation.form == "table" else "key")
    check_sort(sort, pair_metrics(options["metrics"]))
    reading = {} if category_2b is None else {category_2b: True}
    if draw is not None and worksheet is None:
        raise UsageError("--draw needs --worksheet")
    table = computed(entities, key, response, **reading, **options)
    if worksheet is not None:
        table.save_worksheet(worksheet, options.get("level", "entity"), draw=draw)
    rows = {} if top is None else {"entities": top, "ranks": top, "both-sides": top}
    presentation.show(table, sort=sort, top=rows, entities=top)


@click.command("audit", cls=Command)
@key_and_response
@scoring_options(METRICS, left_out=(*RARELY_NEEDED, "window", "missing_documents", "allow_empty"))
@plot_options
@output_options(*AUDIT_TABLES, *LOSS_TABLES, default="changes")
def audit_command(key: str, response: str, **options: Any) -> None:
    """Perturb RESPONSE with edits known to help or hurt, and check that each metric agrees.

    The edits remove or add wrong links, split correct entities, merge unrelated ones, swap names,
    drop pronouns and add spurious mentions. If a metric's recall rises when only wrong links are
    added, do not rely on its recall for this data. Only what is right or wrong by construction is
    judged; --tables outcomes shows every expectation beside its outcome.

    \b
    corefine audit key.conll response.conll
    corefine audit key.conll response.conll --metrics b3,lea --tables violations
    """
    answer(audit, key, response, options=options, tables=(*AUDIT_TABLES, *LOSS_TABLES))


@click.command("agree", cls=Command)
@click.argument("annotations", nargs=-1, metavar="[NAME=]A [NAME=]B...")
@format_option()
@metrics_option(SYMMETRIC)
@settings_options(*RARELY_NEEDED, "twinless", "scope", "window", "allow_empty")
@number(
    "--top",
    "List the first N differences.  [default: 10, or all if the table is named]",
    least=0,
)
@output_options(*AGREE_TABLES, default="pairs, differences")
def agree_command(annotations: tuple[str, ...], top: int | None = None, **options: Any) -> None:
    """Measure agreement between two or more annotations of the same text; none of them is the key.

    Reports F1 for every pair of annotators (symmetric metrics only), Krippendorff's α over
    entities with the MASI distance, mention overlap, and the mentions and links on which annotators
    differ.

    \b
    corefine agree anna.conll ben.conll
    corefine agree anna=first.tsv ben=second.tsv --metrics b3,lea --output markdown
    """
    presentation = Presentation.from_options(options, AGREE_TABLES)
    paths = named_paths(annotations, "annotation")
    one_from_standard_input(list(paths.values()))
    agreement = computed(agree, paths, **options)
    limit = {} if top is None else {"differences": top}
    presentation.show(agreement, top=limit, complete=presentation.form == "csv")


@click.command("challenge", cls=Command)
@click.argument("name", type=Choice(tuple(CHALLENGES)))
@key_and_response
@option("-m", "--metrics", metavar="NAMES", help="WinoBias: metrics.  [default: conll,muc]")
@choice(
    "--missing-documents",
    CHOICES["missing_documents"],
    f"WinoBias: {HELP['missing_documents'][0].lower()}{HELP['missing_documents'][1:]}  "
    "[default: error]",
)
@output_options()
def challenge_command(name: str, key: str, response: str, **options: Any) -> None:
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
    if name == "gap":
        refuse("does not apply to gap", "metrics", "key_format", "missing_documents")
    answer(challenge, name, key, response, options=options)
