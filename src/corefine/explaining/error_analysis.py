"""The errors of a response one by one: their mentions, context, difficulty and impact.

The types are those of Kummerfeld & Klein (2013): a span error is a pair of mentions; a key entity
in n parts is n − 1 split entities, and a response entity with n parts is n − 1 merged entities;
missing and extra mentions are counted one by one if something of their entity is right; otherwise
their entity is counted once, as missing or extra.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, overload

import numpy as np

from corefine.corpus.arrays import IntArray
from corefine.corpus.columns import Kind
from corefine.corpus.corpus import Corpus
from corefine.explaining.diagnosis import TYPES, Diagnosis, ErrorType, MentionStatus
from corefine.explaining.impact import Impact
from corefine.explaining.naming import entity_labels, naming_mentions
from corefine.explaining.phrases import Phrases
from corefine.matching.matched import Matched
from corefine.metrics.table import MentionTable

KINDS = (Kind.NAME, Kind.NOMINAL, Kind.PRONOUN, Kind.ZERO, Kind.UNKNOWN)
"""Mention kinds from the most to the least informative."""
KIND_NAMES = tuple(kind.name.lower() for kind in KINDS)
MATCHES = ("none", "partial", "exact")
"""Agreement of words: none, a content word in common, or a whole mention in common."""
DISTANCES = {"0": 0, "1": 1, "2": 2, "3-5": 3, "6-10": 6, "11+": 11}
"""Classes of distances in sentences, with their lower ends."""
QUOTED = 3
"""Mentions of an error that are quoted; further ones are only counted."""


@dataclass(frozen=True, slots=True)
class Error:
    """One error. Mentions and entities are indices of the matched corpora."""

    number: int
    """Its place among all errors, in text order."""
    type: ErrorType
    document: str
    document_number: int
    key_mentions: tuple[int, ...]
    response_mentions: tuple[int, ...]
    key_entities: tuple[int, ...]
    """The entity of the mentions; for merged entities then the one they were merged with."""
    response_entities: tuple[int, ...]
    """The entity that contains the mentions; for a split entity then the one with its largest part.
    """
    key_names: tuple[str, ...]
    response_names: tuple[str, ...]
    text: str
    """The first mention, of the key if it has one."""
    found_text: str | None
    """For a span error, the mention of the response."""
    other_text: str | None
    """The first mention of what the error's mentions were separated from or added to."""
    kind: str
    """The most informative mention kind."""
    rest_kind: str | None
    """The most informative mention kind in the rest of the entity; None without a rest."""
    distance: int | None
    """Sentences to the nearest mention of the rest."""
    match: str | None
    """``exact``, ``partial`` or ``none``: the words in common with the rest."""
    start: int
    """The first token of the error, counted over the document."""
    sentence: int | None
    """The sentence of that token, counted over the document from 0."""
    impact: float
    """The gain of LEA F1, from 0 to 1, if only this error is corrected."""
    key_name: str | None
    """The name of its key entity: the words of the best mention."""
    other_name: str | None
    """For merged entities and an extra mention: the key entity that it was added to."""

    def to_dict(self) -> dict[str, Any]:
        """The error as plain values."""
        values = ((name, getattr(self, name)) for name in self.__slots__)
        return {name: list(v) if isinstance(v, tuple) else v for name, v in values}


@dataclass(frozen=True, slots=True)
class Context:
    """The words before a mention, its own from the first to the last, and those after it."""

    before: str
    text: str
    after: str

    def __str__(self) -> str:
        return " ".join(filter(None, (self.before, f"[{self.text}]", self.after)))


@dataclass(slots=True)
class Found:
    """The rows of the table that an error is about, and entities of the table; -1 means none."""

    type: ErrorType
    rows: list[int]
    key: int = -1
    response: int = -1
    other: int = -1
    """Merged: the main key entity. Split: the response entity with the largest part."""
    other_row: int = -1
    """The first mention of the part that the mentions were separated from or added to."""
    kind: int = len(KINDS) - 1
    rest_kind: int | None = None
    distance: int | None = None
    match: int | None = None


class Errors(Sequence[Error]):
    """All errors in text order."""

    def __init__(
        self, diagnosis: Diagnosis, phrases: Phrases, *, keep_singletons: bool = True
    ) -> None:
        matched = diagnosis.table.matched
        assert matched is not None, "errors need matched corpora"
        self.matched: Matched = matched
        self.found = _find_errors(diagnosis, phrases)
        """The errors as rows of the table."""
        impact = Impact(diagnosis, keep_singletons=keep_singletons)
        describe = _Describer(diagnosis.table, phrases, self.naming)
        self._describe = describe
        self._errors = [
            describe(number, found, impact(found.type, found.rows))
            for number, found in enumerate(self.found)
        ]

    def __len__(self) -> int:
        return len(self._errors)

    @overload
    def __getitem__(self, index: int) -> Error: ...
    @overload
    def __getitem__(self, index: slice) -> list[Error]: ...
    def __getitem__(self, index: int | slice) -> Error | list[Error]:
        return self._errors[index]

    def __iter__(self) -> Iterator[Error]:
        return iter(self._errors)

    def __repr__(self) -> str:
        counted = ", ".join(f"{count:,} {name}" for name, count in self.counts().items() if count)
        return f"<Errors: {counted or 'none'}>"

    def other_key(self, number: int) -> int:
        """The key entity that the mentions of an error were added to; or -1."""
        return self._describe.other_key(self.found[number])

    def of_type(self, type: ErrorType | str) -> list[Error]:
        """The errors of a type."""
        wanted = ErrorType(type)
        return [error for error in self._errors if error.type is wanted]

    def counts(self) -> dict[str, int]:
        """The number of errors of each type."""
        counts = Counter(error.type for error in self._errors)
        return {str(name): counts[name] for name in TYPES}

    def counts_by_unit(self, table: MentionTable) -> list[dict[str, int]]:
        """The number of errors of each type per unit that is scored: document, group or window."""
        counts: list[dict[str, int]] = [dict.fromkeys(map(str, TYPES), 0) for _ in table.documents]
        for found in self.found:
            counts[int(table.document[found.rows[0]])][str(found.type)] += 1
        return counts

    def by_kind(self) -> dict[str, dict[str, int]]:
        """Type → mention kind → number of errors."""
        return self._crossed(lambda error: error.kind, KIND_NAMES)

    def by_rest_kind(self) -> dict[str, dict[str, int]]:
        """Type → mention kind of the rest of the entity → number; ``-`` without a rest."""
        return self._crossed(lambda error: error.rest_kind or "-", (*KIND_NAMES, "-"))

    def by_match(self) -> dict[str, dict[str, int]]:
        """Type → agreement in words with the rest of the entity → number; ``-`` without a rest."""
        return self._crossed(lambda error: error.match or "-", (*MATCHES, "-"))

    def by_distance(self) -> dict[str, dict[str, int]]:
        """Type → distance in sentences to the rest of the entity → number; ``-`` if unknown."""

        def distance(error: Error) -> str:
            if error.distance is None:
                return "-"
            return [name for name, least in DISTANCES.items() if least <= error.distance][-1]

        return self._crossed(distance, (*DISTANCES, "-"))

    def _crossed(
        self, value: Callable[[Error], str], names: Sequence[str]
    ) -> dict[str, dict[str, int]]:
        counts = Counter((error.type, value(error)) for error in self._errors)
        return {str(type_): {name: counts[type_, name] for name in names} for type_ in TYPES}

    @cached_property
    def naming(self) -> IntArray:
        """The mention that names each key entity best."""
        return naming_mentions(self.matched.key)

    def context(self, error: Error, width: int) -> Context:
        """The first mention of an error with up to ``width`` words of the text on either side.

        An ellipsis replaces words that are left out. Without a text there is only the mention.
        """
        corpus, mention = (
            (self.matched.key, error.key_mentions[0])
            if error.key_mentions
            else (self.matched.response, error.response_mentions[0])
        )
        if corpus.tokens is None or not corpus.has_places:
            return Context("", error.text, "")
        offsets = corpus.tokens.offsets
        first, last = offsets[error.document_number : error.document_number + 2].tolist()
        start = first + int(corpus.mentions.start[mention])
        stop = first + int(corpus.mentions.stop[mention])
        low, high = max(first, start - width), min(last, stop + width)
        return Context(
            " ".join([*["…"][: low > first], *_words(corpus, low, start)]),
            " ".join(_words(corpus, start, stop)),
            " ".join([*_words(corpus, stop, high), *["…"][: high < last]]),
        )

    def in_words(self, error: Error) -> str:
        """A description such as ``“the keeper” merged with “Brandt”``."""
        key = [self.matched.key.text_of(mention) for mention in error.key_mentions]
        response = [self.matched.response.text_of(mention) for mention in error.response_mentions]
        name, other = error.key_name or "", error.other_name
        match error.type:
            case ErrorType.SPAN:
                return f"“{key[0]}” found as “{response[0]}”"
            case ErrorType.MERGED:
                whose = "" if name in response else f" ({name})"
                target = "another entity" if other is None else f"“{other}”"
                return f"{_quoted(response)}{whose} merged with {target}"
            case ErrorType.SPLIT:
                rest = error.other_text if name in response and error.other_text else name
                return f"{_quoted(response)} split off “{rest}”"
            case ErrorType.MISSING_MENTION:
                rest = error.other_text if name in key and error.other_text else name
                return f"“{key[0]}” missing from “{rest}”"
            case ErrorType.EXTRA_MENTION:
                return f"“{response[0]}” wrongly added to “{other or ''}”"
            case ErrorType.MISSING_ENTITY:
                mentions = f" ({len(key):,} mentions)" if len(key) > 1 else ""
                return f"“{name}” missing{mentions}"
            case ErrorType.EXTRA_ENTITY:
                return f"{_quoted(response)} not an entity of the key"


def _words(corpus: Corpus, start: int, stop: int) -> list[str]:
    assert corpus.tokens is not None
    words: list[str] = corpus.tokens.words[start:stop].tolist()
    return words


def _quoted(texts: list[str]) -> str:
    distinct = list(dict.fromkeys(texts))
    shown = ", ".join(f"“{text}”" for text in distinct[:QUOTED])
    more = len(texts) - min(len(distinct), QUOTED)
    return f"{shown} and {more:,} more" if more else shown


def _find_errors(diagnosis: Diagnosis, phrases: Phrases) -> list[Found]:
    """All errors in text order, each with its rows in text order."""
    table = diagnosis.table
    order = np.argsort(phrases.turn)
    status: list[int] = diagnosis.status.tolist()
    key_rows, response_rows, part_rows = (
        _grouped(order, entities)
        for entities in (
            [table.key_entity],
            [table.response_entity],
            [diagnosis.key, diagnosis.response],
        )
    )
    compare = _Comparison(table, phrases)
    found: list[Found] = []

    def first_of_part(row: int) -> int:
        part = int(diagnosis.key[row]), int(diagnosis.response[row])
        return diagnosis.parts.first[part]

    for row in order.tolist():
        key, response = int(table.key_entity[row]), int(table.response_entity[row])
        if status[row] == MentionStatus.WRONG_BOUNDARIES:
            twin = int(diagnosis.twin[row])
            rows = sorted((row, twin), key=phrases.turn.__getitem__)
            one = Found(ErrorType.SPAN, rows, key, int(table.response_entity[twin]))
            compare([row], key_rows[key,], one)
        elif status[row] == MentionStatus.MISSING:
            one = Found(ErrorType.MISSING_MENTION, [row], key, other_row=first_of_part(row))
            compare([row], key_rows[key,], one)
        elif status[row] == MentionStatus.EXTRA:
            one = Found(
                ErrorType.EXTRA_MENTION, [row], response=response, other_row=first_of_part(row)
            )
            compare([row], response_rows[response,], one)
        else:
            continue
        found.append(one)
    for (key, response), first in diagnosis.parts.first.items():
        members = part_rows[key, response]
        rows = [row for row in members if status[row] in PART_STATUSES]
        if diagnosis.main[response] != key:
            main = int(diagnosis.main[response])
            beside = diagnosis.parts.first[main, response]
            one = Found(ErrorType.MERGED, rows, key, response, main, beside)
            inside = response_rows[response,]
            compare([row for row in inside if diagnosis.key[row] == key], inside, one)
            found.append(one)
        if diagnosis.largest[key] != response:
            home = int(diagnosis.largest[key])
            one = Found(
                ErrorType.SPLIT, rows, key, response, home, diagnosis.parts.first[key, home]
            )
            inside = [row for row in key_rows[key,] if status[row] != MentionStatus.MISSING]
            compare([row for row in inside if diagnosis.response[row] == response], inside, one)
            found.append(one)
        assert first in members
    for rows_of, whole, type_ in (
        (key_rows, MentionStatus.IN_MISSING_ENTITY, ErrorType.MISSING_ENTITY),
        (response_rows, MentionStatus.IN_EXTRA_ENTITY, ErrorType.EXTRA_ENTITY),
    ):
        for (entity,), rows in rows_of.items():
            if status[rows[0]] == whole:
                missing = type_ is ErrorType.MISSING_ENTITY
                one = Found(type_, rows, *((entity, -1) if missing else (-1, entity)))
                compare.among(rows, one)
                found.append(one)
    return sorted(
        found,
        key=lambda one: (
            phrases.document[one.rows[0]],
            phrases.token[one.rows[0]],
            TYPES.index(one.type),
            phrases.turn[one.rows[0]],
        ),
    )


PART_STATUSES = (
    MentionStatus.FOUND,
    MentionStatus.WRONG_BOUNDARIES,
    MentionStatus.WRONG_SPAN,
)
"""Mentions that make up a part: both sides of a span error, and no extra mentions."""


def _grouped(order: IntArray, columns: Sequence[IntArray]) -> dict[tuple[int, ...], list[int]]:
    """Rows by the values of columns, without rows that have -1 in one of them."""
    groups: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for row, *values in zip(
        order.tolist(), *(column[order].tolist() for column in columns), strict=True
    ):
        if min(values) >= 0:
            groups[tuple(values)].append(row)
    return groups


class _Comparison:
    """Compares mentions of an entity with the rest of it: kinds, distance, words in common."""

    def __init__(self, table: MentionTable, phrases: Phrases) -> None:
        kinds = table.kinds
        level = {int(kind): number for number, kind in enumerate(KINDS)}
        self._level = [level[kind] for kind in kinds.tolist()]
        self._text: list[int] = phrases.text.tolist()
        self._words: list[set[int]] = [set() for _ in range(len(phrases))]
        content = np.flatnonzero(phrases.content)
        for row, word in zip(
            phrases.owner[content].tolist(), phrases.word[content].tolist(), strict=True
        ):
            self._words[row].add(word)
        self._sentence: list[int] = phrases.sentence.tolist()
        self._document: list[int] = phrases.document.tolist()

    def __call__(self, part: Sequence[int], whole: Sequence[int], error: Found) -> None:
        """Describe the difficulty of an error whose mentions ``part`` are some of ``whole``."""
        inside = set(part)
        rest = [row for row in whole if row not in inside]
        error.kind = min(self._level[row] for row in part)
        if not rest:
            return
        error.rest_kind = min(self._level[row] for row in rest)
        error.match = self._match(part, rest)
        error.distance = self._distance(part, rest)

    def among(self, rows: Sequence[int], error: Found) -> None:
        """Describe an entity by its most informative mention and its two nearest ones."""
        error.kind = min(self._level[row] for row in rows)
        if len(rows) == 1:
            return
        texts = Counter(self._text[row] for row in rows)
        words = Counter(word for row in rows for word in self._words[row])
        repeated = [max(counts.values(), default=0) > 1 for counts in (words, texts)]
        error.match = 2 if repeated[1] else int(repeated[0])
        # In text order, the two nearest mentions are neighbours.
        places = [(self._document[row], self._sentence[row]) for row in rows]
        gaps = [
            second[1] - first[1]
            for first, second in pairwise(places)
            if first[0] == second[0] and min(first[1], second[1]) >= 0
        ]
        error.distance = min(gaps, default=None)

    def _match(self, part: Iterable[int], rest: Iterable[int]) -> int:
        rest = list(rest)
        if not {self._text[row] for row in part}.isdisjoint(self._text[row] for row in rest):
            return 2
        words = {word for row in part for word in self._words[row]}
        return int(any(word in words for row in rest for word in self._words[row]))

    def _distance(self, part: Sequence[int], rest: Sequence[int]) -> int | None:
        sentences: dict[int, list[int]] = defaultdict(list)
        for row in rest:
            if self._sentence[row] >= 0:
                sentences[self._document[row]].append(self._sentence[row])
        for known in sentences.values():
            known.sort()
        gaps = []
        for row in part:
            known, own = sentences.get(self._document[row], []), self._sentence[row]
            if own >= 0:
                place = bisect_left(known, own)
                gaps += [abs(own - other) for other in known[max(place - 1, 0) : place + 1]]
        return min(gaps, default=None)


class _Describer:
    """Describes errors in terms of the corpora: mentions, entities, names and positions."""

    def __init__(self, table: MentionTable, phrases: Phrases, naming: IntArray) -> None:
        self._table, self._matched, self._phrases = table, table.matched, phrases
        self._naming = naming
        self._key_mention: list[int] = table.matched.key_mention.tolist()
        self._response_mention: list[int] = table.matched.response_mention.tolist()
        self._key_source: list[int] = [*table.key.source.tolist(), -1]
        self._response_source: list[int] = [*table.response.source.tolist(), -1]
        self._key_names = entity_labels(table.matched.key)
        self._response_names = entity_labels(table.matched.response)
        tokens = table.matched.key.tokens
        self._first_sentence: Mapping[int, int] | list[int] = (
            {}
            if tokens is None
            else np.searchsorted(tokens.sentences, tokens.offsets[:-1], side="left").tolist()
        )

    def __call__(self, number: int, found: Found, impact: float) -> Error:
        matched, phrases = self._matched, self._phrases
        ours = tuple(m for row in found.rows if (m := self._key_mention[row]) >= 0)
        theirs = tuple(m for row in found.rows if (m := self._response_mention[row]) >= 0)
        key, response = [self._key_source[found.key]], [self._response_source[found.response]]
        if found.type is ErrorType.MERGED:
            key.append(self._key_source[found.other])
        else:
            response.append(self._response_source[found.other])
        key, response = [k for k in key if k >= 0], [r for r in response if r >= 0]
        first = found.rows[0]
        document, sentence = int(phrases.document[first]), int(phrases.sentence[first])
        other = self.other_key(found)
        return Error(
            number=number,
            type=found.type,
            document=matched.key.documents[document],
            document_number=document,
            key_mentions=ours,
            response_mentions=theirs,
            key_entities=tuple(key),
            response_entities=tuple(response),
            key_names=tuple(self._key_names[entity] for entity in key),
            response_names=tuple(self._response_names[entity] for entity in response),
            text=matched.key.text_of(ours[0]) if ours else matched.response.text_of(theirs[0]),
            found_text=matched.response.text_of(theirs[0])
            if found.type is ErrorType.SPAN
            else None,
            other_text=None if found.other_row < 0 else self._text_of(found.other_row),
            kind=KIND_NAMES[found.kind],
            rest_kind=None if found.rest_kind is None else KIND_NAMES[found.rest_kind],
            distance=found.distance,
            match=None if found.match is None else MATCHES[found.match],
            start=int(phrases.token[first]),
            sentence=None if sentence < 0 else sentence - self._first_sentence[document],
            impact=impact,
            key_name=self._name(key[0]) if key else None,
            other_name=None if other < 0 else self._name(other),
        )

    def other_key(self, found: Found) -> int:
        """The key entity that the mentions were added to; or -1."""
        if found.type is ErrorType.MERGED:
            return self._key_source[found.other]
        if found.type is not ErrorType.EXTRA_MENTION or found.other_row < 0:
            return -1
        mention = self._key_mention[found.other_row]
        return -1 if mention < 0 else int(self._matched.key.mentions.entity[mention])

    def _name(self, entity: int) -> str:
        return self._matched.key.text_of(int(self._naming[entity]))

    def _text_of(self, row: int) -> str:
        mine, other = self._key_mention[row], self._response_mention[row]
        if mine >= 0:
            return self._matched.key.text_of(mine)
        return self._matched.response.text_of(other)
