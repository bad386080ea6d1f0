"""Comparison: the result of comparing several systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import combinations
from statistics import fmean
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from corefine.comparing.plan import Plan
from corefine.comparing.power import STATED, effects, power_of_test
from corefine.comparing.ranking import discordant_pairs, groups, tau_matrix
from corefine.corpus.arrays import FloatArray
from corefine.errors import UsageError, choose
from corefine.metrics.registry import leading, parse
from corefine.output.grid import Column, p_value
from corefine.output.result import Result, Tables, plain_values
from corefine.scoring.resampling import F1, TIE_DECIMALS, Panel
from corefine.scoring.scores import Score, Scores

if TYPE_CHECKING:
    from corefine.comparing.judgements import Correlation, JudgementsLike
    from corefine.comparing.runs import Runs
    from corefine.output.charts import Figure


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

    def turned(self) -> Difference:
        """The difference second − first."""
        interval, effect = self.interval, self.effect_size
        return replace(
            self,
            first=self.second,
            second=self.first,
            difference=-self.difference,
            interval=interval and Interval(-interval.high, -interval.low),
            effect_size=effect and -effect,
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


@dataclass(frozen=True, slots=True)
class PartStanding:
    """A system under a metric in one group of a breakdown."""

    by: str
    group: str
    metric: str
    system: str
    score: Score
    interval: Interval | None
    """Confidence interval of F1; None if fewer than two documents have mentions of the group."""


@dataclass(frozen=True, slots=True)
class PartDifference:
    """Two systems under a metric in one group of a breakdown: F1 of the first minus the second.

    ``adjusted_p`` is corrected for all groups, metrics and pairs.
    """

    by: str
    group: str
    metric: str
    first: str
    second: str
    difference: float
    p: float
    adjusted_p: float
    significant: bool
    documents: int
    """Documents with mentions of the group."""


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Result):
    """A comparison of systems, as returned by :func:`corefine.compare`.

    ``standings`` are listed by metric and system, ``differences`` by metric and pair. ``shuffles``
    is the number of permutations, ``exact`` is True if all possible ones were made. Tables:
    ``summary``, ``difference`` (of two systems), ``scores``, ``pairs``, ``tau``, ``document-tau``,
    ``disagreements``, ``documents`` and ``runs``; :meth:`plot` draws F1 with
    confidence intervals.

    With several runs of a system, its standing is their mean; ``scores`` and ``panel`` have the
    mean statistics of its runs, from which τ and scores per document are computed.

    >>> from corefine import compare
    >>> key = {"d1": [[1, 2, 3]], "d2": [[1, 2], [3, 4]]}
    >>> comparison = compare(key, {"gold": key, "weak": {"d1": [[1, 2]], "d2": []}}, "lea")
    >>> comparison.standing("gold", "lea").score.f1
    1.0
    >>> comparison.difference("gold", "weak", "lea").p
    0.5
    >>> comparison.plot()
    <Figure: F1 by system>
    """

    metrics: tuple[str, ...]
    """Canonical names of the requested metrics."""
    scores: Mapping[str, Scores]
    """Scores of every system."""
    plan: Plan
    panel: Panel
    standings: tuple[Standing, ...]
    differences: tuple[Difference, ...]
    exact: bool
    shuffles: int
    warnings: tuple[str, ...] = ()
    runs: Runs | None = None
    parts: tuple[PartStanding, ...] = ()
    """Standings in the groups of the requested breakdowns."""
    part_differences: tuple[PartDifference, ...] = ()
    """Tests in the groups of the requested breakdowns, corrected for all of them together."""
    judged: Correlation | None = None
    """Agreement of the metrics with judgements of the systems, if they are given."""

    default_rows: ClassVar[Mapping[str, int]] = {"summary": 18, "difference": 18}
    csv_table = "scores"
    elsewhere: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(("p_value", "pvalue", "p", "p_values"), "difference(a, b, metric).p"),
        **dict.fromkeys(("best", "winner", "ranking"), "ranked"),
        **dict.fromkeys(("significant", "is_significant"), "difference(a, b, metric).significant"),
    }

    def __getitem__(self, name: object) -> Any:
        raise TypeError(f"use comparison.scores[{name!r}] or comparison.standing(system, metric)")

    @property
    def systems(self) -> tuple[str, ...]:
        """Names of the systems."""
        return self.panel.systems

    @property
    def documents(self) -> tuple[str, ...]:
        """Names of the documents."""
        return self.panel.documents

    @cached_property
    def headline(self) -> str:
        """The metric by which systems are ranked: :meth:`Plan.headline` of the applicable ones."""
        known = zip(self.metrics, self.panel.applicable.tolist(), strict=True)
        return self.plan.headline([one for one, applies in known if applies] or self.metrics)

    @property
    def ranked(self) -> tuple[str, ...]:
        """Systems by descending F1 of the headline metric."""
        f1 = dict(zip(self.systems, self.column(self.headline).tolist(), strict=True))
        return tuple(sorted(f1, key=lambda name: -f1[name]))

    @property
    def comparisons(self) -> int:
        """Number of tests that are corrected for."""
        return sum(one.p is not None for one in self.differences)

    @property
    def signature(self) -> str:
        """The signatures of the scores and of the plan."""
        first = next(iter(self.scores.values()))
        signature = f"{first.signature}|{self.plan.signature(self.exact)}"
        if self.runs is None:
            return signature
        return f"{signature}|runs:{'+'.join(map(str, self.runs.counts))}"

    def standing(self, system: str, metric: str) -> Standing:
        """A system under a metric, by their names."""
        name = self._metric(metric)
        return self.standings[self.metrics.index(name) * len(self.systems) + self._system(system)]

    def difference(self, first: str, second: str, metric: str) -> Difference:
        """Two systems under a metric, in either order; the sign follows the order."""
        found = self._differences.get((self._metric(metric), first, second))
        if found is None:
            self._system(first), self._system(second)
            raise UsageError(
                f"{first!r} and {second!r} were not compared",
                remedy="With a baseline, each system is tested only against the baseline.",
                code="not-compared",
            )
        return found

    def between(self, first: str, second: str) -> list[Difference]:
        """The differences of two systems, the headline metric first."""
        order = leading(self.metrics, self.headline)
        return [self.difference(first, second, metric) for metric in order]

    def correlation(self, judgements: JudgementsLike) -> Correlation:
        """Agreement of the metrics with judgements of the systems.

        ``judgements`` is a CSV file, or its rows, with the columns system, judge, and rank (1 is
        best) or score (more is better).
        """
        from corefine.comparing.judgements import Correlation, Items

        numbers = {(name,): [number] for number, name in enumerate(self.systems)}
        items = Items("system", numbers, "compare", f"The systems: {', '.join(self.systems)}.")
        values = {metric: self.column(metric) for metric in self.metrics}
        return Correlation.of(
            self.systems, values, judgements, items, seed=self.plan.seed,
            replicates=self.plan.resamples, confidence=self.plan.confidence,
        )  # fmt: skip

    def power(
        self, first: str, second: str, metric: str, difference: float, *, beyond: float = 0.0
    ) -> float | None:
        """Probability that a true difference of F1, between 0 and 1, is found on this corpus.

        The observed difference must be significant at the corrected level and larger than
        ``beyond``. None if it is unknown: for several runs, with fewer than 20 documents, without
        spread between documents, and for the pooled scheme.
        """
        found = self.difference(first, second, metric)
        pair = self._system(first), self._system(second)
        effect = effects(self.panel.select(pair, found.metric), np.array([[0, 1]]))
        error, freedom = effect.standard_error[0, 0], effect.freedom[0, 0]
        known = len(self.documents) >= STATED and self.plan.scheme == "paired"
        if self.runs is not None or not known or not error > 0:
            return None
        if found.detectable is None:
            return 0.0  # no difference can be significant
        from scipy.special import stdtr

        significant = power_of_test(difference / error, freedom, self.plan.level(self.comparisons))
        return float(min(significant, stdtr(freedom, (difference - beyond) / error)))

    def groups(self, metric: str) -> list[list[str]]:
        """Systems without a significant difference, by name, the best group first.

        A system may be in several groups; two share one if and only if they do not differ.
        """
        if self.plan.baseline is not None:
            raise UsageError(
                "no groups with a baseline: not all pairs were tested",
                remedy="Compare without a baseline.",
            )
        name = self._metric(metric)
        systems = self.systems
        significant = [
            [one != other and self._differences[name, one, other].significant for other in systems]
            for one in systems
        ]
        found = groups(self.column(name), np.array(significant))
        return [[systems[number] for number in one] for one in found]

    @cached_property
    def system_tau(self) -> FloatArray:
        """Kendall's τ-b between the metrics over the systems; NaN if undefined."""
        return tau_matrix(self.panel.scores()[..., F1].round(TIE_DECIMALS))

    @cached_property
    def document_tau(self) -> FloatArray:
        """τ-b between the metrics over the documents, for each system."""
        scores = self._document_values[..., F1].round(TIE_DECIMALS)
        return np.array([tau_matrix(columns) for columns in scores])

    @cached_property
    def disagreements(self) -> tuple[Disagreement, ...]:
        """Pairs of systems that two metrics rank in opposite orders."""
        found = []
        for one, other in combinations(self.metrics, 2):
            columns = np.array([self.column(one), self.column(other)])
            for better, worse in discordant_pairs(*columns).tolist():
                names = self.systems[better], self.systems[worse]
                tested = [self._differences.get((metric, *names)) for metric in (one, other)]
                both = all(found is not None and found.significant for found in tested)
                first, second = (columns[:, better] - columns[:, worse]).tolist()
                found.append(Disagreement(one, other, *names, first, second, both))
        return tuple(found)

    def document_scores(self, metric: str) -> FloatArray:
        """F1 of every system (rows) on every document (columns)."""
        return self._document_values[:, :, self.metrics.index(self._metric(metric)), F1]

    @cached_property
    def _document_values(self) -> FloatArray:
        return self.panel.document_scores()

    def to_dict(self, *, documents: bool = False) -> dict[str, Any]:
        """Plain values for JSON; with ``documents`` also the F1 of each."""
        result: dict[str, Any] = {
            "verdict": self.verdict,
            "signature": self.signature,
            "systems": list(self.systems),
            "metrics": list(self.metrics),
            "documents": len(self.documents),
            "exact": self.exact,
            "shuffles": self.shuffles,
            "scores": list(map(_with_score, self.standings)),
            "differences": list(map(plain_values, self.differences)),
            "groups": None
            if self.plan.baseline is not None
            else {metric: self.groups(metric) for metric in self.metrics},
            "tau": {
                "systems": without_nan(self.system_tau),
                "documents": dict(
                    zip(self.systems, map(without_nan, self.document_tau), strict=True)
                ),
            },
            "disagreements": list(map(plain_values, self.disagreements)),
        }
        if self.parts:
            result["by"] = list(map(_with_score, self.parts))
            result["by_differences"] = list(map(plain_values, self.part_differences))
        if self.judged is not None:
            result["judgements"] = self.judged.to_dict()
        if self.alignment:
            result["alignment"] = self.alignment
        if self.runs is not None:
            result["runs"] = self.tables("runs")[0].to_dict()["rows"]
        if documents:
            result["document_f1"] = {metric: {} for metric in self.metrics}
            for metric, systems in result["document_f1"].items():
                rows = self.document_scores(metric).tolist()
                for system, row in zip(self.systems, rows, strict=True):
                    systems[system] = dict(zip(self.documents, row, strict=True))
        result["warnings"] = list(self.warnings)
        return result

    def table_functions(self) -> Tables:
        from corefine.comparing.tables import TABLES, breakdown_grid, paper_grid_of, part_pairs_grid

        human: Tables = {}
        if self.judged is not None:
            from corefine.comparing.judgements import human_tables

            human = human_tables(self.judged)

        ways = {one.by.partition("(")[0]: one.by for one in self.parts}
        present = {"difference": len(self.systems) == 2, "runs": self.runs is not None}
        return {
            **{name: of for name, of in TABLES.items() if present.get(name, True)},
            "paper": paper_grid_of,
            **{f"by-{name}": partial(breakdown_grid, by=by) for name, by in ways.items()},
            **{
                f"pairs-by-{name}": partial(part_pairs_grid, by=by)
                for name, by in ways.items()
                if self.part_differences
            },
            **human,
            **self.losses,
        }

    @property
    def alignment(self) -> dict[str, dict[str, Any]]:
        """Alignment of responses that a language model wrote, as plain values."""
        found = {name: one.copies for name, one in self.scores.items()}
        return {name: one.to_dict() for name, one in found.items() if one is not None}

    @cached_property
    def losses(self) -> Tables:
        """Tables of the alignment of responses that a language model wrote."""
        copies = {name: one.copies for name, one in self.scores.items()}
        if not any(copies.values()):
            return {}
        from corefine.corpus.copies import loss_tables

        return loss_tables(copies)

    @property
    def default_tables(self) -> tuple[str, ...]:
        """The differences of two systems, or the scores of several, and what was asked for."""
        first = "difference" if len(self.systems) == 2 else "summary"
        named = self.table_names
        human = () if self.judged is None else self.judged.default_tables
        asked = [name for name in named if name.startswith(("by-", "pairs-by-"))]
        asked += [f"human-{name}" for name in human]
        return (first, *asked, *(["losses"] if "losses" in named else []))

    @property
    def verdict(self) -> str:
        """The best system by the headline metric, its lead, and the significance of it."""
        return self.verdict_by(self.headline)

    def verdict_by(self, metric: str) -> str:
        """The verdict by any of the metrics."""
        metric = self._metric(metric)
        title = self.panel.metrics[self.metrics.index(metric)].title
        if not self.panel.applicable[self.metrics.index(metric)]:
            return f"{title} has nothing to count in this corpus."
        f1 = dict(zip(self.systems, self.column(metric).tolist(), strict=True))
        ranked = sorted(f1, key=lambda name: -f1[name])
        if self.plan.baseline is not None:
            best = next(name for name in ranked if name != self.plan.baseline)
            ranked = sorted((best, self.plan.baseline), key=lambda name: -f1[name])
        first, second = ranked[:2]
        found = self.difference(first, second, metric)
        if found.difference == 0:
            return f"{first} and {second} have the same {title} F1."
        text = f"{first} scores {100 * found.difference:.2f} {title} points higher than {second}"
        if found.interval is not None:
            low, high = map(Column("F1", "percent").shown, found.interval)
            text += f" ({self.plan.percent} CI {low} to {high})"
        if found.p is None or found.adjusted_p is None:
            return f"{text}; not tested."
        significant = "significant" if found.significant else "not significant"
        if not self.plan.corrected or self.comparisons == 1:
            return f"{text}; {significant} ({p_text(found.p)})."
        counted = f"corrected {p_text(found.adjusted_p)}, {self.comparisons:,} comparisons"
        return f"{text}; {significant} ({counted})."

    def figures(self) -> dict[str, Figure]:
        """Charts by name: F1 with confidence intervals."""
        from corefine.comparing.tables import intervals_figure

        return {"intervals": intervals_figure(self)}

    def column(self, metric: str) -> FloatArray:
        """F1 of every system by one metric."""
        return np.array([self.standing(system, metric).score.f1 for system in self.systems])

    @cached_property
    def _differences(self) -> dict[tuple[str, str, str], Difference]:
        """Differences by metric, first and second system, in both orders."""
        both = [*self.differences, *(one.turned() for one in self.differences)]
        return {(one.metric, one.first, one.second): one for one in both}

    def _system(self, name: str) -> int:
        known = name if name in self.systems else choose("system", name, self.systems)
        return self.systems.index(known)

    def _metric(self, name: str) -> str:
        return name if name in self.metrics else choose("metric", str(parse(name)), self.metrics)


CORRECTION_TITLES = {"holm": "Holm", "bonferroni": "Bonferroni", "bh": "Benjamini–Hochberg"}
"""Names of the corrections in sentences."""


def _with_score(standing: Standing | PartStanding) -> dict[str, Any]:
    """A standing and its score as plain values."""
    values = plain_values(standing)
    score: Score = values.pop("score")
    return {**values, **score.to_dict()}


def number_or_none(value: float) -> float | None:
    """A number, or None for NaN."""
    return None if np.isnan(value) else float(value)


def mean_score(scores: Sequence[Score]) -> Score:
    """The mean of the scores of one metric, with their signature; averages have F1 only."""
    if len(scores) == 1:
        return scores[0]
    halves = [[getattr(one, name) for one in scores] for name in ("precision", "recall")]
    precision, recall = (None if None in half else fmean(half) for half in halves)
    signature = next((one.signature for one in scores if one.signature is not None), None)
    return Score(fmean([one.f1 for one in scores]), precision, recall, signature)


def without_nan(matrix: FloatArray) -> list[list[float | None]]:
    """A matrix as lists, with None for NaN."""
    return [[None if np.isnan(value) else value for value in row] for row in matrix.tolist()]


def p_text(p: float) -> str:
    """A p-value in a sentence: ``p = .004``, ``p < .001``."""
    shown = p_value(p)
    return f"p {shown}" if shown.startswith("<") else f"p = {shown}"


def flattened(scores: Mapping[str, Sequence[Scores]]) -> dict[str, Scores]:
    """Scores of all runs, named after their systems."""
    return {
        f"{name} run {number}" if len(runs) > 1 else name: one
        for name, runs in scores.items()
        for number, one in enumerate(runs, 1)
    }
