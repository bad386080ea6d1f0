r"""Resampling: statistics of several systems by document, and bootstrap intervals of their scores.

No system is rescored during a comparison: a resample is a weighted sum of per-document statistics,
that is, a matrix product, and the metrics compute precision, recall and F1 from the sums.

Documents are sorted by name, so that random resamples do not depend on their order in a file. In a
suite of data sets (``strata``), sums have a last axis of data sets and scores are their mean.

A bootstrap replicate draws D documents with replacement. The same draws serve every system: a
difference is taken within a replicate and keeps the pairing by document. In a suite, every data set
draws as many of its own documents as it has.

Intervals at confidence 1−α are percentiles of the replicates, widened for few documents
(Hesterberg 2015, "expanded percentile"): their levels are

.. math:: \Phi(\mp \sqrt{D/(D-1)} \cdot t_{1-\alpha/2, D-1})

since the variance of D draws from D documents is too small by (D−1)/D, and t allows for that
variance being an estimate. With many documents this is the plain percentile interval. In a suite,
the factor and the degrees of freedom follow from the variances of the data sets (Satterthwaite).

Test: p = (n + 1) / (N + 1), n = number of replicates with |δ* − δ| ≥ |δ|: the replicates are
shifted so that their centre is the null hypothesis.

With fewer than two documents there is nothing to resample: intervals and p are NaN.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from corefine.corpus.arrays import BoolArray, FloatArray, IntArray
from corefine.errors import UsageError
from corefine.metrics.averages import Average
from corefine.metrics.base import Metric, Statistics, Triple
from corefine.output.progress import Progress, silent
from corefine.scoring.scores import Scores

if TYPE_CHECKING:
    from corefine.scoring.breakdowns import BreakdownCounts

QUANTITIES = ("precision", "recall", "f1")
F1 = QUANTITIES.index("f1")

# Values closer than this are equal: the same fraction may have been summed in another order.
TIE_DECIMALS = 12
TIE = 10.0**-TIE_DECIMALS

Sums = Callable[[slice], FloatArray]
"""Sums of some of the statistics, with the statistics on the first axis."""


@dataclass(frozen=True, eq=False)
class Panel:
    """Statistics of systems scored on the same documents by the same metrics."""

    systems: tuple[str, ...]
    documents: tuple[str, ...]
    metrics: tuple[Metric, ...]
    columns: tuple[tuple[str, str], ...]
    """Canonical name of the metric and name of each statistic; grouped by metric."""
    statistics: FloatArray
    """Shape (statistics, systems, documents)."""
    strata: tuple[int, ...] = ()
    """Documents per data set, in order, if scores are averaged over data sets; else empty."""

    @classmethod
    def of(cls, scores: Mapping[str, Scores]) -> Panel:
        """Collect the statistics of systems scored with the same metrics on the same documents."""
        first, *others = scores.values()
        for name, one in zip(list(scores)[1:], others, strict=True):
            if one.by_name.keys() != first.by_name.keys():
                raise UsageError(
                    f"{name!r} was scored with different metrics than {next(iter(scores))!r}",
                    remedy=f"Score all systems with the same metrics{_shared(scores)}.",
                    code="different-metrics",
                )
        documents = first.counts.documents
        values = {name: _in_order(name, one, documents) for name, one in scores.items()}
        return cls.of_values(documents, values, first.request.canonical, first.strata)

    @classmethod
    def of_values(
        cls,
        documents: tuple[str, ...],
        by_system: Mapping[str, Mapping[str, Statistics]],
        metrics: Mapping[str, Metric],
        strata: tuple[int, ...] = (),
    ) -> Panel:
        """Collect the statistics that metrics (by canonical name) need."""
        first = next(iter(by_system.values()))
        needed = dict.fromkeys([str(part) for one in metrics.values() for part in one.needs()])
        columns = tuple([(part, name) for part in needed for name in first[part]])
        values = np.array(
            [[one[part][name] for one in by_system.values()] for part, name in columns], np.float64
        ).reshape(len(columns), len(by_system), len(documents))
        for (part, _), column in zip(columns, values, strict=True):
            if not np.isfinite(column).all():
                raise UsageError(f"the statistics of {part} are not all finite")
        data_set = np.repeat(np.arange(len(strata)), strata) if strata else np.zeros(len(documents))
        order = sorted(range(len(documents)), key=lambda n: (data_set[n], documents[n]))
        return cls(
            tuple(by_system),
            tuple(documents[number] for number in order),
            tuple(metrics.values()),
            columns,
            values[:, :, order],
            strata,
        )

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Canonical names of the metrics."""
        return tuple(map(str, self.metrics))

    def rows(self, metric: Metric) -> list[int]:
        """Indices of the statistics that a metric needs."""
        blocks = [self._places[one][0] for one in _with_parts(metric)]
        return [row for block in blocks for row in range(block.start or 0, block.stop)]

    @cached_property
    def applicable(self) -> BoolArray:
        """True for each metric that counts anything, in any system and document."""
        counted: BoolArray = np.any(self.statistics != 0, axis=(1, 2))
        return np.array([bool(counted[self.rows(metric)].any()) for metric in self.metrics])

    def select(self, systems: tuple[int, ...], name: str) -> Panel:
        """Select systems, by number, and one metric."""
        metric = self.metrics[self.names.index(name)]
        rows = self.rows(metric)
        return Panel(
            tuple(self.systems[system] for system in systems),
            self.documents,
            (metric,),
            tuple(self.columns[row] for row in rows),
            self.statistics[np.ix_(rows, systems)],
            self.strata,
        )

    def evaluate(self, sums: FloatArray) -> FloatArray:
        """Scores (metrics, P/R/F, ...) from sums (statistics, ...); NaN without P or R."""
        values = np.full((len(self.metrics), 3, *sums.shape[1:]), np.nan)
        for row, triple in enumerate(self._scored(sums.__getitem__)):
            for which, value in enumerate(triple):
                if value is not None:
                    values[row, which] = value
        return values

    def averaged(self, values: FloatArray) -> FloatArray:
        """Mean over data sets, on the last axis, if there are any."""
        return values.mean(axis=-1) if self.strata else values

    def differences(self, sums: Sums) -> FloatArray:
        """F1 of the first side minus F1 of the second, with shape (metrics, …).

        ``sums(rows)`` gives the sums of these statistics for both sides, of shape (rows, 2, …).
        """
        f1 = np.array([triple.f1 for triple in self._scored(sums)])
        return self.averaged(f1[:, 0]) - self.averaged(f1[:, 1])

    def _scored(self, sums: Sums) -> list[Triple]:
        """Score each metric from sums; the parts of averages are scored once."""
        known: dict[Metric, Triple] = {}
        for metric, (rows, names) in self._places.items():
            if isinstance(metric, Average):
                known[metric] = metric.mean([known[part].f1 for part in metric.parts])
            else:
                known[metric] = metric.score(dict(zip(names, sums(rows), strict=True)))
        return [known[metric] for metric in self.metrics]

    @cached_property
    def _places(self) -> dict[Metric, tuple[slice, list[str]]]:
        """By metric, the parts of averages first: the rows of its statistics and their names."""
        places = {}
        metrics = dict.fromkeys([one for metric in self.metrics for one in _with_parts(metric)])
        for metric, name in zip(metrics, list(map(str, metrics)), strict=True):
            rows = [row for row, (part, _) in enumerate(self.columns) if part == name]
            names = [self.columns[row][1] for row in rows]
            places[metric] = slice(rows[0], rows[-1] + 1) if rows else slice(0), names
        return places

    @cached_property
    def blocks(self) -> list[slice]:
        """Documents of each data set; one block if there are no data sets."""
        ends = np.cumsum(self.strata or (len(self.documents),)).tolist()
        return [slice(begin, end) for begin, end in zip([0, *ends], ends, strict=False)]

    @cached_property
    def totals(self) -> FloatArray:
        """Sums over all documents: (statistics, systems), or (statistics, systems, data sets)."""
        return self.weighted(np.ones((1, len(self.documents))))[:, :, 0]

    @cached_property
    def whole(self) -> FloatArray:
        """Corpus scores (metrics, P/R/F, systems), or of each data set on a further last axis."""
        return self.evaluate(self.totals)

    def weighted(self, weights: FloatArray) -> FloatArray:
        """Sums (statistics, systems, n), or (…, n, data sets), with weights (n, documents)."""
        count, systems, _ = self.statistics.shape
        sums = []
        for block in self.blocks:
            columns = self.statistics[:, :, block].reshape(count * systems, -1)
            sums.append((columns @ weights[:, block].T).reshape(count, systems, len(weights)))
        return np.stack(sums, axis=-1) if self.strata else sums[0]

    def scores(self) -> FloatArray:
        """Corpus scores of every system: (systems, metrics, P/R/F)."""
        return np.moveaxis(self.averaged(self.whole), 2, 0)

    def document_scores(self) -> FloatArray:
        """Scores of every system on each document alone: (systems, documents, metrics, P/R/F)."""
        return np.moveaxis(self.evaluate(self.statistics), (2, 3), (0, 1))

    def leave_one_out(self) -> FloatArray:
        """Scores without each document in turn: (metrics, P/R/F, systems, documents)."""
        whole = self.whole
        found = []
        for number, block in enumerate(self.blocks):
            totals = self.totals[..., number] if self.strata else self.totals
            scale = np.abs(self.statistics[:, :, block]).sum(axis=2, keepdims=True)
            documents = self.statistics[:, :, block]
            left = remainder(totals[..., np.newaxis], documents, scale, documents.shape[2])
            values = self.evaluate(left)
            if self.strata:
                change = values - whole[..., number, np.newaxis]
                values = self.averaged(whole)[..., np.newaxis] + change / len(self.strata)
            found.append(values)
        return np.concatenate(found, axis=3)

    def deviations(self) -> list[FloatArray]:
        """Per data set, leave-one-out scores minus their mean: (metrics, P/R/F, systems, n)."""
        values = self.leave_one_out()
        parts = [values[..., block] for block in self.blocks]
        return [part - part.mean(axis=-1, keepdims=True) for part in parts]

    def pairs(self, baseline: str | None = None) -> IntArray:
        """Pairs of system numbers to compare: all, or every other system with the baseline."""
        chosen = list(combinations(range(len(self.systems)), 2))
        if baseline is not None:
            base = self.systems.index(baseline)
            chosen = [(other, base) for other in range(len(self.systems)) if other != base]
        return np.array(chosen, dtype=np.int64).reshape(-1, 2)


def _with_parts(metric: Metric) -> list[Metric]:
    """A metric after the parts of which it is the average, if it is one."""
    if not isinstance(metric, Average):
        return [metric]
    return [*[one for part in metric.parts for one in _with_parts(part)], metric]


def _shared(scores: Mapping[str, Scores]) -> str:
    """The option that selects the metrics common to all systems."""
    first, *others = scores.values()
    shared = [name for name in first.by_name if all(name in one.by_name for one in others)]
    return f", or use --metrics {','.join(shared)}" if shared else ""


def _in_order(system: str, scores: Scores, documents: tuple[str, ...]) -> Mapping[str, Statistics]:
    """Statistics of a system with the documents in the given order."""
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
            code="different-documents",
        )
    return counts.select([position[name] for name in documents]).values


def remainder(total: FloatArray, part: FloatArray, scale: FloatArray, documents: int) -> FloatArray:
    """``total − part``, with rounding errors set to an exact zero.

    A denominator that is zero must be seen as zero by a metric; a rest of 1e-16 would otherwise be
    divided by. ``scale`` is the sum of the absolute statistics, broadcast against ``total``.
    """
    rest = np.subtract(total, part)
    limit = rounding(documents) * scale
    for row, bound in zip(rest, limit, strict=True):  # row by row: small temporaries
        row[np.abs(row) <= bound] = 0.0
    return rest


def rounding(documents: int) -> float:
    """Relative error below which two sums over this many documents count as equal."""
    return max(1e-12, 8 * documents * float(np.finfo(np.float64).eps))


# Bytes of one block of counts with its products, and rows of replicates that are sorted together.
BLOCK_BYTES = 128 * 2**20
SORT_ROWS = 64
# Replicates are kept for their quantiles.
KEPT_BYTES = 4 * 2**30


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """Intervals and p-values; bounds of intervals are on the last axis.

    ``scores`` have the shape (systems, metrics, P/R/F, 2), with NaN for the P and R of averages.
    ``differences`` and ``p_values`` of F1, first − second, have the shape (pairs, metrics, …).
    """

    pairs: IntArray
    scores: FloatArray
    differences: FloatArray
    p_values: FloatArray

    @classmethod
    def empty(cls, pairs: IntArray, systems: int, metrics: int) -> Bootstrap:
        """A result without any interval or p-value."""
        return cls(
            pairs,
            np.full((systems, metrics, 3, 2), np.nan),
            np.full((len(pairs), metrics, 2), np.nan),
            np.full((len(pairs), metrics), np.nan),
        )


def bootstrap(
    panel: Panel,
    *,
    pairs: IntArray | None = None,
    replicates: int = 10_000,
    confidence: float = 0.95,
    seed: int = 0,
    progress: Progress = silent,
) -> Bootstrap:
    """Intervals of every score and every difference, with a test of the differences."""
    if replicates < 1:
        raise UsageError(f"replicates cannot be {replicates}", remedy="Use at least 1.")
    if not 0 < confidence < 1:
        raise UsageError(
            f"confidence {confidence} is not between 0 and 1", remedy="Use 0.95 for 95%."
        )
    pairs = panel.pairs() if pairs is None else pairs
    result = Bootstrap.empty(pairs, len(panel.systems), len(panel.metrics))
    if max(panel.strata or (len(panel.documents),)) < 2:
        return result
    drawn = replicated(panel, replicates, seed, progress)
    estimate = panel.scores()
    spread = panel.deviations() if panel.strata else []
    documents = len(panel.documents)
    for metric in range(len(panel.metrics)):
        for quantity in range(3):
            if not np.isnan(estimate[:, metric, quantity]).any():
                levels = _levels(panel, [one[metric, quantity] for one in spread], confidence)
                values = np.sort(drawn[metric, quantity], axis=1)
                result.scores[:, metric, quantity] = quantiles(values, levels)
        f1, resampled = estimate[:, metric, F1], drawn[metric, F1]
        for begin in range(0, len(pairs), SORT_ROWS):
            rows = slice(begin, begin + SORT_ROWS)
            one, other = pairs[rows].T
            observed = f1[one] - f1[other]
            differences = resampled[one] - resampled[other]
            left = [each[metric, F1][one] - each[metric, F1][other] for each in spread]
            slack = rounding(documents) * np.maximum(np.abs(f1[one]), np.abs(f1[other]))
            extreme = (
                np.abs(differences - observed[:, np.newaxis])
                >= ((np.abs(observed) - slack)[:, np.newaxis])
            )
            result.p_values[rows, metric] = (extreme.sum(axis=1) + 1) / (replicates + 1)
            levels = _levels(panel, left, confidence)
            result.differences[rows, metric] = quantiles(np.sort(differences, axis=1), levels)
    return result


def _levels(panel: Panel, spread: list[FloatArray], confidence: float) -> FloatArray:
    """Levels of the interval's ends: (2,), or (rows, 2) from deviations (rows, n) by data set."""
    if not panel.strata:
        return expanded_levels(confidence, np.array([[1.0]]), np.array([len(panel.documents)]))
    sizes = np.array(panel.strata)
    variances = np.array([np.square(one).sum(axis=1) for one in spread]).T
    return expanded_levels(confidence, variances * (sizes - 1) / sizes, sizes)


def expanded_levels(confidence: float, variances: FloatArray, sizes: IntArray) -> FloatArray:
    """Levels at which to read replicates, (rows, 2), from variances (rows, data sets).

    >>> expanded_levels(0.95, np.array([[1.0]]), np.array([20])).round(4).tolist()
    [[0.0159, 0.9841]]
    """
    from scipy.special import ndtr, stdtrit

    freedom = np.maximum(sizes - 1, 1)
    total = variances.sum(axis=1)
    flat = total <= 0
    total = np.where(flat, 1.0, total)
    resampled = np.where(flat, 1.0, (variances * (sizes - 1) / sizes).sum(axis=1))
    squares = np.where(flat, 1.0, (variances**2 / freedom).sum(axis=1))
    degrees = total**2 / squares
    reach = np.sqrt(total / resampled) * stdtrit(degrees, (1 + confidence) / 2)
    return np.stack([ndtr(-reach), ndtr(reach)], axis=1)


def replicated(
    panel: Panel,
    replicates: int,
    seed: int,
    progress: Progress = silent,
) -> FloatArray:
    """Scores of all replicates: (metrics, P/R/F, systems, replicates)."""
    count, systems, documents = panel.statistics.shape
    kept = 8 * len(panel.names) * 3 * systems * replicates
    if kept > KEPT_BYTES:
        raise UsageError(
            f"{replicates:,} bootstrap samples of {systems} systems and {len(panel.names)} "
            f"metrics need {kept / 1e9:.0f} GB of memory",
            remedy=f"Use at most {replicates * KEPT_BYTES // kept:,}, or fewer metrics.",
        )
    sums = (count + 6 * len(panel.names)) * systems * max(len(panel.strata), 1)
    block = max(1, BLOCK_BYTES // (24 * documents + 8 * sums + 1))
    values = np.empty((len(panel.names), 3, systems, replicates))
    done = 0
    for counts in drawn_counts(documents, replicates, block, seed, panel.strata):
        drawn = panel.averaged(panel.evaluate(panel.weighted(counts)))
        values[..., done : done + len(counts)] = drawn
        done += len(counts)
        progress("resampling", done, replicates)
    return values


def drawn_counts(
    documents: int, replicates: int, block: int, seed: int, strata: Sequence[int] = ()
) -> Iterator[FloatArray]:
    """Number of times each replicate drew each document: blocks (n, D) of multinomial counts.

    With ``strata``, the documents per data set, every data set draws as many of its own.
    """
    generator = np.random.Generator(np.random.PCG64(seed))
    sizes = np.repeat(strata, strata)
    first = np.repeat(np.cumsum(strata) - strata, strata)
    for begin in range(0, replicates, block):
        size = min(block, replicates - begin)
        if documents == 0:
            yield np.zeros((size, 0))
            continue
        if strata:
            draws = first + (generator.random((size, documents)) * sizes).astype(np.int64)
        else:
            draws = generator.integers(0, documents, (size, documents))
        draws += documents * np.arange(size)[:, np.newaxis]
        counts = np.bincount(draws.ravel(), minlength=size * documents)
        yield counts.reshape(size, documents).astype(np.float64)


def quantiles(ordered: FloatArray, levels: FloatArray) -> FloatArray:
    """Interpolated quantiles of sorted rows (rows, N) at levels (levels,) or (rows, levels)."""
    last = ordered.shape[1] - 1
    levels = np.broadcast_to(levels, (len(ordered), np.shape(levels)[-1]))
    position = np.clip(levels, 0.0, 1.0) * last
    low = np.floor(position).astype(np.int64)
    high = np.minimum(low + 1, last)
    lower = np.take_along_axis(ordered, low, axis=1)
    upper = np.take_along_axis(ordered, high, axis=1)
    between: FloatArray = lower + (position - low) * (upper - lower)
    return between


PartIntervals = dict[str, dict[str, dict[str, tuple[float, float]]]]
"""Interval of F1 by breakdown, group and canonical name of the metric."""


def part_panel(breakdowns: Mapping[str, BreakdownCounts], group: str) -> Panel | None:
    """Statistics of all systems in one group; None if no metric counts anything there.

    A metric counts in the group if it does for any of the systems. Documents without any statistics
    of the group are left out: a sample of these alone would have no score.
    """
    counted = {
        part: tuple(statistics)
        for one in breakdowns.values()
        for part, statistics in one.parts.get(group, {}).items()
    }
    metrics = {
        name: metric
        for name, metric in next(iter(breakdowns.values())).metrics.items()
        if all(str(part) in counted for part in metric.needs())
    }
    if not metrics:
        return None
    values = {
        system: {
            part: {name: one.column(group, part, name) for name in names}
            for part, names in counted.items()
        }
        for system, one in breakdowns.items()
    }
    panel = Panel.of_values(next(iter(breakdowns.values())).documents, values, metrics)
    present = np.flatnonzero(panel.statistics.any(axis=(0, 1)))
    return replace(
        panel,
        documents=tuple(panel.documents[number] for number in present.tolist()),
        statistics=panel.statistics[:, :, present],
    )


def part_intervals(scores: Scores, **options: Any) -> PartIntervals:
    """Bootstrap intervals of F1 for every group of every breakdown of the scores.

    Only documents with statistics of the group are drawn; groups with fewer than two such documents
    are left out. Options are those of :func:`bootstrap`.
    """
    found: PartIntervals = {}
    for breakdown in scores.breakdowns:
        found[breakdown.by] = {}
        for group in breakdown.parts:
            panel = part_panel({"": breakdown}, group)
            if panel is not None and len(panel.documents) > 1:
                found[breakdown.by][group] = f1_intervals(panel, **options)
    return found


def f1_intervals(panel: Panel, **options: Any) -> dict[str, tuple[float, float]]:
    """Bootstrap intervals of the F1 of the first system, by metric."""
    bounds = bootstrap(panel, **options).scores[0, :, F1].tolist()
    return {name: (low, high) for name, (low, high) in zip(panel.names, bounds, strict=True)}
