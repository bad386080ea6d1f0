"""Scores: precision, recall and F1 by metric, with the signature that makes them comparable."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from corefine._version import __version__
from corefine.corpus.arrays import FloatArray
from corefine.errors import CorefineWarning, UsageError
from corefine.matching.settings import Settings
from corefine.metrics.base import Metric, Triple
from corefine.metrics.registry import parse
from corefine.scoring.breakdowns import Breakdown
from corefine.scoring.statistics import CorpusStatistics


@dataclass(frozen=True, slots=True)
class Score:
    """One metric's numbers, from 0 to 1. An average of F1 has no precision and no recall."""

    f1: float
    precision: float | None = None
    recall: float | None = None

    def to_dict(self) -> dict[str, float]:
        """Precision and recall where there are any, and F1."""
        if self.precision is None or self.recall is None:
            return {"f1": self.f1}
        return {"precision": self.precision, "recall": self.recall, "f1": self.f1}


@dataclass(frozen=True, slots=True)
class Signature:
    """All that a number depends on beside the data: two numbers compare if it is the same.

    >>> print(Signature(("lea",), {"match": "exact"}, "1.0"))
    metrics:lea|match:exact|average:micro|corefine:1.0
    """

    metrics: tuple[str, ...]
    settings: Mapping[str, str] = field(default_factory=dict)
    version: str = __version__

    def __str__(self) -> str:
        return f"metrics:{'+'.join(self.metrics)}|{self.conventions}"

    @property
    def conventions(self) -> str:
        """The signature without the list of metrics."""
        parts = [f"{name}:{value}" for name, value in self.settings.items()]
        return "|".join([*parts, "average:micro", f"corefine:{self.version}"])


@dataclass(frozen=True, eq=False, repr=False)
class Scores(Mapping[str, Score]):
    """The scores of a response, by metric; made by :func:`corefine.score`.

    It is indexed by a metric's name as it was asked for or in its canonical form, and keeps the
    statistics by document from which intervals and tests are made.
    """

    metrics: dict[str, Metric]
    """The metrics by the names they were asked for."""
    statistics: CorpusStatistics
    settings: Settings = field(default_factory=Settings)
    notes: Mapping[str, str] = field(default_factory=dict)
    """What else belongs in the signature, such as the source of mention kinds."""
    warnings: tuple[str, ...] = ()
    cuts: bool = False
    """Numbers are cut to two decimals of a percent, as the Perl reference scorer prints them."""
    breakdowns: tuple[Breakdown, ...] = ()
    """The statistics of parts, for each breakdown that was asked for."""
    __hash__: ClassVar[None] = None  # type: ignore[assignment]

    @property
    def signature(self) -> Signature:
        settings = {**self.settings.signature_parts(), **self.notes}
        if self.bounds:
            settings["ceaf"] = "bounded"
        return Signature(tuple(self.by_name), settings)

    @cached_property
    def by_name(self) -> dict[str, Score]:
        """The scores by canonical name."""
        return self._scored(self.statistics, self.metrics.values())

    @cached_property
    def bounds(self) -> dict[str, tuple[Score, Score]]:
        """By canonical name, between what the scores lie that memory did not suffice to find.

        The scores by name are the lower bounds of these. It is empty where all are exact.
        """
        totals = self.statistics.totals()
        slack = {m for m, values in totals.items() if values.get("precision_slack", 0) > 0}
        slack |= {m for m, values in totals.items() if values.get("recall_slack", 0) > 0}
        if not slack:
            return {}
        highest = {
            metric: {
                name: np.add(value, values.get(name.replace("_part", "_slack"), 0.0))
                if name.endswith("_part")
                else value
                for name, value in values.items()
            }
            for metric, values in totals.items()
        }
        affected = [
            metric
            for metric in self.metrics.values()
            if slack.intersection(map(str, metric.needs()))
        ]
        high = self._scored_totals(highest, affected)
        return {name: (self.by_name[name], high[name]) for name in high}

    @cached_property
    def breakdown(self) -> dict[str, dict[str, dict[str, Score]]]:
        """The scores of parts: ``kind``, ``type`` or ``overlap`` → group → canonical name → score.

        A metric is left out where it cannot be divided so, and where a group has nothing that it
        counts.
        """
        return {
            breakdown.by: {
                group: self._scored(breakdown.statistics(group), breakdown.asked(group).values())
                for group in breakdown.parts
            }
            for breakdown in self.breakdowns
        }

    def _scored(self, statistics: CorpusStatistics, metrics: Iterable[Metric]) -> dict[str, Score]:
        return self._scored_totals(statistics.totals(), metrics)

    def _scored_totals(
        self, totals: Mapping[str, Mapping[str, FloatArray]], metrics: Iterable[Metric]
    ) -> dict[str, Score]:
        scores = {}
        for metric in metrics:
            precision, recall, f1 = metric.score_from(totals)
            scores[str(metric)] = Score(
                self._shown(f1),
                None if precision is None else self._shown(precision),
                None if recall is None else self._shown(recall),
            )
        return scores

    def _shown(self, value: FloatArray) -> float:
        return math.floor(float(value) * 10000) / 10000 if self.cuts else float(value)

    @cached_property
    def documents(self) -> dict[str, dict[str, Score]]:
        """The scores of every document on its own: document id → canonical name → score."""
        names = self.statistics.documents
        result: dict[str, dict[str, Score]] = {name: {} for name in names}
        for metric in self.metrics.values():
            for name, score in zip(names, self._by_document(metric), strict=True):
                result[name][str(metric)] = score
        return result

    def _by_document(self, metric: Metric) -> list[Score]:
        triple: Triple = metric.score_from(self.statistics.values)
        count = len(self.statistics.documents)
        f1 = np.broadcast_to(triple.f1, count).tolist()
        if triple.precision is None or triple.recall is None:
            return [Score(value) for value in f1]
        columns = zip(f1, triple.precision.tolist(), triple.recall.tolist(), strict=True)
        return [Score(*values) for values in columns]

    def __getitem__(self, name: str) -> Score:
        metric = self.metrics.get(name)
        canonical = name if metric is None else str(metric)
        if canonical not in self.by_name:
            try:
                canonical = str(parse(name))
            except UsageError:
                raise KeyError(name) from None
        if canonical not in self.by_name:
            raise KeyError(f"{name} was not asked for; there are: {', '.join(self.by_name)}")
        return self.by_name[canonical]

    def __iter__(self) -> Iterator[str]:
        return iter(self.by_name)

    def __len__(self) -> int:
        return len(self.by_name)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Scores):
            return NotImplemented
        self._warn_unless_comparable(other)
        return self.by_name == other.by_name

    def __sub__(self, other: Scores) -> dict[str, Score]:
        """The differences of the metrics that both have, which may be negative."""
        self._warn_unless_comparable(other)
        differences = {}
        for name, mine in self.by_name.items():
            theirs = other.by_name.get(name)
            if theirs is None:
                continue
            if mine.precision is None or theirs.precision is None:
                differences[name] = Score(mine.f1 - theirs.f1)
            else:
                assert mine.recall is not None
                assert theirs.recall is not None
                differences[name] = Score(
                    mine.f1 - theirs.f1,
                    mine.precision - theirs.precision,
                    mine.recall - theirs.recall,
                )
        return differences

    def _warn_unless_comparable(self, other: Scores) -> None:
        mine, theirs = self.signature.conventions, other.signature.conventions
        if mine != theirs:
            warnings.warn(
                f"these scores were made under different conventions: {mine} and {theirs}",
                CorefineWarning,
                stacklevel=3,
            )

    def to_dict(self, *, documents: bool = False) -> dict[str, Any]:
        """The form in which scores are written as JSON; with ``documents`` also each one's."""
        result: dict[str, Any] = {
            "signature": str(self.signature),
            "scores": {name: score.to_dict() for name, score in self.by_name.items()},
        }
        if self.bounds:
            result["bounds"] = {
                name: [low.to_dict(), high.to_dict()] for name, (low, high) in self.bounds.items()
            }
        if documents:
            result["documents"] = {
                document: {name: score.to_dict() for name, score in scores.items()}
                for document, scores in self.documents.items()
            }
        if self.breakdowns:
            result["by"] = {
                by: {
                    group: {name: score.to_dict() for name, score in scores.items()}
                    for group, scores in groups.items()
                }
                for by, groups in self.breakdown.items()
            }
        result["warnings"] = list(self.warnings)
        return result

    def rows(self) -> list[tuple[str, str, str, str]]:
        """Metric, precision, recall and F1 in percent, as they are shown."""
        return [
            (name, _percent(score.precision), _percent(score.recall), _percent(score.f1))
            for name, score in self.by_name.items()
        ]

    def __repr__(self) -> str:
        rows = [("", "P", "R", "F1"), *self.rows()]
        width = max(len(row[0]) for row in rows)
        lines = [f"{row[0]:<{width}}" + "".join(f"{cell:>8}" for cell in row[1:]) for row in rows]
        return "\n".join([*lines, str(self.signature)])

    def _repr_html_(self) -> str:
        from html import escape

        head = "".join(f"<th>{title}</th>" for title in ("metric", "P", "R", "F1"))
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>"
            for row in self.rows()
        )
        return (
            f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
            f"<small>{escape(str(self.signature))}</small>"
        )


def _percent(value: float | None) -> str:
    return "" if value is None else f"{100 * value:.2f}"
