"""Panels for the tests of comparing: counted by hand, random, and simulated like documents."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from corefine.comparing.runs import Runs
from corefine.metrics.averages import Average
from corefine.metrics.base import Metric, Triple
from corefine.scoring.resampling import Panel

# Six documents of two systems as (true positive, false positive, false negative).
FIRST = [[8, 2, 3], [5, 5, 1], [9, 1, 1], [4, 4, 6], [7, 3, 2], [6, 1, 4]]
SECOND = [[6, 3, 5], [5, 6, 1], [7, 3, 3], [4, 5, 6], [7, 2, 2], [3, 2, 7]]


class Measure(NamedTuple):
    """Statistics (systems, documents, k), and P, R and F from sums of them, (..., k)."""

    name: str
    statistics: np.ndarray
    finish: Callable


@dataclass(frozen=True)
class MadeUp(Metric):
    """A metric that is known by a function from sums only."""

    label: str
    finish: Callable

    def statistics(self, table):
        raise NotImplementedError

    def score(self, totals):
        return Triple(*self.finish(np.stack(list(totals.values()), axis=-1)))

    def __str__(self):
        return self.label


@dataclass(frozen=True)
class Mean(Average):
    parts: tuple[Metric, ...]  # type: ignore[misc]

    def __str__(self):
        return "average"


def panel_from(systems, *measures, average=False):
    """A panel of these systems and measures and, if wanted, of their average."""
    metrics = [MadeUp(one.name, one.finish) for one in measures]
    documents = measures[0].statistics.shape[1]
    return Panel(
        tuple(systems),
        tuple(f"d{number}" for number in range(documents)),
        (*metrics, *([Mean(tuple(metrics))] if average else [])),
        tuple((m.name, str(row)) for m in measures for row in range(m.statistics.shape[2])),
        np.concatenate([np.moveaxis(one.statistics, 2, 0) for one in measures]),
    )


def micro_f(totals):
    """P, R and F from sums of (true positive, false positive, false negative)."""
    hit, wrong, missed = totals[..., 0], totals[..., 1], totals[..., 2]
    return (
        _ratio(hit, hit + wrong),
        _ratio(hit, hit + missed),
        _ratio(2 * hit, 2 * hit + wrong + missed),
    )


def fractions(totals):
    """P, R and F from sums of (numerator, denominator) of P and of R."""
    precision = _ratio(totals[..., 0], totals[..., 1])
    recall = _ratio(totals[..., 2], totals[..., 3])
    return precision, recall, _ratio(2 * precision * recall, precision + recall)


def _ratio(part, whole):
    return np.where(whole == 0, 0.0, part / np.where(whole == 0, 1.0, whole))


def panel_of(*systems, finish=micro_f, name="f"):
    statistics = np.array(systems, dtype=np.float64)
    return panel_from(names(len(systems)), Measure(name, statistics, finish))


def names(systems):
    return tuple(f"s{number}" for number in range(systems))


def mean(totals):
    """A mean over documents, as P, R and F, from sums of (value, 1)."""
    value = _ratio(totals[..., 0], totals[..., 1])
    return value, value, value


def panel_of_values(*systems):
    """Systems with one value a document, which count by their mean."""
    values = np.array(systems, dtype=np.float64)
    return panel_of(*np.stack([values, np.ones(values.shape)], axis=2), finish=mean)


def by_hand():
    return panel_of(FIRST, SECOND)


def random_panel(seed, systems=4, documents=9):
    """Two measures, one of counts and one of fractions, and their average."""
    generator = np.random.default_rng(seed)
    counts = generator.integers(0, 9, (systems, documents, 3)).astype(np.float64)
    parts = generator.random((systems, documents, 4)) * [1, 0, 1, 0]
    parts += [0, 1, 0, 1]
    parts *= generator.integers(1, 30, (systems, documents, 1))
    return panel_from(
        names(systems),
        Measure("counts", counts, micro_f),
        Measure("parts", parts, fractions),
        average=True,
    )


def simulated(generator, quality, documents):
    """Documents of very different size and difficulty, shared by systems of a given quality.

    A document has a lognormal number of mentions; how hard it is moves every system on it, and
    each system has its luck there. Statistics as of B³: fractional numerators over mentions.
    """
    quality = np.asarray(quality, dtype=np.float64)[:, np.newaxis]
    shape = (len(quality), documents)
    size = np.ceil(generator.lognormal(3.6, 0.8, documents))
    hard = generator.normal(0.0, 0.6, documents)
    luck = generator.normal(0.0, 0.35, (2, *shape))
    found = generator.poisson(size * np.exp(generator.normal(0.0, 0.15, shape)))
    right = 1 / (1 + np.exp(-(quality + hard + luck)))
    statistics = np.stack(
        [right[0] * found, found, right[1] * size, np.broadcast_to(size, shape)], axis=2
    )
    return Measure("b3", statistics, fractions)


def simulated_runs(generator, quality, documents, runs, spread=0.08):
    """Several runs of systems of a given quality on the documents of one corpus.

    As in :func:`simulated`, a document is hard for all, and each system has its luck there, which
    all its runs share; each run is as much better or worse everywhere as its seed has it
    (``spread``), and has luck of its own on each document.
    """
    quality = np.asarray(quality, dtype=np.float64)
    systems = len(quality)
    shape = (systems, runs, documents)
    size = np.ceil(generator.lognormal(3.6, 0.8, documents))
    hard = generator.normal(0.0, 0.6, documents)
    seed = generator.normal(0.0, spread, (systems, runs, 1))
    common = generator.normal(0.0, 0.25, (2, systems, 1, documents))
    luck = generator.normal(0.0, 0.25, (2, *shape))
    found = generator.poisson(size * np.exp(generator.normal(0.0, 0.15, shape)))
    right = 1 / (1 + np.exp(-(quality[:, np.newaxis, np.newaxis] + hard + seed + common + luck)))
    whole = np.broadcast_to(size, shape)
    statistics = np.stack([right[0] * found, found, right[1] * size, whole], axis=3)
    flat = statistics.reshape(systems * runs, documents, 4)
    panel = panel_from(names(systems * runs), Measure("b3", flat, fractions))
    members = tuple(np.arange(runs) + runs * system for system in range(systems))
    return Runs(names(systems), panel, members, {})
