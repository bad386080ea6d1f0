"""The views of the report: overview, comparison, errors, and the panels in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from corefine.comparing.comparison import Comparison, p_text
from corefine.corpus.copies import Losses
from corefine.explaining.audit import Audit
from corefine.explaining.error_analysis import GROUPS
from corefine.metrics.registry import title_of
from corefine.output.grid import Column, Grid, Marked, Value
from corefine.output.html import Element
from corefine.report.analysis import Analysis
from corefine.report.buckets import REPLICATES
from corefine.report.charts import Estimate, estimates, matrix
from corefine.report.page import Part, Section, block, by_metric, card, folded, section

AUDITED = (
    "The best response is perturbed with edits known to help or hurt, and rescored: a metric that "
    "moves the wrong way cannot rank such responses reliably."
)
COUNTED = (
    "Numbers of errors, which are the same for every metric. Distance: sentences to the nearest "
    "other mention of the entity; string match: words in common with the rest of the entity."
)
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
CHARACTERISTICS = {"kind": "mention kind", "distance": "distance", "match": "string match"}
"""Properties by which errors are counted, and the titles of their filters."""


def overview_lead(analysis: Analysis) -> str:
    """The responses and the key in one sentence."""
    names, key, documents = analysis.names, analysis.key, len(analysis.key.documents)
    what = f"{len(names)} responses" if len(names) > 1 else f"The response {names[0]}"
    return (
        f"{what} scored against a key of {documents:,} document{'' if documents == 1 else 's'} "
        f"with {len(key.mentions):,} mentions in "
        f"{len(analysis.explanations[0].table.key):,} entities."
    )


def overview_parts(
    analysis: Analysis, said: Sequence[str] = (), notes: Sequence[str] = ()
) -> list[Part]:
    """Scores, the size of the corpus, and notes on both."""
    grids: list[Part] = [score_grid(analysis, said), halves_grid(analysis), corpus_grid(analysis)]
    return [*grids, folded(f"Notes ({len(notes)})", notes)] if notes else grids


def errors_section(analysis: Analysis, shown: Sequence[int]) -> Section:
    """Errors by their properties and places, and the list of all errors."""
    parts: list[Part] = [breakdown_block(analysis)]
    if analysis.buckets:
        parts.append(bucket_block(analysis, shown))
    parts += [*split_blocks(analysis), *losses_blocks(analysis)]
    return Section("errors", "Errors", parts, "errors")


def breakdown_block(analysis: Analysis) -> Element:
    """Errors by type and characteristic, one matrix per characteristic and response."""
    several = len(analysis.names) > 1
    parts: list[Part] = [COUNTED]
    for field, title in CHARACTERISTICS.items():
        counts = [one.errors.by(field) for one in analysis.explanations]
        types = [name for name in counts[0] if any(sum(of[name].values()) for of in counts)]
        columns = [
            group for group in GROUPS[field] if any(of[name][group] for of in counts for name in of)
        ]
        known = [of[name][group] for of in counts for name in types
                 for group in columns if group not in ("-", "unknown")]  # fmt: skip
        if not any(known):
            continue
        charts = []
        for response, of in zip(analysis.names, counts, strict=True):
            chosen = {"response": response} if several else {}
            charts.append(
                matrix(
                    f"Errors of {response} by {title}" if several else f"Errors by {title}",
                    types,
                    columns,
                    [[float(of[name][group]) for group in columns] for name in types],
                    # Most errors often have no value, and would take the shades of all others.
                    limits=(0.0, float(max(known))),
                    links=[
                        [section("errors", {**chosen, "type": name, title: group})
                         for group in columns]
                        for name in types
                    ],
                )
            )  # fmt: skip
        parts.append(card(charts, "multiples small"))
    return block("breakdown", "What errors have in common", parts)


def bucket_block(analysis: Analysis, shown: Sequence[int]) -> Element:
    """F1 by what entities, mentions and documents are like, each with its errors."""
    said = "Where each response is good and where it is not."
    typed = any(one.division.name == "type" for one in analysis.buckets)
    if any(one.division.name != "type" for one in analysis.buckets):
        said += " The counts of the groups add up to the whole"
        said += "; semantic types are scored on their own." if typed else "."
    if any(one.interval is not None for bucket in analysis.buckets for one in bucket.standings):
        drawn = f"{min(analysis.plan.resamples, REPLICATES):,} bootstrap samples"
        said += f" Bars: {100 * analysis.plan.confidence:g}% intervals from {drawn} of the "
        said += f"{analysis.unit}s that a group occurs in."
    documents = [np.isin(one.errors.document, shown) for one in analysis.explanations]
    cards: list[Part] = [
        bucket.charts(analysis.names, analysis.metrics, analysis.lead, documents)
        for bucket in analysis.buckets
    ]
    return block(
        "buckets", "F1 by size, distance, kind and genre", [said, card(cards, "multiples")]
    )


def compare_section(analysis: Analysis) -> Section:
    """Systems by systems, every difference with its interval, and what one gets right alone."""
    comparison = analysis.comparison
    parts: list[Part] = ["One document: differences cannot be tested."]
    if comparison is not None:
        grids = [
            readable(grid, comparison.metrics)
            for grid in comparison.tables("summary", "pairs", "disagreements", "tau")
        ]
        said = (
            f"Differences between responses on the same documents, tested by "
            f"{comparison.plan.test}; shaded ones are significant (p ≤ {comparison.plan.alpha:g})."
        )
        metrics, names, lead = comparison.metrics, comparison.ranked, comparison.headline
        parts = [
            said,
            by_metric({one: _differences(comparison, one, names) for one in metrics}, lead),
            by_metric({one: _forest(comparison, one) for one in metrics}, lead),
            folded(
                "All metrics and pairs, and agreement of metrics",
                [grid for grid in grids if grid.rows],
            ),
        ]
    return Section("compare", "Compare", [*parts, both_kinds_grid(analysis)], "contrast")


def both_kinds_grid(analysis: Analysis) -> Grid:
    """Missing and wrong mentions and links, one row per system."""
    columns = [
        Column(kind, "integer", group=level)
        for level in analysis.outcomes[0].errors
        for kind in ("missing", "wrong")
    ]
    rows: list[tuple[Value, ...]] = [
        (name, *(count for both in one.errors.values() for count in both))
        for name, one in zip(analysis.names, analysis.outcomes, strict=True)
    ]
    note = "Links: all pairs of mentions of an entity; a wrong one is in the response alone."
    return Grid((Column("system"), *columns), rows, "Errors of both kinds", (note,))


def _differences(comparison: Comparison, metric: str, names: Sequence[str]) -> Element:
    """Row minus column for all pairs of systems, with p; significant ones are shaded."""
    found = [
        [None if first == second else comparison.difference(first, second, metric)
         for second in names]
        for first in names
    ]  # fmt: skip
    notes = [
        ["" if one is None or one.adjusted_p is None else p_text(one.adjusted_p) for one in row]
        for row in found
    ]

    def pale(down: int, across: int) -> bool:
        one = found[down][across]
        return one is None or not one.significant

    return matrix(
        f"{title_of(metric)} F1 of the system in the row minus that in the column",
        names,
        names,
        [[None if one is None else one.difference for one in row] for row in found],
        unit="difference",
        first="system",
        notes=notes,
        pale=pale,
    )


def _forest(comparison: Comparison, metric: str) -> Element:
    """The difference of every pair under a metric with its interval, the largest first."""
    found = [one if one.difference >= 0 else one.turned()
             for one in comparison.differences if one.metric == metric]  # fmt: skip
    found.sort(key=lambda one: -one.difference)
    tested = ["not tested" if one.adjusted_p is None else p_text(one.adjusted_p) for one in found]
    corrected = f", p corrected after {comparison.plan.correction.title()}"
    return estimates(
        f"Differences of {title_of(metric)} F1{corrected if comparison.comparisons > 1 else ''}",
        [
            Estimate(f"{one.first} − {one.second}", one.difference, one.interval, note=p)
            for one, p in zip(found, tested, strict=True)
        ],
        heads=("pair", "difference [interval]", "p"),
        unit="difference",
        reference=0.0,
    )


def split_blocks(analysis: Analysis) -> list[Element]:
    """Errors in split antecedents, if any side has these."""
    parts: list[Part] = []
    for name, explanation in zip(analysis.names, analysis.explanations, strict=True):
        if explanation.split_antecedents:
            grids = explanation.tables("split-antecedents", top=MOST_SETS)
            parts += [replace(grid, title=f"{grid.title} ({name})") for grid in grids if grid.rows]
    return [block("split-antecedents", "Split antecedents", [SPLIT, *parts])] if parts else []


def audit_panel(audit: Audit, name: str) -> Element:
    """Changes whose effect is known, and metrics that do not reward or penalise as expected."""
    metrics = list(audit.scores.by_name)
    wrong = [sum(one.metric == metric for one in audit.violations) for metric in metrics]
    columns = tuple(Column(title_of(metric), "integer") for metric in metrics)
    counts = tuple(Marked(n, tone="bad" if n else "good") for n in wrong)
    matrix_of = Grid(columns, [counts], f"Changes of {name} to which metrics react the wrong way")
    grids = [readable(grid, metrics) for grid in audit.tables("changes", "outcomes")]
    details = folded("Expected and observed behaviour", grids)
    return folded("Audit of the metrics on this data", [AUDITED, matrix_of, details], "audit")


def losses_blocks(analysis: Analysis) -> list[Element]:
    """Losses in text rewritten by language models; empty for other responses."""
    named = zip(analysis.names, analysis.explanations, strict=True)
    copies = {name: one.scores.copies for name, one in named if one.scores.copies is not None}
    if not copies:
        return []
    losses, alignment, tags = Losses(copies).tables(top={"alignment": LISTED, "tags": LISTED})
    grids = [losses, replace(alignment, title="By document"), *([tags] if tags.rows else [])]
    return [block("alignment", "Alignment", [COPIED, *grids])]


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
