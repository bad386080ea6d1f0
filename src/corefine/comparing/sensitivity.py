"""Sensitivity: does the order of two systems depend on how they are scored?

The systems are scored again under every combination of the conventions on which scorers differ
(matching, singletons, twinless mentions, …) and every metric. A *variant* is one combination and
one metric.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import Any

import numpy as np

from corefine.corpus.arrays import BoolArray, FloatArray
from corefine.corpus.corpus import Corpus
from corefine.errors import CorefineError
from corefine.matching.settings import CHOICES, Settings
from corefine.metrics.base import Metric
from corefine.output.progress import Progress, silent
from corefine.scoring.count import count
from corefine.scoring.request import Request
from corefine.scoring.resampling.panel import TIE

VARIED = ("match", "singletons", "twinless", "zeros")
"""The settings that are varied, where there are such."""

Convention = tuple[tuple[str, str], ...]
"""Settings with their values, in the order of :data:`VARIED`."""


@dataclass(frozen=True, slots=True)
class Order:
    """How two systems stand over the variants.

    ``better``, ``equal`` and ``worse`` count the variants in which the first system's F1 is above,
    equal to and below the second's; ``kept`` is the share of the most frequent of the three.
    ``shares`` gives, for each choice such as ``singletons=drop`` or ``metric=muc``, the share of
    its variants that have that most frequent order.
    """

    first: str
    second: str
    better: int
    equal: int
    worse: int
    kept: float
    shares: dict[str, float]

    def to_dict(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Sensitivity:
    """The F1 of all systems under all variants: (conventions, metrics, systems).

    A variant that cannot be computed for every system is NaN and not counted; ``left_out`` says
    why.
    """

    systems: tuple[str, ...]
    metrics: tuple[str, ...]
    conventions: tuple[Convention, ...]
    f1: FloatArray
    left_out: tuple[str, ...] = ()

    @property
    def counted(self) -> BoolArray:
        """Which variants are counted: (conventions, metrics)."""
        return np.logical_not(np.isnan(self.f1).any(axis=2))

    @property
    def variants(self) -> int:
        """The number of variants that are counted."""
        return int(self.counted.sum())

    def orders(self) -> list[Order]:
        """How every two systems stand."""
        return [self._order(*pair) for pair in combinations(range(len(self.systems)), 2)]

    def _order(self, first: int, second: int) -> Order:
        counted = self.counted
        difference = self.f1[:, :, first] - self.f1[:, :, second]
        sign = np.where(np.abs(difference) <= TIE, 0.0, np.sign(difference))
        counts = {value: int((sign[counted] == value).sum()) for value in (1, 0, -1)}
        usual = max(counts, key=lambda value: counts[value])
        shares = {}
        for choice, of_choice in self._choices():
            variants = of_choice & counted
            if variants.any():
                shares[choice] = float((sign[variants] == usual).mean())
        total = max(self.variants, 1)
        return Order(
            self.systems[first],
            self.systems[second],
            counts[1],
            counts[0],
            counts[-1],
            counts[usual] / total,
            shares,
        )

    def _choices(self) -> Iterable[tuple[str, BoolArray]]:
        """Each choice that distinguishes variants, and which variants have it."""
        for name in [name for name, _ in self.conventions[0]]:
            values = [dict(convention)[name] for convention in self.conventions]
            for value in dict.fromkeys(values):
                rows = np.array([one == value for one in values])
                yield f"{name}={value}", np.repeat(rows[:, np.newaxis], len(self.metrics), axis=1)
        for number, metric in enumerate(self.metrics):
            column = np.arange(len(self.metrics)) == number
            yield f"metric={metric}", np.repeat(column[np.newaxis], len(self.conventions), axis=0)

    def to_dict(self) -> dict[str, Any]:
        return {
            "variants": self.variants,
            "conventions": [dict(convention) for convention in self.conventions],
            "f1": [
                {
                    "convention": dict(convention),
                    "metric": metric,
                    "f1": dict(zip(self.systems, self.f1[row, column].tolist(), strict=True)),
                }
                for row, convention in enumerate(self.conventions)
                for column, metric in enumerate(self.metrics)
                if self.counted[row, column]
            ],
            "orders": [order.to_dict() for order in self.orders()],
            "left_out": list(self.left_out),
        }


def conventions_of(choices: Mapping[str, tuple[str, ...]] = CHOICES) -> list[Convention]:
    """Every combination of what the varied settings may be."""
    varied = [name for name in VARIED if len(choices.get(name, ())) > 1]
    values = product(*(choices[name] for name in varied))
    return [tuple(zip(varied, combination, strict=True)) for combination in values]


class SensitivityStudy:
    """Collects the scores of one system after another, so that only one is in memory.

    What cannot be scored, such as head matching where no heads are known, is left out.
    """

    def __init__(self, request: Request) -> None:
        self._request = request
        self._metrics = {str(metric): metric for metric in request.metrics.values()}
        self._conventions = conventions_of()
        self._f1: dict[str, FloatArray] = {}
        self._left_out: dict[Convention, dict[str, str]] = {}

    def add(
        self,
        system: str,
        key: Corpus,
        response: Corpus,
        progress: Progress = silent,
    ) -> None:
        """Score one system under all conventions; ``progress`` is told how many are done."""
        f1 = np.full((len(self._conventions), len(self._metrics)), np.nan)
        for row, convention in enumerate(self._conventions):
            choices: dict[str, Any] = dict(convention)
            settings = replace(self._request.settings, **choices)
            fitting = self._fitting(convention)
            try:
                found = self._score(key, response, fitting, settings)
            except CorefineError:
                found = self._one_by_one(key, response, fitting, convention, settings)
            f1[row, [name in fitting for name in self._metrics]] = found
            progress(f"rescoring {system} under other settings", row + 1, len(self._conventions))
        self._f1[system] = f1

    def _fitting(self, convention: Convention) -> dict[str, Metric]:
        """The metrics on which a convention has a bearing: Cai & Strube's rule is not for all."""
        if ("twinless", "cai-strube") not in convention:
            return self._metrics
        return {
            name: metric
            for name, metric in self._metrics.items()
            if any(part.properties.splits_twinless for part in metric.needs())
        }

    def _one_by_one(
        self,
        key: Corpus,
        response: Corpus,
        metrics: Mapping[str, Metric],
        convention: Convention,
        settings: Settings,
    ) -> list[float]:
        """F1 of each metric that can be computed, and a word on the others."""
        found = []
        reasons: dict[str, str] = {}
        for name, metric in metrics.items():
            try:
                found.extend(self._score(key, response, {name: metric}, settings))
            except CorefineError as error:
                found.append(float("nan"))
                reasons[name] = error.message
        self._left_out.setdefault(convention, {}).update(reasons)
        return found

    def _score(
        self, key: Corpus, response: Corpus, metrics: Mapping[str, Metric], settings: Settings
    ) -> list[float]:
        if not metrics:
            return []
        request = replace(self._request, metrics=metrics, settings=settings, by=())
        scores = count(key, response, request).scores()
        return [scores.by_name[str(metric)].f1 for metric in metrics.values()]

    def result(self) -> Sensitivity:
        """The variants that can be computed; a setting that changes nothing is not varied."""
        f1 = np.stack(list(self._f1.values()), axis=2)
        known = np.logical_not(np.isnan(f1).any(axis=2)).any(axis=1)
        conventions = [self._conventions[row] for row in np.flatnonzero(known)]
        f1 = f1[known]
        for name in VARIED:
            conventions, f1 = _without_idle(name, conventions, f1)
        return Sensitivity(
            tuple(self._f1), tuple(self._metrics), tuple(conventions), f1, tuple(self._reasons())
        )

    def _reasons(self) -> Iterable[str]:
        """What is left out and why; once, where it is all that has some choice."""
        left = {
            (convention, metric): reason
            for convention, reasons in self._left_out.items()
            for metric, reason in reasons.items()
        }
        choices = dict.fromkeys(choice for convention in self._conventions for choice in convention)
        for choice in choices:
            cells = [
                (convention, metric)
                for convention in self._conventions
                if choice in convention
                for metric in self._fitting(convention)
            ]
            found = {left.get(cell) for cell in cells}
            if len(found) == 1 and None not in found:
                yield f"{'='.join(choice)}: {left[cells[0]]}"
                left = {cell: reason for cell, reason in left.items() if cell not in cells}
        for (convention, metric), reason in left.items():
            written = ",".join(map("=".join, convention))
            yield f"{metric} with {written}: {reason}"


def _without_idle(
    name: str, conventions: list[Convention], f1: FloatArray
) -> tuple[list[Convention], FloatArray]:
    """The variants without a setting, if no F1 depends on it: as zeros where there are none."""
    first: dict[Convention, int] = {}
    for row, convention in enumerate(conventions):
        others = tuple(choice for choice in convention if choice[0] != name)
        before = first.setdefault(others, row)
        both = ~np.isnan(f1[before]) & ~np.isnan(f1[row])
        if (f1[before][both] != f1[row][both]).any():
            return conventions, f1
    return list(first), f1[list(first.values())]
