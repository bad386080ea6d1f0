"""Places of strings in a text: where the mentions that an answer lists stand.

A string is searched as a sequence of atoms (see :mod:`.alignment`): as whole words if it occurs so
often enough, else inside words too, else also with other letters in upper case. A string that
occurs once, or whose place the answer states, has one place. The others are placed by order if the
strings with one place are listed in text order: each after the mention before it. Otherwise they
are placed by proximity alone: next to the mentions of their cluster that have a place, whatever the
order in which the strings are listed. So are strings that share some of their places with other
strings. No place has two mentions: a string that is not in the text, or listed more often than it
occurs, is a mention without a place.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from itertools import accumulate, pairwise
from operator import attrgetter
from typing import NamedTuple

from corefine.corpus.document import Document, Mention, Span, connected_components
from corefine.formats.tagged.alignment import SHAPES, Vocabulary, atoms_of_words, split_atoms
from corefine.formats.tagged.copies import Choice
from corefine.formats.tagged.listings import Cluster, Quote

UNFOUND = "unfound"
"""Attribute of a mention that is not in the text: its string."""
Slot = tuple[int, int]
"""Number of a cluster, and of a string in it."""


class Found(NamedTuple):
    """A string and its places in a text."""

    codes: tuple[int, ...]
    """Codes of its atoms."""
    written: str
    whole: list[Span]
    """Places where it is whole words with the same letters in upper case."""
    exact: list[Span]
    """Places with the same letters in upper case, of parts of words too."""
    every: list[Span]
    """Places in any case."""


class Occurrences:
    """Search for strings in the words of a document."""

    def __init__(self, document: Document) -> None:
        words = document.tokens or []
        self.begins = _begins(document)
        self.sentences = document.starts or [0]
        self._vocabulary = Vocabulary()
        self._source = atoms_of_words(words, self._vocabulary)
        self._written = [
            each.translate(SHAPES) for word in words for each in split_atoms(word) or [word]
        ]
        self._first: dict[int, list[int]] = defaultdict(list)
        for place, code in enumerate(self._source.codes):
            self._first[code].append(place)

    def of(self, text: str) -> Found:
        """A string with its places; if it is not in the text, without what stands around it."""
        for words in _variants(text):
            written = [each.translate(SHAPES) for each in split_atoms(words)]
            codes = [self._vocabulary.code(each) for each in written]
            places = self._places(codes)
            if places:
                break
        size, word = len(codes), self._source.word
        spans = {place: (word[place], word[place + size - 1] + 1) for place in places}
        exact = [at for at in places if self._written[at : at + size] == written]
        bounds = [-1, *word, -1]
        whole = [
            spans[at]
            for at in exact
            if bounds[at] != word[at] and bounds[at + size + 1] != word[at + size - 1]
        ]
        several = (dict.fromkeys(spans[at] for at in tier) for tier in (exact, places))
        return Found(tuple(codes), " ".join(written), whole, *map(list, several))

    def _places(self, codes: Sequence[int]) -> list[int]:
        known, size = self._source.codes, len(codes)
        starts = self._first.get(codes[0], []) if codes else []
        return [place for place in starts if known[place : place + size] == codes]


def _begins(document: Document) -> list[int]:
    """First character of each token; tokens are separated by blanks if there is no text."""
    if document.offsets:
        return [start for start, _ in document.offsets]
    return list(accumulate((len(word) + 1 for word in document.tokens or ()), initial=0))[:-1]


def _variants(text: str) -> Iterable[str]:
    """A string as it is, then without quotes and punctuation around it, then without a remark."""
    yield text
    bare = text.strip(" \t\n\"'\u201c\u201d\u2018\u2019`*_.,;:!?()[]{}")
    yield bare
    yield re.sub(r"\s{0,9}[(\[][^()\[\]]{0,300}[)\]]?$", "", text).strip(
        " \t\"'\u201c\u201d\u2018\u2019`*_.,;:"
    )


@dataclass(slots=True)
class _Group:
    """Strings with the same places."""

    text: str
    slots: list[Slot]
    places: list[Span]

    @property
    def is_open(self) -> bool:
        """True if the strings can be placed in several ways."""
        clusters = {cluster for cluster, _ in self.slots}
        return bool(self.places) and (len(clusters) > 1 or len(self.slots) < len(self.places))


@dataclass(frozen=True, slots=True)
class Grounded:
    """Mentions of clusters of strings in a document.

    A mention without a place has its string as the attribute ``unfound``.
    """

    mentions: list[Mention]
    choices: tuple[Choice, ...] = ()
    missing: int = 0
    """Number of strings without a place."""
    corrected: int = 0
    """Number of strings that are not where the answer says."""
    ordered: bool = False
    """True if the strings with one place are listed in text order."""


class _Grounding:
    """Places of the strings of clusters while they are found."""

    def __init__(self, clusters: Sequence[Cluster], find: Occurrences) -> None:
        self.clusters, self.find = clusters, find
        self.placed: list[dict[int, Span]] = [{} for _ in clusters]
        self.taken = set[Span]()
        self.corrected = 0
        quotes = [quote for cluster in clusters for quote in cluster.quotes]
        self.found = {text: find.of(text) for text in dict.fromkeys(quote.text for quote in quotes)}
        self.first = 0 if any(quote.sentence == 0 for quote in quotes) else 1
        self.unit = self._unit([quote for quote in quotes if quote.start is not None])

    def place(self, slot: Slot, span: Span) -> None:
        self.placed[slot[0]][slot[1]] = span
        self.taken.add(span)

    def groups(self) -> list[_Group]:
        """The strings by the places that they share; those whose place is stated get it."""
        waiting: dict[tuple[int, ...], dict[str, list[Slot]]] = {}
        for number, cluster in enumerate(self.clusters):
            for row, quote in enumerate(cluster.quotes):
                found = self.found[quote.text]
                stated = self._stated(quote, found.exact or found.every)
                if stated is not None:
                    self.place((number, row), stated)
                else:
                    variants = waiting.setdefault(found.codes, {})
                    variants.setdefault(found.written, []).append((number, row))
        groups = []
        found_as = {found.written: found for found in self.found.values()}
        for variants in waiting.values():
            for tier in ("whole", "exact"):
                free = {one: self._free(getattr(found_as[one], tier)) for one in variants}
                if all(len(slots) <= len(free[one]) for one, slots in variants.items()):
                    groups += [_Group(one, slots, free[one]) for one, slots in variants.items()]
                    break
            else:
                slots = sorted(slot for several in variants.values() for slot in several)
                text = min(variants)
                groups.append(_Group(text, slots, self._free(found_as[text].every)))
        return groups

    def _free(self, spans: Sequence[Span]) -> list[Span]:
        return [span for span in spans if span not in self.taken]

    def _unit(self, quotes: Sequence[Quote]) -> list[int]:
        """First token or character of each token, in the unit that fits the strings best."""
        units = [list(range(len(self.find.begins))), self.find.begins]

        def distance(unit: list[int]) -> int:
            return sum(
                min((abs(unit[span[0]] - (quote.start or 0)) for span in spans), default=0)
                for quote in quotes
                for spans in [self.found[quote.text].every]
            )

        return min(units, key=distance)

    def _stated(self, quote: Quote, spans: Sequence[Span]) -> Span | None:
        """The place where the answer says that a string stands; None if it does not say."""
        free = self._free(spans)
        if quote.start is not None and free:
            nearest = min(free, key=lambda span: abs(self.unit[span[0]] - (quote.start or 0)))
            self.corrected += self.unit[nearest[0]] != quote.start
            return nearest
        if quote.sentence is None and quote.occurrence is None:
            return None
        inside = list(spans)
        if quote.sentence is not None:
            starts = [*self.find.sentences, 1 << 62]
            number = quote.sentence - self.first
            low, high = starts[number : number + 2] if number < len(starts) - 1 else (0, 0)
            inside = [span for span in spans if low <= span[0] < high]
        if quote.occurrence is not None:
            inside = inside[max(quote.occurrence - 1, 0) :][:1]
        inside = self._free(inside)
        self.corrected += not inside
        return inside[0] if inside else None

    def is_ordered(self) -> bool:
        """True if the strings of each cluster that have a place are listed in text order."""
        return all(
            before[0] <= after[0]
            for placed in self.placed
            for before, after in pairwise(placed[row] for row in sorted(placed))
        )

    def place_in_order(self, groups: Sequence[_Group]) -> None:
        """Place strings after the preceding mention of their cluster, else near any of it."""
        places = {slot: group.places for group in groups for slot in group.slots}
        for slot in sorted(places):
            cluster, row = slot
            free = self._free(places[slot])
            if free:
                placed = self.placed[cluster]
                start = (
                    placed[max(before)][1] if (before := [at for at in placed if at < row]) else 0
                )
                stop = (
                    placed[min(after)][0]
                    if (after := [at for at in placed if at > row])
                    else 1 << 62
                )
                following = [span for span in free if start <= span[0] and span[1] <= stop]
                anchors = sorted(span[0] for span in placed.values())
                nearest = min(free, key=lambda span: (_distance(span, anchors), span))
                self.place(slot, following[0] if following else nearest)

    def place_by_proximity(self, groups: Sequence[_Group]) -> None:
        """Place strings near mentions of their cluster; how they are listed plays no part."""
        rank = _ranks(self.clusters)
        for group in sorted(groups, key=lambda one: (len(one.places), one.places, one.text)):
            waiting: dict[int, list[Slot]] = defaultdict(list)
            for slot in group.slots:
                waiting[slot[0]].append(slot)
            nearest = sorted(
                (_distance(span, anchors), span, rank[cluster], cluster)
                for cluster in waiting
                for anchors in [sorted(span[0] for span in self.placed[cluster].values())]
                for span in group.places
            )
            for _, span, _, cluster in nearest:
                if span not in self.taken and waiting[cluster]:
                    self.place(waiting[cluster].pop(0), span)


def _distance(span: Span, anchors: Sequence[int]) -> int:
    """Tokens between a place and the nearest of the anchors, which are sorted."""
    at = bisect_left(anchors, span[0])
    return min((abs(span[0] - one) for one in anchors[max(at - 1, 0) : at + 1]), default=1 << 40)


def _ranks(clusters: Sequence[Cluster]) -> list[int]:
    """Places of clusters in an order that does not depend on how they are listed."""
    contents = [sorted(quote.text for quote in cluster.quotes) for cluster in clusters]
    order = sorted(range(len(clusters)), key=contents.__getitem__)
    return sorted(range(len(order)), key=order.__getitem__)


def _by_sharing(groups: Sequence[_Group]) -> tuple[list[_Group], list[list[_Group]]]:
    """Groups that share no place with others, and those that do, together."""
    first: dict[Span, int] = {}
    pairs = [
        (number, first.setdefault(span, number))
        for number, group in enumerate(groups)
        for span in group.places
    ]
    together: dict[int, list[_Group]] = defaultdict(list)
    for root, group in zip(connected_components(len(groups), pairs), groups, strict=True):
        together[root].append(group)
    shared = [sorted(one, key=attrgetter("places", "text")) for one in together.values()]
    return [one[0] for one in shared if len(one) == 1], [one for one in shared if len(one) > 1]


def ground(document: Document, clusters: Sequence[Cluster]) -> Grounded:
    """The mentions of clusters of strings in the words of a document.

    >>> document = Document("d", "He said he left . Eve saw him .".split())
    >>> grounded = ground(document, [Cluster((Quote("He"), Quote("him"), Quote("it")))])
    >>> [mention.spans for mention in grounded.mentions], grounded.missing
    ([[(0, 1)], [(7, 8)], [(0, 1)]], 1)
    """
    grounding = _Grounding(clusters, Occurrences(document))
    alone, shared = _by_sharing(grounding.groups())
    several = []
    for group in alone:
        if group.is_open:
            several.append(group)
        else:
            for slot, span in zip(group.slots, group.places, strict=False):
                grounding.place(slot, span)
    near = grounding
    ordered = grounding.is_ordered()
    together = [group for groups in shared for group in groups]
    if ordered:
        near = copy(grounding)
        near.placed, near.taken = [dict(one) for one in near.placed], set(near.taken)
        grounding.place_in_order(several)
        grounding.place_by_proximity(together)
    near.place_by_proximity([*several, *together])
    mentions, number = list[Mention](), dict[Slot, int]()
    for entity, cluster in enumerate(clusters):
        for row, quote in enumerate(cluster.quotes):
            number[entity, row] = len(mentions)
            place = grounding.placed[entity].get(row)
            unfound = {} if place else {UNFOUND: quote.text}
            mentions.append(Mention(entity, [place or (0, 1)], attributes=unfound))
    rank, choices = _ranks(clusters), list[Choice]()
    joined = [*([group] for group in several), *shared]
    for groups in sorted(joined, key=lambda groups: (groups[0].places, groups[0].text)):
        places = sorted({span for group in groups for span in group.places})
        at = {span: place for place, span in enumerate(places)}
        rows, fits, nearest = list[int](), list[tuple[int, ...]](), list[int]()
        for group in groups:
            own = tuple(at[span] for span in group.places)
            for slot in sorted(group.slots, key=lambda slot: rank[slot[0]]):
                rows.append(number[slot])
                fits.append(own)
                place = near.placed[slot[0]].get(slot[1])
                nearest.append(at[place] if place else -1)
        choices.append(Choice(tuple(rows), tuple(places), tuple(fits), tuple(nearest)))
    missing = sum(UNFOUND in mention.attributes for mention in mentions)
    return Grounded(mentions, tuple(choices), missing, grounding.corrected, ordered)
