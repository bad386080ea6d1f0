r"""Several runs of one system, such as trainings with different random seeds.

The score of a system is the mean over its runs. Both documents and runs vary:

interval
    A replicate draws documents with replacement, the same for all runs and systems, and R − 1 of
    the R runs of each system with replacement, over which the mean is taken. The mean of R − 1
    draws has the variance s²/R of a mean of R runs (Rao & Wu 1988). Intervals are percentiles of
    the replicates, within the possible range of scores; a system with two runs has none.
test
    A shuffle swaps documents between two systems, as without runs, on the mean statistics of their
    runs; and it reassigns the deviations of whole runs from the mean of their system, since a lucky
    seed affects many documents. Both differences by chance are added, and

        p = (Nt + 1) / (N + 1),   Nt = number of N shuffles with |δ_documents + δ_runs| ≥ |δ|.

    The observed assignment of documents is never combined with another one of runs: it counts
    fully, so that p is at least 2/2^D, as without runs.

The variance between few runs is a poor estimate. The contribution of runs is therefore multiplied
by √(n/χ²_n), with n degrees of freedom (R − 1 for the interval of a system, R₁ + R₂ − 2 for that of
a difference and in the test), as in Student's t.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from corefine.comparing.plan import Plan
from corefine.comparing.power import Effects, effects
from corefine.comparing.randomization import Randomization, randomization_test
from corefine.corpus.arrays import FloatArray, IntArray
from corefine.errors import Caution, UsageError
from corefine.formats.tagged.copies import Copies
from corefine.output.progress import Progress, silent
from corefine.scoring.resampling import (
    F1,
    Bootstrap,
    Panel,
    expanded_levels,
    quantiles,
    replicated,
    rounding,
)
from corefine.scoring.scores import Score, Scores

FEW = 5
"""With fewer runs, the test misses many differences and intervals are wide."""
FEWEST = 3
"""With fewer runs, but more than one, there is no interval."""


@dataclass(frozen=True, eq=False)
class Runs:
    """The runs of all systems: one panel of all runs, and the rows of each system in it."""

    systems: tuple[str, ...]
    panel: Panel
    members: tuple[IntArray, ...]
    scores: Mapping[str, Sequence[Scores]]

    @classmethod
    def of(cls, scores: Mapping[str, Sequence[Scores]], panel: Panel | None = None) -> Runs:
        """Runs of systems scored against the same key; a panel has them in the same order."""
        begin, members = 0, []
        for runs in scores.values():
            members.append(np.arange(begin, begin + len(runs)))
            begin += len(runs)
        panel = panel or Panel.of(flattened(scores))
        return cls(tuple(scores), panel, tuple(members), scores)

    @property
    def counts(self) -> list[int]:
        """Number of runs of each system."""
        return list(map(len, self.members))

    @cached_property
    def mean_panel(self) -> Panel:
        """Mean statistics of the runs of each system."""
        means = [self.panel.statistics[:, members].mean(axis=1) for members in self.members]
        return replace(self.panel, systems=self.systems, statistics=np.stack(means, axis=1))

    @property
    def mean_scores(self) -> dict[str, Scores]:
        """Scores of the mean statistics of each system."""
        found = {}
        for row, (name, runs) in enumerate(self.scores.items()):
            values: dict[str, dict[str, FloatArray]] = {}
            columns = zip(self.panel.columns, self.mean_panel.statistics[:, row], strict=True)
            for (metric, statistic), column in columns:
                values.setdefault(metric, {})[statistic] = column
            counts = replace(
                runs[0].counts,
                documents=self.panel.documents,
                values=values,
                breakdowns=(),
                copies=Copies.sum(run.counts.copies for run in runs),
            )
            found[name] = replace(runs[0], counts=counts)
        return found

    @cached_property
    def values(self) -> FloatArray:
        """P, R and F1 of every run: (runs, metrics, P/R/F)."""
        return self.panel.scores()

    @cached_property
    def means(self) -> FloatArray:
        """Means over the runs of each system: (systems, metrics, P/R/F)."""
        return np.array([self.values[members].mean(axis=0) for members in self.members])

    @cached_property
    def variances(self) -> FloatArray:
        """Variance of F1 between the runs of each system, (systems, metrics); NaN for one run."""
        return np.array(
            [
                self.values[members, :, F1].var(axis=0, ddof=1)
                if len(members) > 1
                else np.full(len(self.panel.metrics), np.nan)
                for members in self.members
            ]
        )

    def by_name(self) -> dict[str, dict[str, Score]]:
        """Mean scores by system and metric."""
        found: dict[str, dict[str, Score]] = {}
        for name, means, runs in zip(self.systems, self.means, self.scores.values(), strict=True):
            found[name] = {
                metric: Score(
                    float(f1),
                    None if np.isnan(precision) else float(precision),
                    None if np.isnan(recall) else float(recall),
                    runs[0].by_name[metric].signature,
                )
                for metric, (precision, recall, f1) in zip(self.panel.names, means, strict=True)
            }
        return found

    def differences(self, pairs: IntArray) -> FloatArray:
        """Differences of the mean F1: (pairs, metrics)."""
        f1 = self.means[:, :, F1]
        return f1[pairs[:, 0]] - f1[pairs[:, 1]]

    def bootstrap(self, pairs: IntArray, plan: Plan, progress: Progress = silent) -> Bootstrap:
        """Intervals of the means and their differences, resampling documents and runs."""
        documents, metrics = len(self.panel.documents), len(self.panel.metrics)
        result = Bootstrap.empty(pairs, len(self.systems), metrics)
        if documents < 2:
            return result
        values = replicated(self.panel, plan.resamples, plan.seed, progress=progress)
        generator = np.random.Generator(np.random.PCG64([plan.seed, 1]))
        means = np.stack([values[:, :, one].mean(axis=2) for one in self.members], axis=2)
        shifts = np.stack([_run_shifts(values, one, generator) for one in self.members], axis=2)
        # The same random numbers for all; the degrees of freedom depend on what is compared.
        chance = np.asarray(generator.random(plan.resamples))
        counts = np.array(self.counts)
        levels = expanded_levels(plan.confidence, np.array([[1.0]]), np.array([documents]))[0]
        for system, count in enumerate(counts.tolist()):
            if count == 1 or count >= FEWEST:
                drawn = means[:, :, system] + shifts[:, :, system] * _student(chance, count - 1)
                for metric in range(metrics):
                    bounds = quantiles(np.sort(drawn[metric], axis=1), levels)
                    result.scores[system, metric] = np.clip(bounds, 0.0, 1.0)
        observed = self.differences(pairs)
        few = (counts > 1) & (counts < FEWEST)
        for row, (one, other) in enumerate(pairs.tolist()):
            factor = _student(chance, int(counts[one] + counts[other]) - 2)
            drawn = means[:, F1, one] - means[:, F1, other]
            drawn += factor * (shifts[:, F1, one] - shifts[:, F1, other])
            extreme = np.abs(drawn - observed[row, :, np.newaxis]) >= (
                np.abs(observed[row, :, np.newaxis]) - rounding(documents)
            )
            result.p_values[row] = (extreme.sum(axis=1) + 1) / (plan.resamples + 1)
            if not (few[one] or few[other]):
                bounds = quantiles(np.sort(drawn, axis=1), levels)
                result.differences[row] = np.clip(bounds, -1.0, 1.0)
        return result

    def test(self, pairs: IntArray, plan: Plan, progress: Progress = silent) -> Randomization:
        """Randomization test that swaps documents and reassigns runs."""
        if plan.scheme != "paired":
            raise UsageError(
                "several runs can only be compared on paired documents",
                remedy="Leave out --scheme pooled (scheme='pooled').",
            )
        deviations = []
        for pair in pairs:
            parts = [_deviations(self.values[self.members[one], :, F1]) for one in pair]
            deviations.append((np.concatenate(parts), len(parts[0])))
        generators = [
            np.random.Generator(np.random.PCG64([plan.seed, 2, number]))
            for number in range(len(pairs))
        ]
        return randomization_test(
            self.mean_panel,
            pairs=pairs,
            trials=plan.trials,
            seed=plan.seed,
            observed=self.differences(pairs),
            shifts=lambda row, count: _reassigned(*deviations[row], generators[row], count),
            progress=progress,
        )

    def effects(self, pairs: IntArray) -> Effects:
        """Differences with standard errors over documents and runs, and effect sizes.

        The variance between runs of a system with one run is unknown and left out.
        """
        found = effects(self.mean_panel, pairs)
        of_mean = np.nan_to_num(self.variances) / np.array(self.counts)[:, np.newaxis]
        variance = np.square(found.standard_error) + of_mean[pairs[:, 0]] + of_mean[pairs[:, 1]]
        return replace(found, difference=self.differences(pairs), standard_error=np.sqrt(variance))

    def warnings(self) -> list[Caution]:
        """Warnings about too few runs."""
        found: list[Caution] = []
        counts = dict(zip(self.systems, self.counts, strict=True))
        single = [name for name, count in counts.items() if count == 1]
        if single:
            text = f"Only one run of {', '.join(single)}: the variance between runs is unknown."
            found.append(Caution(text, "one-run", systems=single))
        double = [name for name, count in counts.items() if 1 < count < FEWEST]
        if double:
            text = f"Only two runs of {', '.join(double)}: too few for a confidence interval. Use "
            found.append(Caution(f"{text}{FEW} or more.", "two-runs", systems=double))
        few = min((count for count in counts.values() if count >= FEWEST), default=FEW)
        if few < FEW:
            text = (
                f"Few runs ({few}): the variance between runs is poorly estimated, so intervals "
                f"are wide and small differences go undetected. Use {FEW} or more."
            )
            found.append(Caution(text, "few-runs", runs=few))
        return found


def flattened(scores: Mapping[str, Sequence[Scores]]) -> dict[str, Scores]:
    """Scores of all runs, named after their systems."""
    return {
        f"{name} run {number}" if len(runs) > 1 else name: one
        for name, runs in scores.items()
        for number, one in enumerate(runs, 1)
    }


def _run_shifts(
    values: FloatArray, members: IntArray, generator: np.random.Generator
) -> FloatArray:
    """Mean of the runs that each replicate draws minus the mean of all: (metrics, 3, N)."""
    replicates = values.shape[-1]
    others = len(members) - 1
    if not others:
        return np.zeros((*values.shape[:2], replicates))
    drawn = np.zeros((len(members), replicates))
    for column in generator.integers(0, len(members), (replicates, others)).T:
        drawn[column, np.arange(replicates)] += 1 / others
    shifts: FloatArray = (values[:, :, members] * (drawn - 1 / len(members))).sum(axis=2)
    return shifts


def _reassigned(
    deviations: FloatArray, first: int, generator: np.random.Generator, count: int
) -> FloatArray:
    """Differences between two systems after random reassignments of runs: (metrics, count).

    ``deviations`` (runs, metrics) are those of both systems, ``first`` of them of the first.
    """
    runs = len(deviations)
    if runs == 2:
        return np.zeros((deviations.shape[1], count))
    keys = generator.random((count, runs + 1))
    taken = keys[:, 1:].argsort(axis=1) < first
    share = np.where(taken, 1 / first, -1 / (runs - first))
    share *= _student(keys[:, :1], runs - 2)
    shifts: FloatArray = (share @ deviations).T
    return shifts


def _student(random: FloatArray, freedom: int) -> FloatArray:
    """Factors √(n/χ²_n), from random numbers between 0 and 1; 1 without degrees of freedom."""
    from scipy.special import chdtri

    if freedom == 0:
        return np.ones_like(random)
    factors: FloatArray = np.sqrt(freedom / chdtri(freedom, random))
    return factors


def _deviations(values: FloatArray) -> FloatArray:
    """Deviations of runs (runs, metrics) from their mean, with the variance of the runs."""
    count = len(values)
    scaled: FloatArray = (values - values.mean(axis=0)) * np.sqrt(count / max(count - 1, 1))
    return scaled
