"""Statistics of a corpus: for every metric, named numbers by document, which add up.

Sums are exact before they are rounded once (``math.fsum``), so a result does not depend on how the
corpus was cut, in which order its parts came, or on which machine they were counted.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from corefine.corpus.arrays import FloatArray, IntArray
from corefine.metrics.base import Metric
from corefine.metrics.base import Statistics as MetricStatistics
from corefine.metrics.table import MentionTable


@dataclass(frozen=True, eq=False, repr=False)
class CorpusStatistics:
    """Documents by number, and for each metric (by canonical name) its statistics by document."""

    documents: tuple[str, ...]
    values: dict[str, MetricStatistics]

    @classmethod
    def of(cls, table: MentionTable, metrics: Iterable[Metric]) -> CorpusStatistics:
        """Count what these metrics need; what several of them share is counted once."""
        needed = {str(part): part for metric in metrics for part in metric.needs()}
        return cls(
            table.documents,
            {name: metric.count(table) for name, metric in needed.items()},
        )

    @classmethod
    def concatenate(cls, parts: Sequence[CorpusStatistics]) -> CorpusStatistics:
        """The statistics of all documents of the parts."""
        if len(parts) == 1:
            return parts[0]
        documents = tuple(chain.from_iterable(part.documents for part in parts))
        first = parts[0].values if parts else {}
        return cls(
            documents,
            {
                metric: {
                    name: np.concatenate([part.values[metric][name] for part in parts])
                    for name in names
                }
                for metric, names in first.items()
            },
        )

    def select(self, documents: IntArray) -> CorpusStatistics:
        """The statistics of these documents, given by number."""
        return CorpusStatistics(
            tuple(self.documents[number] for number in documents.tolist()),
            {
                metric: {name: column[documents] for name, column in names.items()}
                for metric, names in self.values.items()
            },
        )

    def totals(self) -> dict[str, MetricStatistics]:
        """The sums over all documents."""
        return {
            metric: {name: _exact_sum(column) for name, column in names.items()}
            for metric, names in self.values.items()
        }


def _exact_sum(column: FloatArray) -> FloatArray:
    return np.float64(column[0] if len(column) == 1 else math.fsum(column.tolist()))  # type: ignore[return-value]
