r"""Approximate randomization: could the difference arise if the two systems were the same?

Under the null hypothesis, the statistics of a document could have come from either system. A
*shuffle* reassigns them, and

    p = (Nt + 1) / (N + 1),   Nt = number of N shuffles with |f_A′ − f_B′| ≥ |f_A − f_B|

(Noreen 1989). There are two schemes:

``paired``
    every document is swapped between A and B with probability ½. If there are no more than N of the
    2^D possible shuffles, all are made, and p = Nt / N, the observed assignment included.
``pooled``
    the 2D entries of both systems are pooled, and D of them drawn without replacement for A
    (MCORES, Appendix IV). This ignores the pairing and has less power. All draws are made if there
    are no more than N.

The observed assignment and its mirror image are the most extreme, so that p is never below
2 / (number of assignments).

In a suite of data sets, the difference of the macro averages is divided by its standard error
within data sets, recomputed in every shuffle (Janssen 1997; Chung & Romano 2013). Otherwise a data
set in which A is better and another in which B is better would widen the null distribution, as if
these effects were chance.

All pairs and metrics share the shuffles. After the paired swap of documents z ∈ {0,1}^D, the sums
of A are (T_A − zX_A) + zX_B: products are needed per system, not per pair.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import combinations, islice
from math import comb
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from corefine.corpus.arrays import ByteArray, FloatArray, IntArray
from corefine.output.progress import Progress, silent
from corefine.scoring.resampling import F1, Panel, remainder, rounding

Scheme = Literal["paired", "pooled"]

SCHEMES: tuple[Scheme, ...] = get_args(Scheme)

# Bytes of one block of shuffles with its products: few large products are faster than many small.
BLOCK_BYTES = 256 * 2**20
# Shuffles that are finished together: 2 × 2048 doubles an array keep a metric within the cache.
PIECE = 2048
VAST = 1e100
"""Ratio of two standard errors if the second is 0."""


@dataclass(frozen=True, slots=True)
class Randomization:
    """Result of the test of F1, with a row per pair of systems and a column per metric.

    ``observed`` is the difference first − second; ``extreme`` is Nt.
    """

    pairs: IntArray
    exact: bool
    shuffles: int
    observed: FloatArray
    extreme: IntArray
    p_values: FloatArray


def randomization_test(
    panel: Panel,
    *,
    pairs: IntArray | None = None,
    trials: int = 20_000,
    scheme: Scheme = "paired",
    seed: int = 0,
    exact: bool = True,
    block: int | None = None,
    observed: FloatArray | None = None,
    shifts: Callable[[int, int], FloatArray] | None = None,
    progress: Progress = silent,
) -> Randomization:
    """Test the differences of all pairs of systems on all metrics of the panel at once.

    ``exact=False`` draws at random even if all shuffles could be made. ``block`` is the number of
    shuffles multiplied at once; the result does not depend on it.

    With several runs, ``observed`` are the differences to test, (pairs, metrics), and
    ``shifts(pair, n)`` gives differences by chance between runs, (metrics, n), which are added to
    the next n shuffles. The observed assignment of documents and its mirror image always count, so
    that p is never smaller than without runs.
    """
    pairs = panel.pairs() if pairs is None else pairs
    documents = len(panel.documents)
    possible = assignments(documents, scheme)
    exact = exact and possible <= trials
    shuffles = trials
    if exact:
        # With runs, every assignment of documents is combined with several of runs.
        shuffles = possible * (1 if shifts is None else -(-trials // possible))
    block = block or _block_size(panel, scheme)

    values = panel.scores()[:, :, F1]
    first, second = values[pairs[:, 0]], values[pairs[:, 1]]
    observed = first - second if observed is None else observed
    # Equal statistics must count as ties whatever the order in which they were summed.
    slack = rounding(documents) * np.maximum(np.abs(first), np.abs(second))
    threshold = np.abs(observed) - slack
    errors = [_WithinDataSets.of(panel, pair) for pair in pairs] if panel.strata else []

    extreme = np.zeros(observed.shape, dtype=np.int64)
    done = 0
    for taken in _shuffles(documents, scheme, shuffles, block, None if exact else seed):
        products = _Products.of(panel, taken, scheme)
        for row, pair in enumerate(pairs):
            for begin in range(0, len(taken), PIECE):
                piece = slice(begin, min(begin + PIECE, len(taken)))
                count = piece.stop - piece.start
                difference = panel.differences(partial(products.sums, pair, piece))
                if shifts is not None:
                    difference += shifts(row, count)
                    fixed = taken[piece].sum(axis=1) % max(documents, 1) == 0
                    difference[:, fixed] = observed[row, :, np.newaxis]
                difference = np.abs(difference)
                if errors:
                    difference *= errors[row].relative(taken[piece])
                reached = difference >= threshold[row, :, np.newaxis]
                extreme[row] += np.count_nonzero(reached, axis=1)
        done += len(taken)
        progress("shuffling", done, shuffles)
    p_values = extreme / shuffles if exact else (extreme + 1) / (shuffles + 1)
    p_values = np.maximum(p_values, smallest_p_value(documents, scheme))
    return Randomization(pairs, exact, shuffles, observed, extreme, p_values)


def assignments(documents: int, scheme: Scheme) -> int:
    """Number of ways to assign the entries of two systems to them."""
    return 2**documents if scheme == "paired" else comb(2 * documents, documents)


def smallest_p_value(documents: int, scheme: Scheme) -> float:
    """Smallest possible p: the observed assignment and its mirror image among all.

    >>> smallest_p_value(3, "paired"), smallest_p_value(3, "pooled")
    (0.25, 0.1)
    """
    return min(1.0, 2 / assignments(documents, scheme))


@dataclass(frozen=True, slots=True)
class _Products:
    """Statistics that each system contributes in each shuffle: (statistics, systems, shuffles, …).

    The first system of a pair gives ``first_kept`` to the first side and ``first_lost`` to the
    second; the second system gives ``second_taken`` to the first side and keeps ``second_left``.
    """

    first_kept: FloatArray
    first_lost: FloatArray
    second_taken: FloatArray
    second_left: FloatArray

    @classmethod
    def of(cls, panel: Panel, taken: ByteArray, scheme: Scheme) -> _Products:
        documents = len(panel.documents)
        parts = [np.abs(panel.statistics[:, :, block]).sum(axis=2) for block in panel.blocks]
        scale = (np.stack(parts, axis=-1) if panel.strata else parts[0])[:, :, np.newaxis]
        whole = panel.totals[:, :, np.newaxis]
        if scheme == "paired":
            swapped = panel.weighted(taken.astype(np.float64))
            stayed = remainder(whole, swapped, scale, documents)
            return cls(stayed, swapped, swapped, stayed)
        kept = panel.weighted(taken[:, :documents].astype(np.float64))
        got = panel.weighted(taken[:, documents:].astype(np.float64))
        lost = remainder(whole, kept, scale, documents)
        left = remainder(whole, got, scale, documents)
        return cls(kept, lost, got, left)

    def sums(self, pair: IntArray, piece: slice, rows: slice) -> FloatArray:
        """Statistics in these rows of both sides of a pair after the shuffles of the piece."""
        first, second = pair
        kept, taken = self.first_kept[rows, first, piece], self.second_taken[rows, second, piece]
        lost, left = self.first_lost[rows, first, piece], self.second_left[rows, second, piece]
        sums = np.empty((len(kept), 2, *kept.shape[1:]))
        np.add(kept, taken, out=sums[:, 0])
        np.add(lost, left, out=sums[:, 1])
        return sums


@dataclass(frozen=True, slots=True)
class _WithinDataSets:
    """Standard error within data sets of the difference between the macro averages of two systems.

    The difference is linear, to the first order, in the jackknife's pseudo-values of the documents,
    of which a swap changes the sign.
    """

    blocks: list[slice]
    values: FloatArray
    """Pseudo-values by metric and document, divided by the number of data sets."""
    observed: FloatArray
    """Standard error of the observed difference, by metric."""

    @classmethod
    def of(cls, panel: Panel, pair: IntArray) -> _WithinDataSets:
        first, second = pair
        whole = panel.whole[:, F1]
        by_data_set = (whole[:, first] - whole[:, second]) / len(panel.strata)
        without = panel.leave_one_out()[:, F1]
        change = by_data_set.sum(axis=1, keepdims=True) - (without[:, first] - without[:, second])
        sizes = np.repeat(panel.strata, panel.strata)
        values = np.repeat(by_data_set, panel.strata, axis=1) + (sizes - 1) * change
        found = cls(panel.blocks, values, np.ones(len(values)))
        return cls(panel.blocks, values, found._errors(np.zeros((1, len(sizes)), np.uint8))[:, 0])

    def _errors(self, swapped: ByteArray) -> FloatArray:
        """Standard errors (metrics, n) after swaps (n, documents)."""
        signs = 1.0 - 2.0 * swapped
        variance = np.zeros((len(self.values), len(swapped)))
        for block in self.blocks:
            own = self.values[:, block]
            size = own.shape[1]
            if size > 1:
                squares = np.square(own).mean(axis=1, keepdims=True)
                spread = squares - np.square(own @ signs[:, block].T / size)
                spread[spread <= 1e-12 * squares] = 0.0
                variance += spread / (size - 1)
        return np.sqrt(variance)

    def relative(self, swapped: ByteArray) -> FloatArray:
        """The observed standard error divided by the one of each shuffle: (metrics, n)."""
        observed, errors = self.observed[:, np.newaxis], self._errors(swapped)
        ratio = observed / np.where(errors == 0, 1.0, errors)
        return np.where(errors == 0, np.where(observed == 0, 1.0, VAST), ratio)


def _block_size(panel: Panel, scheme: Scheme) -> int:
    """Number of shuffles whose masks and products fit into BLOCK_BYTES."""
    count, systems, documents = panel.statistics.shape
    masks, products = (documents, 2) if scheme == "paired" else (3 * documents, 4)
    sums = count * systems * max(len(panel.strata), 1)
    return max(1, int(BLOCK_BYTES // (9 * masks + 8 * (products + 1) * sums + 1)))


def _shuffles(
    documents: int, scheme: Scheme, shuffles: int, block: int, seed: int | None
) -> Iterator[ByteArray]:
    """Yield blocks of swaps (n, D), or (n, 2D) of pooled entries drawn for the first side.

    Without a seed, all of them in turn. Random ones read the generator's words in the order of the
    shuffles, so that a shuffle does not depend on its block.
    """
    generator = None if seed is None else np.random.Generator(np.random.PCG64(seed))
    chosen = combinations(range(2 * documents), documents)
    for begin in range(0, shuffles, block):
        size = min(block, shuffles - begin)
        if generator is None and scheme == "pooled":
            drawn = np.zeros((size, 2 * documents), np.uint8)
            np.put_along_axis(drawn, np.array(list(islice(chosen, size)), np.int64), 1, axis=1)
            yield drawn
        elif generator is None or scheme == "paired":
            if generator is None:
                numbers = np.arange(begin, begin + size, dtype="<u8")[:, np.newaxis]
            else:
                numbers = _words(generator, size, -(-documents // 64)).astype("<u8")
            yield np.unpackbits(numbers.view(np.uint8), axis=1, count=documents, bitorder="little")
        elif documents == 0:
            yield np.zeros((size, 0), np.uint8)
        else:
            # The D smallest of 2D random words.
            keys = _words(generator, size, 2 * documents)
            last = np.partition(keys, documents - 1, axis=1)[:, [documents - 1]]
            yield (keys <= last).view(np.uint8)


def _words(generator: np.random.Generator, rows: int, columns: int) -> NDArray[np.uint64]:
    last = np.iinfo(np.uint64).max
    return generator.integers(0, last, (rows, columns), dtype=np.uint64, endpoint=True)
