"""Matching: key and response made comparable step by step, and which mentions are the same.

The steps identify the mentions of both sides, drop duplicates and singletons, and match the rest.
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
from corefine.errors import Caution, UsageError, code_of, reworded
from corefine.matching.places import Places, identify
from corefine.matching.settings import Settings

if TYPE_CHECKING:
    from corefine.corpus.copies import Copies
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
    """Sum over documents of the mentions of the largest entity."""
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


# --- steps ----------------------------------------------------------------------------------------


def identify_mentions(matching: Matching, with_heads: bool) -> Matching:
    """Number the mentions of both sides, equal numbers for the same expression."""
    codes = identify(*matching.places, with_heads)
    return replace(matching, codes=codes, given=np.arange(len(codes[0])))


def unfound(corpus: Corpus) -> BoolArray:
    """Mentions that a language model listed and that are not in the text."""
    strings = corpus.mentions.attributes.get("unfound")
    return np.zeros(len(corpus.mentions), bool) if strings is None else strings.lengths > 0


def set_unfound_apart(matching: Matching, treatment: str) -> Matching:
    """Give response mentions that are not in the text numbers of their own, or drop them."""
    if "unfound" not in matching.response.mentions.attributes:
        return matching
    apart = unfound(matching.response)
    if not apart.any():
        return matching
    if treatment == "ignore":
        return matching.keep(np.ones(len(matching.codes[0]), bool), ~apart)
    ours, theirs = matching.codes
    least = min(int(codes.min(initial=0)) for codes in (ours, theirs))
    theirs = theirs.copy()
    theirs[apart] = least - 1 - np.arange(np.count_nonzero(apart))
    return replace(matching, codes=(ours, theirs))


def drop_duplicates(matching: Matching, duplicates: str) -> Matching:
    """Drop mentions that occur twice on a side, or raise an error."""
    wanted, cautions = [], []
    for name, corpus, codes in (
        ("key", matching.key, matching.codes[0]),
        ("response", matching.response, matching.codes[1]),
    ):
        kept, caution = first_occurrences(corpus, codes, duplicates)
        wanted.append(kept)
        if caution is not None:
            cautions.append(reworded(caution, f"{name}: {caution}"))
    return matching.keep(*wanted).warn(*cautions)


def drop_singletons(matching: Matching, singletons: str) -> Matching:
    """Drop the entities of one mention on both sides, if ``singletons`` is ``drop``."""
    if singletons != "drop":
        return matching
    entities = (side.mentions.entity for side in (matching.key, matching.response))
    return matching.keep(*(np.bincount(entity)[entity] > 1 for entity in entities))


def first_occurrences(
    corpus: Corpus, codes: IntArray, duplicates: str
) -> tuple[BoolArray, Caution | None]:
    """The mentions that do not repeat an earlier one, and a warning about those that do."""
    first, second = _repeated(codes)
    wanted = np.ones(len(codes), bool)
    wanted[second] = False
    entity = corpus.mentions.entity
    across = entity[first] != entity[second]
    if not len(second) or (duplicates != "error" and not across.any() and corpus.has_places):
        return wanted, None
    at = int(np.argmax(across))
    text = _describe_repeat(corpus, int(first[at]), int(second[at]), int(across.sum()))
    if duplicates == "error":
        document = int(corpus.mentions.document[second[at]])
        raise UsageError(
            text,
            corpus.location(document, int(corpus.mentions.start[second[at]])),
            "Remove the duplicate, or use --duplicates first (duplicates='first').",
        )
    if across.any():
        text = f"{text}; the first is kept"
    else:
        more = f" ({len(second) - 1:,} more duplicate mentions)" if len(second) > 1 else ""
        text = f"{text}{more}; counted once: give every mention a name of its own"
    return wanted, Caution(text, "duplicate-mention", mentions=len(second))


def _repeated(codes: IntArray) -> tuple[IntArray, IntArray]:
    """The mentions that repeat an earlier one: the first occurrence, and the repetition."""
    if len(codes) < 2 or bool((codes[1:] > codes[:-1]).all()):
        return codes[:0], codes[:0]
    order = np.argsort(codes, kind="stable")
    arranged = codes[order]
    repeated = np.flatnonzero(arranged[1:] == arranged[:-1]) + 1
    run_start = np.flatnonzero(np.diff(arranged, prepend=arranged[0] - 1))
    first = run_start[np.searchsorted(run_start, repeated, side="right") - 1]
    return order[first], order[repeated]


def _describe_repeat(corpus: Corpus, first: int, second: int, across: int) -> str:
    mentions = corpus.mentions
    document = corpus.documents[int(mentions.document[second])]
    where = corpus.location(int(mentions.document[second]), int(mentions.start[second]))
    at = f" ({where})" if where is not None else f" of document {document!r}" if document else ""
    what = f"mention {corpus.text_of(second)!r}{at}"
    if mentions.entity[first] == mentions.entity[second]:
        return f"{what} occurs twice in entity {_entity_name(corpus, first)}"
    more = f" ({across - 1:,} more duplicate mentions)" if across > 1 else ""
    return (
        f"{what} is in two entities, {_entity_name(corpus, first)} and "
        f"{_entity_name(corpus, second)}{more}"
    )


def _entity_name(corpus: Corpus, mention: int) -> str:
    entity = int(corpus.mentions.entity[mention])
    if corpus.entities.names is not None:
        return repr(corpus.entities.names[entity])
    first = int(np.argmax(corpus.entities.document == corpus.entities.document[entity]))
    return f"number {entity - first + 1}"


def require_heads(matching: Matching, settings: Settings) -> None:
    """Raise an error if mentions are matched by heads that a side does not have."""
    needed = {"head": (matching.key, matching.response), "partial": (matching.key,)}
    for corpus in needed.get(settings.match, ()):
        if corpus.mentions.head is None and len(corpus.mentions):
            raise UsageError(
                f"--match {settings.match} needs mention heads, which "
                f"{corpus.sources[0] if corpus.sources else 'this corpus'} does not have",
                remedy="CoNLL-U with CorefUD's Entity attribute has them; or use --match exact.",
            )


def match_mentions(matching: Matching, settings: Settings) -> Matching:
    """Match mentions one to one, within documents or windows.

    Zeros are matched first, then equal mentions, then others by head, overlap or minimum span.
    """
    twin = _twins(matching, settings)
    response_only = _unmatched(twin, len(matching.codes[1]))
    matched = replace(
        matching,
        key_mention=np.concatenate([np.arange(len(twin)), np.full(len(response_only), -1)]),
        response_mention=np.concatenate([twin, response_only]),
    )
    if settings.match == "min":
        matched = matched.noting(minimum_spans=_with_minimum_spans(matching.key))
    return matched


def _with_minimum_spans(key: Corpus) -> int:
    """The number of mentions with a minimum span, annotated or in a parse tree."""
    from corefine.matching.minimum_spans import parsed_documents

    minimum = key.mentions.minimum
    annotated = 0 if minimum is None else int(np.count_nonzero(minimum[0] >= 0))
    return annotated + int(np.count_nonzero(parsed_documents(key)[key.mentions.document]))


def _twins(matching: Matching, settings: Settings) -> IntArray:
    """The response mention of each key mention, or -1."""
    key_codes, response_codes = matching.codes
    twin = np.full(len(key_codes), -1)
    texts = (matching.key.tokens, matching.response.tokens)
    have_zeros = all(tokens is not None and tokens.empty is not None for tokens in texts)
    if have_zeros and settings.zeros == "dependent":
        from corefine.matching.nearest import match_zeros

        ours, theirs = match_zeros(*matching.places)
        twin[ours] = theirs
    ours, theirs = np.flatnonzero(twin < 0), _unmatched(twin, len(response_codes))
    found = _equal_codes(key_codes[ours], response_codes[theirs])
    twin[ours] = np.append(theirs, -1)[found]
    if settings.match != "exact":
        from corefine.matching.nearest import match_nearest

        ours, theirs = np.flatnonzero(twin < 0), _unmatched(twin, len(response_codes))
        theirs = theirs[~unfound(matching.response)[theirs]]
        ours, theirs = match_nearest(*matching.places, ours, theirs, settings.match)
        twin[ours] = theirs
    return twin


def _unmatched(twin: IntArray, responses: int) -> IntArray:
    """The response mentions that are not matched yet."""
    free = np.ones(responses, bool)
    free[twin[twin >= 0]] = False
    return np.flatnonzero(free)


def _equal_codes(key: IntArray, response: IntArray) -> IntArray:
    """The response mention with the same number as each key mention, or -1."""
    if key is response or np.array_equal(key, response):
        return np.arange(len(key))
    if len(response) == 0:
        return np.full(len(key), -1)
    order = np.argsort(response, kind="stable")
    found = np.searchsorted(response, key, sorter=order)
    candidate = order[np.minimum(found, len(response) - 1)]
    return np.where(response[candidate] == key, candidate, -1)
