"""The sections of the report: overview, breakdown, buckets, comparison, audit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from corefine.comparing.comparison import Comparison, p_text
from corefine.comparing.tables import tau_figure
from corefine.explaining.figures import error_maps
from corefine.formats.tagged.copies import Losses
from corefine.metrics.registry import title_of
from corefine.output.charts import Figure, Series, dot_chart
from corefine.output.grid import Column, Grid, Marked, Value
from corefine.output.markup import element
from corefine.report.analysis import Analysis
from corefine.report.buckets import REPLICATES
from corefine.report.page import ByMetric, Folded, Multiples, Part, Section, section

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


def own_sections(analysis: Analysis, shown: Sequence[int]) -> list[Section]:
    """The sections between the overview and the tables."""
    compared = analysis.comparison
    return [
        breakdown_section(analysis),
        *([bucket_section(analysis, shown)] if analysis.buckets else []),
        *([] if compared is None else [comparison_section(compared)]),
        *_split_sections(analysis),
        *([audit_section(analysis)] if analysis.audits else []),
        *losses_sections(analysis),
    ]


def overview_section(analysis: Analysis, notes: Sequence[str] = ()) -> Section:
    """The scores behind the answers, and the size of the corpus."""
    parts: list[Part] = [score_grid(analysis, notes), halves_grid(analysis), corpus_grid(analysis)]
    return Section("overview", "Overview", parts)


def overview_lead(analysis: Analysis) -> str:
    """The responses and the key in one sentence."""
    names, key, documents = analysis.names, analysis.key, len(analysis.key.documents)
    what = f"{len(names)} responses" if len(names) > 1 else f"The response {names[0]}"
    return (
        f"{what} scored against a key of {documents:,} document{'' if documents == 1 else 's'} "
        f"with {len(key.mentions):,} mentions in "
        f"{len(analysis.explanations[0].table.key):,} entities."
    )


def breakdown_section(analysis: Analysis) -> Section:
    """The characteristics of the errors of each response."""
    parts: list[Part] = ["What the errors have in common."]
    explained, several = analysis.explanations, len(analysis.names) > 1
    width = MULTIPLE if several else 640
    rows = {}
    for name, one in zip(analysis.names, explained, strict=True):
        response = {"response": name} if several else {}

        def address(chosen: dict[str, str], response: dict[str, str] = response) -> str:
            return section("errors", response | chosen)

        rows[name] = error_maps(one, beside=explained, width=width, link=address)
    for kind, first in rows[analysis.names[0]].items():
        charts = {name: figures[kind] for name, figures in rows.items()}
        parts.append(Multiples(first.title, first.description, charts) if several else first)
    return Section("breakdown", "Breakdown", parts)


def bucket_section(analysis: Analysis, shown: Sequence[int]) -> Section:
    """F1 by what entities, mentions and documents are like, each with its errors."""
    said = "Where each response is good and where it is not."
    if any(one.division.name != "type" for one in analysis.buckets):
        said += " The counts of the groups add up to the whole"
        typed = any(one.division.name == "type" for one in analysis.buckets)
        said += "; semantic types are scored on their own." if typed else "."
    if any(one.interval is not None for bucket in analysis.buckets for one in bucket.standings):
        drawn = f"{min(analysis.plan.resamples, REPLICATES):,} bootstrap samples"
        said += f" Bars: {100 * analysis.plan.confidence:g}% intervals from {drawn} of the "
        said += f"{analysis.unit}s that a group occurs in."
    documents = [
        np.isin([error.document_number for error in one.errors], shown)
        for one in analysis.explanations
    ]
    cards: list[Part] = [
        element("div", bucket.figure(analysis.names).to_html(),
                bucket.errors_table(analysis.names, documents))
        for bucket in analysis.buckets
    ]  # fmt: skip
    return Section("buckets", "Buckets", [said, *cards])


def comparison_section(comparison: Comparison) -> Section:
    """Significance of the differences between the responses."""
    grids = [
        readable(grid, comparison.metrics)
        for grid in comparison.tables("summary", "pairs", "disagreements")
    ]
    forests = {metric: _forest(comparison, metric) for metric in comparison.metrics}
    parts: list[Part] = [
        f"Differences between responses on the same documents, tested by {comparison.plan.test}.",
        *comparison.warnings,
        ByMetric(forests, comparison.headline),
        Folded("All metrics and pairs", [grid for grid in grids if grid.rows]),
        tau_figure(comparison, "documents"),
    ]
    if len(comparison.systems) > 2:
        parts.append(tau_figure(comparison, "systems"))
    return Section("comparison", "Comparison", parts)


def _forest(comparison: Comparison, metric: str) -> Figure:
    """The difference of every pair under a metric with its interval, the largest first."""
    found = [one if one.difference >= 0 else one.turned()
             for one in comparison.differences if one.metric == metric]  # fmt: skip
    found.sort(key=lambda one: -one.difference)
    tested = ["not tested" if one.adjusted_p is None else p_text(one.adjusted_p) for one in found]
    series = Series.of("difference", [one.difference for one in found],
                       [one.interval for one in found])  # fmt: skip
    confidence = f"{100 * comparison.plan.confidence:g}%"
    return dot_chart(
        f"Differences of {title_of(metric)} F1",
        [f"{one.first} − {one.second}" for one in found],
        [series],
        unit="difference",
        notes=[f"({words})" for words in tested],
        reference=0.0,
        value_title=f"points of {title_of(metric)} F1",
        first="pair",
        description=f"With {confidence} intervals, and p corrected for all comparisons.",
        width=760,
    )


def _split_sections(analysis: Analysis) -> list[Section]:
    """Errors in split antecedents, if any side has these."""
    parts: list[Part] = []
    for name, explanation in zip(analysis.names, analysis.explanations, strict=True):
        if explanation.split_antecedents:
            grids = explanation.tables("split-antecedents", top=MOST_SETS)
            parts += [replace(grid, title=f"{grid.title} ({name})") for grid in grids if grid.rows]
    return [Section("split-antecedents", "Split antecedents", [SPLIT, *parts])] if parts else []


def audit_section(analysis: Analysis) -> Section:
    """Changes whose effect is known, and metrics that do not reward or penalise as expected."""
    named = list(zip(analysis.names, analysis.audits, strict=True))
    metrics = list(analysis.audits[0].scores.by_name)
    rows: list[tuple[Value, ...]] = []
    for name, audit in named:
        wrong = [sum(one.metric == metric for one in audit.violations) for metric in metrics]
        rows.append((name, *(Marked(n, tone="bad" if n else "good") for n in wrong)))
    columns = (Column("system"), *(Column(title_of(metric), "integer") for metric in metrics))
    tables: list[Part] = [
        Folded(
            f"Expected and observed behaviour: {name}",
            [readable(grid, metrics) for grid in audit.tables("changes", "outcomes")],
        )
        for name, audit in named
    ]
    matrix = Grid(columns, rows, "Changes to which metrics react the wrong way")
    return Section("audit", "Audit", [AUDITED, matrix, *tables])


def losses_sections(analysis: Analysis) -> list[Section]:
    """Losses in text rewritten by language models; empty for other responses."""
    named = zip(analysis.names, analysis.explanations, strict=True)
    copies = {name: one.scores.copies for name, one in named if one.scores.copies is not None}
    if not copies:
        return []
    losses, alignment, tags = Losses(copies).tables(top={"alignment": LISTED, "tags": LISTED})
    parts: list[Part] = [COPIED, losses, replace(alignment, title="By document")]
    return [Section("alignment", "Alignment", [*parts, *([tags] if tags.rows else [])])]


def readable(grid: Grid, metrics: Sequence[str]) -> Grid:
    """A table with metric names as in papers."""
    titles = {metric: title_of(metric) for metric in metrics}
    columns = tuple(replace(one, title=titles.get(one.title, one.title)) for one in grid.columns)
    rows = [
        tuple(titles.get(value, value) if isinstance(value, str) else value for value in row)
        for row in grid.rows
    ]
    return replace(grid, columns=columns, rows=rows)


def score_grid(analysis: Analysis, more: Sequence[str] = ()) -> Grid:
    """Systems in rows; F1 with its interval by metric; ``more`` is said below it, too."""
    several = len(analysis.names) > 1
    of = "micro F1" if analysis.averages else "F1"
    f1 = Column("F1", "percent")
    rows: list[tuple[Value, ...]] = []
    for name, explanation in zip(analysis.names, analysis.explanations, strict=True):
        row: list[Value] = [name]
        for metric in analysis.metrics:
            ends = analysis.intervals.get((name, metric))
            interval = "" if ends is None else f"[{f1.shown(ends[0])}, {f1.shown(ends[1])}]"
            score = explanation.scores[metric].f1
            best = max(one.scores[metric].f1 for one in analysis.explanations)
            row.append(Marked(score, interval, best=several and score == best))
        rows.append(tuple(row))
    units, unit = len(analysis.units), analysis.unit
    notes = [f"With a single {unit} there are no confidence intervals."]
    if units > 1:
        drawn = f"{analysis.plan.resamples:,} bootstrap samples of {units:,} {unit}s"
        confidence = f"{100 * analysis.plan.confidence:g}%"
        notes = [f"In brackets: {confidence} confidence intervals from {drawn}."]
    if several:
        notes.insert(0, "Bold: the best F1 of each metric.")
    columns = (
        Column("system"),
        *(Column(title_of(metric), "percent", metric) for metric in analysis.metrics),
    )
    return Grid(columns, rows, of, (*more, *notes))


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

    def counts(sizes: np.ndarray) -> tuple[int, int, int]:
        return int(sizes.sum()), len(sizes), int(np.count_nonzero(sizes == 1))

    rows: list[tuple[Value, ...]] = [("key", *counts(explained[0].table.key.size), *[None] * 3)]
    for name, one in zip(analysis.names, explained, strict=True):
        kept = one.entities.information_kept
        share = None if kept is None else Marked(100 * kept, decimals=2)
        shared = int(one.table.cells.count.sum())
        rows.append((name, *counts(one.table.response.size), shared, len(one.errors), share))
    titles = ("mentions", "entities", "singletons", "shared mentions", "errors")
    columns = (
        Column(""),
        *(Column(title, "integer") for title in titles),
        Column("information kept (%)", "integer"),
    )
    return Grid(columns, rows, "Corpus", (KEPT,))
