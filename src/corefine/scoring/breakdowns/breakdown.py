"""What a division is: a way to divide what metrics count into groups."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from corefine.corpus.arrays import IntArray
from corefine.errors import UsageError
from corefine.matching.settings import Settings
from corefine.metrics.base import Metric, RowLabels, Statistics
from corefine.metrics.table import MentionTable

Parts = dict[str, dict[str, Statistics]]
"""Statistics by document, by group and metric."""
SUMMARIES = {
    "kind": "mention kind",
    "type": "semantic type",
    "overlap": "token overlap of pairs",
    "size": "entity size",
    "spread": "entity spread",
    "distance": "distance to the previous mention",
    "genre": "genre",
    "length": "document length",
    "level": "links within documents, subtopics, topics and across topics",
}
"""How the help lists the divisions, which are imported only when one is asked for."""


@dataclass(frozen=True)
class Breakdown(ABC):
    """A way to divide scores, with its parameters; divisions that divide alike are equal."""

    name: ClassVar[str]
    usual_metrics: ClassVar[str] = ""
    """The metrics that are divided where none of those asked for can be; empty: none are."""
    needs_kinds: ClassVar[bool] = False
    """Whether it looks at mention kinds or semantic types."""
    needs_text: ClassVar[bool] = False
    """Whether it looks at where mentions stand, and refuses those without a place."""

    @property
    def summary(self) -> str:
        """What it divides by."""
        return SUMMARIES[self.name]

    @classmethod
    def from_parameters(cls, written: str) -> Breakdown:
        """The division from what stands in brackets behind its name."""
        if written:
            raise UsageError(f"by {cls.name} takes no parameters, but {written!r} was given")
        return cls()

    @abstractmethod
    def can_divide(self, metric: Metric) -> bool:
        """Whether a metric can be divided in this way."""

    @abstractmethod
    def parts(self, table: MentionTable, metrics: Mapping[str, Metric]) -> Parts:
        """The statistics of each group, by metric; groups without anything are left out."""

    def refusal(self, settings: Settings) -> UsageError | None:
        """Why scores cannot be divided so under these settings; None where they can."""
        return None

    def nothing_known(self, groups: Sequence[str]) -> UsageError | None:
        """Why these groups of a whole corpus say nothing; None where they do."""
        return None

    def order(self, groups: Iterable[str]) -> list[str]:
        """The groups in the order in which they are shown."""
        return list(groups)

    def signature_parts(self, group: str) -> dict[str, str]:
        """What a number of this group depends on."""
        return {str(self): group}

    def __str__(self) -> str:
        return self.name


class LabelDivision(Breakdown):
    """A division by labels of mentions: the parts of metrics that count by mention add up."""

    @abstractmethod
    def labels(self, table: MentionTable) -> RowLabels:
        """The labels of the table's mentions."""

    def can_divide(self, metric: Metric) -> bool:
        return all(part.divides_by_mention for part in metric.needs())

    def parts(self, table: MentionTable, metrics: Mapping[str, Metric]) -> Parts:
        parts: Parts = {}
        for name, metric in metrics.items():
            for group, statistics in self._divided(metric, table).items():
                if counts_anything(statistics):
                    parts.setdefault(group, {})[name] = statistics
        return {group: parts[group] for group in self.order(parts)}

    def _divided(self, metric: Metric, table: MentionTable) -> dict[str, Statistics]:
        """The metric by group, under the table's rule for twinless mentions."""
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
        """The metric by group, in one table."""
        labels = table.shared(("labels", self), lambda: self.labels(table))
        return metric.by_label(table, labels)


@dataclass(frozen=True)
class BoundedDivision(LabelDivision):
    """A division by a number that mentions have, at bounds: each is where the next group begins."""

    bounds: tuple[int, ...] = ()
    usual: ClassVar[tuple[int, ...]]
    """The bounds where none are given."""
    least: ClassVar[int] = 0
    """The smallest number that there is."""

    def __post_init__(self) -> None:
        bounds = self.bounds or self.usual
        if (
            any(bound <= self.least for bound in bounds)
            or list(bounds) != sorted(set(bounds))
            or len(bounds) > 100
        ):
            raise UsageError(
                f"by {self.name}: the bin edges {', '.join(map(str, bounds))} are not "
                f"increasing integers above {self.least}",
                remedy=f"Write, for example, {self.name}({','.join(map(str, self.usual))}).",
            )
        object.__setattr__(self, "bounds", tuple(bounds))

    @classmethod
    def from_parameters(cls, written: str) -> Breakdown:
        try:
            return cls(tuple(int(bound) for bound in written.split(",")) if written else ())
        except ValueError:
            raise UsageError(
                f"by {cls.name}: the bin edges {written!r} are not integers",
                remedy=f"Write, for example, {cls.name}({','.join(map(str, cls.usual))}).",
            ) from None

    def __str__(self) -> str:
        if self.bounds == self.usual:
            return self.name
        return f"{self.name}({','.join(map(str, self.bounds))})"

    def ranges(self) -> tuple[str, ...]:
        """The groups by name, such as ``0-19``, ``20-99`` and ``100+``."""
        begins = (self.least, *self.bounds)
        ends = [bound - 1 for bound in self.bounds]
        closed = [
            str(begin) if begin == end else f"{begin}-{end}"
            for begin, end in zip(begins[:-1], ends, strict=True)
        ]
        return (*closed, f"{begins[-1]}+")

    def group(self, values: IntArray) -> IntArray:
        """The number of each value's group."""
        return np.searchsorted(self.bounds, values, side="right")

    @abstractmethod
    def groups(self) -> tuple[str, ...]:
        """All groups by name."""

    def order(self, groups: Iterable[str]) -> list[str]:
        present = set(groups)
        return [name for name in self.groups() if name in present]


def counts_anything(statistics: Statistics) -> bool:
    """Whether there is anything in a group."""
    return any(column.any() for column in statistics.values())


def by_row(table: MentionTable, key: IntArray, response: IntArray) -> tuple[IntArray, IntArray]:
    """What mentions of the matched corpora have, for each row and side; 0 where a side lacks it."""
    if table.matched is None:
        raise ValueError("this table does not know its mentions")
    ours, theirs = table.matched.key_mention, table.matched.response_mention
    return np.append(key, 0)[ours], np.append(response, 0)[theirs]
