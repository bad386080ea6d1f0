"""Ranks, groups and letters of systems, from scores and the significance of their differences.

"No significant difference" is not transitive: A may not differ from B, nor B from C, while A
differs from C. No ranking can then both give equal ranks to every two systems that do not differ
and keep apart every two that do. Letters (a compact letter display) can: two systems share a
letter if and only if their difference is not significant.
"""

from __future__ import annotations

from string import ascii_letters
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from corefine.corpus.arrays import BoolArray, FloatArray, IntArray
from corefine.errors import UsageError, choose

RankRule = Literal["better", "leader", "chain"]

RANK_RULES: tuple[RankRule, ...] = get_args(RankRule)


def competition_ranks(scores: ArrayLike, tolerance: float = 1e-12) -> IntArray:
    """Ranks from the highest score down, equal scores sharing the best rank: 1, 1, 3.

    >>> competition_ranks([0.4, 0.9, 0.9]).tolist()
    [3, 1, 1]
    """
    given = _scores(scores)
    above = given[np.newaxis, :] > given[:, np.newaxis] + tolerance
    return _ranks(above)


def significance_matrix(
    pairs: IntArray, adjusted: FloatArray, systems: int, alpha: float
) -> BoolArray:
    """Symmetric matrix of significant differences from the adjusted p of each pair.

    Pairs that were not tested, and those whose p is NaN, count as not different: groups and letters
    say something only where all pairs were tested.
    """
    significant = np.zeros((systems, systems), dtype=np.bool_)
    significant[pairs[:, 0], pairs[:, 1]] = adjusted <= alpha
    return significant | significant.T


def significance_ranks(
    scores: ArrayLike, significant: ArrayLike, rule: RankRule = "better"
) -> IntArray:
    """Ranks with ties where no difference is significant, as in Table 5 of the LEA paper.

    Where "no significant difference" happens to be transitive the rules agree. Otherwise:

    ``better``
        1 + the number of systems that are significantly better (the default). Every difference of
        rank rests on a significant difference; neighbours in a long slope may have unequal ranks.
    ``leader``
        from the best score down, a system shares the rank of the best one of its group as long as
        it does not differ significantly from it; the next group starts behind all of these.
    ``chain``
        any two systems without a significant difference share a rank, and so do those between
        which there is a chain of such systems.

    >>> significance_ranks([0.9, 0.8, 0.7], [[0, 0, 1], [0, 0, 0], [1, 0, 0]]).tolist()
    [1, 1, 2]
    """
    given = _scores(scores)
    different = _significance(significant, len(given))
    choose("the rule of ranking", rule, RANK_RULES)
    if rule == "better":
        better = different & (given[np.newaxis, :] > given[:, np.newaxis])
        return _ranks(better)
    order = np.argsort(-given, kind="stable")
    head = np.arange(len(given))  # the number of the system whose rank each one shares
    if rule == "leader":
        for position, system in enumerate(order[1:], 1):
            leader = head[order[position - 1]]
            if not different[system, leader]:
                head[system] = leader
    else:
        for label in _reachable(~different):
            members = np.flatnonzero(label)
            head[members] = members[np.argmax(given[members])]
    # A group as a whole stands behind all systems of groups with a better head.
    before = given[head][np.newaxis, :] > given[head][:, np.newaxis]
    return _ranks(before)


def groups(scores: ArrayLike, significant: ArrayLike) -> list[list[int]]:
    """Groups of systems such that two share a group if and only if they do not differ.

    A system may stand in several. Each group is a clique of the graph "does not differ" that no
    further system fits into, and the groups cover all its edges; the smallest such cover is hard
    to find (Gramm et al. 2007), so this one is greedy: it starts from the best uncovered pair and
    adds the system that covers most new pairs, then drops what the others cover. The number of
    groups never exceeds that of pairs, whatever the matrix. Best group first, best system first.
    """
    given = _scores(scores)
    order = np.argsort(-given, kind="stable")
    alike = ~_significance(significant, len(given))[np.ix_(order, order)]
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


def letters(scores: ArrayLike, significant: ArrayLike) -> list[str]:
    """Compact letter display: one string of letters for each system, ``a`` for the best group.

    >>> letters([0.9, 0.8, 0.7], [[0, 0, 1], [0, 0, 0], [1, 0, 0]])
    ['a', 'ab', 'b']
    """
    marks = [""] * len(_scores(scores))
    for number, members in enumerate(groups(scores, significant)):
        for system in members:
            marks[system] += _letter(number)
    return marks


def _ranks(better: BoolArray) -> IntArray:
    """One more than the number of systems (columns) that come before each system (row)."""
    ranks: IntArray = better.sum(axis=1, dtype=np.int64) + 1
    return ranks


def _letter(number: int) -> str:
    """a … z, A … Z, then a′ … and so on: still one sign and its primes, so never ambiguous."""
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
    """Drop, last first, the groups all of whose pairs stand together in other groups too."""
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


def _reachable(alike: BoolArray) -> list[BoolArray]:
    """Connected components of a symmetric relation, each as a mask."""
    left = np.ones(len(alike), dtype=np.bool_)
    components = []
    while left.any():
        mask = np.zeros(len(alike), dtype=np.bool_)
        mask[np.argmax(left)] = True
        grown = mask | alike[mask].any(axis=0)
        while (grown != mask).any():
            mask = grown
            grown = mask | alike[mask].any(axis=0)
        left &= ~mask
        components.append(mask)
    return components


def _scores(scores: ArrayLike) -> FloatArray:
    given = np.asarray(scores, dtype=np.float64)
    if given.ndim != 1 or np.isnan(given).any():
        raise UsageError("systems are ranked by one score each, and every system needs one")
    return given


def _significance(significant: ArrayLike, systems: int) -> BoolArray:
    matrix = np.array(significant, dtype=np.bool_)
    if systems == 0 and matrix.size == 0:
        return np.zeros((0, 0), dtype=np.bool_)
    if matrix.shape != (systems, systems) or (matrix != matrix.T).any() or matrix.diagonal().any():
        raise UsageError(
            f"significance must be a symmetric {systems} × {systems} matrix, false on its diagonal"
        )
    return matrix
