"""Effect sizes, the difference that a corpus can show, and what a careful reader should be told.

The score of a corpus is not a mean over documents, so the spread between documents is taken from
the jackknife: leaving out document i changes a difference δ to δ₍ᵢ₎, and

    standard error  SE = √( (D−1)/D · Σ (δ₍ᵢ₎ − mean)² )
    effect size     δ / (SE·√D)

The denominator is the standard deviation of the jackknife's pseudo-values D·δ − (D−1)·δ₍ᵢ₎, so
the effect size is a standardised paired difference (Cohen's d_z): it does not grow with the corpus.

A two-sided test at α finds a true difference Δ with the probability 1−β if
Δ = (z_{1−α/2} + z_{1−β})·SE: the smallest difference that this corpus could have shown.
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


@dataclass(frozen=True, slots=True)
class Effects:
    """One row a pair, one column a metric. NaN where there is no spread between documents."""

    difference: FloatArray
    standard_error: FloatArray
    effect_size: FloatArray


def effects(panel: Panel, pairs: IntArray) -> Effects:
    """Differences of F1 with their jackknife standard errors and effect sizes.

    A difference of exactly zero without any spread (two equal systems) has the effect size 0.
    """
    documents = len(panel.documents)
    scores = panel.scores()[:, :, F1]
    difference = scores[pairs[:, 0]] - scores[pairs[:, 1]]
    if documents < 2:
        nothing = np.full(difference.shape, np.nan)
        return Effects(difference, nothing, nothing)
    without = jackknife(panel)[:, F1]  # (metrics, systems, documents)
    error = np.empty(difference.shape)
    for row, (first, second) in enumerate(pairs):
        left = without[:, first] - without[:, second]
        deviation = left - left.mean(axis=1, keepdims=True)
        error[row] = np.sqrt((documents - 1) / documents * np.square(deviation).sum(axis=1))
    spread = error * np.sqrt(documents)
    flat = spread <= 1e-12
    size = difference / np.where(flat, np.nan, spread)
    size[flat & (np.abs(difference) <= 1e-12)] = 0.0
    return Effects(difference, error, size)


def smallest_detectable(
    standard_error: FloatArray, *, alpha: float = 0.05, power: float = 0.8
) -> FloatArray:
    """Smallest true difference that a two-sided test at ``alpha`` finds with this power."""
    return _reach(alpha, power) * np.asarray(standard_error, dtype=np.float64)


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
    # The observed deal and its mirror image are as extreme as any: 2 of all deals. A bootstrap
    # always draws at random; only a randomization can run out of deals.
    deals = number_of_deals(documents, scheme) if test == "randomization" else None
    of_all = 0.0 if deals is None else min(1.0, 2 / deals)
    drawn = 0.0 if deals is not None and deals <= trials else 1 / (trials + 1)
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
        and deals is not None
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
