"""Questions about one document: each difference between annotators has one answer.

*Span* questions come first: spans of different annotators that overlap by a third of their words,
or that overlap and share their head or their entity, are versions of one mention. *Link* questions
ask for the entity of a *piece*: mentions that every annotator keeps together. *Attribute* questions
ask for the type or the head of a mention.

A mention together with its versions is a :class:`Unit`. What all annotators agree on needs no
question: pieces are joined by the links that nobody who has both ends denies. Annotators differ on
pieces that they link with different earlier ones, or do not all have (:class:`Disputes`), which
:func:`corefine.agree` lists and :func:`corefine.adjudicate` asks about.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, islice, permutations
from typing import Any, Literal, NamedTuple, TypedDict

import msgspec

from corefine.corpus.columns import Relation
from corefine.corpus.document import Document, Mention, Span, connected_components
from corefine.errors import UsageError

LISTED = 4
"""Mentions that a sentence quotes."""


class View(NamedTuple):
    """The opinion of some annotators on a piece."""

    by: tuple[str, ...]
    targets: tuple[int, ...] | None
    """Earlier pieces that they link it with; None if they lack it."""
    said: str


@dataclass(eq=False, repr=False)
class Disputes:
    """The pieces of a text, and the links between them on which annotators differ."""

    names: Sequence[str]
    rows: Sequence[tuple[int, ...]]
    """The entity of each annotator for every mention in text order, -1 if he or she lacks it."""
    words: Callable[[int], str]
    """The words of a mention."""

    def __post_init__(self) -> None:
        grouped: dict[Hashable, list[int]] = {}
        for number, row in enumerate(self.rows):
            # A mention that no annotator has is a piece of its own.
            grouped.setdefault(row if max(row) >= 0 else number, []).append(number)
        self.members = list(grouped.values())
        """The mentions of each piece; pieces are in the order of their first mentions."""
        self.owners = [self.rows[mentions[0]] for mentions in self.members]
        # By annotator, entity and other annotator: the first two pieces that the other one keeps
        # apart, or the first piece. Every piece is compared with these instead of with all.
        self._firsts: dict[tuple[int, int, int], list[int]] = defaultdict(list)
        self._chains: dict[tuple[int, int], list[int]] = defaultdict(list)
        for piece, owners in enumerate(self.owners):
            for annotator, entity in enumerate(owners):
                self._chains[annotator, entity].append(piece)
                for other in range(len(self.names)) if entity >= 0 else ():
                    firsts = self._firsts[annotator, entity, other]
                    known = {self.owners[one][other] for one in firsts}
                    if not firsts or (len(firsts) < 3 and owners[other] not in known):
                        firsts.append(piece)

    def linked(self, annotator: int, one: int, other: int) -> bool | None:
        """True if an annotator links two pieces; None if he or she lacks one of them."""
        a, b = self.owners[one][annotator], self.owners[other][annotator]
        return None if a < 0 or b < 0 else a == b

    def targets(self, piece: int) -> list[int]:
        """Earlier pieces to link a piece with: for every entity that an annotator puts it into, the
        first piece, and the first that another annotator keeps apart from this one."""
        found = {
            first
            for annotator, entity in enumerate(self.owners[piece])
            for other in range(len(self.names))
            if entity >= 0
            for first in self._firsts[annotator, entity, other]
        }
        return sorted(one for one in found if one < piece)

    def contested(self, piece: int) -> list[int]:
        """The targets that some annotator links with a piece and another does not."""
        annotators = range(len(self.names))
        return [
            target
            for target in self.targets(piece)
            if any(self.linked(one, piece, target) is False for one in annotators)
        ]

    def asked(self, piece: int) -> bool:
        """True if annotators link a piece differently, or do not all have it."""
        return -1 in self.owners[piece] or bool(self.contested(piece))

    def agreed_links(self) -> list[tuple[int, int]]:
        """The links of pieces that need no question."""
        pieces = range(len(self.members))
        return [
            (one, other) for one in pieces if not self.asked(one) for other in self.targets(one)
        ]

    def links_of(self, needed: int) -> list[tuple[int, int]]:
        """Pairs of pieces that ``needed`` annotators link, which connect all of their entities."""
        links = []
        for chosen in combinations(range(len(self.names)), needed):
            first: dict[tuple[int, ...], int] = {}
            for piece, owners in enumerate(self.owners):
                own = tuple(owners[annotator] for annotator in chosen)
                if min(own) >= 0:
                    links.append((first.setdefault(own, piece), piece))
        return links

    @cached_property
    def sizes(self) -> list[int]:
        """For each piece the number of mentions of all entities that it may belong to."""
        pieces = range(len(self.members))
        links = ((piece, target) for piece in pieces for target in self.targets(piece))
        roots = connected_components(len(self.members), links)
        sizes = Counter[int]()
        for root, mentions in zip(roots, self.members, strict=True):
            sizes[root] += len(mentions)
        return [sizes[root] for root in roots]

    def views(self, piece: int) -> list[View]:
        """The views of all annotators on a piece."""
        by: dict[tuple[int, ...] | None, list[str]] = {}
        linked: dict[tuple[int, ...] | None, set[int]] = defaultdict(set)
        contested, targets = self.contested(piece), self.targets(piece)
        for annotator, name in enumerate(self.names):
            said = {target: self.linked(annotator, piece, target) for target in targets}
            if self.owners[piece][annotator] < 0:
                by.setdefault(None, []).append(name)
            elif not contested or any(said[target] is not None for target in contested):
                view = tuple(target for target in contested if said[target])
                by.setdefault(view, []).append(name)
                linked[view] |= {target for target in targets if said[target]}
        return [
            View(tuple(names), targets, self.said(piece, targets, names))
            for view, names in by.items()
            for targets in [None if view is None else tuple(sorted(linked[view]))]
        ]

    def said(self, piece: int, targets: Sequence[int] | None, by: Sequence[str] = ()) -> str:
        """A view in words; entities are named by their first pieces, or by the one that follows."""
        if targets is None:
            return "not a mention"
        named = {next(t for t in targets if self._together(t, target)) for target in targets}
        annotators = [self.names.index(name) for name in by]
        if not named and annotators:
            chain = self._chains[annotators[0], self.owners[piece][annotators[0]]]
            later = (one for one in chain if one > piece)
            joined = (one for one in later if all(self.linked(a, piece, one) for a in annotators))
            named = set(islice(joined, 1))
        words = [f"“{self.words(self.members[one][0])}”" for one in sorted(named)]
        return "with " + " and ".join(words) if words else "an entity of its own"

    def _together(self, one: int, other: int) -> bool:
        """True if an annotator links two pieces and nobody keeps them apart."""
        said = {self.linked(annotator, one, other) for annotator in range(len(self.names))}
        return one == other or (True in said and False not in said)

    def difference(self, piece: int, views: Sequence[View]) -> str:
        """The difference in one line: who splits off, links or lacks which mentions."""
        words = quoted([self.words(number) for number in self.members[piece]])
        most = max(len(view.by) for view in views)
        usual = [view for view in views if len(view.by) == most]
        # The view of most annotators is left out. Of several, those that link are, if another one
        # splits off, and those that have the mention, if another one lacks it.
        silent = usual if len(views) > 1 else []
        if len(usual) > 1:
            linking = [view for view in usual if view.targets]
            present = [view for view in usual if view.targets is not None]
            silent = next((some for some in (linking, present) if 0 < len(some) < len(usual)), [])
        parts = []
        for view in views:
            who, ending = ", ".join(view.by), "" if len(view.by) > 1 else "s"
            if view in silent:
                continue
            if view.targets is None:
                parts.append(f"{who} lack{ending}: {words}")
            elif view.said.startswith("with"):
                parts.append(f"{who} link{ending}: {words} {view.said}")
            elif any(other.targets is not None for other in views if other != view):
                share = f"{len(self.members[piece])} of {self.sizes[piece]}"
                parts.append(f"{who} split{ending} off: {words} ({share})")
            else:
                parts.append(f"{who} {'have' if len(view.by) > 1 else 'has'}: {words}")
        return "; ".join(parts)


def quoted(words: Sequence[str]) -> str:
    """The first few of some mentions."""
    return ", ".join(words[:LISTED]) + (", …" if len(words) > LISTED else "")


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


class Option(msgspec.Struct, frozen=True):
    """One answer to a question, and the annotators who gave it."""

    text: str
    by: tuple[str, ...]
    choice: Reply


class Question(msgspec.Struct, frozen=True):
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
