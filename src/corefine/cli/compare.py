"""``corefine compare KEY SYSTEM…``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from corefine.cli.naming import named_paths
from corefine.cli.options import (
    format_option,
    kinds_option,
    metrics_option,
    output_option,
    settings_options,
    take_settings,
)
from corefine.cli.output import show, show_json, warn
from corefine.cli.progress import WorkProgress
from corefine.cli.reading import read_one
from corefine.comparing.comparison import Comparison
from corefine.comparing.corrections import CORRECTIONS
from corefine.comparing.plan import TESTS, Plan
from corefine.comparing.randomization import SCHEMES
from corefine.comparing.systems import check_systems, compare_scores, score_systems
from corefine.comparing.tables import SHOWN, TABLES, check_tables, grids
from corefine.corpus.corpus import Corpus
from corefine.errors import UsageError
from corefine.scoring.score import metrics_for
from corefine.scoring.tabulating import kinds_needed
from corefine.showing.plots import PLOT_FORMATS

_PLAN = Plan()


@click.command("compare", short_help="Compare systems: significance, intervals, ranks.")
@click.argument("key", type=str)
@click.argument("systems", type=str, nargs=-1, metavar="SYSTEM...")
@metrics_option()
@click.option(
    "--test",
    type=click.Choice(TESTS),
    default=_PLAN.test,
    show_default=True,
    help="Test of differences between systems.",
)
@click.option(
    "--trials", type=int, default=_PLAN.trials, show_default=True, help="Shuffles of the test."
)
@click.option(
    "--correction",
    type=click.Choice(CORRECTIONS),
    default=_PLAN.correction,
    show_default=True,
    help="Correction of p over all comparisons made.",
)
@click.option(
    "--alpha",
    type=float,
    default=_PLAN.alpha,
    show_default=True,
    help="Level of significance; intervals have the confidence 1 − α.",
)
@click.option("--seed", type=int, default=_PLAN.seed, show_default=True, help="Of random numbers.")
@click.option("--baseline", metavar="NAME", help="Compare the others with this system only.")
@click.option(
    "--scheme",
    type=click.Choice(SCHEMES),
    default=_PLAN.scheme,
    show_default=True,
    help="Shuffle documents within pairs, or pooled.",
)
@click.option(
    "--replicates",
    type=int,
    default=_PLAN.replicates,
    show_default=True,
    help="Resamples for the intervals.",
)
@click.option(
    "--sensitivity",
    is_flag=True,
    help="Also rank under every matching, handling of singletons and twinless mentions.",
)
@format_option("key")
@format_option("response")
@kinds_option
@settings_options
@click.option(
    "--tables",
    metavar="NAMES",
    help=f"Tables to show, with commas between them: {', '.join(TABLES)}, all. "
    f"Without it: {', '.join(SHOWN)}.",
)
@click.option("--per-document", is_flag=True, help="Also give the F1 of each document.")
@click.option("--plots", metavar="FOLDER", help="Write charts to this folder.")
@click.option(
    "--plot-format",
    type=click.Choice(PLOT_FORMATS),
    default="svg",
    show_default=True,
    help="Format of the charts; PNG needs the extra 'plots'.",
)
@output_option()
def command(
    key: str,
    systems: tuple[str, ...],
    metrics: str,
    key_format: str | None,
    response_format: str | None,
    kinds: str,
    sensitivity: bool,
    tables: str | None,
    per_document: bool,
    plots: str | None,
    plot_format: str,
    output: str,
    **options: Any,
) -> None:
    """Compare the responses of two or more SYSTEMs to KEY.

    A SYSTEM is a path, or NAME=PATH; without a name it is called after its file. For every system
    and metric there are P, R, F1, an interval and a rank; for every pair the difference with its
    interval, p and corrected p. Systems that share a letter do not differ significantly.
    """
    settings = take_settings(options)
    plan = Plan(**options)
    asked = metrics_for(metrics, settings)
    wanted = _tables(tables, output, sensitivity, per_document)
    paths = named_paths(systems)
    check_systems(list(paths), plan)
    if [key, *paths.values()].count("-") > 1:
        raise UsageError("only one of key and systems can come from standard input")
    kind_plan = kinds_needed(kinds, asked.values())
    layers = frozenset() if kind_plan is None else kind_plan.layers

    def responses() -> Iterator[tuple[str, Corpus]]:
        for name, path in paths.items():
            yield name, read_one(path, response_format, layers)

    key_corpus = read_one(key, key_format, layers)
    with WorkProgress() as bar:

        def progress(task: str, done: int, total: int) -> None:
            bar(task, done / total)
            if done == total:
                bar.finish()  # the next thing may be a file to read, with a bar of its own

        scores, study = score_systems(
            key_corpus,
            responses(),
            asked,
            settings,
            kind_plan,
            sensitivity=sensitivity,
            progress=progress,
        )
        comparison = compare_scores(scores, plan, sensitivity=study, progress=progress)
    if plots is not None:
        comparison.save_plots(plots, plot_format)
    warn(comparison.warnings)
    _show(comparison, wanted, per_document, output)


def _tables(
    asked: str | None, output: str, sensitivity: bool, per_document: bool
) -> tuple[str, ...]:
    """The names of the tables to show."""
    possible = [name for name in TABLES if sensitivity or name != "sensitivity"]
    if asked is None:
        names = ["scores"] if output == "csv" else [name for name in possible if name in SHOWN]
        if sensitivity:
            names = ["sensitivity"] if output == "csv" else [*names, "sensitivity"]
        if per_document:
            names = ["documents"] if output == "csv" else [*names, "documents"]
    else:
        names = [name.strip() for name in asked.split(",") if name.strip()]
        if names == ["all"]:
            names = possible
        check_tables(names)
        if "sensitivity" in names and not sensitivity:
            raise UsageError("the table sensitivity needs --sensitivity")
    if output == "csv" and len(names) != 1:
        raise UsageError("CSV holds one table", remedy="Name it: --tables pairs.")
    return tuple(names)


def _show(comparison: Comparison, tables: tuple[str, ...], per_document: bool, output: str) -> None:
    if output == "json":
        show_json(comparison.to_dict(documents=per_document))
        return
    for number, grid in enumerate(grids(comparison, tables)):
        if number:
            click.echo()
        show(grid, output)
