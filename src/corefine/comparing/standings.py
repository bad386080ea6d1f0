"""Records of a comparison: a system under a metric, and two systems or two metrics compared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from corefine.scoring.scores import Score


class Interval(NamedTuple):
    """A confidence interval."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Standing:
    """A system under one metric.

    ``intervals`` are by quantity (``precision``, ``recall``, ``f1``), and empty with fewer than two
    documents. ``rank`` is 1 + the number of significantly better systems; two systems share one of
    the ``letters`` if and only if they do not differ significantly. With a baseline, not all pairs
    are tested: the rank is then that of the score alone, and ``letters`` is None.
    """

    metric: str
    system: str
    score: Score
    intervals: Mapping[str, Interval]
    rank: int
    letters: str | None
    applicable: bool = True
    """False if the metric counts nothing in this corpus; its score is then meaningless."""

    @property
    def interval(self) -> Interval | None:
        """Confidence interval of F1."""
        return self.intervals.get("f1")

    @property
    def f1(self) -> float | None:
        """F1, or None if the metric does not apply."""
        return self.score.f1 if self.applicable else None

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "metric": self.metric,
            "system": self.system,
            **self.score.to_dict(),
            "intervals": {name: list(ends) for name, ends in self.intervals.items()},
            "rank": self.rank,
            "letters": self.letters,
            "applicable": self.applicable,
        }


@dataclass(frozen=True, slots=True)
class Difference:
    """Two systems under one metric: F1 of the first minus F1 of the second.

    ``p`` is that of the test, ``adjusted_p`` is corrected for all comparisons. ``effect_size`` is
    the difference in standard deviations over documents; ``detectable`` is the smallest true
    difference that is found with a power of 80% at the corrected level. Unknown values are None.
    """

    metric: str
    first: str
    second: str
    difference: float
    interval: Interval | None
    p: float | None
    adjusted_p: float | None
    significant: bool
    effect_size: float | None
    detectable: float | None
    differing_documents: int

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        values = {name: getattr(self, name) for name in self.__slots__}
        values["interval"] = None if self.interval is None else list(self.interval)
        return values

    def turned(self) -> Difference:
        """The difference second − first."""
        interval = self.interval
        return replace(
            self,
            first=self.second,
            second=self.first,
            difference=-self.difference,
            interval=None if interval is None else Interval(-interval.high, -interval.low),
            effect_size=None if self.effect_size is None else -self.effect_size,
        )


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Two metrics that rank two systems in opposite orders.

    The differences are F1 of ``better`` minus F1 of ``worse``, under ``metric`` and ``opposing``.
    """

    metric: str
    opposing: str
    better: str
    worse: str
    difference: float
    opposing_difference: float
    both_significant: bool

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {name: getattr(self, name) for name in self.__slots__}
