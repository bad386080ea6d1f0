"""The sections of the report: overview, breakdown, comparison, audit."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

import numpy as np

from corefine.comparing.comparison import Comparison
from corefine.comparing.figures import document_tau_figure, rank_figure, system_tau_figure
from corefine.comparing.parts import part_grid
from corefine.comparing.systems import NARROW
from corefine.report.figures import overview_figures
from corefine.report.page import Overview, Part, Section
from corefine.report.study import Study
from corefine.showing.charts import Figure
from corefine.showing.grid import Column, Grid, Marked, Value

Shown = TypeVar("Shown", Grid, Figure)

AUDITED = (
    "Each response is changed in ways whose worth is known, and scored again: a metric that moves "
    "the other way should not be trusted to tell such responses apart."
)


def own_sections(study: Study) -> list[Section]:
    """The sections between the overview and the tables."""
    compared = study.comparison
    return [
        breakdown_section(study),
        *([] if compared is None else [comparison_section(compared, study.lead)]),
        *([audit_section(study)] if study.audits else []),
    ]


def breakdown_section(study: Study) -> Section:
    """What the errors of each response cost, and what they are like."""
    parts: list[Part] = ["What the errors of each type cost, and what they have in common."]
    for name, explanation in zip(study.names, study.explanations, strict=True):
        parts += [_named(figure, name, study) for figure in explanation.figures().values()]
    for one in study.explanations[0].scores.breakdowns:
        parts.append(part_grid(study.parts, one.by, study.plan.confidence))
    return Section("breakdown", "Breakdown", parts)


def comparison_section(comparison: Comparison, lead: str) -> Section:
    """Which differences between the responses are more than chance."""
    summary, pairs, disagreements = comparison.tables("summary", "pairs", "disagreements")
    parts: list[Part] = [
        f"Differences between responses on the same documents, by {comparison.plan.test}.",
        *comparison.warnings,
        *(() if disagreements.rows else disagreements.notes),
        summary,
        pairs,
        *((disagreements,) if disagreements.rows else ()),
        document_tau_figure(comparison),
    ]
    if len(comparison.systems) > 2:
        parts += [system_tau_figure(comparison), rank_figure(comparison, lead)]
    return Section("comparison", "Comparison", parts)


def audit_section(study: Study) -> Section:
    """Where a metric does not do what a change to the response is worth."""
    note = study.audits[0].note
    parts: list[Part] = [AUDITED, *([] if note is None else [note])]
    for name, audit in zip(study.names, study.audits, strict=True):
        parts += [_named(figure, name, study) for figure in audit.figures().values()]
    for name, audit in zip(study.names, study.audits, strict=True):
        grids = audit.tables("violations", "wrong-mentions")
        parts += [_named(grid, name, study) for grid in grids if grid.rows]
    return Section("audit", "Audit", parts)


def _named(part: Shown, name: str, study: Study) -> Shown:
    """A table or chart with the name of the response that it is of, where there are several."""
    return replace(part, title=f"{part.title} ({name})") if len(study.names) > 1 else part


def overview(study: Study) -> Overview:
    """The first section: what was scored, the scores with their intervals, and the charts."""
    key, documents, units = study.key, len(study.key.documents), len(study.units)
    several = len(study.names) > 1
    what = f"{len(study.names)} responses" if several else f"The response {study.names[0]}"
    verb = "were" if several else "was"
    unit = study.unit
    notes = [f"With a single {unit} there are no intervals: {unit}s are resampled."]
    if units > 1:
        drawn = f"{study.plan.resamples:,} bootstrap samples of the {units:,} {unit}s"
        notes = [f"In brackets: {100 * study.plan.confidence:g}% intervals from {drawn}."]
    if 1 < units < NARROW:
        notes.append(f"With fewer than {NARROW} {unit}s the intervals are too narrow.")
    first = study.explanations[0]
    return Overview(
        f"{what} {verb} scored against a key of {documents:,} "
        f"document{'' if documents == 1 else 's'} with {len(key.mentions):,} mentions in "
        f"{len(first.table.key):,} entities.",
        study.warnings(),
        score_grid(study),
        notes,
        str(first.scores.signature),
        corpus_grid(study),
        overview_figures(study),
    )


def score_grid(study: Study) -> Grid:
    """Metrics in rows; precision, recall and F1 with its interval for every response."""
    several = len(study.names) > 1
    f1 = Column("F1", "percent")
    columns = [Column("metric")]
    for name in study.names:
        group = name if several else ""
        columns += [Column(title, "percent", group=group) for title in ("P", "R", "F1")]
    rows: list[tuple[Value, ...]] = []
    for metric in study.metrics:
        scores = [explanation.scores[metric] for explanation in study.explanations]
        best = max(score.f1 for score in scores)
        row: list[Value] = [metric]
        for name, score in zip(study.names, scores, strict=True):
            ends = study.intervals.get((name, metric))
            interval = "" if ends is None else f"[{f1.shown(ends[0])}, {f1.shown(ends[1])}]"
            own = Marked(score.f1, interval, best=several and score.f1 == best)
            row += [score.precision, score.recall, own]
        rows.append(tuple(row))
    return Grid(tuple(columns), rows)


def corpus_grid(study: Study) -> Grid:
    """How much of everything there is on each side."""
    explained = study.explanations
    sides = (explained[0].table.key, *(explanation.table.response for explanation in explained))
    kept = (explanation.entities.information_kept for explanation in explained)
    rows: list[tuple[Value, ...]] = [
        ("mentions", *(int(side.size.sum()) for side in sides)),
        ("entities", *(len(side) for side in sides)),
        ("singletons", *(int(np.count_nonzero(side.size == 1)) for side in sides)),
        ("mentions in common", None, *(explanation.matched.counts[2] for explanation in explained)),
        ("errors", None, *(len(explanation.errors) for explanation in explained)),
        ("information kept (%)", None, *(_percent(share) for share in kept)),
    ]
    names = ("key", *study.names)
    return Grid((Column(""), *(Column(name, "integer") for name in names)), rows)


def _percent(share: float | None) -> Value:
    return None if share is None else Marked(100 * share, decimals=2)
