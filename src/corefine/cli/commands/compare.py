"""Commands that compare systems: ``compare``, ``suite`` and ``gate``."""

from __future__ import annotations

import os
from typing import Any

import click

from corefine.cli.help_pages import Command
from corefine.cli.options import (
    BY_TABLES,
    HUMAN_TABLES,
    LOSS_TABLES,
    by_options,
    files_of_comparison,
    flag,
    formats,
    is_stored,
    jobs_option,
    key_and_response,
    kinds_option,
    missing_breakdowns,
    named_paths,
    option,
    output_options,
    plot_options,
    refuse,
    refuse_others,
    sample_option,
    scorer_option,
    scoring_options,
    statistics_options,
    system_paths,
)
from corefine.cli.presentation import Presentation, answer, computed, tell
from corefine.cli.runtime import OUTPUT
from corefine.comparing.systems import compare
from corefine.comparing.tables import TABLES
from corefine.errors import UsageError

ALL = ("test", "trials", "correction", "alpha", "seed", "baseline", "replicates")
PAIRS_BY = tuple(f"pairs-{name}" for name in BY_TABLES)
COMPARE_TABLES = (*TABLES, *BY_TABLES, *PAIRS_BY, *HUMAN_TABLES, "paper", *LOSS_TABLES)


@click.command("compare", cls=Command)
@files_of_comparison
@sample_option
@scoring_options()
@scorer_option
@by_options
@statistics_options(*ALL)
@flag("--per-document", "Also report F1 per document.")
@option(
    "--judgements",
    metavar="FILE",
    help="CSV of human ranks or scores of the systems (system, judge, rank or score).",
)
@flag(
    "--printed",
    "The files are one or two CSV tables of printed scores (systems by metrics): show ranks and "
    "Kendall's τ between the metrics.",
)
@plot_options
@output_options(*COMPARE_TABLES, default="difference of two systems, else summary")
def compare_command(
    key: str,
    responses: tuple[str, ...],
    per_document: bool,
    printed: bool,
    **options: Any,
) -> None:
    """Compare two or more systems on the same KEY, or saved scores without a key.

    Name a system with NAME=RESPONSE; the default is its file name. Two systems: the difference in
    F1, its confidence interval and p for each metric. More: F1 of each system, with letters that
    systems share if they do not differ significantly. With NAME=PATTERN, several runs of a system
    are averaged, and resampling covers documents and runs. For many data sets, see
    'corefine suite'.

    \b
    corefine compare --sample
    corefine compare key.conll rules.conll neural=runs/7/out.conll
    corefine compare key.conll a.conll b.conll --tables paper -o table.tex
    corefine compare key.conll 'a=runs/a-*.conll' 'b=runs/b-*.conll'
    corefine compare a.json b.json --tables pairs
    corefine compare --printed 2011.csv 2012.csv
    """
    if printed:
        from corefine.comparing.printed import PRINTED_TABLES, compare_printed

        refuse_others("does not apply to --printed", "printed")
        presentation = Presentation.from_options(options, PRINTED_TABLES)
        presentation.show(compare_printed(key, *responses))
        return
    stored = is_stored(key)
    systems = system_paths((key, *responses) if stored else responses)
    missing = missing_breakdowns(options["by"])
    missing |= {f"pairs-{name}": needed for name, needed in missing.items()}
    if not options.get("judgements"):
        missing |= dict.fromkeys(HUMAN_TABLES, "--judgements FILE")
    if not any(isinstance(paths, list) for paths in systems.values()):
        missing["runs"] = "several runs of a system: NAME=PATTERN"
    if len(systems) != 2:
        missing["difference"] = "two systems; use the table pairs"
    presentation = Presentation.from_options(options, COMPARE_TABLES, missing)
    if [key, *systems.values()].count("-") > 1:
        raise UsageError("only one input can be read from standard input")
    comparison = computed(compare, *(() if stored else (key,)), systems, **options)
    presentation.show(comparison, *(["documents"] if per_document else []), documents=per_document)


ONE = ("scores", "long", "official")
SEVERAL = ("suite", "official", "data-sets", *TABLES)
PRESET = "crac25"
"""Settings of the official table, if no preset is given."""


@click.command("suite", cls=Command)
@click.argument("keys")
@click.argument("systems", nargs=-1, required=True, metavar="[NAME=]SYSTEM...")
@formats
@scoring_options(left_out=("scope", "window"))
@scorer_option
@statistics_options(*ALL)
@jobs_option
@option(
    "--save",
    type=OUTPUT,
    metavar="DIR",
    help="Save the result of each system to DIR/NAME.json, for 'corefine compare', 'gate' and "
    "'leaderboard'.",
)
@plot_options
@output_options(*dict.fromkeys((*ONE, *SEVERAL)), default="F1 by data set")
def suite_command(
    keys: str,
    systems: tuple[str, ...],
    save: str | None = None,
    **options: Any,
) -> None:
    """Score one or more SYSTEMs on many data sets, and compare them by the macro average.

    KEYS is a folder, a pattern of files, or a TOML file that lists data sets. A SYSTEM is a folder
    with files of the same relative paths, or a TOML file. A missing response scores 0. --tables
    official is the table of the CRAC shared tasks: macro CoNLL F1 with head, partial and exact
    matching, and with singletons; without --preset it uses crac25.

    \b
    corefine suite gold/ system/ --preset crac25
    corefine suite gold/ ours=runs/ours/ theirs=runs/theirs/ --tables official
    corefine suite gold/ ours=runs/ours/ --preset crac25 --save results
    corefine leaderboard results/*.json
    """
    from corefine.comparing.suites import compare_suite, score_suite

    official = "official" in options.get("tables", "").split(",")
    if official and "scorer" not in options:
        options.setdefault("preset", PRESET)
    paths = named_paths(systems, "system")
    if "-" in (keys, *paths.values()):
        raise UsageError("a suite cannot come from standard input")
    alone = len(paths) == 1
    if alone:
        refuse("needs at least two systems", "test", "trials", "correction", "baseline")
    if save is not None:
        from corefine.output.saving import make_folder

        make_folder(save)
    result = answer(
        score_suite if alone else compare_suite,
        keys,
        next(iter(paths.values())) if alone else paths,
        options={**options, "official": official},
        tables=ONE if alone else SEVERAL,
        missing={} if official else {"official": "to be named"},
    )
    if save is not None:
        suites = {next(iter(paths)): result} if alone else result.suites
        for name, suite in suites.items():
            suite.save(os.path.join(save, f"{name.replace(os.sep, '_')}.json"), name=name)
        tell(f"saved {', '.join(suites)} to {save}", err=True)


@click.command("gate", cls=Command)
@key_and_response
@click.option(
    "--against",
    required=True,
    metavar="FILE",
    help="Baseline saved by 'corefine score --save FILE' or 'corefine suite --save DIR'.",
)
@option(
    "--max-drop",
    type=click.FloatRange(min=0),
    default=0.5,
    metavar="POINTS",
    help="Largest allowed drop, in F1 points.",
)
@option(
    "-m",
    "--metrics",
    "metric",
    default="conll",
    metavar="NAME",
    help="A metric of the baseline, or an average of its metrics.",
)
@flag(
    "--require-mentions",
    "Also fail if the response has no mention in a document with mentions in the key.",
)
@kinds_option("the baseline's")
@statistics_options("alpha", "trials", "replicates")
@jobs_option
@option(
    "--summary",
    type=OUTPUT,
    metavar="FILE",
    help="Write the verdict as Markdown (for a CI job summary).",
)
@option("--junit", type=OUTPUT, metavar="FILE", help="Write the verdict as JUnit XML.")
@output_options(
    "verdict", "documents", *LOSS_TABLES, default="verdict, and alignment of LLM output"
)
def gate_command(
    key: str,
    response: str,
    against: str,
    summary: str | None = None,
    junit: str | None = None,
    **options: Any,
) -> int:
    """Compare RESPONSE with a saved baseline, and fail if F1 dropped.

    The exit status is 1 if F1 dropped by more than --max-drop and the drop is significant; 2 if
    the baseline is corrupt or has a different key or signature; 0 otherwise. The baseline's
    response file is not needed. For the baseline of a suite, KEY and RESPONSE are those of
    'corefine suite'.

    \b
    corefine score key.conll old.conll --save baseline.json
    corefine gate key.conll new.conll --against baseline.json
    corefine gate key.conll new.conll --against baseline.json --max-drop 1 --junit gate.xml
    """
    from corefine.comparing.gate import gate

    presentation = Presentation.from_options(options, ("verdict", "documents", *LOSS_TABLES))
    result = computed(gate, key, response, against, **options)
    if summary is not None:
        Presentation("markdown", summary).write(result.to_summary().rstrip("\n"))
    if junit is not None:
        Presentation("table", junit).write(result.to_junit().rstrip("\n"))
    presentation.show(result)
    if presentation.place != "-":
        tell(result.verdict)
    return 1 if result.failed else 0
