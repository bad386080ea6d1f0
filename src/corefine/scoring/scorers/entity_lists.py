"""Both sides as other scorers see them: per document, entities as lists of mention numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from corefine.corpus.arrays import IntArray
from corefine.corpus.corpus import Corpus
from corefine.corpus.selection import keep_mentions
from corefine.errors import UsageError
from corefine.matching.duplicates import first_occurrences
from corefine.matching.identity import identify
from corefine.matching.places import Places
from corefine.matching.settings import Settings
from corefine.matching.units import TokenWindows
from corefine.scoring.count import match
from corefine.scoring.scorers.counters import Entities
from corefine.scoring.scorers.profiles import ScorerProfile
from corefine.scoring.scorers.transformations import (
    BRACKETED,
    closing_order,
    read_as,
    window_names,
    windows_of,
)

MAX_PERL_DUPLICATES = 10
"""The Perl scorer rejects a response that repeats more mentions of the key."""


@dataclass(frozen=True, slots=True)
class EntityLists:
    """Both sides as a scorer reads them, with a number for each mention."""

    corpora: tuple[Corpus, Corpus]
    codes: tuple[IntArray, IntArray]
    """The number of each mention; equal mentions have the same number."""
    order: tuple[IntArray, IntArray]
    """The mentions that count, in the order in which the scorer finds entities and mentions."""
    lists: tuple[list[Entities], list[Entities]]
    """Per document or window, the entities as lists of mention numbers."""
    twins: Mapping[int, int]
    """Matched mentions with different numbers."""

    @property
    def sizes(self) -> tuple[int, int]:
        """The numbers of mentions."""
        return _size(self.lists[0]), _size(self.lists[1])


def entity_lists(
    key: Corpus,
    response: Corpus,
    profile: ScorerProfile,
    windows: TokenWindows | None,
) -> EntityLists:
    """The entity lists of both sides.

    Matched mentions get the same number, unless the scorer looks them up by position: then equal
    numbers are equal positions, and ``twins`` has the matched mentions at other positions.
    """
    settings = profile.settings
    key, response = read_as(key, profile), read_as(response, profile)
    if profile.duplicates == "first":
        key, response = _first_mentions(key, settings), _first_mentions(response, settings)
    corpora = key, response
    codes = identify(*Places.of(key, response), settings.match == "head")
    order = (
        order_of_mentions(key, codes[0], profile),
        order_of_mentions(response, codes[1], profile),
    )
    twins: dict[int, int] = {}
    has_zeros = key.tokens is not None and key.tokens.empty is not None
    if settings.match != "exact" or has_zeros:
        pairs = _matched_codes(corpora, codes, order, settings)
        if profile.confuses_zeros:
            moved = [(ours, theirs) for ours, theirs in pairs if ours != theirs]
            # At a position that both sides have, the response's partner counts.
            twins = dict(moved) | {theirs: ours for ours, theirs in moved}
        else:
            codes = codes[0], _shared_codes(codes, pairs)
    ours, theirs = (
        listed(corpus, code, rows, windows, profile)
        for corpus, code, rows in zip(corpora, codes, order, strict=True)
    )
    if profile.duplicates == "perl":
        theirs = _without_perl_duplicates(ours, theirs)
    return EntityLists(corpora, codes, order, (ours, theirs), twins)


def order_of_mentions(corpus: Corpus, codes: IntArray, profile: ScorerProfile) -> IntArray:
    """The mentions that count, entity by entity in the order in which the scorer finds them.

    The order decides which entity a duplicate mention counts for. If singletons are dropped, a
    mention given twice in an entity is two mentions for ``every`` and ``last``, else one.
    """
    mentions, duplicates = corpus.mentions, profile.duplicates
    order = np.arange(len(mentions))
    position = order
    by_bracket = duplicates in ("perl", "every") or (
        duplicates == "last" and corpus.format in BRACKETED
    )
    if corpus.has_places and by_bracket:
        # At a token, mentions of it alone come first, then those that are closed there.
        closing = closing_order(mentions)
        order = position = np.lexsort((closing, mentions.stop, mentions.document))
        if duplicates == "perl":
            # The Perl scorer finds an entity when its first mention is opened, others when closed.
            position = np.lexsort((closing >= 0, mentions.start, mentions.document))
    elif corpus.has_places and duplicates == "once":
        position = _corefud_order(corpus)
    first = np.full(len(corpus.entities), len(mentions))
    np.minimum.at(first, mentions.entity[position], np.arange(len(mentions)))
    if duplicates == "once":
        # Entities with the same id are one entity, even across documents.
        names = _name_ranks(corpus)
        earliest = np.full(len(names), np.iinfo(np.int64).max)
        np.minimum.at(earliest, names, first)
        first = earliest[names]
    order = order[np.argsort(first[mentions.entity[order]], kind="stable")]
    if profile.settings.singletons != "drop":
        return order
    members = mentions.entity
    if duplicates not in ("every", "last"):
        members = np.unique(np.stack([members, codes], axis=1), axis=0)[:, 0]
    sizes = np.bincount(members, minlength=len(corpus.entities))
    return order[sizes[mentions.entity[order]] > 1]


def _corefud_order(corpus: Corpus) -> IntArray:
    """Mentions by start, longer ones first, then by end and entity id."""
    mentions = corpus.mentions
    owner, _ = Places.of(corpus, corpus)[0].words(np.arange(len(mentions)))
    sizes = np.bincount(owner, minlength=len(mentions))
    name = _name_ranks(corpus)[mentions.entity]
    return np.lexsort((name, mentions.stop, -sizes, mentions.start, mentions.document))


def _name_ranks(corpus: Corpus) -> IntArray:
    """The rank of each entity's id; the same for equal ids."""
    names = corpus.entities.names
    if names is None or not len(names):
        return np.arange(len(corpus.entities))
    return np.unique(np.array(names.tolist()), return_inverse=True)[1].reshape(-1)


def listed(
    corpus: Corpus,
    codes: IntArray,
    mentions: IntArray,
    windows: TokenWindows | None,
    profile: ScorerProfile,
) -> list[Entities]:
    """Per document or window, the entities as lists of the numbers of these mentions."""
    if windows is None:
        unit, count = corpus.mentions.document[mentions], len(corpus.documents)
    else:
        mentions, unit = windows_of(windows, corpus, mentions, profile)
        count = len(window_names(windows, profile))
    lists: list[dict[int, list[int]]] = [{} for _ in range(count)]
    entity = corpus.mentions.entity[mentions].tolist()
    for number, owner, code in zip(unit.tolist(), entity, codes[mentions].tolist(), strict=True):
        lists[number].setdefault(owner, []).append(code)
    return [list(entities.values()) for entities in lists]


def _size(lists: list[Entities]) -> int:
    return sum(len(entity) for entities in lists for entity in entities)


def _first_mentions(corpus: Corpus, settings: Settings) -> Corpus:
    """The corpus with duplicate mentions in their first entity only."""
    codes, _ = identify(*Places.of(corpus, corpus), settings.match == "head")
    wanted, _ = first_occurrences(corpus, codes, settings.duplicates)
    return keep_mentions(corpus, wanted)


def _matched_codes(
    corpora: tuple[Corpus, Corpus],
    codes: tuple[IntArray, IntArray],
    order: tuple[IntArray, IntArray],
    settings: Settings,
) -> list[tuple[int, int]]:
    """The numbers of matched mentions of key and response."""
    numbers, distinct = [], []
    for corpus, code, rows in zip(corpora, codes, order, strict=True):
        wanted = np.zeros(len(code), bool)
        wanted[rows[np.unique(code[rows], return_index=True)[1]]] = True
        numbers.append(code[wanted])
        distinct.append(keep_mentions(corpus, wanted))
    matched = match(distinct[0], distinct[1], replace(settings, singletons="keep"))
    both = (matched.response_mention >= 0) & (matched.key_mention >= 0)
    ours = numbers[0][matched.key_mention[both]].tolist()
    return list(zip(ours, numbers[1][matched.response_mention[both]].tolist(), strict=True))


def _shared_codes(codes: tuple[IntArray, IntArray], pairs: Iterable[tuple[int, int]]) -> IntArray:
    """Numbers of response mentions: those of matched key mentions, or new ones."""
    free = 1 + max(int(np.abs(side).max(initial=0)) for side in codes)
    number = {code: free + place for place, code in enumerate(dict.fromkeys(codes[1].tolist()))}
    number |= {theirs: ours for ours, theirs in pairs}
    return np.array([number[code] for code in codes[1].tolist()], np.int64)


def _without_perl_duplicates(key: list[Entities], response: list[Entities]) -> list[Entities]:
    """The response with mentions of the key in their first entity only."""
    kept = [
        _first_only(entities, {mention for entity in known for mention in entity})
        for entities, known in zip(response, key, strict=True)
    ]
    dropped = _size(response) - _size(kept)
    if dropped > MAX_PERL_DUPLICATES:
        raise UsageError(
            f"perl-8.01 rejects this response: it repeats {dropped:,} mentions of the key",
            remedy="Remove the duplicates ('corefine check' lists them), or score without --as.",
        )
    return kept


def _first_only(entities: Entities, known: set[int]) -> Entities:
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
