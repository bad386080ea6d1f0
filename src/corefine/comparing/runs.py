r"""Runs: several runs of one system, such as trainings with different random seeds.

A system's score is the mean over its runs. It would be another one with other documents, and with
other runs:

interval
    A replicate draws documents with replacement, the same for all runs and systems, and from the R
    runs of each system R − 1 with replacement, over which the mean is taken. The mean of R − 1
    draws has the variance s²/R of a mean of R runs; R draws would have (R−1)/R of that
    (Rao & Wu 1988). Intervals are percentiles of the replicates.
test
    A shuffle swaps the documents of two systems, as without runs, on the mean statistics of their
    runs; and it deals out anew how far the runs of both lie from their system's mean, whole runs,
    since what a lucky seed gives it gives on many documents. Both differences that arise by chance
    are added, and

        p = (Nt + 1) / (N + 1),   Nt = number of N shuffles with |δ_documents + δ_runs| ≥ |δ|.

    Where both systems have one run there is nothing to deal.

Few runs tell badly how far runs lie apart. What the runs bring to a replicate or a shuffle is
therefore multiplied by √(n/χ²_n), n the degrees of freedom (R − 1 for the interval of a system,
R₁ + R₂ − 2 for that of a difference and in the test), as Student's t is made from a normal
variable. Without it, with three runs that differ much, 95% intervals held the true value in 85% of
simulated corpora and the test was wrong in 10%.

Simulated coverage and type I errors are measured by the tests of this module.
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
from corefine.corpus.copying import Copies
from corefine.errors import UsageError
from corefine.output.progress import Progress, silent
from corefine.scoring.resampling.bootstrap import Bootstrap, Intervals, quantiles, replicated
from corefine.scoring.resampling.panel import F1, Panel, rounding
from corefine.scoring.scores import Score, Scores

FEW = 5
"""With fewer runs than this a test misses much: its intervals are wide."""


@dataclass(frozen=True, eq=False)
class Runs:
    """The runs of all systems: one panel of all runs, and the numbers of each system's."""

    systems: tuple[str, ...]
    panel: Panel
    members: tuple[IntArray, ...]
    scores: Mapping[str, Sequence[Scores]]

    @classmethod
    def of(cls, scores: Mapping[str, Sequence[Scores]]) -> Runs:
        """The runs of systems that were scored against the same key."""
        return cls.of_panel(Panel.of(flattened(scores)), scores)

    @classmethod
    def of_panel(cls, panel: Panel, scores: Mapping[str, Sequence[Scores]]) -> Runs:
        """The runs of a panel, which has them one system after another."""
        begin, members = 0, []
        for runs in scores.values():
            members.append(np.arange(begin, begin + len(runs)))
            begin += len(runs)
        return cls(tuple(scores), panel, tuple(members), scores)

    @property
    def counts(self) -> list[int]:
        """How many runs each system has."""
        return list(map(len, self.members))

    @cached_property
    def mean_panel(self) -> Panel:
        """The mean statistics of each system's runs: one run that stands for all."""
        means = [self.panel.statistics[:, members].mean(axis=1) for members in self.members]
        return replace(self.panel, systems=self.systems, statistics=np.stack(means, axis=1))

    @property
    def mean_scores(self) -> dict[str, Scores]:
        """The scores of each system's mean statistics."""
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
                copies=Copies.sum(run.copies for run in runs),
            )
            found[name] = replace(runs[0], counts=counts)
        return found

    @cached_property
    def values(self) -> FloatArray:
        """P, R and F1 of every run: (runs, metrics, P/R/F)."""
        return self.panel.scores()

    @cached_property
    def means(self) -> FloatArray:
        """The means over the runs of each system: (systems, metrics, P/R/F)."""
        return np.array([self.values[members].mean(axis=0) for members in self.members])

    @cached_property
    def variances(self) -> FloatArray:
        """The variance of F1 between the runs of each system, (systems, metrics); NaN for one."""
        return np.array(
            [
                self.values[members, :, F1].var(axis=0, ddof=1)
                if len(members) > 1
                else np.full(len(self.panel.metrics), np.nan)
                for members in self.members
            ]
        )

    def by_name(self) -> dict[str, dict[str, Score]]:
        """The mean scores by system and metric."""
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

    def bootstrap(self, pairs: IntArray, plan: Plan, progress: Progress = silent) -> Bootstrap:
        """Intervals of the means and of their differences, from other documents and other runs."""
        metrics, systems = len(self.panel.metrics), len(self.systems)
        scores, differences = (
            Intervals.empty(systems, metrics, 3),
            Intervals.empty(len(pairs), metrics),
        )
        p_values = np.full((len(pairs), metrics), np.nan)
        if len(self.panel.documents) < 2:
            return Bootstrap(pairs, scores, differences, p_values)
        values = replicated(self.panel, plan.resamples, plan.seed, progress=progress)
        generator = np.random.Generator(np.random.PCG64([plan.seed, 1]))
        means = np.stack([values[:, :, one].mean(axis=2) for one in self.members], axis=2)
        shifts = np.stack([self._shifts(values, one, generator) for one in self.members], axis=2)
        # The same chance for all: with how many degrees of freedom depends on what is compared.
        chance = np.asarray(generator.random(plan.resamples))
        wide = {n: _widening(chance, n) for n in range(1, 2 * max(self.counts) - 1)}
        wide[0] = np.ones(plan.resamples)
        drawn = means + shifts * np.stack([wide[count - 1] for count in self.counts])
        levels = np.array([plan.alpha / 2, 1 - plan.alpha / 2])
        for metric in range(metrics):
            for quantity in range(3):
                if not np.isnan(self.means[0, metric, quantity]):
                    bounds = _bounds(drawn[metric, quantity], levels)
                    scores.percentile[:, metric, quantity] = bounds
            one, other = pairs.T
            freedom = np.array(self.counts)[pairs].sum(axis=1) - 2
            factor = np.array([wide[n] for n in freedom.tolist()]).reshape(
                len(pairs), plan.resamples
            )
            shifted = means[metric, F1, one] - means[metric, F1, other]
            shifted += factor * (shifts[metric, F1, one] - shifts[metric, F1, other])
            differences.percentile[:, metric] = _bounds(shifted, levels)
            observed = self.differences(pairs)[:, metric, np.newaxis]
            slack = rounding(len(self.panel.documents))
            extreme = np.abs(shifted - observed) >= np.abs(observed) - slack
            p_values[:, metric] = (extreme.sum(axis=1) + 1) / (plan.resamples + 1)
        return Bootstrap(pairs, scores, differences, p_values)

    def _shifts(
        self, values: FloatArray, members: IntArray, generator: np.random.Generator
    ) -> FloatArray:
        """How far the mean of the runs that each replicate draws lies from that of all:
        (metrics, P/R/F, replicates)."""
        replicates = values.shape[-1]
        others = len(members) - 1
        if not others:
            return np.zeros((*values.shape[:2], replicates))
        drawn = np.zeros((len(members), replicates))
        for column in generator.integers(0, len(members), (replicates, others)).T:
            drawn[column, np.arange(replicates)] += 1 / others
        shifts: FloatArray = (values[:, :, members] * (drawn - 1 / len(members))).sum(axis=2)
        return shifts

    def differences(self, pairs: IntArray) -> FloatArray:
        """Differences of the mean F1: (pairs, metrics)."""
        f1 = self.means[:, :, F1]
        return f1[pairs[:, 0]] - f1[pairs[:, 1]]

    def test(self, pairs: IntArray, plan: Plan, progress: Progress = silent) -> Randomization:
        """The test that swaps documents and deals runs."""
        if plan.scheme != "paired":
            raise UsageError(
                "several runs can only be compared on paired documents",
                remedy="Leave out --scheme pooled (scheme='pooled').",
            )
        deals = [self._deals(pair, number, plan.seed) for number, pair in enumerate(pairs)]
        return randomization_test(
            self.mean_panel,
            pairs=pairs,
            trials=plan.trials,
            seed=plan.seed,
            exact=False,
            observed=self.differences(pairs),
            shifts=lambda row, count: deals[row].next(count),
            progress=progress,
        )

    def _deals(self, pair: IntArray, number: int, seed: int) -> _Deals:
        first, second = (self.members[system] for system in pair)
        values = np.concatenate([_residuals(self.values[one, :, F1]) for one in (first, second)])
        generator = np.random.Generator(np.random.PCG64([seed, 2, number]))
        return _Deals(values, len(first), generator)

    def effects(self, pairs: IntArray) -> Effects:
        """Differences with standard errors over documents and runs, and effect sizes.

        Systems of one run add no variance of runs, which nothing tells.
        """
        found = effects(self.mean_panel, pairs)
        of_mean = np.nan_to_num(self.variances) / np.array(self.counts)[:, np.newaxis]
        variance = np.square(found.standard_error) + of_mean[pairs[:, 0]] + of_mean[pairs[:, 1]]
        return replace(found, difference=self.differences(pairs), standard_error=np.sqrt(variance))

    def warnings(self) -> list[str]:
        """Where there are too few runs, and what follows."""
        found = []
        single = [name for name, count in zip(self.systems, self.counts, strict=True) if count == 1]
        if single:
            found.append(
                f"Only one run of {', '.join(single)}: the variance between runs is unknown."
            )
        few = min((count for count in self.counts if count > 1), default=FEW)
        if few < FEW:
            found.append(
                f"Few runs ({few}): the variance between runs is poorly estimated, so intervals "
                f"are wide and small differences go undetected. Use {FEW} or more."
            )
        return found


def flattened(scores: Mapping[str, Sequence[Scores]]) -> dict[str, Scores]:
    """The scores of all runs, named after their systems."""
    return {
        f"{name} run {number}" if len(runs) > 1 else name: one
        for name, runs in scores.items()
        for number, one in enumerate(runs, 1)
    }


@dataclass(frozen=True, slots=True, eq=False)
class _Deals:
    """Random deals of the runs of two systems, one after another."""

    values: FloatArray
    """How far the F1 of each run of both lies from the mean of its system: (runs, metrics)."""
    first: int
    """How many of them the first system has."""
    generator: np.random.Generator

    def next(self, count: int) -> FloatArray:
        """The differences that the next deals give: (metrics, count)."""
        runs = len(self.values)
        if runs == 2:
            return np.zeros((self.values.shape[1], count))
        keys = self.generator.random((count, runs + 1))
        taken = keys[:, 1:].argsort(axis=1) < self.first
        share = np.where(taken, 1 / self.first, -1 / (runs - self.first))
        share *= _widening(keys[:, :1], runs - 2)
        dealt: FloatArray = (share @ self.values).T
        return dealt


def _bounds(resampled: FloatArray, levels: FloatArray) -> FloatArray:
    """Percentiles of rows of replicates: (rows, levels)."""
    return quantiles(np.sort(resampled, axis=1), np.tile(levels, (len(resampled), 1)))


def _widening(random: FloatArray, freedom: int) -> FloatArray:
    """Factors √(n/χ²), n the degrees of freedom, from numbers that are random between 0 and 1."""
    from scipy.special import chdtri  # χ² that is exceeded with a given probability

    wide: FloatArray = np.sqrt(freedom / chdtri(freedom, random))
    return wide


def _residuals(values: FloatArray) -> FloatArray:
    """Distances of runs from their mean, (runs, metrics), with the variance of the runs."""
    count = len(values)
    scale = np.sqrt(count / max(count - 1, 1))
    distances: FloatArray = (values - values.mean(axis=0)) * scale
    return distances
