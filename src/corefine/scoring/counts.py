"""Counts: what was counted under a request. Counts of parts add up; scores are made from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from corefine.corpus.copying import Copies
from corefine.errors import UsageError
from corefine.matching.settings import Settings
from corefine.scoring.breakdowns.counts import BreakdownCounts, checked
from corefine.scoring.request import Request
from corefine.scoring.scores import Scores
from corefine.scoring.signature import Fingerprint
from corefine.scoring.statistics import CorpusStatistics

KEPT_WARNINGS = 20
"""Warnings that are kept in words; of others only their number is."""


@dataclass(frozen=True, slots=True)
class Tally:
    """Numbers of mentions, and where their types come from; tallies of parts add up."""

    key: int = 0
    response: int = 0
    common: int = 0
    kind_sources: frozenset[str] = frozenset()
    """The sources that told mention kinds."""
    judged: int = 0
    unknown: int = 0
    """Mentions that are scored, and how many of them are of unknown type."""
    minimum: int = 0
    """Mentions of the key that have a minimum span."""

    def __add__(self, other: Tally) -> Tally:
        return Tally(
            self.key + other.key,
            self.response + other.response,
            self.common + other.common,
            self.kind_sources | other.kind_sources,
            self.judged + other.judged,
            self.unknown + other.unknown,
            self.minimum + other.minimum,
        )

    def require(self, settings: Settings) -> None:
        """Refuse to match by what no mention has; a part of the documents may lack it."""
        if settings.match == "min" and self.key and not self.minimum:
            raise UsageError(
                "--match min needs minimum spans in the key, which has none",
                remedy="Use --match head, partial or exact.",
            )

    def warnings(self, depends_on_kinds: bool) -> list[str]:
        """Why scores are zero or rest on little, where the numbers of mentions say so."""
        if not self.key:
            return ["the key has no mentions"]
        if not self.response:
            return ["the response has no mentions"]
        warnings = [] if self.common else ["no response mention matches a key mention"]
        if self.unknown and depends_on_kinds:
            warnings.append(
                f"{self.unknown:,} of {self.judged:,} mentions have no known type: treated as "
                "pronouns, ignored by PARENT; give types with --kinds FILE, or try --kinds "
                "guess"
            )
        return warnings


@dataclass(frozen=True, eq=False, repr=False)
class Counts:
    """Statistics by document, breakdowns, numbers of mentions, warnings; knows its request."""

    request: Request
    statistics: CorpusStatistics
    breakdowns: tuple[BreakdownCounts, ...]
    tally: Tally
    key: Fingerprint
    warnings: tuple[str, ...] = ()
    silenced: int = 0
    """Warnings beyond those that are kept: a long run must not hoard them."""
    copies: Copies | None = None
    """How well the text was copied, if a language model wrote the response."""

    @classmethod
    def sum(cls, parts: Sequence[Counts]) -> Counts:
        """The counts of all documents of the parts, which were counted under one request."""
        if len(parts) == 1:
            return parts[0]
        tally, key = Tally(), Fingerprint()
        for part in parts:
            tally, key = tally + part.tally, key + part.key
        copies = Copies.sum(part.copies for part in parts)
        # How the text was copied is told once, of all documents.
        told = {text for part in parts if part.copies for text in part.copies.warnings()}
        warnings = [
            *(text for part in parts for text in part.warnings if text not in told),
            *(() if copies is None else copies.warnings()),
        ]
        warnings = list(dict.fromkeys(warnings))
        return cls(
            parts[0].request,
            CorpusStatistics.concatenate([part.statistics for part in parts]),
            tuple(
                map(BreakdownCounts.concatenate, zip(*(p.breakdowns for p in parts), strict=True))
            ),
            tally,
            key,
            tuple(warnings[:KEPT_WARNINGS]),
            sum(part.silenced for part in parts) + max(0, len(warnings) - KEPT_WARNINGS),
            copies,
        )

    def __add__(self, other: Counts) -> Counts:
        return Counts.sum([self, other])

    def with_documents(self, names: tuple[str, ...]) -> Counts:
        """The same counts under other document ids."""
        statistics = replace(self.statistics, documents=names)
        breakdowns = tuple(replace(one, documents=names) for one in self.breakdowns)
        return replace(self, statistics=statistics, breakdowns=breakdowns)

    def scores(self) -> Scores:
        """The scores; this is the only place that makes them of counts."""
        request = self.request
        self.tally.require(request.settings)
        more = [f"{self.silenced:,} more warnings"] if self.silenced else []
        return Scores(
            request,
            self.statistics,
            checked(self.breakdowns),
            self.key,
            () if request.kinds is None else request.kinds.in_order(self.tally.kind_sources),
            (
                *self.warnings,
                *more,
                *self.tally.warnings(request.depends_on_kinds),
                *request.warnings,
            ),
            copies=self.copies,
        )
