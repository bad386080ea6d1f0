"""Statistics of rewritten text: how completely each document was copied."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from corefine.errors import Caution

COVERED = 0.99
"""The share of the source's words that should be copied; below it there is a warning."""
TOLERANCES = {
    "tolerant": "tolerant(case,unicode,quotes,tokens)",
    "crac": "crac(equal-words,within-sentences)",
    "strings": "strings(unique,order,proximity)",
}
"""The rules of alignment with what each tolerates, as signatures name them."""
NUMBERS = (
    "words", "copied", "changed", "deleted", "inserted", "reordered",
    "mentions", "kept", "moved", "lost", "malformed",
)  # fmt: skip
"""The counts of a document, which add up."""


@dataclass(frozen=True, slots=True)
class TagFault:
    """A malformed tag, and what became of it."""

    tag: str
    character: int
    """Position in the answer, counted from 0."""
    outcome: str


@dataclass(frozen=True, slots=True)
class Copied:
    """Statistics of one document."""

    document: str
    words: int
    """Words of the source, without empty nodes."""
    copied: int = 0
    """Words of the source that are in the answer, up to case, quotes and Unicode form."""
    changed: int = 0
    deleted: int = 0
    inserted: int = 0
    """Words of the answer without a partner in the source."""
    reordered: int = 0
    """Words of the answer in passages that were moved; they count as inserted, their originals as
    deleted."""
    stopped: int | None = None
    """The number of words after which the answer stops, if it stops before the end."""
    mentions: int = 0
    """Mentions that are marked in the answer."""
    kept: int = 0
    moved: int = 0
    """Mentions whose first or last word is not in the source: they end at the nearest that is."""
    lost: int = 0
    """Mentions without any word of the source."""
    malformed: int = 0
    """Malformed tags."""
    faults: tuple[TagFault, ...] = ()
    """The first malformed tags."""
    failure: str = ""
    """Reason for a missing answer; empty if there is an answer."""

    @property
    def coverage(self) -> float:
        """Share of the source's words that were copied; 1 if it has no words."""
        return self.copied / self.words if self.words else 1.0

    def to_dict(self) -> dict[str, Any]:
        """The form in which a document is written as JSON."""
        return {**asdict(self), "coverage": self.coverage}


@dataclass(frozen=True, slots=True)
class Copies:
    """All documents of a response that were aligned with their sources, by one rule."""

    align: str
    """``tolerant`` or ``crac``."""
    documents: tuple[Copied, ...]

    @classmethod
    def sum(cls, parts: Iterable[Copies | None]) -> Copies | None:
        """The documents of all parts; None if none was aligned."""
        found = [part for part in parts if part is not None]
        if not found:
            return None
        rules = "+".join(dict.fromkeys(part.align for part in found))
        return cls(rules, tuple(one for part in found for one in part.documents))

    @property
    def rule(self) -> str:
        """The rule with its tolerances."""
        return "+".join(TOLERANCES.get(rule, rule) for rule in self.align.split("+"))

    @property
    def total(self) -> Copied:
        """All documents as one."""
        counts = {name: sum(getattr(one, name) for one in self.documents) for name in NUMBERS}
        faults = tuple(fault for one in self.documents for fault in one.faults)
        return Copied("(all)", **counts, faults=faults)

    @property
    def failed(self) -> int:
        """The documents without an answer, which count as missed."""
        return sum(bool(one.failure) for one in self.documents)

    def warnings(self) -> list[Caution]:
        """Warnings about words, mentions and tags that were lost."""
        warnings: list[Caution] = []

        def warn(text: str, code: str = "copied-text") -> None:
            warnings.append(Caution(text, code))

        failed = [one for one in self.documents if one.failure]
        if failed:
            more = "" if len(failed) == 1 else f" and {len(failed) - 1:,} more documents"
            warn(
                f"document {failed[0].document!r}{more}: {failed[0].failure}; all of its "
                "mentions count as missed",
                "failed-documents",
            )
        poor = [one for one in self.documents if one.coverage < COVERED and not one.failure]
        if poor:
            worst = min(poor, key=lambda one: one.coverage)
            stop = "" if worst.stopped is None else f", cut off after word {worst.stopped:,}"
            warn(
                f"{len(poor):,} of {len(self.documents):,} documents were not copied "
                f"completely: {worst.document!r} has {100 * worst.coverage:.1f}% of its "
                f"{worst.words:,} words{stop}"
            )
        total = self.total
        if self.align == "strings" and (total.lost or total.moved):
            warn(
                f"{total.lost:,} of {total.mentions:,} strings were not found in the text, "
                f"{total.moved:,} occur several times and were placed by order and proximity"
            )
        elif total.lost or total.moved:
            warn(
                f"{total.lost:,} of {total.mentions:,} tagged mentions were lost, "
                f"{total.moved:,} truncated to words of the source"
            )
        if total.faults:
            first = total.faults[0]
            warn(f"{total.malformed:,} malformed tags, such as {first.tag!r}: {first.outcome}")
        if total.copied and not total.mentions and not total.malformed:
            warn(
                "no tag was recognised in any answer: name the format of the answers, or look at "
                "one of them"
            )
        return warnings

    def to_dict(self) -> dict[str, Any]:
        """The form in which the alignment is written as JSON."""
        total = self.total
        return {
            "align": self.align,
            **{name: getattr(total, name) for name in NUMBERS},
            "coverage": total.coverage,
            "failed": self.failed,
            "documents": [one.to_dict() for one in self.documents],
        }
