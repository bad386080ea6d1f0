"""The data of a comparison: systems × documents × additive statistics.

Nothing in a comparison rescores a system: every resample is a sum of per-document statistics with
other weights, that is, a matrix product, and the metric's own ``finish`` turns the sums into
precision, recall and F.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate, combinations
from typing import Literal, get_args

import numpy as np

from corefine.corpus.arrays import FloatArray, IntArray
from corefine.errors import UsageError

Finish = Callable[[FloatArray], tuple[FloatArray, FloatArray, FloatArray]]
Quantity = Literal["precision", "recall", "f1"]

QUANTITIES: tuple[Quantity, ...] = get_args(Quantity)


@dataclass(frozen=True, slots=True)
class Measure:
    """One metric's statistics of every system and document.

    ``statistics`` has the shape (systems, documents, k); ``finish`` maps sums of them, of any
    shape (..., k), to the arrays P, R and F of shape (...).
    """

    name: str
    statistics: FloatArray
    finish: Finish


@dataclass(frozen=True, slots=True)
class Composite:
    """The mean of the F of other measures, as the CoNLL average; it has no P or R (NaN)."""

    name: str
    parts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Panel:
    """Systems measured on the same documents.

    Values of a panel come measure by measure: first ``measures``, then ``composites``.
    """

    systems: tuple[str, ...]
    documents: tuple[str, ...]
    measures: tuple[Measure, ...]
    composites: tuple[Composite, ...] = ()

    def __post_init__(self) -> None:
        for what, names in (("system", self.systems), ("measure", self.names)):
            repeated = sorted({name for name in names if names.count(name) > 1})
            if repeated:
                raise UsageError(f"{what} {repeated[0]!r} is given twice")
        expected = (len(self.systems), len(self.documents))
        for measure in self.measures:
            shape = measure.statistics.shape
            if len(shape) != 3 or shape[:2] != expected:
                raise UsageError(
                    f"statistics of {measure.name} have the shape {shape}, "
                    f"not {expected[0]} systems × {expected[1]} documents × statistics"
                )
            if not np.isfinite(measure.statistics).all():
                raise UsageError(f"statistics of {measure.name} are not all finite")
        known = {measure.name for measure in self.measures}
        for composite in self.composites:
            missing = [part for part in composite.parts if part not in known]
            if missing or not composite.parts:
                raise UsageError(
                    f"{composite.name} averages {missing[0]!r}, which is not measured"
                    if missing
                    else f"{composite.name} averages nothing"
                )

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all measures, composites last."""
        return tuple(m.name for m in self.measures) + tuple(c.name for c in self.composites)

    def stacked(self) -> FloatArray:
        """All statistics as one contiguous array (statistics, systems, documents).

        The statistic comes first so that each one is contiguous where ``finish`` reads it.
        """
        blocks = [np.moveaxis(measure.statistics, 2, 0) for measure in self.measures]
        if not blocks:
            return np.empty((0, len(self.systems), len(self.documents)))
        return np.ascontiguousarray(np.concatenate(blocks), dtype=np.float64)

    def evaluate(self, totals: FloatArray) -> FloatArray:
        """Turn sums (statistics, ...), as stacked, into values (measures, P/R/F, ...)."""
        values = np.full((len(self.names), 3, *totals.shape[1:]), np.nan)
        for row, (begin, end) in enumerate(self._ranges()):
            values[row] = self.measures[row].finish(np.moveaxis(totals[begin:end], 0, -1))
        for row, parts in enumerate(self._composite_rows(), len(self.measures)):
            values[row, 2] = values[parts, 2].mean(axis=0)
        return values

    def differences(
        self, sums: Callable[[int, int], FloatArray], shape: tuple[int, ...], quantity: Quantity
    ) -> FloatArray:
        """Value of the first side minus value of the second, as (measures, *shape).

        ``sums(begin, end)`` gives the sums of the stacked statistics begin..end for both sides, as
        (end − begin, 2, *shape). It is asked for one measure at a time and both sides are finished
        in one call, so that the inner step of a randomization test stays within the cache.
        """
        which = QUANTITIES.index(quantity)
        result = np.full((len(self.names), *shape), np.nan)
        for row, (begin, end) in enumerate(self._ranges()):
            value = self.measures[row].finish(np.moveaxis(sums(begin, end), 0, -1))[which]
            np.subtract(value[0], value[1], out=result[row])
        if quantity == "f1":
            for row, parts in enumerate(self._composite_rows(), len(self.measures)):
                result[row] = result[parts].mean(axis=0)
        return result

    def scores(self) -> FloatArray:
        """Corpus values of every system: (systems, measures, P/R/F)."""
        return np.moveaxis(self.evaluate(self.stacked().sum(axis=2)), 2, 0)

    def document_scores(self) -> FloatArray:
        """Values of every system on each document alone: (systems, documents, measures, P/R/F)."""
        return np.moveaxis(self.evaluate(self.stacked()), (2, 3), (0, 1))

    def pairs(self, baseline: str | None = None) -> IntArray:
        """Pairs of system numbers to compare: all, or each other system with the baseline."""
        count = len(self.systems)
        if baseline is None:
            chosen = list(combinations(range(count), 2))
        elif baseline in self.systems:
            base = self.systems.index(baseline)
            chosen = [(other, base) for other in range(count) if other != base]
        else:
            raise UsageError(
                f"baseline {baseline!r} is not among the systems",
                remedy=f"Choose one of: {', '.join(self.systems)}.",
            )
        return np.array(chosen, dtype=np.int64).reshape(-1, 2)

    def _ranges(self) -> list[tuple[int, int]]:
        ends = list(accumulate(measure.statistics.shape[2] for measure in self.measures))
        return list(zip([0, *ends[:-1]], ends, strict=True))

    def _composite_rows(self) -> list[list[int]]:
        row = {measure.name: number for number, measure in enumerate(self.measures)}
        return [[row[part] for part in composite.parts] for composite in self.composites]


def remainder(total: FloatArray, part: FloatArray, scale: FloatArray, documents: int) -> FloatArray:
    """``total − part`` where what is only rounding error becomes an exact zero.

    A denominator that has become zero must be seen as zero by ``finish``; the sum of fractions
    that is left behind, 1e-16 or so, would otherwise be divided by. ``total`` and ``scale``, the
    sum of the absolute statistics, have the shape (statistics, systems, 1), ``part`` the shape
    (statistics, systems, n).
    """
    rest = np.subtract(total, part)
    limit = rounding(documents) * scale
    for row, bound in zip(rest, limit, strict=True):  # row by row: the temporaries stay small
        row[np.abs(row) <= bound] = 0.0
    return rest


def rounding(documents: int) -> float:
    """Relative error below which two sums over so many documents count as equal."""
    return max(1e-12, 8 * documents * float(np.finfo(np.float64).eps))


def leave_one_out(panel: Panel) -> FloatArray:
    """Corpus values without each document in turn: (measures, P/R/F, systems, documents)."""
    statistics = panel.stacked()
    totals = statistics.sum(axis=2, keepdims=True)
    scale = np.abs(statistics).sum(axis=2, keepdims=True)
    return panel.evaluate(remainder(totals, statistics, scale, len(panel.documents)))


def pair_names(panel: Panel, pairs: Sequence[Sequence[int]] | IntArray) -> list[tuple[str, str]]:
    """Names of the systems of each pair."""
    return [(panel.systems[int(first)], panel.systems[int(second)]) for first, second in pairs]
