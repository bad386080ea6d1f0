"""Key and response while they are made comparable, step by step, and the result of matching."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from corefine.corpus.arrays import BoolArray, IntArray
from corefine.corpus.corpus import Corpus
from corefine.corpus.selection import keep_mentions
from corefine.errors import Caution, UsageError
from corefine.matching.fingerprint import Codes, Fingerprint
from corefine.matching.places import Places
from corefine.matching.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from corefine.matching.units import Grouping, TokenWindows


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Pair:
    """Key and response with the same documents in the same order."""

    key: Corpus
    response: Corpus
    warnings: tuple[str, ...] = ()
    places: tuple[Places, Places] | None = None
    """The positions of the mentions in the shared text, once the texts are aligned."""
    codes: tuple[IntArray, IntArray] | None = None
    """Numbers of the mentions that are equal for the same expression, once they are identified."""
    grouping: Grouping | None = None
    """The groups of documents that share entities, if the scope is not the document."""
    windows: TokenWindows | None = None
    """The windows of the documents, if they are cut."""
    key_codes: Codes | None = None
    """Codes of the key's mentions as they were given, for fingerprints."""
    fingerprint: Fingerprint = field(default_factory=Fingerprint)
    """The fingerprint of the key as it was given."""

    def warn(self, *cautions: str) -> Pair:
        """The pair with further warnings."""
        return replace(self, warnings=(*self.warnings, *cautions)) if cautions else self

    def keep(self, key: BoolArray, response: BoolArray) -> Pair:
        """The pair with these mentions only."""
        if key.all() and response.all():
            return self
        assert self.places is not None
        assert self.codes is not None
        sides = keep_mentions(self.key, key), keep_mentions(self.response, response)
        ours, theirs = (
            replace(places, corpus=side) for places, side in zip(self.places, sides, strict=True)
        )
        return replace(
            self,
            key=sides[0],
            response=sides[1],
            places=(ours, theirs),
            codes=(self.codes[0][key], self.codes[1][response]),
            key_codes=None if self.key_codes is None else self.key_codes[key],
        )

    def with_corpora(self, key: Corpus, response: Corpus) -> Pair:
        """The pair with changed corpora of the same mentions in the same text."""
        places = self.places
        if places is not None:
            places = replace(places[0], corpus=key), replace(places[1], corpus=response)
        return replace(self, key=key, response=response, places=places)


@dataclass(frozen=True, slots=True)
class Tally:
    """Numbers of mentions and sources of their kinds; tallies of parts can be added."""

    key: int = 0
    response: int = 0
    common: int = 0
    kind_sources: frozenset[str] = frozenset()
    """The sources of mention kinds that were used."""
    judged: int = 0
    """Scored mentions, if mention kinds are looked up."""
    unknown: int = 0
    """Scored mentions of unknown kind."""
    minimum: int = 0
    """Mentions of the key with a minimum span."""
    kind_code: int = 0
    """A code of the kinds and types of the key's mentions; codes of parts add up modulo 2⁶⁴."""
    silent: tuple[str, ...] = ()
    """Documents in which the key has mentions and the response has none."""

    def __add__(self, other: Tally) -> Tally:
        return Tally(
            self.key + other.key,
            self.response + other.response,
            self.common + other.common,
            self.kind_sources | other.kind_sources,
            self.judged + other.judged,
            self.unknown + other.unknown,
            self.minimum + other.minimum,
            (self.kind_code + other.kind_code) % (1 << 64),
            (*self.silent, *other.silent),
        )

    def require(self, settings: Settings) -> None:
        """Raise an error if no mention has what mentions are matched by."""
        if settings.match == "min" and self.key and not self.minimum:
            raise UsageError(
                "--match min needs minimum spans or parse trees in the key, which has neither",
                remedy="Use --match head, partial or exact.",
            )

    def warnings(self, depends_on_kinds: bool) -> list[Caution]:
        """Reasons for scores that are zero or rest on little."""
        if not self.key:
            return [Caution("the key has no mentions", "empty-key")]
        if not self.response:
            return [Caution("the response has no mentions", "empty-response")]
        warnings = []
        if not self.common:
            warnings.append(Caution("no response mention matches a key mention", "no-match"))
        if self.silent:
            more = f" and {len(self.silent) - 3:,} more" if len(self.silent) > 3 else ""
            text = f"the response has no mentions in {', '.join(map(repr, self.silent[:3]))}{more}"
            warnings.append(Caution(text, "silent-documents", documents=list(self.silent)))
        if self.unknown and depends_on_kinds:
            text = (
                f"{self.unknown:,} of {self.judged:,} mentions have no known kind: treated as "
                "pronouns, ignored by PARENT; give kinds with --kinds FILE, or try --kinds guess"
            )
            warnings.append(
                Caution(text, "unknown-kinds", unknown=self.unknown, mentions=self.judged)
            )
        return warnings


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Matched:
    """Key and response with one row per distinct mention of either side.

    ``key`` and ``response`` are the corpora as they are scored: the same documents in the same
    order, without duplicates (and singletons, if they are dropped). The rows of the key come first,
    in order; a mention that a side lacks is -1 there.
    """

    key: Corpus
    response: Corpus
    key_mention: IntArray
    response_mention: IntArray
    settings: Settings
    warnings: tuple[str, ...] = ()
    grouping: Grouping | None = None
    """The groups of documents that share entities, if the scope is not the document."""
    windows: TokenWindows | None = None
    """The windows of the documents, if they are cut."""
    layers: Mapping[str, Matched] = field(default_factory=dict)
    """Further annotations of the documents, each matched separately, by name."""
    tally: Tally = field(default_factory=Tally)
    fingerprint: Fingerprint = field(default_factory=Fingerprint)
    """The fingerprint of the key as it was given."""
    key_codes: Codes | None = None
    """Codes of the key's mentions as they were given, for fingerprints."""

    def text_of(self, row: int) -> str:
        """Words of the mention of a row, those of the key if it has it."""
        ours = int(self.key_mention[row])
        if ours >= 0:
            return self.key.text_of(ours)
        return self.response.text_of(int(self.response_mention[row]))

    def without(self, rows: BoolArray) -> Matched:
        """The comparison without the mentions of these rows, on either side."""
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
