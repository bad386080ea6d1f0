"""``corefine suspects --view``: suspects judged one by one, on the page of adjudication.

The key is the only annotator; the versions of the systems are shown. *Key wrong* changes the gold,
*systems wrong* and *debatable* are only logged. A question refers to the place of a suspect, so
that a judgement outlives a change of the systems.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from corefine.corpus.document import Document, Mention
from corefine.curating.adjudication import Adjudication
from corefine.curating.desk import Desk, Entry, GoldMention
from corefine.curating.questions import Option, Question, Reply, Versions
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
            for name, one in self.suspects.items()
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
        correct(corrected, [self.suspects[name] for name in wrong])
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

    def gold_mention(self, gold: GoldMention, entity: Any) -> Mention:
        known = gold.attributes or Mention("", [])
        return replace(known, entity=entity, spans=list(gold.spans))

    def with_entries(self, entries: Sequence[Entry]) -> Desk:
        return SuspectDesk(self.versions, entries, self.suspects)


class SuspectReview(Adjudication):
    """The key under judgement, and the systems to compare it with."""

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

    def sides(self, document: str) -> Mapping[str, Document]:
        systems = {name: by_name[document] for name, by_name in self.systems.items()}
        return {"key": self.documents[document].base, **systems}

    def make_desk(self, document: str, entries: Sequence[Entry]) -> Desk:
        return SuspectDesk(self.documents[document], entries, self.suspects[document])

    @property
    def verdict(self) -> str:
        """The number of suspects by judgement."""
        marks = Counter(decision for name in self.documents for decision in self._marks(name))
        said = ", ".join(f"{marks[mark]:,} {mark}" for mark in MARKS)
        return f"{marks.total():,} of {len(self.questions):,} suspects judged: {said}."

    def _marks(self, name: str) -> list[str]:
        desk = self.desk(name)
        return [desk.in_words(desk.questions[question]) for question in desk.answers]

    @property
    def header(self) -> dict[str, Any]:
        return {"suspects": 1, "key": self.fingerprint}


def _id(one: Suspect) -> str:
    """Name of the question about a suspect: its document, type, mentions and entities."""
    content = json.dumps([one.type, one.mentions, one.entities])
    return f"{one.document}:suspect:{hashlib.sha256(content.encode()).hexdigest()[:12]}"
