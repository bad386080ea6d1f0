"""The names of documents in JSON lines: as their records tell them, each of them once."""

from __future__ import annotations

from corefine.errors import FormatError, Location
from corefine.formats.input.lines import shown
from corefine.formats.input.sources import Source
from corefine.formats.jsonlines.dialect import Dialect
from corefine.formats.jsonlines.json_records import Record, record_of


def document_name(record: Record, dialect: Dialect) -> str | None:
    """The name of a line's document, or of its part as CoNLL names it; None if it has none."""
    from corefine.formats.text.json_values import Name, Part

    key = record.first(dialect.names)
    if not record.has(key) and not dialect.named:
        return None
    name = record.decode(key, Name)
    part = record.decode(dialect.part, Part) if dialect.part and record.has(dialect.part) else 0
    if isinstance(part, list):
        if len(set(part)) > 1:
            record.refuse(
                f"{dialect.part}: several parts on one line",
                "Write one line per part of the document.",
            )
        part = part[0] if part else 0
    return f"{name}; part {part}" if part else str(name)


def name_of_line(line: bytes, dialect: Dialect) -> str:
    """The name of the document on a line, without reading the rest; empty where it has none."""
    record = record_of(line)
    try:
        return "" if record is None else document_name(record, dialect) or ""
    except FormatError:
        return ""


class Names:
    """The names of a source's documents so far: given by all lines or by none, each once."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.seen: dict[str, Location] = {}
        self.given = True

    def take(self, record: Record, name: str | None) -> str:
        if not self.seen:
            self.given = name is not None
        if self.given != (name is not None):
            has = "has a name" if name is not None else "has no name"
            record.refuse(
                f"the document {has}, unlike earlier ones",
                "Give doc_key for all documents, or for none.",
            )
        if name is None:
            name = f"{self.source.stem}:{len(self.seen) + 1}".removeprefix(":")
        if name in self.seen:
            record.refuse(
                f"document {shown(name)!r} occurs twice, first at {self.seen[name]}",
                "Rename or remove one of them.",
            )
        self.seen[name] = record.where
        return name
