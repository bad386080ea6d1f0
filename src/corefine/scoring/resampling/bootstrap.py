r"""Bootstrap over documents: intervals of scores and of differences, and a test of differences.

A replicate draws D documents with replacement. Its sums are counts · statistics, so that all
replicates of all systems and metrics are one matrix product. The same draws serve every system:
a difference is taken within a replicate and keeps the pairing by document. Of a suite of data sets
each draws as many documents of its own as it has.

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

With fewer than two documents there is nothing to resample: intervals and p are NaN.
Where no replicate differs from the estimate the interval is that one point.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from corefine.corpus.arrays import FloatArray, IntArray
from corefine.errors import UsageError
from corefine.output.progress import Progress, silent
from corefine.scoring.resampling.panel import F1, Panel, jackknife, rounding

# Bytes of one block of counts with its products, and rows of replicates that are sorted together.
BLOCK_BYTES = 128 * 2**20
SORT_ROWS = 64
# All replicates are kept, since BCa reads them where they lie.
KEPT_BYTES = 4 * 2**30

_quantile = np.vectorize(NormalDist().inv_cdf, otypes=[np.float64])
_probability = np.vectorize(NormalDist().cdf, otypes=[np.float64])


@dataclass(frozen=True, slots=True)
class Intervals:
    """Intervals of two kinds; the bounds are on the last axis."""

    percentile: FloatArray
    bca: FloatArray

    @classmethod
    def empty(cls, *shape: int) -> Intervals:
        return cls(np.full((*shape, 2), np.nan), np.full((*shape, 2), np.nan))


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """Result of the bootstrap.

    ``scores`` have the shape (systems, metrics, P/R/F), an average's P and R being NaN.
    ``differences`` and ``p_values`` are of F1, first − second: (pairs, metrics).
    """

    pairs: IntArray
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
    block: int | None = None,
    progress: Progress = silent,
) -> Bootstrap:
    """Intervals of every score and of every difference, with a test of the differences.

    ``block`` is the number of replicates multiplied at once; the result does not depend on it.
    """
    if replicates < 1:
        raise UsageError(f"replicates cannot be {replicates}", remedy="Use at least 1.")
    if not 0 < confidence < 1:
        raise UsageError(
            f"confidence {confidence} is not between 0 and 1", remedy="Use 0.95 for 95%."
        )
    pairs = panel.pairs() if pairs is None else pairs
    metrics, documents = len(panel.metrics), len(panel.documents)
    scores = Intervals.empty(len(panel.systems), metrics, 3)
    differences = Intervals.empty(len(pairs), metrics)
    p_values = np.full((len(pairs), metrics), np.nan)
    estimate = panel.scores()
    drawn = replicated(panel, replicates, seed, block, progress)
    if documents < 2:
        return Bootstrap(pairs, scores, differences, p_values)
    without = jackknife(panel)
    for metric, quantity in np.ndindex(metrics, 3):
        value = estimate[:, metric, quantity]
        resampled, left_out = drawn[metric, quantity], without[metric, quantity]
        if np.isnan(value).any():
            continue
        _fill(scores, (slice(None), metric, quantity), value, resampled, left_out, confidence)
        if quantity != F1:
            continue
        for begin in range(0, len(pairs), SORT_ROWS):
            rows = slice(begin, begin + SORT_ROWS)
            one, other = pairs[rows].T
            observed = value[one] - value[other]
            shifts = resampled[one] - resampled[other]
            left = left_out[one] - left_out[other]
            _fill(differences, (rows, metric), observed, shifts, left, confidence)
            slack = rounding(documents) * np.maximum(np.abs(value[one]), np.abs(value[other]))
            extreme = (
                np.abs(shifts - observed[:, np.newaxis])
                >= ((np.abs(observed) - slack)[:, np.newaxis])
            )
            p_values[rows, metric] = (extreme.sum(axis=1) + 1) / (replicates + 1)
    return Bootstrap(pairs, scores, differences, p_values)


def replicated(
    panel: Panel,
    replicates: int,
    seed: int,
    block: int | None = None,
    progress: Progress = silent,
) -> FloatArray:
    """Values of all replicates: (metrics, P/R/F, systems, replicates)."""
    count, systems, documents = panel.statistics.shape
    kept = 8 * len(panel.names) * 3 * systems * replicates
    if kept > KEPT_BYTES:
        raise UsageError(
            f"{replicates:,} bootstrap samples of {systems} systems and {len(panel.names)} "
            f"metrics need {kept / 1e9:.0f} GB of memory",
            remedy=f"Use at most {replicates * KEPT_BYTES // kept:,}, or fewer metrics.",
        )
    if block is None:
        per_replicate = 24 * documents + 8 * (count + 6 * len(panel.names)) * systems + 1
        block = max(1, BLOCK_BYTES // per_replicate)
    values = np.empty((len(panel.names), 3, systems, replicates))
    done = 0
    for counts in drawn_counts(documents, replicates, block, seed, panel.strata):
        values[..., done : done + len(counts)] = panel.evaluate(panel.weighted(counts))
        done += len(counts)
        progress("resampling", done, replicates)
    return values


def drawn_counts(
    documents: int, replicates: int, block: int, seed: int, strata: Sequence[int] = ()
) -> Iterator[FloatArray]:
    """How often each replicate drew each document: blocks (n, D) of multinomial counts.

    With ``strata``, how many documents each data set has, each draws as many of its own.
    """
    generator = np.random.Generator(np.random.PCG64(seed))
    ends = np.cumsum(strata or (documents,)).tolist()
    parts = list(zip([0, *ends], ends, strict=False))
    for begin in range(0, replicates, block):
        size = min(block, replicates - begin)
        if documents == 0:
            yield np.zeros((size, 0))
            continue
        drawn = [generator.integers(begin, end, (size, end - begin)) for begin, end in parts]
        draws = np.concatenate(drawn, axis=1) if strata else drawn[0]
        draws += documents * np.arange(size)[:, np.newaxis]
        counts = np.bincount(draws.ravel(), minlength=size * documents)
        yield counts.reshape(size, documents).astype(np.float64)


def _fill(
    intervals: Intervals,
    place: tuple[int | slice, ...],
    estimate: FloatArray,
    resampled: FloatArray,
    jackknife: FloatArray,
    confidence: float,
) -> None:
    """Write the intervals of estimates (n,) from replicates (n, N) and the jackknife (n, D)."""
    levels = np.array([(1 - confidence) / 2, (1 + confidence) / 2])
    ordered = np.sort(resampled, axis=1)
    intervals.percentile[place] = quantiles(ordered, np.tile(levels, (len(estimate), 1)))
    slack = rounding(jackknife.shape[1])
    adjusted = bca_levels(estimate, ordered, jackknife, levels, slack)
    intervals.bca[place] = quantiles(ordered, adjusted)


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
    bias = _quantile(proportion)[:, np.newaxis]
    deviation = jackknife.mean(axis=1, keepdims=True) - jackknife
    squares = np.square(deviation).sum(axis=1)
    flat = squares <= slack**2
    acceleration = (deviation**3).sum(axis=1) / (6 * np.where(flat, 1.0, squares) ** 1.5)
    acceleration[flat] = 0.0
    shifted = bias + _quantile(levels)
    # |a| is far below 1/|z| unless one document is the corpus; there the level goes to its end.
    denominator = np.maximum(1 - acceleration[:, np.newaxis] * shifted, 1e-9)
    levels_read: FloatArray = _probability(bias + shifted / denominator)
    return levels_read


def quantiles(ordered: FloatArray, levels: FloatArray) -> FloatArray:
    """Quantiles of sorted rows (rows, N) at levels of their own (rows, levels), interpolated."""
    last = ordered.shape[1] - 1
    position = np.clip(levels, 0.0, 1.0) * last
    low = np.floor(position).astype(np.int64)
    high = np.minimum(low + 1, last)
    lower = np.take_along_axis(ordered, low, axis=1)
    upper = np.take_along_axis(ordered, high, axis=1)
    between: FloatArray = lower + (position - low) * (upper - lower)
    return between
