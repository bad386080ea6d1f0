"""Contested mentions: what annotators put into different entities, or do not all have.

Mentions that every annotator keeps together are one *piece*. Annotators differ on pieces that they
link with different earlier ones, or do not all have. :func:`corefine.agree` lists these differences
and :func:`corefine.adjudicate` asks for an answer to each.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, islice
from typing import NamedTuple

from corefine.corpus.document import connected_components

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
