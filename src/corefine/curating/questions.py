"""Questions about one document: each difference between annotators has one answer.

*Span* questions come first: spans of different annotators that overlap by a third of their words,
or that overlap and share their head or their entity, are versions of one mention. *Link* questions
ask for the entity of a *piece*: mentions that every annotator keeps together. *Attribute* questions
ask for the type or the head of a mention.

A mention together with its versions is a :class:`Unit`. What all annotators agree on needs no
question: pieces are joined by the links that nobody who has both ends denies.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import permutations
from typing import Any, Literal, TypedDict

from corefine.corpus.columns import Relation
from corefine.corpus.document import Document, Mention, Span
from corefine.curating.contested import Disputes, quoted
from corefine.errors import UsageError

Spans = tuple[Span, ...]
"""The token spans of a mention."""
Spot = tuple[Spans, int]
"""A mention of an annotator: its spans, and 1 for the second entity that has it, and so on."""
QuestionKind = Literal["span", "link", "type", "head", "suspect"]

Reply = TypedDict(
    "Reply",
    {"spans": list[Spans], "with": list[str], "drop": bool, "value": str | int, "mark": str},
    total=False,
)
"""An answer to a question, which has one of these values."""

LEAST_OVERLAP = 1 / 3
"""Share of common tokens from which spans are versions of one mention, whatever their entities."""
COMPARED = 50
"""Overlapping mentions, in text order, with which each one is compared as a version."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A mention in the eyes of all annotators."""

    versions: Mapping[str, Spot]
    """The mention of each annotator who has it."""
    spans: Spans | None
    """The spans of the gold; None while the span question is open."""

    @property
    def shown(self) -> Spans:
        """The spans of the gold, or of the smallest version."""
        return self.first[0] if self.spans is None else self.spans

    @property
    def first(self) -> Spot:
        """The smallest version, by which the unit is named."""
        return min(self.versions.values(), default=(self.spans or (), 0))


@dataclass(frozen=True, slots=True)
class Option:
    """One answer to a question, and the annotators who gave it."""

    text: str
    by: tuple[str, ...]
    choice: Reply


@dataclass(frozen=True, slots=True)
class Question:
    """Something on which annotators differ."""

    id: str
    kind: QuestionKind
    document: str
    mentions: tuple[Spans, ...]
    """The mentions that it is about, in text order."""
    text: str
    """The difference in words."""
    options: tuple[Option, ...]
    stake: int
    """Number of links that depend on the answer; 1 for a span or an attribute."""
    annotators: int
    """Number of annotators who were asked."""

    @property
    def proposal(self) -> int | None:
        """The option of more than half of the annotators."""
        for number, option in enumerate(self.options):
            if 2 * len(option.by) > self.annotators:
                return number
        return None


@dataclass(eq=False, repr=False)
class Versions:
    """The annotations of one document by several annotators."""

    documents: Mapping[str, Document]
    """The document of each annotator; all have the same tokens."""

    def __post_init__(self) -> None:
        self.names = sorted(self.documents)
        self.base = next(iter(self.documents.values()))
        self.name = self.base.name
        self.owner: dict[str, dict[Spot, int]] = {}
        self.mention: dict[str, dict[Spot, Mention]] = {}
        holders: dict[Spot, list[str]] = defaultdict(list)
        for name in self.names:
            self.owner[name], self.mention[name] = _places(self.documents[name])
            for place in self.owner[name]:
                holders[place].append(name)
        self.holders = {place: tuple(holders[place]) for place in sorted(holders)}
        """The annotators of every mention, in text order."""
        self._asked: Asked | None = None

    def text(self, spans: Spans) -> str:
        """The words of a mention."""
        return self.base.words_of(Mention("", list(spans)))

    def named(self, kind: str, place: Spot) -> str:
        """Name of the question of a kind about a mention."""
        return f"{self.name}:{kind}:{_named(place)}"

    def owners(self, unit: Unit) -> tuple[int, ...]:
        """The entity of each annotator that a mention belongs to, -1 if the annotator lacks it."""
        return tuple(
            self.owner[name][unit.versions[name]] if name in unit.versions else -1
            for name in self.names
        )

    @cached_property
    def _listed(self) -> dict[int, int]:
        """The number of each mention in the list of its document."""
        return {
            id(mention): number
            for document in self.documents.values()
            for number, mention in enumerate(document.mentions)
        }

    def position(self, unit: Unit | None) -> int:
        """The number of a mention in the list of its first annotator; -1 if nobody has it."""
        versions = {} if unit is None else unit.versions
        known = (self.mention[name][versions[name]] for name in self.names if name in versions)
        return next((self._listed[id(mention)] for mention in known), -1)

    def attribute_values(self, unit: Unit, kind: str) -> dict[str, Any]:
        """The type or head that annotators give to a mention, if they state one in its span."""
        found = {}
        for name, place in unit.versions.items():
            value = getattr(self.mention[name][place], kind)
            if value is not None and (kind == "type" or unit.spans in (None, place[0])):
                found[name] = value
        return found

    @property
    def agreed_layers(self) -> dict[str, Document]:
        """The layers that are the same for all annotators."""
        every = [document.annotations for document in self.documents.values()]
        return {
            name: layer
            for name, layer in self.base.annotations.items()
            if all(one.get(name) == layer for one in every)
        }

    def agreed_relations(self, label: Mapping[Spans, Any]) -> tuple[list[Relation], int]:
        """Relations that all annotators have, with the entities of the gold, and how many differ.

        An entity is recognised by the first of its mentions that all annotators have in one entity.
        """
        count = len(self.names)
        anchors = {spans for (spans, _), names in self.holders.items() if len(names) == count}
        anchors -= {spans for spans, again in self.holders if again}
        found: list[dict[tuple[Any, ...], Relation]] = []
        for document in self.documents.values():
            # An entity without mentions, such as a non-referring expression, is known by its name.
            anchor: dict[str, Any] = {
                str(entity): min(anchors & {tuple(m.spans) for m in mentions}, default=None)
                for entity, mentions in document.entities.items()
            }
            ends = [
                (anchor.get(r.source, r.source), anchor.get(r.target, r.target))
                for r in document.relations
            ]
            found.append(
                {
                    (*pair, r.kind, r.label, r.anaphor, r.antecedent): r
                    for pair, r in zip(ends, document.relations, strict=True)
                }
            )
        common = {key for key in set(found[0]).intersection(*found[1:]) if None not in key[:2]}
        kept = []
        for key, relation in found[0].items():
            source, target = (one if isinstance(one, str) else label.get(one) for one in key[:2])
            if key in common and source is not None and target is not None:
                kept.append(replace(relation, source=source, target=target))
        return kept, len(set().union(*found) - common)

    def asked(self, answers: Mapping[str, Reply]) -> Asked:
        """The mentions and questions under answers to span questions; the last ones are kept."""
        if self._asked is None or self._asked.answers != answers:
            self._asked = Asked(self, answers)
        return self._asked

    @cached_property
    def clusters(self) -> list[list[Spot]]:
        """Versions of one mention; one place if all annotators who have it agree on its span."""
        partial = [p for p, names in self.holders.items() if len(names) < len(self.names)]
        groups = {place: {place} for place in self.holders}
        names = {place: set(self.holders[place]) for place in partial}
        for _, one, other in sorted(self._alike(partial)):
            a, b = min(groups[one]), min(groups[other])
            if a != b and not names[a] & names[b]:
                joined = groups[one] | groups[other]
                names[min(joined)] = names[a] | names[b]
                for place in joined:
                    groups[place] = joined
        return [sorted(group) for place, group in groups.items() if place == min(group)]

    def _alike(self, partial: Sequence[Spot]) -> Iterable[tuple[float, Spot, Spot]]:
        """Pairs of places that may be versions of one mention, with their distance."""
        places = sorted(partial, key=lambda place: (place[0][0][0], place[0][-1][1], place))
        for number, one in enumerate(places):
            end = one[0][-1][1]
            for other in places[number + 1 : number + 1 + COMPARED]:
                if other[0][0][0] >= end:
                    break
                if one[0] == other[0] or set(self.holders[one]) & set(self.holders[other]):
                    continue
                overlap = _overlap(one[0], other[0])
                if overlap >= LEAST_OVERLAP or (overlap and self._agree(one, other)):
                    yield 1 - overlap, min(one, other), max(one, other)

    def _agree(self, one: Spot, other: Spot) -> bool:
        """True if annotators of two mentions share their head, or a mention of their entities."""
        pairs = [(a, b) for a in self.holders[one] for b in self.holders[other]]
        heads = ((self.mention[a][one].head, self.mention[b][other].head) for a, b in pairs)
        entities = ((a, self.owner[a][one], b, self.owner[b][other]) for a, b in pairs)
        return any(a == b and a is not None for a, b in heads) or any(
            pair in self._joined for pair in entities
        )

    @cached_property
    def _joined(self) -> set[tuple[str, int, str, int]]:
        """Pairs of entities of two annotators that share a mention."""
        return {
            (one, self.owner[one][place], other, self.owner[other][place])
            for place, names in self.holders.items()
            for one, other in permutations(names, 2)
        }

    def units(self, answers: Mapping[str, Reply]) -> list[Unit]:
        """The mentions under the answers to span questions, in text order."""
        units = []
        for cluster in self.clusters:
            by = {name: place for place in cluster for name in self.holders[place]}
            if len(cluster) == 1:
                units.append(Unit(by, cluster[0][0]))
                continue
            answer = answers.get(self.named("span", min(cluster)))
            if answer is None:
                units.append(Unit(by, None))
            elif len(answer["spans"]) == 1:
                units.append(Unit(by, answer["spans"][0]))
            else:
                units += [
                    Unit({name: place for name, place in by.items() if place[0] == spans}, spans)
                    for spans in answer["spans"]
                ]
        return sorted(units, key=lambda unit: unit.first)

    @cached_property
    def span_questions(self) -> list[Question]:
        """One question for every mention with several versions."""
        found = []
        for cluster in self.clusters:
            if len(cluster) == 1:
                continue
            options = [
                Option(self.text(place[0]), self.holders[place], {"spans": [place[0]]})
                for place in cluster
            ]
            having = {name for option in options for name in option.by}
            if len(having) < len(self.names):
                without = tuple(name for name in self.names if name not in having)
                options.append(Option("not a mention", without, {"spans": []}))
            text = " or ".join(f"“{one.text}” ({', '.join(one.by)})" for one in options)
            mentions = [spans for spans, _ in cluster]
            name = self.named("span", min(cluster))
            found.append(self.question("span", name, mentions, text, options))
        return found

    def question(
        self,
        kind: QuestionKind,
        id: str,
        mentions: Sequence[Spans],
        text: str,
        options: Sequence[Option],
        stake: int = 1,
        annotators: int | None = None,
    ) -> Question:
        """A question, with the options of more annotators first."""
        ordered = sorted(options, key=lambda option: (-len(option.by), option.by))
        count = len(self.names) if annotators is None else annotators
        return Question(id, kind, self.name, tuple(mentions), text, tuple(ordered), stake, count)


@dataclass(eq=False, repr=False)
class Asked:
    """The mentions and questions of a document under the answers to its span questions."""

    versions: Versions
    answers: Mapping[str, Reply]

    def __post_init__(self) -> None:
        self.units = self.versions.units(self.answers)
        rows = [self.versions.owners(unit) for unit in self.units]
        self.pieces = Disputes(
            self.versions.names, rows, lambda number: self.versions.text(self.units[number].shown)
        )
        self.numbers = {self.id(piece): piece for piece in range(len(self.pieces.members))}
        """Disputes by the name of their question."""
        if len(self.numbers) < len(self.pieces.members):
            raise UsageError("a span is chosen twice")
        asked = [
            *self.versions.span_questions,
            *map(self._question, filter(self.pieces.asked, range(len(self.pieces.members)))),
            *self._attribute_questions("type"),
            *self._attribute_questions("head"),
        ]
        self.questions = {question.id: question for question in asked}

    def id(self, piece: int) -> str:
        """Name of the link question about a piece."""
        return self.versions.named("link", self.units[self.pieces.members[piece][0]].first)

    def spans(self, piece: int) -> tuple[Spans, ...]:
        """The mentions of a piece."""
        return tuple(self.units[number].shown for number in self.pieces.members[piece])

    def _question(self, piece: int) -> Question:
        """The question about a piece that annotators link differently or do not all have."""
        pieces, views, mentions = self.pieces, self.pieces.views(piece), self.spans(piece)
        options = [
            Option(
                view.said,
                view.by,
                {"drop": True}
                if view.targets is None
                else {"with": [self.id(target) for target in view.targets]},
            )
            for view in views
        ]
        stake = len(mentions) * max(pieces.sizes[piece] - len(mentions), 1)
        text = pieces.difference(piece, views)
        return self.versions.question("link", self.id(piece), mentions, text, options, stake)

    def _attribute_questions(self, kind: Literal["type", "head"]) -> Iterable[Question]:
        """Questions for mentions of a piece that annotators give different types or heads."""
        versions = self.versions
        grouped: dict[Hashable, list[Unit]] = defaultdict(list)
        for piece, numbers in enumerate(self.pieces.members):
            for number in numbers:
                values = versions.attribute_values(self.units[number], kind)
                if len(set(values.values())) > 1:
                    group = (piece, tuple(sorted(values.items()))) if kind == "type" else number
                    grouped[group].append(self.units[number])
        for units in grouped.values():
            by_value: dict[Any, list[str]] = defaultdict(list)
            for name, value in versions.attribute_values(units[0], kind).items():
                by_value[value].append(name)
            options = [
                Option(
                    value if kind == "type" else f"“{versions.text(((value, value + 1),))}”",
                    tuple(by),
                    {"value": value},
                )
                for value, by in by_value.items()
            ]
            mentions = tuple(unit.shown for unit in units)
            words = quoted([versions.text(spans) for spans in mentions])
            said = " or ".join(f"{one.text} ({', '.join(one.by)})" for one in options)
            yield versions.question(
                kind,
                versions.named(kind, units[0].first),
                mentions,
                f"{kind} of {words}: {said}",
                options,
                annotators=sum(map(len, by_value.values())),
            )


def _places(document: Document) -> tuple[dict[Spot, int], dict[Spot, Mention]]:
    """The entity and the mention at every place, entities in the order of their first mentions."""
    owner: dict[Spot, int] = {}
    mention: dict[Spot, Mention] = {}
    entities = [
        {tuple(one.spans): one for one in mentions} for mentions in document.entities.values()
    ]
    for number, entity in enumerate(sorted(entities, key=lambda one: sorted(one))):
        for spans, one in entity.items():
            again = 0
            while (spans, again) in owner:
                again += 1
            owner[spans, again], mention[spans, again] = number, one
    return owner, mention


def _overlap(one: Spans, other: Spans) -> float:
    """Share of the tokens of two mentions that they have in common."""
    common = sum(max(0, min(b, d) - max(a, c)) for a, b in one for c, d in other)
    return common / (sum(b - a for a, b in (*one, *other)) - common)


def _named(place: Spot) -> str:
    """A place as first and last token: ``3``, ``12-14``, ``3+5-6``; ``3#2`` in a second entity."""
    spans, again = place
    written = "+".join(f"{a}" if b == a + 1 else f"{a}-{b - 1}" for a, b in spans)
    return written if not again else f"{written}#{again + 1}"
