"""One document during an adjudication: its open questions, its answers, and the gold so far.

Every answer, and every change that a curator makes besides, is an :class:`Entry` of a log. The gold
follows from the annotations and the log alone, so that replaying a log gives the same gold.
"""

from __future__ import annotations

import secrets
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from itertools import chain, pairwise
from typing import Any, Literal

import msgspec

from corefine.corpus.columns import Kind
from corefine.corpus.document import Document, Mention, connected_components
from corefine.curating.questions import Question, Reply, Spans, Unit, Versions
from corefine.errors import UsageError

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
ANSWERS = ("answer", "accept", "rule")
"""Actions that decide a question: by a curator, as it was proposed, or by a rule."""
EDITS = ("move", "merge", "add", "respan", "drop")
"""Actions that change the gold without a question."""
NOTES = ("flag", "skip", "comment")
REPLIES = {"span": {"spans"}, "link": {"with", "drop"}, "type": {"value"}, "head": {"value"}}
"""Answers to each kind of question."""


class Entry(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
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
    time: str = msgspec.field(
        default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds")
    )
    id: str = msgspec.field(default_factory=lambda: secrets.token_hex(6))

    def __post_init__(self) -> None:
        if self.choice is not None and (len(self.choice) != 1 or self.choice.get("drop") is False):
            raise ValueError("an answer has one value")


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
        answers = {}
        for question in self.versions.span_questions:
            if question.id in self.decided:
                answers[question.id] = choice = self._choice(question.id)
                self._choice_stands(question, choice)
        self.asked = self.versions.asked(answers)
        return self.asked.questions

    def _choice(self, question: str) -> Reply:
        return self.decided[question].choice or {}

    def _choice_stands(self, question: Question, choice: Reply) -> bool:
        """Require an answer to fit its question; False if it links to a mention that is gone."""
        if not choice.keys() & REPLIES[question.kind]:
            raise UsageError(f"not an answer to a question about a {question.kind}")
        if "spans" in choice:
            for spans in choice["spans"]:
                self._require_spans(spans)
            if len(set(choice["spans"])) < len(choice["spans"]):
                raise UsageError("a span is chosen twice")
        elif "with" in choice:
            if question.id in choice["with"]:
                raise UsageError(f"{question.id!r} cannot be linked with itself")
            return all(one in self.asked.numbers for one in choice["with"])
        elif question.kind == "type" and not isinstance(choice["value"], str):
            raise UsageError("a type is a word")
        elif question.kind == "head":
            inside = [range(start, stop) for spans in question.mentions for start, stop in spans]
            if not any(choice["value"] in tokens for tokens in inside):
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
        if "value" in choice:
            return str(choice["value"])
        numbers = self.asked.numbers
        targets = None if "drop" in choice else [numbers[name] for name in choice["with"]]
        return self.asked.pieces.said(numbers[question.id], targets)

    def decided_gold(self) -> list[GoldMention]:
        """The mentions that all agree on or that answers decide."""
        asked, left_out = self.asked, set[int]()
        links = asked.pieces.agreed_links()
        for name, piece in asked.numbers.items():
            if name not in self.answers:
                if name in self.questions:
                    left_out.add(piece)
                continue
            choice = self._choice(name)
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
        mention = replace(gold.attributes or Mention("", []), entity=entity, spans=list(gold.spans))
        if gold.unit is None:
            return mention
        versions = self.versions
        known = [versions.mention[name][place] for name, place in gold.unit.versions.items()]
        same = [one for one in known if tuple(one.spans) == gold.spans]
        kinds = [one.kind for one in known if one.kind is not Kind.UNKNOWN]
        mention.kind = _most_common(kinds) or Kind.UNKNOWN
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

    def gold_document(self, first: int) -> Document:
        """The gold, with the relations and layers that all annotators agree on.

        Entities are numbered from ``first`` on.
        """
        spans_of: dict[int, list[Spans]] = defaultdict(list)
        for mention in self.gold:
            spans_of[mention.entity].append(mention.spans)
        ordered = sorted(spans_of, key=lambda entity: sorted(spans_of[entity]))
        label = {entity: self.label(number, entity) for number, entity in enumerate(ordered, first)}

        def place(mention: GoldMention) -> tuple[Spans, int, str]:
            # A mention in two entities comes in the order in which the annotators have it.
            return mention.spans, self.versions.position(mention.unit), str(label[mention.entity])

        in_order = sorted(self.gold, key=place)
        mentions = [self.gold_mention(one, label[one.entity]) for one in in_order]
        names: dict[Spans, Any] = {}
        for one in mentions:
            names.setdefault(tuple(one.spans), one.entity)
        relations, _ = self.versions.agreed_relations(names)
        return replace(
            self.versions.base,
            mentions=mentions,
            relations=relations,
            annotations=self.versions.agreed_layers,
            warnings=[],
        )

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
        desk = type(self)(self.versions, [*self.entries, entry])
        if entry.do in ANSWERS and question is not None and entry.question not in desk.answers:
            raise UsageError(f"{entry.question!r} cannot be linked with {entry.choice}")
        return desk

    def by_rule(self, rule: Rule, first: str) -> list[Entry]:
        """Answers of a rule to all open questions of the stage that is next: spans, then others."""
        stage = [one for one in self.undecided if one.kind == "span"] or self.undecided
        annotators = len(self.versions.names)
        needed = {"majority": annotators // 2 + 1, "union": 1, "intersection": annotators}.get(rule)
        if needed is None:
            choices = [_choice_of(question, first) for question in stage]
        else:
            choices = self._choices_of(needed, stage)
        return [
            Entry("rule", self.versions.name, question.id, choice, by=f"rule {rule}")
            for question, choice in zip(stage, choices, strict=True)
        ]

    def _choices_of(self, needed: int, stage: Sequence[Question]) -> list[Reply]:
        """Answers with the mentions and links of ``needed`` annotators, and usual attributes."""
        pieces, numbers = self.asked.pieces, self.asked.numbers
        linked: dict[int, set[int]] = defaultdict(set)
        if any(question.kind == "link" for question in stage):
            for target, piece in pieces.links_of(needed):
                linked[piece].add(target)
        choices: list[Reply] = []
        for question in stage:
            if question.kind == "span":
                taken = [one.choice["spans"] for one in question.options if len(one.by) >= needed]
                choices.append({"spans": list(chain.from_iterable(taken))})
            elif question.kind == "link":
                piece = numbers[question.id]
                present = sum(owner >= 0 for owner in pieces.owners[piece])
                targets = [self.asked.id(target) for target in sorted(linked[piece] - {piece})]
                choices.append({"with": targets} if present >= needed else {"drop": True})
            else:
                choices.append(question.options[0].choice)
        return choices


def _choice_of(question: Question, annotator: str) -> Reply:
    """The answer that an annotator gives; without one, no mention, no link or the usual value."""
    for option in question.options:
        if annotator in option.by:
            return option.choice
    nothing: dict[str, Reply] = {"span": {"spans": []}, "link": {"with": []}}
    return nothing.get(question.kind, question.options[0].choice)


def _most_common(values: Sequence[Any]) -> Any:
    """The most common value, the smallest of several; None without values."""
    counts = Counter(values)
    return min(counts, key=lambda value: (-counts[value], str(value)), default=None)
