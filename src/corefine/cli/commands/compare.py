"""``corefine compare KEY RESPONSE…``."""

from __future__ import annotations

from typing import Any

import click

from corefine.cli.grammar import (
    BY_TABLES,
    by_options,
    key_and_responses,
    kinds_option,
    metrics_option,
    named_paths,
    one_from_standard_input,
    seed_option,
    settings_options,
    tables_known,
    window_option,
)
from corefine.cli.outputs import CHARTS
from corefine.cli.presentation import Presentation, output_options, warn
from corefine.cli.progress import ProgressBar
from corefine.comparing.multiple_testing import CORRECTIONS
from corefine.comparing.plan import TESTS, Plan
from corefine.comparing.randomization import SCHEMES
from corefine.comparing.systems import compare
from corefine.comparing.tables import SHOWN, TABLES
from corefine.errors import UsageError
from corefine.showing.plots import PLOT_FORMATS

_PLAN = Plan()


@click.command("compare", short_help="Compare systems: significance, intervals, ranks.")
@key_and_responses
@metrics_option()
@kinds_option()
@settings_options
@window_option
@by_options
@click.option(
    "--test",
    type=click.Choice(TESTS),
    default=_PLAN.test,
    show_default=True,
    help="Significance test.",
)
@click.option(
    "--trials", type=int, default=_PLAN.trials, show_default=True, help="Shuffles of the test."
)
@click.option(
    "--correction",
    type=click.Choice(CORRECTIONS),
    default=_PLAN.correction,
    show_default=True,
    help="Correction for multiple comparisons.",
)
@click.option(
    "--alpha",
    type=float,
    default=_PLAN.alpha,
    show_default=True,
    help="Significance level; confidence intervals have the level 1 − α.",
)
@seed_option
@click.option("--baseline", metavar="NAME", help="Compare the others with this system only.")
@click.option(
    "--scheme",
    type=click.Choice(SCHEMES),
    default=_PLAN.scheme,
    show_default=True,
    help="Swap documents within pairs, or shuffle them pooled.",
)
@click.option(
    "--replicates",
    type=int,
    default=_PLAN.replicates,
    show_default=True,
    help="Bootstrap samples for the confidence intervals.",
)
@click.option(
    "--sensitivity",
    is_flag=True,
    help="Also rank under every matching and every treatment of singletons and twinless mentions.",
)
@click.option("--per-document", is_flag=True, help="Also give the F1 of each document.")
@click.option("--plots", type=CHARTS, metavar="FOLDER", help="Write charts to FOLDER.")
@click.option(
    "--plot-format",
    type=click.Choice(PLOT_FORMATS),
    default="svg",
    show_default=True,
    help="Format of the charts; PNG needs the extra 'plots'.",
)
@output_options(*TABLES, *BY_TABLES, usual=", ".join(SHOWN))
def command(
    key: str,
    responses: tuple[str, ...],
    sensitivity: bool,
    per_document: bool,
    plots: str | None,
    plot_format: str,
    **options: Any,
) -> None:
    """Compare the RESPONSEs of two or more systems to KEY.

    A system is named NAME=RESPONSE, or after its file. For every system and metric there are P, R,
    F1, a confidence interval and a rank; for every pair the difference with its interval, p and
    corrected p. Systems that share a letter do not differ significantly.

    \b
    corefine compare key.conll rules.conll neural=runs/7/out.conll
    corefine compare key.conll a.conll b.conll --metrics conll,lea -o table.tex
    """
    if not sensitivity and "sensitivity" in (options["tables"] or ""):
        raise UsageError("the table sensitivity needs --sensitivity")
    known = tables_known((*TABLES, *BY_TABLES), options["by"], options["tables"])
    known = [name for name in known if sensitivity or name != "sensitivity"]
    presentation = Presentation.taken(options, known)
    systems = named_paths(responses, "system")
    one_from_standard_input(key, *systems.values())
    if plots is not None:
        _check_plots(plot_format)
    with ProgressBar() as progress:
        comparison = compare(key, systems, sensitivity=sensitivity, progress=progress, **options)
    if plots is not None:
        comparison.save_plots(plots, plot_format)
    warn(comparison.warnings)
    extra = ["documents"] if per_document else []
    extra += ["sensitivity"] if sensitivity else []
    heading = comparison.verdict
    presentation.show(comparison, *extra, heading=heading, documents=per_document)


def _check_plots(plot_format: str) -> None:
    """Say before the work begins that charts cannot be written."""
    if plot_format != "svg":
        from corefine.showing.charts.raster import require_pixels

        require_pixels()
