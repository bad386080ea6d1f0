r"""Mean ranks over documents, with Friedman's test and Nemenyi's critical difference.

Every document ranks the systems by their F1 on it alone, ties sharing their mean rank. The tests
ask how *often* a system is better, all documents counting alike, and not by how much: they may
disagree with tests of the corpus score, in which large documents weigh more.

Friedman's test corrects for ties (Conover 1999); with two systems it is the sign test, by χ².
Nemenyi (Demšar 2006): mean ranks that differ by less than

.. math:: CD = q_\alpha \sqrt{k(k+1) / 6D}

do not differ significantly; q is the studentised range's quantile over √2.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, sqrt

import numpy as np

from corefine.corpus.arrays import FloatArray, IntArray
from corefine.errors import UsageError
from corefine.scoring.resampling.panel import TIE_DECIMALS


@dataclass(frozen=True, slots=True)
class MeanRanks:
    """Mean ranks of systems, Friedman's p, and Nemenyi's critical difference.

    ``groups`` hold the numbers of systems, best first, that lie within one critical difference,
    as large as they can be. p is NaN where no document tells any two systems apart.
    """

    ranks: FloatArray
    p_value: float
    critical_difference: float
    groups: tuple[tuple[int, ...], ...]


def mean_ranks(scores: FloatArray, alpha: float = 0.05) -> MeanRanks:
    """Rank systems (rows) on documents (columns), the highest score first."""
    systems, documents = scores.shape
    if systems < 2 or documents < 1:
        raise UsageError("mean ranks need at least two systems and one document")
    from scipy.stats import rankdata

    rounded = scores.round(TIE_DECIMALS)
    means = rankdata(-rounded, axis=0).mean(axis=1)
    difference = critical_difference(systems, documents, alpha)
    return MeanRanks(means, _friedman(rounded), difference, _groups(means, difference))


def critical_difference(systems: int, documents: int, alpha: float = 0.05) -> float:
    """Nemenyi's critical difference of mean ranks.

    >>> round(critical_difference(4, 14), 3)
    1.254
    """
    from scipy.stats import studentized_range

    quantile = float(studentized_range.ppf(1 - alpha, systems, inf)) / sqrt(2)
    return quantile * sqrt(systems * (systems + 1) / (6 * documents))


def _friedman(scores: FloatArray) -> float:
    from scipy.stats import chi2, friedmanchisquare

    if not np.ptp(scores, axis=0).any():
        return float("nan")
    if len(scores) > 2:
        return float(friedmanchisquare(*scores).pvalue)
    signs = np.sign(scores[0] - scores[1])
    return float(chi2.sf(signs.sum() ** 2 / np.count_nonzero(signs), 1))


def _groups(means: FloatArray, difference: float) -> tuple[tuple[int, ...], ...]:
    order: IntArray = np.argsort(means, kind="stable")
    ordered = means[order]
    ends = np.searchsorted(ordered, ordered + difference, side="left")
    groups: list[tuple[int, ...]] = []
    reached = 0
    for start, end in enumerate(np.maximum(ends, np.arange(len(order)) + 1).tolist()):
        if end > reached:
            groups.append(tuple(order[start:end].tolist()))
            reached = end
    return tuple(groups)
