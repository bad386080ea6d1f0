"""The order in which other scorers meet mentions and entities.

It decides which of its entities a mention is counted for if it is given in several.
"""

from __future__ import annotations

import numpy as np

from corefine.corpus.arrays import IntArray
from corefine.corpus.corpus import Corpus
from corefine.matching.places import Places
from corefine.scoring.scorers.counting import Entities
from corefine.scoring.scorers.opening_first import BRACKETED
from corefine.scoring.scorers.profiles import ScorerProfile


def met_mentions(corpus: Corpus, codes: IntArray, tool: ScorerProfile) -> IntArray:
    """The mentions that count, entity by entity as the tool meets them.

    ``codes`` are equal where mentions are the same. Where singletons are dropped, a mention given
    twice is two to a tool that keeps ``every`` one (or takes the ``last``), and one to others.
    """
    mentions = corpus.mentions
    order = np.arange(len(mentions))
    place = order
    by_place = tool.repeats in ("perl", "every")
    if corpus.has_places and (by_place or (tool.repeats == "last" and corpus.format in BRACKETED)):
        # At a token, mentions of it alone come first, then those that open or are complete there.
        closing = mentions.closing
        if closing is None:
            closing = np.where(mentions.stop - mentions.start > 1, 0, -1)
        order = place = np.lexsort((closing, mentions.stop, mentions.document))
        if tool.repeats == "perl":
            # This one meets an entity where its first mention opens, others where one is complete.
            place = np.lexsort((closing >= 0, mentions.start, mentions.document))
    elif corpus.has_places and tool.repeats == "once":
        place = _in_file(corpus)
    first = np.full(len(corpus.entities), len(mentions))
    np.minimum.at(first, mentions.entity[place], np.arange(len(mentions)))
    if tool.repeats == "once":
        first = _of_same_name(corpus, first)
    order = order[np.argsort(first[mentions.entity[order]], kind="stable")]
    if tool.singletons != "drop":
        return order
    members = mentions.entity
    if tool.repeats not in ("every", "last"):
        members = np.unique(np.stack([members, codes], axis=1), axis=0)[:, 0]
    sizes = np.bincount(members, minlength=len(corpus.entities))
    return order[sizes[mentions.entity[order]] > 1]


def listed(
    corpus: Corpus, codes: IntArray, met: IntArray, units: IntArray, count: int
) -> list[Entities]:
    """The entities of each of so many units as lists of numbers, in the order of the mentions.

    ``units`` are the documents of the mentions given, or their windows; an entity is cut where its
    mentions are in several.
    """
    lists: list[dict[int, list[int]]] = [{} for _ in range(count)]
    members = corpus.mentions.entity[met].tolist()
    for unit, entity, code in zip(units.tolist(), members, codes[met].tolist(), strict=True):
        lists[unit].setdefault(entity, []).append(code)
    return [list(entities.values()) for entities in lists]


def _in_file(corpus: Corpus) -> IntArray:
    """The mentions by where they start; longer ones first, then those that end earlier.

    Where all that is the same the entity's id decides.
    """
    mentions = corpus.mentions
    places = Places.of(corpus, corpus)[0]
    owner, _ = places.words(np.arange(len(mentions)))
    sizes = np.bincount(owner, minlength=len(mentions))
    name = _name_numbers(corpus)[mentions.entity]
    return np.lexsort((name, mentions.stop, -sizes, mentions.start, mentions.document))


def _of_same_name(corpus: Corpus, first: IntArray) -> IntArray:
    """For each entity the first place of all that have its id: one id is one entity in a file."""
    names = _name_numbers(corpus)
    earliest = np.full(len(names), np.iinfo(np.int64).max)
    np.minimum.at(earliest, names, first)
    return earliest[names]


def _name_numbers(corpus: Corpus) -> IntArray:
    """A number for each entity, in the order of their ids; the same for the same id."""
    names = corpus.entities.names
    if names is None or not len(names):
        return np.arange(len(corpus.entities))
    return np.unique(np.array(names.tolist()), return_inverse=True)[1].reshape(-1)
