"""Plan: options of a comparison, with the same names in Python, commands and signatures."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, TypedDict, get_args

from corefine.comparing.multiple_testing import CORRECTIONS, Correction
from corefine.comparing.randomization import SCHEMES, Scheme
from corefine.errors import UsageError, choose
from corefine.scoring.presets import preset_named

Test = Literal["randomization", "bootstrap"]

TESTS: tuple[Test, ...] = get_args(Test)
SMALLEST_ALPHA = 1e-12


def _described(help: str, choices: tuple[str, ...] = ()) -> dict[str, Any]:
    """Help text and choices of the command-line option of a field."""
    return {"help": help, "choices": choices}


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


@dataclass(frozen=True, slots=True)
class Plan:
    """Options of tests and confidence intervals.

    They are declared here once; commands take theirs from the fields.
    """

    test: Test = field(default="randomization", metadata=_described("Significance test.", TESTS))
    trials: int = field(
        default=20_000,
        metadata=_described("Permutations of the test, or samples of the bootstrap test."),
    )
    correction: Correction = field(
        default="holm", metadata=_described("Correction for multiple comparisons.", CORRECTIONS)
    )
    alpha: float = field(
        default=0.05,
        metadata=_described("Significance level α; confidence intervals cover 1 − α."),
    )
    seed: int = field(default=0, metadata=_described("Random seed."))
    baseline: str | None = field(
        default=None, metadata=_described("Test the other systems against this one only.")
    )
    scheme: Scheme = field(
        default="paired",
        metadata=_described("Permute documents within pairs, or over the pooled sample.", SCHEMES),
    )
    replicates: int = field(
        default=10_000, metadata=_described("Bootstrap samples for the confidence intervals.")
    )
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

    def __post_init__(self) -> None:
        choose("test", self.test, TESTS)
        choose("correction", self.correction, CORRECTIONS)
        choose("scheme", self.scheme, SCHEMES)
        _require_integer("trials", self.trials, 1)
        _require_integer("replicates", self.replicates, 1)
        _require_integer("seed", self.seed, 0)
        if not SMALLEST_ALPHA <= self.alpha < 1:
            raise UsageError(
                f"alpha cannot be {self.alpha!r}", remedy="It must lie between 0 and 1; try 0.05."
            )

    @property
    def confidence(self) -> float:
        """Confidence of the intervals."""
        return 1 - self.alpha

    @property
    def resamples(self) -> int:
        """Bootstrap samples behind the intervals; those of the bootstrap test, if it is used."""
        return self.trials if self.test == "bootstrap" else self.replicates

    @property
    def corrected(self) -> bool:
        """True if p-values are corrected for the number of comparisons."""
        return self.correction != "none"

    def level(self, comparisons: int) -> float:
        """Largest p that is significant if no other comparison is."""
        return self.alpha / max(comparisons, 1) if self.corrected else self.alpha

    def signature(self, exact: bool) -> str:
        """All options that a p-value or an interval depends on."""
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


def _require_integer(what: str, number: object, least: int) -> None:
    if isinstance(number, bool) or not isinstance(number, int) or number < least:
        raise UsageError(
            f"{what} cannot be {number!r}", remedy=f"Use an integer of at least {least}."
        )
