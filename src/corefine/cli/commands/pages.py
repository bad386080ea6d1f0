"""Commands that write one file to publish: ``report``, ``leaderboard``, ``bundle``, ``export``."""

from __future__ import annotations

from typing import Any

import click

from corefine.cli.help_pages import Command
from corefine.cli.options import (
    by_options,
    choice,
    flag,
    key_and_responses,
    named_paths,
    number,
    one_from_standard_input,
    option,
    refuse,
    sample_option,
    scoring_options,
    statistics_options,
    stored_results,
)
from corefine.cli.presentation import (
    Presentation,
    ProgressBar,
    computed,
    page_option,
    plot_options,
    tell,
    warn,
)
from corefine.output.saving import check_page, write_atomically

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
@scoring_options()
@by_options
@click.option(
    "--documents",
    multiple=True,
    metavar="IDS",
    help="Show the text of these documents only (comma-separated list of ids).",
)
@number("--worst", "Show the N lowest-scoring documents.")
@option("--title", help="Title of the report.")
@statistics_options("alpha", "replicates", "seed")
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
    from corefine.report.report import report
    from corefine.report.suite import report_suite

    check_page(out)
    named = named_paths(responses)
    one_from_standard_input((key, *named.values()))
    options["documents"] = options["documents"] or None
    if suite:
        refuse(options, ("by", "genres"), "cannot be combined with --suite")
    with ProgressBar() as progress:
        made = (report_suite if suite else report)(key, named, progress=progress, **options)
    for name, scores in made.scores.items():
        of = f"{name}: " if len(named) > 1 else ""
        warn(f"{of}{warning}" for warning in scores.warnings)
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
@option("--title", default="Coreference leaderboard", help="Title of the page.")
@option(
    "--about",
    metavar="FILE",
    help="JSON file with a link, authors and a description by system: "
    '{"NAME": {"link": "https://...", "authors": "...", "description": "..."}}.',
)
@statistics_options("alpha", "trials", "replicates", "seed")
@plot_options
@page_option("index.html")
def leaderboard_command(results: tuple[str, ...], out: str, **options: Any) -> None:
    """Write a sortable page from RESULTs saved by 'corefine score --save'.

    The newest result of each system is ranked, with confidence intervals and the groups
    of systems that do not differ significantly; older ones are its history. Systems are named by
    NAME=RESULT, by 'corefine score --save FILE --name NAME', or after their files. NAME=PATTERN
    stands for all results of a system.

    \b
    corefine leaderboard results/*.json -o index.html
    corefine leaderboard rules=rules.json 'neural=results/neural-*.json' -m conll,lea
    """
    from corefine.report.leaderboard import leaderboard

    check_page(out)
    presentation = Presentation.from_options(options)
    board = computed(leaderboard, *stored_results(results), **options)
    board.save(out)
    presentation.write_plots(board)
    if out != "-":
        counts = {"system": len(board.newest), "result": len(board.results)}
        said = [f"{count} {what}{'s' if count > 1 else ''}" for what, count in counts.items()]
        tell(f"{out}: {', '.join(said)}")


@click.command("bundle", cls=Command)
@click.argument("key")
@option(
    "-m",
    "--metrics",
    default="conll,lea",
    metavar="NAMES",
    help="Metrics of the leaderboard; the first one ranks it.",
)
@option("--preset", metavar="PRESET", help="Settings and metrics of a shared task.")
@option("--title", default="Coreference resolution", help="Title of the task.")
@option(
    "--image",
    default="corefine:latest",
    help="Container image with corefine that the scoring program runs in.",
)
@page_option("bundle.zip")
def bundle_command(key: str, out: str, metrics: str, **options: Any) -> None:
    """Write a Codabench competition that scores submissions against KEY.

    The bundle contains the key as reference data, a scoring program that calls corefine, and
    placeholder pages. Upload it under Benchmarks, Management, and edit the pages there.

    \b
    corefine bundle key.conll --metrics conll,lea -o bundle.zip
    corefine bundle key.conllu --preset crac25 --title 'My shared task' --image lab/corefine
    """
    from corefine.integrations.codabench import write_bundle

    write_bundle(key, out, metrics, **options)
    if out != "-":
        tell(f"{out}: upload it to Codabench under Benchmarks, Management")


@click.command("export", cls=Command)
@click.argument("result")
@choice(
    "--to",
    ("every-eval-ever", "model-card"),
    "JSON by the schema of Every Eval Ever, or the header of a model card of Hugging Face.",
    default="model-card",
)
@option("--model", help="Name of the model, such as lab/model.  [default: that of the result]")
@option("--dataset", default="unknown", help="Name of the data set.")
@page_option("-")
def export_command(result: str, out: str, to: str, dataset: str, model: str | None = None) -> None:
    """Write a RESULT saved by 'corefine score --save' in the form of a catalogue.

    Intervals and signatures are included. The header of a model card is the beginning of its
    README.md, between two lines of dashes.

    \b
    corefine export result.json --model lab/model --dataset OntoNotes
    corefine export result.json --to every-eval-ever --model lab/model -o evaluation.json
    """
    from corefine.integrations.exports import exported
    from corefine.scoring.stored import read_stored

    stored = read_stored(result)
    model = model or stored.name or "unknown"
    write_atomically(out, exported(stored.scores, to, model, dataset, stored.date), [result])
