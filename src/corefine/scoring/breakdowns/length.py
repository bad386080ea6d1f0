"""Breakdown by the length of documents, in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from corefine.corpus.arrays import IntArray
from corefine.corpus.words import words_by_document
from corefine.errors import UsageError
from corefine.matching.places import require_text
from corefine.matching.settings import Settings
from corefine.metrics.base import Metric, RowLabels
from corefine.metrics.table import MentionTable
from corefine.scoring.breakdowns.breakdown import BoundedDivision, Parts, counts_anything
from corefine.scoring.breakdowns.registry import register


@register
@dataclass(frozen=True)
class DocumentLength(BoundedDivision):
    """By the words of the document without empty nodes; usually ``length(500,1000,2000)``.

    The scores of a length are those of its documents, for every metric, and add up to the whole.
    """

    name = "length"
    needs_text = True
    usual = (500, 1000, 2000)

    def groups(self) -> tuple[str, ...]:
        return self.ranges()

    def can_divide(self, metric: Metric) -> bool:
        return True

    def refusal(self, settings: Settings) -> UsageError | None:
        if settings.scope == "document":
            return None
        return UsageError(
            f"scores by length need separate documents, but --scope {settings.scope} joins "
            "their entities",
            remedy="Use --scope document.",
        )

    def labels(self, table: MentionTable) -> RowLabels:
        labels = self.of_documents(table)[table.document].astype(np.uint8)
        return RowLabels(self.groups(), labels, labels)

    def parts(self, table: MentionTable, metrics: Mapping[str, Metric]) -> Parts:
        group = self.of_documents(table)
        parts: Parts = {}
        for name, metric in metrics.items():
            counted = metric.count(table)
            for number, title in enumerate(self.groups()):
                own = {s: np.where(group == number, column, 0.0) for s, column in counted.items()}
                if counts_anything(own):
                    parts.setdefault(title, {})[name] = own
        return {title: parts[title] for title in self.order(parts)}

    def of_documents(self, table: MentionTable) -> IntArray:
        """The group of every document, or of every window of one."""
        key, response = table.matched.key, table.matched.response
        require_text(key, response, "scores by length")
        if table.matched.windows is not None:
            return self.group(np.asarray(table.matched.windows.words))
        tokens = key.tokens if key.tokens is not None else response.tokens
        assert tokens is not None
        return self.group(words_by_document(tokens))
