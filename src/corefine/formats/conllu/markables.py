"""Markables: the mentions of a column of Universal Anaphora, with their fields."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from corefine.corpus.columns import Relation
from corefine.errors import FormatError, Location
from corefine.formats.building.mention_rows import MentionRows, Span
from corefine.formats.input.lines import shown
from corefine.formats.input.sources import Source

NOTHING = "-Pseudo"
"""How the ids of entities end that are none."""
_BRACKET = re.compile(r"\)|\([^()]*")
_NAMES = {
    "entityid": "EntityID",
    "markableid": "MarkableID",
    "mentionid": "MarkableID",
    "min": "Min",
    "elementof": "ElementOf",
    "rel": "Rel",
    "mentionanchor": "MentionAnchor",
    "entityanchor": "EntityAnchor",
}
"""The fields with a role, as files write them in lower case without underscores."""


@dataclass(slots=True)
class Markable:
    """A bracket as it stands in the file; of a discontinuous mention one for each part."""

    fields: dict[str, str]
    start: int
    line: int
    stop: int = -1


@dataclass(slots=True)
class Column:
    """What the column of one sort of mentions holds, document by document."""

    name: str
    rows: MentionRows = field(default_factory=MentionRows)
    nothing: MentionRows = field(default_factory=MentionRows)
    """Mentions that refer to nothing."""
    attributes: list[dict[str, str]] = field(default_factory=list)
    nothing_attributes: list[dict[str, str]] = field(default_factory=list)
    minimum: list[Span] = field(default_factory=list)
    nothing_minimum: list[Span] = field(default_factory=list)
    relations: dict[Relation, None] = field(default_factory=dict)
    open: list[Markable] = field(default_factory=list)
    seen: list[Markable] = field(default_factory=list)

    def cell(self, text: str, token: int, where: Location) -> None:
        """Brackets that open and close at a token."""
        if "".join(_BRACKET.findall(text)) != text:
            raise FormatError(
                f"malformed {self.name} {shown(text)!r}",
                where,
                "Write (EntityID=1|MarkableID=m_1 where a mention starts and ) where it ends.",
            )
        for bracket in _BRACKET.findall(text):
            if bracket == ")":
                if not self.open:
                    raise FormatError(
                        f"a closing bracket of {self.name} without an open mention",
                        where,
                        "Open the mention with (EntityID=…, or remove the bracket.",
                    )
                self.open.pop().stop = token + 1
                continue
            fields = fields_of(bracket[1:].removesuffix("@"), where)
            if not fields.get("EntityID"):
                raise FormatError(
                    f"a mention of {self.name} without EntityID: {shown(bracket)!r}",
                    where,
                    "Write (EntityID=1|MarkableID=m_1",
                )
            self.open.append(Markable(fields, token, where.line or 0))
            self.seen.append(self.open[-1])

    def finish(self, document: int, name: str, source: Source) -> tuple[dict[str, Markable], int]:
        """End a document: its markables by id, and how many minimum spans were no part of them."""
        if self.open:
            raise FormatError(
                f"a mention of {self.name} is not closed in document {name!r}",
                source.where(self.open[-1].line),
                "Add the missing bracket ) at its last word.",
            )
        whole: dict[str, list[Markable]] = {}
        for number, markable in enumerate(self.seen):
            called = markable.fields.get("MarkableID", "")
            whole.setdefault(called or f"\0{number}", []).append(markable)
        wrong = 0
        by_id: dict[str, Markable] = {}
        for called, parts in whole.items():
            wrong += self._add(document, parts, source)
            by_id[called] = Markable(
                parts[0].fields, parts[0].start, parts[0].line, max(part.stop for part in parts)
            )
        self.seen = []
        return by_id, wrong

    def without_unknown(self) -> int:
        """Leave out relations of entities that have no mention; how many there are."""
        known = self.rows.entities
        unknown = [
            relation
            for relation in self.relations
            for name in (relation.source, relation.target)
            if (relation.document, name) not in known
        ]
        for relation in unknown:
            self.relations.pop(relation, None)
        return len(set(unknown))

    def _add(self, document: int, parts: list[Markable], source: Source) -> bool:
        """A mention; whether its minimum span is no part of it."""
        first = parts[0]
        entity = first.fields["EntityID"]
        spans = sorted((part.start, part.stop) for part in parts)
        for (_, stop), (start, _), part in zip(spans, spans[1:], parts[1:], strict=False):
            if start < stop or part.fields["EntityID"] != entity:
                raise FormatError(
                    f"two markables have the id {first.fields['MarkableID']!r}",
                    source.where(part.line),
                    "Give each its own MarkableID; only parts of a discontinuous mention share "
                    "one.",
                )
        pseudo = entity.endswith(NOTHING)
        rows = self.nothing if pseudo else self.rows
        rows.add(document, entity, spans)
        low, high = _minimum(first, source)
        wrong = low >= 0 and not (spans[0][0] <= low and high <= spans[-1][1])
        (self.nothing_minimum if pseudo else self.minimum).append(
            (-1, -1) if wrong else (low, high)
        )
        known = {"EntityID", "Min", "ElementOf"}
        others = {key: value for key, value in first.fields.items() if key not in known}
        (self.nothing_attributes if pseudo else self.attributes).append(others)
        for part in parts:
            for owner in part.fields.get("ElementOf", "").split(","):
                if owner.strip():
                    relation = Relation("split", document, owner.strip(), entity)
                    self.relations[relation] = None
        return wrong


def fields_of(text: str, where: Location) -> dict[str, str]:
    fields = {}
    for item in text.split("|"):
        key, equals, value = item.partition("=")
        if not equals or not key:
            raise FormatError(
                f"{shown(item)!r} is not an attribute",
                where,
                "Attributes are written Name=value, separated by |.",
            )
        fields[_NAMES.get(key.lower().replace("_", ""), key)] = value
    return fields


def _minimum(markable: Markable, source: Source) -> Span:
    """The minimum span in tokens of the document; -1 where none is given."""
    written = markable.fields.get("Min", "")
    if written in ("", "_"):
        return -1, -1
    numbers = re.split("[,-]", written)
    if not all(number.isdecimal() and 0 < int(number) < 1 << 31 for number in numbers):
        raise FormatError(
            f"the minimum span {shown(written)!r} is not a word number",
            source.where(markable.line),
            "Give the first and last word, numbered within the document: Min=2,3",
        )
    return min(map(int, numbers)) - 1, max(map(int, numbers))
