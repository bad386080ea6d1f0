"""Suspects: places where several systems agree with each other against the key.

Each system in turn takes the place of the key, and the key that of a response: its *errors* are the
places where it differs from the system. An error that two or more systems share is a suspect:

- *missing mention*, *missing entity*: the key lacks a mention or an entity;
- *span*: a mention of the key has other boundaries in the systems;
- *missing link*: two entities of the key are one (at least half of the smaller is concerned);
- *wrong link*: some mentions of an entity of the key are in another entity, or one of their own.

Mentions that only the key has are no suspects: systems miss many. Suspects are ranked by the
log-likelihood ratio of "the key is wrong" and "the key is right", as if systems were independent:
Σ log(q/f) over the systems that agree and Σ log((1−q)/(1−f)) over the others, with q the LEA F1 of
a system and f the share of its mentions or entities that call the key wrong in this way; a missing
entity counts as its missing mentions. Many and good systems that rarely differ from the key thus
weigh most.

``corefine suspects --view`` judges them one by one on the page of adjudication. The key is the only
annotator; the versions of the systems are shown. *Key wrong* changes the gold, *systems wrong* and
*debatable* are only logged. A question refers to the place of a suspect, so that a judgement
outlives a change of the systems.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, ClassVar, NamedTuple

import numpy as np

from corefine.corpus.arrays import IntArray
from corefine.corpus.corpus import Corpus
from corefine.corpus.document import Document, Mention
from corefine.curating.adjudication import Adjudication
from corefine.curating.desk import Desk, GoldMention
from corefine.curating.questions import Option, Question, Reply, Spans, Versions
from corefine.errors import UsageError
from corefine.explaining.diagnosis import Diagnosis, ErrorType
from corefine.explaining.error_analysis import Error, Errors
from corefine.explaining.phrases import Phrases
from corefine.matching.matching import Matching
from corefine.metrics.table import MentionTable
from corefine.output.grid import Column, Grid
from corefine.output.progress import Progress, silent
from corefine.output.result import Result, Tables, plain_values
from corefine.scoring.count import count_table, tabulate
from corefine.scoring.request import Request
from corefine.scoring.sides import SideLike, read_side

SHOWN = 15
"""Suspects that are shown by default."""
NEEDED = {
    "twinless": "none",
    "scope": "document",
    "window": None,
    "split_antecedents": "ignore",
    "layer": "identity",
    "align": "tolerant",
}
"""Settings that change what a mention or a document is, with the only value that is accepted."""
_OF_MENTIONS = ("missing mention", "span")
"""Types whose rate is per mention; other rates are per entity."""
_RATED_AS = {"missing entity": "missing mention"}
"""Types that take the rate of another type, since few systems add or miss whole entities."""


@dataclass(frozen=True, slots=True)
class Suspect:
    """A place where systems agree against the key. Mentions are spans of tokens of a document."""

    type: str
    document: str
    mentions: tuple[Spans, ...]
    """The mentions that are missing, have another span, or belong elsewhere."""
    entities: tuple[Spans, ...]
    """The first mention of each key entity that is concerned; for a span, the mention itself."""
    systems: tuple[str, ...]
    """The systems that agree."""
    odds: float
    """The natural logarithm of the likelihood ratio."""
    gain: float
    """The mean gain of LEA F1 of these systems if the key were corrected here, from 0 to 1."""
    text: str
    """The difference in words."""
    sentence: str
    """The sentence of the first mention, which is in brackets."""


@dataclass(frozen=True, eq=False, repr=False)
class Suspects(Result):
    """Suspects from the most to the least suspicious; returned by :func:`suspects`."""

    key: Corpus
    found: tuple[Suspect, ...]
    f1: dict[str, float]
    """LEA F1 of each system."""
    contested: dict[str, float]
    """LEA F1 that each system gains if the key is corrected at all suspects."""
    warnings: tuple[str, ...] = ()
    responses: Mapping[str, Corpus] = field(default_factory=dict)
    """The systems as they were matched, with the documents of the key."""

    default_rows: ClassVar[Mapping[str, int]] = {"suspects": SHOWN}
    default_tables = ("suspects",)

    def __len__(self) -> int:
        return len(self.found)

    def __iter__(self) -> Iterator[Suspect]:
        return iter(self.found)

    def __getitem__(self, number: int) -> Suspect:
        return self.found[number]

    @property
    def verdict(self) -> str:
        """The number of suspects, and the points that each system would gain."""
        points = ", ".join(
            f"{name} {100 * self.contested[name]:.1f} of {100 * (1 - f1):.1f}"
            for name, f1 in self.f1.items()
        )
        places = f"{len(self):,} place{'s' * (len(self) != 1)} where systems agree against the key."
        return f"{places} Contested LEA points: {points}."

    def corrected(self, count: int | None = None) -> Corpus:
        """The key with the first suspects (by default all) corrected, as a pre-annotation."""
        by_document: dict[str, list[Suspect]] = defaultdict(list)
        for one in self.found[:count]:
            by_document[one.document].append(one)
        documents = list(self.key)
        for document in documents:
            correct(document, by_document[document.name])
        return Corpus.from_documents(documents, self.key.format)

    def table_functions(self) -> Tables:
        return TABLES

    def to_dict(self) -> dict[str, Any]:
        return {
            "systems": {
                name: {"lea": f1, "contested": self.contested[name]} for name, f1 in self.f1.items()
            },
            "suspects": list(map(plain_values, self.found)),
            "warnings": list(self.warnings),
        }


def suspects_grid(result: Suspects) -> Grid:
    """One row per suspect, the most suspicious first."""
    return Grid.of(
        result.found,
        {
            Column("suspect", name="type", shortest=15): "type",
            Column("document", priority=1): "document",
            Column("systems", "integer", priority=1): lambda one: len(one.systems),
            Column("odds", "decimal", priority=2): "odds",
            Column("LEA", "difference", "gain"): "gain",
            Column("difference", name="text", shortest=40): "text",
            Column("sentence", shortest=20, priority=4): "sentence",
            Column("names", name="systems_agreeing", priority=5): lambda one: " ".join(one.systems),
        },
    )


TABLES: Tables = {"suspects": suspects_grid}


class _Vote(NamedTuple):
    """A place where a system calls the key wrong."""

    type: str
    document: str
    mentions: frozenset[Spans]
    entities: tuple[Spans, ...]
    gain: float
    words: Callable[[], str]
    """The difference in words."""

    def agrees(self, other: _Vote) -> bool:
        """True if two votes mean the same: of an entity, more than half of the mentions."""
        if self.type in ("wrong link", "missing entity"):
            return 2 * len(self.mentions & other.mentions) > len(self.mentions | other.mentions)
        return self.mentions == other.mentions


@dataclass(frozen=True, slots=True)
class _System:
    """A system, its votes, and the shares of its mentions or entities that vote so, by type."""

    corpus: Corpus
    matched: Corpus
    f1: float
    votes: list[_Vote]
    rates: dict[str, float]
    warnings: tuple[str, ...]


def suspects(
    key: SideLike,
    responses: Mapping[str, SideLike],
    *,
    key_format: str | None = None,
    response_format: str | None = None,
    progress: Progress = silent,
    **settings: Any,
) -> Suspects:
    """Find places where systems agree with each other against the key.

    ``responses`` are two or more systems by name; all files need the same tokens. The settings are
    those of :func:`corefine.score`.

    >>> key = {"d": [[(0, 0), (4, 4)], [(2, 2)]]}
    >>> systems = {name: {"d": [[(0, 0), (2, 2), (4, 4)]]} for name in "ab"}
    >>> [(one.type, one.systems) for one in suspects(key, systems)]
    [('missing link', ('a', 'b'))]
    """
    if len(responses) < 2:
        raise UsageError("at least two systems are needed, to agree against the key")
    request = Request.of("lea", kinds="none", **settings)
    for setting, needed in NEEDED.items():
        if (given := getattr(request.settings, setting)) != needed:
            written = setting.replace("_", "-")
            raise UsageError(
                f"suspects are places in whole documents: --{written} {given} does not apply",
                remedy=f"Leave out --{written}.",
                code="conflicting-settings",
            )
    allow_empty = request.settings.allow_empty
    ours = read_side(key, "key", key_format, frozenset(), progress, allow_empty=allow_empty)
    systems: dict[str, _System] = {}
    for number, (name, response) in enumerate(responses.items(), 1):
        progress("comparing", number, len(responses))
        theirs = read_side(
            response, f"response {name}", response_format, frozenset(), progress,
            allow_empty=allow_empty,
        )  # fmt: skip
        systems[name] = _compared(name, ours, theirs, request)
    documents = {document.name: document for document in ours}
    found = [
        Suspect(
            first.type,
            first.document,
            tuple(sorted(first.mentions)),
            first.entities,
            tuple(gains),
            _odds(first.type, gains, systems),
            sum(gains.values()) / len(gains),
            first.words(),
            _sentence(documents[first.document], min(first.mentions or first.entities[-1:])),
        )
        for first, gains in _shared_votes(systems)
    ]
    found.sort(key=lambda one: (-one.odds, -one.gain, one.document, one.mentions, one.entities))
    result = Suspects(
        ours,
        tuple(found),
        {name: system.f1 for name, system in systems.items()},
        {},
        tuple(dict.fromkeys(text for system in systems.values() for text in system.warnings)),
        {name: system.matched for name, system in systems.items()},
    )
    corrected = result.corrected()
    for name, system in systems.items():
        new = count_table(tabulate(corrected, system.corpus, request), request).scores()["lea"].f1
        result.contested[name] = new - system.f1
    return result


def _compared(name: str, ours: Corpus, theirs: Corpus, request: Request) -> _System:
    """Compare a system with the key, which takes the place of the response."""
    scored = tabulate(ours, theirs, request)
    if not _same_tokens(ours, scored.matching.response):
        raise UsageError(
            f"suspects needs the key's tokenisation; convert the response {name} first"
        )
    matching = _turned(scored.matching)
    table = MentionTable.of(matching)
    phrases = Phrases.of(matching)
    diagnosis = Diagnosis.of(table, phrases)
    errors = Errors(diagnosis, phrases)
    first = _first_mentions(matching.response, table.response.source)
    votes = [vote for error in errors if (vote := _vote(error, errors, diagnosis, first))]
    counts: Counter[str] = Counter()
    for vote in votes:
        if vote.type in _RATED_AS:
            counts[_RATED_AS[vote.type]] += len(vote.mentions)
        else:
            counts[vote.type] += 1
    sizes = (len(matching.key.mentions), len(table.key))
    rates = {
        type_: count / max(sizes[type_ not in _OF_MENTIONS], count + 1)
        for type_, count in counts.items()
    }
    f1 = count_table(scored, request).scores()["lea"].f1
    return _System(theirs, matching.key, f1, votes, rates, scored.matching.provenance.warnings)


def _shared_votes(systems: Mapping[str, _System]) -> Iterator[tuple[_Vote, dict[str, float]]]:
    """The first vote for each place on which two or more systems agree, and the gain of each."""
    places: dict[Hashable, list[tuple[_Vote, dict[str, float]]]] = defaultdict(list)
    for name, system in systems.items():
        for vote in system.votes:
            same = places[vote.type, vote.document, vote.entities]
            gains = next((gains for first, gains in same if first.agrees(vote)), None)
            if gains is None:
                same.append((vote, gains := {}))
            gains[name] = vote.gain
    for groups in places.values():
        yield from (group for group in groups if len(group[1]) > 1)


def _turned(matching: Matching) -> Matching:
    """Swap the sides of a matching: the response takes the place of the key."""
    theirs = matching.response_mention
    order = np.lexsort((np.where(theirs < 0, matching.key_mention, theirs), theirs < 0))
    return replace(
        matching,
        key=replace(matching.response, documents=matching.key.documents),
        response=matching.key,
        key_mention=theirs[order],
        response_mention=matching.key_mention[order],
    )


def _same_tokens(ours: Corpus, theirs: Corpus) -> bool:
    if ours.tokens is None or theirs.tokens is None:
        return ours.tokens is theirs.tokens
    return len(ours.tokens) == len(theirs.tokens)


def _vote(
    error: Error, errors: Errors, diagnosis: Diagnosis, first: Sequence[Spans]
) -> _Vote | None:
    """The vote of an error of the key; None if it is no suspect.

    The diagnosis has the system in the place of the key, and the key in that of the response.
    """
    table, matching = diagnosis.table, diagnosis.table.matching
    theirs = frozenset(_spans(matching.key, mention) for mention in error.key_mentions)
    ours = frozenset(_spans(matching.response, mention) for mention in error.response_mentions)
    entity = int(diagnosis.response[error.rows[0]])
    said: tuple[str, frozenset[Spans], tuple[Spans, ...]]
    if error.type is ErrorType.SPAN:
        said = "span", theirs, tuple(ours)
    elif error.type is ErrorType.MISSING_MENTION:
        said = "missing mention", theirs, (first[entity],)
    elif error.type is ErrorType.MISSING_ENTITY and len(theirs) > 1:
        said = "missing entity", theirs, ()
    elif error.type is ErrorType.SPLIT and 2 * len(ours) >= table.response.size[entity]:
        largest = int(diagnosis.largest[diagnosis.key[error.rows[0]]])
        said = "missing link", frozenset(), tuple(sorted((first[entity], first[largest])))
    elif error.type is ErrorType.MERGED:
        said = "wrong link", ours, (first[entity],)
    else:
        return None
    type_, mentions, entities = said
    words = partial(_in_words, errors, error)
    return _Vote(type_, error.document, mentions, entities, error.impact, words)


def _spans(corpus: Corpus, mention: int) -> Spans:
    return tuple(corpus.pieces_of(mention))


def _first_mentions(corpus: Corpus, entities: IntArray) -> list[Spans]:
    """The first mention of each of these entities."""
    first: dict[int, Spans] = {}
    for mention, entity in enumerate(corpus.mentions.entity.tolist()):
        spans = _spans(corpus, mention)
        first[entity] = min(first.get(entity, spans), spans)
    return [first[entity] for entity in entities.tolist()]


def _in_words(errors: Errors, error: Error) -> str:
    """The difference in words, from the point of view of the systems."""
    if error.type is ErrorType.SPAN:
        found = errors.matching.response.text_of(error.response_mentions[0])
        return f"“{found}” should be “{error.text}”"
    return errors.in_words(error)


def _odds(type_: str, agreeing: Collection[str], systems: Mapping[str, _System]) -> float:
    """The log-likelihood ratio that the key is wrong."""
    odds = 0.0
    for name, system in systems.items():
        right = min(max(system.f1, 0.01), 0.99)
        wrong = system.rates.get(_RATED_AS.get(type_, type_), 0.0)
        odds += math.log(right / wrong) if name in agreeing else math.log((1 - right) / (1 - wrong))
    return odds


def _sentence(document: Document, mention: Spans) -> str:
    """The sentence of a mention, which is in brackets."""
    if document.tokens is None:
        return ""
    start, stop = mention[0][0], mention[-1][1]
    bounds = [*document.starts, len(document.tokens)]
    first = max((one for one in bounds if one <= start), default=0)
    last = min((one for one in bounds if one >= stop), default=stop)
    before, inside, after = (
        " ".join(document.tokens[a:b]) for a, b in ((first, start), (start, stop), (stop, last))
    )
    return f"{before} [{inside}] {after}".strip()


def correct(document: Document, wrong: Sequence[Suspect]) -> None:
    """Correct a document of the key at some suspects; those that are obsolete are left out."""
    mentions = {tuple(one.spans): one for one in document.mentions}
    for number, suspect in enumerate(wrong):
        known = [mentions[one] for one in suspect.entities if one in mentions]
        if len(known) < len(suspect.entities):
            continue
        new: str | int = f"suspect {number + 1}"
        if suspect.type == "missing mention":
            new = known[0].entity
        elif suspect.type == "missing link":
            kept, moved = known[0].entity, known[1].entity
            for one in document.mentions:
                one.entity = kept if one.entity == moved else one.entity
        elif suspect.type == "span":
            (spans,) = suspect.mentions
            if spans not in mentions:
                known[0].spans, known[0].head, known[0].minimum = list(spans), None, None
                mentions[spans] = mentions.pop(suspect.entities[0])
            continue
        for spans in suspect.mentions:
            if spans in mentions:
                mentions[spans].entity = new
            else:
                mentions[spans] = Mention(new, list(spans))
                document.mentions.append(mentions[spans])


MARKS = ("key wrong", "systems wrong", "debatable")
"""Judgements of a suspect."""


@dataclass(eq=False, repr=False)
class JudgedKey(Versions):
    """A document of the key, the only version, and its suspects by name of their question."""

    suspects: Mapping[str, Suspect]


class SuspectDesk(Desk):
    """A document of the key and its suspects."""

    versions: JudgedKey

    def ask(self) -> dict[str, Question]:
        return {
            name: self.versions.question(
                "suspect",
                name,
                one.mentions or one.entities,
                f"{one.type}: {one.text}",
                [
                    Option(mark, one.systems if mark == MARKS[0] else (), {"mark": mark})
                    for mark in MARKS
                ],
                len(one.mentions or one.entities),
                # Systems propose nothing: a person says whether the key is wrong.
                annotators=2 * len(one.systems),
            )
            for name, one in self.versions.suspects.items()
        }

    def _choice_stands(self, question: Question, choice: Reply) -> bool:
        if choice.get("mark") not in MARKS:
            raise UsageError("not a judgement of a suspect", remedy=f"Use {', '.join(MARKS)}.")
        return True

    def decided_gold(self) -> list[GoldMention]:
        """The key, corrected where it was judged wrong."""
        base = self.versions.base
        corrected = replace(base, mentions=[replace(one) for one in base.mentions])
        wrong = [name for name in self.answers if self._choice(name)["mark"] == MARKS[0]]
        correct(corrected, [self.versions.suspects[name] for name in wrong])
        self.names = dict.fromkeys(one.entity for one in corrected.mentions)
        numbers = {entity: number for number, entity in enumerate(self.names)}
        return [
            GoldMention(tuple(one.spans), numbers[one.entity], attributes=one)
            for one in corrected.mentions
        ]

    def label(self, number: int, entity: int) -> Any:
        """The name of an entity in the key."""
        names = list(self.names)
        return names[entity] if entity < len(names) else f"new {number}"


class SuspectReview(Adjudication):
    """The key under judgement, and the systems to compare it with."""

    title: ClassVar[str] = "Suspects"
    desk_type: ClassVar[type[Desk]] = SuspectDesk

    def __init__(self, found: Suspects) -> None:
        self.systems = {
            name: {document.name: document for document in corpus}
            for name, corpus in found.responses.items()
        }
        suspects: dict[str, dict[str, Suspect]] = defaultdict(dict)
        for one in found:
            suspects[one.document][_id(one)] = one
        documents: dict[str, Versions] = {
            document.name: JudgedKey({"key": document}, suspects[document.name])
            for document in found.key
        }
        super().__init__({"key": found.key}, documents)

    def sides(self, document: str) -> Mapping[str, Document]:
        systems = {name: by_name[document] for name, by_name in self.systems.items()}
        return {"key": self.documents[document].base, **systems}

    @property
    def verdict(self) -> str:
        """The number of suspects by judgement."""
        marks = Counter(
            desk.in_words(desk.questions[question])
            for desk in map(self.desk, self.documents)
            for question in desk.answers
        )
        said = ", ".join(f"{marks[mark]:,} {mark}" for mark in MARKS)
        return f"{marks.total():,} of {len(self.questions):,} suspects judged: {said}."

    @property
    def header(self) -> dict[str, Any]:
        return {"suspects": 1, "key": self.fingerprint}


def _id(one: Suspect) -> str:
    """Name of the question about a suspect: its document, type, mentions and entities."""
    content = json.dumps([one.type, one.mentions, one.entities])
    return f"{one.document}:suspect:{hashlib.sha256(content.encode()).hexdigest()[:12]}"
