"""Base classes of metrics: additive statistics per document, and scores from their sums.

A metric counts numbers per document that can be added, however the corpus was divided. Precision,
recall and F1 are computed from the sums, for arrays of any shape, so that ten thousand resamples of
a corpus cost one call.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, replace
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from corefine.corpus.arrays import FloatArray, IntArray
from corefine.corpus.columns import Kind
from corefine.errors import UsageError, choose
from corefine.metrics.table import Contributions, Labels, MentionTable, Table

if TYPE_CHECKING:
    from corefine.metrics.split_antecedents import SharedSets

KINDS = tuple(kind.name.lower() for kind in Kind)
Statistics = dict[str, FloatArray]
"""Named numbers, one per document (or, summed, one per resample)."""


class Triple(NamedTuple):
    """Precision, recall and F1; averages of F1 have neither precision nor recall."""

    precision: FloatArray | None
    recall: FloatArray | None
    f1: FloatArray


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RowLabels:
    """Labels of the rows of a table by which a metric is broken down.

    Recall is broken down by the labels in the key, precision by those in the response. The label
    of a row on a side without it is arbitrary.
    """

    names: tuple[str, ...]
    key: Labels
    response: Labels
    of_entities: bool = False
    """True if all mentions of an entity have the same label."""
    key_order: IntArray | None = None
    """The text order of the rows, if it differs from the order of the table."""
    response_order: IntArray | None = None


class Paragraph:
    """An attribute of classes: the paragraph of their docstring with this beginning, or ""."""

    def __init__(self, beginning: str) -> None:
        self.beginning = beginning

    def __get__(self, instance: object, owner: type) -> str:
        for one in owner.__mro__:
            for paragraph in (one.__doc__ or "").split("\n\n"):
                text = " ".join(paragraph.split())
                if text.startswith(self.beginning):
                    return text.removeprefix("$ ")
        return ""


@dataclass(frozen=True)
class Metric(ABC):
    """A metric with its parameters. Equal metrics have the same canonical name."""

    name: ClassVar[str]
    title: ClassVar[str]
    summary: ClassVar[str]
    use: ClassVar[Paragraph] = Paragraph("Use it ")
    """When to use it: the paragraph of its docstring that begins with "Use it"."""
    example: ClassVar[Paragraph] = Paragraph("$ ")
    """A command that uses it: the line of its docstring that begins with "$"."""
    citation: ClassVar[str]
    references: ClassVar[tuple[str, ...]] = ()
    """The papers that define it: keys of ``references.bib``, or BibTeX entries."""
    aliases: ClassVar[tuple[str, ...]] = ()
    shorthands: ClassVar[Mapping[str, str]] = {}
    """Names for the metric with certain parameters."""
    takes_metrics: ClassVar[bool] = False
    """True if its arguments are metrics instead of parameters."""
    statistic_names: ClassVar[tuple[str, ...]] = ()
    choices: ClassVar[tuple[tuple[str, tuple[str, ...]], ...]] = ()
    """The allowed values of parameters that are one of several words, the default first."""
    examples: ClassVar[tuple[tuple[str, tuple[str, ...]], ...]] = ()
    """Values of other parameters that can be written in a name, the default first."""

    # Properties that scoring uses. Subclasses set them, or single metrics if parameters decide.
    symmetric: ClassVar[bool] = True
    """True if swapping key and response swaps precision and recall."""
    counts_singletons: ClassVar[bool] = True
    """True if finding entities of one mention is rewarded."""
    perfect_is_one: ClassVar[bool] = True
    """True if a key with at least one link, scored against itself, gives 1."""
    splits_twinless: ClassVar[bool] = False
    """True if Cai & Strube's rule for twinless mentions applies to it."""
    scores_sets: ClassVar[bool] = False
    """True if it is defined for split antecedents."""
    divides_by: ClassVar[frozenset[str]] = frozenset()
    """Units that its counts can be divided by: kind, mention, entity."""
    needs_kinds: ClassVar[bool] = False
    """True if it depends on mention kinds."""
    needs_own_kinds: ClassVar[bool] = False
    """True if it depends on the kinds that the response gives to shared mentions."""
    needs_scope: ClassVar[bool] = False
    """True if it is informative only if entities cross documents."""
    needs_text: ClassVar[bool] = False
    """True if it depends on the words or positions of mentions."""
    needs_attributes: ClassVar[frozenset[str]] = frozenset()
    """The attributes of key mentions on which it depends."""

    layer: str = field(default="identity", kw_only=True)
    """The annotation that it scores: identity, bridging, nonreferring or deixis."""

    def __post_init__(self) -> None:
        for name, values in self.choices:
            if (given := getattr(self, name)) != values[0]:
                choose(f"the parameter {name} of {self.name}", given, values)

    def _set(self, **values: object) -> None:
        """Set normalised parameters, and properties that depend on parameters."""
        for name, value in values.items():
            object.__setattr__(self, name, value)

    @property
    def needs_mentions(self) -> bool:
        """True if it needs a :class:`.MentionTable`."""
        return self.needs_kinds or self.needs_text

    @classmethod
    def parameter_names(cls) -> tuple[str, ...]:
        """The parameters that distinguish metrics of this class."""
        return tuple(one.name for one in fields(cls) if one.name != "layer")

    @classmethod
    def describe_parameters(cls) -> str:
        """The parameters with their values: ``rule=v8.01 (default), luo2014``."""
        if cls.takes_metrics:
            return f"metrics, as in {cls.name}(muc,b3)"
        values = dict(cls.examples + cls.choices)
        if not values:
            return ", ".join(cls.parameter_names()) or "no parameters"
        return "; ".join(
            f"{name}={values[name][0]} (default), {', '.join(values[name][1:])}"
            for name in cls.parameter_names()
            if name in values
        )

    @abstractmethod
    def statistics(self, table: MentionTable) -> Statistics:
        """The additive statistics per document, by the names in ``statistic_names``.

        Metrics that do not look at single mentions accept any :class:`.Table`.
        """

    @abstractmethod
    def score(self, totals: Mapping[str, FloatArray]) -> Triple:
        """Precision, recall and F1 from summed statistics, elementwise."""

    def needs(self) -> tuple[Metric, ...]:
        """The metrics from whose statistics it is computed: itself, or the parts of an average."""
        return (self,)

    def score_from(self, totals: Mapping[str, Mapping[str, FloatArray]]) -> Triple:
        """The score from the summed statistics of several metrics, by canonical name."""
        return self.score(totals[str(self)])

    def by_kind(self, table: MentionTable) -> dict[str, Statistics]:
        """The statistics by mention kind, if the metric can be broken down so."""
        return self.by_label(table, RowLabels(KINDS, table.kinds, table.kinds))

    def by_label(self, table: MentionTable, labels: RowLabels) -> dict[str, Statistics]:
        """The statistics by label of mentions or entities, if it can be broken down so."""
        raise TypeError(f"{self} cannot be broken down by mention labels")

    # Split antecedents, entities made of others (:mod:`corefine.metrics.split_antecedents`): a set
    # of antecedents is one more mention of its entity. Sets of key and response are scored by the
    # metric itself, on their elements, and the aligned ones count as partly shared mentions. A
    # metric overrides the methods below if it counts sets in another way.

    def statistics_with_sets(self, table: MentionTable, only: bool) -> Statistics:
        """The statistics if split antecedents are scored, or ``only`` these."""
        if not self.scores_sets:
            return self.statistics(table)
        from corefine.metrics.split_antecedents import count_sets

        return count_sets(self, table, only)

    def set_statistics(self, table: Table) -> Statistics:
        """The statistics of a table whose documents are pairs of sets."""
        return count_cells(self, table)

    def set_scores(self, statistics: Statistics) -> dict[str, Triple]:
        """The scores of pairs of sets by the part of the metric that they are aligned for."""
        return {"": self.score(statistics)}

    def statistics_of_shared(self, sets: SharedSets) -> Statistics:
        """The statistics of documents in which aligned sets are partly shared mentions.

        By default a set is shared by its precision for precision, and its recall for recall.
        """
        precision, _ = sets.table("", "precision")
        recall, _ = sets.table("", "recall")
        return either_side(count_cells(self, precision), count_cells(self, recall))

    @classmethod
    def from_metrics(cls, metrics: Sequence[Metric], weights: Sequence[float] = ()) -> Metric:
        """Build the metric from other metrics, if it takes metrics."""
        raise TypeError(f"{cls.name} takes no metrics")

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, str]) -> Metric:
        """The metric from parameters as written in its name."""
        cls.check_parameters(parameters, cls.parameter_names())
        return cls(**parameters)

    @classmethod
    def check_parameters(cls, parameters: Mapping[str, str], known: Sequence[str]) -> None:
        """Refuse unknown parameters."""
        for parameter in parameters:
            if parameter not in known:
                raise UsageError(
                    f"{cls.name} has no parameter {parameter!r}",
                    remedy=f"It takes: {', '.join(known)}." if known else "It takes none.",
                )

    def parameters(self) -> dict[str, Any]:
        """The parameters that differ from their defaults."""
        defaults = {one.name: one.default for one in fields(self)}
        return {
            name: getattr(self, name)
            for name in self.parameter_names()
            if defaults[name] is MISSING or getattr(self, name) != defaults[name]
        }

    def on_layer(self, layer: str) -> Metric:
        """The same metric for another annotation of the documents."""
        return replace(self, layer=layer)

    def __str__(self) -> str:
        parameters = self.parameters()
        if self.layer != type(self).layer:
            parameters["layer"] = self.layer
        if not parameters:
            return self.name
        written = ",".join(f"{name}={written_value(value)}" for name, value in parameters.items())
        return f"{self.name}({written})"


@cache
def default(metric: type[Metric]) -> Metric:
    """The metric with its default parameters, made once."""
    return metric()


def either_side(precision: Statistics, recall: Statistics) -> Statistics:
    """The statistics of precision from one table, and all others from another one."""
    return {
        name: (precision if name.startswith("precision") else recall)[name] for name in precision
    }


def count_cells(metric: Metric, table: Table) -> Statistics:
    """The statistics of a table without mentions, for metrics that do not need mentions."""
    if metric.needs_mentions:
        raise TypeError(f"{metric} needs a table with mentions")
    return metric.statistics(table)  # type: ignore[arg-type]


def written_value(value: object) -> str:
    """The value of a parameter in the name of a metric; functions by name or hash of their code."""
    if callable(value):
        name = str(getattr(value, "__name__", type(value).__name__))
        is_named = name.isidentifier() and hasattr(value, "__name__")
        return name if is_named else _hashed_name(value, name)
    if isinstance(value, float):
        short = f"{value:g}"
        return short if float(short) == value else repr(value)
    return str(value)


def _hashed_name(value: object, name: str) -> str:
    """Name a function by a hash of its code, equal in all processes: ``lambda#3f9a``."""
    import hashlib

    code = getattr(value, "__code__", None)
    if code is None:
        return f"{name}#{id(value):x}"
    closure = [cell.cell_contents for cell in getattr(value, "__closure__", None) or ()]
    defaults = getattr(value, "__defaults__", None)
    text = repr((code.co_code, code.co_consts, code.co_names, closure, defaults))
    digest = hashlib.blake2b(re.sub(" at 0x[0-9a-f]+", "", text).encode(), digest_size=4)
    return f"{name.strip('<>')}#{digest.hexdigest()}"


def ratio(part: FloatArray, whole: FloatArray) -> FloatArray:
    """part / whole, and 0 where the whole is 0."""
    part, whole = np.asarray(part, float), np.asarray(whole, float)
    if np.count_nonzero(whole) == whole.size:
        # Cheaper than a masked division, which matters in resampling.
        return np.asarray(part / whole)
    return np.divide(part, whole, out=np.zeros(np.broadcast(part, whole).shape), where=whole != 0)


def f_measure(precision: FloatArray, recall: FloatArray) -> FloatArray:
    """The harmonic mean of precision and recall, and 0 where both are 0."""
    return ratio(2 * precision * recall, precision + recall)


class RatioMetric(Metric):
    """A metric whose precision and recall are each one fraction of summed parts and wholes.

    Subclasses define :meth:`contributions` or, if the counts do not belong to cells and
    entities, :meth:`statistics`.
    """

    statistic_names = ("precision_part", "precision_whole", "recall_part", "recall_whole")

    def contributions(self, table: MentionTable) -> Contributions:
        """The contributions of cells and entities to numerators and denominators."""
        raise NotImplementedError

    def statistics(self, table: MentionTable) -> Statistics:
        return table.summed(self.contributions(table))

    def score(self, totals: Mapping[str, FloatArray]) -> Triple:
        precision = ratio(totals["precision_part"], totals["precision_whole"])
        recall = ratio(totals["recall_part"], totals["recall_whole"])
        return Triple(precision, recall, f_measure(precision, recall))


def fractions(common: FloatArray, response: FloatArray, key: FloatArray) -> Statistics:
    """The statistics of a ratio metric whose precision and recall have the same numerator."""
    return dict(zip(RatioMetric.statistic_names, (common, response, common, key), strict=True))


class MentionMetric(RatioMetric):
    """A ratio metric to which the mentions of a cell or entity contribute equally."""

    divides_by = frozenset({"kind", "mention", "entity"})

    def by_label(self, table: MentionTable, labels: RowLabels) -> dict[str, Statistics]:
        parts = self.contributions(table)
        ours = table.count_labels(labels.key, len(labels.names))
        theirs = table.count_labels(labels.response, len(labels.names))
        each = Contributions(
            parts.precision / table.cells.count,
            parts.recall / table.cells.count,
            parts.response / table.response.size,
            parts.key / table.key.size,
        )
        return {
            name: table.summed(
                Contributions(
                    each.precision * theirs.cells[label],
                    each.recall * ours.cells[label],
                    each.response * theirs.response[label],
                    each.key * ours.key[label],
                ),
            )
            for label, name in enumerate(labels.names)
        }
