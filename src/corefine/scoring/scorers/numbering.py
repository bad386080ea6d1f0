"""Both sides as another scorer reads them: its mentions as numbers, entity by entity."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from corefine.corpus.arrays import IntArray
from corefine.corpus.corpus import Corpus
from corefine.corpus.selection import keep_mentions
from corefine.errors import UsageError
from corefine.matching.identity import first_occurrences, identify
from corefine.matching.match import match
from corefine.matching.places import Places
from corefine.matching.settings import Settings
from corefine.matching.token_windows import TokenWindows
from corefine.scoring.scorers.antecedent_sets import (
    Met,
)
from corefine.scoring.scorers.counting import Entities
from corefine.scoring.scorers.last_opened import last_opened
from corefine.scoring.scorers.meeting import listed, met_mentions
from corefine.scoring.scorers.opening_first import opening_first, without_unbarred
from corefine.scoring.scorers.profiles import ScorerProfile
from corefine.scoring.scorers.windows import window_names, windows_of

REFUSED_REPEATS = 10
"""The Perl scorer gives up on a response that repeats more mentions of the key than this."""


@dataclass(frozen=True, slots=True)
class Numbered:
    """Both sides as the tool reads them, every mention with a number."""

    sides: tuple[Corpus, Corpus]
    codes: tuple[IntArray, IntArray]
    met: tuple[IntArray, IntArray]
    """The mentions that count, entity by entity as the tool meets them."""
    lists: tuple[list[Entities], list[Entities]]
    """By document, the entities as lists of mention numbers."""
    twins: Mapping[int, int]
    """The numbers by which mentions are sought on the other side, where not their own."""

    def entities(self, side: int, documents: set[int]) -> dict[int, dict[str, list[Met]]]:
        """The entities of these documents on a side, by name."""
        corpus, codes = self.sides[side], self.codes[side]
        mentions, names = corpus.mentions, corpus.entities.names
        found: dict[int, dict[str, list[Met]]] = {}
        for row in self.met[side].tolist():
            document, entity = int(mentions.document[row]), int(mentions.entity[row])
            if document in documents:
                ends = frozenset((int(mentions.start[row]), int(mentions.stop[row]) - 1))
                name = str(entity) if names is None else str(names[entity])
                met = Met(int(codes[row]), ends)
                found.setdefault(document, {}).setdefault(name, []).append(met)
        return found


def number_mentions(
    key: Corpus,
    response: Corpus,
    tool: ScorerProfile,
    settings: Settings,
    windows: TokenWindows | None,
) -> Numbered:
    """Both sides as lists of mention numbers, by document or window, and the numbers of twins.

    Matched mentions share a number, unless the tool looks them up by place: then the same number is
    the same place, and the twins of mentions at other places come with it.
    """
    if tool.brackets == "opening first":
        key, response = opening_first(key), opening_first(response)
    if tool.brackets == "last opened":
        key, response = last_opened(key), last_opened(response)
    if tool.overlooks_unbarred:
        key, response = without_unbarred(key), without_unbarred(response)
    if tool.heads == "the first word":
        key, response = _headed_by_first_word(key), _headed_by_first_word(response)
    if tool.repeats == "first":
        key, response = _without_later(key, settings), _without_later(response, settings)
    sides = (key, response)
    codes = identify(*Places.of(key, response), settings.match == "head")
    met = met_mentions(key, codes[0], tool), met_mentions(response, codes[1], tool)
    twins: dict[int, int] = {}
    if settings.match != "exact" or _has_zeros(key):
        pairs = _matched_codes(sides, codes, met, settings)
        if tool.looks_up_places:
            moved = [(ours, theirs) for ours, theirs in pairs if ours != theirs]
            # A place that both sides have keeps what the response's mention there is to the key.
            twins = dict(moved) | {theirs: ours for ours, theirs in moved}
        else:
            codes = codes[0], _shared_codes(codes, pairs)
    key_lists, response_lists = (
        listed_in(corpus, code, rows, windows, tool)
        for corpus, code, rows in zip(sides, codes, met, strict=True)
    )
    if tool.repeats == "perl":
        known = [{m for entity in entities for m in entity} for entities in key_lists]
        before = total(response_lists)
        response_lists = [
            _without_repeats(entities, mentions)
            for entities, mentions in zip(response_lists, known, strict=True)
        ]
        _refuse_many_repeats(before - total(response_lists))
    return Numbered(sides, codes, met, (key_lists, response_lists), twins)


def listed_in(
    corpus: Corpus,
    codes: IntArray,
    met: IntArray,
    windows: TokenWindows | None,
    tool: ScorerProfile,
) -> list[Entities]:
    if windows is None:
        return listed(corpus, codes, met, corpus.mentions.document[met], len(corpus.documents))
    rows, units = windows_of(windows, corpus, met, tool)
    return listed(corpus, codes, rows, units, len(window_names(windows, tool)))


def total(lists: list[Entities]) -> int:
    return sum(len(entity) for entities in lists for entity in entities)


def _has_zeros(corpus: Corpus) -> bool:
    return corpus.tokens is not None and corpus.tokens.empty is not None


def _headed_by_first_word(corpus: Corpus) -> Corpus:
    """The corpus with the first word for a head that the file does not give."""
    mentions = corpus.mentions
    if mentions.head is None:
        return replace(corpus, mentions=replace(mentions, head=mentions.start))
    if mentions.head_found is None:
        return corpus
    head = np.where(mentions.head_found, mentions.start, mentions.head)
    return replace(corpus, mentions=replace(mentions, head=head))


def _without_later(corpus: Corpus, settings: Settings) -> Corpus:
    """Keep every mention where the source gives it first."""
    codes, _ = identify(*Places.of(corpus, corpus), settings.match == "head")
    wanted, _ = first_occurrences(corpus, codes, settings)
    return keep_mentions(corpus, wanted)


def _refuse_many_repeats(repeated: int) -> None:
    if repeated > REFUSED_REPEATS:
        raise UsageError(
            f"perl-8.01 rejects this response: it repeats {repeated:,} mentions of the key",
            remedy="Remove the duplicates ('corefine check' lists them), or score without --as.",
        )


def _matched_codes(
    sides: tuple[Corpus, Corpus],
    codes: tuple[IntArray, IntArray],
    met: tuple[IntArray, IntArray],
    settings: Settings,
) -> list[tuple[int, int]]:
    """The numbers of matched mentions, of the key and of the response."""
    numbers, corpora = [], []
    for corpus, code, rows in zip(sides, codes, met, strict=True):
        wanted = np.zeros(len(code), bool)
        wanted[rows[np.unique(code[rows], return_index=True)[1]]] = True
        numbers.append(code[wanted])
        corpora.append(keep_mentions(corpus, wanted))
    matched = match(corpora[0], corpora[1], replace(settings, singletons="keep"))
    both = (matched.response_mention >= 0) & (matched.key_mention >= 0)
    ours = numbers[0][matched.key_mention[both]].tolist()
    return list(zip(ours, numbers[1][matched.response_mention[both]].tolist(), strict=True))


def _shared_codes(codes: tuple[IntArray, IntArray], pairs: Iterable[tuple[int, int]]) -> IntArray:
    """Numbers of the response's mentions: their twins', or such as no mention of the key has."""
    free = 1 + max(int(np.abs(side).max(initial=0)) for side in codes)
    number = {code: free + place for place, code in enumerate(dict.fromkeys(codes[1].tolist()))}
    number |= {theirs: ours for ours, theirs in pairs}
    return np.array([number[code] for code in codes[1].tolist()], np.int64)


def _without_repeats(entities: Entities, known: set[int]) -> Entities:
    """A response mention that the key has stays where it is first; others stay everywhere."""
    seen: set[int] = set()
    kept = []
    for entity in entities:
        members = []
        for mention in entity:
            if mention not in seen:
                members.append(mention)
            if mention in known:
                seen.add(mention)
        if members:
            kept.append(members)
    return kept
