"""Scoring, step by step: from two corpora to the table of shared mentions, and to counts.

Each step is a function of the :class:`~corefine.matching.matching.Matching` of two corpora.
Duplicates and singletons are those of the whole document, so they are dropped before documents are
cut into windows; documents are cut before matching, so that mentions match only within a window.

Sums of counts are exact before they are rounded once (``math.fsum``), so a result does not depend
on how the corpus was divided, on the order of its parts, or on the machines that counted them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from corefine.corpus.arrays import IntArray
from corefine.corpus.columns import Kind
from corefine.corpus.corpus import ANNOTATIONS, Corpus
from corefine.corpus.selection import keep_mentions
from corefine.errors import UsageError
from corefine.matching.documents import align_texts, pair_documents
from corefine.matching.matching import (
    Evidence,
    Fingerprint,
    Matching,
    Provenance,
    drop_duplicates,
    drop_singletons,
    identify_mentions,
    match_mentions,
    require_heads,
    set_unfound_apart,
    unfound,
)
from corefine.matching.settings import Settings
from corefine.metrics.base import Metric, Statistics, count_cells, either_side
from corefine.metrics.table import MentionTable, Table
from corefine.plugins import blaming
from corefine.scoring.fingerprint import (
    Codes,
    annotation_code,
    fingerprint_of,
    labels_code,
    mention_codes,
    strings_code,
)
from corefine.scoring.placements import Placements, count_placements, join_placements
from corefine.scoring.request import Request
from corefine.scoring.sanity import findings, gather, singletons_on_one_side
from corefine.scoring.scores import Scores, summed

if TYPE_CHECKING:
    from corefine.kinds.kind_plan import KindPlan
    from corefine.scoring.breakdowns import BreakdownCounts


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
    provenance: Provenance = field(default_factory=Provenance)
    """The fingerprint of the key, numbers of mentions, warnings, alignment of copied text."""
    placements: Placements = field(default_factory=dict)
    """Sums of the statistics of the headline metric, one per placement of strings that occur
    several times; empty if no string does."""

    @classmethod
    def sum(cls, parts: Sequence[Counts]) -> Counts:
        """The counts of all documents of the parts, in order, counted under one request."""
        if not parts:
            raise UsageError("no counts to add", remedy="Give the counts of at least one part.")
        first, *others = parts
        if not others:
            return first
        return cls(
            first.request,
            tuple(chain.from_iterable(part.documents for part in parts)),
            concatenated([part.values for part in parts]),
            tuple(one[0].sum(one) for one in zip(*(p.breakdowns for p in parts), strict=True)),
            Provenance.sum(part.provenance for part in parts),
            join_placements(parts),
        )

    def totals(self) -> dict[str, Statistics]:
        """The sums of the statistics over all documents."""
        return summed(self.values)

    def select(self, documents: Sequence[int]) -> Counts:
        """Select the documents with these indices, without breakdowns."""
        rows = np.asarray(documents, np.int64)
        return replace(
            self,
            documents=tuple(self.documents[number] for number in rows.tolist()),
            values=selected(self.values, rows),
            breakdowns=(),
            placements={},
        )

    def with_documents(self, names: tuple[str, ...]) -> Counts:
        """The same counts under other document ids."""
        breakdowns = tuple(replace(one, documents=names) for one in self.breakdowns)
        return replace(self, documents=names, breakdowns=breakdowns)

    def scores(self) -> Scores:
        """The scores."""
        request, provenance = self.request, self.provenance
        if request.settings.match == "min":
            provenance.require_minimum_spans()
        for breakdown in self.breakdowns:
            breakdown.division.require_groups(list(breakdown.parts))
        return Scores(
            self,
            () if request.kinds is None else request.kinds.in_order(provenance.kind_sources),
            findings(self, (*provenance.all_warnings, *request.warnings)),
        )


def concatenated(parts: Sequence[Mapping[str, Statistics]]) -> dict[str, Statistics]:
    """The statistics of the documents of all parts, by metric."""
    return {
        metric: {name: np.concatenate([part[metric][name] for part in parts]) for name in columns}
        for metric, columns in (parts[0].items() if parts else ())
    }


def selected(values: Mapping[str, Statistics], rows: IntArray) -> dict[str, Statistics]:
    """The statistics of some documents, by metric."""
    return {
        metric: {name: column[rows] for name, column in columns.items()}
        for metric, columns in values.items()
    }


def count(key: Corpus, response: Corpus, request: Request) -> Counts:
    """The counts of a response against a key; counts of parts are added by :meth:`.Counts.sum`.

    >>> request = Request.of("muc")
    >>> key, response = Corpus.from_entities([["a", "b"]]), Corpus.from_entities([["a", "b"]])
    >>> Counts.sum([count(key, response, request)]).scores()["muc"].f1
    1.0
    """
    if request.scorer is not None:
        from corefine.scoring.scorers.emulation import count_as

        response = _all_found(response, request)
        counts = count_as(key, response, request)
        if not request.by and len(request.counted_by_scorer) == len(request.needed):
            return counts
        return count_table(tabulate(key, response, request), request, counts)
    if key.format == response.format == "labels":
        from corefine.scoring.records import count_records

        counted = count_records(key, response, request)
        if counted is not None:
            return counted
    counts = count_table(tabulate(key, response, request), request)
    if response.copies is None or not response.copies.has_choices:
        return counts
    return replace(counts, placements=count_placements(key, response, counts))


def _all_found(response: Corpus, request: Request) -> Corpus:
    """The response without strings that are not in the text, which other scorers do not know."""
    apart = unfound(response)
    if apart.any() and request.settings.unfound == "spurious":
        raise UsageError(
            f"{np.count_nonzero(apart):,} strings of the response are not in the text, and other "
            "scorers cannot count them",
            remedy="Leave them out with --unfound ignore (unfound='ignore'), or drop --as.",
        )
    return keep_mentions(response, ~apart)


def tabulate(key: Corpus, response: Corpus, request: Request) -> MentionTable:
    """The table of the entities of key and response, from which metrics are counted."""
    settings = request.settings
    matching = match(key, response, settings)
    used = request.annotation_used(key)
    if used:
        fingerprint = matching.provenance.key
        matching = matching.noting(key=fingerprint + Fingerprint(code=annotation_code(key, used)))
    if request.kinds is not None:
        own = any(part.needs_own_kinds for part in request.needed.values())
        matching = look_up_kinds(matching, key, request.kinds, own=own)
    table = MentionTable.of(matching)
    evidence = gather(table, matching.key, matching.response)
    if settings.twinless in ("drop", "add-to-key"):
        from corefine.matching.twinless import treat_twinless

        table = MentionTable.of(treat_twinless(matching, settings.twinless))
    else:
        evidence = try_without_singletons(
            evidence, request, lambda other: tabulate(key, response, other)
        )
    return replace(table, matching=table.matching.noting(evidence=evidence))


def try_without_singletons(
    evidence: Evidence, request: Request, tabulate: Callable[[Request], Table]
) -> Evidence:
    """Add the F1 without singletons if one side has many: of CoNLL, or else the first metric.

    ``tabulate`` gives the table under another request.
    """
    settings = request.settings
    if settings.singletons == "drop" or settings.split_antecedents != "ignore":
        return evidence
    if not request.names or not singletons_on_one_side(evidence):
        return evidence
    name = min(request.names, key=lambda name: (name != "conll", name == "mentions"))
    metric = request.canonical[name]
    other = replace(request.with_settings(singletons="drop"), metrics={name: metric}, by=())
    table = tabulate(other)
    counted = {str(part): count_metric(part, table, other.settings) for part in metric.needs()}
    f1 = float(metric.score_from(summed(counted)).f1)
    return replace(evidence, without_singletons=(name, f1))


def match(key: Corpus, response: Corpus, settings: Settings | None = None) -> Matching:
    """Make key and response comparable, and match their mentions one to one."""
    settings = settings or Settings()
    matching = pair_documents(key, response, settings)
    matching = align_texts(matching, settings)
    if settings.scope != "document":
        from corefine.matching.units import join_entities

        matching = join_entities(matching, settings.scope)
    matching = matching.noting(key=fingerprint_of(key, matching.key))
    require_heads(matching, settings)
    matching = identify_mentions(matching, with_heads=settings.match == "head")
    matching = set_unfound_apart(matching, settings.unfound)
    if settings.zeros == "drop":
        from corefine.kinds.kind_plan import zero_mentions

        sides = matching.key, matching.response
        matching = matching.keep(*(~zero_mentions(side) for side in sides))
    matching = drop_duplicates(matching, settings.duplicates)
    matching = drop_singletons(matching, settings.singletons)
    if settings.window is not None:
        from corefine.matching.units import cut_windows

        matching = cut_windows(matching, settings.window)
    return match_mentions(matching, settings)


def look_up_kinds(
    matching: Matching, given: Corpus, plan: KindPlan, *, own: bool = False
) -> Matching:
    """Look up the mention kinds of both sides; matched mentions have the key's unless ``own``."""
    from corefine.kinds.kind_plan import with_kinds

    matching, sources, warnings = with_kinds(matching, plan, own=own)
    code = _kind_code(matching, mention_codes(given)[matching.given], plan)
    return matching.warn(*warnings).noting(kind_sources=frozenset(sources), kind_code=code)


def count_table(table: MentionTable, request: Request, counted: Counts | None = None) -> Counts:
    """The counts of the requested metrics and breakdowns in a table.

    ``counted`` are the counts of metrics that another scorer counts.
    """
    settings, provenance = request.settings, table.matching.provenance
    if request.kinds is not None:
        unknown = int(np.count_nonzero(table.kinds == Kind.UNKNOWN))
        provenance = replace(provenance, judged=len(table.document), unknown=unknown)
    values = {} if counted is None else dict(counted.values)
    if counted is not None:
        known = (*provenance.warnings, *counted.provenance.warnings)
        provenance = replace(provenance, warnings=tuple(dict.fromkeys(known)))
    values |= {
        name: count_metric(one, table, settings)
        for name, one in request.needed.items()
        if name not in values
    }
    breakdowns: tuple[BreakdownCounts, ...] = ()
    if request.by:
        from corefine.scoring.breakdowns import BreakdownCounts

        breakdowns = tuple(
            BreakdownCounts.of(breakdown, table, request.canonical, settings, values)
            for breakdown in request.by
        )
    return Counts(request, table.documents, values, breakdowns, provenance)


def count_metric(metric: Metric, table: Table, settings: Settings) -> Statistics:
    """The statistics of a metric, by the rules for split antecedents and twinless mentions."""
    module = type(metric).__module__
    if not isinstance(table, MentionTable):
        return count_cells(metric, table)
    if metric.layer in ANNOTATIONS:
        table, settings = tabulate_annotation(table, metric.layer, settings)
    if module.startswith("corefine."):
        return _statistics(metric, table, settings)
    with blaming(f"the metric {metric.name}", module):
        found = _statistics(metric, table, settings)
        _check_statistics(found, table)
    return found


def _check_statistics(statistics: Statistics, table: Table) -> None:
    """Refuse statistics of a plug-in that are not one number per document under each name."""
    size = len(table.documents)
    for name, values in statistics.items():
        if np.shape(values) != (size,):
            raise TypeError(
                f"the statistic {name!r} has the shape {np.shape(values)}, not one number for "
                f"each of {size} documents"
            )


def _statistics(metric: Metric, table: MentionTable, settings: Settings) -> Statistics:
    if settings.split_antecedents != "ignore":
        return metric.statistics_with_sets(table, only=settings.split_antecedents == "only")
    if settings.twinless == "cai-strube" and metric.splits_twinless:
        return either_side(*map(metric.statistics, cai_strube_tables(table)))
    return metric.statistics(table)


def cai_strube_tables(table: MentionTable) -> tuple[MentionTable, MentionTable]:
    """The tables for precision and recall under Cai & Strube's rule for twinless mentions."""
    from corefine.matching.twinless import cai_strube

    def tables() -> tuple[MentionTable, MentionTable]:
        precision, recall = cai_strube(table.matching)
        return MentionTable.of(precision), MentionTable.of(recall)

    return table.shared("cai-strube", tables)


def _kind_code(matching: Matching, codes: Codes, plan: KindPlan) -> int:
    """A code of the mention kinds and semantic types of the key, and of those that the user gave.

    The latter include kinds of mentions that only responses have. ``codes`` are those of the key's
    mentions.
    """
    mentions, code = matching.key.mentions, 0
    if mentions.kind is not None:
        known = mentions.kind != Kind.UNKNOWN
        code += labels_code(codes[known], mentions.kind[known])
    if mentions.type is not None:
        known = mentions.type >= 0
        names = strings_code(matching.key.types)
        code += labels_code(codes[known], names[mentions.type[known]])
    given = [
        f"{name if matching.key.named else ''} {entry}"
        for name in matching.key.documents
        for entry in plan.entries(name)
    ]
    code += labels_code(strings_code(given), np.zeros(len(given)))
    return code % (1 << 64)


def tabulate_annotation(
    table: MentionTable, name: str, settings: Settings
) -> tuple[MentionTable, Settings]:
    """The table of another annotation of the same documents, and the settings for it.

    All of its entities are kept. Non-referring expressions are matched exactly, and so is an
    annotation without the heads or minimum spans by which other mentions are matched.
    """
    if settings.scope != "document":
        raise UsageError(f"{name} is scored per document", remedy="Leave out --scope.")
    key, response = table.matching.key, table.matching.response
    by_columns = name != "nonreferring" and _has_columns(key, name)
    own = replace(
        settings,
        match=settings.match if by_columns else "exact",
        singletons="keep",
        twinless="none",
        window=None,
        split_antecedents="score",
    )

    def compute() -> MentionTable:
        return MentionTable.of(match(key.annotation(name), response.annotation(name), own))

    return table.shared(("annotation", name), compute), own


def _has_columns(key: Corpus, layer: str) -> bool:
    """True if a layer has heads and minimum spans if the mentions of identity have them."""
    identity, other = key.mentions, key.annotation(layer).mentions
    return (identity.head is None or other.head is not None) and (
        identity.minimum is None or other.minimum is not None
    )
