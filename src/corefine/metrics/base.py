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
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from corefine.corpus.arrays import FloatArray, IntArray
from corefine.corpus.columns import Kind
from corefine.errors import UsageError, closest
from corefine.metrics.table import Labels, MentionTable, Table

if TYPE_CHECKING:
    from corefine.metrics.split_antecedents import SharedSets

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

    def by_document(self, table: Table, documents: IntArray, labels: Labels) -> FloatArray:
        """The number of rows by document and label."""
        width = len(self.names)
        counts = np.bincount(documents * width + labels, minlength=len(table.documents) * width)
        return counts.reshape(-1, width).astype(np.float64)


class Paragraph:
    """An attribute of classes: the paragraph of their docstring with this beginning, or ""."""

    def __init__(self, beginning: str) -> None:
        self.beginning = beginning

    def __get__(self, instance: object, owner: type) -> str:
        texts = [
            " ".join(paragraph.split())
            for one in owner.__mro__
            for paragraph in (one.__doc__ or "").split("\n\n")
        ]
        found = next((text for text in texts if text.startswith(self.beginning)), "")
        return found.removeprefix("$ ")


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
    """BibTeX entries of the papers that define it."""
    aliases: ClassVar[tuple[str, ...]] = ()
    shorthands: ClassVar[Mapping[str, str]] = {}
    """Names for the metric with certain parameters."""
    takes_metrics: ClassVar[bool] = False
    """True if its arguments are metrics instead of parameters."""
    statistic_names: ClassVar[tuple[str, ...]] = ()
    accepts: ClassVar[tuple[tuple[str, tuple[str, ...]], ...]] = ()
    """The values of each parameter that can be written in a name, the default first."""

    layer: str = field(default="identity", kw_only=True)
    """The annotation that it scores: identity, bridging, nonreferring or deixis."""

    @classmethod
    def parameter_names(cls) -> tuple[str, ...]:
        """The parameters that distinguish metrics of this class."""
        return tuple(one.name for one in fields(cls) if one.name != "layer")

    @classmethod
    def describe_parameters(cls) -> str:
        """The parameters with their values: ``rule=v8.01 (default), luo2014``."""
        if cls.takes_metrics:
            return f"metrics, as in {cls.name}(muc,b3)"
        if not cls.accepts:
            return ", ".join(cls.parameter_names()) or "no parameters"
        return "; ".join(
            f"{name}={values[0]} (default), {', '.join(values[1:])}" for name, values in cls.accepts
        )

    @abstractmethod
    def statistics(self, table: MentionTable) -> Statistics:
        """The additive statistics per document, by the names in ``statistic_names``.

        Metrics that do not look at single mentions accept any :class:`.Table`.
        """

    @abstractmethod
    def score(self, totals: Mapping[str, FloatArray]) -> Triple:
        """Precision, recall and F1 from summed statistics, elementwise."""

    def statistics_with_sets(self, table: MentionTable, only: bool) -> Statistics:
        """The statistics if split antecedents are scored, or ``only`` these; see SetMetric."""
        return self.statistics(table)

    def by_kind(self, table: MentionTable) -> dict[str, Statistics]:
        """The statistics by mention kind, if the metric can be broken down so."""
        names = tuple(kind.name.lower() for kind in Kind)
        return self.by_label(table, RowLabels(names, table.kinds, table.kinds))

    def by_label(self, table: MentionTable, labels: RowLabels) -> dict[str, Statistics]:
        """The statistics by label of mentions or entities, if it can be broken down so."""
        raise TypeError(f"{self} cannot be broken down by mention labels")

    # Properties of a metric that scoring uses. Class attributes of a subclass replace them.

    @property
    def symmetric(self) -> bool:
        """True if swapping key and response swaps precision and recall."""
        return True

    @property
    def counts_singletons(self) -> bool:
        """True if finding entities of one mention is rewarded."""
        return True

    @property
    def perfect_is_one(self) -> bool:
        """True if a key with at least one link, scored against itself, gives 1."""
        return True

    @property
    def splits_twinless(self) -> bool:
        """True if Cai & Strube's rule for twinless mentions applies to it."""
        return False

    @property
    def scores_sets(self) -> bool:
        """True if it is defined for split antecedents."""
        return False

    @property
    def divides_by(self) -> frozenset[str]:
        """Units that its counts can be divided by: kind, mention, entity."""
        return frozenset()

    @property
    def needs_kinds(self) -> bool:
        """True if it depends on mention kinds."""
        return False

    @property
    def needs_own_kinds(self) -> bool:
        """True if it depends on the kinds that the response gives to shared mentions."""
        return False

    @property
    def needs_scope(self) -> bool:
        """True if it is informative only if entities cross documents."""
        return False

    @property
    def needs_text(self) -> bool:
        """True if it depends on the words or positions of mentions."""
        return False

    @property
    def needs_mentions(self) -> bool:
        """True if it needs a :class:`.MentionTable`."""
        return self.needs_kinds or self.needs_text

    @property
    def needs_attributes(self) -> frozenset[str]:
        """The attributes of key mentions on which it depends."""
        return frozenset()

    def needs(self) -> tuple[Metric, ...]:
        """The metrics from whose statistics it is computed: itself, or the parts of an average."""
        return (self,)

    def score_from(self, totals: Mapping[str, Mapping[str, FloatArray]]) -> Triple:
        """The score from the summed statistics of several metrics, by canonical name."""
        return self.score(totals[str(self)])

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
    """A name such as ``lambda#3f9a``, from the code of the function: equal in all processes."""
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


class Contributions(NamedTuple):
    """The numerators of precision and recall by cell, and the denominators by entity."""

    precision: np.ndarray
    recall: np.ndarray
    response: np.ndarray
    key: np.ndarray


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
        return summed(table, self.contributions(table))

    def score(self, totals: Mapping[str, FloatArray]) -> Triple:
        precision = ratio(totals["precision_part"], totals["precision_whole"])
        recall = ratio(totals["recall_part"], totals["recall_whole"])
        return Triple(precision, recall, f_measure(precision, recall))


def fractions(common: FloatArray, response: FloatArray, key: FloatArray) -> Statistics:
    """The statistics of a ratio metric whose precision and recall have the same numerator."""
    return dict(zip(RatioMetric.statistic_names, (common, response, common, key), strict=True))


def summed(table: Table, parts: Contributions) -> Statistics:
    """Contributions summed per document."""
    precision = table.per_document(table.cells.document, parts.precision)
    return {
        "precision_part": precision,
        "precision_whole": table.per_document(table.response.document, parts.response),
        "recall_part": precision
        if parts.recall is parts.precision
        else table.per_document(table.cells.document, parts.recall),
        "recall_whole": table.per_document(table.key.document, parts.key),
    }


class SetMetric(Metric):
    """A metric that is defined for split antecedents: entities made of others.

    A set of antecedents is one more mention of its entity. Sets of key and response are scored by
    the metric itself, on their elements, and the aligned ones count as partly shared mentions: see
    :mod:`corefine.metrics.split_antecedents`. A metric overrides the three methods below where it
    counts sets in another way.
    """

    scores_sets = True

    def statistics_with_sets(self, table: MentionTable, only: bool) -> Statistics:
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


class MentionMetric(RatioMetric):
    """A ratio metric to which the mentions of a cell or entity contribute equally."""

    divides_by = frozenset({"kind", "mention", "entity"})

    def by_label(self, table: MentionTable, labels: RowLabels) -> dict[str, Statistics]:
        parts, cells = self.contributions(table), table.cells
        count = len(labels.names)
        if labels.key is table.kinds and labels.response is table.kinds:
            ours = theirs = table.kind_counts
        else:
            ours = table.count_labels(labels.key, count)
            theirs = table.count_labels(labels.response, count)
        each = Contributions(
            parts.precision / cells.count,
            parts.recall / cells.count,
            parts.response / table.response.size,
            parts.key / table.key.size,
        )
        return {
            name: summed(
                table,
                Contributions(
                    each.precision * theirs.cells[label],
                    each.recall * ours.cells[label],
                    each.response * theirs.response[label],
                    each.key * ours.key[label],
                ),
            )
            for label, name in enumerate(labels.names)
        }


KINDS = tuple(kind.name.lower() for kind in Kind)


def weights_written(text: str, known: Sequence[str] | None = None) -> dict[str, float]:
    """Weights written as ``name=2+pronoun=0.5``, each 0 or more; names may be restricted.

    >>> weights_written("name=2+pronoun=0.5")
    {'name': 2.0, 'pronoun': 0.5}
    """
    found: dict[str, float] = {}
    for part in text.split("+"):
        name, _, number = (piece.strip() for piece in part.partition("="))
        try:
            weight = float(number)
        except ValueError:
            weight = float("nan")
        if not name or name in found or not np.isfinite(weight) or weight < 0:
            raise UsageError(
                f"{part.strip()!r} is not a weight", remedy="Write them as name=2+pronoun=0.5."
            )
        if known is not None and name not in known:
            raise UsageError(
                f"there is no {name!r} to weigh",
                remedy=f"Use some of: {', '.join(known)}.{closest(name, known)}",
            )
        found[name] = weight
    return found


def kind_weights(text: str, otherwise: float = 1.0) -> FloatArray:
    """The weight of each :class:`~corefine.corpus.columns.Kind`; unlisted ones have the same."""
    weights = np.full(len(Kind), otherwise)
    for name, weight in weights_written(text, KINDS).items():
        weights[KINDS.index(name)] = weight
    return weights
