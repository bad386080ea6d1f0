"""Both sides as lists of entities, as scorers see them: duplicate mentions are kept.

The order of entities and mentions decides which entity a mention of several counts for. It follows
from the spans of mentions: the order of brackets within a token is not imitated.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from corefine.corpus.arrays import IntArray
from corefine.corpus.corpus import Corpus
from corefine.corpus.selection import keep_mentions
from corefine.matching.matching import first_occurrences
from corefine.matching.places import Places, identify
from corefine.matching.settings import Settings
from corefine.scoring.count import match
from corefine.scoring.scorers.counters import Entities
from corefine.scoring.scorers.profile import ScorerProfile

BRACKETED = frozenset({"conll", "semeval", "conll-ud"})
"""Formats whose mentions are pairs of brackets in a column."""


@dataclass(frozen=True, slots=True)
class EntityLists:
    """Both sides as a scorer reads them, with a number for each mention."""

    corpora: tuple[Corpus, Corpus]
    codes: tuple[IntArray, IntArray]
    """The number of each mention; equal mentions have the same number."""
    order: tuple[IntArray, IntArray]
    """The mentions that count, in the order in which the scorer finds entities and mentions."""
    lists: tuple[list[Entities], list[Entities]]
    """Per document, the entities as lists of mention numbers."""
    twins: Mapping[int, int]
    """Matched mentions with different numbers."""


def entity_lists(
    key: Corpus,
    response: Corpus,
    profile: ScorerProfile,
) -> EntityLists:
    """The entity lists of both sides.

    Matched mentions get the same number, unless the scorer looks them up by position: then equal
    numbers are equal positions, and ``twins`` has the matched mentions at other positions.
    """
    settings = profile.settings
    if profile.name == "corefud":
        from corefine.scoring.scorers.corefud import with_heads

        key, response = with_heads(key), with_heads(response)
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
        listed(corpus, code, rows) for corpus, code, rows in zip(corpora, codes, order, strict=True)
    )
    if profile.duplicates == "perl":
        from corefine.scoring.scorers.perl import first_of_repeated

        theirs = first_of_repeated(ours, theirs)
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
        # Mentions of one token come first, then longer mentions that end at the token, the
        # innermost first.
        closing = mentions.stop - mentions.start > 1
        order = position = np.lexsort((-mentions.start, closing, mentions.stop, mentions.document))
        if duplicates == "perl":
            # The Perl scorer finds an entity when its first mention is opened, others when closed.
            position = np.lexsort((closing, mentions.start, mentions.document))
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


def listed(corpus: Corpus, codes: IntArray, mentions: IntArray) -> list[Entities]:
    """Per document, the entities as lists of the numbers of these mentions."""
    lists: list[dict[int, list[int]]] = [{} for _ in corpus.documents]
    document, entity = corpus.mentions.document[mentions], corpus.mentions.entity[mentions]
    columns = (document.tolist(), entity.tolist(), codes[mentions].tolist())
    for number, owner, code in zip(*columns, strict=True):
        lists[number].setdefault(owner, []).append(code)
    return [list(entities.values()) for entities in lists]


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
    matching = match(distinct[0], distinct[1], replace(settings, singletons="keep"))
    both = (matching.response_mention >= 0) & (matching.key_mention >= 0)
    ours = numbers[0][matching.key_mention[both]].tolist()
    return list(zip(ours, numbers[1][matching.response_mention[both]].tolist(), strict=True))


def _shared_codes(codes: tuple[IntArray, IntArray], pairs: Iterable[tuple[int, int]]) -> IntArray:
    """Numbers of response mentions: the number of the matched key mention, or a new one."""
    free = 1 + max(int(np.abs(side).max(initial=0)) for side in codes)
    number = {code: free + place for place, code in enumerate(dict.fromkeys(codes[1].tolist()))}
    number |= {theirs: ours for ours, theirs in pairs}
    return np.array([number[code] for code in codes[1].tolist()], np.int64)


def distinct_mentions(lists: EntityLists, profile: ScorerProfile) -> list[IntArray]:
    """The mentions that count, without those that an entity repeats if the scorer drops these."""
    if profile.duplicates not in ("once", "set"):
        return list(lists.order)
    distinct = []
    for corpus, codes, rows in zip(lists.corpora, lists.codes, lists.order, strict=True):
        pairs = np.stack([corpus.mentions.entity[rows], codes[rows]], axis=1)
        distinct.append(rows[np.sort(np.unique(pairs, axis=0, return_index=True)[1])])
    return distinct
