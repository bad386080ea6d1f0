"""Gathering: the panel of a comparison from the scores of several systems.

Every system is scored once. What its scores keep by document is all that resampling needs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial

import numpy as np

from corefine.comparing.panel import Composite, Measure, Panel
from corefine.corpus.arrays import FloatArray
from corefine.errors import UsageError
from corefine.metrics.averages import Average
from corefine.metrics.base import Metric, Triple
from corefine.scoring.scores import Scores
from corefine.scoring.statistics import CorpusStatistics

Values = tuple[FloatArray, FloatArray, FloatArray]


def panel_of(scores: Mapping[str, Scores]) -> Panel:
    """The statistics of all systems, by system, document and metric.

    The metrics are those of the scores and, where one of them is an average, its parts as well.
    All scores must have the same metrics and the same documents; the order of the documents is
    that of the first system.
    """
    first, *others = scores.values()
    metrics = first.metrics.values()
    statistics = [first.statistics]
    for name, one in zip(list(scores)[1:], others, strict=True):
        if list(one.by_name) != list(first.by_name):
            raise UsageError(
                f"{name!r} was scored with other metrics than {next(iter(scores))!r}",
                remedy="Score all systems with the same metrics.",
            )
        statistics.append(_in_order(name, one.statistics, first.statistics.documents))
    measures = [_measure(metric, statistics) for metric in _measured(metrics)]
    composites = [
        Composite(str(metric), tuple(map(str, metric.parts)))
        for metric in metrics
        if isinstance(metric, Average)
    ]
    return Panel(
        tuple(scores), first.statistics.documents, tuple(measures), tuple(_distinct(composites))
    )


def _distinct(composites: Iterable[Composite]) -> Iterable[Composite]:
    return {composite.name: composite for composite in composites}.values()


def _measured(metrics: Iterable[Metric]) -> Iterable[Metric]:
    """The metrics that have statistics of their own, averages replaced by their parts."""
    wanted: dict[str, Metric] = {}
    for metric in metrics:
        for part in metric.parts if isinstance(metric, Average) else (metric,):
            wanted.setdefault(str(part), part)
    return wanted.values()


def _in_order(
    system: str, statistics: CorpusStatistics, documents: tuple[str, ...]
) -> CorpusStatistics:
    """The statistics with the documents in this order."""
    if statistics.documents == documents:
        return statistics
    place = {name: number for number, name in enumerate(statistics.documents)}
    missing = [name for name in documents if name not in place]
    if missing or len(place) != len(documents):
        unequal = missing or sorted(set(place) - set(documents))
        raise UsageError(
            f"the systems were not scored on the same documents: {unequal[0]!r} is "
            f"{'missing from' if missing else 'only in'} the scores of {system!r}",
            remedy="Score all systems against the same key.",
        )
    return statistics.select(np.array([place[name] for name in documents], np.int64))


def _measure(metric: Metric, statistics: list[CorpusStatistics]) -> Measure:
    columns = [
        (str(part), name) for part in metric.needs() for name in statistics[0].values[str(part)]
    ]
    values = np.array(
        [[one.values[part][name] for part, name in columns] for one in statistics], np.float64
    )
    shape = (len(statistics), len(columns), len(statistics[0].documents))
    return Measure(
        str(metric),
        np.moveaxis(values.reshape(shape), 1, 2),
        partial(_finish, metric, tuple(columns)),
    )


def _finish(metric: Metric, columns: tuple[tuple[str, str], ...], totals: FloatArray) -> Values:
    """Precision, recall and F1 of a metric from sums, its statistics being on the last axis."""
    named: dict[str, dict[str, FloatArray]] = {}
    for number, (part, name) in enumerate(columns):
        named.setdefault(part, {})[name] = totals[..., number]
    triple: Triple = metric.score_from(named)
    if triple.precision is None or triple.recall is None:
        nothing = np.full(totals.shape[:-1], np.nan)
        return nothing, nothing, triple.f1
    return triple.precision, triple.recall, triple.f1
