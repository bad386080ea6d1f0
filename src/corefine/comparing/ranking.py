"""Rankings: ranks, groups and letters of systems, and the agreement of metrics on their order.

"No significant difference" is not transitive: A may not differ from B, nor B from C, while A
differs from C. No ranking can then both give equal ranks to every two systems that do not differ
and keep apart every two that do. Letters (a compact letter display) can: two systems share a
letter if and only if their difference is not significant.

The agreement of two metrics is Kendall's τ-b = (C − D) / √((n₀−n₁)(n₀−n₂)), with C concordant and D
discordant pairs, n₀ = n(n−1)/2 and n₁, n₂ the pairs tied in the first and in the second column
(Kendall 1945). It is NaN if a column is constant or has fewer than two rows.
"""

from __future__ import annotations

from string import ascii_letters

import numpy as np
from numpy.typing import ArrayLike

from corefine.corpus.arrays import BoolArray, FloatArray, IntArray
from corefine.errors import UsageError
from corefine.scoring.resampling import TIE, TIE_DECIMALS


def ranks_and_letters(
    f1: FloatArray, pairs: IntArray, adjusted: FloatArray, alpha: float
) -> list[list[tuple[int, str | None]]]:
    """Rank and letters of each system, by metric, from F1 (systems, metrics) and adjusted p.

    Metrics without any p have no letters, and the ranks of F1 alone.
    """
    found: list[list[tuple[int, str | None]]] = []
    for scores, p in zip(f1.T, adjusted.T, strict=True):
        marks: list[str | None] = [None] * len(scores)
        if np.isnan(p).all():
            different = ~np.eye(len(scores), dtype=np.bool_)
            scores = scores.round(TIE_DECIMALS)
        else:
            # A pair whose p is NaN does not differ.
            different = np.zeros((len(scores), len(scores)), dtype=np.bool_)
            different[pairs[:, 0], pairs[:, 1]] = p <= alpha
            different |= different.T
            marks = [*letters(scores, different)]
        ranks = significance_ranks(scores, different).tolist()
        found.append(list(zip(ranks, marks, strict=True)))
    return found


def ranked(values: FloatArray) -> FloatArray:
    """Competition ranks from the greatest value down; NaN stays NaN.

    >>> ranked(np.array([0.5, 1.0, np.nan, 1.0, 0.2])).tolist()
    [3.0, 1.0, nan, 1.0, 4.0]
    """
    known = np.sort(values[~np.isnan(values)])
    ranks = len(known) - np.searchsorted(known, values, side="right") + 1.0
    return np.where(np.isnan(values), np.nan, ranks)


def significance_ranks(scores: FloatArray, significant: BoolArray) -> IntArray:
    """1 + the number of systems that are significantly better, as in Table 5 of the LEA paper.

    Every difference of rank is a significant difference; neighbours in a long slope may have
    unequal ranks.

    >>> significant = np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]], bool)
    >>> significance_ranks(np.array([0.9, 0.8, 0.7]), significant).tolist()
    [1, 1, 2]
    """
    better = significant & (scores > scores[:, np.newaxis])
    ranks: IntArray = better.sum(axis=1, dtype=np.int64) + 1
    return ranks


def groups(scores: FloatArray, significant: BoolArray) -> list[list[int]]:
    """Groups of systems such that two share a group if and only if they do not differ.

    A system may be in several. Each group is a clique of the graph "does not differ" that no
    further system fits into, and the groups cover all its edges; the smallest such cover is hard
    to find (Gramm et al. 2007), so this one is greedy: it starts from the best uncovered pair and
    adds the system that covers most new pairs, then drops what the others cover. The number of
    groups never exceeds that of pairs, whatever the matrix. Best group first, best system first.
    """
    order = np.argsort(-scores, kind="stable")
    alike = ~significant[np.ix_(order, order)]
    np.fill_diagonal(alike, False)
    uncovered = np.triu(alike)
    uncovered |= uncovered.T
    cliques: list[IntArray] = []
    for start in range(len(order)):
        while uncovered[start].any():
            partner = int(np.argmax(uncovered[start]))
            clique = _grow([start, partner], alike, uncovered)
            uncovered[np.ix_(clique, clique)] = False
            cliques.append(clique)
        if not alike[start].any():
            cliques.append(np.array([start]))
    kept = _without_redundant(cliques, len(order))
    return [order[clique].tolist() for clique in sorted(kept, key=lambda c: c.tolist())]


def letters(scores: FloatArray, significant: BoolArray) -> list[str]:
    """Compact letter display: one string of letters for each system, ``a`` for the best group.

    >>> significant = np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]], bool)
    >>> letters(np.array([0.9, 0.8, 0.7]), significant)
    ['a', 'ab', 'b']
    """
    marks = [""] * len(scores)
    for number, members in enumerate(groups(scores, significant)):
        for system in members:
            marks[system] += letter(number)
    return marks


def letter(number: int) -> str:
    """The letter of a group: a … z, A … Z, then a′ …, one sign with primes, never ambiguous."""
    return ascii_letters[number % len(ascii_letters)] + "′" * (number // len(ascii_letters))


def _grow(members: list[int], alike: BoolArray, uncovered: BoolArray) -> IntArray:
    """Extend a clique until nothing fits; prefer what covers new pairs, then the better score."""
    fits = alike[members].all(axis=0)
    gain = uncovered[members].sum(axis=0)
    while fits.any():
        system = int(np.argmax(np.where(fits, gain, -1)))
        members.append(system)
        fits &= alike[system]
        gain += uncovered[system]
    return np.array(sorted(members))


def _without_redundant(cliques: list[IntArray], systems: int) -> list[IntArray]:
    """Drop each group whose pairs all occur in other groups too, the last group first."""
    together = np.zeros((systems, systems), dtype=np.int64)
    for clique in cliques:
        together[np.ix_(clique, clique)] += 1
    kept = []
    for clique in reversed(cliques):
        block = np.ix_(clique, clique)
        if (together[block] > 1).all():
            together[block] -= 1
        else:
            kept.append(clique)
    return kept


def tau_matrix(columns: ArrayLike) -> FloatArray:
    """τ-b between every two columns of an array (rows, columns).

    >>> tau_matrix([[1, 1], [2, 3], [3, 2], [4, 4]]).round(3).tolist()
    [[1.0, 0.667], [0.667, 1.0]]
    """
    given = np.asarray(columns, dtype=np.float64)
    if given.ndim != 2:
        raise UsageError("a τ matrix needs a two-dimensional array")
    # C − D of every two columns and, on the diagonal, the pairs that are not tied.
    agreement = np.zeros((given.shape[1],) * 2)
    for distance in range(1, len(given)):
        signs = np.sign(given[distance:] - given[:-distance])
        agreement += signs.T @ signs
    untied = agreement.diagonal()
    with np.errstate(invalid="ignore"):
        return agreement / np.sqrt(np.outer(untied, untied))


def discordant_pairs(first: ArrayLike, second: ArrayLike, tolerance: float = TIE) -> IntArray:
    """Pairs (i, j) of rows with i above j in the first column and below it in the second."""
    x, y = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    above = x[:, np.newaxis] > x[np.newaxis, :] + tolerance
    below = y[:, np.newaxis] < y[np.newaxis, :] - tolerance
    return np.argwhere(above & below)
