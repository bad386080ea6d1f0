"""Scoring, step by step: from two corpora to the table of shared mentions, and to counts.

Each step is a function of the two corpora: a :class:`~corefine.matching.matched.Pair` and, once
mentions are matched, a :class:`~corefine.matching.matched.Matched`. Duplicates and singletons are
those of the whole document, so they are dropped before documents are cut into windows; documents
are cut before matching, so that mentions match only within a window.

Sums of counts are exact before they are rounded once (``math.fsum``), so a result does not depend
on how the corpus was divided, on the order of its parts, or on the machines that counted them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from corefine.corpus.columns import Kind
from corefine.corpus.corpus import Corpus
from corefine.errors import Caution, code_of
from corefine.matching.documents import align_texts, pair_documents
from corefine.matching.fingerprint import Fingerprint, annotation_code, labels_code, strings_code
from corefine.matching.match import (
    drop_duplicates,
    drop_singletons,
    identify_mentions,
    match_mentions,
    require_heads,
)
from corefine.matching.matched import Matched, Pair, Tally
from corefine.matching.settings import Settings
from corefine.metrics.base import Metric, Statistics
from corefine.metrics.table import MentionTable
from corefine.scoring.request import Request
from corefine.scoring.scores import Scores, summed

if TYPE_CHECKING:
    from corefine.formats.tagged.copies import Copies
    from corefine.kinds.kind_plan import KindPlan
    from corefine.scoring.breakdowns import BreakdownCounts

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
        aligned = [part.copies for part in parts if part.copies is not None]
        copies = aligned[0].sum(aligned) if aligned else None
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
                one[0].concatenate(one) for one in zip(*(p.breakdowns for p in parts), strict=True)
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

    @property
    def conditions(self) -> dict[str, str]:
        """Conditions of the counts in addition to the settings, for signatures."""
        return {} if self.copies is None else {"align": self.copies.rule}

    @property
    def remarks(self) -> dict[str, str]:
        """Circumstances that signatures mention and do not compare."""
        if self.copies is None:
            return {}
        total = self.copies.total
        return {"copied": f"{total.copied}/{total.words}"}

    def details(self) -> dict[str, Any]:
        """What is known of the counts in addition to numbers of metrics, as written to JSON."""
        return {} if self.copies is None else {"alignment": self.copies.to_dict()}

    def scores(self) -> Scores:
        """The scores."""
        request = self.request
        self.tally.require(request.settings)
        for breakdown in self.breakdowns:
            breakdown.division.require_groups(list(breakdown.parts))
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


def count(key: Corpus, response: Corpus, request: Request) -> Counts:
    """The counts of a response against a key; counts of parts are added by :meth:`.Counts.sum`.

    >>> request = Request.of("muc")
    >>> key, response = Corpus.from_entities([["a", "b"]]), Corpus.from_entities([["a", "b"]])
    >>> Counts.sum([count(key, response, request)]).scores()["muc"].f1
    1.0
    """
    if request.scorer is not None:
        from corefine.scoring.scorers.emulation import count_as

        return count_as(key, response, request)
    return count_table(tabulate(key, response, request), request)


def tabulate(key: Corpus, response: Corpus, request: Request) -> MentionTable:
    """The table of the entities of key and response, from which metrics are counted."""
    settings = request.settings
    matched = match(key, response, settings)
    used = request.annotation_used(key)
    if used:
        code = annotation_code(key, used)
        matched = replace(matched, fingerprint=matched.fingerprint.with_annotation(code))
    matched = look_up_kinds(matched, request)
    if settings.twinless in ("drop", "add-to-key"):
        from corefine.matching.twinless import treat_twinless

        matched = treat_twinless(matched, settings.twinless)
    return MentionTable.of(matched)


def match(key: Corpus, response: Corpus, settings: Settings | None = None) -> Matched:
    """Make key and response comparable, and match their mentions one to one."""
    settings = settings or Settings()
    pair = pair_documents(key, response, settings)
    pair = align_texts(pair, settings)
    if settings.scope != "document":
        from corefine.matching.units import join_entities

        pair = join_entities(pair, settings.scope)
    require_heads(pair, settings)
    pair = identify_mentions(pair, key, with_heads=settings.match == "head")
    pair = drop_duplicates(pair, settings.duplicates)
    pair = drop_singletons(pair, settings.singletons)
    if settings.window is not None:
        from corefine.matching.units import cut_windows

        pair = cut_windows(pair, settings.window)
    return replace(match_mentions(pair, settings), layers=_layers(pair, settings))


def look_up_kinds(matched: Matched, request: Request) -> Matched:
    """Both sides with mention kinds, if numbers depend on them; matched mentions have the key's."""
    if request.kinds is None:
        return matched
    from corefine.kinds.kind_plan import with_kinds

    matched, sources, warnings = with_kinds(matched, request.kinds)
    tally = replace(
        matched.tally,
        kind_sources=frozenset(sources),
        kind_code=_kind_code(matched, request.kinds),
    )
    return replace(matched, tally=tally, warnings=(*matched.warnings, *warnings))


def count_table(table: MentionTable, request: Request) -> Counts:
    """The counts of the requested metrics and breakdowns in a table."""
    matched = table.matched
    tally = matched.tally
    if request.kinds is not None:
        unknown = int(np.count_nonzero(table.kinds == Kind.UNKNOWN))
        tally = replace(tally, judged=len(table.document), unknown=unknown)
    values = {name: metric.count(table) for name, metric in request.needed.items()}
    breakdowns: tuple[BreakdownCounts, ...] = ()
    if request.by:
        from corefine.scoring.breakdowns import BreakdownCounts

        breakdowns = tuple(
            BreakdownCounts.of(breakdown, table, request.canonical, values)
            for breakdown in request.by
        )
    return Counts(
        request,
        table.documents,
        values,
        breakdowns,
        tally,
        matched.fingerprint,
        matched.warnings,
        copies=matched.response.copies,
    )


def _kind_code(matched: Matched, plan: KindPlan) -> int:
    """A code of the mention kinds and semantic types of the key, and of those that the user gave.

    The latter include kinds of mentions that only responses have.
    """
    mentions, codes = matched.key.mentions, matched.key_codes
    assert codes is not None
    code = 0
    if mentions.kind is not None:
        known = mentions.kind != Kind.UNKNOWN
        code += labels_code(codes[known], mentions.kind[known])
    if mentions.type is not None:
        known = mentions.type >= 0
        names = strings_code(matched.key.types)
        code += labels_code(codes[known], names[mentions.type[known]])
    given = [
        f"{name if matched.key.named else ''} {entry}"
        for name in matched.key.documents
        for entry in plan.entries(name)
    ]
    code += labels_code(strings_code(given), np.zeros(len(given)))
    return code % (1 << 64)


def _layers(pair: Pair, settings: Settings) -> dict[str, Matched]:
    """Further annotations of both sides (discourse deixis, non-referring expressions), matched.

    All their entities are kept. Non-referring expressions are matched exactly, and so are layers
    without the heads or minimum spans by which other mentions are matched.
    """
    layers = {}
    key, response = pair.key, pair.response
    for name in sorted({*key.annotations, *response.annotations}):
        by_columns = name != "nonreferring" and _has_columns(key, name)
        own = replace(
            settings,
            match=settings.match if by_columns else "exact",
            singletons="keep",
            twinless="none",
            scope="document",
            window=None,
            split_antecedents="score",
        )
        layers[name] = match(key.annotation(name), response.annotation(name), own)
    return layers


def _has_columns(key: Corpus, layer: str) -> bool:
    """True if a layer has heads and minimum spans if the mentions of identity have them."""
    identity, other = key.mentions, key.annotation(layer).mentions
    return (identity.head is None or other.head is not None) and (
        identity.minimum is None or other.minimum is not None
    )
