"""The sections of the report: overview, breakdown, comparison, audit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np

from corefine.comparing.comparison import Comparison
from corefine.comparing.tables import part_grid, tau_figure
from corefine.explaining.figures import explanation_figures
from corefine.formats.tagged.copies import Losses
from corefine.metrics.registry import title_of
from corefine.output.charts import Figure
from corefine.output.grid import Column, Grid, Marked, Value
from corefine.report.analysis import Analysis
from corefine.report.answers import Answer
from corefine.report.audit_table import audit_table
from corefine.report.buckets import REPLICATES
from corefine.report.figures import overview_figures
from corefine.report.page import Captioned, Multiples, Overview, Part, Section

Shown = TypeVar("Shown", Grid, Figure)

AUDITED = (
    "Each response is perturbed with edits known to help or hurt, and rescored: a metric that "
    "moves the wrong way cannot rank such responses reliably."
)
MULTIPLE = 440
"""The width of one of several charts in a row."""
KEPT = (
    "Information kept: the share of an entity’s information (each word that is new to it) "
    "found in the aligned response entity."
)

SPLIT = (
    "Entities composed of others (they: Anna and Ben), in key and response. All other scores on "
    "this page cover identity only."
)
MOST_SETS = 500
"""Split antecedents that the page lists of each response."""
COPIED = (
    "A language model copied and tagged the text. Its words were aligned with the key's: mentions "
    "in words that could not be aligned are lost, and documents without output count as missed."
)
LISTED = 200
"""Documents and malformed tags that are listed."""


def own_sections(analysis: Analysis) -> list[Section]:
    """The sections between the overview and the tables."""
    compared = analysis.comparison
    return [
        breakdown_section(analysis),
        *([bucket_section(analysis)] if analysis.buckets else []),
        *([] if compared is None else [comparison_section(compared, analysis.lead)]),
        *_split_sections(analysis),
        *([audit_section(analysis)] if analysis.audits else []),
        *losses_sections(analysis),
    ]


def breakdown_section(analysis: Analysis) -> Section:
    """The cost of the errors of each response, and their characteristics."""
    parts: list[Part] = ["F1 lost to each error type, and what the errors have in common."]
    shown, several = analysis.explanations, len(analysis.names) > 1
    width = MULTIPLE if several else 640
    rows = [explanation_figures(one, beside=shown, width=width) for one in shown]
    for name, first in rows[0].items():
        if several:
            row = list(zip(analysis.names, (figures[name] for figures in rows), strict=True))
            named = [(system, _named(figure, system, analysis)) for system, figure in row]
            parts.append(Multiples(first.title, first.description, named))
        else:
            parts.append(first)
    parts += [
        part_grid(analysis.parts, one.by, analysis.plan) for one in shown[0].scores.breakdowns
    ]
    return Section("breakdown", "Breakdown", parts)


def bucket_section(analysis: Analysis) -> Section:
    """F1 by what entities, mentions and documents are like, each with its errors."""
    told = "Where each response is good and where it is not."
    if any(one.division.name != "type" for one in analysis.buckets):
        told += " The counts of the groups add up to the whole"
        typed = any(one.division.name == "type" for one in analysis.buckets)
        told += "; semantic types are scored on their own." if typed else "."
    if any(one.interval is not None for bucket in analysis.buckets for one in bucket.standings):
        drawn = f"{min(analysis.plan.resamples, REPLICATES):,} bootstrap samples"
        told += f" Bars: {100 * analysis.plan.confidence:g}% intervals from {drawn} of the "
        told += f"{analysis.unit}s that a group occurs in."
    parts: list[Part] = [told]
    for bucket in analysis.buckets:
        figure = bucket.figure(analysis.names)
        parts.append(Captioned(figure, bucket.examples()))
    return Section("buckets", "Buckets", parts)


def comparison_section(comparison: Comparison, lead: str) -> Section:
    """Significance of the differences between the responses."""
    grids = comparison.tables("summary", "pairs", "disagreements")
    summary, pairs, disagreements = (titled(grid, comparison.metrics) for grid in grids)
    parts: list[Part] = [
        f"Differences between responses on the same documents, tested by {comparison.plan.test}.",
        *comparison.warnings,
        *(() if disagreements.rows else disagreements.notes),
        summary,
        pairs,
        *((disagreements,) if disagreements.rows else ()),
        tau_figure(comparison, "documents"),
    ]
    if len(comparison.systems) > 2:
        parts.append(tau_figure(comparison, "systems"))
    return Section("comparison", "Comparison", parts)


def _split_sections(analysis: Analysis) -> list[Section]:
    """Errors in split antecedents, if any side has these."""
    parts: list[Part] = []
    for name, explanation in zip(analysis.names, analysis.explanations, strict=True):
        if explanation.split_antecedents:
            grids = explanation.tables("split-antecedents", top=MOST_SETS)
            parts += [_named(grid, name, analysis) for grid in grids if grid.rows]
    if not parts:
        return []
    return [Section("split-antecedents", "Split antecedents", [SPLIT, *parts])]


def audit_section(analysis: Analysis) -> Section:
    """Changes to the response that a metric does not reward or penalise as expected."""
    parts: list[Part] = [AUDITED]
    several = len(analysis.names) > 1
    for name, audit in zip(analysis.names, analysis.audits, strict=True):
        parts.append(audit_table(audit, name if several else ""))
    unlinked = _unlinked(analysis)
    return Section("audit", "Audit", [*parts, *([unlinked] if unlinked.rows else [])])


def _unlinked(analysis: Analysis) -> Grid:
    """Key mentions with only wrong links in a response, one row per mention kind."""
    found = [{one.kind: one for one in audit.wrong_mentions} for audit in analysis.audits]
    kinds = dict.fromkeys(kind for own in found for kind in own)
    columns = [Column("mention kind")]
    rows: list[list[Value]] = [[kind] for kind in kinds]
    for name, own in zip(analysis.names, found, strict=True):
        group = name if len(analysis.names) > 1 else ""
        columns += [
            Column("linked", "integer", group=group),
            Column("never rightly", "integer", group=group),
            Column("%", "percent", group=group),
        ]
        for row, kind in zip(rows, kinds, strict=True):
            one = own.get(kind)
            row += [None] * 3 if one is None else [one.linked, one.wrong, one.share]
    title = "Key mentions that are linked, but without any correct link"
    return Grid(tuple(columns), [tuple(row) for row in rows], title)


def losses_sections(analysis: Analysis) -> list[Section]:
    """Losses in text rewritten by language models; empty for other responses."""
    named = zip(analysis.names, analysis.explanations, strict=True)
    copies = {name: one.scores.copies for name, one in named if one.scores.copies is not None}
    if not copies:
        return []
    losses, alignment, tags = Losses(copies).tables(top={"alignment": LISTED, "tags": LISTED})
    parts: list[Part] = [COPIED, losses, replace(alignment, title="By document")]
    parts += [tags] if tags.rows else []
    return [Section("alignment", "Alignment", parts)]


def titled(grid: Grid, metrics: Sequence[str]) -> Grid:
    """A table with metric names as in papers, both in headings and in values."""
    titles = {metric: title_of(metric) for metric in metrics}
    columns = [replace(one, title=titles.get(one.title, one.title)) for one in grid.columns]
    rows = [
        tuple(titles.get(one, one) if isinstance(one, str) else one for one in row)
        for row in grid.rows
    ]
    return replace(grid, columns=tuple(columns), rows=rows)


def _named(part: Shown, name: str, analysis: Analysis) -> Shown:
    """A table or chart with the name of its response, if there are several responses."""
    return replace(part, title=f"{part.title} ({name})") if len(analysis.names) > 1 else part


def overview(analysis: Analysis, answers: Sequence[Answer], notes: Sequence[str] = ()) -> Overview:
    """The first section: the answers, the scores with their intervals, and the charts."""
    key, documents = analysis.key, len(analysis.key.documents)
    several = len(analysis.names) > 1
    what = f"{len(analysis.names)} responses" if several else f"The response {analysis.names[0]}"
    first = analysis.explanations[0]
    return Overview(
        f"{what} scored against a key of {documents:,} "
        f"document{'' if documents == 1 else 's'} with {len(key.mentions):,} mentions in "
        f"{len(first.table.key):,} entities.",
        answers,
        [score_grid(analysis, notes), halves_grid(analysis), corpus_grid(analysis)],
        str(first.scores.signature),
        overview_figures(analysis),
    )


def score_grid(analysis: Analysis, more: Sequence[str] = ()) -> Grid:
    """Systems in rows; F1 with its interval by metric; ``more`` is said below it, too."""
    several = len(analysis.names) > 1
    f1 = Column("F1", "percent")
    best = {
        metric: max(one.scores[metric].f1 for one in analysis.explanations)
        for metric in analysis.metrics
    }
    rows: list[tuple[Value, ...]] = []
    for name, explanation in zip(analysis.names, analysis.explanations, strict=True):
        row: list[Value] = [name]
        for metric in analysis.metrics:
            ends = analysis.intervals.get((name, metric))
            interval = "" if ends is None else f"[{f1.shown(ends[0])}, {f1.shown(ends[1])}]"
            score = explanation.scores[metric]
            row.append(Marked(score.f1, interval, best=several and score.f1 == best[metric]))
        rows.append(tuple(row))
    units, unit = len(analysis.units), analysis.unit
    notes = [f"With a single {unit} there are no confidence intervals."]
    if units > 1:
        drawn = f"{analysis.plan.resamples:,} bootstrap samples of {units:,} {unit}s"
        notes = [
            (f"In brackets: {100 * analysis.plan.confidence:g}% confidence intervals from {drawn}.")
        ]
    if several:
        notes.insert(0, "Bold: the best F1 of each metric.")
    titles = map(title_of, analysis.metrics)
    columns = (Column("system"), *(Column(title, "percent") for title in titles))
    return Grid(columns, rows, "F1", (*more, *notes))


def halves_grid(analysis: Analysis) -> Grid:
    """One row per system; precision and recall of each metric that has them."""
    metrics = [
        metric
        for metric in analysis.metrics
        if any(one.scores[metric].precision is not None for one in analysis.explanations)
    ]
    columns = [Column("system")]
    for metric in metrics:
        columns += [Column(title, "percent", group=title_of(metric)) for title in ("P", "R")]
    rows: list[tuple[Value, ...]] = []
    for name, explanation in zip(analysis.names, analysis.explanations, strict=True):
        scores = [explanation.scores[metric] for metric in metrics]
        halves = [half for score in scores for half in (score.precision, score.recall)]
        rows.append((name, *halves))
    return Grid(tuple(columns), rows, "Precision and recall")


def corpus_grid(analysis: Analysis) -> Grid:
    """Counts of mentions, entities, singletons and errors, one row per side."""
    explained = analysis.explanations

    def row(name: str, side: object, *more: Value) -> tuple[Value, ...]:
        size: np.ndarray = side.size  # type: ignore[attr-defined]
        return (name, int(size.sum()), len(size), int(np.count_nonzero(size == 1)), *more)

    rows: list[tuple[Value, ...]] = [row("key", explained[0].table.key, None, None, None)]
    for name, one in zip(analysis.names, explained, strict=True):
        kept = one.entities.information_kept
        share = None if kept is None else Marked(100 * kept, decimals=2)
        rows.append(
            row(name, one.table.response, int(one.table.cells.count.sum()), len(one.errors), share)
        )
    titles = ("mentions", "entities", "singletons", "shared mentions", "errors")
    columns = (
        Column(""),
        *(Column(title, "integer") for title in titles),
        Column("information kept (%)", "integer"),
    )
    return Grid(columns, rows, "Corpus", (KEPT,))
