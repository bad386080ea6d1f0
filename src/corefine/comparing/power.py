"""Effect sizes, the difference that a corpus can show, and what a careful reader should be told.

The score of a corpus is not a mean over documents, so the spread between documents is taken from
the jackknife: leaving out document i changes a difference δ to δ₍ᵢ₎, and

    standard error  SE = √( (D−1)/D · Σ (δ₍ᵢ₎ − mean)² )
    effect size     δ / (SE·√D)

The denominator is the standard deviation of the jackknife's pseudo-values D·δ − (D−1)·δ₍ᵢ₎, so
the effect size is a standardised paired difference (Cohen's d_z): it does not grow with the corpus.

A two-sided test at α finds a true difference Δ with the probability 1−β if
Δ = (z_{1−α/2} + z_{1−β})·SE: the smallest difference that this corpus could have shown.

SE is itself an estimate. Its relative variance v follows from the fourth moment of the deviations
dᵢ = δ₍ᵢ₎ − mean, v = ¼·(Σdᵢ⁴/(Σdᵢ²)² − 1/D). Since 1/SE is too large on average, by the factor
1 + 3v/2, and varies, Φ(Δ/SE − z) would overstate small power; with x = Δ/SE the power is

    Φ( ((1 − 3v/2)·x − z) / √(1 − v·x²) ),

in which both are taken back to the first order of v.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from corefine.comparing.multiple_testing import Correction
from corefine.comparing.plan import Test
from corefine.comparing.randomization import Scheme, number_of_deals
from corefine.corpus.arrays import FloatArray, IntArray
from corefine.errors import UsageError
from corefine.scoring.resampling.panel import F1, Panel, jackknife

MOST_SPREAD = 0.5
"""What v·x² is taken to be at most: where it is large, the first order says little."""


@dataclass(frozen=True, slots=True)
class Effects:
    """One row a pair, one column a metric. NaN where there is no spread between documents."""

    difference: FloatArray
    standard_error: FloatArray
    effect_size: FloatArray
    error_variance: FloatArray
    """The variance of the standard error, relative to its square."""


def effects(panel: Panel, pairs: IntArray) -> Effects:
    """Differences of F1 with their jackknife standard errors and effect sizes.

    A difference of exactly zero without any spread (two equal systems) has the effect size 0.
    """
    documents = len(panel.documents)
    scores = panel.scores()[:, :, F1]
    difference = scores[pairs[:, 0]] - scores[pairs[:, 1]]
    if documents < 2:
        nothing = np.full(difference.shape, np.nan)
        return Effects(difference, nothing, nothing, nothing)
    without = jackknife(panel)[:, F1]  # (metrics, systems, documents)
    error, variance = np.empty(difference.shape), np.empty(difference.shape)
    for row, (first, second) in enumerate(pairs):
        left = without[:, first] - without[:, second]
        deviation = left - left.mean(axis=1, keepdims=True)
        squares = np.square(deviation)
        total = squares.sum(axis=1)
        error[row] = np.sqrt((documents - 1) / documents * total)
        fourth = np.square(squares / np.where(total > 0, total, np.inf)[:, np.newaxis]).sum(axis=1)
        variance[row] = np.maximum(fourth - 1 / documents, 0) / 4
    spread = error * np.sqrt(documents)
    flat = spread <= 1e-12
    size = difference / np.where(flat, np.nan, spread)
    size[flat & (np.abs(difference) <= 1e-12)] = 0.0
    return Effects(difference, error, size, variance)


def smallest_detectable(
    standard_error: FloatArray, *, alpha: float = 0.05, power: float = 0.8
) -> FloatArray:
    """Smallest true difference that a two-sided test at ``alpha`` finds with this power."""
    return _reach(alpha, power) * np.asarray(standard_error, dtype=np.float64)


def power_at(
    difference: float,
    standard_error: float,
    error_variance: float,
    *,
    alpha: float = 0.05,
    bound: float = 0.0,
) -> float:
    """The probability that a true difference is found to be significant and beyond a bound.

    The standard error is an estimate with this relative variance, which is allowed for.
    """
    reach = NormalDist().inv_cdf(1 - alpha / 2)
    if standard_error == 0:
        return float(difference > bound)

    def exceeded(x: float, limit: float) -> float:
        spread = np.sqrt(1 - min(error_variance * x**2, MOST_SPREAD))
        return NormalDist().cdf(((1 - 1.5 * error_variance) * x - limit) / spread)

    return min(
        exceeded(difference / standard_error, reach),
        exceeded((difference - bound) / standard_error, 0.0),
    )


def documents_needed(
    effect_size: FloatArray, *, alpha: float = 0.05, power: float = 0.8
) -> FloatArray:
    """Documents like these that would show an effect of this size; infinite for no effect."""
    size = np.abs(np.asarray(effect_size, dtype=np.float64))
    with np.errstate(divide="ignore"):
        return np.ceil(np.square(_reach(alpha, power) / size))


def differing_documents(panel: Panel, pairs: IntArray) -> IntArray:
    """Documents on which the two systems have other statistics: (pairs, metrics).

    Only these can be swapped to any effect. An average's are those of any of its parts.
    """
    counts = np.zeros((len(pairs), len(panel.metrics)), dtype=np.int64)
    for column, metric in enumerate(panel.metrics):
        statistics = panel.statistics[panel.rows(metric)]
        differs = (statistics[:, pairs[:, 0]] != statistics[:, pairs[:, 1]]).any(axis=0)
        counts[:, column] = differs.sum(axis=1)
    return counts


def smallest_p(documents: int, scheme: Scheme, trials: int, test: Test) -> tuple[float, float]:
    """The smallest p that there is with so many documents, and with so many trials.

    The observed deal and its mirror image are as extreme as any: 2 of all deals. A bootstrap always
    draws at random; only a randomization can run out of deals.
    """
    deals = number_of_deals(documents, scheme) if test == "randomization" else None
    of_all = 0.0 if deals is None else min(1.0, 2 / deals)
    return of_all, 0.0 if deals is not None and deals <= trials else 1 / (trials + 1)


def cautions(
    *,
    documents: int,
    comparisons: int,
    alpha: float,
    scheme: Scheme = "paired",
    trials: int = 20_000,
    test: Test = "randomization",
    correction: Correction = "holm",
    fewest_differing: int | None = None,
) -> list[str]:
    """What makes significance unreachable here, as sentences; empty if nothing does.

    The level is the largest p with which any difference can be significant: α/m under Bonferroni
    and Holm, who begin with the smallest p, and α under Benjamini–Hochberg, where the k-th
    smallest of m is judged at kα/m, so that all of them may be significant at α.
    ``fewest_differing`` is the least entry of :func:`differing_documents`.
    """
    if not 0 < alpha < 1:
        raise UsageError(f"α = {alpha} is not between 0 and 1", remedy="Try 0.05.")
    comparisons = max(comparisons, 1)
    level = alpha / comparisons if correction in ("bonferroni", "holm") else alpha
    said = f"{level:.3g}" if level == alpha else f"{level:.3g} (= {alpha:g}/{comparisons})"
    found = []
    needed = int(np.ceil(1 / level - 1e-9)) - 1
    of_all, drawn = smallest_p(documents, scheme, trials, test)
    together = int(np.ceil(max(of_all, drawn) * comparisons / alpha - 1e-9))
    if of_all > level:
        found.append(
            f"Too few documents: with {documents}, the smallest possible p is {of_all:.3g}, "
            f"above the level {said}. No difference can be significant."
        )
    elif drawn > level:
        found.append(
            f"Too few permutations: with {trials}, the smallest possible p is {drawn:.3g}, "
            f"above the level {said}. Use at least {needed}."
        )
    elif correction == "bh" and together > 1:
        found.append(
            f"The smallest possible p is {max(of_all, drawn):.3g}: of {comparisons} "
            f"comparisons, either none or at least {together} are significant."
        )
    elif 2 * drawn > level:
        found.append(
            f"Few permutations: with {trials} and the level {said}, a difference is significant "
            f"only if no permutation reaches it. Use at least {needed * 10}."
        )
    if (
        fewest_differing is not None
        and test == "randomization"
        and scheme == "paired"
        and 0 < fewest_differing < documents
        and 2.0 ** (1 - fewest_differing) > level >= of_all
    ):
        found.append(
            f"Two systems differ on only {fewest_differing} of {documents} documents: the "
            f"smallest possible p for this pair is {2.0 ** (1 - fewest_differing):.3g}, above "
            f"the level {said}."
        )
    return found


def _reach(alpha: float, power: float) -> float:
    if not (0 < alpha < 1 and 0 < power < 1):
        raise UsageError(f"α = {alpha} and power = {power} must lie between 0 and 1")
    normal = NormalDist()
    return normal.inv_cdf(1 - alpha / 2) + normal.inv_cdf(power)
