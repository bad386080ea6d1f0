"""Scores as the table of a paper: its metrics, their order and their symbols."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from corefine.metrics.base import Metric
from corefine.metrics.registry import GROUPS
from corefine.output.grid import Column, Grid, Marked, Value
from corefine.scoring.scores import Score, Scores

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
) -> Grid:
    """One row per system; P, R and F₁ of each metric, or F₁ alone if it has no P and R.

    Each score has a superscript mark of significance after F₁. The best number of a column is bold
    if there are several systems.
    """
    columns = [Column("System")]
    cells: list[list[Value]] = []
    for number, title in enumerate(metrics):
        scores = [row[number] for row in systems.values()]
        if any(score.precision is not None for score, _ in scores):
            columns += [Column(part, "percent", group=title) for part in ("P", "R", "F₁")]
            cells.append(_best([score.precision for score, _ in scores]))
            cells.append(_best([score.recall for score, _ in scores]))
        else:
            columns.append(Column("F₁", "percent", group=title))
        cells.append(_best([score.f1 for score, _ in scores], [mark for _, mark in scores]))
    rows = [(name, *(column[row] for column in cells)) for row, name in enumerate(systems)]
    return Grid(tuple(columns), rows, notes=(signature,), caption=caption)


def _best(values: Sequence[float | None], marks: Sequence[str] = ()) -> list[Value]:
    """Numbers with their marks, the best as shown bold if there are several."""
    shown = [None if value is None else round(100 * value, 2) for value in values]
    best = max((value for value in shown if value is not None), default=None)
    return [
        Marked(value, mark, best=len(values) > 1 and value is not None and rounded == best)
        for value, rounded, mark in zip(values, shown, marks or [""] * len(values), strict=True)
    ]


def scores_paper(scores: Scores, name: str = "System") -> Grid:
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
