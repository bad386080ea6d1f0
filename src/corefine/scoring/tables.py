"""Scores as grids, as the table of a paper, and as charts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import TYPE_CHECKING

from corefine.metrics.base import Metric
from corefine.metrics.registry import GROUPS, leading
from corefine.output.grid import Column, Grid, Marked, Value
from corefine.scoring.scores import Score, Scores

if TYPE_CHECKING:
    from corefine.output.charts import Figure


NOT_APPLICABLE = "–"
_NUMBERS = (
    Column("P", "percent", "precision"),
    Column("R", "percent", "recall"),
    Column("F1", "percent", "f1"),
)


def scores_grid(scores: Scores, *, intervals: bool = False) -> Grid:
    """Precision, recall and F1 per metric; with ``intervals`` 95% intervals of F1."""
    bounds = scores.intervals() if intervals else {}
    rows: list[tuple[Value, ...]] = [
        (name, score.precision, score.recall, score.f1, *bounds.get(name, ()))
        if score.f1 or scores.applies(name)
        else (name, *[Marked(None, NOT_APPLICABLE)] * 3, *[None] * len(bounds.get(name, ())))
        for name, score in scores.by_name.items()
    ]
    columns = [Column("metric"), *_NUMBERS]
    notes = [str(scores.signature)]
    if scores.placement_range is not None:
        name, low, high = scores.placement_range
        repeated = scores.copies.total.moved if scores.copies else 0
        notes.insert(
            0,
            f"{name} {100 * scores.by_name[name].f1:.2f}; between {100 * low:.2f} and "
            f"{100 * high:.2f} depending on where {repeated:,} repeated strings stand",
        )
    if bounds:
        columns += [Column("low", "percent"), Column("high", "percent")]
        documents = len(scores.counts.documents)
        notes.insert(0, f"low, high: 95% interval of F1 (bootstrap over {documents:,} documents)")
    elif intervals:
        notes.insert(0, "no intervals: there are fewer than two documents")
    return Grid(tuple(columns), rows, notes=tuple(notes))


def metric_columns(names: Sequence[str]) -> list[Column]:
    """A column of F1 per metric; in a narrow terminal, the last ones are left out first."""
    return [Column(name, "percent", name, priority=n) for n, name in enumerate(names)]


def documents_grid(scores: Scores) -> Grid:
    """One row per document with the F1 of each metric, and a last row for all."""
    names = leading(scores.by_name)
    columns = (Column("document"), *metric_columns(names))
    rows: list[tuple[Value, ...]] = [
        (document, *(by_metric[name].f1 for name in names))
        for document, by_metric in scores.documents.items()
    ]
    rows.append(("(all)", *(scores.by_name[name].f1 for name in names)))
    unit = scores.settings.scope
    return Grid(columns, rows, f"F1 by {unit}", notes=(str(scores.signature),))


def groups_grid(scores: Scores) -> Grid:
    """One row per metric: the mean over groups of documents of precision, recall and F1."""
    average, unit = scores.group_average, f"{scores.settings.scope}s"
    rows = [(name, *score) for name, score in average.items()]
    signature = replace(scores.signature, average=unit)
    title = f"Mean over {len(scores.counts.documents):,} {unit}"
    return Grid((Column("metric"), *_NUMBERS), rows, title, notes=(str(signature),))


def breakdown_grid(scores: Scores, by: str, *, intervals: bool = False) -> Grid:
    """One row per group and metric, with 95% intervals of F1 if requested."""
    ends = scores.part_intervals().get(by, {}) if intervals else {}
    no_ends = (None, None) if intervals else ()
    rows: list[tuple[Value, ...]] = [
        (group, name, *score, *ends.get(group, {}).get(name, no_ends))
        for group, by_metric in scores.breakdown[by].items()
        for name, score in by_metric.items()
    ]
    columns, title = [Column(by), Column("metric"), *_NUMBERS], f"By {by}"
    if intervals:
        columns += [Column("low", "percent"), Column("high", "percent")]
        title += ", with 95% intervals of F1 (bootstrap over documents)"
    notes = (mean_over_types(scores),) if by == "type" else ()
    return Grid(tuple(columns), rows, title, notes=(*notes, str(scores.signature)))


def mean_over_types(scores: Scores) -> str:
    """The unweighted mean F1 over semantic types, as MCORES' "across all"."""
    groups = list(scores.breakdown["type"].values())
    means = (
        f"{name} {100 * fmean(one[name].f1 for one in groups if name in one):.2f}"
        for name in scores.by_name
        if any(name in one for one in groups)
    )
    return f"Mean F1 over {len(groups)} types: {', '.join(means)}."


def breakdown_table(by: str) -> Callable[..., Grid]:
    """Return the function that builds the table of a breakdown."""

    def table(scores: Scores, *, intervals: bool = False) -> Grid:
        return breakdown_grid(scores, by, intervals=intervals)

    return table


def long_grid(scores: Scores, *, documents: bool = True) -> Grid:
    """One row per document, part and metric, for programs; totals have an empty document and part.

    The columns of parts are included only if scores by part were requested.
    """
    parts = bool(scores.breakdown)
    rows: list[tuple[Value, ...]] = []

    def add(found: Mapping[str, Score], document: str = "", by: str = "", part: str = "") -> None:
        where = (document, by, part) if parts else (document,)
        rows.extend((*where, name, *score) for name, score in found.items())

    add(scores.by_name)
    for by, groups in scores.breakdown.items():
        for part, by_metric in groups.items():
            add(by_metric, by=by, part=part)
    for document, by_metric in scores.documents.items() if documents else ():
        add(by_metric, document)
    names = ("document", "by", "part", "metric") if parts else ("document", "metric")
    return Grid((*map(Column, names), *_NUMBERS), rows)


CLASSIC = ("muc", "b3", "ceafe", "conll")
"""The metrics of nearly every table since CoNLL-2011; all others follow them."""
SYMBOLS = {"ceafe": "CEAFφ₄", "ceafm": "CEAFφ₃"}
"""Names of metrics in papers that differ from their titles."""


def paper_metrics(asked: Iterable[Metric]) -> dict[str, str]:
    """The metrics of the table by canonical name, with their titles.

    The default metrics are cut to the classic ones; metrics that were chosen are all kept.
    """
    metrics = {str(metric): metric for metric in asked}
    if set(metrics) == set(GROUPS["default"]):
        metrics = {name: metrics[name] for name in CLASSIC}
    order = sorted(metrics, key=lambda name: CLASSIC.index(name) if name in CLASSIC else 9)
    return {name: _title(name, metrics[name]) for name in order}


def _title(name: str, metric: Metric) -> str:
    return SYMBOLS.get(name, metric.title if name == metric.name else name)


def paper_grid(
    metrics: Sequence[str],
    systems: Mapping[str, Sequence[tuple[Score, str]]],
    caption: str,
    signature: str,
    spreads: Mapping[str, Sequence[float | None]] | None = None,
) -> Grid:
    """One row per system; P, R and F₁ of each metric, or F₁ alone if it has no P and R.

    Each score has a superscript mark of significance after F₁. The best number of a column is bold
    if there are several systems. ``spreads`` are the standard deviations of F₁ over runs.
    """
    columns = [Column("System")]
    cells: list[list[Value]] = []
    for number, title in enumerate(metrics):
        scores = [row[number] for row in systems.values()]
        if any(score.precision is not None for score, _ in scores):
            columns += [Column(part, "percent", group=title) for part in ("P", "R", "F₁")]
            cells.append([*_best([score.precision for score, _ in scores])])
            cells.append([*_best([score.recall for score, _ in scores])])
        else:
            columns.append(Column("F₁", "percent", group=title))
        f1 = _best([score.f1 for score, _ in scores], [mark for _, mark in scores])
        if spreads is not None:
            f1 = [
                replace(f1[row], spread=spread[number])
                for row, spread in enumerate(spreads.values())
            ]
        cells.append([*f1])
    rows = [(name, *(column[row] for column in cells)) for row, name in enumerate(systems)]
    return Grid(tuple(columns), rows, notes=(signature,), caption=caption)


def _best(values: Sequence[float | None], marks: Sequence[str] = ()) -> list[Marked]:
    """Numbers with their marks, the best as shown bold if there are several."""
    shown = [None if value is None else round(100 * value, 2) for value in values]
    best = max((value for value in shown if value is not None), default=None)
    return [
        Marked(value, mark, best=len(values) > 1 and value is not None and rounded == best)
        for value, rounded, mark in zip(values, shown, marks or [""] * len(values), strict=True)
    ]


def scores_paper(scores: Scores, *, name: str = "System") -> Grid:
    """One row: the scores of one system."""
    metrics = paper_metrics(scores.metrics.values())
    row = [(scores.by_name[metric], "") for metric in metrics]
    documents = len(scores.counts.documents)
    caption = f"Precision (P), recall (R) and F₁ (%) on {documents_text(documents)}."
    caption += conll_text(metrics)
    return paper_grid(list(metrics.values()), {name: row}, caption, str(scores.signature))


def conll_text(metrics: Iterable[str]) -> str:
    """Definition of the CoNLL score for the caption, if the table has it."""
    return " CoNLL: mean F₁ of MUC, B³ and CEAFφ₄." if "conll" in metrics else ""


def documents_text(count: int) -> str:
    """The number of documents as text."""
    return f"{count:,} document{'' if count == 1 else 's'} (N = {count:,})"


def scores_figures(scores: Scores) -> dict[str, Figure]:
    """F1 by metric with confidence intervals."""
    from corefine.output.charts import Series, dot_chart

    names, intervals = list(scores), scores.intervals()
    series = Series(
        "F1", [scores[name].f1 for name in names], [intervals.get(name) for name in names]
    )
    chart = dot_chart(
        "F1 by metric",
        names,
        [series],
        limits=(0.0, 1.0),
        first="metric",
        description=str(scores.signature),
    )
    return {"intervals": chart}
