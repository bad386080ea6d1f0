"""Comparison: what is known of several systems after comparing them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from corefine.comparing.breakdowns import PartStanding, part_grid
from corefine.comparing.plan import Plan
from corefine.comparing.power import effects, power_at
from corefine.comparing.ranking import groups
from corefine.comparing.runs import Runs
from corefine.comparing.sensitivity import Sensitivity
from corefine.comparing.standings import Difference, Disagreement, Standing
from corefine.comparing.tau import (
    Flips,
    discordant_pairs,
    document_tau,
    flipping_documents,
    system_tau,
)
from corefine.corpus.arrays import FloatArray, IntArray
from corefine.errors import UsageError, closest
from corefine.formats.tagged.losses import loss_tables
from corefine.metrics.registry import parse
from corefine.output.grid import Grid
from corefine.output.result import Result, Tables
from corefine.scoring.resampling.panel import Panel
from corefine.scoring.scores import Scores

if TYPE_CHECKING:
    from corefine.output.charts import Figure


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Result):
    """A comparison of systems, as returned by :func:`corefine.compare`.

    ``standings`` are listed by metric and system, ``differences`` by metric and pair. ``shuffles``
    is the number of permutations, ``exact`` whether these are all permutations. Tables:
    ``summary``, ``scores``, ``pairs``, ``tau``, ``document-tau``, ``disagreements``, ``flips``,
    ``documents``, ``sensitivity`` and ``runs``; :meth:`plot` draws F1 with confidence intervals.

    With several runs of a system, its standing is their mean; ``scores`` and ``panel`` hold the
    mean statistics of its runs, from which τ, flips and scores per document are computed.

    >>> from corefine import compare
    >>> key = {"d1": [[1, 2, 3]], "d2": [[1, 2], [3, 4]]}
    >>> comparison = compare(key, {"gold": key, "weak": {"d1": [[1, 2]], "d2": []}}, "lea")
    >>> comparison.standing("gold", "lea").score.f1
    1.0
    >>> comparison.plot()
    <Figure: F1 by system>
    """

    metrics: tuple[str, ...]
    """The metrics asked for, by canonical name."""
    scores: Mapping[str, Scores]
    """The scores of every system, from which all else is made."""
    plan: Plan
    panel: Panel
    standings: tuple[Standing, ...]
    differences: tuple[Difference, ...]
    exact: bool
    shuffles: int
    warnings: tuple[str, ...] = ()
    sensitivity: Sensitivity | None = None
    runs: Runs | None = None
    parts: tuple[PartStanding, ...] = ()
    """The systems in the groups of the breakdowns that were asked for."""

    @property
    def systems(self) -> tuple[str, ...]:
        return self.panel.systems

    @property
    def documents(self) -> tuple[str, ...]:
        return self.panel.documents

    @property
    def signature(self) -> str:
        """The signature of the scores, and that of the plan."""
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
        name = self._metric(metric)
        self._system(first), self._system(second)
        if (name, first, second) in self._found:
            return self._found[name, first, second]
        if (name, second, first) in self._found:
            return self._found[name, second, first].turned()
        raise UsageError(
            f"{first!r} and {second!r} were not compared",
            remedy="With a baseline, each system is tested only against the baseline.",
        )

    def power(
        self, first: str, second: str, metric: str, difference: float, *, beyond: float = 0.0
    ) -> float | None:
        """The probability that this corpus shows a true difference of F1 between two systems.

        The difference is a share of 1, as all scores are; what counts is that the observed one is
        significant at the corrected level and larger than ``beyond``. None where nothing tells: for
        several runs, and where there is no spread between documents.
        """
        found = self.difference(first, second, metric)
        pair = self._system(first), self._system(second)
        effect = effects(self.panel.of_pair(pair, found.metric), np.array([[0, 1]]))
        error = float(effect.standard_error[0, 0])
        if self.runs is not None or np.isnan(error):
            return None
        if found.detectable is None:
            return 0.0
        tested = sum(one.p is not None for one in self.differences)
        return power_at(
            difference,
            error,
            float(effect.error_variance[0, 0]),
            alpha=self.plan.level(tested),
            bound=beyond,
        )

    def groups(self, metric: str) -> list[list[str]]:
        """Systems without a significant difference, by name, the best group first.

        A system may stand in several groups; two share one if and only if they do not differ.
        """
        if self.plan.baseline is not None:
            raise UsageError(
                "no groups with a baseline: not all pairs were tested",
                remedy="Compare without a baseline.",
            )
        name = self._metric(metric)
        significant = np.zeros((len(self.systems),) * 2, dtype=np.bool_)
        for found in self.differences:
            if found.metric == name and found.significant:
                pair = self.systems.index(found.first), self.systems.index(found.second)
                significant[pair] = significant[pair[::-1]] = True
        values = self._column(name)
        return [[self.systems[number] for number in one] for one in groups(values, significant)]

    @cached_property
    def system_tau(self) -> FloatArray:
        """Kendall's τ-b between the metrics over the systems; NaN where there is none."""
        return system_tau(self.panel)

    @cached_property
    def document_tau(self) -> FloatArray:
        """τ-b between the metrics over the documents, for each system."""
        return document_tau(self.panel)

    @cached_property
    def disagreements(self) -> tuple[Disagreement, ...]:
        """The pairs of systems that two metrics put in opposite orders."""
        found = []
        for one, other in combinations(self.metrics, 2):
            mine, theirs = self._column(one), self._column(other)
            for better, worse in discordant_pairs(mine, theirs).tolist():
                names = self.systems[better], self.systems[worse]
                found.append(
                    Disagreement(
                        one,
                        other,
                        *names,
                        float(mine[better] - mine[worse]),
                        float(theirs[better] - theirs[worse]),
                        all(self._is_significant(*names, metric) for metric in (one, other)),
                    )
                )
        return tuple(found)

    def flips(self, first: str, second: str, metric: str) -> Flips:
        """The documents on which the order of two systems under a metric hangs, by number."""
        pair = self._system(first), self._system(second)
        return flipping_documents(self.panel, pair, self._metric(metric))

    def document_scores(self, metric: str) -> FloatArray:
        """F1 of every system (rows) on every document (columns)."""
        return self._document_values[:, :, self.panel.names.index(self._metric(metric)), 2]

    @cached_property
    def _document_values(self) -> FloatArray:
        return self.panel.document_scores()

    def to_dict(self, *, documents: bool = False) -> dict[str, Any]:
        """The form in which a comparison is written as JSON; with ``documents`` also their F1."""
        result: dict[str, Any] = {
            "signature": self.signature,
            "systems": list(self.systems),
            "metrics": list(self.metrics),
            "documents": len(self.documents),
            "exact": self.exact,
            "shuffles": self.shuffles,
            "scores": [standing.to_dict() for standing in self.standings],
            "differences": [difference.to_dict() for difference in self.differences],
            "groups": None
            if self.plan.baseline is not None
            else {metric: self.groups(metric) for metric in self.metrics},
            "tau": {
                "systems": without_nan(self.system_tau),
                "documents": {
                    system: without_nan(matrix)
                    for system, matrix in zip(self.systems, self.document_tau, strict=True)
                },
            },
            "disagreements": [one.to_dict() for one in self.disagreements],
            "flips": [self._flips_dict(one) for one in self.differences],
        }
        if self.parts:
            result["by"] = [one.to_dict() for one in self.parts]
        if self.sensitivity is not None:
            result["sensitivity"] = self.sensitivity.to_dict()
        copies = {name: one.copies for name, one in self.scores.items() if one.copies is not None}
        if copies:
            result["alignment"] = {name: one.to_dict() for name, one in copies.items()}
        if self.runs is not None:
            from corefine.comparing.tables import runs_grid

            result["runs"] = runs_grid(self).to_dict()["rows"]
        if documents:
            result["document_f1"] = {
                metric: {
                    system: dict(zip(self.documents, row, strict=True))
                    for system, row in zip(
                        self.systems, self.document_scores(metric).tolist(), strict=True
                    )
                }
                for metric in self.metrics
            }
        result["warnings"] = list(self.warnings)
        return result

    def table_functions(self) -> Tables:
        from corefine.comparing.tables import TABLES

        ways = {one.by.partition("(")[0]: one.by for one in self.parts}
        tables = {name: of for name, of in TABLES.items() if self.runs or name != "runs"}
        return {
            **tables,
            **{f"by-{name}": partial(breakdown_grid, by=by) for name, by in ways.items()},
            **loss_tables({name: one.copies for name, one in self.scores.items()}),
        }

    @property
    def default_tables(self) -> tuple[str, ...]:
        from corefine.comparing.tables import SHOWN

        # τ of two systems is 1 or −1: it says nothing that their order does not.
        empty = {"tau"} if len(self.systems) < 3 else set()
        if len(self.documents) < 2:
            empty.add("document-tau")
        shown = tuple(name for name in SHOWN if name not in empty)
        if self.runs is not None:
            shown = (shown[0], "runs", *shown[1:])
        parts = tuple(name for name in self.table_names if name.startswith("by-"))
        losses = tuple(name for name in self.table_names if name == "losses")
        return (*shown, *parts, *(("sensitivity",) if self.sensitivity else ()), *losses)

    csv_table = "scores"

    @property
    def verdict(self) -> str:
        """Who leads, by how much, and whether that is significant, in a sentence.

        The metric is the CoNLL average or, where that was not asked for, the first one.
        """
        return self.verdict_by("conll" if "conll" in self.metrics else self.metrics[0])

    def verdict_by(self, metric: str) -> str:
        """The same by any of the metrics."""
        metric = self._metric(metric)
        title = next(m.title for m in self.panel.metrics if str(m) == metric)
        f1 = {name: self.standing(name, metric).score.f1 for name in self.systems}
        ranked = sorted(f1, key=lambda name: -f1[name])
        if self.plan.baseline is not None:
            best = next(name for name in ranked if name != self.plan.baseline)
            ranked = sorted((best, self.plan.baseline), key=lambda name: -f1[name])
        first, second = ranked[:2]
        found = self.difference(first, second, metric)
        if found.difference == 0:
            return f"{first} and {second} have the same {title} F1."
        text = f"{first} leads {second} by {100 * found.difference:.2f} {title} points"
        if found.percentile is not None:
            low, high = (f"{100 * end:.2f}".replace("-", "−") for end in found.percentile)
            text += f", {100 * self.plan.confidence:g}% CI {low} to {high}"
        if found.adjusted_p is not None:
            corrected = "corrected " if self.plan.corrected else ""
            text += f", {corrected}{p_text(found.adjusted_p)}"
        return text + ("." if found.significant else ": not significant.")

    def paper_table(self, **options: Any) -> Grid:
        """The systems as the table of a paper, with marks of significance."""
        from corefine.comparing.paper_layout import comparison_paper

        return comparison_paper(self, **options)

    def figures(self) -> dict[str, Figure]:
        """Charts by name: intervals, agreement of metrics, mean ranks by document."""
        from corefine.comparing.figures import comparison_figures

        return comparison_figures(self)

    def _flips_dict(self, difference: Difference) -> dict[str, Any]:
        flips = self.flips(difference.first, difference.second, difference.metric)
        return {
            "metric": difference.metric,
            "first": difference.first,
            "second": difference.second,
            "opposed": len(flips.opposed),
            "decisive": self.named(flips.decisive),
            "removal": None if flips.removal is None else self.named(flips.removal),
        }

    def named(self, documents: IntArray) -> list[str]:
        """The names of documents, given by number."""
        return [self.documents[number] for number in documents.tolist()]

    def _column(self, metric: str) -> FloatArray:
        return np.array([self.standing(system, metric).score.f1 for system in self.systems])

    @cached_property
    def _found(self) -> dict[tuple[str, str, str], Difference]:
        return {(one.metric, one.first, one.second): one for one in self.differences}

    def _is_significant(self, first: str, second: str, metric: str) -> bool:
        found = self._found
        one = found.get((metric, first, second)) or found.get((metric, second, first))
        return one is not None and one.significant

    def _system(self, name: str) -> int:
        if name not in self.systems:
            raise UsageError(
                f"there is no system {name!r}{closest(name, self.systems)}",
                remedy=f"The systems are: {', '.join(self.systems)}.",
            )
        return self.systems.index(name)

    def _metric(self, name: str) -> str:
        canonical = name if name in self.metrics else str(parse(name))
        if canonical not in self.metrics:
            raise UsageError(
                f"{name} was not requested", remedy=f"Available: {', '.join(self.metrics)}."
            )
        return canonical


def breakdown_grid(comparison: Comparison, by: str) -> Grid:
    """One row a group, metric and system."""
    return part_grid(comparison.parts, by, comparison.plan.confidence)


def without_nan(matrix: FloatArray) -> list[list[float | None]]:
    """A matrix as lists, None where there is no number."""
    return [[None if np.isnan(value) else value for value in row] for row in matrix.tolist()]


def p_text(p: float) -> str:
    """A p-value as papers print it: ``p = .004``, ``p < .001``."""
    if p < 0.001:
        return "p < .001"
    return f"p = {p:.3f}".replace("0.", ".") if p < 0.9995 else "p = 1"
