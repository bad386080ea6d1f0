"""``corefine.adjudicate``: one gold annotation from two or more annotators.

Annotators are compared as :mod:`corefine.curating.questions`. Every answer, and every change that a
curator makes besides, is an :class:`Entry` of a log. The gold follows from the
annotations and the log alone, so that replaying a log gives the same gold.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from itertools import chain, combinations, pairwise
from typing import Any, ClassVar, Literal, get_args

from corefine.corpus.columns import Kind, Relation
from corefine.corpus.corpus import Corpus
from corefine.corpus.document import Document, Mention, connected_components
from corefine.curating.log import DecisionLog, read_records
from corefine.curating.questions import (
    Question,
    Reply,
    Spans,
    Unit,
    Versions,
    choice_of,
    spans_of,
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
from corefine.output.saving import refuse_inputs, write_atomically
from corefine.scoring.score import score
from corefine.scoring.sides import SideLike, named_sides, read_side

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
"""Actions that change the gold without a question."""
NOTES = ("flag", "skip", "comment")
FITTING = {"span": {"spans"}, "link": {"with", "drop"}, "type": {"value"}, "head": {"value"}}
"""Answers to each kind of question."""
VERSION = 2


@dataclass(frozen=True)
class Entry:
    """One line of a log: an answer, a change, a note, or the undoing of one of them."""

    do: Action
    document: str
    question: str = ""
    choice: Reply | None = None
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
        """Read an entry from a log or a page; raises an error if it is not one."""
        parsers: dict[str, Callable[[Any], Any]] = {
            "choice": choice_of, "mention": spans_of, "spans": spans_of, "to": spans_of,
        }  # fmt: skip
        values: dict[str, Any] = {
            name: value if name not in parsers or value is None else parsers[name](value)
            for name, value in record.items()
        }
        words = [value for name, value in values.items() if name not in parsers]
        if not all(isinstance(one, str) for one in words) or values.get("do") not in ACTIONS:
            raise ValueError("not an entry")
        return cls(**values)

    def to_record(self) -> dict[str, Any]:
        """The entry for the log, without empty values."""
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
    """One document during the adjudication: its questions and gold under the entries so far.

    Raises :class:`UsageError` if an entry does not fit.
    """

    def __init__(self, versions: Versions, entries: Sequence[Entry]) -> None:
        self.versions = versions
        self.entries = list(entries)
        self.decided = {one.question: one for one in entries if one.do in ANSWERS}
        self.questions = self.ask()
        self.answers = {
            name: self.decided[name]
            for name, question in self.questions.items()
            if name in self.decided and self._choice_stands(question, self._choice(name))
        }
        self.gold = self.decided_gold()
        for entry in entries:
            if entry.do in EDITS:
                self._edit(entry)
        for spans, times in Counter(mention.spans for mention in self.gold).items():
            # Annotators may have a mention in several entities.
            if times > 1 and times > sum((spans, n) in versions.holders for n in range(times)):
                raise UsageError(f"the mention “{versions.text(spans)}” would be there twice")

    def ask(self) -> dict[str, Question]:
        """The questions that remain under the answers to span questions."""
        spans = self.versions.span_questions
        answers = {one.id: self._choice(one.id) for one in spans if one.id in self.decided}
        for question in spans:
            if question.id in answers:
                self._choice_stands(question, answers[question.id])
        self.asked = self.versions.asked(answers)
        return self.asked.questions

    def _choice(self, question: str) -> Reply:
        return self.decided[question].choice or {}

    def _choice_stands(self, question: Question, choice: Reply) -> bool:
        """Require an answer to fit its question; False if it links to a mention that is gone."""
        if not FITTING[question.kind] & set(choice):
            raise UsageError(f"not an answer to a question about a {question.kind}")
        ((name, said),) = choice.items()
        if name == "spans":
            for spans in said:
                self._require_spans(spans)
        elif name == "with":
            if question.id in said:
                raise UsageError(f"{question.id!r} cannot be linked with itself")
            return all(one in self.asked.numbers for one in said)
        elif question.kind == "type" and not isinstance(said, str):
            raise UsageError("a type is a word")
        elif question.kind == "head":
            inside = [range(start, stop) for spans in question.mentions for start, stop in spans]
            if not any(said in tokens for tokens in inside):
                raise UsageError("the head is not a token of the mention")
        return True

    def _require_spans(self, spans: Spans | None) -> None:
        """Require spans of tokens of the document, in order and not adjacent."""
        ends = [end for span in spans or () for end in span]
        count = len(self.versions.base.tokens or [])
        if not ends or not all(a < b for a, b in pairwise([-1, *ends, count + 1])):
            raise UsageError(f"{spans} are no spans of {self.versions.name!r}")

    @property
    def undecided(self) -> list[Question]:
        return [question for name, question in self.questions.items() if name not in self.answers]

    def in_words(self, question: Question) -> str:
        """The answer to a question in words; empty if it is open."""
        if question.id not in self.answers:
            return ""
        choice = self._choice(question.id)
        for option in question.options:
            if option.choice == choice:
                return option.text
        if "spans" in choice:
            words = [f"“{self.versions.text(spans)}”" for spans in choice["spans"]]
            return " and ".join(words) or "not a mention"
        if "with" in choice or "drop" in choice:
            targets = [self.asked.numbers[name] for name in choice.get("with", ())]
            piece = self.asked.numbers[question.id]
            return self.asked.pieces.said(piece, None if "drop" in choice else targets)
        return str(choice["value"])

    def decided_gold(self) -> list[GoldMention]:
        """The mentions that all agree on or that answers decide."""
        asked, left_out = self.asked, set[int]()
        links = asked.pieces.agreed_links()
        for name, piece in asked.numbers.items():
            if name not in self.questions:
                continue
            choice: Reply = self._choice(name) if name in self.answers else {"drop": True}
            links += [(piece, asked.numbers[target]) for target in choice.get("with", ())]
            if "drop" in choice:
                left_out.add(piece)
        members = asked.pieces.members
        entity_of = connected_components(len(members), links)
        return [
            GoldMention(unit.spans, entity_of[piece], unit)
            for piece, numbers in enumerate(members)
            if piece not in left_out
            for unit in (asked.units[number] for number in numbers)
            if unit.spans is not None
        ]

    @cached_property
    def _stated(self) -> dict[tuple[str, Spans], Any]:
        """Decided types and heads by mention, in the span of its question."""
        return {
            (question.kind, spans): self._choice(name)["value"]
            for name in self.answers
            if (question := self.questions[name]).kind in ("type", "head")
            for spans in question.mentions
        }

    def label(self, number: int, entity: int) -> Any:
        """Name of the entity with this number in text order."""
        return f"e{number}"

    def gold_mention(self, gold: GoldMention, entity: Any) -> Mention:
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
        for kind in ("type", "head"):
            agreed = set(versions.attribute_values(gold.unit, kind).values())
            value = agreed.pop() if len(agreed) == 1 else None
            setattr(mention, kind, self._stated.get((kind, gold.unit.shown), value))
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
        if entry.do in ("add", "respan"):
            self._require_spans(entry.spans)
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

    def after(self, entry: Entry) -> Desk:
        """The document after one more entry; raises an error if the entry does not fit."""
        question = self.questions.get(entry.question)
        if question is None and (entry.do in ANSWERS or entry.question):
            raise UsageError(f"there is no question {entry.question!r}")
        desk = self.with_entries([*self.entries, entry])
        if entry.do in ANSWERS and question is not None and entry.question not in desk.answers:
            raise UsageError(f"{entry.question!r} cannot be linked with {entry.choice}")
        return desk

    def with_entries(self, entries: Sequence[Entry]) -> Desk:
        """The document under other entries."""
        return Desk(self.versions, entries)

    def by_rule(self, rule: Rule, first: str) -> list[Entry]:
        """Answers of a rule to all open questions of the stage that is next: spans, then others."""
        stage = [one for one in self.undecided if one.kind == "span"] or self.undecided
        annotators, asked = len(self.versions.names), self.asked
        needed = {"majority": annotators // 2 + 1, "union": 1, "intersection": annotators}.get(rule)
        linked: dict[int, list[int]] = defaultdict(list)
        if needed is not None and any(question.kind == "link" for question in stage):
            for target, piece in asked.pieces.links_of(needed):
                if target != piece and target not in linked[piece]:
                    linked[piece].append(target)
        found = []
        for question in stage:
            choice = question.options[0].choice
            nothing: Reply = {"spans": []} if question.kind == "span" else {"with": []}
            if needed is None:
                mine = [one.choice for one in question.options if first in one.by]
                if mine or question.kind in ("span", "link"):
                    choice = mine[0] if mine else nothing
            elif question.kind == "span":
                taken = [one.choice["spans"] for one in question.options if len(one.by) >= needed]
                choice = {"spans": list(chain.from_iterable(taken))}
            elif question.kind == "link":
                piece = asked.numbers[question.id]
                present = sum(owner >= 0 for owner in asked.pieces.owners[piece])
                joined = {"with": [asked.id(target) for target in sorted(linked[piece])]}
                choice = joined if present >= needed else {"drop": True}
            found.append(Entry("rule", self.versions.name, question.id, choice, by=f"rule {rule}"))
        return found


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
        entries = self._of_document[document]
        undone = {one.entry: one.do == "undo" for one in entries if one.do in ("undo", "redo")}
        return [one for one in entries if one.do not in ("undo", "redo") and not undone.get(one.id)]

    title: ClassVar[str] = "Adjudication"

    def sides(self, document: str) -> Mapping[str, Document]:
        """The versions of a document that are shown, by name."""
        return self.documents[document].documents

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

    def do(self, entry: Entry) -> None:
        """Add an entry: first to the log, if there is one, then to the adjudication."""
        desk = None
        if entry.do in ("undo", "redo"):
            self._require_reversible(entry)
        else:
            desk = self.desk(entry.document).after(entry)
        self._record(entry)
        if desk is not None:
            self._desks[entry.document] = desk

    def _record(self, entry: Entry) -> None:
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
        last = self.last(entry.do)
        if last is None or (last.id, last.document) != (entry.entry, entry.document):
            raise UsageError(f"the entry to {entry.do} is not the last one")

    def last(self, do: Action) -> Entry | None:
        """The entry that would be undone or done again."""
        stack = self._done if do == "undo" else self._undone
        return stack[-1] if stack else None

    def undo(self, by: str = "") -> Entry | None:
        """Undo the last entry; returns the new entry of the log, or None if there is nothing."""
        return self._reverse("undo", by)

    def redo(self, by: str = "") -> Entry | None:
        """Do the last undone entry again."""
        return self._reverse("redo", by)

    def _reverse(self, do: Literal["undo", "redo"], by: str) -> Entry | None:
        last = self.last(do)
        if last is None:
            return None
        entry = Entry(do, last.document, last.question, entry=last.id, by=by)
        self.do(entry)
        return entry

    def replay(self, records: Iterable[tuple[Mapping[str, Any], Location]]) -> None:
        """Take over the entries of a log; an error names the line that does not fit."""
        last: dict[str, Location] = {}
        for record, where in records:
            try:
                entry = Entry.from_record(record)
            except (ValueError, TypeError, KeyError, AttributeError):
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
            except UsageError as error:
                raise FormatError(f"the log does not fit: {error.message}", where) from None

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
                    self._record(entry)
                    new.append(entry)
        return new

    @property
    def gold(self) -> Corpus:
        """The gold annotation; what is undecided is left out."""
        documents, first = [], 1
        for name in self.documents:
            documents.append(self.gold_document(name, first))
            first += len(documents[-1].entities)
        return Corpus.from_documents(documents)

    def gold_document(self, name: str, first: int = 1) -> Document:
        """The gold of one document, with the relations and layers that all annotators agree on.

        Entities are numbered from ``first`` on: no two documents share a name.
        """
        desk = self.desk(name)
        chains: dict[int, list[GoldMention]] = defaultdict(list)
        for mention in desk.gold:
            chains[mention.entity].append(mention)
        ordered = sorted(chains.values(), key=lambda one: sorted(m.spans for m in one))
        labelled = [
            (
                mention.spans,
                desk.versions.position(mention.unit),
                desk.label(number, mention.entity),
                mention,
            )
            for number, members in enumerate(ordered, first)
            for mention in members
        ]
        # A mention in two entities comes in the order in which the annotators have it.
        labelled.sort(key=lambda one: (one[0], one[1], str(one[2])))
        mentions = [desk.gold_mention(mention, entity) for _, _, entity, mention in labelled]
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
    sides = named_sides(annotations, what="annotation")
    if len(sides) < 2:
        raise UsageError("adjudication needs at least two annotations")
    corpora = {
        name: read_side(side, f"annotation {name!r}", format, None, progress, allow_empty=True)
        for name, side in sides.items()
    }
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
    warnings += _left_out(documents.values())
    adjudication = Adjudication(corpora, documents, rule, warnings=tuple(warnings))
    with nullcontext() if log is None else adjudication.logging(log):
        if rule is not None:
            adjudication.decide_by_rule(rule)
    return adjudication


def _left_out(documents: Iterable[Versions]) -> Iterable[Caution]:
    """Warn about relations and layers on which annotators differ: they are not adjudicated."""
    lost = 0
    layers = set[str]()
    for versions in documents:
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

    An entity is recognised by the first of its mentions that all annotators have in one entity.
    """
    count, twice = len(versions.names), {spans for spans, again in versions.holders if again}
    shared = {
        spans for (spans, _), names in versions.holders.items() if len(names) == count
    } - twice
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

    An error if two logs are about other annotations or have entries on the same document, or if
    the target has entries already.
    """
    lines: list[Mapping[str, Any]] = []
    owners: dict[str, str] = {}
    for log in logs:
        path = os.fspath(log)
        with open(path, "rb") as file:
            records = read_records(file.read(), path)
        for number, (record, where) in enumerate(records):
            if number == 0:
                if "adjudication" not in record or record != (lines or [record])[0]:
                    raise FormatError("the log was made with other files than the first one", where)
                lines = lines or [record]
                continue
            document = str(record.get("document"))
            if owners.setdefault(document, path) != path:
                raise FormatError(
                    f"{owners[document]} has decisions on the document {document!r}, too",
                    where,
                    "Merge logs of different documents.",
                )
            lines.append(record)
    if not lines:
        raise UsageError("there are no decisions to merge", remedy="Give logs with decisions.")
    refuse_inputs(target, logs)
    if os.path.exists(target) and os.path.getsize(target):
        raise CorefineError(
            "the log has decisions already", Location(os.fspath(target)), "Choose another name."
        )
    # Each log is in order; entries of different logs concern different documents.
    text = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in lines)
    write_atomically(target, text, inputs=logs)
    return len(lines) - 1


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
