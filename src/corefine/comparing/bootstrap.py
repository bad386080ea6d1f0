r"""Bootstrap over documents: intervals of scores and of differences, and a test of differences.

A replicate draws D documents with replacement. Its sums are counts · statistics, so that all
replicates of all systems and metrics are one matrix product. The same draws serve every system:
a difference is taken within a replicate and keeps the pairing by document.

Intervals at confidence 1−α:

``percentile``
    the α/2 and 1−α/2 quantiles of the replicates (linear interpolation).
``bca``
    bias-corrected and accelerated (Efron 1987): the quantiles at
    Φ(z₀ + (z₀+z) / (1−a(z₀+z))), z = Φ⁻¹(α/2) and Φ⁻¹(1−α/2). The bias z₀ = Φ⁻¹ of the proportion
    of replicates below the estimate, half of the ties counting; the acceleration
    a = Σ u³ / (6 (Σ u²)^{3/2}), u = mean − value of the jackknife that leaves out one document.

Test: p = (n + 1) / (N + 1), n = number of replicates with |δ* − δ| ≥ |δ|: the replicates are
shifted so that their centre is the null hypothesis.

With few documents of very unequal size both intervals are too narrow. In simulations 95% intervals
held the true value so often, percentile and BCa: 30 documents .92 and .89, 60 documents .93 and
.915, 100 documents .94 and .925, 348 documents .95 and .94.

With fewer than two documents there is nothing to resample: intervals, standard errors and p are
NaN. Where no replicate differs from the estimate the interval is that one point.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from corefine.comparing.normal import normal_probability, normal_quantile
from corefine.comparing.panel import QUANTITIES, Panel, Quantity, leave_one_out, rounding
from corefine.corpus.arrays import FloatArray, IntArray
from corefine.errors import UsageError

# Bytes of one block of counts with its products, and rows of replicates that are sorted together.
BLOCK_BYTES = 128 * 2**20
SORT_ROWS = 64
# All replicates are kept, since BCa reads them where they lie.
KEPT_BYTES = 4 * 2**30


@dataclass(frozen=True, slots=True)
class Intervals:
    """Estimates with their standard errors and intervals; the bounds are on the last axis."""

    estimate: FloatArray
    standard_error: FloatArray
    percentile: FloatArray
    bca: FloatArray


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """Result of the bootstrap.

    ``scores`` have the shape (systems, measures, P/R/F), ``differences`` and ``p_values`` the shape
    (pairs, measures, P/R/F); a difference is first − second. A composite's P and R are NaN.
    """

    pairs: IntArray
    confidence: float
    replicates: int
    scores: Intervals
    differences: Intervals
    p_values: FloatArray


def bootstrap(
    panel: Panel,
    *,
    pairs: IntArray | None = None,
    replicates: int = 10_000,
    confidence: float = 0.95,
    seed: int = 0,
    compared: Sequence[Quantity] = QUANTITIES,
    block: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Bootstrap:
    """Intervals of every score and of every difference, with a test of the differences.

    ``compared`` are the quantities of which there are differences; of the others they are NaN.
    ``block`` is the number of replicates multiplied at once; the result does not depend on it.
    ``progress`` is told how many are done, and how many there are.
    """
    if replicates < 1:
        raise UsageError(f"{replicates} replicates cannot be made", remedy="Ask for at least 1.")
    if not 0 < confidence < 1:
        raise UsageError(
            f"confidence {confidence} is not between 0 and 1", remedy="Try 0.95, for 95%."
        )
    pairs = panel.pairs() if pairs is None else pairs
    first, second = pairs[:, 0], pairs[:, 1]
    estimate = np.moveaxis(panel.scores(), 0, 2)  # (measures, P/R/F, systems), as all below
    drawn = _replicates(panel, replicates, seed, block, progress)
    without = leave_one_out(panel)
    documents = len(panel.documents)

    measures = len(panel.names)
    scores = _empty((measures, 3, len(panel.systems)))
    differences = _empty((measures, 3, len(pairs)))
    p_values = np.full((measures, 3, len(pairs)), np.nan)
    for cell in np.ndindex(measures, 3):
        if np.isnan(estimate[cell]).any():
            continue
        _fill(scores, cell, estimate[cell], drawn[cell], without[cell], confidence, documents)
        if QUANTITIES[cell[1]] not in compared:
            continue
        value = estimate[cell]
        for begin in range(0, len(pairs), SORT_ROWS):
            rows = slice(begin, begin + SORT_ROWS)
            one, other = first[rows], second[rows]
            observed = value[one] - value[other]
            resampled = drawn[cell][one] - drawn[cell][other]
            jackknife = without[cell][one] - without[cell][other]
            place = (*cell, rows)
            _fill(differences, place, observed, resampled, jackknife, confidence, documents)
            slack = rounding(documents) * np.maximum(np.abs(value[one]), np.abs(value[other]))
            shifted = np.abs(resampled - observed[:, np.newaxis])
            extreme = shifted >= (np.abs(observed) - slack)[:, np.newaxis]
            if documents > 1:
                p_values[place] = (extreme.sum(axis=1) + 1) / (replicates + 1)
    return Bootstrap(
        pairs=pairs,
        confidence=confidence,
        replicates=replicates,
        scores=_systems_first(scores),
        differences=_systems_first(differences),
        p_values=np.moveaxis(p_values, 2, 0),
    )


def _replicates(
    panel: Panel,
    replicates: int,
    seed: int,
    block: int | None,
    progress: Callable[[int, int], object] | None,
) -> FloatArray:
    """Values of all replicates: (measures, P/R/F, systems, replicates)."""
    statistics = panel.stacked()
    count, systems, documents = statistics.shape
    columns = statistics.reshape(count * systems, documents)
    kept = 8 * len(panel.names) * 3 * systems * replicates
    if kept > KEPT_BYTES:
        raise UsageError(
            f"{replicates:,} replicates of {systems} systems and {len(panel.names)} metrics need "
            f"{kept / 1e9:.0f} GB of memory",
            remedy=f"Ask for at most {replicates * KEPT_BYTES // kept:,}, or for fewer metrics.",
        )
    if block is None:
        per_replicate = 24 * documents + 8 * (count + 6 * len(panel.names)) * systems + 1
        block = max(1, BLOCK_BYTES // per_replicate)
    values = np.empty((len(panel.names), 3, systems, replicates))
    done = 0
    for counts in _counts(documents, replicates, block, seed):
        totals = (columns @ counts.T).reshape(count, systems, len(counts))
        values[..., done : done + len(counts)] = panel.evaluate(totals)
        done += len(counts)
        if progress is not None:
            progress(done, replicates)
    return values


def _counts(documents: int, replicates: int, block: int, seed: int) -> Iterator[FloatArray]:
    """How often each replicate drew each document: blocks (n, D) of multinomial counts."""
    generator = np.random.Generator(np.random.PCG64(seed))
    for begin in range(0, replicates, block):
        size = min(block, replicates - begin)
        if documents == 0:
            yield np.zeros((size, 0))
            continue
        draws = generator.integers(0, documents, (size, documents))
        draws += documents * np.arange(size)[:, np.newaxis]
        counts = np.bincount(draws.ravel(), minlength=size * documents)
        yield counts.reshape(size, documents).astype(np.float64)


def _empty(shape: tuple[int, ...]) -> Intervals:
    return Intervals(
        np.full(shape, np.nan),
        np.full(shape, np.nan),
        np.full((*shape, 2), np.nan),
        np.full((*shape, 2), np.nan),
    )


def _systems_first(intervals: Intervals) -> Intervals:
    return Intervals(
        np.moveaxis(intervals.estimate, 2, 0),
        np.moveaxis(intervals.standard_error, 2, 0),
        np.moveaxis(intervals.percentile, 2, 0),
        np.moveaxis(intervals.bca, 2, 0),
    )


def _fill(
    intervals: Intervals,
    place: tuple[int | slice, ...],
    estimate: FloatArray,
    resampled: FloatArray,
    jackknife: FloatArray,
    confidence: float,
    documents: int,
) -> None:
    """Write the intervals of estimates (n,) from replicates (n, N) and the jackknife (n, D)."""
    intervals.estimate[place] = estimate
    if documents < 2:
        return
    if resampled.shape[1] > 1:
        intervals.standard_error[place] = resampled.std(axis=1, ddof=1)
    levels = np.array([(1 - confidence) / 2, (1 + confidence) / 2])
    ordered = np.sort(resampled, axis=1)
    intervals.percentile[place] = _quantiles(ordered, np.tile(levels, (len(estimate), 1)))
    slack = rounding(documents)
    adjusted = bca_levels(estimate, ordered, jackknife, levels, slack)
    intervals.bca[place] = _quantiles(ordered, adjusted)


def bca_levels(
    estimate: FloatArray,
    ordered: FloatArray,
    jackknife: FloatArray,
    levels: FloatArray,
    slack: float,
) -> FloatArray:
    """Levels at which BCa reads the replicates, (rows, levels); ties are within ``slack``."""
    replicates = ordered.shape[1]
    below = (ordered < (estimate - slack)[:, np.newaxis]).sum(axis=1)
    not_above = (ordered <= (estimate + slack)[:, np.newaxis]).sum(axis=1)
    proportion = (below + not_above) / (2 * replicates)
    # All replicates on one side of the estimate: half a replicate keeps the bias finite.
    proportion = np.clip(proportion, 0.5 / replicates, 1 - 0.5 / replicates)
    bias = normal_quantile(proportion)[:, np.newaxis]
    deviation = jackknife.mean(axis=1, keepdims=True) - jackknife
    squares = np.square(deviation).sum(axis=1)
    flat = squares <= slack**2
    acceleration = (deviation**3).sum(axis=1) / (6 * np.where(flat, 1.0, squares) ** 1.5)
    acceleration[flat] = 0.0
    shifted = bias + normal_quantile(levels)
    # |a| is far below 1/|z| unless one document is the corpus; there the level goes to its end.
    denominator = np.maximum(1 - acceleration[:, np.newaxis] * shifted, 1e-9)
    return normal_probability(bias + shifted / denominator)


def _quantiles(ordered: FloatArray, levels: FloatArray) -> FloatArray:
    """Quantiles of sorted rows (rows, N) at levels of their own (rows, levels), interpolated."""
    last = ordered.shape[1] - 1
    position = np.clip(levels, 0.0, 1.0) * last
    low = np.floor(position).astype(np.int64)
    high = np.minimum(low + 1, last)
    lower = np.take_along_axis(ordered, low, axis=1)
    upper = np.take_along_axis(ordered, high, axis=1)
    quantiles: FloatArray = lower + (position - low) * (upper - lower)
    return quantiles
