"""Metrics for annotations other than identity: discourse deixis and non-referring expressions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from corefine.corpus.arrays import FloatArray
from corefine.errors import UsageError
from corefine.metrics.base import (
    Contributions,
    Metric,
    RatioMetric,
    Statistics,
    Triple,
    summed,
)
from corefine.metrics.bridging import BridgingMetric
from corefine.metrics.registry import parse
from corefine.metrics.table import MentionTable


def layer_table(table: MentionTable, layer: str) -> MentionTable | None:
    """The table of another annotation of the same documents; None if both sides lack it."""
    matching = table.matching
    if matching.grouping is not None:
        raise UsageError(f"{layer} is scored per document", remedy="Leave out --scope.")
    found = matching.layers.get(layer)
    if found is None:
        return None
    return table.shared(("layer", layer), lambda: MentionTable.of(found))


def scores_deixis(metric: Metric) -> bool:
    """True if a coreference metric is defined for discourse deixis, which has sets."""
    return all(part.scores_sets or part.name == "mentions" for part in metric.needs())


class NonReferring(RatioMetric):
    """Expressions that refer to nothing: how many of the spans are the same on both sides.

    Use it when key and response annotate non-referring expressions, such as expletives and
    predicates. Spans must be equal. Non-referring expressions belong to no entity and do not affect
    other metrics.

    .. code-block:: console

        $ corefine score key.ua response.ua --metrics nonreferring
    """

    name = "nonreferring"
    title = "Non-referring"
    summary = "Spans of non-referring expressions."
    citation = BridgingMetric.citation
    references = BridgingMetric.references
    layer = "nonreferring"
    perfect_is_one = False
    aliases = ("non-referring",)

    @property
    def needs_text(self) -> bool:
        return True

    def statistics(self, table: MentionTable) -> Statistics:
        own = layer_table(table, "nonreferring")
        if own is None:
            return {name: np.zeros(len(table.documents)) for name in self.statistic_names}
        count = own.cells.count
        return summed(own, Contributions(count, count, own.response.size, own.key.size))


@dataclass(frozen=True)
class Deixis(Metric):
    """A metric of coreference, ``of``, on discourse deixis instead of identity.

    Discourse deixis is an annotation of its own, whose singletons and split antecedents are kept.

    Use it when key and response annotate discourse deixis (abstract anaphora). It scores this
    layer, which has its own entities, by any metric that is defined for split antecedents.
    Singletons and split antecedents count.

    .. code-block:: console

        $ corefine score key.ua response.ua --metrics "deixis(of=conll),deixis(of=lea)"
    """

    name = "deixis"
    title = "Discourse deixis"
    summary = "A coreference metric applied to discourse deixis."
    citation = BridgingMetric.citation
    references = BridgingMetric.references
    layer = "deixis"
    perfect_is_one = False

    of: str = "conll"

    def __post_init__(self) -> None:
        metric = parse(self.of)
        if isinstance(metric, Deixis) or not scores_deixis(metric):
            raise UsageError(
                f"discourse deixis cannot be scored with {self.of}",
                remedy="Use mentions, muc, b3, ceafm, ceafe, blanc, lea or averages of them.",
            )

    @cached_property
    def metric(self) -> Metric:
        """The metric of coreference."""
        return parse(self.of)

    @property
    def symmetric(self) -> bool:
        return self.metric.symmetric

    @property
    def needs_text(self) -> bool:
        return True

    @property
    def statistic_names(self) -> tuple[str, ...]:  # type: ignore[override]
        return self.metric.statistic_names

    def needs(self) -> tuple[Metric, ...]:
        parts = self.metric.needs()
        return (self,) if parts == (self.metric,) else tuple(Deixis(str(part)) for part in parts)

    def statistics(self, table: MentionTable) -> Statistics:
        own = layer_table(table, "deixis")
        if own is None:
            return {name: np.zeros(len(table.documents)) for name in self.statistic_names}
        return self.metric.statistics_with_sets(own, only=False)

    def score(self, totals: Mapping[str, FloatArray]) -> Triple:
        return self.metric.score(totals)

    def score_from(self, totals: Mapping[str, Mapping[str, FloatArray]]) -> Triple:
        parts = self.metric.needs()
        return self.metric.score_from({str(part): totals[str(Deixis(str(part)))] for part in parts})
