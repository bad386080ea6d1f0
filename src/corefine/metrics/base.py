"""What a metric is: additive statistics by document, and a score from their sums.

A metric never sees more than the table and gives numbers that add up: the statistics of a corpus
are the sums of those of its documents, however it was cut. Precision, recall and F1 are made from
the sums, for arrays of any shape, so that ten thousand resamplings of a corpus cost one call.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from typing import Any, ClassVar, NamedTuple

import numpy as np

from corefine.corpus.arrays import FloatArray
from corefine.corpus.columns import Kind
from corefine.errors import UsageError
from corefine.metrics.label_counts import LabelCounts
from corefine.metrics.row_labels import RowLabels
from corefine.metrics.table import Table

Statistics = dict[str, FloatArray]
"""Named numbers, one for each document (or, summed, one for each resampling)."""


class Triple(NamedTuple):
    """Precision, recall and F1; an average of F1 has no precision and no recall."""

    precision: FloatArray | None
    recall: FloatArray | None
    f1: FloatArray


@dataclass(frozen=True, slots=True)
class Properties:
    """What holds of a metric; the property tests are driven by this."""

    symmetric: bool = True
    """Swapping key and response swaps precision and recall."""
    counts_singletons: bool = True
    """Entities of one mention are rewarded when found."""
    needs_kinds: bool = False
    """It looks at whether mentions are names, nominals or pronouns."""
    needs_scope: bool = False
    """It says something only where entities reach beyond a document."""
    layer: str = "identity"
    """The annotation that it scores: identity, bridging, deixis or nonreferring."""
    splits_twinless: bool = False
    """Cai & Strube's rule for twinless mentions is made for it."""
    split_antecedents: bool = False
    """It is defined for entities that are made of others: see ``split_antecedents``."""
    identity: bool = True
    """A key with at least one link, scored against itself, gives 1."""


@dataclass(frozen=True, slots=True, eq=False)
class MentionShares:
    """What each mention adds to precision and recall, for metrics that are sums over mentions.

    A mention of a cell earns the cell's number; it could have earned its entity's.
    """

    precision_cells: FloatArray
    recall_cells: FloatArray
    response: FloatArray
    key: FloatArray


@dataclass(frozen=True)
class Metric(ABC):
    """A metric with its parameters. Two equal metrics have the same canonical name."""

    name: ClassVar[str]
    title: ClassVar[str]
    summary: ClassVar[str]
    use: ClassVar[str] = ""
    """When to use it, in three sentences."""
    example: ClassVar[str] = ""
    """A command that uses it."""
    citation: ClassVar[str]
    properties: ClassVar[Properties] = Properties()
    aliases: ClassVar[tuple[str, ...]] = ()
    shorthands: ClassVar[Mapping[str, str]] = {}
    """Names of their own for the metric with certain parameters."""
    takes_metrics: ClassVar[bool] = False
    """Whether what stands in its brackets are metrics and not parameters."""
    statistic_names: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def statistics(self, table: Table) -> Statistics:
        """The additive statistics of every document, by the names in ``statistic_names``."""

    @abstractmethod
    def score(self, totals: Mapping[str, FloatArray]) -> Triple:
        """Precision, recall and F1 from summed statistics, elementwise."""

    def count(self, table: Table) -> Statistics:
        """The statistics of every document under the table's rules for twinless mentions and for
        split antecedents."""
        if table.split_antecedents != "ignore" and self.counts_split_antecedents:
            from corefine.metrics.split_antecedents import count_sets

            return count_sets(self, table, table.split_antecedents)
        tables = table.twinless_tables if self.properties.splits_twinless else None
        if tables is None:
            return self.statistics(table)
        for_precision, for_recall = map(self.statistics, tables)
        return {
            name: (for_precision if name.startswith("precision") else for_recall)[name]
            for name in for_precision
        }

    def by_kind(self, table: Table) -> dict[str, Statistics]:
        """The statistics by kind of mention, for metrics that can be divided so."""
        if not self.divides_by_mention:
            raise TypeError(f"{self} cannot be broken down by mention kind")
        names = tuple(kind.name.lower() for kind in Kind)
        return self.by_label(table, RowLabels(names, table.kinds, table.kinds))

    def by_label(self, table: Table, labels: RowLabels) -> dict[str, Statistics]:
        """The statistics by label of mentions or entities, for metrics that can be divided so."""
        raise TypeError(f"{self} cannot be broken down by mention labels")

    @property
    def divides_by_kind(self) -> bool:
        """Whether what it counts belongs to mentions, or pairs of them, and so to their kinds."""
        return self.divides_by_mention or type(self).by_kind is not Metric.by_kind

    @property
    def divides_by_mention(self) -> bool:
        """Whether what it counts belongs to single mentions, and so to labels of theirs."""
        return False

    @property
    def divides_by_entity(self) -> bool:
        """Whether what it counts belongs to single entities, and so to labels of theirs."""
        return self.divides_by_mention

    def by_overlap(self, table: Table) -> dict[str, Statistics]:
        """The statistics by the words that pairs of mentions share, for metrics of pairs."""
        raise TypeError(f"{self} cannot be broken down by token overlap")

    @property
    def symmetric(self) -> bool:
        """Whether swapping the sides only swaps precision and recall, with these parameters."""
        return self.properties.symmetric

    @property
    def counts_split_antecedents(self) -> bool:
        """Whether split antecedents are defined for it, with these parameters."""
        return self.properties.split_antecedents

    @property
    def needs_kinds(self) -> bool:
        """Whether it looks at the kinds of mentions, with these parameters."""
        return self.properties.needs_kinds

    @property
    def needs_mentions(self) -> bool:
        """Whether it looks at single mentions, and not only at the cells of the table."""
        return self.needs_kinds or self.needs_text

    @property
    def needs_text(self) -> bool:
        """Whether it looks at the words of mentions, or at their places in the text."""
        return False

    def needs(self) -> tuple[Metric, ...]:
        """The metrics whose statistics this one is made from: itself, unless it is an average."""
        return (self,)

    def score_from(self, totals: Mapping[str, Mapping[str, FloatArray]]) -> Triple:
        """The score from the summed statistics of several metrics, by canonical name."""
        return self.score(totals[str(self)])

    @classmethod
    def from_metrics(cls, metrics: Sequence[Metric]) -> Metric:
        """The metric made of others, where it takes some."""
        raise TypeError(f"{cls.name} takes no metrics")

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, str]) -> Metric:
        """The metric from parameters as they are written in its name."""
        known = [field.name for field in fields(cls)]
        for parameter in parameters:
            if parameter not in known:
                raise UsageError(
                    f"{cls.name} has no parameter {parameter!r}",
                    remedy=f"It takes: {', '.join(known)}." if known else "It takes none.",
                )
        return cls(**parameters)

    def parameters(self) -> dict[str, Any]:
        """The parameters that differ from their defaults."""
        return {
            field.name: getattr(self, field.name)
            for field in fields(self)
            if field.default is MISSING or getattr(self, field.name) != field.default
        }

    def __str__(self) -> str:
        parameters = self.parameters()
        if not parameters:
            return self.name
        written = ",".join(f"{name}={written_value(value)}" for name, value in parameters.items())
        return f"{self.name}({written})"


def written_value(value: object) -> str:
    """A parameter's value as it stands in a metric's name; a function by its own name.

    A function without a name of its own is told apart by its code.
    """
    if callable(value):
        name = str(getattr(value, "__name__", type(value).__name__))
        named = name.isidentifier() and hasattr(value, "__name__")
        return name if named else _told_apart(value, name)
    if isinstance(value, float):
        short = f"{value:g}"
        return short if float(short) == value else repr(value)
    return str(value)


def _told_apart(value: object, name: str) -> str:
    """A name such as ``lambda#3f9a``: by what the function does, so that workers agree on it."""
    import hashlib
    import re

    code = getattr(value, "__code__", None)
    if code is None:
        return f"{name}#{id(value):x}"
    held = [cell.cell_contents for cell in getattr(value, "__closure__", None) or ()]
    defaults = getattr(value, "__defaults__", None)
    text = repr((code.co_code, code.co_consts, code.co_names, held, defaults))
    digest = hashlib.blake2b(re.sub(" at 0x[0-9a-f]+", "", text).encode(), digest_size=4)
    return f"{name.strip('<>')}#{digest.hexdigest()}"


def ratio(part: FloatArray, whole: FloatArray) -> FloatArray:
    """part / whole, and 0 where the whole is 0."""
    part, whole = np.asarray(part, float), np.asarray(whole, float)
    if np.count_nonzero(whole) == whole.size:
        # Looking first is cheaper than dividing under a mask: resampling does this a lot.
        return np.asarray(part / whole)
    return np.divide(part, whole, out=np.zeros(np.broadcast(part, whole).shape), where=whole != 0)


def f_measure(precision: FloatArray, recall: FloatArray) -> FloatArray:
    """The harmonic mean of precision and recall, and 0 where both are 0."""
    return ratio(2 * precision * recall, precision + recall)


class RatioMetric(Metric):
    """A metric whose precision and recall are each one fraction of summed parts and wholes."""

    statistic_names = ("precision_part", "precision_whole", "recall_part", "recall_whole")

    def score(self, totals: Mapping[str, FloatArray]) -> Triple:
        precision = ratio(totals["precision_part"], totals["precision_whole"])
        recall = ratio(totals["recall_part"], totals["recall_whole"])
        return Triple(precision, recall, f_measure(precision, recall))


class MentionMetric(RatioMetric):
    """A metric whose parts and wholes are sums over mentions."""

    @abstractmethod
    def mention_shares(self, table: Table) -> MentionShares:
        """What each mention adds to them."""

    @property
    def divides_by_mention(self) -> bool:
        return True

    def by_label(self, table: Table, labels: RowLabels) -> dict[str, Statistics]:
        shares, cells = self.mention_shares(table), table.cells
        ours, theirs = _counts(table, labels)
        return {
            name: {
                "precision_part": table.per_document(
                    cells.document, shares.precision_cells * theirs.cells[label]
                ),
                "precision_whole": table.per_document(
                    table.response.document, shares.response * theirs.response[label]
                ),
                "recall_part": table.per_document(
                    cells.document, shares.recall_cells * ours.cells[label]
                ),
                "recall_whole": table.per_document(
                    table.key.document, shares.key * ours.key[label]
                ),
            }
            for label, name in enumerate(labels.names)
        }


def _counts(table: Table, labels: RowLabels) -> tuple[LabelCounts, LabelCounts]:
    """Mentions by the key's labels and by the response's."""
    if labels.key is table.kinds and labels.response is table.kinds:
        return table.kind_counts, table.kind_counts
    count = len(labels.names)
    return table.count_labels(labels.key, count), table.count_labels(labels.response, count)
