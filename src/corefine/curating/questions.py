"""What annotators of one document disagree on, as questions with one answer each.

*Span* questions come first: spans of different annotators that overlap or share a head are
versions of one mention. *Link* questions ask for the entity of a *piece*: mentions that every
annotator keeps together. *Attribute* questions ask for the type or the head of a mention.

A mention together with its versions is a :class:`Unit`. What all annotators agree on needs no
question: pieces are joined by the links that nobody who has both ends denies.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import Any, Literal

from corefine.corpus.document import Document, Mention, Span, connected_components

Spans = tuple[Span, ...]
"""The token spans of a mention."""
Place = tuple[Spans, int]
"""A mention of an annotator: its spans, and 1 for the second entity that has it, and so on."""
QuestionKind = Literal["span", "link", "type", "head", "suspect"]

LEAST_OVERLAP = 1 / 3
"""Share of common tokens from which spans without a common head are versions of one mention."""
LISTED = 4
"""Mentions that a sentence quotes."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A mention in the eyes of all annotators."""

    versions: Mapping[str, Place]
    """The mention of each annotator who has it."""
    spans: Spans | None
    """The spans of the gold; None while the span question is open."""

    @property
    def first(self) -> Place:
        """The smallest version, by which the unit is named."""
        return min(self.versions.values(), default=(self.spans or (), 0))


@dataclass(frozen=True, slots=True)
class Option:
    """One answer to a question, and the annotators who gave it."""

    text: str
    by: tuple[str, ...]
    choice: Mapping[str, Any]
    """The answer as the log has it: ``spans``, ``with``, ``drop`` or ``value``."""


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
        self.owner: dict[str, dict[Place, int]] = {}
        self.mention: dict[str, dict[Place, Mention]] = {}
        for name in self.names:
            self.owner[name], self.mention[name] = _places(self.documents[name])

    @property
    def name(self) -> str:
        return self.base.name

    def text(self, spans: Spans) -> str:
        """The words of a mention."""
        return self.base.words_of(Mention("", list(spans)))

    def quoted(self, mentions: Sequence[Spans]) -> str:
        """The words of some mentions, the first few of them."""
        shown = ", ".join(self.text(spans) for spans in mentions[:LISTED])
        return shown + (", …" if len(mentions) > LISTED else "")

    @cached_property
    def _listed(self) -> dict[int, int]:
        """Where each mention stands in the list of its document."""
        return {
            id(mention): number
            for document in self.documents.values()
            for number, mention in enumerate(document.mentions)
        }

    def position(self, unit: Unit | None) -> int:
        """Where the first annotator who has a mention lists it; -1 for one that nobody has."""
        for name in self.names if unit is not None else ():
            if unit is not None and name in unit.versions:
                return self._listed[id(self.mention[name][unit.versions[name]])]
        return -1

    @cached_property
    def holders(self) -> dict[Place, tuple[str, ...]]:
        """The annotators of every mention, in text order."""
        found: dict[Place, list[str]] = defaultdict(list)
        for name in self.names:
            for place in self.owner[name]:
                found[place].append(name)
        return {place: tuple(found[place]) for place in sorted(found)}

    @cached_property
    def clusters(self) -> list[list[Place]]:
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

    def _alike(self, partial: Sequence[Place]) -> Iterable[tuple[float, Place, Place]]:
        """Pairs of places that may be versions of one mention, with their distance."""
        starts = sorted(partial, key=lambda place: place[0][0][0])
        for number, one in enumerate(starts):
            end = one[0][-1][1]
            for other in starts[number + 1 :]:
                if other[0][0][0] >= end:
                    break
                if one[0] == other[0] or set(self.holders[one]) & set(self.holders[other]):
                    continue
                overlap = _overlap(one[0], other[0])
                if overlap >= LEAST_OVERLAP or (overlap and self._same_head(one, other)):
                    yield 1 - overlap, min(one, other), max(one, other)

    def _same_head(self, one: Place, other: Place) -> bool:
        heads = [
            {self.mention[name][place].head for name in self.holders[place]} - {None}
            for place in (one, other)
        ]
        return bool(heads[0] & heads[1])

    def units(self, answers: Mapping[str, Mapping[str, Any]]) -> list[Unit]:
        """The mentions under the answers to span questions, in text order."""
        units = []
        for cluster in self.clusters:
            by = {name: place for place in cluster for name in self.holders[place]}
            if len(cluster) == 1:
                units.append(Unit(by, cluster[0][0]))
                continue
            answer = answers.get(self.span_id(cluster))
            if answer is None:
                units.append(Unit(by, None))
                continue
            chosen = answered_spans(answer)
            if len(chosen) == 1:
                units.append(Unit(by, chosen[0]))
            else:
                units += [
                    Unit({name: place for name, place in by.items() if place[0] == spans}, spans)
                    for spans in chosen
                ]
        return sorted(units, key=lambda unit: unit.first)

    def span_id(self, cluster: Sequence[Place]) -> str:
        return f"{self.name}:span:{_named(min(cluster))}"

    def span_questions(self) -> list[Question]:
        """One question for every mention with several versions."""
        found = []
        for cluster in self.clusters:
            if len(cluster) == 1:
                continue
            options = [
                Option(self.text(spans), self.holders[spans, number], {"spans": [spans]})
                for spans, number in cluster
            ]
            without = [n for n in self.names if all(n not in option.by for option in options)]
            if without:
                options.append(Option("not a mention", tuple(without), {"spans": []}))
            said = " or ".join(f"“{one.text}” ({', '.join(one.by)})" for one in options)
            mentions = tuple(spans for spans, _ in cluster)
            found.append(
                Question(
                    self.span_id(cluster),
                    "span",
                    self.name,
                    mentions,
                    said,
                    _ordered(options),
                    1,
                    len(self.names),
                )
            )
        return found


def answered_spans(answer: Mapping[str, Any]) -> list[Spans]:
    """The spans that an answer to a span question chooses."""
    return [tuple((start, stop) for start, stop in spans) for spans in answer["spans"]]


@dataclass(eq=False, repr=False)
class Pieces:
    """Mentions that every annotator keeps together, and what they may be linked to."""

    versions: Versions
    units: Sequence[Unit]
    members: list[list[int]] = field(init=False)
    """The units of each piece, in text order; pieces are in the order of their first units."""
    owners: list[tuple[int, ...]] = field(init=False)
    """The entity of each annotator that a piece belongs to, -1 if the annotator lacks it."""

    def __post_init__(self) -> None:
        names = self.versions.names
        grouped: dict[Hashable, list[int]] = {}
        for number, unit in enumerate(self.units):
            key: Hashable = tuple(
                self.versions.owner[name][unit.versions[name]] if name in unit.versions else -1
                for name in names
            )
            # A mention that no annotator has stands alone.
            grouped.setdefault(key if unit.versions else (key, number), []).append(number)
        self.members = list(grouped.values())
        self.owners = [
            tuple(
                self.versions.owner[name].get(self.units[units[0]].versions.get(name, ((), -1)), -1)
                for name in names
            )
            for units in self.members
        ]
        # By annotator, entity and other annotator: the first two pieces that the other one keeps
        # apart, or the first piece. Every piece is compared with these instead of with all.
        self._firsts: dict[tuple[int, int, int], list[int]] = defaultdict(list)
        for piece, owners in enumerate(self.owners):
            for annotator, entity in enumerate(owners):
                for other in range(len(names)) if entity >= 0 else ():
                    firsts = self._firsts[annotator, entity, other]
                    known = {self.owners[one][other] for one in firsts}
                    if not firsts or (len(firsts) < 3 and owners[other] not in known):
                        firsts.append(piece)

    def id(self, piece: int) -> str:
        """Name of the link question about a piece."""
        place = self.units[self.members[piece][0]].first
        return f"{self.versions.name}:link:{_named(place)}"

    @cached_property
    def numbers(self) -> dict[str, int]:
        """Pieces by the name of their question."""
        return {self.id(piece): piece for piece in range(len(self.members))}

    def linked(self, annotator: int, one: int, other: int) -> bool | None:
        """Whether an annotator links two pieces; None if the annotator lacks one of them."""
        a, b = self.owners[one][annotator], self.owners[other][annotator]
        return None if a < 0 or b < 0 else a == b

    def targets(self, piece: int) -> list[int]:
        """Earlier pieces that stand for the entities that annotators put a piece into.

        Of each entity they are the first piece, and the first that another annotator keeps apart
        from this one.
        """
        found = {
            first
            for annotator, entity in enumerate(self.owners[piece])
            for other in range(len(self.versions.names))
            if entity >= 0
            for first in self._firsts[annotator, entity, other]
        }
        return sorted(one for one in found if one < piece)

    def contested(self, piece: int) -> list[int]:
        """The targets that some annotator links with a piece and another does not."""
        annotators = range(len(self.versions.names))
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
        return [
            (piece, target)
            for piece in range(len(self.members))
            if not self.asked(piece)
            for target in self.targets(piece)
        ]

    def sizes(self, entity_of: Sequence[int]) -> Counter[int]:
        """Number of mentions of each entity, by its first piece."""
        sizes: Counter[int] = Counter()
        for piece, root in enumerate(entity_of):
            sizes[root] += len(self.members[piece])
        return sizes

    def spans(self, piece: int) -> tuple[Spans, ...]:
        """The mentions of a piece, as the gold or their smallest version has them."""
        units = (self.units[number] for number in self.members[piece])
        return tuple(unit.first[0] if unit.spans is None else unit.spans for unit in units)

    def questions(self) -> list[Question]:
        """A question for every piece that annotators link differently or do not all have."""
        joined = connected_components(
            len(self.members),
            ((p, t) for p in range(len(self.members)) for t in self.targets(p)),
        )
        sizes = self.sizes(joined)
        return [
            self._question(piece, sizes[joined[piece]])
            for piece in range(len(self.members))
            if self.asked(piece)
        ]

    def _question(self, piece: int, size: int) -> Question:
        names, votes = self.versions.names, dict[tuple[int, ...] | None, list[str]]()
        contested, linked = self.contested(piece), dict[tuple[int, ...] | None, set[int]]()
        for annotator, name in enumerate(names):
            said = {t: self.linked(annotator, piece, t) for t in self.targets(piece)}
            if self.owners[piece][annotator] < 0:
                votes.setdefault(None, []).append(name)
            elif not contested or any(said[target] is not None for target in contested):
                view = tuple(target for target in contested if said[target])
                votes.setdefault(view, []).append(name)
                linked.setdefault(view, set()).update(t for t in said if said[t])
        options = [
            Option(self._said(linked.get(view)), tuple(by), self._choice(linked.get(view)))
            for view, by in votes.items()
        ]
        mentions = self.spans(piece)
        views = {view: (by, linked.get(view)) for view, by in votes.items()}
        return Question(
            self.id(piece),
            "link",
            self.versions.name,
            mentions,
            self._difference(piece, views, size),
            _ordered(options),
            len(mentions) * max(size - len(mentions), 1),
            len(names),
        )

    def _choice(self, targets: set[int] | None) -> dict[str, Any]:
        if targets is None:
            return {"drop": True}
        return {"with": [self.id(target) for target in sorted(targets)]}

    def _said(self, targets: set[int] | None) -> str:
        """An option in words; entities are named by their first pieces."""
        if targets is None:
            return "not a mention"
        if not targets:
            return "an entity of its own"
        first = {
            next(iter(t for t in sorted(targets) if self._together(t, target)))
            for target in targets
        }
        words = [self.versions.text(self.spans(target)[0]) for target in sorted(first)]
        return "with " + " and ".join(f"“{one}”" for one in words)

    def _together(self, one: int, other: int) -> bool:
        """True if an annotator links two pieces and nobody keeps them apart."""
        said = {self.linked(a, one, other) for a in range(len(self.versions.names))}
        return one == other or (True in said and False not in said)

    def _difference(
        self,
        piece: int,
        views: Mapping[tuple[int, ...] | None, tuple[Sequence[str], set[int] | None]],
        size: int,
    ) -> str:
        """The difference in one line: who splits off, links or lacks which mentions."""
        mentions = self.spans(piece)
        words = self.versions.quoted(mentions)
        most = max(len(by) for by, _ in views.values())
        usual = [view for view, (by, _) in views.items() if len(by) == most]
        # What most annotators say need not be said. Of several views, links need not if another
        # one cuts them, nor that it is a mention if another one lacks it.
        silent = usual
        if len(usual) > 1:
            linking = [view for view in usual if views[view][1]]
            present: list[tuple[int, ...] | None] = [view for view in usual if view is not None]
            silent = next((some for some in (linking, present) if 0 < len(some) < len(usual)), [])
        parts = []
        for view, (by, targets) in views.items():
            who = ", ".join(by)
            if view in silent and len(views) > 1:
                continue
            if targets is None:
                parts.append(f"{who} {_verb(by, 'lack')}: {words}")
            elif not targets:
                parts.append(f"{who} {_verb(by, 'split')} off: {words} ({len(mentions)} of {size})")
            else:
                parts.append(f"{who} {_verb(by, 'link')}: {words} {self._said(targets)}")
        return "; ".join(parts)


def attribute_questions(
    versions: Versions, pieces: Pieces, kind: Literal["type", "head"]
) -> list[Question]:
    """A question for mentions of a piece that annotators give different types or heads."""
    grouped: dict[Hashable, list[Unit]] = {}
    for piece, numbers in enumerate(pieces.members):
        for number in numbers:
            unit = pieces.units[number]
            values = attribute_values(versions, unit, kind)
            if len(set(values.values())) > 1:
                group = (piece, tuple(sorted(values.items()))) if kind == "type" else number
                grouped.setdefault(group, []).append(unit)
    found = []
    for units in grouped.values():
        by_value: dict[Any, list[str]] = defaultdict(list)
        for name, value in attribute_values(versions, units[0], kind).items():
            by_value[value].append(name)
        shown = {v: v if kind == "type" else f"“{versions.text(((v, v + 1),))}”" for v in by_value}
        options = [
            Option(str(shown[value]), tuple(by), {"value": value}) for value, by in by_value.items()
        ]
        mentions = tuple(unit.first[0] if unit.spans is None else unit.spans for unit in units)
        said = " or ".join(f"{shown[value]} ({', '.join(by)})" for value, by in by_value.items())
        found.append(
            Question(
                f"{versions.name}:{kind}:{_named(units[0].first)}",
                kind,
                versions.name,
                mentions,
                f"{kind} of {versions.quoted(mentions)}: {said}",
                _ordered(options),
                1,
                sum(map(len, by_value.values())),
            )
        )
    return found


def attribute_values(versions: Versions, unit: Unit, kind: str) -> dict[str, Any]:
    """The type or head that annotators give to a mention, if they state one in its gold span."""
    found = {}
    for name, place in unit.versions.items():
        value = getattr(versions.mention[name][place], kind)
        if value is not None and (kind == "type" or unit.spans in (None, place[0])):
            found[name] = value
    return found


def _places(document: Document) -> tuple[dict[Place, int], dict[Place, Mention]]:
    """The entity and the mention at every place, entities in the order of their first mentions."""
    owner: dict[Place, int] = {}
    mention: dict[Place, Mention] = {}
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
    a = {token for start, stop in one for token in range(start, stop)}
    b = {token for start, stop in other for token in range(start, stop)}
    return len(a & b) / len(a | b)


def _ordered(options: Sequence[Option]) -> tuple[Option, ...]:
    """Options of more annotators first."""
    return tuple(sorted(options, key=lambda option: (-len(option.by), option.by)))


def _verb(by: Sequence[str], verb: str) -> str:
    return verb if len(by) > 1 else f"{verb}s"


def _named(place: Place) -> str:
    """A place as first and last token: ``3``, ``12-14``, ``3+5-6``; ``3#2`` in a second entity."""
    spans, again = place
    written = "+".join(f"{a}" if b == a + 1 else f"{a}-{b - 1}" for a, b in spans)
    return written if not again else f"{written}#{again + 1}"


def rule_links(pieces: Pieces, needed: int) -> list[tuple[int, int]]:
    """Pairs of pieces that at least so many annotators link; enough of them for all entities."""
    links = []
    for chosen in combinations(range(len(pieces.versions.names)), needed):
        first: dict[tuple[int, ...], int] = {}
        for piece, owners in enumerate(pieces.owners):
            own = tuple(owners[annotator] for annotator in chosen)
            if min(own) >= 0:
                links.append((first.setdefault(own, piece), piece))
    return links
