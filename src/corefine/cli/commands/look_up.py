"""Commands to look things up: metrics, presets, papers, the sample, and help."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import click

from corefine.cli.help_pages import Command
from corefine.cli.options import Choice, flag, form_option, option, refuse
from corefine.cli.presentation import Presentation, show_records, wrapped
from corefine.cli.runtime import OUTPUT
from corefine.errors import UsageError, closest
from corefine.explaining.papers import PAPERS, reproduce
from corefine.explaining.papers.output import papers_grid, to_markdown
from corefine.explaining.papers.results import Reproduction
from corefine.formats.sample import sample, write_samples
from corefine.metrics import GROUPS, registered
from corefine.metrics.registry import cite, parse
from corefine.output.grid import Column, Grid, Value
from corefine.output.saving import write_atomically
from corefine.scoring.presets import PRESETS
from corefine.scoring.score import score
from corefine.scoring.scores import Scores


@click.command("metrics", cls=Command)
@click.argument("names", nargs=-1, metavar="[NAME]...")
@flag("--bibtex", "Print BibTeX entries for corefine and for the papers that define NAMEs.")
@form_option
def metrics_command(names: tuple[str, ...], bibtex: bool, **options: Any) -> None:
    """List the metrics and their groups, or describe NAMEs: definition, use, example, reference.

    Choose metrics with --metrics (Python: metrics=), a comma-separated list of names and groups.
    A metric may have parameters: blanc(rule=luo2014), mean(muc,b3,lea).

    \b
    corefine metrics
    corefine metrics lea blanc
    corefine metrics conll lea --bibtex >> references.bib
    """
    if bibtex:
        refuse("does not apply to --bibtex", "output")
        click.echo(cite(names or None), nl=False)
        return
    metrics = [type(parse(name)) for name in names] or list(registered())
    fields = ("name", "title", "summary", "use", "example", "citation")
    records = [
        {field: getattr(metric, field) for field in fields}
        | {"values": metric.describe_parameters()}
        for metric in metrics
    ]
    notes = (f"groups: {', '.join([*GROUPS, 'all'])}. More: metrics NAME",)
    columns = (Column("metric"), Column("measures", shortest=30))
    listed = Grid(columns, [(one.name, one.summary) for one in metrics], notes=notes)
    show_records(Presentation.from_options(options), records, None if names else listed)


@click.command("presets", cls=Command)
@click.argument("names", nargs=-1, type=Choice(tuple(PRESETS)), metavar="[NAME]...")
@form_option
def presets_command(names: tuple[str, ...], **options: Any) -> None:
    """List the presets, or describe NAMEs: settings and metrics of a shared task, and reference.

    --preset (Python: preset=) applies them; options given explicitly take precedence.

    \b
    corefine presets
    corefine presets --output json
    """
    presets = [PRESETS[name] for name in names] or list(PRESETS.values())
    records = [
        {
            "name": one.name,
            "meaning": one.meaning,
            "settings": ",".join(f"{name}={value}" for name, value in one.settings.items()),
            "metrics": one.metrics,
            "citation": one.citation,
        }
        for one in presets
    ]
    note = "'corefine presets NAME' gives settings, metrics and reference"
    columns = (Column("preset"), Column("shared task or paper", shortest=30))
    listed = Grid(columns, [(one.name, one.meaning) for one in presets], notes=(note,))
    show_records(Presentation.from_options(options), records, None if names else listed)


@click.command("reproduce", cls=Command)
@click.argument("paper", required=False, type=Choice(tuple(PAPERS)))
@form_option
@option(
    "-o",
    "--out",
    type=OUTPUT,
    metavar="DIR",
    help="Write all cells, claims and figures to DIR as Markdown, JSON and SVG.",
)
def reproduce_command(
    output: str = "table", paper: str | None = None, out: str | None = None
) -> None:
    """Recompute every table and figure of the papers that corefine implements.

    Each printed number is recomputed from the paper's data, derived from its other numbers, or not
    derivable. A number that does not come out as printed is explained by a computation, or
    unexplained. Each claim holds or fails. With PAPER, the numbers that differ and the claims
    that fail are printed, too; otherwise all papers are recomputed.

    \b
    corefine reproduce
    corefine reproduce moosavi-strube -o reproduction
    """
    papers = [reproduce(name) for name in ([paper] if paper else PAPERS)]
    everything = {one.name: one.to_dict() for one in papers}
    if out is not None:
        folder = Path(out)
        for one in papers:
            one.save_plots(folder)
        text = json.dumps(everything, ensure_ascii=False, indent=1, allow_nan=False)
        write_atomically(folder / "reproduction.md", to_markdown(papers))
        write_atomically(folder / "reproduction.json", text)
    presentation = Presentation(output)
    if output == "json":
        presentation.write_json(everything)
        return
    if paper is not None and output != "csv":
        for one in papers:
            _describe(one, presentation)
            click.echo()
    presentation.show_grids([papers_grid(papers)])
    if out is not None and output != "csv":
        click.echo(f"\nwritten to {out}")


def _describe(paper: Reproduction, presentation: Presentation) -> None:
    """Print the counts of one paper, the numbers that differ, and the claims that fail."""
    click.echo(click.style(wrapped(paper.citation), bold=True))
    names = ("counts", "differences", "underivable")
    for name in (name for name in names if name in paper.table_functions()):
        presentation.show_grids(paper.tables(name))
        click.echo()
    if paper.directions:
        same = sum(way.agrees for way in paper.directions)
        click.echo(
            f"{same} of {len(paper.directions)} changes have the same direction on a generated "
            "corpus (written with -o)"
        )
    holding = paper.claims_that_hold
    click.echo(f"{holding} of {len(paper.claims)} claims hold")
    if holding < len(paper.claims):
        click.echo()
        presentation.show_grids(paper.tables("claims", failing=True))


@click.command("demo", cls=Command)
@option(
    "-o",
    "--out",
    "write",
    type=OUTPUT,
    metavar="DIR",
    help="Only copy the sample files (key, careful and eager.conll) to DIR.",
)
def demo_command(write: str | None = None) -> None:
    """Score a bundled sample on which metrics disagree.

    Three systems resolve ten short texts. careful links what is certain and splits entities,
    eager links whatever may be one entity and merges them, balanced lies between.

    \b
    corefine demo
    corefine demo -o sample
    """
    if write is not None:
        for path in write_samples(write):
            click.echo(path)
        return
    gold, systems = sample()
    scores = {name: score(gold, response) for name, response in systems.items()}
    Presentation().show_grids(
        [_side_by_side(scores)],
        "Three systems resolve ten short texts. careful links what is certain and splits "
        "entities; eager links whatever may be one entity and merges them.",
    )
    click.echo("Try 'corefine score --sample', 'corefine demo -o DIR'")


def _side_by_side(scores: dict[str, Scores]) -> Grid:
    """F1 of the responses by every metric, and the order in which it ranks them."""
    rows: list[tuple[Value, ...]] = []
    first = next(iter(scores.values()))
    for metric in first:
        values = {name: round(one[metric].f1, 12) for name, one in scores.items()}
        order = sorted(values, key=lambda name: -values[name])
        ranking = order[0]
        for better, worse in pairwise(order):
            ranking += f" {'>' if values[better] > values[worse] else '='} {worse}"
        rows.append((metric, *values.values(), ranking))
    columns = [Column(name, "percent") for name in scores]
    notes = (first.signature.conventions,)
    return Grid((Column("metric"), *columns, Column("ranking")), rows, notes=notes)


@click.command("help", cls=Command)
@click.argument("words", nargs=-1, metavar="[COMMAND]...")
@click.option("--all", "everything", is_flag=True, help="Show rarely used options too.")
@click.pass_context
def help_command(context: click.Context, words: tuple[str, ...], everything: bool) -> None:
    """Explain a command.

    \b
    corefine help score
    corefine help resolve train --all
    """
    root = context.find_root()
    found: click.Command = root.command
    place = root
    for word in words:
        known = found.list_commands(place) if isinstance(found, click.Group) else []
        inner = found.get_command(place, word) if isinstance(found, click.Group) else None
        if inner is None:
            raise UsageError(
                f"there is no command {' '.join(words)!r}",
                remedy=f"'corefine help' lists them.{closest(word, known)}",
            )
        found, place = inner, click.Context(inner, place, word)
    if isinstance(found, Command):
        found.shows_all = everything
    click.echo(found.get_help(place))
