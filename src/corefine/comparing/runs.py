r"""Several runs of one system, such as trainings with different random seeds.

The score of a system is the mean over its runs. Three things vary: documents, runs (a lucky seed
helps on all documents), and runs on documents (a run has its luck on each document). The spread of
mean statistics over documents holds the first and the third; the variance s² of F1 between runs
holds the second and the third. Adding both would count the third twice, so that only

    s²_run = s² − Σ_r Σ_i (D−1)/D · e²_ri / (R−1)

is added (0 if it is negative). Here, e_ri is the change in F1 of run r without document i, minus
the mean change over all documents for r and over all runs for i: a jackknife estimate.

interval
    A replicate draws documents with replacement, the same for all runs and systems, and adds to the
    mean over runs a random number of Student's t distribution with n degrees of freedom, times
    √(s²_run/R); n is R − 1 for a system, R₁ + R₂ − 2 for a difference. Intervals are percentiles of
    the replicates, within the possible range of scores; a system with two runs has none.
test
    A shuffle swaps documents between two systems, as without runs, on the mean statistics of their
    runs, and adds chance between runs as above:

        p = (Nt + 1) / (N + 1),   Nt = number of N shuffles with |δ_documents + δ_runs| ≥ |δ|.

    The observed assignment of documents counts fully, so that p is at least 2/2^D, as without runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from corefine.comparing.comparison import flattened, mean_score
from corefine.comparing.plan import Plan
from corefine.comparing.power import Effects, effects
from corefine.comparing.randomization import Randomization, randomization_test
from corefine.corpus.arrays import FloatArray, IntArray
from corefine.corpus.copies import Copies
from corefine.errors import Caution, UsageError
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
            copies = Copies.sum(run.copies for run in runs)
            counts = replace(
                runs[0].counts,
                documents=self.panel.documents,
                values=values,
                breakdowns=(),
                provenance=replace(runs[0].counts.provenance, copies=copies),
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
        return {
            name: {
                metric: mean_score([run.by_name[metric] for run in runs])
                for metric in self.panel.names
            }
            for name, runs in self.scores.items()
        }

    def differences(self, pairs: IntArray) -> FloatArray:
        """Differences of the mean F1: (pairs, metrics)."""
        f1 = self.means[:, :, F1]
        return f1[pairs[:, 0]] - f1[pairs[:, 1]]

    @cached_property
    def run_variances(self) -> FloatArray:
        """Variance between whole runs: (systems, metrics, 3).

        NaN for one run; negative if runs differ less than their luck on documents explains.
        """
        found = np.full(self.means.shape, np.nan)
        spread = [np.moveaxis(one, 2, 0) for one in self.panel.deviations()]
        for system, members in enumerate(self.members):
            runs = len(members)
            if runs > 1:
                between = self.values[members].var(axis=0, ddof=1)
                for left in spread:
                    size, own = left.shape[-1], left[members]
                    luck = np.square(own - own.mean(axis=0)).sum(axis=(0, -1)) / (runs - 1)
                    between -= (size - 1) / size * luck
                found[system] = between
        return found

    def _variance(self, one: int, other: int) -> FloatArray:
        """Variance of the difference of two mean F1 that is due to whole runs, by metric.

        A system with one run is taken to vary like the other system.
        """
        own = self.run_variances[[one, other], :, F1]
        own = np.where(np.isnan(own), own[::-1], own)
        counts = np.array([[self.counts[one]], [self.counts[other]]])
        variance: FloatArray = np.maximum(np.nan_to_num(own / counts).sum(axis=0), 0.0)
        return variance

    def bootstrap(self, pairs: IntArray, plan: Plan, progress: Progress = silent) -> Bootstrap:
        """Intervals of the means and their differences, resampling documents and runs."""
        documents, metrics = len(self.panel.documents), len(self.panel.metrics)
        result = Bootstrap.empty(pairs, len(self.systems), metrics)
        if documents < 2:
            return result
        values = replicated(self.panel, plan.resamples, plan.seed, progress=progress)
        generator = np.random.Generator(np.random.PCG64([plan.seed, 1]))
        means = np.stack([values[:, :, one].mean(axis=2) for one in self.members], axis=2)
        # One set of random numbers for all systems and pairs, which differ in degrees of freedom.
        chance = np.asarray(generator.random(plan.resamples))
        counts = np.array(self.counts)
        variances = np.nan_to_num(self.run_variances) / counts[:, np.newaxis, np.newaxis]
        errors = np.sqrt(np.maximum(variances, 0.0))[..., np.newaxis]
        levels = expanded_levels(plan.confidence, np.array([[1.0]]), np.array([documents]))[0]
        for system, count in enumerate(counts.tolist()):
            if count == 1 or count >= FEWEST:
                drawn = means[:, :, system] + errors[system] * _student(chance, count - 1)
                for metric in range(metrics):
                    bounds = quantiles(np.sort(drawn[metric], axis=1), levels)
                    result.scores[system, metric] = np.clip(bounds, 0.0, 1.0)
        observed = self.differences(pairs)
        few = (counts > 1) & (counts < FEWEST)
        for row, (one, other) in enumerate(pairs.tolist()):
            drawn = means[:, F1, one] - means[:, F1, other]
            drawn += self._chance(one, other, chance)
            extreme = np.abs(drawn - observed[row, :, np.newaxis]) >= (
                np.abs(observed[row, :, np.newaxis]) - rounding(documents)
            )
            result.p_values[row] = (extreme.sum(axis=1) + 1) / (plan.resamples + 1)
            if not (few[one] or few[other]):
                bounds = quantiles(np.sort(drawn, axis=1), levels)
                result.differences[row] = np.clip(bounds, -1.0, 1.0)
        return result

    def _chance(self, one: int, other: int, random: FloatArray) -> FloatArray:
        """Differences by chance between runs of two systems: (metrics, n) from n numbers."""
        error = np.sqrt(self._variance(one, other))
        freedom = self.counts[one] + self.counts[other] - 2
        chance: FloatArray = error[:, np.newaxis] * _student(random, freedom)
        return chance

    def test(self, pairs: IntArray, plan: Plan, progress: Progress = silent) -> Randomization:
        """Randomization test that swaps documents and adds chance between runs."""
        if plan.scheme != "paired":
            raise UsageError(
                "several runs can only be compared on paired documents",
                remedy="Leave out --preset mcores (scheme='pooled').",
            )
        generators = [
            np.random.Generator(np.random.PCG64([plan.seed, 2, number]))
            for number in range(len(pairs))
        ]

        def shifts(row: int, count: int) -> FloatArray:
            one, other = pairs[row].tolist()
            return self._chance(one, other, generators[row].random(count))

        return randomization_test(
            self.mean_panel,
            pairs=pairs,
            trials=plan.trials,
            seed=plan.seed,
            observed=self.differences(pairs),
            shifts=shifts,
            progress=progress,
        )

    def effects(self, pairs: IntArray) -> Effects:
        """Differences with standard errors over documents and runs, and effect sizes."""
        found = effects(self.mean_panel, pairs)
        of_runs = np.array([self._variance(one, other) for one, other in pairs.tolist()])
        variance = np.square(found.standard_error) + of_runs
        return replace(found, difference=self.differences(pairs), standard_error=np.sqrt(variance))

    def warnings(self) -> list[Caution]:
        """Warnings about too few runs."""
        found: list[Caution] = []
        counts = dict(zip(self.systems, self.counts, strict=True))
        single = [name for name, count in counts.items() if count == 1]
        if single:
            text = f"Only one run of {', '.join(single)}: it is assumed to vary like other systems."
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


def _student(random: FloatArray, freedom: int) -> FloatArray:
    """Numbers of Student's t distribution, from numbers below 1; 0 without freedom."""
    from scipy.special import stdtrit

    if freedom == 0:
        return np.zeros_like(random)
    drawn: FloatArray = stdtrit(freedom, np.maximum(random, 1e-12))
    return drawn
