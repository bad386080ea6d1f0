r"""Bootstrap over documents: confidence intervals of scores and differences, and a test.

A replicate draws D documents with replacement. Its sums are counts · statistics, so that all
replicates of all systems and metrics are one matrix product. The same draws serve every system:
a difference is taken within a replicate and keeps the pairing by document. In a suite, every data
set draws as many of its own documents as it has.

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

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from corefine.corpus.arrays import FloatArray, IntArray
from corefine.errors import UsageError
from corefine.output.progress import Progress, silent
from corefine.scoring.resampling.panel import F1, Panel, rounding

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
    block: int | None = None,
    progress: Progress = silent,
) -> Bootstrap:
    """Intervals of every score and every difference, with a test of the differences.

    ``block`` is the number of replicates multiplied at once; the result does not depend on it.
    """
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
    drawn = replicated(panel, replicates, seed, block, progress)
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
    block: int | None = None,
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
    if block is None:
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
