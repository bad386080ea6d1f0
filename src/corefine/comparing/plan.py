"""Plan: the options of tests and confidence intervals, and corrections for multiple comparisons.

With m comparisons and p₁ ≤ … ≤ p_m, the adjusted p-values are

========== ==================================== ==============================================
bonferroni m·pᵢ                                 any wrong claim at all; MCORES' choice
holm       max over j ≤ i of (m−j+1)·pⱼ         the same guarantee and never less power (Holm 1979)
bh         min over j ≥ i of m·pⱼ/j             the share of wrong claims (Benjamini–Hochberg 1995)
none       pᵢ
========== ==================================== ==============================================

each cut at 1. A comparison is significant at α when its adjusted p is at most α. A p of NaN (a
comparison that does not exist) stays NaN and is not counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal, TypedDict, get_args

import numpy as np
from numpy.typing import ArrayLike

from corefine.comparing.randomization import SCHEMES, Scheme
from corefine.corpus.arrays import FloatArray
from corefine.errors import UsageError, choose
from corefine.scoring.presets import preset_named

Test = Literal["randomization", "bootstrap"]
Correction = Literal["holm", "bonferroni", "bh", "none"]

TESTS: tuple[Test, ...] = get_args(Test)
CORRECTIONS: tuple[Correction, ...] = get_args(Correction)
SMALLEST_ALPHA = 1e-12


class PlanOptions(TypedDict, total=False):
    """The options of a plan as keyword arguments, so that editors complete and check them."""

    test: Test | None
    trials: int | None
    correction: Correction | None
    alpha: float | None
    seed: int
    baseline: str | None
    scheme: Scheme | None
    replicates: int | None


HELP = {
    "test": "Significance test.",
    "trials": "Permutations of the test, or samples of the bootstrap test.",
    "correction": "Correction for multiple comparisons.",
    "alpha": "Significance level α; confidence intervals cover 1 − α.",
    "seed": "Random seed.",
    "baseline": "Test the other systems against this one only.",
    "replicates": "Bootstrap samples for the confidence intervals.",
}
"""Help texts of the command-line options of plans."""
CHOICES = {"test": TESTS, "correction": CORRECTIONS, "scheme": SCHEMES}
"""The values of the options that have only a few."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Options of tests and confidence intervals, from which commands take theirs."""

    test: Test = "randomization"
    trials: int = 20_000
    correction: Correction = "holm"
    alpha: float = 0.05
    seed: int = 0
    baseline: str | None = None
    scheme: Scheme = "paired"
    replicates: int = 10_000
    tested: tuple[str, ...] = ()
    """Metrics to test, by canonical name; empty for all."""

    @classmethod
    def of(cls, preset: str | None = None, **given: Any) -> Plan:
        """A plan of the options that are given (not None), else of the preset, else the default.

        >>> Plan.of("mcores", trials=500).signature(exact=False)[:45]
        'test:randomization(pooled,500)|correction:bon'
        """
        usual = {} if preset is None else preset_named(preset).plan
        return cls(**{**usual, **{name: one for name, one in given.items() if one is not None}})

    @classmethod
    def taken_from(cls, options: dict[str, Any]) -> Plan:
        """A plan of keyword arguments, which are removed; a preset stays."""
        given = {one.name: options.pop(one.name, None) for one in fields(cls)}
        return cls.of(options.get("preset"), **given)

    def __post_init__(self) -> None:
        for name, words in CHOICES.items():
            if (given := getattr(self, name)) not in words:
                choose(name, given, words)
        for name, least in (("trials", 1), ("replicates", 1), ("seed", 0)):
            number = getattr(self, name)
            if isinstance(number, bool) or not isinstance(number, int) or number < least:
                remedy = f"Use an integer of at least {least}."
                raise UsageError(f"{name} cannot be {number!r}", remedy=remedy)
        if not SMALLEST_ALPHA <= self.alpha < 1:
            raise UsageError(
                f"alpha cannot be {self.alpha!r}",
                remedy="It must lie between 0 and 1; try 0.05.",
                code="unknown-value",
            )

    @property
    def confidence(self) -> float:
        """Confidence of the intervals."""
        return 1 - self.alpha

    @property
    def percent(self) -> str:
        """Confidence of the intervals in words, such as 95%."""
        return f"{100 * self.confidence:g}%"

    @property
    def bootstrap(self) -> dict[str, Any]:
        """The options of a bootstrap."""
        return {"replicates": self.resamples, "confidence": self.confidence, "seed": self.seed}

    @property
    def permutations(self) -> dict[str, Any]:
        """The options of a randomization test."""
        return {"trials": self.trials, "scheme": self.scheme, "seed": self.seed}

    @property
    def resamples(self) -> int:
        """Bootstrap samples of the intervals; the samples of the bootstrap test, if it is used."""
        return self.trials if self.test == "bootstrap" else self.replicates

    @property
    def corrected(self) -> bool:
        """True if p-values are corrected for the number of comparisons."""
        return self.correction != "none"

    def headline(self, metrics: Sequence[str]) -> str:
        """The metric of the verdict: the first one tested by name, or CoNLL, or the first.

        >>> Plan.of("mcores").headline(["muc", "conll", "mcores"])
        'mcores'
        """
        named = [one for one in metrics if one in self.tested]
        conll = [one for one in metrics if one == "conll"]
        return next(iter([*named, *conll, *metrics]))

    def level(self, comparisons: int) -> float:
        """Largest p that is significant if no other comparison is."""
        return self.alpha / max(comparisons, 1) if self.corrected else self.alpha

    def signature(self, exact: bool) -> str:
        """All options that a p-value or an interval depends on."""
        test = f"bootstrap({self.trials})"
        if self.test == "randomization":
            test = f"randomization({self.scheme},{'exact' if exact else self.trials})"
        baseline = "" if self.baseline is None else f"|baseline:{self.baseline}"
        return (
            f"test:{test}|correction:{self.correction}|alpha:{self.alpha:g}|"
            f"intervals:bootstrap({self.resamples})|seed:{self.seed}{baseline}"
        )


def adjust(p_values: ArrayLike, correction: Correction = "holm") -> FloatArray:
    """Adjusted p-values, in the shape of ``p_values``; all of them are one family.

    >>> adjust([0.01, 0.04, 0.03], "holm").round(3).tolist()
    [0.03, 0.06, 0.06]
    """
    choose("correction", correction, CORRECTIONS)
    given = np.asarray(p_values, dtype=np.float64)
    if np.any((given < 0) | (given > 1)):
        raise UsageError("p-values must lie between 0 and 1", code="out-of-range")
    adjusted = given.ravel().copy()
    real = np.flatnonzero(~np.isnan(adjusted))
    order = real[np.argsort(adjusted[real], kind="stable")]
    p, count = adjusted[order], len(order)
    if correction == "bonferroni":
        p = p * count
    elif correction == "holm":
        p = np.maximum.accumulate(p * np.arange(count, 0, -1))
    elif correction == "bh":
        p = np.minimum.accumulate((p * count / np.arange(1, count + 1))[::-1])[::-1]
    adjusted[order] = np.minimum(p, 1.0)
    return adjusted.reshape(given.shape)
