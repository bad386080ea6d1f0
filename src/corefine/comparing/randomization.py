r"""Approximate randomization: would the difference arise if the systems were one and the same?

Under the null hypothesis a document's two sets of statistics could have come from either system.
A *shuffle* deals them out anew, and

    p = (Nt + 1) / (N + 1),   Nt = number of N shuffles with |f_A′ − f_B′| ≥ |f_A − f_B|

(Noreen 1989; MCORES, Appendix IV). Two ways to deal:

``paired``
    each document is swapped between A and B with probability ½ (the default). There are 2^D deals.
``pooled``
    the 2D entries are pooled and D of them drawn without replacement for A, as MCORES words it.
    It ignores the pairing and has next to no power. There are C(2D, D) deals.

When there are no more deals than trials asked for, all of them are made and p is the exact
proportion Nt / N, the observed deal among them.

All pairs and all metrics share the same shuffles. Each p by itself is what it would be with
shuffles of its own; sharing them makes the work small. The sum that A has after the paired swap of
documents z ∈ {0,1}^D is (T_A − zX_A) + zX_B: products are needed per *system*, S·k columns, and
not per pair, S(S−1)/2·k columns. What remains per pair is one addition and the scoring, done in
pieces that stay in the processor's cache.
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
from corefine.errors import UsageError, choose
from corefine.output.progress import Progress, silent
from corefine.scoring.resampling.panel import F1, Panel, remainder, rounding

Scheme = Literal["paired", "pooled"]

SCHEMES: tuple[Scheme, ...] = get_args(Scheme)

# Bytes of one block of shuffles with its products. Few large products are better than many small
# ones: the threads of a BLAS library keep spinning for a while after each.
BLOCK_BYTES = 256 * 2**20
# Shuffles that are finished together: 2 × 4096 doubles an array keep a metric within the cache.
PIECE = 4096


@dataclass(frozen=True, slots=True)
class Randomization:
    """Result of the test of F1, one row a pair of systems and one column a metric.

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

    ``exact=False`` draws at random even where all deals could be made. ``block`` is the number of
    shuffles multiplied at once; the shuffles, and so the result, do not depend on it.

    What moves the systems beside the documents adds to the shuffled differences: ``shifts(pair,
    n)`` gives the next n of a pair, (metrics, n). ``observed`` are then the differences to test,
    (pairs, metrics), where they are not those of the panel's own scores.
    """
    if trials < 1:
        raise UsageError(f"trials cannot be {trials}", remedy="Use at least 1.")
    choose("scheme", scheme, SCHEMES)
    pairs = panel.pairs() if pairs is None else pairs
    documents = len(panel.documents)
    statistics = panel.statistics
    deals = number_of_deals(documents, scheme)
    enumerate_all = exact and deals <= trials
    shuffles = deals if enumerate_all else trials
    if block is None:
        block = _block_size(statistics, scheme)

    totals = statistics.sum(axis=2)
    values = panel.evaluate(totals)[:, F1].T
    first, second = values[pairs[:, 0]], values[pairs[:, 1]]
    observed = first - second if observed is None else observed
    # Equal statistics must count as ties whatever the order in which they were summed.
    slack = rounding(documents) * np.maximum(np.abs(first), np.abs(second))
    threshold = np.abs(observed) - slack

    extreme = np.zeros(observed.shape, dtype=np.int64)
    done = 0
    for taken in _deal(documents, scheme, shuffles, block, None if enumerate_all else seed):
        products = _Products.of(panel, totals, taken, scheme)
        for row, pair in enumerate(pairs):
            for begin in range(0, len(taken), PIECE):
                end = min(begin + PIECE, len(taken))
                sums = partial(products.sums, pair, slice(begin, end))
                difference = panel.differences(sums, (end - begin,))
                if shifts is not None:
                    difference += shifts(row, end - begin)
                np.abs(difference, out=difference)
                extreme[row] += np.count_nonzero(
                    difference >= threshold[row, :, np.newaxis], axis=1
                )
        done += len(taken)
        progress("shuffling", done, shuffles)
    p_values = extreme / shuffles if enumerate_all else (extreme + 1) / (shuffles + 1)
    return Randomization(pairs, enumerate_all, shuffles, observed, extreme, p_values)


def number_of_deals(documents: int, scheme: Scheme) -> int:
    """Number of distinct deals: 2^D when paired, C(2D, D) when pooled.

    Above a thousand documents 2^D stands for both: C(2D, D) is larger still and slow to write out.
    """
    if scheme == "paired" or documents > 1000:
        return int(2**documents)
    return comb(2 * documents, documents)


@dataclass(frozen=True, slots=True)
class _Products:
    """What each system hands over in each shuffle, as (statistics, systems, shuffles).

    A pair's first system gives ``first_kept`` to the first side and the rest, ``first_lost``, to
    the second; the pair's second system gives ``second_taken`` to the first side and keeps
    ``second_left``.
    """

    first_kept: FloatArray
    first_lost: FloatArray
    second_taken: FloatArray
    second_left: FloatArray

    @classmethod
    def of(cls, panel: Panel, totals: FloatArray, taken: ByteArray, scheme: Scheme) -> _Products:
        statistics = panel.statistics
        documents = statistics.shape[2]
        scale = np.abs(statistics).sum(axis=2)[:, :, np.newaxis]
        whole = totals[:, :, np.newaxis]
        if scheme == "paired":
            swapped = panel.weighted(taken.astype(np.float64))
            stayed = remainder(whole, swapped, scale, documents)
            return cls(stayed, swapped, swapped, stayed)
        kept = panel.weighted(taken[:, :documents].astype(np.float64))
        got = panel.weighted(taken[:, documents:].astype(np.float64))
        lost = remainder(whole, kept, scale, documents)
        left = remainder(whole, got, scale, documents)
        return cls(kept, lost, got, left)

    def sums(self, pair: IntArray, piece: slice, begin: int, end: int) -> FloatArray:
        """Statistics begin..end of both sides of a pair after the shuffles of the piece."""
        first, second = pair
        sums = np.empty((end - begin, 2, piece.stop - piece.start))
        rows = slice(begin, end)
        kept, taken = self.first_kept[rows, first, piece], self.second_taken[rows, second, piece]
        lost, left = self.first_lost[rows, first, piece], self.second_left[rows, second, piece]
        np.add(kept, taken, out=sums[:, 0])
        np.add(lost, left, out=sums[:, 1])
        return sums


def _block_size(statistics: FloatArray, scheme: Scheme) -> int:
    """Shuffles whose masks and products fit into BLOCK_BYTES."""
    count, systems, documents = statistics.shape
    masks, products = (documents, 2) if scheme == "paired" else (3 * documents, 4)
    per_shuffle = 9 * masks + 8 * (products + 1) * count * systems + 1
    return max(1, BLOCK_BYTES // int(per_shuffle))


def _deal(
    documents: int, scheme: Scheme, shuffles: int, block: int, seed: int | None
) -> Iterator[ByteArray]:
    """Yield the shuffles in blocks (n, D) of swaps or (n, 2D) of entries drawn for the first side.

    Without a seed, all deals in turn. Random ones read the generator's words in the order of the
    shuffles, so that a shuffle does not depend on the block it falls into.
    """
    generator = None if seed is None else np.random.Generator(np.random.PCG64(seed))
    everything = combinations(range(2 * documents), documents)
    for begin in range(0, shuffles, block):
        size = min(block, shuffles - begin)
        if scheme == "paired":
            if generator is None:
                numbers = np.arange(begin, begin + size, dtype="<u8")[:, np.newaxis]
            else:
                numbers = _words(generator, size, -(-documents // 64)).astype("<u8")
            octets = numbers.view(np.uint8)
            yield np.unpackbits(octets, axis=1, count=documents, bitorder="little")
        elif generator is None:
            taken = np.zeros((size, 2 * documents), dtype=np.uint8)
            drawn = np.array(list(islice(everything, size)), dtype=np.int64)
            np.put_along_axis(taken, drawn, 1, axis=1)
            yield taken
        else:
            # The D smallest of 2D random words; that two of them are equal is not to be expected.
            keys = _words(generator, size, 2 * documents)
            yield (keys <= np.partition(keys, documents - 1, axis=1)[:, [documents - 1]]).view(
                np.uint8
            )


def _words(generator: np.random.Generator, rows: int, columns: int) -> NDArray[np.uint64]:
    last = np.iinfo(np.uint64).max
    return generator.integers(0, last, (rows, columns), dtype=np.uint64, endpoint=True)
