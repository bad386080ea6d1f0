"""Records of a comparison: a system under a metric, two systems under it, two metrics at odds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from corefine.scoring.scores import Score


class Interval(NamedTuple):
    """Where a value lies with the plan's confidence."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Standing:
    """A system under one metric.

    The intervals stand by quantity: ``precision``, ``recall``, ``f1``; there are none where there
    are fewer than two documents. ``rank`` is 1 + the number of significantly better systems, so
    that systems share it where no difference is significant; two systems share one of the
    ``letters`` if and only if they do not differ significantly. With a baseline not all pairs are
    tested: the rank is then that of the score alone and there are no letters.
    """

    metric: str
    system: str
    score: Score
    percentile: Mapping[str, Interval]
    bca: Mapping[str, Interval]
    rank: int
    letters: str | None

    def to_dict(self) -> dict[str, Any]:
        return {
            "metric": self.metric,
            "system": self.system,
            **self.score.to_dict(),
            "percentile": {name: list(ends) for name, ends in self.percentile.items()},
            "bca": {name: list(ends) for name, ends in self.bca.items()},
            "rank": self.rank,
            "letters": self.letters,
        }


@dataclass(frozen=True, slots=True)
class Difference:
    """Two systems under one metric: F1 of the first minus F1 of the second.

    ``p`` is the test's, ``adjusted_p`` is corrected over all comparisons made. ``effect_size`` is
    the difference in standard deviations between documents; ``detectable`` is the smallest true
    difference that this corpus would show with a power of 80%, at the corrected level;
    ``documents_needed`` is how many documents like these would show the difference as it is.
    What cannot be computed, as with one document only, is None.
    """

    metric: str
    first: str
    second: str
    difference: float
    percentile: Interval | None
    bca: Interval | None
    p: float | None
    adjusted_p: float | None
    significant: bool
    effect_size: float | None
    detectable: float | None
    documents_needed: int | None
    differing_documents: int

    def to_dict(self) -> dict[str, Any]:
        values = {name: getattr(self, name) for name in self.__slots__}
        for name in ("percentile", "bca"):
            values[name] = None if values[name] is None else list(values[name])
        return values

    def turned(self) -> Difference:
        """The same with the systems in each other's place."""
        return replace(
            self,
            first=self.second,
            second=self.first,
            difference=-self.difference,
            percentile=_mirrored(self.percentile),
            bca=_mirrored(self.bca),
            effect_size=None if self.effect_size is None else -self.effect_size,
        )


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Two metrics that put two systems in opposite orders.

    The differences are F1 of ``better`` minus F1 of ``worse``, under the metric that prefers the
    former and under the one that ``opposes``; ``both_significant`` tells whether each is.
    """

    metric: str
    opposing: str
    better: str
    worse: str
    difference: float
    opposing_difference: float
    both_significant: bool

    def to_dict(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__}


def _mirrored(interval: Interval | None) -> Interval | None:
    return None if interval is None else Interval(-interval.high, -interval.low)
