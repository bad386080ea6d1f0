"""Commands that compare systems: ``compare``, ``suite``, ``gate`` and ``runs``."""

from __future__ import annotations

import os
from typing import Any

import click

from corefine.cli.help_pages import Command
from corefine.cli.options import (
    BY_TABLES,
    by_options,
    flag,
    formats,
    jobs_option,
    key_and_response,
    key_and_responses,
    kinds_option,
    memory_option,
    missing_breakdowns,
    named_paths,
    named_runs,
    option,
    refuse,
    sample_option,
    scorer_option,
    scoring_options,
    settings_options,
    statistics_options,
)
from corefine.cli.outputs import OUTPUT
from corefine.cli.presentation import (
    Presentation,
    answer,
    computed,
    layout_option,
    output_options,
    plot_options,
    tell,
)
from corefine.comparing.gate import gate
from corefine.comparing.run_registry import PATTERN, registered_runs
from corefine.comparing.suites import compare_suite, score_suite
from corefine.comparing.systems import compare
from corefine.comparing.tables import TABLES
from corefine.errors import UsageError
from corefine.formats.tagged.copies import LOSS_TABLES
from corefine.output.saving import make_folder
from corefine.scoring.stored import is_stored

ALL = ("test", "trials", "correction", "alpha", "seed", "baseline", "scheme", "replicates")
COMPARE_TABLES = (*TABLES, *BY_TABLES, *LOSS_TABLES)


@click.command("compare", cls=Command)
@key_and_responses
@sample_option
@scoring_options()
@scorer_option
@by_options
@statistics_options(*ALL)
@flag("--sensitivity", "Also rank under every --match, --singletons and --twinless setting.")
@flag("--per-document", "Also report F1 per document.")
@plot_options
@layout_option
@output_options(*COMPARE_TABLES, default="difference of two systems, else summary")
def compare_command(
    key: str,
    responses: tuple[str, ...],
    per_document: bool,
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
    corefine compare key.conll a.conll b.conll --layout paper -o table.tex
    corefine compare key.conll 'a=runs/a-*.conll' 'b=runs/b-*.conll'
    corefine compare a.json b.json --tables pairs
    """
    first = next(iter(named_runs((key,)).values()))
    stored = is_stored(first if isinstance(first, str) else first[0])
    systems = named_runs((key, *responses) if stored else responses)
    missing = missing_breakdowns(options["by"])
    if not options["sensitivity"]:
        missing["sensitivity"] = "--sensitivity"
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
@scoring_options()
@scorer_option
@statistics_options(*(name for name in ALL if name != "scheme"))
@flag(
    "--official",
    "Also print the official table of the CRAC shared tasks: macro CoNLL F1 with head, partial "
    f"and exact matching, and with singletons. Without --preset it uses {PRESET}.",
)
@jobs_option
@option(
    "--save",
    type=OUTPUT,
    metavar="DIR",
    help="Save the result of each system to DIR/NAME.json, for 'corefine leaderboard' and 'gate'.",
)
@plot_options
@output_options(*dict.fromkeys((*ONE, *SEVERAL)), default="F1 by data set; official, if asked for")
def suite_command(
    keys: str,
    systems: tuple[str, ...],
    official: bool,
    save: str | None = None,
    **options: Any,
) -> None:
    """Score one or more SYSTEMs on many data sets, and compare them by the macro average.

    KEYS is a folder, a pattern of files, or a TOML file that lists data sets. A SYSTEM is a folder
    with files of the same relative paths, or a TOML file. A missing response scores 0.

    \b
    corefine suite gold/ system/ --preset crac25
    corefine suite gold/ ours=runs/ours/ theirs=runs/theirs/ --official
    corefine suite gold/ ours=runs/ours/ --preset crac25 --save results
    corefine leaderboard results/*.json
    """
    if official and "scorer" not in options:
        options.setdefault("preset", PRESET)
    paths = named_paths(systems, "system")
    if "-" in (keys, *paths.values()):
        raise UsageError("a suite cannot come from standard input")
    alone = len(paths) == 1
    if alone:
        refuse(options, ("test", "trials", "correction", "baseline"), "needs at least two systems")
    if save is not None:
        make_folder(save)
    result = answer(
        score_suite if alone else compare_suite,
        keys,
        next(iter(paths.values())) if alone else paths,
        options={**options, "official": official},
        tables=ONE if alone else SEVERAL,
        missing={} if official else {"official": "--official"},
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
    "--metric",
    default="conll",
    metavar="NAME",
    help="A metric of the baseline, or an average of its metrics.",
)
@flag(
    "--require-mentions",
    "Also fail if the response has no mention in a document with mentions in the key.",
)
@kinds_option("the baseline's")
@settings_options("the baseline's")
@statistics_options("alpha", "trials", "replicates", "seed")
@jobs_option
@memory_option
@option(
    "--summary",
    type=OUTPUT,
    metavar="FILE",
    help="Write the verdict as Markdown (for a CI job summary).",
)
@option("--junit", type=OUTPUT, metavar="FILE", help="Write the verdict as JUnit XML.")
@plot_options
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


@click.command("runs", cls=Command)
@click.argument("folder")
@option(
    "--pattern",
    default=PATTERN,
    help="File names without suffix, with the fields {system}, {data}, {epoch} and {seed}.",
)
@option("-m", "--metric", default="conll", metavar="NAME", help="Metric to show.")
@statistics_options("alpha", "trials", "replicates", "seed")
@output_options(
    "experiments", "differences", "runs", default="experiments, and differences of two systems"
)
def runs_command(folder: str, **options: Any) -> None:
    """List the saved results in FOLDER by data set and experiment, with last and best epochs.

    Results are saved by 'corefine score --save'. Several seeds of an experiment are averaged. With
    two systems, their difference at the last epoch is tested on each data set. A file with the
    suffix .html is a page.

    \b
    corefine runs results/
    corefine runs results/ --pattern '{data}_{system}_{epoch}' -m lea -o index.html
    """
    out = options.get("out", "-")
    is_page = out.endswith((".html", ".htm")) and "output" not in options
    if is_page:
        options["output"] = "table"
    presentation = Presentation.from_options(options, ("experiments", "differences", "runs"))
    found = computed(registered_runs, folder, **options)
    if not is_page:
        presentation.show(found)
        return
    from corefine.report.page import Page, Section

    names = found.table_names
    grids = zip(names, found.tables(*names), strict=True)
    sections = [Section(name, grid.title, [grid]) for name, grid in grids]
    signature = str(found.runs[0].scores.signature)
    presentation.write(Page("Runs", found.verdict, sections, signature).render())
    tell(f"{out}: {len(found.runs):,} results")
