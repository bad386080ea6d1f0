"""The errors of a response one by one: their mentions, context, difficulty and impact.

The types are named after Kummerfeld & Klein (2013): a span error is a pair of mentions; a key
entity in n parts is n − 1 split entities, and a response entity with n parts is n − 1 merged
entities; missing and extra mentions are counted one by one if something of their entity is right;
otherwise their entity is counted once, as missing or extra.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, overload

import numpy as np

from corefine.corpus.arrays import BoolArray, FloatArray, IntArray, among, offsets_of, ranges
from corefine.corpus.columns import Kind
from corefine.explaining.diagnosis import TYPES, Diagnosis, ErrorType, MentionStatus
from corefine.explaining.naming import Naming, entity_labels
from corefine.explaining.phrases import Phrases
from corefine.matching.matching import Matching
from corefine.metrics.base import f_measure
from corefine.metrics.table import EntityColumns, MentionTable, pairs

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


@dataclass(frozen=True)
class Error:
    """One error, described when it is shown. Mentions and entities are indices of the corpora."""

    number: int
    """Its place among all errors, in text order."""
    _among: Errors = field(repr=False)

    @property
    def type(self) -> ErrorType:
        """The type of the error."""
        return TYPES[int(self._among.type[self.number])]

    @property
    def rows(self) -> tuple[int, ...]:
        """Its mentions as rows of the table, in text order."""
        start, stop = self._among.offsets[self.number : self.number + 2]
        return tuple(self._among.rows[start:stop].tolist())

    @property
    def document_number(self) -> int:
        """The number of its document."""
        return int(self._among.document[self.number])

    @property
    def document(self) -> str:
        """The name of its document."""
        return self._among.matching.key.documents[self.document_number]

    @property
    def key_mentions(self) -> tuple[int, ...]:
        """Its mentions in the key."""
        return _known(self._among.matching.key_mention[list(self.rows)].tolist())

    @property
    def response_mentions(self) -> tuple[int, ...]:
        """Its mentions in the response."""
        return _known(self._among.matching.response_mention[list(self.rows)].tolist())

    @property
    def key_entities(self) -> tuple[int, ...]:
        """The entity of the mentions; for merged entities then the one they were merged with."""
        merged = self._among.other[self.number] if self.type is ErrorType.MERGED else -1
        return _sources(self._among.table.key, (self._among.key[self.number], merged))

    @property
    def response_entities(self) -> tuple[int, ...]:
        """The entity of the mentions; for a split entity then the one with its largest part."""
        largest = self._among.other[self.number] if self.type is ErrorType.SPLIT else -1
        return _sources(self._among.table.response, (self._among.response[self.number], largest))

    @property
    def other_entity(self) -> int | None:
        """For merged entities and an extra mention: the key entity that they were added to."""
        if self.type not in (ErrorType.MERGED, ErrorType.EXTRA_MENTION):
            return None
        return _sources(self._among.table.key, (self._among.other[self.number],))[0]

    @property
    def key_names(self) -> tuple[str, ...]:
        """The names of the key entities in the file."""
        return tuple([self._among.key_labels[entity] for entity in self.key_entities])

    @property
    def response_names(self) -> tuple[str, ...]:
        """The names of the response entities in the file."""
        return tuple([self._among.response_labels[entity] for entity in self.response_entities])

    @property
    def text(self) -> str:
        """The first mention, of the key if it has one."""
        ours = self.key_mentions
        matching = self._among.matching
        if ours:
            return matching.key.text_of(ours[0])
        return matching.response.text_of(self.response_mentions[0])

    @property
    def found_text(self) -> str | None:
        """For a span error, the mention of the response."""
        if self.type is not ErrorType.SPAN:
            return None
        return self._among.matching.response.text_of(self.response_mentions[0])

    @property
    def other_text(self) -> str | None:
        """The first mention of what the error's mentions were separated from or added to."""
        row = int(self._among.other_row[self.number])
        return None if row < 0 else self._among.matching.text_of(row)

    @property
    def kind(self) -> str:
        """The most informative mention kind."""
        return KIND_NAMES[int(self._among.kind[self.number])]

    @property
    def rest_kind(self) -> str | None:
        """The most informative mention kind in the rest of the entity; None without a rest."""
        code = self._among.rest_kind[self.number]
        return None if code < 0 else KIND_NAMES[code]

    @property
    def distance(self) -> int | None:
        """Sentences to the nearest mention of the rest."""
        sentences = int(self._among.distance[self.number])
        return None if sentences < 0 else sentences

    @property
    def match(self) -> str | None:
        """``exact``, ``partial`` or ``none``: the words in common with the rest."""
        code = self._among.match[self.number]
        return None if code < 0 else MATCHES[code]

    @property
    def start(self) -> int:
        """The first token of the error, counted over the document."""
        return int(self._among.phrases.token[self.rows[0]])

    @property
    def sentence(self) -> int | None:
        """The sentence of that token, counted over the document from 0."""
        sentence = int(self._among.phrases.sentence[self.rows[0]])
        tokens = self._among.matching.key.tokens
        if sentence < 0 or tokens is None:
            return None
        begin = tokens.offsets[self.document_number]
        return sentence - int(np.searchsorted(tokens.sentences, begin))

    @property
    def impact(self) -> float:
        """The gain of LEA F1, from 0 to 1, if only this error is corrected."""
        return float(self._among.impact[self.number])

    @property
    def key_name(self) -> str | None:
        """The name of its key entity: the words of the best mention."""
        entities = self.key_entities
        return self._among.naming.text(entities[0]) if entities else None

    @property
    def other_name(self) -> str | None:
        """The name of ``other_entity``."""
        other = self.other_entity
        return None if other is None else self._among.naming.text(other)

    def to_dict(self) -> dict[str, Any]:
        """The error as plain values."""
        values = {name: getattr(self, name) for name in FIELDS}
        return {name: list(v) if isinstance(v, tuple) else v for name, v in values.items()}


FIELDS = (
    "number", "type", "document", "document_number", "key_mentions", "response_mentions",
    "key_entities", "response_entities", "other_entity", "key_names", "response_names", "text",
    "found_text", "other_text", "kind", "rest_kind", "distance", "match", "start", "sentence",
    "impact", "key_name", "other_name",
)  # fmt: skip
"""The fields of an error in JSON."""


class Errors(Sequence[Error]):
    """All errors in text order, as columns with one entry per error."""

    def __init__(
        self,
        diagnosis: Diagnosis,
        phrases: Phrases,
        *,
        keep_singletons: bool = True,
        naming: Naming | None = None,
    ) -> None:
        self.table: MentionTable = diagnosis.table
        self.matching: Matching = diagnosis.table.matching
        self.naming = naming or Naming(self.matching.key)
        self.phrases, self._diagnosis, self._keep = phrases, diagnosis, keep_singletons
        found = list(_find_errors(diagnosis, phrases))
        type_ = np.repeat(np.arange(len(TYPES)), [len(counts) for _, counts in found])
        row, count = map(np.concatenate, zip(*found, strict=True))
        start = offsets_of(count)[:-1]
        first = row[start]
        order = np.lexsort(
            (phrases.turn[first], type_, phrases.token[first], phrases.document[first])
        )
        self.type: IntArray = type_[order]
        """An index of ``TYPES``."""
        self.offsets = offsets_of(count[order])
        self.rows: IntArray = row[ranges(start[order], count[order])]
        """The rows of all errors, one error after another, each in text order."""
        self.first_row: IntArray = first[order]
        self.document = phrases.document[self.first_row]
        key, response = diagnosis.key[self.first_row], diagnosis.response[self.first_row]
        merged, split = self.type == _MERGED, self.type == _SPLIT
        added, missing = self.type == _EXTRA_MENTION, self.type == _MISSING_MENTION
        self.key, self.response = np.where(added, -1, key), np.where(missing, -1, response)
        """Entities of the table; -1 means none."""
        other_key = np.where(merged, np.append(diagnosis.main, -1)[response], key)
        other_response = np.where(split, np.append(diagnosis.largest, -1)[key], response)
        self.other = np.where(split, other_response, np.where(merged | added, other_key, -1))
        """Merged and extra: the main key entity. Split: the response entity with the largest part.
        """
        self.other_row = np.full(len(self), -1)
        """The first mention of the part that the mentions were separated from or added to."""
        beside = np.flatnonzero(merged | split | added | missing)
        parts = diagnosis.parts
        part = parts.numbers(other_key[beside], other_response[beside])
        self.other_row[beside] = parts.first_row[part]

    def __len__(self) -> int:
        return len(self.type)

    @overload
    def __getitem__(self, index: int) -> Error: ...
    @overload
    def __getitem__(self, index: slice) -> list[Error]: ...
    def __getitem__(self, index: int | slice) -> Error | list[Error]:
        numbers = range(len(self))[index]
        if isinstance(numbers, range):
            return [Error(number, self) for number in numbers]
        return Error(numbers, self)

    def __iter__(self) -> Iterator[Error]:
        return iter(self[:])

    def __repr__(self) -> str:
        counted = ", ".join(f"{count:,} {name}" for name, count in self.counts().items() if count)
        return f"<Errors: {counted or 'none'}>"

    @cached_property
    def impact(self) -> FloatArray:
        """The gain of LEA F1 by correcting each error alone."""
        return _impacts(self, self._diagnosis, keep_singletons=self._keep)

    @cached_property
    def kind(self) -> IntArray:
        """The most informative mention kind of each error, an index of ``KIND_NAMES``."""
        return self._compared.kinds[0]

    @cached_property
    def rest_kind(self) -> IntArray:
        """The most informative mention kind in the rest of the entity; -1 without a rest."""
        return self._compared.kinds[1]

    @cached_property
    def distance(self) -> IntArray:
        """Sentences to the nearest mention of the rest; -1 if unknown."""
        return self._compared.distances()

    @cached_property
    def match(self) -> IntArray:
        """Words in common with the rest, an index of ``MATCHES``; -1 without a rest."""
        return self._compared.matches()

    @cached_property
    def _compared(self) -> _Compared:
        return _Compared(self, self._diagnosis)

    @cached_property
    def key_labels(self) -> list[str]:
        """The names of the key's entities in the file."""
        return entity_labels(self.matching.key)

    @cached_property
    def response_labels(self) -> list[str]:
        """The names of the response's entities in the file."""
        return entity_labels(self.matching.response)

    def of_type(self, type: ErrorType | str) -> list[Error]:
        """The errors of a type."""
        numbers = np.flatnonzero(self.type == TYPES.index(ErrorType(type)))
        return [Error(number, self) for number in numbers.tolist()]

    def counts(self) -> dict[str, int]:
        """The number of errors of each type."""
        counts = np.bincount(self.type, minlength=len(TYPES)).tolist()
        return dict(zip(map(str, TYPES), counts, strict=True))

    def by(self, field: str) -> dict[str, dict[str, int]]:
        """Type → group by one of ``GROUPS`` → number of errors."""
        codes, names = getattr(self, field), GROUPS[field]
        if field == "distance":
            codes = np.searchsorted([*DISTANCES.values()], codes, side="right") - 1
        counts = _tally(self.type, codes % len(names), (len(TYPES), len(names))).tolist()
        return {
            str(type_): dict(zip(names, row, strict=True))
            for type_, row in zip(TYPES, counts, strict=True)
        }

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
        name, other = error.key_name or "", error.other_name
        of_key = error.type in (ErrorType.MISSING_MENTION, ErrorType.MISSING_ENTITY)
        corpus = self.matching.key if of_key else self.matching.response
        mentions = error.key_mentions if of_key else error.response_mentions
        texts = [corpus.text_of(mention) for mention in mentions]
        rest = error.other_text if name in texts and error.other_text else name
        match error.type:
            case ErrorType.SPAN:
                return f"“{error.text}” found as “{texts[0]}”"
            case ErrorType.MERGED:
                whose = "" if name in texts else f" ({name})"
                target = "another entity" if other is None else f"“{other}”"
                return f"{_quoted(texts)}{whose} merged with {target}"
            case ErrorType.SPLIT:
                return f"{_quoted(texts)} split off “{rest}”"
            case ErrorType.MISSING_MENTION:
                return f"“{texts[0]}” missing from “{rest}”"
            case ErrorType.EXTRA_MENTION:
                return f"“{texts[0]}” wrongly added to “{other or ''}”"
            case ErrorType.MISSING_ENTITY:
                several = f" ({len(texts):,} mentions)" if len(texts) > 1 else ""
                return f"“{name}” missing{several}"
            case ErrorType.EXTRA_ENTITY:
                return f"{_quoted(texts)} not an entity of the key"


def _quoted(texts: list[str]) -> str:
    distinct = list(dict.fromkeys(texts))
    shown = ", ".join(f"“{text}”" for text in distinct[:QUOTED])
    more = len(texts) - min(len(distinct), QUOTED)
    return f"{shown} and {more:,} more" if more else shown


class _Compared:
    """The mentions of errors, and the wholes that they are compared with.

    The whole of an error is an entity: of the key, of the response if something was added to it,
    and of the found mentions of the key for a split entity.
    """

    def __init__(self, errors: Errors, diagnosis: Diagnosis) -> None:
        table, rows = diagnosis.table, len(diagnosis.status)
        self.phrases = errors.phrases
        keys, responses = len(table.key), len(table.response)
        found = np.where(diagnosis.status == MentionStatus.MISSING, -1, table.key_entity)
        wholes = [(table.key_entity, 0), (table.response_entity, keys), (found, keys + responses)]
        of_row = np.concatenate([np.where(of < 0, -1, of + more) for of, more in wholes])
        self.member = np.tile(np.arange(rows), 3)[of_row >= 0]
        self.group = of_row[of_row >= 0]
        """All wholes, and their rows."""
        of_response = np.isin(errors.type, (_MERGED, _EXTRA_MENTION, _EXTRA_ENTITY))
        of_key = np.where(errors.type == _SPLIT, keys + responses, 0) + errors.key
        self.whole = np.where(of_response, keys + errors.response, of_key)
        owner = np.repeat(np.arange(len(errors)), np.diff(errors.offsets))
        inside = among(self.whole[owner] * rows + errors.rows, self.group * rows + self.member)
        self.owner, self.row = owner[inside], errors.rows[inside]
        """The errors, and their rows that belong to their wholes."""
        order = np.argsort(KINDS)
        self.kind = order[table.kinds]
        """The kind of each row, an index of ``KINDS``."""
        self.size = np.bincount(self.group, minlength=1)[self.whole]
        self.has_rest = np.bincount(self.owner, minlength=len(errors)) < self.size

    @cached_property
    def kinds(self) -> tuple[IntArray, IntArray]:
        """The most informative kinds of the errors and of their rests."""
        groups, kinds = int(self.group.max(initial=0)) + 1, len(KINDS)
        own = _tally(self.owner, self.kind[self.row], (len(self.whole), kinds))
        rest = _tally(self.group, self.kind[self.member], (groups, kinds))[self.whole] - own
        of_rest = np.where(rest.any(axis=1), (rest > 0).argmax(axis=1), -1)
        return (own > 0).argmax(axis=1), of_rest

    def matches(self) -> IntArray:
        """Words shared with the rest of the entity or, without a rest, by two rows of the error."""
        phrases = self.phrases
        content = np.flatnonzero(phrases.content)
        width = int(phrases.word.max(initial=0)) + 1
        owner, word = np.divmod(
            np.unique(phrases.owner[content] * width + phrases.word[content]), width
        )
        texts = self._recurs(phrases.text, np.arange(len(phrases) + 1))
        words = self._recurs(word, offsets_of(np.bincount(owner, minlength=len(phrases))))
        return np.where(self.size < 2, -1, np.where(texts, 2, np.where(words, 1, 0)))

    def _recurs(self, items: IntArray, offsets: IntArray) -> BoolArray:
        """True for errors that share an item with the rest of the entity, or have it in two rows.

        ``offsets`` are the starts of each row among the items.
        """
        width, lengths = int(items.max(initial=0)) + 1, np.diff(offsets)

        def counted(owner: IntArray, row: IntArray) -> tuple[IntArray, IntArray]:
            item = items[ranges(offsets[row], lengths[row])]
            return np.unique(np.repeat(owner, lengths[row]) * width + item, return_counts=True)

        everywhere, total = counted(self.group, self.member)
        own, inside = counted(self.owner, self.row)
        error, item = np.divmod(own, width)
        total = total[np.searchsorted(everywhere, self.whole[error] * width + item)]
        found = np.where(self.has_rest[error], total > inside, inside > 1)
        return np.bincount(error[found], minlength=len(self.whole)) > 0

    def distances(self) -> IntArray:
        """The distance in sentences from each error to the rest of its entity, or within the error.

        The nearest two rows are neighbours in the order of sentences.
        """
        phrases, rows = self.phrases, len(self.phrases)
        placed = np.flatnonzero(phrases.sentence[self.member] >= 0)
        member, group = self.member[placed], self.group[placed]
        order = np.lexsort((phrases.turn[member], phrases.sentence[member], group))
        member, group = member[order], group[order]
        code = group * rows + member
        sorter = np.argsort(code)
        known = np.flatnonzero(phrases.sentence[self.row] >= 0)
        owner, row = self.owner[known], self.row[known]
        at = sorter[np.searchsorted(code, self.whole[owner] * rows + row, sorter=sorter)]
        unknown = np.iinfo(np.int64).max
        nearest = np.full(len(self.whole), unknown)
        for step in (-1, 1):
            beside = np.clip(at + step, 0, len(member) - 1)
            other = member[beside]
            own = among(owner * rows + other, owner * rows + row)
            compared = (beside != at) & (group[beside] == self.whole[owner])
            compared &= ~(own & self.has_rest[owner])
            compared &= phrases.document[other] == phrases.document[row]
            gap = np.abs(phrases.sentence[other] - phrases.sentence[row])
            np.minimum.at(nearest, owner[compared], gap[compared])
        return np.where(nearest == unknown, -1, nearest)


def _tally(row: IntArray, column: IntArray, shape: tuple[int, int]) -> IntArray:
    """Count each pair of a row and a column."""
    return np.bincount(row * shape[1] + column, minlength=shape[0] * shape[1]).reshape(shape)


_SPAN, _MERGED, _SPLIT, _EXTRA_MENTION, _EXTRA_ENTITY, _MISSING_MENTION, _MISSING_ENTITY = range(
    len(TYPES)
)
"""The error types as indices of ``TYPES``."""


def _find_errors(diagnosis: Diagnosis, phrases: Phrases) -> Iterator[tuple[IntArray, IntArray]]:
    """The errors of each type, in the order of ``TYPES``.

    Returns the rows of one error after another, each in text order, and the number of each.
    """
    key, response, status = diagnosis.key, diagnosis.response, diagnosis.status
    row, part = np.arange(len(status)), key * (len(diagnosis.main) + 1) + response
    shared = status <= MentionStatus.WRONG_SPAN
    pair = np.where(status == MentionStatus.WRONG_SPAN, diagnosis.twin, row)
    merged = np.append(diagnosis.main, -1)[response] != key
    split = np.append(diagnosis.largest, -1)[key] != response
    together = {
        ErrorType.SPAN: (pair, diagnosis.twin >= 0),
        ErrorType.MERGED: (part, shared & merged),
        ErrorType.SPLIT: (part, shared & split),
        ErrorType.EXTRA_MENTION: (row, status == MentionStatus.EXTRA),
        ErrorType.EXTRA_ENTITY: (response, status == MentionStatus.IN_EXTRA_ENTITY),
        ErrorType.MISSING_MENTION: (row, status == MentionStatus.MISSING),
        ErrorType.MISSING_ENTITY: (key, status == MentionStatus.IN_MISSING_ENTITY),
    }
    in_text = np.argsort(phrases.turn)
    for group, wrong in map(together.__getitem__, TYPES):
        rows = in_text[wrong[in_text]]
        rows = rows[np.argsort(group[rows], kind="stable")]
        yield rows, np.unique(group[rows], return_counts=True)[1]


def _sources(side: EntityColumns, entities: Iterable[int]) -> tuple[int, ...]:
    """The entities of the corpus, without -1."""
    return _known([int(side.source[entity]) for entity in entities if entity >= 0])


def _known(indices: Iterable[int]) -> tuple[int, ...]:
    return tuple([index for index in indices if index >= 0])


METRIC = "LEA"
"""The metric of the impact: the only entity-based one that a single error changes locally."""
NEW = -1
"""A response entity that a correction adds."""


def _impacts(errors: Errors, diagnosis: Diagnosis, *, keep_singletons: bool) -> FloatArray:
    """The impact of each error: the gain of LEA F1 if only this error is corrected.

    LEA's sums are, with n_kr the mentions that key entity k and response entity r share,

    - for precision, over response entities r of size S: S · Σ_k pairs(n_kr) / pairs(S), out of S;
    - for recall, over key entities k of size T: T · Σ_r pairs(n_kr) / pairs(T), out of T;

    and a singleton counts 1 if the other side has the same singleton. Correcting one error moves
    mentions of one key entity, and mentions that the key does not have, into or out of at most two
    response entities: only their terms are recomputed. The impacts of single errors do not add up
    to the cost of their type: corrections support each other.
    """
    table, cells = diagnosis.table, diagnosis.table.cells
    # By response entity, and 0 for a new one: size, correct links, mentions of key singletons.
    columns = (
        table.response.size,
        np.bincount(cells.response, pairs(cells.count), minlength=len(table.response)),
        np.bincount(cells.response, table.key.size[cells.key] == 1, minlength=len(table.response)),
    )
    size, links, alone = (np.append(column, 0).astype(np.int64) for column in columns)
    key_size = np.append(table.key.size, 0)
    width = len(table.response) + 1
    codes = np.append(cells.key * width + cells.response, np.iinfo(np.int64).max)
    shared = np.append(cells.count, 0)

    def changed(response: IntArray, own: IntArray, others: IntArray) -> FloatArray:
        """Changes of the sums of precision, of its whole, and of recall by mentions that each
        response entity gains: of the key entity, and others."""
        code = key * width + response
        at = np.searchsorted(codes, code)
        before = np.where(codes[at] == code, shared[at], 0)
        added = np.where(own != 0, pairs(before + own) - pairs(before), 0)
        old = size[response], links[response], alone[response]
        new = [
            old[0] + own + others,
            old[1] + added,
            old[2] + np.where(key_size[key] == 1, own, 0),
        ]
        stays = new[0] >= (1 if keep_singletons else 2)
        new = [np.where(stays, column, 0) for column in new]
        recall = 2 * added / np.maximum(key_size[key] - 1, 1)
        recall += np.where(new[0] == 1, new[2], 0) - np.where(old[0] == 1, old[2], 0)
        return np.stack([_resolved(*new) - _resolved(*old), new[0] - old[0], recall])

    type_, count = errors.type, np.diff(errors.offsets)
    key, source = diagnosis.key[errors.first_row], diagnosis.response[errors.first_row]
    owner = np.repeat(np.arange(len(errors)), count)
    present = table.response_entity[errors.rows] >= 0
    of_key = table.key_entity[errors.rows] >= 0
    ours, theirs = (
        np.bincount(owner[present & mask], minlength=len(errors)) for mask in (of_key, ~of_key)
    )
    splits, moves = type_ == _SPLIT, np.isin(type_, (_SPLIT, _MERGED))
    # Extra mentions belong to the main part, and move with it.
    extra = table.response_entity[diagnosis.status == MentionStatus.EXTRA]
    extra_mentions = np.bincount(extra, minlength=len(table.response) + 1)[source]
    theirs += np.where(splits & (np.append(diagnosis.main, NEW)[source] == key), extra_mentions, 0)
    found, added = np.isin(type_, (_SPAN, _MISSING_MENTION)), type_ == _MISSING_ENTITY
    removed = np.isin(type_, (_EXTRA_MENTION, _EXTRA_ENTITY))
    changes = changed(
        np.where(added, NEW, source),
        np.select([found, added, moves], [1, count, -ours]),
        np.select([type_ == _SPAN, removed, moves], [-1, -count, -theirs]),
    ) + changed(
        np.where(splits, np.append(diagnosis.largest, NEW)[key], NEW),
        np.where(moves, ours, 0),
        np.where(moves, theirs, 0),
    )
    precision = float(_resolved(size, links, alone).sum())
    recall = int(key_size.sum()) * (1 - float(resolution_lost(table).sum()))

    sums = np.array([precision, float(size.sum()), recall])[:, None]
    before, after = (
        f_measure(precision / np.maximum(whole, 1), recall / max(int(key_size.sum()), 1))
        for precision, whole, recall in (sums, sums + changes)
    )
    return after - before


def _resolved(size: IntArray, links: IntArray, alone: IntArray) -> FloatArray:
    """The terms of response entities in the sum of precision."""
    return np.where(size == 1, alone, 2 * links / np.maximum(size - 1, 1))


def resolution_lost(table: MentionTable) -> FloatArray:
    """The share of missing LEA recall per key entity; the shares add up to 1 − recall."""
    size = table.key.size.astype(np.float64)
    cells = table.cells
    alone = (table.key.size[cells.key] == 1) & (table.response.size[cells.response] == 1)
    links = np.bincount(cells.key, pairs(cells.count) + alone, minlength=len(size))
    found = size * links / np.maximum(pairs(size), 1)
    return (size - found) / max(float(size.sum()), 1.0)
