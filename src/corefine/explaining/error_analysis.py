"""The errors of a response one by one: their mentions, context, difficulty and impact.

The types are named after Kummerfeld & Klein (2013): a span error is a pair of mentions; a key
entity in n parts is n − 1 split entities, and a response entity with n parts is n − 1 merged
entities; missing and extra mentions are counted one by one if something of their entity is right;
otherwise their entity is counted once, as missing or extra.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, overload

import numpy as np

from corefine.corpus.arrays import FloatArray
from corefine.corpus.columns import Kind
from corefine.explaining.diagnosis import TYPES, Diagnosis, ErrorType, MentionStatus
from corefine.explaining.naming import Naming, entity_labels
from corefine.explaining.phrases import Phrases
from corefine.matching.matching import Matching
from corefine.metrics.blanc import pairs
from corefine.metrics.table import MentionTable

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


@dataclass(frozen=True, eq=False)
class Error:
    """One error, described when it is shown. Mentions and entities are indices of the corpora."""

    number: int
    """Its place among all errors, in text order."""
    type: ErrorType
    rows: tuple[int, ...]
    """Its mentions as rows of the table, in text order."""
    _among: Errors = field(repr=False)
    _whole: _Compared = field(repr=False)
    """The mentions that its own mentions are compared with."""
    _key: int
    _response: int
    """Entities of the table; -1 means none."""
    _other: int
    """Merged and extra: the main key entity. Split: the response entity with the largest part."""
    _other_row: int
    """The first mention of the part that the mentions were separated from or added to."""

    @property
    def document_number(self) -> int:
        """The number of its document."""
        return self._among.mentions.document[self.rows[0]]

    @property
    def document(self) -> str:
        """The name of its document."""
        return self._among.matching.key.documents[self.document_number]

    @property
    def key_mentions(self) -> tuple[int, ...]:
        """Its mentions in the key."""
        return _known(self._among.mentions.key[row] for row in self.rows)

    @property
    def response_mentions(self) -> tuple[int, ...]:
        """Its mentions in the response."""
        return _known(self._among.mentions.response[row] for row in self.rows)

    @property
    def key_entities(self) -> tuple[int, ...]:
        """The entity of the mentions; for merged entities then the one they were merged with."""
        merged = self._other if self.type is ErrorType.MERGED else -1
        source = self._among.mentions.key_source
        return _known((source[self._key], source[merged]))

    @property
    def response_entities(self) -> tuple[int, ...]:
        """The entity of the mentions; for a split entity then the one with its largest part."""
        largest = self._other if self.type is ErrorType.SPLIT else -1
        source = self._among.mentions.response_source
        return _known((source[self._response], source[largest]))

    @property
    def other_entity(self) -> int | None:
        """For merged entities and an extra mention: the key entity that they were added to."""
        added = self.type in (ErrorType.MERGED, ErrorType.EXTRA_MENTION)
        return self._among.mentions.key_source[self._other] if added else None

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
        return None if self._other_row < 0 else self._among.matching.text_of(self._other_row)

    @cached_property
    def kind(self) -> str:
        """The most informative mention kind."""
        kinds = self._among.mentions.kind
        return KIND_NAMES[min(kinds[row] for row in self._part)]

    @cached_property
    def rest_kind(self) -> str | None:
        """The most informative mention kind in the rest of the entity; None without a rest."""
        return self._whole.rest_kind(self._part)

    @cached_property
    def distance(self) -> int | None:
        """Sentences to the nearest mention of the rest."""
        return self._whole.distance(self._part)

    @cached_property
    def match(self) -> str | None:
        """``exact``, ``partial`` or ``none``: the words in common with the rest."""
        return self._whole.match(self._part)

    @property
    def start(self) -> int:
        """The first token of the error, counted over the document."""
        return self._among.mentions.token[self.rows[0]]

    @property
    def sentence(self) -> int | None:
        """The sentence of that token, counted over the document from 0."""
        sentence = self._among.mentions.sentence[self.rows[0]]
        tokens = self._among.matching.key.tokens
        if sentence < 0 or tokens is None:
            return None
        begin = tokens.offsets[self.document_number]
        return sentence - int(np.searchsorted(tokens.sentences, begin))

    @cached_property
    def impact(self) -> float:
        """The gain of LEA F1, from 0 to 1, if only this error is corrected."""
        return self._among.impact(self.type, self.rows)

    @property
    def key_name(self) -> str | None:
        """The name of its key entity: the words of the best mention."""
        source = self._among.mentions.key_source[self._key]
        return None if source < 0 else self._among.naming.text(source)

    @property
    def other_name(self) -> str | None:
        """The name of ``other_entity``."""
        other = self.other_entity
        return None if other is None else self._among.naming.text(other)

    @cached_property
    def _part(self) -> Set[int]:
        """Its rows among those that they are compared with."""
        return self._whole.members.intersection(self.rows)

    def to_dict(self) -> dict[str, Any]:
        """The error as plain values."""
        values = {name: getattr(self, name) for name in FIELDS}
        return {name: list(v) if isinstance(v, tuple) else v for name, v in values.items()}

    def group(self, field: str) -> str:
        """The group of an error by one of ``GROUPS``."""
        value = getattr(self, field)
        if value is None:
            return "-"
        if field == "distance":
            return [name for name, least in DISTANCES.items() if least <= value][-1]
        return str(value)


FIELDS = (
    "number", "type", "document", "document_number", "key_mentions", "response_mentions",
    "key_entities", "response_entities", "other_entity", "key_names", "response_names", "text",
    "found_text", "other_text", "kind", "rest_kind", "distance", "match", "start", "sentence",
    "impact", "key_name", "other_name",
)  # fmt: skip
"""The fields of an error in JSON."""


class Errors(Sequence[Error]):
    """All errors in text order."""

    def __init__(
        self,
        diagnosis: Diagnosis,
        phrases: Phrases,
        *,
        keep_singletons: bool = True,
        naming: Naming | None = None,
    ) -> None:
        self.matching: Matching = diagnosis.table.matching
        self.naming = naming or Naming(self.matching.key)
        self.impact = Impact(diagnosis, keep_singletons=keep_singletons)
        self.mentions = _Mentions(diagnosis, phrases)
        document, token, turn = self.mentions.document, self.mentions.token, phrases.turn.tolist()
        found = sorted(
            _find_errors(diagnosis, self.mentions, turn),
            key=lambda one: (
                document[one.rows[0]],
                token[one.rows[0]],
                TYPES.index(one.type),
                turn[one.rows[0]],
            ),
        )
        self._errors = [
            Error(number, one.type, tuple(one.rows), self, *one[2:])
            for number, one in enumerate(found)
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
        wanted = ErrorType(type)
        return [error for error in self if error.type is wanted]

    def counts(self) -> dict[str, int]:
        """The number of errors of each type."""
        counts = Counter(error.type for error in self)
        return {str(name): counts[name] for name in TYPES}

    def by(self, field: str) -> dict[str, dict[str, int]]:
        """Type → group by one of ``GROUPS`` → number of errors."""
        counts = Counter((error.type, error.group(field)) for error in self)
        return {
            str(type_): {name: counts[type_, name] for name in GROUPS[field]} for type_ in TYPES
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


class _Mentions:
    """The mentions of a table as lists by row, and the entities of the corpora."""

    def __init__(self, diagnosis: Diagnosis, phrases: Phrases) -> None:
        table = diagnosis.table
        self.key: list[int] = table.matching.key_mention.tolist()
        self.response: list[int] = table.matching.response_mention.tolist()
        self.key_source: list[int] = [*table.key.source.tolist(), -1]
        self.response_source: list[int] = [*table.response.source.tolist(), -1]
        self.kind = [KINDS.index(Kind(kind)) for kind in table.kinds.tolist()]
        self.document: list[int] = phrases.document.tolist()
        self.sentence: list[int] = phrases.sentence.tolist()
        self.token: list[int] = phrases.token.tolist()
        self.text: list[int] = phrases.text.tolist()
        self._phrases = phrases

    @cached_property
    def words(self) -> list[set[int]]:
        """The content words of each row."""
        words: list[set[int]] = [set() for _ in self.text]
        content = np.flatnonzero(self._phrases.content)
        columns = self._phrases.owner[content].tolist(), self._phrases.word[content].tolist()
        for row, word in zip(*columns, strict=True):
            words[row].add(word)
        return words


@dataclass(eq=False)
class _Compared:
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
    """The fields of an :class:`Error`."""

    type: ErrorType
    rows: list[int]
    whole: _Compared
    key: int = -1
    response: int = -1
    other: int = -1
    other_row: int = -1


def _find_errors(diagnosis: Diagnosis, mentions: _Mentions, turn: list[int]) -> Iterator[_Found]:
    """All errors, each with its rows in text order."""
    table, first, twin = diagnosis.table, diagnosis.parts.first, diagnosis.twin.tolist()
    rows = np.argsort(turn).tolist()
    key, response = diagnosis.key.tolist(), diagnosis.response.tolist()
    key_rows, response_rows, found_rows = (
        defaultdict[int, _Compared](lambda: _Compared(mentions)) for _ in range(3)
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


def _known(indices: Iterable[int]) -> tuple[int, ...]:
    return tuple([index for index in indices if index >= 0])


METRIC = "LEA"
"""The metric of the impact: the only entity-based one that a single error changes locally."""
NEW = -1
"""A response entity that a correction adds."""


class Impact:
    """The impact of single errors: the gain of LEA F1 if only this error is corrected.

    LEA's sums are, with n_kr the mentions that key entity k and response entity r share,

    - for precision, over response entities r of size S: S · Σ_k pairs(n_kr) / pairs(S), out of S;
    - for recall, over key entities k of size T: T · Σ_r pairs(n_kr) / pairs(T), out of T;

    and a singleton counts 1 if the other side has the same singleton. Correcting one error moves
    mentions of one key entity, and mentions that the key does not have, into or out of at most two
    response entities: only their terms are recomputed. The impacts of single errors do not add up
    to the cost of their type: corrections support each other.
    """

    def __init__(self, diagnosis: Diagnosis, *, keep_singletons: bool = True) -> None:
        table, cells = diagnosis.table, diagnosis.table.cells
        self._least = 1 if keep_singletons else 2
        self._key_entity: list[int] = table.key_entity.tolist()
        self._response_entity: list[int] = table.response_entity.tolist()
        self._key: list[int] = diagnosis.key.tolist()
        self._response: list[int] = diagnosis.response.tolist()
        self._main: list[int] = diagnosis.main.tolist()
        self._largest: list[int] = diagnosis.largest.tolist()
        self._key_size: list[int] = table.key.size.tolist()
        # By response entity, and 0 for a new one: size, correct links, mentions of key singletons.
        alone = table.key.size[cells.key] == 1
        columns = (
            table.response.size,
            np.bincount(cells.response, pairs(cells.count), minlength=len(table.response)),
            np.bincount(cells.response, alone, minlength=len(table.response)),
        )
        self._size, self._links, self._alone = ([*map(int, column), 0] for column in columns)
        names = zip(cells.key.tolist(), cells.response.tolist(), strict=True)
        self._shared = dict(zip(names, cells.count.tolist(), strict=True))
        extra = diagnosis.status == MentionStatus.EXTRA
        self._extra_mentions = Counter(table.response_entity[extra].tolist())
        lengths = zip(self._size, self._links, self._alone, strict=True)
        self._precision = sum(_resolved(*one) for one in lengths)
        self._recall = sum(self._key_size) * (1 - float(resolution_lost(table).sum()))
        self._whole, self._key_mentions = sum(self._size), sum(self._key_size)
        self._f1 = self._f_measure(self._precision, self._whole, self._recall)

    def __call__(self, type_: ErrorType, rows: Sequence[int]) -> float:
        """The impact of an error, given by its rows of the table."""
        key, source = self._key[rows[0]], self._response[rows[0]]
        # Response entities, and the mentions of the key entity and others that they gain.
        changes: list[tuple[int, int, int]]
        if type_ is ErrorType.SPAN:
            changes = [(source, 1, -1)]
        elif type_ is ErrorType.MISSING_MENTION:
            changes = [(source, 1, 0)]
        elif type_ is ErrorType.MISSING_ENTITY:
            changes = [(NEW, len(rows), 0)]
        elif type_ in (ErrorType.EXTRA_MENTION, ErrorType.EXTRA_ENTITY):
            changes = [(source, 0, -len(rows))]
        else:
            moved = [row for row in rows if self._response_entity[row] >= 0]
            own = sum(self._key_entity[row] >= 0 for row in moved)
            others, target = len(moved) - own, NEW
            if type_ is ErrorType.SPLIT:
                target = self._largest[key]
                if self._main[source] == key:
                    # Extra mentions belong to the main part, and move with it.
                    others += self._extra_mentions[source]
            changes = [(source, -own, -others), (target, own, others)]
        precision, whole, recall = self._precision, self._whole, self._recall
        for response, own, others in changes:
            terms = self._changed(response, key, own, others)
            precision, whole, recall = precision + terms[0], whole + terms[1], recall + terms[2]
        return self._f_measure(precision, whole, recall) - self._f1

    def _changed(self, response: int, key: int, own: int, others: int) -> tuple[float, int, float]:
        """Changes of precision part, precision whole and recall part."""
        old = self._size[response], self._links[response], self._alone[response]
        size, links, alone = old[0] + own + others, old[1], old[2]
        recall = 0.0
        if own:
            before = self._shared.get((key, response), 0)
            added = (before + own) * (before + own - 1) // 2 - before * (before - 1) // 2
            links += added
            recall += 2 * added / max(self._key_size[key] - 1, 1)
            alone += own if self._key_size[key] == 1 else 0
        new = (size, links, alone) if size >= self._least else (0, 0, 0)
        recall += (new[2] if new[0] == 1 else 0) - (old[2] if old[0] == 1 else 0)
        return _resolved(*new) - _resolved(*old), new[0] - old[0], recall

    def _f_measure(self, precision_part: float, size: int, recall_part: float) -> float:
        precision = precision_part / max(size, 1)
        recall = recall_part / max(self._key_mentions, 1)
        total = precision + recall
        return 2 * precision * recall / total if total > 0 else 0.0


def _resolved(size: int, links: int, alone: int) -> float:
    """The term of a response entity in the sum of precision."""
    return alone if size == 1 else 2 * links / max(size - 1, 1)


def resolution_lost(table: MentionTable) -> FloatArray:
    """The share of missing LEA recall per key entity; together they are 1 − recall."""
    size = table.key.size.astype(np.float64)
    cells = table.cells
    alone = (table.key.size[cells.key] == 1) & (table.response.size[cells.response] == 1)
    links = np.bincount(cells.key, pairs(cells.count) + alone, minlength=len(size))
    found = size * links / np.maximum(pairs(size), 1)
    return (size - found) / max(float(size.sum()), 1.0)
