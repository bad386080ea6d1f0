"""``corefine.adjudicate``: one gold annotation from two or more annotators.

Annotators are compared as :mod:`corefine.curating.questions`. Every answer, and every change that a
curator makes beside the questions, is an :class:`Entry` of a log. The gold follows from the
annotations and the log alone, so that replaying a log gives the same gold.
"""

from __future__ import annotations

import hashlib
import json
import operator
import os
import secrets
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import UTC, datetime
from functools import cached_property
from itertools import chain, combinations
from typing import Any, ClassVar, Literal, get_args

from corefine.corpus.columns import Kind, Relation
from corefine.corpus.corpus import Corpus
from corefine.corpus.document import Document, Mention, connected_components
from corefine.curating.log import DecisionLog, read_records
from corefine.curating.questions import (
    Pieces,
    Question,
    Spans,
    Unit,
    Versions,
    attribute_questions,
    attribute_values,
    rule_links,
)
from corefine.errors import (
    AlignmentError,
    Caution,
    CorefineError,
    FormatError,
    Location,
    UsageError,
    choose,
    code_of,
    emitting,
)
from corefine.matching.documents import pair_documents
from corefine.matching.settings import Settings
from corefine.output.plain_text import counted
from corefine.output.progress import Progress, silent
from corefine.output.result import Result, Tables
from corefine.output.saving import write_atomically
from corefine.scoring.score import score
from corefine.scoring.sides import SideLike, named_sides

Rule = Literal["majority", "union", "intersection", "first"]
RULES: dict[Rule, str] = {
    "majority": "mentions and links of more than half of the annotators",
    "union": "mentions and links of any annotator",
    "intersection": "mentions and links of all annotators",
    "first": "the version of the first annotator",
}
Action = Literal[
    "answer", "accept", "rule", "move", "merge", "add", "respan", "drop",
    "flag", "skip", "comment", "undo", "redo",
]  # fmt: skip
ACTIONS: tuple[str, ...] = get_args(Action)
ANSWERS = ("answer", "accept", "rule")
"""Actions that decide a question: by a curator, as it was proposed, or by a rule."""
EDITS = ("move", "merge", "add", "respan", "drop")
"""Actions that change the gold beside the questions."""
NOTES = ("flag", "skip", "comment")
VERSION = 2


@dataclass(frozen=True)
class Entry:
    """One line of a log: an answer, a change, a note, or the undoing of one of them."""

    do: Action
    document: str
    question: str = ""
    choice: Mapping[str, Any] | None = None
    """The answer to the question, as in :class:`~corefine.curating.questions.Option`."""
    mention: Spans | None = None
    """The mention of the gold that an edit changes."""
    spans: Spans | None = None
    """The spans that an added or changed mention gets."""
    to: Spans | None = None
    """A mention of the entity that a mention or its entity joins; None for a new entity."""
    entry: str = ""
    """The entry that is undone or done again."""
    by: str = ""
    reason: str = ""
    time: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))
    id: str = field(default_factory=lambda: secrets.token_hex(6))

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Entry:
        """The entry of a line; raises ValueError if it is none."""
        known = {one.name for one in fields(cls)}
        if not set(record) <= known or record.get("do") not in ACTIONS:
            raise ValueError("not an entry")
        values = dict(record)
        for name in ("mention", "spans", "to"):
            if values.get(name) is not None:
                values[name] = _spans(values[name])
        for name in known - {"choice", "mention", "spans", "to"}:
            if not isinstance(values.get(name, ""), str):
                raise ValueError("not an entry")
        if not isinstance(values.get("choice"), dict | None):
            raise ValueError("not an entry")
        return cls(**values)

    def to_record(self) -> dict[str, Any]:
        """The entry as the log has it, without what is empty."""
        return {name: value for name, value in asdict(self).items() if value not in (None, "")}


@dataclass(slots=True)
class GoldMention:
    """A mention of the gold; ``unit`` is None for one that no annotator has."""

    spans: Spans
    entity: int
    unit: Unit | None = None
    attributes: Mention | None = None
    """The mention that attributes are taken from, if it is not a unit."""


class Desk:
    """One document during the adjudication: its questions and gold under the entries so far."""

    def __init__(self, versions: Versions, entries: Sequence[Entry]) -> None:
        self.versions = versions
        self.entries = list(entries)
        decided = {one.question: one for one in entries if one.do in ANSWERS}
        self.questions = {question.id: question for question in self.ask(decided)}
        self.answers = {
            name: decided[name]
            for name in self.questions
            if name in decided and self._stands(decided[name])
        }
        self.gold = self.decided()
        for entry in entries:
            if entry.do in EDITS:
                self._edit(entry)

    def ask(self, decided: Mapping[str, Entry]) -> Iterable[Question]:
        """The questions that remain under the answers to span questions."""
        spans = self.versions.span_questions()
        answers = {one.id: decided[one.id].choice or {} for one in spans if one.id in decided}
        self.units = self.versions.units(answers)
        self.pieces = Pieces(self.versions, self.units)
        yield from spans
        yield from self.pieces.questions()
        yield from attribute_questions(self.versions, self.pieces, "type")
        yield from attribute_questions(self.versions, self.pieces, "head")

    def _stands(self, entry: Entry) -> bool:
        """False if later answers removed a mention that this answer links to."""
        return all(name in self.pieces.numbers for name in (entry.choice or {}).get("with", ()))

    @property
    def undecided(self) -> list[Question]:
        return [question for name, question in self.questions.items() if name not in self.answers]

    def decided(self) -> list[GoldMention]:
        """The mentions that all agree on or that answers decide."""
        pieces, left_out = self.pieces, set[int]()
        links = pieces.agreed_links()
        for piece in range(len(pieces.members)):
            name = pieces.id(piece)
            if name not in self.questions:
                continue
            choice = self.answers[name].choice if name in self.answers else None
            if choice is None or choice.get("drop"):
                left_out.add(piece)
            else:
                links += [(piece, pieces.numbers[target]) for target in choice["with"]]
        entity_of = connected_components(len(pieces.members), links)
        return [
            GoldMention(self.units[number].spans or (), entity_of[piece], self.units[number])
            for piece, members in enumerate(pieces.members)
            if piece not in left_out
            for number in members
            if self.units[number].spans is not None
        ]

    @cached_property
    def _stated(self) -> dict[tuple[str, Spans], Any]:
        """Decided types and heads by mention, in the span of its question."""
        return {
            (question.kind, spans): (answer.choice or {})["value"]
            for name, answer in self.answers.items()
            if (question := self.questions[name]).kind in ("type", "head")
            for spans in question.mentions
        }

    def gold_mention(self, entity: str, gold: GoldMention) -> Mention:
        """A mention with its attributes: the type and head that are agreed on or decided, and the
        kind, minimum span and other attributes that most of its annotators give."""
        mention = Mention(entity, list(gold.spans))
        if gold.unit is None:
            return mention
        versions = self.versions
        known = [versions.mention[name][place] for name, place in gold.unit.versions.items()]
        same = [one for one in known if tuple(one.spans) == gold.spans]
        kinds = [one.kind for one in known if one.kind is not Kind.UNKNOWN]
        mention.kind = _most_common(kinds) if kinds else Kind.UNKNOWN
        mention.minimum = _most_common([one.minimum for one in same if one.minimum is not None])
        for name in sorted({name for one in known for name in one.attributes}):
            mention.attributes[name] = _most_common([one.attributes.get(name, "") for one in known])
        question_span = gold.unit.first[0] if gold.unit.spans is None else gold.unit.spans
        for kind in ("type", "head"):
            agreed = set(attribute_values(versions, gold.unit, kind).values())
            value = agreed.pop() if len(agreed) == 1 else None
            setattr(mention, kind, self._stated.get((kind, question_span), value))
        if mention.head is not None and not any(a <= mention.head < b for a, b in gold.spans):
            mention.head = None  # the span was changed since
        return mention

    def _find(self, spans: Spans | None) -> GoldMention:
        for mention in self.gold:
            if mention.spans == spans:
                return mention
        shown = "" if not spans else f" “{self.versions.text(spans)}”"
        raise UsageError(f"the gold has no mention{shown} there", remedy="Decide on it first.")

    def _edit(self, entry: Entry) -> None:
        """Apply a change to the gold."""
        new = 1 + max((mention.entity for mention in self.gold), default=-1)
        target = new if entry.to is None else self._find(entry.to).entity
        if entry.do == "add":
            self.gold.append(GoldMention(entry.spans or (), target))
            return
        mention = self._find(entry.mention)
        if entry.do == "move":
            mention.entity = target
        elif entry.do == "respan":
            mention.spans = entry.spans or ()
        elif entry.do == "drop":
            self.gold.remove(mention)
        elif entry.do == "merge":
            entity = mention.entity
            for one in self.gold:
                one.entity = target if one.entity == entity else one.entity

    def check(self, entry: Entry) -> None:
        """Raise an error unless an entry fits the document and leaves a sound gold."""
        if entry.do in ANSWERS:
            self._check_answer(entry)
        elif entry.do in EDITS:
            if entry.do in ("add", "respan"):
                self._check_spans(entry.spans)
            if entry.do != "add" or entry.to is not None:
                self._find(entry.mention if entry.do != "add" else entry.to)
        elif entry.question and entry.question not in self.questions:
            raise UsageError(f"there is no question {entry.question!r}")
        if entry.do in (*ANSWERS, *EDITS):
            before = Counter(mention.spans for mention in self.gold)
            after = Counter(mention.spans for mention in self.with_entry(entry).gold)
            for spans, times in after.items():
                if times > max(1, before[spans]) and times > self._agreed_times(spans):
                    raise UsageError(
                        f"the mention “{self.versions.text(spans)}” would be there twice"
                    )

    def with_entry(self, entry: Entry) -> Desk:
        """The document as it is after one more entry."""
        return Desk(self.versions, [*self.entries, entry])

    def _agreed_times(self, spans: Spans) -> int:
        """How many entities the annotators put a mention into."""
        return sum(place[0] == spans for place in self.versions.holders)

    def _check_answer(self, entry: Entry) -> None:
        question, choice = self.questions.get(entry.question), entry.choice
        if question is None:
            raise UsageError(f"there is no question {entry.question!r}")
        try:
            if choice is None:
                raise KeyError
            if question.kind == "span":
                chosen = [_spans(spans) for spans in choice["spans"]]
                for spans in chosen:
                    self._check_spans(spans)
                if len(set(chosen)) < len(chosen):
                    raise UsageError("a span is chosen twice")
            elif question.kind == "link" and choice.get("drop") is not True:
                unknown = [name for name in choice["with"] if name not in self.pieces.numbers]
                if unknown or entry.question in choice["with"]:
                    raise UsageError(
                        f"{entry.question!r} cannot be linked with {unknown or 'itself'}"
                    )
            elif question.kind == "type" and not isinstance(choice["value"], str):
                raise UsageError("a type is a word")
            elif question.kind == "head":
                inside = {t for m in question.mentions for a, b in m for t in range(a, b)}
                if choice["value"] not in inside or isinstance(choice["value"], bool):
                    raise UsageError("the head is not a token of the mention")
        except (KeyError, TypeError, ValueError, AttributeError):
            raise UsageError(f"not an answer to a question about a {question.kind}") from None

    def _check_spans(self, spans: Spans | None) -> None:
        tokens = self.versions.base.tokens or []
        ends = [0, *(end for span in spans or () for end in span)]
        apart = all(a[1] < b[0] for a, b in zip(spans or (), (spans or ())[1:], strict=False))
        if not spans or ends != sorted(ends) or ends[-1] > len(tokens) or not apart:
            raise UsageError(f"{spans} are no spans of {self.versions.name!r}")
        if any(start == stop for start, stop in spans):
            raise UsageError("a mention without tokens")

    def by_rule(self, rule: Rule, first: str) -> list[Entry]:
        """Answers of a rule to all open questions of the stage that is next: spans, then others."""
        open_questions = self.undecided
        stage = [q for q in open_questions if q.kind == "span"] or open_questions
        annotators = len(self.versions.names)
        needed = {"majority": annotators // 2 + 1, "union": 1, "intersection": annotators}.get(rule)
        chosen: dict[str, Mapping[str, Any]] = {}
        linked: dict[int, set[int]] = defaultdict(set)
        if needed is not None and any(question.kind == "link" for question in stage):
            for first_piece, piece in rule_links(self.pieces, needed):
                linked[piece].add(first_piece)
        for question in stage:
            if needed is None:
                mine = [one.choice for one in question.options if first in one.by]
                other = question.options[0].choice if question.kind in ("type", "head") else {}
                chosen[question.id] = mine[0] if mine else other or _nothing(question)
            elif question.kind == "span":
                spans = [one.choice["spans"] for one in question.options if len(one.by) >= needed]
                chosen[question.id] = {"spans": list(chain.from_iterable(spans))}
            elif question.kind == "link":
                piece = self.pieces.numbers[question.id]
                present = sum(owner >= 0 for owner in self.pieces.owners[piece])
                targets = sorted(linked[piece] - {piece})
                joined = {"with": [self.pieces.id(target) for target in targets]}
                chosen[question.id] = joined if present >= needed else {"drop": True}
            else:
                chosen[question.id] = question.options[0].choice
        return [
            Entry("rule", self.versions.name, question, choice, by=f"rule {rule}")
            for question, choice in chosen.items()
        ]


def _nothing(question: Question) -> dict[str, Any]:
    return {"spans": []} if question.kind == "span" else {"with": []}


@dataclass(eq=False, repr=False)
class Adjudication(Result):
    """Annotations, what they differ on, the entries of the log, and the gold that results.

    Tables: ``annotators`` (agreement before and after), ``questions`` (what differs, and the
    decisions), ``profiles`` (how each annotator differs from the gold) and ``comments``.

    >>> from corefine import Corpus, adjudicate
    >>> first = Corpus.from_spans(["Anna", "left", "her"], [[(0, 1), (2, 3)]])
    >>> second = Corpus.from_spans(["Anna", "left", "her"], [[(0, 1)]])
    >>> adjudication = adjudicate({"anna": first, "ben": second}, rule=None)
    >>> [question.text for question in adjudication.undecided]
    ['ben lacks: her']
    """

    default_rows: ClassVar[Mapping[str, int]] = {"questions": 10, "comments": 10}
    default_tables = ("annotators", "questions")

    annotators: dict[str, Corpus]
    documents: dict[str, Versions]
    rule: Rule | None = None
    entries: list[Entry] = field(default_factory=list)
    warnings: tuple[str, ...] = ()
    log: DecisionLog | None = None

    def __post_init__(self) -> None:
        self._desks: dict[str, Desk] = {}
        self._of_document: dict[str, list[Entry]] = defaultdict(list)
        self._done: list[Entry] = []
        self._undone: list[Entry] = []

    def desk(self, document: str) -> Desk:
        """A document with its questions and gold."""
        if document not in self._desks:
            if document not in self.documents:
                raise UsageError(f"there is no document {document!r}")
            self._desks[document] = self.make_desk(document, self._effective(document))
        return self._desks[document]

    def make_desk(self, document: str, entries: Sequence[Entry]) -> Desk:
        """A document under some entries."""
        return Desk(self.documents[document], entries)

    def _effective(self, document: str) -> list[Entry]:
        """The entries of a document that are not undone."""
        undone = {}
        for entry in self._of_document[document]:
            if entry.do in ("undo", "redo"):
                undone[entry.entry] = entry.do == "undo"
        return [
            entry
            for entry in self._of_document[document]
            if entry.do not in ("undo", "redo") and not undone.get(entry.id)
        ]

    title: ClassVar[str] = "Adjudication"

    @property
    def voices(self) -> tuple[str, ...]:
        """Names of those whose versions are shown."""
        return tuple(self.annotators)

    def shown_versions(self, document: str) -> dict[str, list[list[Spans]]]:
        """The entities of each voice in a document."""
        return {
            name: [
                [tuple(mention.spans) for mention in mentions]
                for mentions in self.documents[document].documents[name].entities.values()
            ]
            for name in self.voices
        }

    def revision(self, document: str) -> int:
        """Number of entries on a document."""
        return len(self._of_document[document])

    @property
    def questions(self) -> list[Question]:
        """All questions, in the order of documents."""
        return [q for name in self.documents for q in self.desk(name).questions.values()]

    @property
    def undecided(self) -> list[Question]:
        """Questions without an answer."""
        return [q for name in self.documents for q in self.desk(name).undecided]

    def answer(self, question: str) -> Entry | None:
        """The entry that decides a question."""
        for name in self.documents:
            if question in self.desk(name).answers:
                return self.desk(name).answers[question]
        return None

    def do(self, entry: Entry) -> None:
        """Add an entry: first to the log, if there is one, then to the adjudication."""
        if entry.do in ("undo", "redo"):
            self._require_reversible(entry)
        else:
            self.desk(entry.document).check(entry)
        if self.log is not None:
            self.log.append(entry.to_record())
        self._take(entry)

    def _take(self, entry: Entry) -> None:
        """Add an entry to those in memory."""
        if entry.do in ("undo", "redo"):
            self._require_reversible(entry)
            there, back = (self._done, self._undone)[:: 1 if entry.do == "undo" else -1]
            back.append(there.pop())
        else:
            self._done.append(entry)
            self._undone.clear()
        self.entries.append(entry)
        self._of_document[entry.document].append(entry)
        self._desks.pop(entry.document, None)

    def _require_reversible(self, entry: Entry) -> None:
        stack = self._done if entry.do == "undo" else self._undone
        if not stack or stack[-1].id != entry.entry:
            raise UsageError(f"the entry to {entry.do} is not the last one")

    @property
    def undoable(self) -> bool:
        """True if there is an entry to undo."""
        return bool(self._done)

    @property
    def redoable(self) -> bool:
        """True if an undone entry can be done again."""
        return bool(self._undone)

    def undo(self, by: str = "") -> Entry | None:
        """Undo the last entry; returns the new entry of the log, or None if there is nothing."""
        return self._reverse("undo", self._done, by)

    def redo(self, by: str = "") -> Entry | None:
        """Do the last undone entry again."""
        return self._reverse("redo", self._undone, by)

    def _reverse(self, do: Literal["undo", "redo"], stack: list[Entry], by: str) -> Entry | None:
        if not stack:
            return None
        last = stack[-1]
        entry = Entry(do, last.document, last.question, entry=last.id, by=by)
        self.do(entry)
        return entry

    def replay(self, records: Iterable[tuple[Mapping[str, Any], Location]]) -> None:
        """Take the entries of a log over; an error names the line that does not fit."""
        last: dict[str, Location] = {}
        for record, where in records:
            try:
                entry = Entry.from_record(record)
            except (ValueError, TypeError, KeyError, OverflowError):
                raise FormatError("not an entry of an adjudication", where) from None
            if entry.document not in self.documents:
                raise FormatError(f"there is no document {entry.document!r}", where)
            try:
                self._take(entry)
            except UsageError as error:
                raise FormatError(error.message, where) from None
            last[entry.document] = where
        for document, where in last.items():
            try:
                self.desk(document)
            except (CorefineError, KeyError, TypeError, ValueError) as error:
                raise FormatError(f"the log does not fit: {error}", where) from None

    @contextmanager
    def logging(self, path: str | os.PathLike[str]) -> Iterator[None]:
        """Take over the entries of a log, and append new ones to it within the context."""
        with DecisionLog(path, self.header) as log:
            self.replay(log.records())
            self.log = log
            try:
                yield
            finally:
                self.log = None

    def decide_by_rule(self, rule: Rule) -> list[Entry]:
        """Answer all open questions by a rule; returns the new entries."""
        choose("rule", rule, tuple(RULES))
        first = next(iter(self.annotators))
        new: list[Entry] = []
        for document in self.documents:
            for _stage in ("spans", "links and attributes", "attributes that links uncover"):
                for entry in self.desk(document).by_rule(rule, first):
                    if self.log is not None:
                        self.log.append(entry.to_record())
                    self._take(entry)
                    new.append(entry)
        return new

    @property
    def gold(self) -> Corpus:
        """The gold annotation; what is undecided is left out."""
        return Corpus.from_documents(self.gold_document(name) for name in self.documents)

    def gold_document(self, name: str) -> Document:
        """The gold of one document, with the relations and layers that all annotators agree on."""
        desk = self.desk(name)
        chains: dict[int, list[GoldMention]] = defaultdict(list)
        for mention in desk.gold:
            chains[mention.entity].append(mention)
        ordered = sorted(chains.values(), key=lambda one: sorted(m.spans for m in one))
        labelled = [
            (mention.spans, desk.versions.position(mention.unit), f"e{number}", mention)
            for number, members in enumerate(ordered, 1)
            for mention in members
        ]
        # A mention in two entities comes in the order in which the annotators have it.
        labelled.sort(key=lambda one: one[:3])
        mentions = [desk.gold_mention(entity, mention) for _, _, entity, mention in labelled]
        label: dict[Spans, str] = {}
        for spans, _, entity, _ in labelled:
            label.setdefault(spans, entity)
        base, every = desk.versions.base, desk.versions.documents.values()
        relations, _ = agreed_relations(desk.versions, label)
        annotations = {
            layer: document
            for layer, document in base.annotations.items()
            if all(one.annotations.get(layer) == document for one in every)
        }
        return replace(
            base, mentions=mentions, relations=relations, annotations=annotations, warnings=[]
        )

    @cached_property
    def agreement_before(self) -> dict[str, float]:
        """Mean CoNLL F1 of each annotator with the others."""
        f1: dict[str, list[float]] = defaultdict(list)
        for one, other in combinations(self.annotators, 2):
            value = _conll(self.annotators[one], self.annotators[other])
            f1[one].append(value)
            f1[other].append(value)
        return {name: sum(f1[name]) / len(f1[name]) for name in self.annotators}

    @property
    def agreement_after(self) -> dict[str, float]:
        """CoNLL F1 of each annotator against the gold."""
        gold = self.gold
        return {name: _conll(gold, corpus) for name, corpus in self.annotators.items()}

    @property
    def verdict(self) -> str:
        """The rule, the number of questions by kind, and agreement before and after."""
        before = sum(self.agreement_before.values()) / len(self.annotators)
        after = sum(self.agreement_after.values()) / len(self.annotators)
        kinds = Counter(question.kind for question in self.questions)
        said = ", ".join(counted(kinds[kind], f"{kind} question") for kind in kinds)
        return (
            f"{self._rule_in_words()}{said or 'The annotators agree on everything'}; "
            f"{len(self.undecided):,} undecided. CoNLL F1 is {100 * before:.2f} between annotators "
            f"and {100 * after:.2f} with the gold."
        )

    def _rule_in_words(self) -> str:
        if self.rule is None:
            return ""
        more = ""
        if self.rule == "majority" and len(self.annotators) == 2:
            more = " (with two annotators: of both)"
        return f"Rule {self.rule}: {RULES[self.rule]}{more}. "

    def table_functions(self) -> Tables:
        from corefine.curating.adjudication_tables import TABLES

        return TABLES

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "annotators": list(self.annotators),
            "questions": [asdict(question) for question in self.questions],
            "undecided": len(self.undecided),
            "agreement_before": self.agreement_before,
            "agreement_after": self.agreement_after,
            "entries": [entry.to_record() for entry in self.entries],
            "warnings": list(self.warnings),
        }

    @cached_property
    def fingerprint(self) -> str:
        """Hash of the annotations that the entries refer to; it ignores the order of annotators."""
        content = [
            [name, annotator, sorted(owner.items())]
            for name, versions in sorted(self.documents.items())
            for annotator, owner in sorted(versions.owner.items())
        ]
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()[:16]

    @property
    def header(self) -> dict[str, Any]:
        """First line of the log."""
        names = sorted(self.annotators)
        return {"adjudication": VERSION, "annotators": names, "annotations": self.fingerprint}


@emitting
def adjudicate(
    *annotations: SideLike,
    rule: Rule | None = "majority",
    log: str | os.PathLike[str] | None = None,
    format: str | None = None,
    words: Literal["check", "align"] = "check",
    progress: Progress = silent,
) -> Adjudication:
    """Build one gold annotation from two or more annotations of the same text.

    The annotations are given as in :func:`corefine.agree`. What all annotators agree on is taken.
    ``rule`` decides on the rest: ``majority``, ``union``, ``intersection`` or ``first``; None
    leaves it undecided. ``log`` is a file of earlier decisions, which take precedence; new ones are
    appended to it. ``words`` is ``check`` for annotations of the same tokens, or ``align`` for
    texts that differ by a few words: mentions are moved to the words of the first annotation.

    >>> from corefine import Corpus
    >>> words = ["Anna", "met", "Bea", ".", "She", "left", "."]
    >>> anna = Corpus.from_spans(words, [[(0, 1), (4, 5)], [(2, 3)]])
    >>> ben = Corpus.from_spans(words, [[(0, 1)], [(2, 3), (4, 5)]])
    >>> eva = Corpus.from_spans(words, [[(0, 1), (4, 5)], [(2, 3)]])
    >>> len(adjudicate(anna, ben, eva).gold.entities)
    2
    """
    if rule is not None:
        choose("rule", rule, tuple(RULES))
    adjudication = compared(*annotations, format=format, words=words, progress=progress)
    adjudication.rule = rule
    with nullcontext() if log is None else adjudication.logging(log):
        if rule is not None:
            adjudication.decide_by_rule(rule)
    return adjudication


def compared(
    *annotations: SideLike,
    format: str | None = None,
    words: Literal["check", "align"] = "check",
    progress: Progress = silent,
) -> Adjudication:
    """An adjudication without any decision."""
    sides = named_sides(annotations, format, what="annotation")
    if len(sides) < 2:
        raise UsageError("adjudication needs at least two annotations")
    corpora = {name: side.read(None, progress, allow_empty=True) for name, side in sides.items()}
    warnings: list[str] = [
        f"{name}: {w}" for name, corpus in corpora.items() for w in corpus.warnings
    ]
    if choose("words", words, ("check", "align")) == "align":
        base, *others = corpora
        for name in others:
            pair = pair_documents(corpora[base], corpora[name], Settings(words="align"))
            corpora[name] = pair.response
            said = [w for w in pair.provenance.warnings if code_of(w) == "words-aligned"]
            said = [w.removeprefix("response: ").replace("the key", base) for w in said]
            warnings += (f"{name}: {w}" for w in said)
    _check_same_text(corpora)
    by_name = {
        name: {document.name: document for document in corpus} for name, corpus in corpora.items()
    }
    documents = {
        document: Versions({name: by_name[name][document] for name in corpora})
        for document in by_name[next(iter(corpora))]
    }
    adjudication = Adjudication(corpora, documents, warnings=tuple(warnings))
    adjudication.warnings += tuple(_left_out(adjudication))
    return adjudication


def _left_out(adjudication: Adjudication) -> Iterable[Caution]:
    """Warn about relations and layers on which annotators differ: they are not adjudicated."""
    lost = 0
    layers = set[str]()
    for versions in adjudication.documents.values():
        _, differing = agreed_relations(versions, {})
        lost += differing
        every = [one.annotations for one in versions.documents.values()]
        layers |= {
            name for one in every for name in one if any(o.get(name) != one[name] for o in every)
        }
    if lost:
        text = (
            f"annotators differ on {lost:,} bridging relations and split antecedents: they are not "
            "adjudicated and left out"
        )
        yield Caution(text, "relations-left-out", relations=lost)
    if layers:
        yield Caution(
            f"annotators differ on {', '.join(sorted(layers))}: left out of the gold",
            "layers-left-out",
        )


def agreed_relations(versions: Versions, label: Mapping[Spans, str]) -> tuple[list[Relation], int]:
    """Relations that all annotators have, with the entities of the gold, and how many differ.

    An entity is recognised by the first of its mentions that all annotators have.
    """
    shared = {
        place[0] for place, names in versions.holders.items() if len(names) == len(versions.names)
    }
    found: list[dict[tuple[Any, ...], Relation]] = []
    for document in versions.documents.values():
        anchor = {
            str(entity): min(shared & {tuple(m.spans) for m in mentions}, default=None)
            for entity, mentions in document.entities.items()
        }
        # An entity without mentions, such as a non-referring expression, is known by its name.
        found.append(
            {
                (
                    r.kind,
                    r.label,
                    anchor.get(r.source, r.source),
                    anchor.get(r.target, r.target),
                    r.anaphor,
                    r.antecedent,
                ): r
                for r in document.relations
            }
        )
    common = set(found[0]).intersection(*found[1:])
    common = {key for key in common if key[2] is not None and key[3] is not None}
    kept = []
    for key, relation in found[0].items():
        source, target = (one if isinstance(one, str) else label.get(one) for one in key[2:4])
        if key in common and source is not None and target is not None:
            kept.append(replace(relation, source=source, target=target))
    return kept, len(set().union(*found) - common)


def merge_logs(logs: Sequence[str | os.PathLike[str]], target: str | os.PathLike[str]) -> int:
    """Join logs of curators who worked on different documents; returns the number of entries.

    An error if two logs are about other annotations, or have entries on the same document.
    """
    headers, owners = [], dict[str, str]()
    lines: list[Mapping[str, Any]] = []
    for log in logs:
        path = os.fspath(log)
        with open(path, "rb") as file:
            (header, where), *records = read_records(file.read(), path) or [({}, Location(path))]
        headers.append(header)
        if header != headers[0] or "adjudication" not in header:
            raise FormatError("the log was made with other files than the first one", where)
        for record, where in records:
            document = str(record.get("document"))
            if owners.setdefault(document, path) != path:
                raise FormatError(
                    f"{owners[document]} has decisions on the document {document!r}, too",
                    where,
                    "Merge logs of different documents.",
                )
            lines.append(record)
    # Each log is in order; entries of different logs concern different documents.
    text = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in [headers[0], *lines])
    write_atomically(target, text, inputs=logs)
    return len(lines)


def _spans(value: Any) -> Spans:
    """Spans as a log or a page writes them; raises ValueError or TypeError."""
    return tuple((operator.index(start), operator.index(stop)) for start, stop in value)


def _check_same_text(corpora: Mapping[str, Corpus]) -> None:
    """Raise an error unless all annotations have the same documents and tokens."""
    (first, base), *others = corpora.items()
    texts = {document.name: document for document in base}
    if any(document.tokens is None for document in texts.values()):
        raise UsageError("adjudication needs the text", remedy="Give annotations with tokens.")
    for name, corpus in others:
        if set(corpus.documents) != set(base.documents):
            odd = sorted(set(corpus.documents) ^ set(base.documents))[0]
            raise AlignmentError(
                f"document {odd!r} is not in the annotations of both {first} and {name}",
                remedy="Adjudicate documents that all annotators have annotated.",
            )
        for document in corpus:
            if document.tokens != texts[document.name].tokens:
                raise AlignmentError(
                    f"{first} and {name} have different tokens in document {document.name!r}",
                    document.where,
                    "Adjudicate annotations of the same tokens, or align texts that differ by a "
                    "few words with --words align (words='align').",
                )


def _most_common(values: Sequence[Any]) -> Any:
    """The most common value, the smallest of several; None without values."""
    counts = Counter(values)
    return min(counts, key=lambda value: (-counts[value], str(value)), default=None)


def _conll(key: Corpus, response: Corpus) -> float:
    # All annotations have the same tokens, so zeros are compared by position.
    return score(key, response, "conll", zeros="linear", allow_empty=True)["conll"].f1
