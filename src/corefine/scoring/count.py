"""The one way from two corpora to counts: match, look up mention kinds, tabulate, count."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from corefine.corpus.columns import Kind
from corefine.corpus.copying import Copies
from corefine.corpus.corpus import Corpus
from corefine.matching.match import match
from corefine.matching.matched import Matched
from corefine.matching.scope import group_documents, join_entities
from corefine.matching.twinless import treat_twinless
from corefine.metrics.table import MentionTable
from corefine.scoring.breakdowns.counts import BreakdownCounts
from corefine.scoring.counts import Counts, Tally
from corefine.scoring.request import Request
from corefine.scoring.signature import Fingerprint
from corefine.scoring.statistics import CorpusStatistics


@dataclass(frozen=True, eq=False, repr=False)
class Tabulation:
    """A key and a response as one table, under a request: what every analysis starts from."""

    request: Request
    table: MentionTable
    tally: Tally
    key: Fingerprint
    warnings: tuple[str, ...] = ()
    copies: Copies | None = None
    """How well a language model copied the text, if the response is one's answers."""

    @property
    def matched(self) -> Matched:
        """The two corpora as they were matched."""
        return self.table.matched

    def counts(self, table: MentionTable | None = None) -> Counts:
        """What the metrics count in the table, or in a changed one of the same key.

        Only what was asked about is broken down, not what becomes of it when it is changed.
        """
        counted = self.table if table is None else table
        asked = self.request.metrics.values()
        return Counts(
            self.request,
            CorpusStatistics.of(counted, asked),
            tuple(
                BreakdownCounts.of(way, counted, asked) for way in self.request.by if table is None
            ),
            self.tally,
            self.key,
            self.warnings,
            copies=self.copies,
        )


def count(key: Corpus, response: Corpus, request: Request) -> Counts:
    """The counts of a response against a key."""
    if request.scorer is not None:
        from corefine.scoring.scorers.emulation import count_as

        return count_as(key, response, request)
    return tabulate(key, response, request).counts()


def tabulate(key: Corpus, response: Corpus, request: Request) -> Tabulation:
    """Match the mentions of two corpora and make the table that metrics count from.

    The steps, in their order: documents are paired and their texts aligned; entities are joined
    across documents, if the scope is wider; duplicate mentions and, if asked, singletons are
    dropped; documents are cut into windows, if asked; mentions are matched (all in
    :func:`~corefine.matching.match.match`); mention kinds are looked up, the key's for matched
    mentions; twinless mentions are treated.

    The cut comes after duplicates and singletons, which are those of the whole document: an entity
    of which a window has one mention stays. It comes before matching, so that two mentions match
    only if they start in the same window, as in two documents made of it.
    """
    request = replace(request, scorer=None)
    settings = request.settings
    matched = match(key, response, settings)
    sources: tuple[str, ...] = ()
    warnings = matched.warnings
    if request.kinds is not None:
        from corefine.kinds.both_sides import with_kinds

        matched, origin = with_kinds(matched, request.kinds)
        sources, warnings = origin.sources, (*warnings, *origin.warnings)
    counts = matched.counts
    table = MentionTable.of(treat_twinless(matched))
    unknown = int(np.count_nonzero(table.kinds == Kind.UNKNOWN)) if request.kinds is not None else 0
    minimum = matched.key.mentions.minimum
    given = 0 if minimum is None else int(np.count_nonzero(minimum[0] >= 0))
    tally = Tally(*counts, frozenset(sources), len(table.document), unknown, given)
    code = fingerprint(key, settings.scope)
    return Tabulation(request, table, tally, code, warnings, matched.response.copies)


def fingerprint(key: Corpus, scope: str) -> Fingerprint:
    """The fingerprint of a key whose entities have this scope."""
    grouping = group_documents(key, scope)
    return Fingerprint.of(key if grouping is None else join_entities(key, grouping))
