"""Scores as a chart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from corefine.output.charts import Figure, Series, bar_chart, strip_chart

if TYPE_CHECKING:
    from corefine.scoring.scores import Scores


def scores_figures(scores: Scores) -> dict[str, Figure]:
    """Precision, recall and F1 by metric, and F1 of the documents if there are several."""
    names = list(scores)
    columns = zip(*(scores[name] for name in names), strict=True)
    series = [
        Series(title, list(values)) for title, values in zip(("P", "R", "F1"), columns, strict=True)
    ]
    found = {
        "scores": bar_chart(
            "Precision, recall and F1 by metric",
            names,
            series,
            unit="percent",
            limits=(0.0, 1.0),
            first="metric",
            description=str(scores.signature),
        )
    }
    if len(scores.documents) > 1:
        by_document = scores.documents.values()
        rows = [(name, 0, [one[name].f1 for one in by_document]) for name in names]
        found["documents"] = strip_chart(
            "F1 of documents by metric",
            rows,
            names=["F1"],
            limits=(0.0, 1.0),
            value_title="F1",
            description="A tick is a document, the box is the interquartile range, the point is "
            "the median.",
        )
    return found
