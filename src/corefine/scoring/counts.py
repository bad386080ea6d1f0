"""Counts: additive statistics per document under a request, from which scores are computed.

Sums are exact before they are rounded once (``math.fsum``), so a result does not depend on how the
corpus was divided, on the order of its parts, or on the machines that counted them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

import numpy as np

from corefine.errors import Caution, code_of
from corefine.formats.tagged.copies import Copies
from corefine.matching.fingerprint import Fingerprint
from corefine.matching.matched import Tally
from corefine.metrics.base import Metric, Statistics
from corefine.metrics.table import MentionTable
from corefine.scoring.breakdowns.counts import BreakdownCounts, checked
from corefine.scoring.request import Request
from corefine.scoring.scores import Scores, summed

KEPT_WARNINGS = 20
"""The number of warnings that are kept; further ones are only counted."""


def metric_statistics(table: MentionTable, metrics: Iterable[Metric]) -> dict[str, Statistics]:
    """The statistics per document that metrics need, by canonical name."""
    needed = {str(part): part for metric in metrics for part in metric.needs()}
    return {name: metric.count(table) for name, metric in needed.items()}


@dataclass(frozen=True, eq=False, repr=False)
class Counts:
    """Additive statistics of documents, with the request that they answer.

    >>> from corefine import Corpus, Request, count
    >>> request, documents = Request.of("muc"), [Corpus.from_entities([["a", "b"]], "1")]
    >>> Counts.sum([count(document, document, request) for document in documents]).documents
    ('1',)
    """

    request: Request
    documents: tuple[str, ...]
    values: Mapping[str, Statistics]
    """The statistics per document of each metric, by canonical name."""
    breakdowns: tuple[BreakdownCounts, ...] = ()
    tally: Tally = field(default_factory=Tally)
    key: Fingerprint = field(default_factory=Fingerprint)
    warnings: tuple[str, ...] = ()
    omitted_warnings: int = 0
    """The number of warnings beyond those that are kept."""
    copies: Copies | None = None
    """Statistics of the alignment of text that a language model wrote."""

    @classmethod
    def sum(cls, parts: Sequence[Counts]) -> Counts:
        """The counts of all documents of the parts, in order, counted under one request."""
        first, *others = parts
        if not others:
            return first
        tally, key = Tally(), Fingerprint()
        for part in parts:
            tally, key = tally + part.tally, key + part.key
        copies = Copies.sum(part.copies for part in parts)
        # Warnings about copied text are given once, for all documents.
        of_copies = ("copied-text", "failed-documents")
        warnings = [
            text for part in parts for text in part.warnings if code_of(text) not in of_copies
        ]
        warnings = list(dict.fromkeys([*warnings, *(copies.warnings() if copies else ())]))
        return cls(
            first.request,
            tuple(chain.from_iterable(part.documents for part in parts)),
            {
                metric: {
                    name: np.concatenate([part.values[metric][name] for part in parts])
                    for name in columns
                }
                for metric, columns in first.values.items()
            },
            tuple(
                map(BreakdownCounts.concatenate, zip(*(p.breakdowns for p in parts), strict=True))
            ),
            tally,
            key,
            tuple(warnings[:KEPT_WARNINGS]),
            sum(part.omitted_warnings for part in parts) + max(0, len(warnings) - KEPT_WARNINGS),
            copies,
        )

    def __add__(self, other: Counts) -> Counts:
        return Counts.sum([self, other])

    def totals(self) -> dict[str, Statistics]:
        """The sums of the statistics over all documents."""
        return summed(self.values)

    def select(self, documents: Sequence[int]) -> Counts:
        """The statistics of these documents, given by number, without breakdowns."""
        rows = np.asarray(documents, np.int64)
        return replace(
            self,
            documents=tuple(self.documents[number] for number in rows.tolist()),
            values={
                metric: {name: column[rows] for name, column in columns.items()}
                for metric, columns in self.values.items()
            },
            breakdowns=(),
        )

    def with_documents(self, names: tuple[str, ...]) -> Counts:
        """The same counts under other document ids."""
        breakdowns = tuple(replace(one, documents=names) for one in self.breakdowns)
        return replace(self, documents=names, breakdowns=breakdowns)

    def scores(self) -> Scores:
        """The scores."""
        request = self.request
        self.tally.require(request.settings)
        checked(self.breakdowns)
        omitted = []
        if self.omitted_warnings:
            omitted.append(Caution(f"{self.omitted_warnings:,} more warnings", "more-warnings"))
        return Scores(
            self,
            () if request.kinds is None else request.kinds.in_order(self.tally.kind_sources),
            (
                *self.warnings,
                *omitted,
                *self.tally.warnings(request.depends_on_kinds),
                *request.warnings,
            ),
        )
