"""``corefine score KEY RESPONSE``."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

import click
from click.core import ParameterSource

from corefine.cli.options import (
    MEMORY,
    key_and_response,
    kinds_option,
    metrics_option,
    output_option,
    settings_options,
    take_settings,
)
from corefine.cli.output import show, show_json, warn
from corefine.cli.progress import ReadingProgress
from corefine.cli.reading import read_sides, size_of
from corefine.corpus.corpus import Corpus
from corefine.errors import UsageError
from corefine.kinds import KindPlan
from corefine.matching.settings import CHOICES, Settings
from corefine.metrics.base import Metric
from corefine.scoring.breakdowns import BY
from corefine.scoring.conventions.tools import TOOLS, tool_named
from corefine.scoring.drivers.local import stream_scores
from corefine.scoring.score import metrics_for, score_corpora
from corefine.scoring.scores import Scores
from corefine.scoring.tables import breakdown_grids, documents_grid, long_grid, scores_grid
from corefine.scoring.tabulating import kinds_needed


@click.command("score", short_help="Score a response against a key.")
@key_and_response
@metrics_option()
@kinds_option
@settings_options
@click.option(
    "--by",
    type=click.Choice(BY),
    multiple=True,
    help="Also give scores by part: by kind of mention, by semantic type, or (for pairs) by the "
    "words that two mentions share.",
)
@click.option("--per-document", is_flag=True, help="Also give the scores of each document.")
@click.option(
    "--as",
    "tool",
    type=click.Choice(tuple(TOOLS)),
    help="Score by the conventions of another scorer.",
)
@click.option(
    "--why-differs",
    "differs_from",
    type=click.Choice(tuple(TOOLS)),
    help="Tell which convention moves which metric between that scorer's numbers and these.",
)
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    help="Processes for large files.  [default: one for each core]",
)
@click.option(
    "--memory",
    type=MEMORY,
    help="Bound of memory, such as 512M: for the windows of files that can be streamed [default: "
    "512M], and for the alignments of CEAF, which are bounds where it does not suffice.",
)
@click.option(
    "--engine",
    type=click.Choice(("local", "dask")),
    default="local",
    show_default=True,
    help="Count on this machine, or on the workers of a Dask cluster; sides may be in shards.",
)
@click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="The cluster's scheduler, such as tcp://127.0.0.1:8786.  [default: workers started here]",
)
@output_option()
def command(
    key: str,
    response: str,
    key_format: str | None,
    response_format: str | None,
    metrics: str,
    kinds: str,
    by: tuple[str, ...],
    per_document: bool,
    tool: str | None,
    differs_from: str | None,
    jobs: int | None,
    memory: int | None,
    engine: str,
    scheduler: str | None,
    output: str,
    **options: Any,
) -> None:
    """Score RESPONSE against KEY; either may be '-' for standard input.

    Scores are micro-averaged over documents and shown in percent; --output json gives them from 0
    to 1 at full precision. The last line is the signature: two numbers may be compared if theirs
    are the same.
    """
    given = _given(options)
    settings = take_settings(options)
    formats = (key_format, response_format)
    if memory is not None:
        share = memory // (jobs or os.cpu_count() or 1)
        settings = replace(settings, alignment_memory=share)
    if tool is not None or differs_from is not None:
        if by:
            raise UsageError("--by cannot be combined with --as or --why-differs")
        sides = read_sides(key, response, *formats)
        if differs_from is not None:
            _show_differences(*sides, differs_from, metrics, given, output)
        else:
            _finish(_as_tool(*sides, tool or "", metrics, given), per_document, output)
        return
    asked = metrics_for(metrics, settings)
    plan = kinds_needed(kinds, asked.values(), by)
    layers = frozenset() if plan is None else plan.layers
    if engine == "dask":
        counted = _on_dask(scheduler, key, response, asked, settings, plan, by, formats)
        _finish(counted, per_document, output)
        return
    if scheduler is not None:
        raise UsageError("--scheduler needs --engine dask")
    with ReadingProgress(size_of(key, response), "scoring") as progress:
        scores = stream_scores(
            key,
            response,
            asked,
            settings,
            plan,
            by,
            formats=formats,
            jobs=jobs,
            memory=memory,
            progress=progress,
        )
    if scores is None:
        sides = read_sides(key, response, *formats, layers)
        scores = score_corpora(*sides, asked, settings, plan, by)
    _finish(scores, per_document, output)


# What most runs do not need is imported where it is used: starting up is half of a small run.


def _show_differences(
    key: Corpus, response: Corpus, tool: str, metrics: str, given: dict[str, str], output: str
) -> None:
    from corefine.cli.differences import show_differences

    show_differences(key, response, tool, metrics, given, output)


def _as_tool(
    key: Corpus, response: Corpus, tool: str, metrics: str, given: dict[str, str]
) -> Scores:
    from corefine.scoring.conventions.imitation import score_as

    return score_as(key, response, tool_named(tool), metrics, given)


def _on_dask(
    scheduler: str | None,
    key: str,
    response: str,
    metrics: dict[str, Metric],
    settings: Settings,
    plan: KindPlan | None,
    by: tuple[str, ...],
    formats: tuple[str | None, str | None],
) -> Scores:
    from corefine.scoring.drivers.dask import connect, score_on_dask

    with connect(scheduler) as client:
        return score_on_dask(
            key, response, metrics, settings, plan, by, client=client, formats=formats
        )


def _finish(scores: Scores, per_document: bool, output: str) -> None:
    warn(scores.warnings)
    _show(scores, per_document, output)


def _given(options: dict[str, Any]) -> dict[str, str]:
    """The settings that the user gives, which override the conventions of a tool."""
    source = click.get_current_context().get_parameter_source
    return {name: options[name] for name in CHOICES if source(name) is ParameterSource.COMMANDLINE}


def _show(scores: Scores, per_document: bool, output: str) -> None:
    if output == "json":
        show_json(scores.to_dict(documents=per_document))
    elif output == "csv" and (per_document or scores.breakdowns):
        show(long_grid(scores, per_document), output)
    else:
        grids = [scores_grid(scores), *breakdown_grids(scores)]
        if per_document:
            grids.append(documents_grid(scores))
        for number, grid in enumerate(grids):
            if number:
                click.echo()
            show(grid, output)
