"""doccano: JSON lines with a text, spans of characters, and relations; only read."""

from __future__ import annotations

import msgspec

from corefine.corpus.document import Document
from corefine.formats.io.records import NamedRecord, dialect, invalid
from corefine.formats.io.regions import document_of


class DoccanoEntity(msgspec.Struct):
    """A span of doccano."""

    id: int
    start_offset: int
    end_offset: int
    label: str | None = None


class DoccanoRelation(msgspec.Struct):
    """A relation of doccano."""

    from_id: int
    to_id: int
    type: str | None = None
    id: int = 0


@dialect(
    "doccano",
    "doccano: JSON lines, character spans and relations",
    lambda shapes: {"text", "entities", "relations"} <= shapes.keys(),
    streamed=False,
    writable=False,
    labelled=True,
)
class Doccano(NamedRecord):
    """doccano (sequence labelling with relations): a text, spans and relations.

    ::

        {"id": 1, "text": "Anna saw her.",
         "entities": [{"id": 3, "label": "PER", "start_offset": 0, "end_offset": 4},
                      {"id": 4, "label": "PER", "start_offset": 9, "end_offset": 12}],
         "relations": [{"id": 1, "from_id": 4, "to_id": 3, "type": "coref"}]}
    """

    text: str
    entities: list[DoccanoEntity]
    relations: list[DoccanoRelation]

    def to_documents(self, number: int, label: str) -> list[Document]:
        regions = {
            one.id: ((one.start_offset, one.end_offset), one.label, None) for one in self.entities
        }
        if len(regions) < len(self.entities):
            raise invalid("two entities with the same id", "Give every entity an id of its own.")
        relations = [(one.from_id, one.to_id, [one.type or ""]) for one in self.relations]
        return [document_of(self.name(), self.text, regions, relations, label)]
