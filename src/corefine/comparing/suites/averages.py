"""Averages over data sets: macro, the mean of their scores, and micro, the score of their sums.

Statistics stand apart for each data set, under the names of :class:`InDataSet`. So an average over
data sets is a metric like any other: it is resampled, tested and compared as they are.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NoReturn

import numpy as np

from corefine.corpus.arrays import FloatArray
from corefine.metrics.base import Metric, Properties, Statistics, Triple
from corefine.metrics.table import MentionTable

Totals = Mapping[str, Mapping[str, FloatArray]]


@dataclass(frozen=True)
class _Derived(Metric):
    """A metric that is made from the statistics of another in data sets."""

    metric: Metric

    @property
    def title(self) -> str:  # type: ignore[override]
        return self.metric.title

    @property
    def properties(self) -> Properties:  # type: ignore[override]
        return self.metric.properties

    @property
    def needs_kinds(self) -> bool:
        return any(part.needs_kinds for part in self.metric.needs())

    def statistics(self, table: MentionTable) -> Statistics:
        self._refuse()

    def score(self, totals: Mapping[str, FloatArray]) -> Triple:
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise TypeError(f"{self} is made from the statistics of data sets: use score_from")


@dataclass(frozen=True)
class InDataSet(_Derived):
    """A metric's statistics in one data set."""

    data_set: str

    def __str__(self) -> str:
        return f"{self.data_set}\t{self.metric}"


@dataclass(frozen=True)
class OverDataSets(_Derived):
    """A metric over several data sets; it is called as the metric itself."""

    data_sets: tuple[str, ...]

    def __str__(self) -> str:
        return str(self.metric)

    def needs(self) -> tuple[Metric, ...]:
        return self._needs

    @cached_property
    def _needs(self) -> tuple[Metric, ...]:
        return tuple(
            InDataSet(part, name) for name in self.data_sets for part in self.metric.needs()
        )

    @cached_property
    def _names(self) -> list[dict[str, str]]:
        """For each data set, under which name the statistics of each part stand."""
        return [
            {str(part): str(InDataSet(part, name)) for part in self.metric.needs()}
            for name in self.data_sets
        ]

    @abstractmethod
    def score_from(self, totals: Totals) -> Triple: ...


class Macro(OverDataSets):
    """The mean of the data sets' precision, recall and F1, each data set counting the same."""

    def score_from(self, totals: Totals) -> Triple:
        found = [
            self.metric.score_from({part: totals[name] for part, name in names.items()})
            for names in self._names
        ]
        if len(found) == 1:
            return found[0]
        precision, recall, f1 = (
            None if any(value is None for value in values) else np.mean(values, axis=0)
            for values in zip(*found, strict=True)
        )
        assert f1 is not None
        return Triple(precision, recall, f1)


class Micro(OverDataSets):
    """The score of all data sets' documents together."""

    def score_from(self, totals: Totals) -> Triple:
        summed = {}
        for part in self._names[0]:
            columns = [totals[names[part]] for names in self._names]
            summed[part] = {
                name: np.sum([column[name] for column in columns], axis=0) for name in columns[0]
            }
        return self.metric.score_from(summed)
