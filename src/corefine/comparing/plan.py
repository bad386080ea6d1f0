"""Plan: how systems are compared; the same words in Python, on the command line, in signatures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

from corefine.comparing.multiple_testing import CORRECTIONS, Correction
from corefine.comparing.randomization import SCHEMES, Scheme
from corefine.errors import UsageError, choose
from corefine.scoring.presets import preset_named

Test = Literal["randomization", "bootstrap"]

TESTS: tuple[Test, ...] = get_args(Test)


@dataclass(frozen=True, slots=True)
class Plan:
    """How systems are compared.

    ``test``
        ``randomization`` (approximate, or exact where there are few documents), or ``bootstrap``,
        which finds differences a little too often: at α = .05 in .067 of simulated corpora of 60
        documents without any.
    ``trials``
        shuffles of the randomization, or replicates of the bootstrap.
    ``correction``
        of p over all comparisons made: ``holm``, ``bonferroni``, ``bh`` or ``none``.
    ``alpha``
        the level of significance; intervals have the confidence 1 − α.
    ``seed``
        of the random numbers: the same seed gives the same result.
    ``baseline``
        the system that the others are compared with; without one, all pairs are compared.
    ``scheme``
        how the randomization deals: ``paired`` by document, or ``pooled``.
    ``replicates``
        resamples for the intervals, where the test is not a bootstrap itself.
    """

    test: Test = "randomization"
    trials: int = 20_000
    correction: Correction = "holm"
    alpha: float = 0.05
    seed: int = 0
    baseline: str | None = None
    scheme: Scheme = "paired"
    replicates: int = 10_000

    @classmethod
    def of(cls, preset: str | None = None, **given: Any) -> Plan:
        """The plan of what is given (not None), else as the preset has it, else the usual one.

        >>> Plan.of("mcores", trials=500).signature(exact=False)[:45]
        'test:randomization(pooled,500)|correction:bon'
        """
        usual = {} if preset is None else preset_named(preset).plan
        return cls(**{**usual, **{name: one for name, one in given.items() if one is not None}})

    def __post_init__(self) -> None:
        choose("test", self.test, TESTS)
        choose("correction", self.correction, CORRECTIONS)
        choose("scheme", self.scheme, SCHEMES)
        _whole("trials", self.trials, 1)
        _whole("replicates", self.replicates, 1)
        _whole("seed", self.seed, 0)
        if not 0 < self.alpha < 1:
            raise UsageError(
                f"alpha cannot be {self.alpha!r}", remedy="It must lie between 0 and 1; try 0.05."
            )

    @property
    def confidence(self) -> float:
        """Of the intervals."""
        return 1 - self.alpha

    @property
    def resamples(self) -> int:
        """Of the bootstrap that gives the intervals: the one that is the test, if it is."""
        return self.trials if self.test == "bootstrap" else self.replicates

    @property
    def corrected(self) -> bool:
        return self.correction != "none"

    def level(self, comparisons: int) -> float:
        """What p must not exceed if no other comparison is significant."""
        return self.alpha / max(comparisons, 1) if self.corrected else self.alpha

    def signature(self, exact: bool) -> str:
        """All of the plan that a p-value or an interval depends on."""
        test: str = self.test
        if test == "randomization":
            test += f"({self.scheme},{'exact' if exact else self.trials})"
        else:
            test += f"({self.trials})"
        parts = [
            f"test:{test}",
            f"correction:{self.correction}",
            f"alpha:{self.alpha:g}",
            f"intervals:bootstrap({self.resamples})",
            f"seed:{self.seed}",
            *([] if self.baseline is None else [f"baseline:{self.baseline}"]),
        ]
        return "|".join(parts)


def _whole(what: str, number: object, least: int) -> None:
    if isinstance(number, bool) or not isinstance(number, int) or number < least:
        raise UsageError(
            f"{what} cannot be {number!r}", remedy=f"Use an integer of at least {least}."
        )
