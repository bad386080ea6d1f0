"""``corefine suite KEYS SYSTEM…``."""

from __future__ import annotations

import os
from typing import Any

import click

from corefine.cli.commands.compare import PLAN, given_plan
from corefine.cli.help_pages import Command
from corefine.cli.options import (
    format_option,
    kinds_option,
    metrics_option,
    named_paths,
    plan_options,
    scorer_option,
    settings_for_scorer,
    settings_options,
)
from corefine.cli.outputs import OUTPUT
from corefine.cli.presentation import Presentation, output_options, tell, warn
from corefine.cli.progress import ProgressBar
from corefine.comparing.suites.suite import SuiteScores, score_suite
from corefine.comparing.suites.suite_comparison import SuiteComparison, compare_suite
from corefine.comparing.tables import TABLES
from corefine.errors import UsageError
from corefine.output.saving import make_folder

ONE = ("scores", "average", "long", "official")
SEVERAL = ("suite", "official", "averages", "data-sets", *TABLES)
PRESET = "crac25"
"""Settings of the official table, if no preset is given."""


@click.command("suite", cls=Command)
@click.argument("keys", type=str)
@click.argument("systems", type=str, nargs=-1, required=True, metavar="[NAME=]SYSTEM...")
@format_option("key")
@format_option("response")
@metrics_option()
@kinds_option()
@settings_options
@scorer_option
@plan_options(*(name for name in PLAN if name != "scheme"))
@click.option(
    "--official",
    is_flag=True,
    help="Also print the official table of the CRAC shared tasks: macro CoNLL F1 with head, "
    f"partial and exact matching, and with singletons. Without --preset it uses {PRESET}.",
)
@click.option(
    "--jobs", type=click.IntRange(min=1), metavar="N", help="Processes.  [default: one per core]"
)
@click.option(
    "--save",
    type=OUTPUT,
    metavar="DIR",
    help="Save the result of each system to DIR/NAME.json, for 'corefine leaderboard' and 'gate'.",
)
@output_options(*dict.fromkeys((*ONE, *SEVERAL)), default="F1 by data set; official, if asked for")
def command(
    keys: str, systems: tuple[str, ...], official: bool, save: str | None, **options: Any
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
    options = given_plan(options)
    if official and options.get("preset") is None and options.get("scorer") is None:
        options["preset"] = PRESET
        official_settings(options)
    options = settings_for_scorer(options)
    paths = named_paths(systems, "system")
    if "-" in (keys, *paths.values()):
        raise UsageError("a suite cannot come from standard input")
    known = ONE if len(paths) == 1 else SEVERAL
    missing = () if official else ("official",)
    presentation = Presentation.from_options(options, [n for n in known if n not in missing])
    if save is not None:
        make_folder(save)
    result: SuiteScores | SuiteComparison
    with ProgressBar() as progress:
        if len(paths) == 1:
            (name,) = paths
            for unused in ("test", "trials", "correction", "baseline"):
                if options.pop(unused, None) is not None:
                    raise UsageError(f"--{unused} needs at least two systems")
            result = score_suite(keys, paths[name], official=official, progress=progress, **options)
            suites = {name: result}
        else:
            result = compare_suite(keys, paths, official=official, progress=progress, **options)
            suites = dict(result.suites)
    warn(result.warnings)
    if save is not None:
        for name, suite in suites.items():
            suite.save(os.path.join(save, f"{name.replace(os.sep, '_')}.json"), name=name)
        tell(f"saved {', '.join(suites)} to {save}", err=True)
    presentation.show(result)


def official_settings(options: dict[str, Any]) -> None:
    """Drop the default settings, in favour of those of the official table."""
    from corefine.cli.options import given_settings
    from corefine.matching.settings import CHOICES

    given = given_settings(options)
    for name in CHOICES:
        options.pop(name, None)
    options.update(given)
