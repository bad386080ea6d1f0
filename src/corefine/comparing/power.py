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

from corefine.comparing.panel import (
    QUANTITIES,
    Panel,
    Quantity,
    leave_one_out,
)
from corefine.comparing.plan import Test
from corefine.comparing.randomization import Scheme, number_of_deals
from corefine.corpus.arrays import FloatArray, IntArray
from corefine.errors import UsageError


@dataclass(frozen=True, slots=True)
class Effects:
    """One row a pair, one column a measure. NaN where there is no spread between documents."""

    pairs: IntArray
    difference: FloatArray
    standard_error: FloatArray
    effect_size: FloatArray


def effects(panel: Panel, *, pairs: IntArray | None = None, quantity: Quantity = "f1") -> Effects:
    """Differences with their jackknife standard errors and effect sizes.

    A difference of exactly zero without any spread (two equal systems) has the effect size 0.
    """
    pairs = panel.pairs() if pairs is None else pairs
    documents = len(panel.documents)
    which = QUANTITIES.index(quantity)
    scores = panel.scores()[:, :, which]
    difference = scores[pairs[:, 0]] - scores[pairs[:, 1]]
    if documents < 2:
        nothing = np.full(difference.shape, np.nan)
        return Effects(pairs, difference, nothing, nothing)
    without = leave_one_out(panel)[:, which]  # (measures, systems, documents)
    error = np.empty(difference.shape)
    for row, (first, second) in enumerate(pairs):
        left = without[:, first] - without[:, second]
        deviation = left - left.mean(axis=1, keepdims=True)
        error[row] = np.sqrt((documents - 1) / documents * np.square(deviation).sum(axis=1))
    spread = error * np.sqrt(documents)
    flat = spread <= 1e-12
    size = difference / np.where(flat, np.nan, spread)
    size[flat & (np.abs(difference) <= 1e-12)] = 0.0
    return Effects(pairs, difference, error, size)


def smallest_detectable(
    standard_error: FloatArray, *, alpha: float = 0.05, power: float = 0.8
) -> FloatArray:
    """Smallest true difference that a two-sided test at ``alpha`` finds with this power.

    ``standard_error`` may come from the jackknife, the bootstrap or the randomization's spread.
    """
    return _reach(alpha, power) * np.asarray(standard_error, dtype=np.float64)


def documents_needed(
    effect_size: FloatArray, *, alpha: float = 0.05, power: float = 0.8
) -> FloatArray:
    """Documents like these that would show an effect of this size; infinite for no effect."""
    size = np.abs(np.asarray(effect_size, dtype=np.float64))
    with np.errstate(divide="ignore"):
        return np.ceil(np.square(_reach(alpha, power) / size))


def differing_documents(panel: Panel, pairs: IntArray) -> IntArray:
    """Documents on which the two systems have other statistics: (pairs, measures).

    Only these can be swapped to any effect. A composite's are those of any of its parts.
    """
    differs = {
        measure.name: (measure.statistics[pairs[:, 0]] != measure.statistics[pairs[:, 1]]).any(2)
        for measure in panel.measures
    }
    columns = [differs[measure.name] for measure in panel.measures]
    columns += [
        np.any([differs[part] for part in composite.parts], axis=0)
        for composite in panel.composites
    ]
    counts = [column.sum(axis=1) for column in columns]
    return np.array(counts, dtype=np.int64).reshape(len(columns), len(pairs)).T


def smallest_attainable_p(
    documents: int, *, scheme: Scheme = "paired", trials: int = 20_000, exact: bool = True
) -> float:
    """Smallest p that the randomization test could have given.

    The observed deal and its mirror image are as extreme as any: 2 of all deals, the only one if
    there are no documents. At random, no p is below 1/(N+1).
    """
    deals = number_of_deals(documents, scheme)
    of_all = min(1.0, 2 / deals)
    return of_all if exact and deals <= trials else max(of_all, 1 / (trials + 1))


def cautions(
    *,
    documents: int,
    comparisons: int,
    alpha: float,
    scheme: Scheme = "paired",
    trials: int = 20_000,
    test: Test = "randomization",
    corrected: bool = True,
    fewest_differing: int | None = None,
) -> list[str]:
    """What makes significance unreachable here, as sentences; empty if nothing does.

    ``corrected`` tells whether α is corrected over the comparisons: the smallest p then has to be
    at most α/m, under Holm and Benjamini–Hochberg too when nothing else is significant.
    ``fewest_differing`` is the least entry of :func:`differing_documents`.
    """
    if not 0 < alpha < 1:
        raise UsageError(f"α = {alpha} is not between 0 and 1", remedy="Try 0.05.")
    level = alpha / max(comparisons, 1) if corrected else alpha
    said = f"{level:.3g}" if level == alpha else f"{level:.3g} (= {alpha:g}/{comparisons})"
    found = []
    needed = int(np.ceil(1 / level - 1e-9)) - 1
    # A bootstrap always draws at random; only a randomization can run out of deals.
    deals = number_of_deals(documents, scheme) if test == "randomization" else None
    at_random = deals is None or deals > trials
    if deals is not None and 2 / deals > level:
        found.append(
            f"Too few documents: with {documents} the smallest possible p is "
            f"{min(1.0, 2 / deals):.3g}, above the level {said}. No difference can be significant."
        )
    elif at_random and 1 / (trials + 1) > level:
        found.append(
            f"Too few trials: with {trials} the smallest possible p is {1 / (trials + 1):.3g}, "
            f"above the level {said}. Ask for at least {needed}."
        )
    elif at_random and 2 / (trials + 1) > level:
        found.append(
            f"Few trials: with {trials} and the level {said}, a difference is significant only if "
            f"not one trial is as large. Ask for at least {needed * 10}."
        )
    if (
        fewest_differing is not None
        and deals is not None
        and scheme == "paired"
        and 0 < fewest_differing < documents
        and 2.0 ** (1 - fewest_differing) > level >= 2 / deals
    ):
        found.append(
            f"Two systems differ on {fewest_differing} of {documents} documents only: the smallest "
            f"possible p of that pair is {2.0 ** (1 - fewest_differing):.3g}, above the level "
            f"{said}."
        )
    return found


def _reach(alpha: float, power: float) -> float:
    if not (0 < alpha < 1 and 0 < power < 1):
        raise UsageError(f"α = {alpha} and power = {power} must lie between 0 and 1")
    normal = NormalDist()
    return normal.inv_cdf(1 - alpha / 2) + normal.inv_cdf(power)
