"""``# global.Entity = eid-etype-head-other``: which fields a mention has, and in what order."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from corefine.errors import FormatError, Location
from corefine.formats.input.lines import shown

DEFAULT = "eid-etype-head-other"
"""CorefUD's own order, which is assumed where a file does not give one."""

MOST_FIELDS, MOST_HEADERS = 64, 64
"""More fields, or different headers in one file, are a mistake: each costs a column."""

FIELDS_WITH_A_ROLE = {
    "eid": "eid",
    "GRP": "eid",
    "etype": "etype",
    "entity": "etype",
    "head": "head",
    "minspan": "minspan",
    "MIN": "minspan",
}
"""What the known names of fields stand for; GRP, entity and MIN are GUM's."""


@dataclass(frozen=True)
class Header:
    """The fields of a mention, in order: ``eid``, ``etype``, ``head``, ``minspan``, and others."""

    fields: tuple[str, ...]

    @cached_property
    def id_at(self) -> int:
        return self.fields.index("eid")

    @cached_property
    def has_head(self) -> bool:
        return "head" in self.fields


def header_of(text: str, where: Location | None = None) -> Header:
    """The header that a comment gives.

    >>> header_of("entity-GRP-infstat-MIN").fields
    ('etype', 'eid', 'infstat', 'minspan')
    """
    names = text.split("-")
    fields = tuple(FIELDS_WITH_A_ROLE.get(name, name) for name in names)
    remedy = f"Name the fields of a mention as CorefUD does: # global.Entity = {DEFAULT}"
    if "eid" not in fields:
        raise FormatError(f"the header {shown(text)!r} has no field eid (or GRP)", where, remedy)
    if not all(fields):
        raise FormatError(f"the header {shown(text)!r} has a field without a name", where, remedy)
    if len(set(fields)) < len(fields):
        raise FormatError(f"the header {shown(text)!r} names a field twice", where, remedy)
    if len(fields) > MOST_FIELDS:
        raise FormatError(f"a header of {len(fields):,} fields", where, remedy)
    return Header(fields)


class Headers:
    """The headers of one file."""

    def __init__(self) -> None:
        self._known: dict[str, Header] = {}

    def get(self, text: str, where: Location) -> Header:
        if text not in self._known:
            if len(self._known) == MOST_HEADERS:
                raise FormatError(
                    f"more than {MOST_HEADERS} different headers in one file",
                    where,
                    f"Use one for all documents, such as # global.Entity = {DEFAULT}",
                )
            self._known[text] = header_of(text, where)
        return self._known[text]
