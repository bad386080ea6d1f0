"""Run registry: saved results of many trainings, by data set, experiment, epoch and seed.

The fields come from file names, by a pattern such as ``{system}-{data}-e{epoch}-s{seed}``. If a
name does not match it, the system is the one saved with the scores, or the file name, and results
on the same key are one data set.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Unpack

from corefine.comparing.comparison import Difference, p_text
from corefine.comparing.plan import Plan, PlanOptions
from corefine.comparing.runs import flattened
from corefine.comparing.systems import check_comparable, compare_scores
from corefine.comparing.tables import LOW_HIGH
from corefine.errors import UsageError
from corefine.metrics.registry import parse
from corefine.output.grid import Column, Grid, Value
from corefine.output.plain_text import counted
from corefine.output.progress import Progress, silent
from corefine.output.result import Result, Tables
from corefine.scoring.scores import Scores
from corefine.scoring.stored import is_stored, read_stored, with_metrics

PATTERN = "{system}-{data}-e{epoch}-s{seed}"
DATA_SET = Column("data set", name="data_set")
FIELDS = {"system": ".+?", "data": "[^-]+", "epoch": "[0-9]+", "seed": "[^-]+"}


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """One saved result."""

    data: str
    system: str
    epoch: int
    seed: str
    scores: Scores


@dataclass(frozen=True, eq=False, repr=False)
class RunRegistry(Result):
    """Results of experiments, as returned by :func:`registered_runs`.

    An experiment is a system on a data set; its score at an epoch is the mean over seeds. Tables:
    ``experiments``, ``differences`` (of two systems, at their last epochs) and ``runs``.
    """

    metric: str
    runs: tuple[Run, ...]
    plan: Plan
    differences: Mapping[str, Difference]
    """Difference of two systems by data set; empty if there are other than two."""

    default_rows: ClassVar[Mapping[str, int]] = {"experiments": 14, "differences": 8}

    @property
    def systems(self) -> list[str]:
        """Names of the systems."""
        return sorted({run.system for run in self.runs})

    def experiments(self) -> Iterable[tuple[str, str, dict[int, list[Run]]]]:
        """Data set, system and runs by epoch of each experiment."""
        found: dict[tuple[str, str], dict[int, list[Run]]] = {}
        for run in self.runs:
            found.setdefault((run.data, run.system), {}).setdefault(run.epoch, []).append(run)
        for (data, system), epochs in sorted(found.items()):
            yield data, system, dict(sorted(epochs.items()))

    def mean(self, runs: Iterable[Run]) -> float:
        """Mean F1 over runs."""
        values = [run.scores.by_name[self.metric].f1 for run in runs]
        return sum(values) / len(values)

    @property
    def verdict(self) -> str:
        """Number of results, and the difference of two systems on each data set."""
        data = {run.data for run in self.runs}
        systems, sets = counted(len(self.systems), "system"), counted(len(data), "data set")
        text = f"{counted(len(self.runs), 'result')} of {systems} on {sets}."
        for name, found in list(self.differences.items())[:3]:
            if found.p is not None:
                leader = found if found.difference >= 0 else found.turned()
                text += (
                    f" On {name}, {leader.first} leads {leader.second} by "
                    f"{100 * leader.difference:.2f} points ({p_text(found.p)}, uncorrected)."
                )
        return text

    def table_functions(self) -> Tables:
        tables: Tables = {"experiments": experiments_grid, "runs": runs_grid}
        return {**tables, "differences": differences_grid} if self.differences else tables

    @property
    def default_tables(self) -> tuple[str, ...]:
        """Experiments, and differences if there are two systems."""
        return ("experiments", "differences") if self.differences else ("experiments",)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {name: self.tables(name)[0].to_dict() for name in self.table_names}


def registered_runs(
    folder: str | os.PathLike[str],
    *,
    pattern: str = PATTERN,
    metric: str = "conll",
    progress: Progress = silent,
    **options: Unpack[PlanOptions],
) -> RunRegistry:
    """Read all saved results below a folder, and test the difference of two systems."""
    plan = Plan.of(**options)
    name = str(parse(metric))
    written = _expression(pattern)
    paths = [path for path in sorted(Path(folder).rglob("*.json*")) if is_stored(path)]
    if not paths:
        raise UsageError(
            f"there are no saved scores in {os.fspath(folder)}",
            remedy="Save them with: corefine score KEY RESPONSE --save FILE.",
        )
    runs = []
    for number, path in enumerate(paths, 1):
        stored = read_stored(path)
        stem = path.name.removesuffix(".gz").removesuffix(".json")
        match = written.fullmatch(stem)
        fields = {} if match is None else match.groupdict()
        runs.append(
            Run(
                fields.get("data") or f"key {str(stored.scores.key).rpartition('.')[2]}",
                fields.get("system") or stored.name or stem,
                int(fields.get("epoch") or 0),
                fields.get("seed") or "",
                with_metrics(stored.scores, name),
            )
        )
        progress("reading results", number, len(paths))
    registry = RunRegistry(name, tuple(runs), plan, {})
    return RunRegistry(name, tuple(runs), plan, _differences(registry, plan, progress))


def _expression(pattern: str) -> re.Pattern[str]:
    """A pattern of file names as a regular expression."""
    parts = re.split(r"\{(\w+)\}", pattern)
    for field in parts[1::2]:
        if field not in FIELDS:
            raise UsageError(
                f"a pattern has no field {{{field}}}", remedy=f"It has: {', '.join(FIELDS)}."
            )
    return re.compile(
        "".join(
            f"(?P<{part}>{FIELDS[part]})" if number % 2 else re.escape(part)
            for number, part in enumerate(parts)
        )
    )


def _differences(registry: RunRegistry, plan: Plan, progress: Progress) -> dict[str, Difference]:
    """Test two systems on each data set, at their last epochs, with seeds as runs."""
    if len(registry.systems) != 2:
        return {}
    last: dict[str, dict[str, list[Scores]]] = {}
    for data, system, epochs in registry.experiments():
        last.setdefault(data, {})[system] = [run.scores for run in epochs[max(epochs)]]
    found = {}
    for data, scores in last.items():
        if len(scores) == 2:
            check_comparable(flattened(scores))
            compared = compare_scores(scores, plan, progress=progress)
            first, second = registry.systems
            found[data] = compared.difference(first, second, registry.metric)
    return found


def experiments_grid(registry: RunRegistry) -> Grid:
    """One row per data set and system: the last and the best epoch with their F1."""
    rows: list[tuple[Value, ...]] = []
    for data, system, epochs in registry.experiments():
        means = {epoch: registry.mean(runs) for epoch, runs in epochs.items()}
        best = max(means, key=lambda epoch: (means[epoch], -epoch))
        last = max(epochs)
        seeds = len(epochs[last])
        rows.append((data, system, seeds, last, means[last], best, means[best]))
    columns = (
        DATA_SET,
        Column("system"),
        Column("runs", "integer", priority=1),
        Column("last epoch", "integer", "last_epoch"),
        Column("last F1", "percent", "last_f1"),
        Column("best epoch", "integer", "best_epoch"),
        Column("best F1", "percent", "best_f1"),
    )
    title = f"{registry.metric} F1 by experiment, mean over runs"
    return Grid(columns, rows, title, (str(registry.runs[0].scores.signature),))


def differences_grid(registry: RunRegistry) -> Grid:
    """One row per data set: the difference of two systems at their last epochs."""
    first, second = registry.systems
    rows = [
        (data, found.difference, *(found.interval or (None, None)), found.p)
        for data, found in registry.differences.items()
    ]
    columns = (DATA_SET, Column("difference", "difference"), *LOW_HIGH["difference"])
    title = f"{registry.metric} F1 of {first} minus {second}, last epochs"
    note = "p and intervals are not corrected for the number of data sets."
    return Grid((*columns, Column("p", "p")), rows, title, (note,))


def runs_grid(registry: RunRegistry) -> Grid:
    """One row per saved result."""
    return Grid.of(
        registry.runs,
        {
            DATA_SET: "data",
            Column("system"): "system",
            Column("epoch", "integer"): "epoch",
            Column("seed"): "seed",
            Column("F1", "percent", "f1"): lambda run: run.scores.by_name[registry.metric].f1,
        },
        f"{registry.metric} F1 of every result",
    )
