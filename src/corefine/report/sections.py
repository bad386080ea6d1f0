"""The sections of the report: overview, breakdown, comparison, audit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from corefine.auditing.tables import violations_grid, wrong_mentions_grid
from corefine.comparing.comparison import Comparison
from corefine.comparing.figures import (
    document_tau_figure,
    rank_figure,
    system_tau_figure,
)
from corefine.comparing.systems import NARROW
from corefine.comparing.tables import disagreements_grid, pairs_grid, summary_grid
from corefine.report.analysis import Study
from corefine.report.page import Overview, Part, Section
from corefine.report.pictures import audit_figure, breakdown_figures, overview_figures
from corefine.showing.markup import Element, element

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
        audit_section(study),
    ]


def breakdown_section(study: Study) -> Section:
    """What the errors of each response cost, and what they are like."""
    return Section(
        "breakdown",
        "Breakdown",
        [
            "What the errors of each type cost, and what they have in common.",
            *(
                figure
                for analysis in study.analyses
                for figure in breakdown_figures(analysis, study.lead, named=len(study.names) > 1)
            ),
        ],
    )


def comparison_section(comparison: Comparison, lead: str) -> Section:
    """Which differences between the responses are more than chance."""
    disagreements = disagreements_grid(comparison)
    parts: list[Part] = [
        f"Differences between responses on the same documents, by {comparison.plan.test}.",
        *comparison.warnings,
        *(() if disagreements.rows else disagreements.notes),
        summary_grid(comparison),
        pairs_grid(comparison),
        *((disagreements,) if disagreements.rows else ()),
        document_tau_figure(comparison),
    ]
    if len(comparison.systems) > 2:
        parts += [system_tau_figure(comparison), rank_figure(comparison, lead)]
    return Section("comparison", "Comparison", parts)


def audit_section(study: Study) -> Section:
    """Where a metric does not do what a change to the response is worth."""
    several = len(study.names) > 1
    note = study.audits[0].note
    parts: list[Part] = [AUDITED, *([] if note is None else [note])]
    for name, audit in zip(study.names, study.audits, strict=True):
        parts.append(audit_figure(audit, name, named=several))
    for name, audit in zip(study.names, study.audits, strict=True):
        of = f" ({name})" if several else ""
        grids = (violations_grid(audit), wrong_mentions_grid(audit))
        parts += [replace(grid, title=grid.title + of) for grid in grids if grid.rows]
    return Section("audit", "Audit", parts)


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
    scores = study.analyses[0].scores
    return Overview(
        f"{what} {verb} scored against a key of {documents:,} "
        f"document{'' if documents == 1 else 's'} with {len(key.mentions):,} mentions in "
        f"{len(study.analyses[0].table.key):,} entities.",
        study.warnings(),
        score_table(study),
        notes,
        str(scores.signature),
        corpus_table(study),
        overview_figures(study),
    )


def score_table(study: Study) -> Element:
    """Metrics in rows; precision, recall and F1 with its interval for every response."""
    several = len(study.names) > 1
    top = [element("th", "metric", scope="col", rowspan=2 if several else None)]
    second: list[Element] = []
    for name in study.names:
        if several:
            top.append(
                element("th", name, scope="colgroup", colspan=3, class_="number", dir="auto")
            )
        second += [element("th", text, scope="col", class_="number") for text in ("P", "R", "F1")]
    head = [element("tr", top), element("tr", second)] if several else [element("tr", top, second)]
    body = []
    for metric in study.metrics:
        values = [analysis.scores[metric] for analysis in study.analyses]
        best = max(score.f1 for score in values)
        cells = [element("th", metric, scope="row")]
        for name, score in zip(study.names, values, strict=True):
            ends = study.intervals.get((name, metric))
            small = (
                []
                if ends is None
                else [element("small", f"[{_percent(ends[0])}, {_percent(ends[1])}]")]
            )
            cells += [
                element("td", _percent(score.precision), class_="number"),
                element("td", _percent(score.recall), class_="number"),
                element(
                    "td",
                    _percent(score.f1),
                    small,
                    class_="number best" if several and score.f1 == best else "number",
                ),
            ]
        body.append(element("tr", cells))
    return element("table", element("thead", head), element("tbody", body), class_="scores")


def _percent(value: float | None) -> str:
    return "" if value is None else f"{100 * value:.2f}"


def corpus_table(study: Study) -> Element:
    """How much of everything there is on each side."""
    rows: list[tuple[str, list[str]]] = [("mentions", []), ("entities", []), ("singletons", [])]
    first = study.analyses[0].table
    for side in (first.key, *(analysis.table.response for analysis in study.analyses)):
        counts = (int(side.size.sum()), len(side), int(np.count_nonzero(side.size == 1)))
        for (_, cells), count in zip(rows, counts, strict=True):
            cells.append(f"{count:,}")
    rows.append(("mentions in common", ["", *(f"{a.matched.counts[2]:,}" for a in study.analyses)]))
    rows.append(("errors", ["", *(f"{len(a.errors):,}" for a in study.analyses)]))
    kept = [analysis.entities.information_kept for analysis in study.analyses]
    rows.append(("information kept", ["", *(_percent(share) for share in kept)]))
    head = [element("td", "")] + [
        element("th", name, scope="col", class_="number", dir="auto")
        for name in ("key", *study.names)
    ]
    body = [
        element(
            "tr",
            element("th", name, scope="row"),
            [element("td", cell, class_="number") for cell in cells],
        )
        for name, cells in rows
    ]
    return element("table", element("thead", element("tr", head)), element("tbody", body))
