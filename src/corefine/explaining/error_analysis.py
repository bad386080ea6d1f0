"""The errors of a response one by one: their mentions, context, difficulty and impact.

The types are named after Kummerfeld & Klein (2013): a span error is a pair of mentions; a key
entity in n parts is n − 1 split entities, and a response entity with n parts is n − 1 merged
entities; missing and extra mentions are counted one by one if something of their entity is right;
otherwise their entity is counted once, as missing or extra.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from corefine.corpus.arrays import IntArray
from corefine.corpus.columns import Kind
from corefine.explaining.diagnosis import TYPES, Diagnosis, ErrorType, MentionStatus
from corefine.explaining.impact import Impact
from corefine.explaining.naming import entity_labels, mention_texts, naming_mentions
from corefine.explaining.phrases import Phrases
from corefine.matching.matching import Matching
from corefine.output.result import plain_values

KINDS = (Kind.NAME, Kind.NOMINAL, Kind.PRONOUN, Kind.ZERO, Kind.UNKNOWN)
"""Mention kinds from the most to the least informative."""
KIND_NAMES = tuple(kind.name.lower() for kind in KINDS)
MATCHES = ("none", "partial", "exact")
"""Agreement of words: none, a content word in common, or a whole mention in common."""
DISTANCES = {"0": 0, "1": 1, "2": 2, "3-5": 3, "6-10": 6, "11+": 11}
"""Classes of distances in sentences, with their lower ends."""
GROUPS = {
    "kind": KIND_NAMES,
    "rest_kind": (*KIND_NAMES, "-"),
    "match": (*MATCHES, "-"),
    "distance": (*DISTANCES, "-"),
}
"""Fields that errors are counted by, with their values; ``-`` without a rest of the entity."""
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
    rows: tuple[int, ...]
    """Its mentions as rows of the table, in text order."""
    key_mentions: tuple[int, ...]
    response_mentions: tuple[int, ...]
    key_entities: tuple[int, ...]
    """The entity of the mentions; for merged entities then the one they were merged with."""
    response_entities: tuple[int, ...]
    """The entity that contains the mentions; for a split entity then the one with its largest part.
    """
    other_entity: int | None
    """For merged entities and an extra mention: the key entity that they were added to."""
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
    """The name of ``other_entity``."""

    def to_dict(self) -> dict[str, Any]:
        """The error as plain values."""
        values = plain_values(self)
        del values["rows"]
        return values

    def group(self, field: str) -> str:
        """The group of an error by one of ``GROUPS``."""
        value = getattr(self, field)
        if value is None:
            return "-"
        if field == "distance":
            return [name for name, least in DISTANCES.items() if least <= value][-1]
        return str(value)


class Errors(list[Error]):
    """All errors in text order."""

    def __init__(
        self,
        diagnosis: Diagnosis,
        phrases: Phrases,
        *,
        keep_singletons: bool = True,
        naming: IntArray | None = None,
    ) -> None:
        self.matching: Matching = diagnosis.table.matching
        self.naming: IntArray = naming_mentions(self.matching.key) if naming is None else naming
        """The mention that names each key entity best."""
        impact = Impact(diagnosis, keep_singletons=keep_singletons)
        mentions = _Mentions(diagnosis, phrases)
        described = _Describer(diagnosis, mentions, self.naming)
        document, token, turn = mentions.document, mentions.token, phrases.turn.tolist()
        found = sorted(
            _find_errors(diagnosis, mentions, turn),
            key=lambda one: (
                document[one.rows[0]],
                token[one.rows[0]],
                TYPES.index(one.type),
                turn[one.rows[0]],
            ),
        )
        super().__init__(
            described(number, one, impact(one.type, one.rows)) for number, one in enumerate(found)
        )

    def __repr__(self) -> str:
        counted = ", ".join(f"{count:,} {name}" for name, count in self.counts().items() if count)
        return f"<Errors: {counted or 'none'}>"

    def of_type(self, type: ErrorType | str) -> list[Error]:
        """The errors of a type."""
        wanted = ErrorType(type)
        return [error for error in self if error.type is wanted]

    def counts(self) -> dict[str, int]:
        """The number of errors of each type."""
        counts = Counter(error.type for error in self)
        return {str(name): counts[name] for name in TYPES}

    def by(self, field: str) -> dict[str, dict[str, int]]:
        """Type → group by one of ``GROUPS`` → number of errors."""
        counts = self._group_counts
        return {
            str(type_): {name: counts[field, type_, name] for name in GROUPS[field]}
            for type_ in TYPES
        }

    @cached_property
    def _group_counts(self) -> Counter[tuple[str, ErrorType, str]]:
        return Counter(
            (field, error.type, error.group(field)) for field in GROUPS for error in self
        )

    def context(self, error: Error, width: int) -> str:
        """The first mention of an error in brackets, with up to ``width`` words on either side.

        An ellipsis replaces words that are left out. Without a text there is only the mention.
        """
        corpus, mention = (
            (self.matching.key, error.key_mentions[0])
            if error.key_mentions
            else (self.matching.response, error.response_mentions[0])
        )
        if corpus.tokens is None or not corpus.has_places:
            return f"[{error.text}]"
        first, last = corpus.tokens.offsets[error.document_number :][:2].tolist()
        start = first + int(corpus.mentions.start[mention])
        stop = first + int(corpus.mentions.stop[mention])
        low, high = max(first, start - width), min(last, stop + width)
        before, inside, after = (
            corpus.tokens.words[slice(*ends)].tolist()
            for ends in ((low, start), (start, stop), (stop, high))
        )
        words = [*before, f"[{' '.join(inside)}]", *after]
        return " ".join([*["…"][: low > first], *words, *["…"][: high < last]])

    def in_words(self, error: Error) -> str:
        """A description such as ``“the keeper” merged with “Brandt”``."""
        key = [self.matching.key.text_of(mention) for mention in error.key_mentions]
        response = [self.matching.response.text_of(mention) for mention in error.response_mentions]
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


def _quoted(texts: list[str]) -> str:
    distinct = list(dict.fromkeys(texts))
    shown = ", ".join(f"“{text}”" for text in distinct[:QUOTED])
    more = len(texts) - min(len(distinct), QUOTED)
    return f"{shown} and {more:,} more" if more else shown


class _Mentions:
    """The mentions of a table as lists, by row."""

    def __init__(self, diagnosis: Diagnosis, phrases: Phrases) -> None:
        self.kind = [KINDS.index(Kind(kind)) for kind in diagnosis.table.kinds.tolist()]
        self.document: list[int] = phrases.document.tolist()
        self.sentence: list[int] = phrases.sentence.tolist()
        self.token: list[int] = phrases.token.tolist()
        self.text: list[int] = phrases.text.tolist()
        self.words: list[set[int]] = [set() for _ in range(len(phrases))]
        content = np.flatnonzero(phrases.content)
        columns = phrases.owner[content].tolist(), phrases.word[content].tolist()
        for row, word in zip(*columns, strict=True):
            self.words[row].add(word)


@dataclass(eq=False)
class _Group:
    """Rows that belong together, in text order: what the rows of an error are compared with."""

    mentions: _Mentions
    rows: list[int] = field(default_factory=list)

    @cached_property
    def members(self) -> frozenset[int]:
        return frozenset(self.rows)

    @cached_property
    def kinds(self) -> list[int]:
        """The number of rows of each kind."""
        found = [0] * len(KINDS)
        for row in self.rows:
            found[self.mentions.kind[row]] += 1
        return found

    @cached_property
    def texts(self) -> Counter[int]:
        return Counter(self.mentions.text[row] for row in self.rows)

    @cached_property
    def words(self) -> Counter[int]:
        return Counter(word for row in self.rows for word in self.mentions.words[row])

    @cached_property
    def by_sentence(self) -> list[int]:
        sentence = self.mentions.sentence
        return sorted((row for row in self.rows if sentence[row] >= 0), key=sentence.__getitem__)

    @cached_property
    def rank(self) -> dict[int, int]:
        return {row: number for number, row in enumerate(self.by_sentence)}

    def rest_kind(self, part: Set[int]) -> str | None:
        """The most informative kind of the rows that are not in a part; None without a rest."""
        rest = self.kinds.copy()
        for row in part:
            rest[self.mentions.kind[row]] -= 1
        return next((name for name, count in zip(KIND_NAMES, rest, strict=True) if count), None)

    def match(self, part: Set[int]) -> str | None:
        """The words that a part has in common with the rest; without a rest, two of its rows."""
        if len(self.rows) < 2:
            return None
        has_rest = len(part) < len(self.rows)
        if _recurs([{self.mentions.text[row]} for row in part], self.texts, has_rest):
            return "exact"
        words = [self.mentions.words[row] for row in part]
        return "partial" if _recurs(words, self.words, has_rest) else "none"

    def distance(self, part: Set[int]) -> int | None:
        """Sentences from a part to the nearest of the rest; without a rest, between its rows.

        The nearest two rows are neighbours in the order of sentences.
        """
        document, sentence = self.mentions.document, self.mentions.sentence
        has_rest = len(part) < len(self.rows)
        gaps = []
        for row in part & self.rank.keys():
            at = self.rank[row]
            for other in self.by_sentence[max(at - 1, 0) : at + 2]:
                is_compared = other not in part if has_rest else other != row
                if is_compared and document[other] == document[row]:
                    gaps.append(abs(sentence[other] - sentence[row]))
        return min(gaps, default=None)


def _recurs(own: list[set[int]], counts: Counter[int], has_rest: bool) -> bool:
    """True if an item of some rows occurs elsewhere, too; without a rest, in two of the rows."""
    if has_rest and len(own) == 1:
        return any(counts[item] > 1 for item in own[0])
    inside = Counter(item for items in own for item in items)
    return any(counts[item] > n if has_rest else n > 1 for item, n in inside.items())


class _Found(NamedTuple):
    """An error as rows and entities of the table; -1 means none."""

    type: ErrorType
    rows: list[int]
    whole: _Group
    """The mentions that its own are compared with, which may be among them."""
    key: int = -1
    response: int = -1
    other: int = -1
    """Merged and extra: the main key entity. Split: the response entity with the largest part."""
    other_row: int = -1
    """The first mention of the part that the mentions were separated from or added to."""


def _find_errors(diagnosis: Diagnosis, mentions: _Mentions, turn: list[int]) -> Iterator[_Found]:
    """All errors, each with its rows in text order."""
    table, first, twin = diagnosis.table, diagnosis.parts.first, diagnosis.twin.tolist()
    rows = np.argsort(turn).tolist()
    key, response = diagnosis.key.tolist(), diagnosis.response.tolist()
    key_rows, response_rows, found_rows = (
        defaultdict[int, _Group](lambda: _Group(mentions)) for _ in range(3)
    )
    part_rows = defaultdict(list)
    status = diagnosis.status.tolist()
    key_entity, response_entity = table.key_entity.tolist(), table.response_entity.tolist()
    for row in rows:
        key_rows[key_entity[row]].rows.append(row)
        response_rows[response_entity[row]].rows.append(row)
        if status[row] != MentionStatus.MISSING:
            found_rows[key_entity[row]].rows.append(row)
        if status[row] in PART_STATUSES:
            part_rows[key[row], response[row]].append(row)
    for row in rows:
        ours, theirs = key[row], response[row]
        if status[row] == MentionStatus.WRONG_BOUNDARIES:
            pair = sorted((row, twin[row]), key=turn.__getitem__)
            yield _Found(ErrorType.SPAN, pair, key_rows[ours], ours, theirs)
        elif status[row] == MentionStatus.MISSING:
            beside = first[ours, theirs]
            yield _Found(ErrorType.MISSING_MENTION, [row], key_rows[ours], ours, other_row=beside)
        elif status[row] == MentionStatus.EXTRA:
            yield _Found(
                ErrorType.EXTRA_MENTION,
                [row],
                response_rows[theirs],
                response=theirs,
                other=ours,
                other_row=first[ours, theirs],
            )
    for ours, theirs in first:
        own = part_rows[ours, theirs]
        main, largest = int(diagnosis.main[theirs]), int(diagnosis.largest[ours])
        if main != ours:
            beside, whole = first[main, theirs], response_rows[theirs]
            yield _Found(ErrorType.MERGED, own, whole, ours, theirs, main, beside)
        if largest != theirs:
            beside, whole = first[ours, largest], found_rows[ours]
            yield _Found(ErrorType.SPLIT, own, whole, ours, theirs, largest, beside)
    for entity, group in key_rows.items():
        if status[group.rows[0]] == MentionStatus.IN_MISSING_ENTITY:
            yield _Found(ErrorType.MISSING_ENTITY, group.rows, group, key=entity)
    for entity, group in response_rows.items():
        if status[group.rows[0]] == MentionStatus.IN_EXTRA_ENTITY:
            yield _Found(ErrorType.EXTRA_ENTITY, group.rows, group, response=entity)


PART_STATUSES = (MentionStatus.FOUND, MentionStatus.WRONG_BOUNDARIES, MentionStatus.WRONG_SPAN)
"""Mentions that make up a part: both sides of a span error, and no extra mentions."""


class _Describer:
    """Describes errors in terms of the corpora, and compares them with the rest of their entity."""

    def __init__(self, diagnosis: Diagnosis, mentions: _Mentions, naming: IntArray) -> None:
        table, matching = diagnosis.table, diagnosis.table.matching
        self._mentions, self._documents = mentions, matching.key.documents
        self._key_mention: list[int] = matching.key_mention.tolist()
        self._response_mention: list[int] = matching.response_mention.tolist()
        self._key_source: list[int] = [*table.key.source.tolist(), -1]
        self._response_source: list[int] = [*table.response.source.tolist(), -1]
        self._key_labels = entity_labels(matching.key)
        self._response_labels = entity_labels(matching.response)
        self._key_texts = mention_texts(matching.key)
        self._response_texts = mention_texts(matching.response)
        self._naming = naming.tolist()
        tokens = matching.key.tokens
        self._first_sentence: list[int] = (
            []
            if tokens is None
            else np.searchsorted(tokens.sentences, tokens.offsets[:-1], side="left").tolist()
        )

    def __call__(self, number: int, found: _Found, impact: float) -> Error:
        first, mentions = found.rows[0], self._mentions
        ours = _known(self._key_mention[row] for row in found.rows)
        theirs = _known(self._response_mention[row] for row in found.rows)
        key, response = [self._key_source[found.key]], [self._response_source[found.response]]
        other = -1
        if found.type is ErrorType.SPLIT:
            response.append(self._response_source[found.other])
        else:
            other = self._key_source[found.other]
        if found.type is ErrorType.MERGED:
            key.append(other)
        document, sentence = mentions.document[first], mentions.sentence[first]
        part = found.whole.members.intersection(found.rows)
        return Error(
            number=number,
            type=found.type,
            document=self._documents[document],
            document_number=document,
            rows=tuple(found.rows),
            key_mentions=ours,
            response_mentions=theirs,
            key_entities=_known(key),
            response_entities=_known(response),
            other_entity=other if other >= 0 else None,
            key_names=tuple([self._key_labels[entity] for entity in _known(key)]),
            response_names=tuple([self._response_labels[entity] for entity in _known(response)]),
            text=self._key_texts[ours[0]] if ours else self._response_texts[theirs[0]],
            found_text=self._response_texts[theirs[0]] if found.type is ErrorType.SPAN else None,
            other_text=None if found.other_row < 0 else self._text(found.other_row),
            kind=KIND_NAMES[min(mentions.kind[row] for row in part)],
            rest_kind=found.whole.rest_kind(part),
            distance=found.whole.distance(part),
            match=found.whole.match(part),
            start=mentions.token[first],
            sentence=None if sentence < 0 else sentence - self._first_sentence[document],
            impact=impact,
            key_name=self._name(key[0]),
            other_name=self._name(other),
        )

    def _text(self, row: int) -> str:
        mention = self._key_mention[row]
        if mention >= 0:
            return self._key_texts[mention]
        return self._response_texts[self._response_mention[row]]

    def _name(self, entity: int) -> str | None:
        return None if entity < 0 else self._key_texts[self._naming[entity]]


def _known(indices: Iterable[int]) -> tuple[int, ...]:
    return tuple([index for index in indices if index >= 0])
