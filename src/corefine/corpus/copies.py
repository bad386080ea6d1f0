"""Statistics of rewritten text: how completely each document was copied, and which tags failed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from corefine.corpus.document import Span
from corefine.errors import Caution
from corefine.output.grid import Column, Grid, Value
from corefine.output.result import Result, Tables

COVERED = 0.99
"""Minimum share of the source's words that are copied; below it there is a warning."""
TOLERANCES = {
    "tolerant": "tolerant(case,unicode,quotes,tokens)",
    "crac": "crac(equal-words,within-sentences)",
    "strings": "strings(unique,order-if-listed-in-order,proximity)",
}
"""Rules of alignment with their tolerances, as in signatures."""
LISTED = ("JSON", "list", "table", "questions")
"""Shapes of answers whose mentions are strings."""
_WORDS = ("words", "copied", "changed", "deleted", "inserted", "reordered")
_MENTIONS = ("mentions", "moved", "lost", "malformed")
NUMBERS = (*_WORDS, "mentions", "kept", "moved", "lost", "malformed")
"""Additive counts of a document."""
Row = tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class TagFault:
    """A malformed tag, and how it was read."""

    tag: str
    character: int
    """Position in the answer, from 0."""
    outcome: str


@dataclass(frozen=True, slots=True)
class Choice:
    """Mentions that share places: the occurrences of a string, or of strings that overlap."""

    rows: tuple[int, ...]
    """Numbers of the mentions in their document."""
    places: tuple[Span, ...]
    fits: tuple[tuple[int, ...], ...]
    """Numbers of the places where each mention may be."""
    near: tuple[int, ...]
    """Number of the place of each mention by proximity alone; -1 if it has none."""


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
    """Number of words after which the answer stops, if it stops before the end."""
    mentions: int = 0
    """Tagged mentions of the answer."""
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
    dialect: str = ""
    """The dialect of tagged text; ``JSON``, ``list``, ``table`` or ``questions`` for strings."""
    corrected: int = 0
    """Strings that are not where the answer says."""
    ordered: bool = False
    """True if strings that occur once are listed in text order."""
    chunks: str = ""
    """The rule that joined entities of chunks: ``shared-ids``, ``overlap`` or ``listed``."""
    choices: tuple[Choice, ...] = ()
    """Strings that occur several times."""

    @property
    def coverage(self) -> float:
        """Share of the source's words that were copied; 1 if it has no words."""
        return self.copied / self.words if self.words else 1.0

    def to_dict(self) -> dict[str, Any]:
        """JSON representation."""
        told = {**asdict(replace(self, choices=())), "coverage": self.coverage}
        optional = ("dialect", "corrected", "ordered", "chunks", "choices")
        return {name: value for name, value in told.items() if value or name not in optional}

    def values(self, names: Iterable[str]) -> Row:
        """The statistics of these names."""
        return tuple(getattr(self, name) for name in names)


@dataclass(frozen=True, slots=True)
class Copies:
    """All documents of a response that were aligned with their sources, by one rule."""

    align: str
    """``tolerant``, ``crac`` or ``strings``."""
    documents: tuple[Copied, ...]

    @classmethod
    def sum(cls, parts: Iterable[Copies | None]) -> Copies | None:
        """The documents of all parts; None if no part was aligned."""
        found = [part for part in parts if part is not None]
        if not found:
            return None
        rules = "+".join(dict.fromkeys(part.align for part in found))
        return cls(rules, tuple(one for part in found for one in part.documents))

    def select(self, documents: Iterable[str]) -> Copies:
        """The statistics of these documents, given by name, that have any."""
        known = {one.document: one for one in self.documents}
        return replace(self, documents=tuple(known[name] for name in documents if name in known))

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

    def without_choices(self) -> Copies:
        """Leave out the places of repeated strings."""
        return replace(self, documents=tuple(replace(one, choices=()) for one in self.documents))

    @property
    def listed(self) -> int:
        """Number of documents whose mentions are listed as strings."""
        return sum(one.dialect in LISTED for one in self.documents)

    @property
    def in_order(self) -> int:
        """Number of documents whose strings were placed by order."""
        return sum(one.ordered for one in self.documents)

    @property
    def chunks(self) -> str:
        """Rules by which chunks of documents were joined; empty without chunks."""
        return "+".join(sorted({one.chunks for one in self.documents} - {""}))

    @property
    def has_choices(self) -> bool:
        """True if strings that occur several times were placed."""
        return any(one.choices for one in self.documents)

    @property
    def failed(self) -> int:
        """Number of documents without an answer; all their mentions are missed."""
        return sum(bool(one.failure) for one in self.documents)

    def warnings(self) -> list[Caution]:
        """Warnings about words, mentions and tags that were lost."""
        texts: list[str] = []
        total = self.total
        poor = [one for one in self.documents if one.coverage < COVERED and not one.failure]
        if poor:
            worst = min(poor, key=lambda one: one.coverage)
            stop = "" if worst.stopped is None else f", cut off after word {worst.stopped:,}"
            texts.append(
                f"{len(poor):,} of {len(self.documents):,} documents were not copied "
                f"completely: {worst.document!r} has {100 * worst.coverage:.1f}% of its "
                f"{worst.words:,} words{stop}"
            )
        if total.lost or total.moved:
            texts.append(
                self._about_strings(total)
                if self.align == "strings"
                else f"{total.lost:,} of {total.mentions:,} tagged mentions were lost, "
                f"{total.moved:,} truncated to words of the source"
            )
        if total.faults:
            first = total.faults[0]
            texts.append(
                f"{total.malformed:,} malformed tags, such as {first.tag!r}: {first.outcome}"
            )
        if total.copied and not total.mentions and not total.malformed:
            texts.append(
                "no tag was recognised in any answer: name the format of the answers, or look at "
                "one of them"
            )
        warnings = [Caution(text, "copied-text") for text in texts]
        failed = [one for one in self.documents if one.failure]
        if failed:
            more = "" if len(failed) == 1 else f" and {len(failed) - 1:,} more documents"
            text = (
                f"document {failed[0].document!r}{more}: {failed[0].failure}; all of its "
                "mentions count as missed"
            )
            warnings.insert(0, Caution(text, "failed-documents"))
        return warnings

    def _about_strings(self, total: Copied) -> str:
        """A sentence on strings without a place, and with several."""
        found = (
            f"{total.lost:,} of {total.mentions:,} strings were not found in the text"
            if total.lost
            else f"All {total.mentions:,} strings were found"
        )
        if not total.moved:
            return found
        ordered = "order and proximity" if self.in_order == self.listed else "proximity"
        ordered = ordered if not 0 < self.in_order < self.listed else "order or proximity"
        return f"{found}; {total.moved:,} occur several times and were placed by {ordered}"

    def to_dict(self) -> dict[str, Any]:
        """JSON representation."""
        total = self.total
        return {
            "align": self.align,
            **{name: getattr(total, name) for name in NUMBERS},
            "coverage": total.coverage,
            "failed": self.failed,
            "documents": [one.to_dict() for one in self.documents],
        }


# --- tables ---------------------------------------------------------------------------------------

LOSS_TABLES = ("losses", "alignment", "tags")
"""Tables of the losses of text written by a language model."""


@dataclass(frozen=True, repr=False)
class Losses(Result):
    """Alignment of answers of language models with their sources, and its losses."""

    copies: Mapping[str, Copies]
    """By the name of the response."""

    def table_functions(self) -> Tables:
        return {"losses": losses_grid, "alignment": alignment_grid, "tags": tags_grid}

    def to_dict(self) -> dict[str, Any]:
        """By response, counts over all documents and for each of them, with its malformed tags."""
        return {name: copies.to_dict() for name, copies in self.copies.items()}

    @property
    def title(self) -> str:
        """Title with the rules of alignment."""
        rules = dict.fromkeys(copies.align for copies in self.copies.values())
        return f"Alignment with the source ({', '.join(rules)})"

    def grid(
        self, names: Iterable[str], rows_of: Callable[[Copies], list[Row]], title: str
    ) -> Grid:
        """A table of the rows of each response, with its name if there are several."""
        rows = [(name, *row) for name, copies in self.copies.items() for row in rows_of(copies)]
        columns = (Column("response"), *map(_column, names))
        if len(self.copies) == 1:
            return Grid(columns[1:], [row[1:] for row in rows], title)
        return Grid(columns, rows, title)


def loss_tables(copies: Mapping[str, Copies | None]) -> Tables:
    """Tables of the responses that were aligned with their sources, for any result."""
    losses = Losses({name: one for name, one in copies.items() if one is not None})
    functions = losses.table_functions() if losses.copies else {}
    return {name: lambda _, grid=grid: grid(losses) for name, grid in functions.items()}


def losses_grid(losses: Losses) -> Grid:
    """One row per response: statistics over all its documents."""
    names = ("coverage", *_WORDS, *_MENTIONS)
    return losses.grid(
        ("documents", "failed", *names),
        lambda copies: [(len(copies.documents), copies.failed, *copies.total.values(names))],
        losses.title,
    )


def alignment_grid(losses: Losses) -> Grid:
    """One row per document, and a last one for all."""
    names = ("document", "coverage", *_WORDS, "stopped", *_MENTIONS, "dialect", "failure")
    return losses.grid(
        names,
        lambda copies: [one.values(names) for one in (*copies.documents, copies.total)],
        losses.title,
    )


def tags_grid(losses: Losses) -> Grid:
    """One row per malformed tag."""
    return losses.grid(
        ("document", "character", "tag", "outcome"),
        lambda copies: [
            (one.document, fault.character, fault.tag, fault.outcome)
            for one in copies.documents
            for fault in one.faults
        ],
        "Malformed tags",
    )


def _column(name: str) -> Column:
    """The column of a statistic."""
    if name == "stopped":
        return Column("cut off after", "integer", name)
    if name in ("document", "dialect", "failure", "tag", "outcome"):
        return Column(name)
    return Column(name, "percent" if name == "coverage" else "integer")
