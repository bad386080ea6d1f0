"""Errors: what happened, to which mentions, and how hard it was, one entry an error.

The types are those of Kummerfeld & Klein (2013): a span error is a pair of mentions; an entity in
n parts is n − 1 split entities, and a response entity with n parts is n − 1 merged ones; missing
and extra mentions are counted one by one where something of their entity is right, and otherwise
their entity is counted, once, as missing or extra.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from types import SimpleNamespace
from typing import Any, overload

import numpy as np

from corefine.corpus.arrays import FloatArray, IntArray, offsets_of, ranges
from corefine.corpus.corpus import Corpus
from corefine.explaining.contrasts import KINDS, MATCHES, Contrast
from corefine.explaining.diagnosis import TYPES, Diagnosis, ErrorType, list_errors
from corefine.explaining.impact import worth_of_errors
from corefine.explaining.members import entity_labels
from corefine.explaining.naming import naming_mentions
from corefine.explaining.phrases import Phrases
from corefine.matching.matched import Matched
from corefine.metrics.table import MentionTable

DISTANCES = ("0", "1", "2", "3-5", "6-10", "11+")
"""Classes of distances in sentences; their lower ends are in ``_DISTANCE_STARTS``."""
_DISTANCE_STARTS = (0, 1, 2, 3, 6, 11)
_KIND_NAMES = tuple(kind.name.lower() for kind in KINDS)


@dataclass(frozen=True, slots=True)
class Error:
    """One error, ready to be shown. Mentions and entities are indices of the matched corpora."""

    number: int
    """Its place among all errors, which are in the order of the text."""
    type: ErrorType
    document: str
    document_number: int
    key_mentions: tuple[int, ...]
    response_mentions: tuple[int, ...]
    key_entities: tuple[int, ...]
    """The entity that the mentions belong to; for merged entities then the one they were put to."""
    response_entities: tuple[int, ...]
    """The entity that the mentions stand in; for a split entity then the home of its key entity."""
    key_names: tuple[str, ...]
    response_names: tuple[str, ...]
    text: str
    """Its first mention, the key's where it has one."""
    found_text: str | None
    """For a span error, the response's mention."""
    other_text: str | None
    """The first mention of what the error's mentions were parted from or put to: of the part at
    home for a split entity and a missing mention, of the main part of the response entity for
    merged entities and an extra mention."""
    kind: str
    rest_kind: str | None
    """The most telling kind in the rest of the entity; None where there is no rest."""
    distance: int | None
    """Sentences to the nearest mention of the rest."""
    match: str | None
    """``exact``, ``partial`` or ``none``: the words in common with the rest."""
    start: int
    """The first token of the error, counted over the document."""
    sentence: int | None
    """The sentence of that token, counted over the document from 0."""
    worth: float
    """What LEA F1 gains, from 0 to 1, if only this error is corrected."""
    key_name: str | None
    """What its key entity is called, by its best mention."""
    other_name: str | None
    """For merged entities and an extra mention: the key entity that it was put to."""

    def to_dict(self) -> dict[str, Any]:
        """The error as plain values."""
        return {name: _plain(getattr(self, name)) for name in self.__slots__}


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


@dataclass(frozen=True, slots=True)
class Context:
    """The words before a mention, its own from the first to the last, and those after it."""

    before: str
    text: str
    after: str

    def __str__(self) -> str:
        return " ".join(filter(None, (self.before, f"[{self.text}]", self.after)))


def context_of(matched: Matched, error: Error, width: int) -> Context:
    """The first mention of an error in its document, with up to so many words on either side.

    Dots stand for words that are left out. Without a text there is only the mention.
    """
    corpus, mention = (
        (matched.key, error.key_mentions[0])
        if error.key_mentions
        else (matched.response, error.response_mentions[0])
    )
    if corpus.tokens is None or not corpus.has_places:
        return Context("", error.text, "")
    first, last = corpus.tokens.offsets[error.document_number : error.document_number + 2].tolist()
    start = first + int(corpus.mentions.start[mention])
    stop = first + int(corpus.mentions.stop[mention])
    low, high = max(first, start - width), min(last, stop + width)
    return Context(
        " ".join([*["…"][: low > first], *_words(corpus, low, start)]),
        " ".join(_words(corpus, start, stop)),
        " ".join([*_words(corpus, stop, high), *["…"][: high < last]]),
    )


def _words(corpus: Corpus, start: int, stop: int) -> list[str]:
    assert corpus.tokens is not None
    words: list[str] = corpus.tokens.words[start:stop].tolist()
    return words


@dataclass(frozen=True, eq=False)
class Errors(Sequence[Error]):
    """All errors as columns, in the order of the text; an element is an :class:`Error`."""

    matched: Matched
    type: IntArray
    """An index of ``TYPES``."""
    document: IntArray
    offsets: IntArray
    """Where the rows of each error begin among ``rows``."""
    rows: IntArray
    """The rows of the table that each error is about, in the order of the text."""
    key_entity: IntArray
    """Entities of the matched corpora; -1 where there is none."""
    response_entity: IntArray
    other_entity: IntArray
    """Merged: the key entity that it was put to. Split: the response entity at home. Else -1."""
    other_row: IntArray
    """A row of that other part; -1 where there is none."""
    contrast: Contrast
    start: IntArray
    sentence: IntArray
    worth: FloatArray
    """What LEA F1 gains if only this error is corrected."""

    @classmethod
    def of(cls, diagnosis: Diagnosis, phrases: Phrases, *, keep_singletons: bool = True) -> Errors:
        """List the errors of a diagnosis; what they are worth depends on singletons being kept."""
        matched = diagnosis.table.matched
        assert matched is not None, "errors need matched corpora"
        listed = list_errors(diagnosis, phrases)
        lengths = np.concatenate([item.lengths for item in listed])
        offsets, rows = offsets_of(lengths), np.concatenate([item.rows for item in listed])
        error = np.repeat(np.arange(len(lengths)), lengths)
        rows = rows[np.lexsort((phrases.turn[rows], error))]
        leading = rows[offsets[:-1]]
        type_ = np.repeat([item.type for item in listed], [len(item) for item in listed])
        order = np.lexsort((type_, phrases.token[leading], phrases.document[leading]))
        leading, type_ = leading[order], type_[order]
        table = diagnosis.table
        key = np.concatenate([item.key for item in listed])[order]
        response = np.concatenate([item.response for item in listed])[order]
        other = np.concatenate([item.other for item in listed])[order]
        kinds = [item.contrast for item in listed]
        merged = type_ == TYPES.index(ErrorType.MERGED)
        rows = rows[ranges(offsets[:-1][order], lengths[order])]
        offsets = offsets_of(lengths[order])
        return cls(
            matched,
            type_,
            phrases.document[leading],
            offsets,
            rows,
            _lookup(table.key.source, key),
            _lookup(table.response.source, response),
            np.where(
                merged, _lookup(table.key.source, other), _lookup(table.response.source, other)
            ),
            np.concatenate([item.other_row for item in listed])[order],
            Contrast(
                *(
                    np.concatenate([getattr(contrast, name) for contrast in kinds])[order]
                    for name in ("kind", "rest_kind", "distance", "match")
                )
            ),
            phrases.token[leading],
            phrases.sentence[leading],
            worth_of_errors(diagnosis, type_, rows, offsets, keep_singletons=keep_singletons),
        )

    def __len__(self) -> int:
        return len(self.type)

    @overload
    def __getitem__(self, index: int) -> Error: ...
    @overload
    def __getitem__(self, index: slice) -> list[Error]: ...
    def __getitem__(self, index: int | slice) -> Error | list[Error]:
        if isinstance(index, slice):
            return [self._error(number) for number in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(index)
        return self._error(index % len(self))

    def __iter__(self) -> Iterator[Error]:
        return map(self._error, range(len(self)))

    def __repr__(self) -> str:
        counted = ", ".join(f"{count:,} {name}" for name, count in self.counts().items() if count)
        return f"<Errors: {counted or 'none'}>"

    def numbers(self, type: ErrorType | str | None = None, document: int | None = None) -> IntArray:
        """The numbers of the errors of this type, in this document."""
        wanted = np.ones(len(self), bool)
        if type is not None:
            wanted &= self.type == TYPES.index(ErrorType(type))
        if document is not None:
            wanted &= self.document == document
        return np.flatnonzero(wanted)

    def counts(self) -> dict[str, int]:
        """How many errors of each type there are."""
        counts = np.bincount(self.type, minlength=len(TYPES)).tolist()
        return dict(zip(map(str, TYPES), counts, strict=True))

    def counts_by_unit(self, table: MentionTable) -> IntArray:
        """What the table scores on its own (documents, groups or windows) × types."""
        width, units = len(TYPES), len(table.documents)
        codes = table.document[self.rows[self.offsets[:-1]]] * width + self.type
        return np.bincount(codes, minlength=units * width).reshape(units, width)

    def by_kind(self) -> dict[str, dict[str, int]]:
        """Type → kind of mention → how many."""
        return self._crossed(self.contrast.kind, _KIND_NAMES)

    def by_rest_kind(self) -> dict[str, dict[str, int]]:
        """Type → most telling kind in the rest of the entity → how many; '-' where none is left."""
        kind = _last_for_none(self.contrast.rest_kind, len(_KIND_NAMES))
        return self._crossed(kind, [*_KIND_NAMES, "-"])

    def by_match(self) -> dict[str, dict[str, int]]:
        """Type → agreement in words with the rest of the entity → how many; '-': no rest."""
        match = _last_for_none(self.contrast.match, len(MATCHES))
        return self._crossed(match, [*MATCHES, "-"])

    def by_distance(self) -> dict[str, dict[str, int]]:
        """Type → class of distance in sentences → how many; '-' where there is none."""
        known = self.contrast.distance >= 0
        place = np.searchsorted(_DISTANCE_STARTS, self.contrast.distance, side="right") - 1
        return self._crossed(np.where(known, place, len(DISTANCES)), [*DISTANCES, "-"])

    def _crossed(self, values: IntArray, names: Sequence[str]) -> dict[str, dict[str, int]]:
        width = len(names)
        counts = np.bincount(self.type * width + values, minlength=len(TYPES) * width)
        return {
            str(name): dict(zip(names, row, strict=True))
            for name, row in zip(TYPES, counts.reshape(-1, width).tolist(), strict=True)
        }

    def _error(self, number: int) -> Error:
        matched, known = self.matched, self._plain
        rows = known.rows[known.offsets[number] : known.offsets[number + 1]]
        ours = tuple(m for row in rows if (m := known.key_mention[row]) >= 0)
        theirs = tuple(m for row in rows if (m := known.response_mention[row]) >= 0)
        type_ = TYPES[known.type[number]]
        key, response = [known.key_entity[number]], [known.response_entity[number]]
        (key if type_ is ErrorType.MERGED else response).append(known.other_entity[number])
        key, response = [k for k in key if k >= 0], [r for r in response if r >= 0]
        document, other_row = known.document[number], known.other_row[number]
        sentence, distance = known.sentence[number], known.distance[number]
        return Error(
            number,
            type_,
            matched.key.documents[document],
            document,
            ours,
            theirs,
            tuple(key),
            tuple(response),
            tuple(known.key_names[entity] for entity in key),
            tuple(known.response_names[entity] for entity in response),
            matched.key.text_of(ours[0]) if ours else matched.response.text_of(theirs[0]),
            matched.response.text_of(theirs[0]) if type_ is ErrorType.SPAN else None,
            None if other_row < 0 else self._text_of(other_row),
            _KIND_NAMES[known.kind[number]],
            _named(known.rest_kind[number], _KIND_NAMES),
            None if distance < 0 else distance,
            _named(known.match[number], MATCHES),
            known.start[number],
            None if sentence < 0 else sentence - known.first_sentence[document],
            known.worth[number],
            self.entity_name(key[0]) if key else None,
            None if (other := self.other_key(number)) < 0 else self.entity_name(other),
        )

    def other_key(self, number: int) -> int:
        """The key entity that the mentions of an error were put to; -1 where there is none."""
        known = self._plain
        if TYPES[known.type[number]] is ErrorType.MERGED:
            return int(known.other_entity[number])
        row = known.other_row[number]
        if TYPES[known.type[number]] is not ErrorType.EXTRA_MENTION or row < 0:
            return -1
        mention = known.key_mention[row]
        return -1 if mention < 0 else int(self.matched.key.mentions.entity[mention])

    def entity_name(self, entity: int) -> str:
        """What a key entity is called: the words of the mention that names it best."""
        return self.matched.key.text_of(int(self.naming[entity]))

    @cached_property
    def naming(self) -> IntArray:
        """By key entity: the mention that names it best."""
        return naming_mentions(self.matched.key)

    def _text_of(self, row: int) -> str:
        """The words of a row, the key's where it has them."""
        mine, other = self._plain.key_mention[row], self._plain.response_mention[row]
        return self.matched.key.text_of(mine) if mine >= 0 else self.matched.response.text_of(other)

    @cached_property
    def _plain(self) -> SimpleNamespace:
        """All columns as lists: reading single numbers out of arrays takes most of the time."""
        matched, tokens = self.matched, self.matched.key.tokens
        lists = {
            field.name: getattr(source, field.name).tolist()
            for source in (self, self.contrast, matched)
            for field in fields(source)
            if isinstance(getattr(source, field.name), np.ndarray)
        }
        sentences = (
            np.zeros(0, np.int64)
            if tokens is None
            else np.searchsorted(tokens.sentences, tokens.offsets[:-1], side="left")
        )
        return SimpleNamespace(
            **lists,
            key_names=entity_labels(matched.key),
            response_names=entity_labels(matched.response),
            first_sentence=sentences.tolist(),
        )


def _named(index: int, names: Sequence[str]) -> str | None:
    return None if index < 0 else names[index]


def _last_for_none(values: IntArray, last: int) -> IntArray:
    return np.where(values < 0, last, values)


def _lookup(source: IntArray, entity: IntArray) -> IntArray:
    """Entities of the corpus for entities of the table; -1 stays -1."""
    return np.append(source, -1)[np.where(entity < len(source), entity, -1)]
