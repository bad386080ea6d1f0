"""From two corpora to the table that metrics are counted from, with what there is to say of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from corefine.corpus.columns import Kind
from corefine.corpus.corpus import Corpus
from corefine.kinds import KindPlan, KindSpec, plan_of, with_kinds
from corefine.matching.match import match
from corefine.matching.settings import Settings
from corefine.metrics.base import Metric
from corefine.metrics.table import Table
from corefine.scoring.breakdowns import can_divide


@dataclass(frozen=True, slots=True)
class Tally:
    """Numbers of mentions, and where their kinds come from; tallies of parts add up."""

    key: int = 0
    response: int = 0
    common: int = 0
    kind_sources: tuple[str, ...] | None = None
    """The sources that told kinds; None where no metric asked for kinds."""
    judged: int = 0
    unknown: int = 0
    """Mentions that are scored, and how many of them are of unknown kind, if that counts."""

    def __add__(self, other: Tally) -> Tally:
        sources = self.kind_sources
        if other.kind_sources is not None:
            sources = tuple(dict.fromkeys([*(sources or ()), *other.kind_sources]))
        return Tally(
            self.key + other.key,
            self.response + other.response,
            self.common + other.common,
            sources,
            self.judged + other.judged,
            self.unknown + other.unknown,
        )

    @property
    def notes(self) -> dict[str, str]:
        """What belongs in a score's signature."""
        if self.kind_sources is None:
            return {}
        return {"kinds": "+".join(self.kind_sources) or "none"}

    @property
    def warnings(self) -> list[str]:
        """Why scores are zero or rest on little, where the numbers of mentions say so."""
        if not self.key:
            return ["the key has no mentions"]
        if not self.response:
            return ["the response has no mentions"]
        warnings = [] if self.common else ["no mention of the response is a mention of the key"]
        if self.unknown:
            warnings.append(
                f"{self.unknown:,} of {self.judged:,} mentions are of unknown kind: they weigh as "
                "pronouns, and parent leaves them out; tell kinds with --kinds FILE, or have them "
                "guessed with --kinds guess"
            )
        return warnings


def needs_kinds(metrics: Iterable[Metric]) -> bool:
    """Whether one of these metrics looks at the kinds of mentions."""
    return any(part.needs_kinds for metric in metrics for part in metric.needs())


def kinds_needed(
    kinds: KindSpec | KindPlan, metrics: Iterable[Metric], by: Sequence[str] = ()
) -> KindPlan | None:
    """The plan for kinds, if these metrics or breakdowns look at kinds or types of mentions."""
    return plan_of(kinds) if needs_kinds(metrics) or {"kind", "type"} & set(by) else None


def convention_warnings(
    metrics: Sequence[Metric], settings: Settings, by: Sequence[str] = ()
) -> list[str]:
    """Which metrics a setting has no effect on, and which a breakdown leaves out."""
    warnings = []
    parts = {str(part): part for metric in metrics for part in metric.needs()}
    others = [name for name, part in parts.items() if not part.properties.splits_twinless]
    if settings.twinless == "cai-strube" and others:
        warnings.append(
            f"twinless cai-strube is a rule for B³ and CEAF, without effect on {', '.join(others)}"
        )
    left = [str(metric) for metric in metrics if not can_divide(metric, "kind")]
    if "kind" in by and left:
        warnings.append(f"by kind: {', '.join(left)} cannot be divided by the kind of mentions")
    return warnings


def tabulate(
    key: Corpus, response: Corpus, settings: Settings, kinds: KindPlan | None
) -> tuple[Table, Tally, tuple[str, ...]]:
    """Match the mentions and make the table; with a plan also find out the kinds of mentions."""
    matched = match(key, response, settings)
    if kinds is None:
        return Table.of(matched), Tally(*matched.counts), matched.warnings
    matched, origin = with_kinds(matched, kinds)
    table = Table.of(matched)
    unknown = int(np.count_nonzero(table.kinds == Kind.UNKNOWN))
    tally = Tally(*matched.counts, origin.sources, len(table.document), unknown)
    return table, tally, (*matched.warnings, *origin.warnings)
