"""Places of strings in a text: find the mentions that an answer lists.

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
from itertools import accumulate, chain
from operator import attrgetter
from typing import NamedTuple

from corefine.corpus.copies import Choice, Copied
from corefine.corpus.document import Document, Mention, Span, connected_components
from corefine.formats.tagged.alignment import SHAPES, Vocabulary, atoms_of_words, split_atoms
from corefine.formats.tagged.listings import Cluster, Quote

UNFOUND = "unfound"
"""Attribute of a mention that is not in the text: its string."""


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
        """A string with its places, found without quotes or a remark if need be."""
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
    strings: list[int]
    """Numbers of the strings."""
    places: list[Span]


class _Grounding:
    """Places of the strings of clusters while they are found; strings are numbered."""

    def __init__(self, clusters: Sequence[Cluster], find: Occurrences) -> None:
        self.find = find
        self.quotes = [quote for cluster in clusters for quote in cluster.quotes]
        self.cluster = [n for n, cluster in enumerate(clusters) for _ in cluster.quotes]
        self.placed: list[dict[int, Span]] = [{} for _ in clusters]
        """The places of strings, by cluster."""
        self.taken = set[Span]()
        self.corrected = 0
        self.found = {quote.text: find.of(quote.text) for quote in self.quotes}
        self.first = 0 if any(quote.sentence == 0 for quote in self.quotes) else 1
        self.unit = self._unit()
        # An order of clusters that does not depend on how they are listed.
        contents = [sorted(quote.text for quote in cluster.quotes) for cluster in clusters]
        order = sorted(range(len(clusters)), key=contents.__getitem__)
        self.rank = {cluster: rank for rank, cluster in enumerate(order)}

    def copy(self) -> _Grounding:
        """A copy in which other strings can be placed."""
        other = copy(self)
        other.placed, other.taken = [dict(one) for one in self.placed], set(self.taken)
        return other

    def place(self, string: int, span: Span) -> None:
        self.placed[self.cluster[string]][string] = span
        self.taken.add(span)

    def place_of(self, string: int) -> Span | None:
        return self.placed[self.cluster[string]].get(string)

    def free(self, spans: Sequence[Span]) -> list[Span]:
        """The places without a mention."""
        return [span for span in spans if span not in self.taken]

    def groups(self) -> list[_Group]:
        """The strings by the places that they share; those whose place is stated get it."""
        waiting: dict[tuple[int, ...], dict[str, list[int]]] = {}
        for number, quote in enumerate(self.quotes):
            found = self.found[quote.text]
            stated = self._stated(quote, found.exact or found.every)
            if stated is not None:
                self.place(number, stated)
            else:
                variants = waiting.setdefault(found.codes, {})
                variants.setdefault(found.written, []).append(number)
        groups = []
        found_as = {found.written: found for found in self.found.values()}
        for variants in waiting.values():
            for tier in ("whole", "exact"):
                free = {one: self.free(getattr(found_as[one], tier)) for one in variants}
                if all(len(strings) <= len(free[one]) for one, strings in variants.items()):
                    groups += [_Group(one, strings, free[one]) for one, strings in variants.items()]
                    break
            else:
                strings = sorted(chain.from_iterable(variants.values()))
                text = min(variants)
                groups.append(_Group(text, strings, self.free(found_as[text].every)))
        return groups

    def _unit(self) -> list[int]:
        """First token or character of each token, in the unit that fits the strings best."""

        def distance(unit: list[int]) -> int:
            return sum(
                min((abs(unit[start] - quote.start) for start, _ in spans), default=0)
                for quote in self.quotes
                if quote.start is not None
                for spans in [self.found[quote.text].every]
            )

        return min([list(range(len(self.find.begins))), self.find.begins], key=distance)

    def _stated(self, quote: Quote, spans: Sequence[Span]) -> Span | None:
        """The place of a string that the answer gives; None if it gives none."""
        free = self.free(spans)
        if quote.start is not None and free:
            stated = quote.start
            nearest = min(free, key=lambda span: abs(self.unit[span[0]] - stated))
            self.corrected += self.unit[nearest[0]] != stated
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
        inside = self.free(inside)
        self.corrected += not inside
        return inside[0] if inside else None

    def place_single(self, groups: Sequence[_Group]) -> list[_Group]:
        """Place the strings that fit in one way only; return the rest."""
        several = []
        for group in groups:
            clusters = {self.cluster[string] for string in group.strings}
            if group.places and (len(clusters) > 1 or len(group.strings) < len(group.places)):
                several.append(group)
                continue
            for string, span in zip(group.strings, group.places, strict=False):
                self.place(string, span)
        return several

    def is_ordered(self) -> bool:
        """True if the strings of each cluster that have a place are listed in text order."""
        starts = ([placed[string][0] for string in sorted(placed)] for placed in self.placed)
        return all(one == sorted(one) for one in starts)

    def place_in_order(self, groups: Sequence[_Group]) -> None:
        """Place strings after the preceding mention of their cluster, else near any of it."""
        places = {string: group.places for group in groups for string in group.strings}
        for string in sorted(places):
            free = self.free(places[string])
            if not free:
                continue
            placed = self.placed[self.cluster[string]]
            before = max((one for one in placed if one < string), default=None)
            after = min((one for one in placed if one > string), default=None)
            start = 0 if before is None else placed[before][1]
            stop = 1 << 62 if after is None else placed[after][0]
            following = [span for span in free if start <= span[0] and span[1] <= stop]
            anchors = sorted(span[0] for span in placed.values())
            nearest = min(free, key=lambda span: (_distance(span, anchors), span))
            self.place(string, following[0] if following else nearest)

    def place_by_proximity(self, groups: Sequence[_Group]) -> None:
        """Place strings near mentions of their cluster; how they are listed plays no part."""
        for group in sorted(groups, key=lambda one: (len(one.places), one.places, one.text)):
            waiting: dict[int, list[int]] = defaultdict(list)
            for string in group.strings:
                waiting[self.cluster[string]].append(string)
            nearest = sorted(
                (_distance(span, anchors), span, self.rank[cluster], cluster)
                for cluster in waiting
                for anchors in [sorted(span[0] for span in self.placed[cluster].values())]
                for span in group.places
            )
            for _, span, _, cluster in nearest:
                if span not in self.taken and waiting[cluster]:
                    self.place(waiting[cluster].pop(0), span)

    def choice(self, groups: Sequence[_Group]) -> Choice:
        """The places of groups that share some, and those by proximity, which are placed here."""
        places = sorted({span for group in groups for span in group.places})
        at: dict[Span | None, int] = {span: place for place, span in enumerate(places)}
        rows, fits = list[int](), list[tuple[int, ...]]()
        for group in groups:
            rows += sorted(group.strings, key=lambda string: self.rank[self.cluster[string]])
            fits += [tuple(at[span] for span in group.places)] * len(group.strings)
        near = tuple(at.get(self.place_of(string), -1) for string in rows)
        return Choice(tuple(rows), tuple(places), tuple(fits), near)


def _distance(span: Span, anchors: Sequence[int]) -> int:
    """Tokens between a place and the nearest of the anchors, which are sorted."""
    at = bisect_left(anchors, span[0])
    return min((abs(span[0] - one) for one in anchors[max(at - 1, 0) : at + 1]), default=1 << 40)


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


def ground(document: Document, clusters: Sequence[Cluster]) -> tuple[list[Mention], Copied]:
    """The mentions of clusters of strings in the words of a document, and their statistics.

    A mention without a place has its string as the attribute ``unfound``.

    >>> document = Document("d", "He said he left . Eve saw him .".split())
    >>> mentions, copied = ground(document, [Cluster((Quote("He"), Quote("him"), Quote("it")))])
    >>> [mention.spans for mention in mentions], copied.lost
    ([[(0, 1)], [(7, 8)], [(0, 1)]], 1)
    """
    grounding = _Grounding(clusters, Occurrences(document))
    alone, shared = _by_sharing(grounding.groups())
    several, together = grounding.place_single(alone), list(chain.from_iterable(shared))
    near, ordered = grounding.copy(), grounding.is_ordered()
    near.place_by_proximity([*several, *together])
    if ordered:
        grounding.place_in_order(several)
        grounding.place_by_proximity(together)
    else:
        grounding = near
    mentions = []
    for number, quote in enumerate(grounding.quotes):
        place = grounding.place_of(number)
        unfound = {} if place else {UNFOUND: quote.text}
        mentions.append(Mention(grounding.cluster[number], [place or (0, 1)], attributes=unfound))
    joined = [*([group] for group in several), *shared]
    joined.sort(key=lambda groups: (groups[0].places, groups[0].text))
    choices = tuple(map(near.choice, joined))
    words, missing = len(document.words), sum(UNFOUND in one.attributes for one in mentions)
    copied = Copied(
        document.name,
        words,
        words,
        mentions=len(mentions),
        kept=len(mentions) - missing,
        moved=sum(len(choice.rows) for choice in choices),
        lost=missing,
        corrected=grounding.corrected,
        ordered=ordered,
        choices=choices,
    )
    return mentions, copied
