"""The data of a comparison: the additive statistics of every system and document.

Nothing in a comparison rescores a system: every resample is a sum of per-document statistics with
other weights, that is, a matrix product, and the metrics themselves turn the sums into precision,
recall and F1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from corefine.corpus.arrays import FloatArray, IntArray
from corefine.errors import UsageError
from corefine.metrics.averages import Average
from corefine.metrics.base import Metric, Statistics, Triple
from corefine.scoring.scores import Scores

QUANTITIES = ("precision", "recall", "f1")
F1 = QUANTITIES.index("f1")

# Values closer than this are equal: the same fraction may have been summed in another order.
TIE_DECIMALS = 12
TIE = 10.0**-TIE_DECIMALS


def _shared(scores: Mapping[str, Scores]) -> str:
    """The option that names the metrics which all systems have."""
    first, *others = scores.values()
    shared = [name for name in first.by_name if all(name in one.by_name for one in others)]
    return f", or use --metrics {','.join(shared)}" if shared else ""


@dataclass(frozen=True, eq=False)
class Panel:
    """Systems scored on the same documents by the same metrics."""

    systems: tuple[str, ...]
    documents: tuple[str, ...]
    metrics: tuple[Metric, ...]
    columns: tuple[tuple[str, str], ...]
    """Each statistic as (canonical name of its metric, name); those of one metric together."""
    statistics: FloatArray
    """(statistics, systems, documents): each statistic lies together where a metric reads it."""
    strata: tuple[int, ...] = ()
    """How many documents each data set has, one after another, where documents are drawn within
    data sets; empty where they are drawn from all."""

    @classmethod
    def of(cls, scores: Mapping[str, Scores]) -> Panel:
        """The statistics of all systems, which need the same metrics and the same documents.

        The documents come in the order of the first system's.
        """
        first, *others = scores.values()
        for name, one in zip(list(scores)[1:], others, strict=True):
            if one.by_name.keys() != first.by_name.keys():
                raise UsageError(
                    f"{name!r} was scored with different metrics than {next(iter(scores))!r}",
                    remedy=f"Score all systems with the same metrics{_shared(scores)}.",
                )
        metrics = {str(metric): metric for metric in first.metrics.values()}
        documents = first.counts.documents
        values = {name: _in_order(name, one, documents) for name, one in scores.items()}
        return cls.of_values(documents, values, metrics)

    @classmethod
    def of_values(
        cls,
        documents: tuple[str, ...],
        by_system: Mapping[str, Mapping[str, Statistics]],
        metrics: Mapping[str, Metric],
    ) -> Panel:
        """The statistics of all systems for these metrics, by canonical name."""
        first = next(iter(by_system.values()))
        parts = dict.fromkeys(str(part) for metric in metrics.values() for part in metric.needs())
        columns = tuple((part, name) for part in parts for name in first[part])
        values = np.array(
            [[one[part][name] for one in by_system.values()] for part, name in columns], np.float64
        ).reshape(len(columns), len(by_system), len(documents))
        for (part, _), column in zip(columns, values, strict=True):
            if not np.isfinite(column).all():
                raise UsageError(f"the statistics of {part} are not all finite")
        return cls(tuple(by_system), documents, tuple(metrics.values()), columns, values)

    @property
    def names(self) -> tuple[str, ...]:
        """The canonical names of the metrics."""
        return tuple(map(str, self.metrics))

    def rows(self, metric: Metric) -> list[int]:
        """The numbers of the statistics that a metric is made from."""
        needed = set(map(str, metric.needs()))
        return [row for row, (part, _) in enumerate(self.columns) if part in needed]

    def of_pair(self, pair: tuple[int, int], name: str) -> Panel:
        """The panel with two systems and one metric only."""
        metric = next((metric for metric in self.metrics if str(metric) == name), None)
        if metric is None:
            raise UsageError(
                f"{name!r} was not computed", remedy=f"Choose one of: {', '.join(self.names)}."
            )
        rows = self.rows(metric)
        return Panel(
            (self.systems[pair[0]], self.systems[pair[1]]),
            self.documents,
            (metric,),
            tuple(self.columns[row] for row in rows),
            self.statistics[np.ix_(rows, pair)],
            self.strata,
        )

    def evaluate(self, totals: FloatArray) -> FloatArray:
        """Values (metrics, P/R/F, ...) from sums (statistics, ...); NaN: there is no P or R."""
        values = np.full((len(self.metrics), 3, *totals.shape[1:]), np.nan)
        for row, triple in enumerate(self._scored(lambda begin, end: totals[begin:end])):
            for which, value in enumerate(triple):
                if value is not None:
                    values[row, which] = value
        return values

    def differences(
        self, sums: Callable[[int, int], FloatArray], shape: tuple[int, ...]
    ) -> FloatArray:
        """F1 of the first side minus F1 of the second, as (metrics, *shape).

        ``sums(begin, end)`` gives the sums of the statistics begin..end for both sides, as
        (end − begin, 2, *shape). It is asked for one metric at a time and both sides are scored
        in one call, so that the inner step of a randomization test stays within the cache.
        """
        result = np.empty((len(self.metrics), *shape))
        for row, triple in enumerate(self._scored(sums)):
            np.subtract(triple.f1[0], triple.f1[1], out=result[row])
        return result

    def _scored(self, sums: Callable[[int, int], FloatArray]) -> Iterator[Triple]:
        """The score of each metric from sums; what averages are made from is scored once."""
        averaged: dict[str, FloatArray] = {}
        for metric, needs in self._needs:
            if not isinstance(metric, Average):
                triple = metric.score_from(self._named(needs, sums))
                if needs[0] in self._averaged:
                    averaged[needs[0]] = triple.f1
                yield triple
                continue
            yield metric.mean([self._part(part, averaged, sums) for part in metric.parts])

    def _part(
        self,
        metric: Metric,
        averaged: dict[str, FloatArray],
        sums: Callable[[int, int], FloatArray],
    ) -> FloatArray:
        """The F1 of a metric that an average is made from, which may be an average itself."""
        name = str(metric)
        if name not in averaged:
            if isinstance(metric, Average):
                parts = [self._part(part, averaged, sums) for part in metric.parts]
                averaged[name] = metric.mean(parts).f1
            else:
                averaged[name] = metric.score_from(self._named((name,), sums)).f1
        return averaged[name]

    def _named(
        self, metrics: Iterable[str], sums: Callable[[int, int], FloatArray]
    ) -> dict[str, dict[str, FloatArray]]:
        """The sums that these metrics are made from, by metric and statistic."""
        named = {}
        for metric in metrics:
            begin, names = self._places[metric]
            named[metric] = dict(zip(names, sums(begin, begin + len(names)), strict=True))
        return named

    @cached_property
    def _needs(self) -> list[tuple[Metric, tuple[str, ...]]]:
        return [(metric, tuple(map(str, metric.needs()))) for metric in self.metrics]

    @cached_property
    def _averaged(self) -> set[str]:
        """The metrics that averages are made from."""
        return {
            name for metric, needs in self._needs if isinstance(metric, Average) for name in needs
        }

    @cached_property
    def _places(self) -> dict[str, tuple[int, list[str]]]:
        """By metric with statistics: the number of its first one, and the names of all."""
        places: dict[str, tuple[int, list[str]]] = {}
        for row, (metric, name) in enumerate(self.columns):
            places.setdefault(metric, (row, []))[1].append(name)
        return places

    def weighted(self, weights: FloatArray) -> FloatArray:
        """Sums of the statistics with weights (n, documents): (statistics, systems, n)."""
        count, systems, documents = self.statistics.shape
        columns = self.statistics.reshape(count * systems, documents)
        sums: FloatArray = columns @ weights.T
        return sums.reshape(count, systems, len(weights))

    def scores(self) -> FloatArray:
        """Corpus values of every system: (systems, metrics, P/R/F)."""
        return np.moveaxis(self.evaluate(self.statistics.sum(axis=2)), 2, 0)

    def document_scores(self) -> FloatArray:
        """Values of every system on each document alone: (systems, documents, metrics, P/R/F)."""
        return np.moveaxis(self.evaluate(self.statistics), (2, 3), (0, 1))

    def pairs(self, baseline: str | None = None) -> IntArray:
        """Pairs of system numbers to compare: all, or each other system with the baseline."""
        chosen = list(combinations(range(len(self.systems)), 2))
        if baseline is not None:
            base = self.systems.index(baseline)
            chosen = [(other, base) for other in range(len(self.systems)) if other != base]
        return np.array(chosen, dtype=np.int64).reshape(-1, 2)


def _in_order(system: str, scores: Scores, documents: tuple[str, ...]) -> Mapping[str, Statistics]:
    """The statistics of a system with the documents in this order."""
    counts = scores.counts
    if counts.documents == documents:
        return counts.values
    position = {name: number for number, name in enumerate(counts.documents)}
    missing = [name for name in documents if name not in position]
    if missing or len(position) != len(documents):
        unequal = missing or sorted(set(position) - set(documents))
        raise UsageError(
            f"the systems were not scored on the same documents: {unequal[0]!r} is "
            f"{'missing from' if missing else 'only in'} the scores of {system!r}",
            remedy="Score all systems against the same key.",
        )
    return counts.select([position[name] for name in documents]).values


def remainder(total: FloatArray, part: FloatArray, scale: FloatArray, documents: int) -> FloatArray:
    """``total − part`` where what is only rounding error becomes an exact zero.

    A denominator that has become zero must be seen as zero by a metric; the sum of fractions
    that is left behind, 1e-16 or so, would otherwise be divided by. ``total`` and ``scale``, the
    sum of the absolute statistics, have the shape (statistics, systems, 1), ``part`` the shape
    (statistics, systems, n).
    """
    rest = np.subtract(total, part)
    limit = rounding(documents) * scale
    for row, bound in zip(rest, limit, strict=True):  # row by row: the temporaries stay small
        row[np.abs(row) <= bound] = 0.0
    return rest


def rounding(documents: int) -> float:
    """Relative error below which two sums over so many documents count as equal."""
    return max(1e-12, 8 * documents * float(np.finfo(np.float64).eps))


def without(panel: Panel, removed: FloatArray) -> FloatArray:
    """Corpus values without what is removed from the sums, (statistics, systems, n), as
    (metrics, P/R/F, systems, n)."""
    totals = panel.statistics.sum(axis=2, keepdims=True)
    scale = np.abs(panel.statistics).sum(axis=2, keepdims=True)
    return panel.evaluate(remainder(totals, removed, scale, len(panel.documents)))


def leave_one_out(panel: Panel) -> FloatArray:
    """Corpus values without each document in turn: (metrics, P/R/F, systems, documents)."""
    return without(panel, panel.statistics)


def jackknife(panel: Panel) -> FloatArray:
    """The values of :func:`leave_one_out` from which the spread between documents is told.

    Where documents are drawn within data sets, the spread is that within them: values deviate from
    the mean of their data set d by √((n_d−1)/n_d · D/(D−1)) of what they do, so that the variance
    of the stratified jackknife comes out; a data set of one document has no spread.
    """
    values = leave_one_out(panel)
    if not panel.strata:
        return values
    documents, end = len(panel.documents), 0
    spread = np.empty_like(values)
    for size in panel.strata:
        part = slice(end, end := end + size)
        own = values[..., part]
        scale = np.sqrt((size - 1) / size * documents / max(documents - 1, 1))
        spread[..., part] = scale * (own - own.mean(axis=-1, keepdims=True))
    centred: FloatArray = spread + values.mean(axis=-1, keepdims=True)
    return centred
