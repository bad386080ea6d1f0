"""``corefine compare KEY RESPONSE…``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from corefine.cli.help_pages import Command
from corefine.cli.options import (
    BY_TABLES,
    by_options,
    key_and_responses,
    kinds_option,
    metrics_option,
    named_runs,
    one_from_standard_input,
    plan_options,
    sample_option,
    scorer_option,
    settings_for_scorer,
    settings_options,
    tables_known,
    window_option,
)
from corefine.cli.outputs import CHARTS
from corefine.cli.presentation import Presentation, layout_option, output_options, warn
from corefine.cli.progress import ProgressBar
from corefine.comparing.systems import compare
from corefine.comparing.tables import TABLES
from corefine.errors import UsageError
from corefine.formats.tagged.copies import LOSS_TABLES
from corefine.matching.settings import CHOICES
from corefine.output.plots import PLOT_FORMATS
from corefine.output.saving import make_folder
from corefine.scoring.stored import is_stored

PLAN = ("test", "trials", "correction", "alpha", "seed", "baseline", "scheme", "replicates")


@click.command("compare", cls=Command)
@key_and_responses
@sample_option
@metrics_option()
@kinds_option()
@settings_options
@scorer_option
@window_option
@by_options
@plan_options(*PLAN)
@click.option(
    "--sensitivity",
    is_flag=True,
    help="Also rank under every --match, --singletons and --twinless setting.",
)
@click.option("--per-document", is_flag=True, help="Also report F1 per document.")
@click.option("--plots", type=CHARTS, metavar="DIR", help="Write charts to a directory.")
@click.option(
    "--plot-format",
    type=click.Choice(PLOT_FORMATS),
    default="svg",
    show_default=True,
    help="Chart format; PNG needs the 'plots' extra.",
)
@layout_option
@output_options(
    *TABLES,
    *BY_TABLES,
    *LOSS_TABLES,
    default="difference of two systems, else summary",
)
def command(
    key: str,
    responses: tuple[str, ...],
    sensitivity: bool,
    per_document: bool,
    plots: str | None,
    plot_format: str,
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
    options = settings_for_scorer(given_plan(options))
    asked = (options["tables"] or "").split(",")
    known = tables_known((*TABLES, *BY_TABLES, *LOSS_TABLES), options["by"], options["tables"])
    if not sensitivity and "sensitivity" in asked:
        raise UsageError("the table sensitivity needs --sensitivity")
    sides: tuple[Any, ...]
    if stored(key):
        systems = named_runs((key, *responses))
        sides = (systems,)
        options = without_default_settings(options)
    else:
        systems = named_runs(responses)
        one_from_standard_input(key, *(path for path in systems.values() if isinstance(path, str)))
        sides = key, systems
    if "runs" in asked and not any(isinstance(paths, list) for paths in systems.values()):
        raise UsageError("the table runs needs several runs of a system: NAME=PATTERN")
    if "difference" in asked and len(systems) != 2:
        raise UsageError("the table difference needs two systems; use the table pairs")
    presentation = Presentation.from_options(options, known)
    if plots is not None:
        check_plots(plots, plot_format)
    with ProgressBar() as progress:
        comparison = compare(*sides, progress=progress, sensitivity=sensitivity, **options)
    warn(comparison.warnings)
    presentation.show(comparison, *(["documents"] if per_document else []), documents=per_document)
    if plots is not None:  # after the tables, which are kept if a chart cannot be written
        comparison.save_plots(plots, plot_format)


def stored(key: str) -> bool:
    """True if the first argument is a saved result, or a pattern of them."""
    paths = next(iter(named_runs((key,)).values())) if "=" in key else key
    return is_stored(paths if isinstance(paths, str) else paths[0])


def without_default_settings(options: dict[str, Any]) -> dict[str, Any]:
    """Options without settings and sources that the user did not give."""
    source = click.get_current_context().get_parameter_source
    defaults = [name for name in (*CHOICES, "kinds") if source(name) is ParameterSource.DEFAULT]
    return {name: value for name, value in options.items() if name not in defaults}


def given_plan(options: dict[str, Any]) -> dict[str, Any]:
    """Options without those of the plan that the user did not give: a preset may have them."""
    source = click.get_current_context().get_parameter_source
    defaults = [name for name in PLAN if name != "seed" and source(name) is ParameterSource.DEFAULT]
    return {name: value for name, value in options.items() if name not in defaults}


def check_plots(folder: str, plot_format: str) -> None:
    """Report before the work begins that charts cannot be written."""
    if Path(folder).exists():
        make_folder(folder)  # refuses a file
    if plot_format != "svg":
        from corefine.output.charts.raster import require_pixels

        require_pixels()
