"""Scores as the table of a paper: which metrics it has, in which order, under which symbols."""

from __future__ import annotations

from collections.abc import Iterable

from corefine.metrics.base import Metric
from corefine.metrics.registry import GROUPS
from corefine.output.paper import Measured, PaperTable
from corefine.scoring.scores import Score, Scores

CLASSIC = ("muc", "b3", "ceafe", "conll")
"""The metrics of nearly every table since CoNLL-2011; all others stand behind them."""
SYMBOLS = {"ceafe": "CEAFφ₄", "ceafm": "CEAFφ₃"}
"""What papers call a metric, where that is not its title."""


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


def measured(score: Score, mark: str = "") -> Measured:
    """A score in a cell of the table."""
    return Measured(score.f1, score.precision, score.recall, mark)


def scores_paper(scores: Scores, name: str = "System") -> PaperTable:
    """One row: the scores of one system."""
    metrics = paper_metrics(scores.metrics.values())
    row = tuple(measured(scores.by_name[metric]) for metric in metrics)
    documents = len(scores.statistics.documents)
    caption = f"Precision (P), recall (R) and F₁ (%) on {documents_text(documents)}."
    caption += conll_text(metrics)
    return PaperTable(tuple(metrics.values()), {name: row}, caption, str(scores.signature))


def conll_text(metrics: Iterable[str]) -> str:
    """What the CoNLL score is, for a caption whose table has it."""
    return " CoNLL: mean F₁ of MUC, B³ and CEAFφ₄." if "conll" in metrics else ""


def documents_text(count: int) -> str:
    """How many documents."""
    return f"{count:,} document{'' if count == 1 else 's'} (N = {count:,})"
