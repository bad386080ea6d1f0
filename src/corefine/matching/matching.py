"""Matching: key and response made comparable step by step, and which mentions are the same.

:class:`Provenance` describes the data of a score: key, mentions and warnings. Its
:class:`Evidence` is the input of the checks before the number. Both can be added, so that the
checks say the same of documents counted together, in several processes, or one by one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, reduce
from operator import add
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from corefine.corpus.arrays import BoolArray, IntArray
from corefine.corpus.corpus import Corpus
from corefine.corpus.selection import keep_mentions
from corefine.errors import Caution, UsageError, code_of
from corefine.matching.places import Places

if TYPE_CHECKING:
    from corefine.formats.tagged.copies import Copies
    from corefine.matching.units import Grouping, TokenWindows


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """Identity of a key: numbers of documents and mentions, and a hash of ids, spans and entities.

    It is independent of the format of the file, of the order of documents, entities and mentions,
    and of the names of entities. Fingerprints of parts can be added.
    """

    documents: int = 0
    mentions: int = 0
    code: int = 0

    def __add__(self, other: Fingerprint) -> Fingerprint:
        return Fingerprint(
            self.documents + other.documents,
            self.mentions + other.mentions,
            (self.code + other.code) % (1 << 64),
        )

    def __str__(self) -> str:
        return f"{self.documents}d.{self.mentions}m.{self.code >> 40:06x}"


LONG = 20
"""Mentions of a document that nobody annotates twice in the same way by chance."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Numbers of mentions, entities and documents that the checks judge."""

    key: int = 0
    response: int = 0
    common: int = 0
    """Matched mentions."""
    key_entities: int = 0
    response_entities: int = 0
    key_singletons: int = 0
    response_singletons: int = 0
    key_largest: int = 0
    """Mentions of the largest entity of each document."""
    response_largest: int = 0
    documents: int = 0
    """Documents with mentions on either side."""
    equal: int = 0
    """Documents with mentions in which the response equals the key."""
    long: int = 0
    """Documents with at least :data:`LONG` mentions on both sides."""
    repeated: int = 0
    """Long documents in which the response equals the key."""
    silent_mentions: int = 0
    """Mentions of the key in documents in which the response has none."""
    silent: tuple[str, ...] = ()
    """Documents in which the key has mentions and the response has none."""
    files: tuple[str, str] | None = None
    """The files of key and response."""
    readings: dict[str, float] = field(default_factory=dict)
    """Mentions that would match under other readings of the positions."""
    key_extent: int = 0
    """The sum of the last positions in documents that have mentions on both sides."""
    response_extent: int = 0
    key_length: int = 0
    """The sum of the lengths of mentions, if few match."""
    response_length: int = 0
    strings: int = 0
    """Mentions of the response that were given as strings."""
    repeated_strings: int = 0
    """Strings of the response that occur earlier in the same document of the response."""
    key_repeats: int = 0
    """Mentions of the key with the words of an earlier mention, if the response has strings."""
    reversed_strings: int = 0
    """Strings of the response that precede the string before them in the text."""
    shared_text: int = 0
    """Mentions of the key, if both sides have the text, by which their tokens were aligned."""
    records: int = 0
    """Mentions of the response, if both sides are labels of records with ids."""
    without_singletons: tuple[str, float] | None = None
    """A metric and its F1 without singletons, if only one side has any; None for sums of parts."""

    def __add__(self, other: Evidence) -> Evidence:
        if self == Evidence():
            return other
        if other == Evidence():
            return self
        values = {}
        for one in fields(self):
            ours, theirs = getattr(self, one.name), getattr(other, one.name)
            if isinstance(ours, int | tuple) and one.name not in ("files", "without_singletons"):
                values[one.name] = ours + theirs
        names = {*self.readings, *other.readings}
        readings = {
            name: self.readings.get(name, self.common) + other.readings.get(name, other.common)
            for name in sorted(names)
        }
        return Evidence(**values, files=self.files or other.files, readings=readings)


KEPT_WARNINGS = 20
"""The number of warnings that are kept; further ones are only counted."""
_OF_COPIES = ("copied-text", "failed-documents")
"""Warnings about text copied by a language model, which are given once for all documents."""


@dataclass(frozen=True, slots=True)
class Provenance:
    """The key and the mentions that were scored; provenances of parts can be summed."""

    key: Fingerprint = field(default_factory=Fingerprint)
    """The fingerprint of the key as it was given."""
    minimum_spans: int = 0
    """Key mentions with a minimum span, if mentions are matched by these."""
    judged: int = 0
    """Scored mentions, if mention kinds are looked up."""
    unknown: int = 0
    """Scored mentions of unknown kind."""
    kind_sources: frozenset[str] = frozenset()
    """The sources of mention kinds that were used."""
    kind_code: int = 0
    """A code of the kinds and types of the key's mentions; codes of parts add up modulo 2⁶⁴."""
    warnings: tuple[str, ...] = ()
    omitted_warnings: int = 0
    """The number of warnings beyond those that are kept."""
    copies: Copies | None = None
    """Statistics of the alignment of text that a language model wrote."""
    evidence: Evidence = field(default_factory=Evidence)
    """Input of the checks before the number."""

    def warn(self, *cautions: str) -> Provenance:
        """Add warnings."""
        return replace(self, warnings=(*self.warnings, *cautions)) if cautions else self

    @classmethod
    def sum(cls, parts: Iterable[Provenance]) -> Provenance:
        """The provenance of all parts; repeated warnings are kept once, many are only counted."""
        parts = list(parts)
        if len(parts) == 1:
            return parts[0]
        aligned = [part.copies for part in parts if part.copies is not None]
        copies = aligned[0].sum(aligned) if aligned else None
        warnings = [
            text for part in parts for text in part.warnings if code_of(text) not in _OF_COPIES
        ]
        warnings = list(dict.fromkeys([*warnings, *(copies.warnings() if copies else ())]))
        numbers = {
            one.name: sum(getattr(part, one.name) for part in parts)
            for one in fields(cls)
            if one.type == "int"
        }
        numbers["kind_code"] %= 1 << 64
        numbers["omitted_warnings"] += max(0, len(warnings) - KEPT_WARNINGS)
        return cls(
            key=reduce(add, (part.key for part in parts), Fingerprint()),
            kind_sources=frozenset().union(*(part.kind_sources for part in parts)),
            warnings=tuple(warnings[:KEPT_WARNINGS]),
            copies=copies,
            evidence=reduce(add, (part.evidence for part in parts), Evidence()),
            **numbers,
        )

    def require_minimum_spans(self) -> None:
        """Raise an error if no mention of the key has a minimum span to be matched by."""
        if self.evidence.key and not self.minimum_spans:
            raise UsageError(
                "--match min needs minimum spans or parse trees in the key, which has neither",
                remedy="Use --match head, partial or exact.",
            )

    @property
    def all_warnings(self) -> tuple[str, ...]:
        """The warnings, and the number of those that were not kept."""
        if not self.omitted_warnings:
            return self.warnings
        return *self.warnings, Caution(f"{self.omitted_warnings:,} more warnings", "more-warnings")


def _nothing() -> IntArray:
    return np.zeros(0, np.int64)


@dataclass(frozen=True, eq=False, repr=False)
class Matching:
    """Key and response with the same documents in the same order, and their shared mentions.

    ``key`` and ``response`` are the corpora as they are scored: without duplicates, and with
    or without singletons. Once mentions are matched, there is one row per distinct
    mention of either side: first the mentions of the key, in order, then those that only the
    response has. A mention that a side lacks is -1 there.
    """

    key: Corpus
    response: Corpus
    key_mention: IntArray = field(default_factory=_nothing)
    response_mention: IntArray = field(default_factory=_nothing)
    provenance: Provenance = field(default_factory=Provenance)
    grouping: Grouping | None = None
    """The groups of documents that share entities, if the scope is not the document."""
    windows: TokenWindows | None = None
    """The windows of the documents, if they are cut."""
    codes: tuple[IntArray, IntArray] = field(default_factory=lambda: (_nothing(), _nothing()))
    """Numbers of the mentions that are equal for the same expression, once they are identified."""
    given: IntArray = field(default_factory=_nothing)
    """The number of each key mention in the key as it was given."""

    @cached_property
    def places(self) -> tuple[Places, Places]:
        """The positions of the mentions of both sides in the shared text."""
        return Places.of(self.key, self.response, self.windows)

    def noting(self, **facts: Any) -> Matching:
        """The matching with these fields of its provenance."""
        return replace(self, provenance=replace(self.provenance, **facts))

    def warn(self, *cautions: str) -> Matching:
        """Add warnings."""
        return replace(self, provenance=self.provenance.warn(*cautions)) if cautions else self

    def keep(self, key: BoolArray, response: BoolArray) -> Matching:
        """Keep only these mentions, before mentions are matched."""
        if key.all() and response.all():
            return self
        return replace(
            self,
            key=keep_mentions(self.key, key),
            response=keep_mentions(self.response, response),
            codes=(self.codes[0][key], self.codes[1][response]),
            given=self.given[key],
        )

    def by_row(self, key: NDArray[Any], response: NDArray[Any]) -> NDArray[Any]:
        """A column of mentions by row: the key's, or the response's for mentions only it has."""
        return np.concatenate([key, response[self.response_mention[len(key) :]]])

    def text_of(self, row: int) -> str:
        """Words of the mention of a row, in the key if it has the mention."""
        ours = int(self.key_mention[row])
        if ours >= 0:
            return self.key.text_of(ours)
        return self.response.text_of(int(self.response_mention[row]))

    def without(self, rows: BoolArray) -> Matching:
        """Drop the mentions of these rows on both sides."""
        if not rows.any():
            return self
        kept = ~rows
        key, key_mention = _kept(self.key, self.key_mention[kept])
        response, response_mention = _kept(self.response, self.response_mention[kept])
        return replace(
            self,
            key=key,
            response=response,
            key_mention=key_mention,
            response_mention=response_mention,
        )


def _kept(corpus: Corpus, mentions: IntArray) -> tuple[Corpus, IntArray]:
    """The corpus with these mentions only, and their new numbers; -1 stays -1."""
    wanted = np.zeros(len(corpus.mentions), bool)
    wanted[mentions[mentions >= 0]] = True
    number = np.append(np.cumsum(wanted) - 1, -1)
    return keep_mentions(corpus, wanted), number[mentions]
