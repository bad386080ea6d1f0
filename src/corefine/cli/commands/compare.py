"""``corefine compare KEY RESPONSE…``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
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
    named_paths,
    named_runs,
    one_from_standard_input,
    refuse_with_suite,
    sample_option,
    seed_option,
    settings_options,
    suite_option,
    tables_known,
    window_option,
)
from corefine.cli.outputs import CHARTS
from corefine.cli.presentation import Presentation, layout_option, output_options, warn
from corefine.cli.progress import ProgressBar
from corefine.comparing.comparison import Comparison
from corefine.comparing.multiple_testing import CORRECTIONS
from corefine.comparing.plan import TESTS, Plan
from corefine.comparing.randomization import SCHEMES
from corefine.comparing.systems import compare
from corefine.comparing.tables import SHOWN, TABLES
from corefine.errors import UsageError
from corefine.formats.tagged.losses import LOSS_TABLES
from corefine.matching.settings import CHOICES
from corefine.output.plots import PLOT_FORMATS
from corefine.output.saving import make_folder
from corefine.scoring.stored import is_stored

_PLAN = Plan()
SUITE_TABLES = ("averages", "data-sets")


@click.command("compare", cls=Command)
@key_and_responses
@suite_option
@sample_option
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
    "--trials", type=int, default=_PLAN.trials, show_default=True, help="Number of permutations."
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
    help="Significance level α; confidence intervals cover 1 − α.",
)
@seed_option
@click.option("--baseline", metavar="NAME", help="Test the other systems against this one only.")
@click.option(
    "--scheme",
    type=click.Choice(SCHEMES),
    default=_PLAN.scheme,
    show_default=True,
    help="Permute documents within pairs, or over the pooled sample.",
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
    *TABLES, *BY_TABLES, *SUITE_TABLES, *LOSS_TABLES,
    default=f"{', '.join(SHOWN)}; {' and '.join(SUITE_TABLES)} of a suite; alignment of LLM output",
)  # fmt: skip
def command(
    key: str,
    responses: tuple[str, ...],
    sensitivity: bool,
    per_document: bool,
    plots: str | None,
    plot_format: str,
    suite: bool,
    **options: Any,
) -> None:
    """Compare two or more systems on the same KEY, or saved scores without a key.

    Name a system with NAME=RESPONSE; the default is its file name. Reports P, R, F1, confidence
    interval and rank per system and metric, and the difference, its confidence interval, p and
    corrected p per pair. Systems that share a letter do not differ significantly. With
    NAME=PATTERN, several runs of a system are averaged, and resampling covers documents and runs.

    \b
    corefine compare --sample
    corefine compare key.conll rules.conll neural=runs/7/out.conll
    corefine compare key.conll a.conll b.conll --layout paper -o table.tex
    corefine compare key.conll 'a=runs/a-*.conll' 'b=runs/b-*.conll'
    corefine compare a.json b.json
    corefine compare --suite gold/ ours=runs/ours/ theirs=runs/theirs/ --preset crac25
    """
    options = without_usual_plan(options)
    if not sensitivity and "sensitivity" in (options["tables"] or ""):
        raise UsageError("the table sensitivity needs --sensitivity")
    known = tables_known((*TABLES, *BY_TABLES, *LOSS_TABLES), options["by"], options["tables"])
    systems: Mapping[str, str | list[str]]
    compared: Callable[..., Comparison] = partial(compare, sensitivity=sensitivity)
    if suite:
        from corefine.comparing.suites.suite_comparison import compare_suite

        given = {name: options.pop(name) for name in ("by", "genres")}
        refuse_with_suite(**given, sensitivity=sensitivity)
        systems, compared = named_paths(responses, "system"), compare_suite
        known += SUITE_TABLES
        sides: tuple[Any, ...] = key, systems
    elif stored(key):
        systems = named_runs((key, *responses))
        sides = (systems,)
        options = without_defaults(options)
    else:
        systems = named_runs(responses)
        one_from_standard_input(key, *(path for path in systems.values() if isinstance(path, str)))
        sides = key, systems
    several = any(isinstance(paths, list) for paths in systems.values())
    left_out = {
        name for name, there in (("sensitivity", sensitivity), ("runs", several)) if not there
    }
    if "runs" in left_out and "runs" in (options["tables"] or "").split(","):
        raise UsageError("the table runs needs several runs of a system: NAME=PATTERN")
    presentation = Presentation.from_options(
        options, [name for name in known if name not in left_out]
    )
    if plots is not None:
        _check_plots(plots, plot_format)
    with ProgressBar() as progress:
        comparison = compared(*sides, progress=progress, **options)
    warn(comparison.warnings)
    extra = ["documents"] if per_document else []
    extra += ["sensitivity"] if sensitivity else []
    presentation.show(comparison, *extra, documents=per_document)
    if plots is not None:  # after the tables: a chart that cannot be written does not cost them
        comparison.save_plots(plots, plot_format)


def stored(key: str) -> bool:
    """Whether the first argument is a stored result, or a pattern of such."""
    paths = next(iter(named_runs((key,)).values())) if "=" in key else key
    return is_stored(paths if isinstance(paths, str) else paths[0])


def without_defaults(options: dict[str, Any]) -> dict[str, Any]:
    """The options without settings and sources that the user did not give."""
    source = click.get_current_context().get_parameter_source
    defaults = [name for name in (*CHOICES, "kinds") if source(name) is ParameterSource.DEFAULT]
    return {name: value for name, value in options.items() if name not in defaults}


def without_usual_plan(options: dict[str, Any]) -> dict[str, Any]:
    """The options without parts of the plan that the user did not give: a preset may have them."""
    source = click.get_current_context().get_parameter_source
    usual = [
        name
        for name in ("test", "trials", "correction", "alpha", "scheme", "replicates")
        if source(name) is ParameterSource.DEFAULT
    ]
    return {name: value for name, value in options.items() if name not in usual}


def _check_plots(folder: str, plot_format: str) -> None:
    """Say before the work begins that charts cannot be written."""
    if Path(folder).exists():
        make_folder(folder)  # refuses what is not a directory
    if plot_format != "svg":
        from corefine.output.charts.raster import require_pixels

        require_pixels()
