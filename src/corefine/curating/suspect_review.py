"""``corefine suspects --view``: suspects judged one by one, on the page of adjudication.

The key is the only annotator, and the systems are voices beside it. *Key wrong* changes the gold,
*systems wrong* and *debatable* are only logged. A question refers to the place of a suspect, so
that a judgement outlives a change of the systems.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from corefine.corpus.document import Document, Mention
from corefine.curating.adjudication import Adjudication, Desk, Entry, GoldMention
from corefine.curating.questions import Option, Question, Spans, Versions
from corefine.curating.suspects import Suspect, Suspects, correct
from corefine.errors import UsageError

MARKS = ("key wrong", "systems wrong", "debatable")
"""Judgements of a suspect."""


class SuspectDesk(Desk):
    """A document of the key and its suspects."""

    def __init__(
        self, versions: Versions, entries: Sequence[Entry], suspects: Mapping[str, Suspect]
    ) -> None:
        self.suspects = suspects
        super().__init__(versions, entries)

    def ask(self, decided: Mapping[str, Entry]) -> Iterable[Question]:
        for name, one in self.suspects.items():
            options = tuple(
                Option(mark, one.systems if mark == MARKS[0] else (), {"mark": mark})
                for mark in MARKS
            )
            places = one.mentions or one.entities
            text = f"{one.type}: {one.text}"
            # Systems propose nothing: whether the key is wrong is for a person to say.
            asked = 2 * len(one.systems)
            yield Question(name, "suspect", one.document, places, text, options, len(places), asked)

    def decided(self) -> list[GoldMention]:
        """The key, corrected where it was judged wrong."""
        base = self.versions.base
        self.corrected = replace(base, mentions=[replace(one) for one in base.mentions])
        wrong = [
            self.suspects[name]
            for name, answer in self.answers.items()
            if (answer.choice or {}).get("mark") == MARKS[0]
        ]
        correct(self.corrected, wrong)
        numbers: dict[Any, int] = {}
        self.names = numbers
        return [
            GoldMention(
                tuple(one.spans), numbers.setdefault(one.entity, len(numbers)), attributes=one
            )
            for one in self.corrected.mentions
        ]

    def with_entry(self, entry: Entry) -> Desk:
        return SuspectDesk(self.versions, [*self.entries, entry], self.suspects)

    def _check_answer(self, entry: Entry) -> None:
        if entry.question not in self.questions:
            raise UsageError(f"there is no question {entry.question!r}")
        if (entry.choice or {}).get("mark") not in MARKS:
            raise UsageError("not a judgement of a suspect", remedy=f"Use {', '.join(MARKS)}.")


class SuspectReview(Adjudication):
    """The key under judgement, with the systems beside it."""

    title: ClassVar[str] = "Suspects"

    def __init__(self, found: Suspects) -> None:
        self.systems = {
            name: {document.name: document for document in corpus}
            for name, corpus in found.responses.items()
        }
        self.suspects: dict[str, dict[str, Suspect]] = defaultdict(dict)
        for one in found:
            self.suspects[one.document][_id(one)] = one
        documents = {document.name: Versions({"key": document}) for document in found.key}
        super().__init__({"key": found.key}, documents)

    @property
    def voices(self) -> tuple[str, ...]:
        return ("key", *self.systems)

    def shown_versions(self, document: str) -> dict[str, list[list[Spans]]]:
        sides = {"key": self.documents[document].base}
        sides |= {name: by_name[document] for name, by_name in self.systems.items()}
        return {
            name: [[tuple(m.spans) for m in mentions] for mentions in side.entities.values()]
            for name, side in sides.items()
        }

    def make_desk(self, document: str, entries: Sequence[Entry]) -> Desk:
        return SuspectDesk(self.documents[document], entries, self.suspects[document])

    def gold_document(self, name: str) -> Document:
        """The key of one document with the judgements and changes applied to it."""
        desk = self.desk(name)
        assert isinstance(desk, SuspectDesk)
        base, names = desk.versions.base, list(desk.names)
        mentions, entity_at = [], dict[Spans, Any]()
        for gold in desk.gold:
            known = gold.attributes or Mention("", [])
            entity = names[gold.entity] if gold.entity < len(names) else f"new {gold.entity}"
            mentions.append(replace(known, entity=entity, spans=list(gold.spans)))
            entity_at.setdefault(gold.spans, entity)
        # Relations follow the first mention of their entities that is left.
        renamed = {
            str(entity): next((str(entity_at[s]) for s in spans if s in entity_at), str(entity))
            for entity, old in base.entities.items()
            for spans in [[tuple(one.spans) for one in old]]
        }
        relations = [
            replace(
                one,
                source=renamed.get(one.source, one.source),
                target=renamed.get(one.target, one.target),
            )
            for one in base.relations
        ]
        return replace(base, mentions=mentions, relations=relations)

    @property
    def header(self) -> dict[str, Any]:
        return {"suspects": 1, "key": self.fingerprint}


def _id(one: Suspect) -> str:
    """Name of the question about a suspect: its document, type, mentions and entities."""
    content = json.dumps([one.type, one.mentions, one.entities])
    return f"{one.document}:suspect:{hashlib.sha256(content.encode()).hexdigest()[:12]}"
