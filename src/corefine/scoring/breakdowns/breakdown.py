"""Base classes of breakdowns, and breakdowns by name.

Groups of documents (genre, length, topic) sum the statistics of their documents. Groups of mentions
(kind, size, spread, distance) divide what a metric counts by labels of mentions or entities.

>>> str(parse("size(2,10)")), str(parse("size(2,5)"))
('size(2,10)', 'size')
"""

from __future__ import annotations

import os
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from corefine.corpus.arrays import IntArray
from corefine.errors import UsageError, closest
from corefine.matching.settings import Settings
from corefine.metrics.base import Metric, RowLabels, Statistics
from corefine.metrics.table import MentionTable

Parts = dict[str, dict[str, Statistics]]
"""Statistics per document, by group and metric."""
SUMMARIES = {
    "kind": "mention kind",
    "type": "semantic type",
    "overlap": "token overlap of pairs",
    "size": "entity size",
    "spread": "entity spread",
    "distance": "distance to the previous mention",
    "genre": "genre",
    "length": "document length",
    "topic": "topic",
    "level": "links within documents, subtopics, topics and across topics",
}
"""The breakdowns in the help, which are imported only when one is requested."""


@dataclass(frozen=True)
class Breakdown(ABC):
    """A way to break down scores, with its parameters."""

    name: ClassVar[str]
    usual_metrics: ClassVar[str] = ""
    """Metrics that are broken down if none of the requested ones can be."""
    needs_kinds: ClassVar[bool] = False
    """True if it depends on mention kinds or semantic types."""
    needs_text: ClassVar[bool] = False
    """True if it depends on the positions of mentions."""

    @property
    def summary(self) -> str:
        """The property that it breaks down by."""
        return SUMMARIES[self.name]

    @classmethod
    def from_parameters(cls, written: str) -> Breakdown:
        """The breakdown from the parameters in brackets after its name."""
        if written:
            raise UsageError(f"by {cls.name} takes no parameters, but {written!r} was given")
        return cls()

    @abstractmethod
    def can_divide(self, metric: Metric) -> bool:
        """True if a metric can be broken down so."""

    @abstractmethod
    def parts(self, table: MentionTable, metrics: Mapping[str, Metric]) -> Parts:
        """The statistics of each group that is not empty, by metric."""

    def refusal(self, settings: Settings) -> UsageError | None:
        """The error for settings that do not allow this breakdown."""
        return None

    def error_without_groups(self, groups: Sequence[str]) -> UsageError | None:
        """The error if all documents or mentions are in the group of unknown ones."""
        return None

    def order(self, groups: Iterable[str]) -> list[str]:
        """The groups in the order of their display."""
        return list(groups)

    def signature_parts(self, group: str) -> dict[str, str]:
        """The part of the signature of a score of this group."""
        return {str(self): group}

    def __str__(self) -> str:
        return self.name


class DocumentBreakdown(Breakdown):
    """A breakdown by groups of documents, for every metric; the groups add up to the whole."""

    @abstractmethod
    def groups_of(self, table: MentionTable) -> Sequence[str]:
        """The group of each document or window of a table."""

    def groups_of_saved(self, documents: Sequence[str]) -> Sequence[str]:
        """The group of each document of a saved result, if its id determines the group."""
        raise UsageError(
            f"scores by {self.name} cannot be computed from a saved result",
            remedy=f"Score again with --by {self.name} --save.",
        )

    def can_divide(self, metric: Metric) -> bool:
        return True

    def refusal(self, settings: Settings) -> UsageError | None:
        if settings.scope == "document":
            return None
        return UsageError(
            f"scores by {self.name} need separate documents, but --scope {settings.scope} links "
            "them",
            remedy="Use --scope document.",
        )

    def parts(self, table: MentionTable, metrics: Mapping[str, Metric]) -> Parts:
        raise TypeError("the groups of documents are sums of statistics of documents")


class MentionBreakdown(Breakdown):
    """A breakdown by labels of mentions or entities; the groups add up to the whole."""

    @abstractmethod
    def labels(self, table: MentionTable) -> RowLabels:
        """The labels of the mentions of a table."""

    def can_divide(self, metric: Metric) -> bool:
        return all(part.divides_by_mention for part in metric.needs())

    def parts(self, table: MentionTable, metrics: Mapping[str, Metric]) -> Parts:
        parts: Parts = {}
        for name, metric in metrics.items():
            for group, statistics in self._divided(metric, table).items():
                if counts_anything(statistics):
                    parts.setdefault(group, {})[name] = statistics
        return parts

    def _divided(self, metric: Metric, table: MentionTable) -> dict[str, Statistics]:
        """The statistics by group, under the table's rule for twinless mentions."""
        tables = table.twinless_tables if metric.properties.splits_twinless else None
        if tables is None:
            return self.divided(metric, table)
        precision, recall = (self.divided(metric, part) for part in tables)
        return {
            group: {
                name: (precision if name.startswith("precision") else recall)[group][name]
                for name in statistics
            }
            for group, statistics in precision.items()
        }

    def divided(self, metric: Metric, table: MentionTable) -> dict[str, Statistics]:
        """The statistics by group in one table."""
        labels = table.shared(("labels", self), lambda: self.labels(table))
        return metric.by_label(table, labels)


@dataclass(frozen=True)
class BinnedBreakdown(Breakdown):
    """A breakdown by a number in bins; ``bounds`` are the numbers at which further bins begin."""

    bounds: tuple[int, ...] = ()
    default_bounds: ClassVar[tuple[int, ...]]
    smallest: ClassVar[int] = 0
    """The smallest possible number."""

    def __post_init__(self) -> None:
        bounds = self.bounds or self.default_bounds
        if (
            any(bound <= self.smallest for bound in bounds)
            or list(bounds) != sorted(set(bounds))
            or len(bounds) > 100
        ):
            raise UsageError(
                f"by {self.name}: the bin edges {', '.join(map(str, bounds))} are not "
                f"increasing integers above {self.smallest}",
                remedy=f"Write, for example, {self.name}({_joined(self.default_bounds)}).",
            )
        object.__setattr__(self, "bounds", tuple(bounds))

    @classmethod
    def from_parameters(cls, written: str) -> Breakdown:
        try:
            return cls(tuple(int(bound) for bound in written.split(",")) if written else ())
        except ValueError:
            raise UsageError(
                f"by {cls.name}: the bin edges {written!r} are not integers",
                remedy=f"Write, for example, {cls.name}({_joined(cls.default_bounds)}).",
            ) from None

    def __str__(self) -> str:
        if self.bounds == self.default_bounds:
            return self.name
        return f"{self.name}({_joined(self.bounds)})"

    def bins(self) -> tuple[str, ...]:
        """The names of the bins, such as ``0-19``, ``20-99`` and ``100+``."""
        begins = (self.smallest, *self.bounds)
        ends = [bound - 1 for bound in self.bounds]
        closed = [
            str(begin) if begin == end else f"{begin}-{end}"
            for begin, end in zip(begins[:-1], ends, strict=True)
        ]
        return (*closed, f"{begins[-1]}+")

    def bin_of(self, values: IntArray) -> IntArray:
        """The number of the bin of each value."""
        return np.searchsorted(self.bounds, values, side="right")

    def groups(self) -> tuple[str, ...]:
        """The names of all groups."""
        return self.bins()

    def order(self, groups: Iterable[str]) -> list[str]:
        present = set(groups)
        return [name for name in self.groups() if name in present]


def counts_anything(statistics: Statistics) -> bool:
    """True if any statistic of any document is not 0."""
    return any(column.any() for column in statistics.values())


def _joined(bounds: Iterable[int]) -> str:
    return ",".join(map(str, bounds))


def registered() -> dict[str, type[Breakdown]]:
    """All breakdowns by name, in the order of the help."""
    from corefine.scoring.breakdowns import documents, mentions

    found = {one.name: one for one in (*documents.BREAKDOWNS, *mentions.BREAKDOWNS)}
    return {name: found[name] for name in SUMMARIES}


def parse(written: str) -> Breakdown:
    """The breakdown of a name, with bounds or other parameters in brackets."""
    match = re.fullmatch(r"\s*([\w-]+)\s*(?:\((.*)\))?\s*", written, re.DOTALL)
    known = registered()
    if match is None or match.group(1) not in known:
        raise UsageError(
            f"by cannot be {written!r}",
            remedy=f"Use one of: {', '.join(known)}.{closest(written, known)}",
        )
    return known[match.group(1)].from_parameters((match.group(2) or "").strip())


def breakdowns_from(
    by: str | Breakdown | Sequence[str | Breakdown] | None,
    genres: str | os.PathLike[str] | Mapping[str, str] | None = None,
) -> tuple[Breakdown, ...]:
    """The requested breakdowns: one, several, or several separated by commas."""
    found: list[Breakdown] = []
    for one in [by] if isinstance(by, str | Breakdown) else by or ():
        words: list[Any] = [one] if isinstance(one, Breakdown) else _split(one)
        found += [word if isinstance(word, Breakdown) else parse(word) for word in words]
    breakdowns = list(dict.fromkeys(found))
    names = [breakdown.name for breakdown in breakdowns]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"scores by {name} are requested twice", remedy="Choose one.")
    if genres is not None:
        if "genre" not in names:
            raise UsageError(
                "genres are given, but scores by genre are not requested", remedy="Add --by genre."
            )
        from corefine.scoring.breakdowns.documents import Genre

        breakdowns[names.index("genre")] = Genre.of(genres)
    return tuple(breakdowns)


def _split(written: str) -> list[str]:
    """The parts between commas outside brackets."""
    return re.split(r",(?![^()]*\))", written)
