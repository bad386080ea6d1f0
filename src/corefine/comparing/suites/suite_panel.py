"""The panel of a suite: statistics that stand apart for each data set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from corefine.comparing.suites.averages import OverDataSets
from corefine.corpus.arrays import FloatArray
from corefine.metrics.base import Metric, Statistics
from corefine.scoring.counts import Counts
from corefine.scoring.resampling.panel import Panel

if TYPE_CHECKING:
    from corefine.comparing.suites.suite_scores import SuiteScores


def statistics_apart(names: Sequence[str], statistics: Sequence[Counts]) -> dict[str, Statistics]:
    """The statistics of data sets side by side: those of one are 0 on the documents of others."""
    documents = sum(len(one.documents) for one in statistics)
    values: dict[str, Statistics] = {}
    end = 0
    for name, one in zip(names, statistics, strict=True):
        own = slice(end, end := end + len(one.documents))
        for metric, columns in one.values.items():
            apart = values.setdefault(f"{name}\t{metric}", {})
            for statistic, column in columns.items():
                apart[statistic] = np.zeros(documents)
                apart[statistic][own] = column
    return values


@dataclass(frozen=True, eq=False)
class SuitePanel(Panel):
    """Systems scored on the same suite by averages over its data sets."""

    data_sets: tuple[str, ...] = ()
    pooled: Panel | None = None
    """The same systems and documents with the metrics that are averaged."""

    @classmethod
    def of_suites(
        cls, suites: Mapping[str, SuiteScores], metrics: Sequence[Metric] = ()
    ) -> SuitePanel:
        """The panel of several systems' suites, with their macro averages or other averages."""
        first = next(iter(suites.values()))
        over = tuple(metrics or first.macro.metrics.values())
        needed = tuple(dict.fromkeys(part for metric in over for part in map(str, metric.needs())))
        whole = {name: suite.macro.counts for name, suite in suites.items()}
        names = first.macro.counts.values
        columns = tuple((part, name) for part in needed for name in names[part])
        statistics = np.array(
            [[one.values[part][name] for one in whole.values()] for part, name in columns]
        )
        return cls(
            tuple(suites),
            first.macro.counts.documents,
            over,
            columns,
            statistics,
            tuple(len(one.counts.documents) for one in first.data_sets.values()),
            tuple(first.data_sets),
            Panel.of({name: suite.micro for name, suite in suites.items()}),
        )

    def weighted(self, weights: FloatArray) -> FloatArray:
        """As of any panel, but what is 0 is not multiplied: each data set has its own documents."""
        count, systems, _ = self.statistics.shape
        sums = np.zeros((count, systems, len(weights)))
        end = 0
        for name, size in zip(self.data_sets, self.strata, strict=True):
            own = slice(end, end := end + size)
            rows = [row for row, (part, _) in enumerate(self.columns) if _is_of(part, name)]
            columns = self.statistics[rows, :, own].reshape(-1, size)
            sums[rows] = (columns @ weights[:, own].T).reshape(len(rows), systems, len(weights))
        return sums

    def document_scores(self) -> FloatArray:
        """Values on each document alone are not averages over data sets."""
        assert self.pooled is not None
        assert all(isinstance(metric, OverDataSets) for metric in self.metrics)
        return self.pooled.document_scores()


def _is_of(part: str, data_set: str) -> bool:
    return part.partition("\t")[0] == data_set
